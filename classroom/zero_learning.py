"""Zero from nothing on a tiny board, live: the loop of `zero.train`, and what its network thinks on the way.

The settings are those of the command, the folder is a temporary one. With the network that it leaves, two questions are
answered by games: what the search adds to the bare network, and what the defects of a tutorial cost (`zero.defects`).
"""

import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from omegaconf import OmegaConf

from classroom.simulations import DIGITS
from go.coordinates import PASS, gtp_from_point
from go.player import Candidate, Decision
from go.position import Position
from nets.network import Network
from nets.weights import Weights
from pipeline.launch import compose
from pipeline.progress import Progress
from pipeline.training import History
from zero.defects import SEARCH_DEFECTS, RuleFlaws, play_defective, rule_flaws
from zero.defects import Settings as DefectSettings
from zero.match import MatchResult, match_terms, play_match
from zero.rules import GUMBEL, Rule
from zero.show import opinion_of
from zero.train import COMMAND, Settings, learn
from zero.window import Window

KOMI = 3.5  # between no points and all nine of 3x3, so that Black wins only with most of the board


class Version(NamedTuple):
    """A network after some games: its weights, and what it says of the empty board."""

    games: int
    weights: Weights
    chances: dict[str, float]  # by vertex
    value: float  # for black


class Learnt(NamedTuple):
    """What a run has left."""

    size: int
    komi: float
    versions: list[Version]
    history: History
    window: Window

    @property
    def weights(self) -> Weights:
        return self.versions[-1].weights


def settings_of(size: int, iterations: int, every: int, *more: str) -> Settings:
    """Return the settings of `./prezero zero.train scale=tiny size=... iterations=...`, on one thread."""
    given = ["scale=tiny", "preset=gumbel", f"size={size}", "threads=1", f"iterations={iterations}", "device=cpu"]
    given += [f"evaluate_every={every}", "evaluation_games=20", "opponents=random", f"play.komi={KOMI}"]
    composed = compose(COMMAND, [*given, "precision=float32", *more])
    return cast(Settings, OmegaConf.to_object(composed))


def learn_from_nothing(size: int = 3, iterations: int = 30, every: int = 3, *more: str) -> Learnt:
    """Learn a board by self-play. Return the networks that were evaluated, the history and the latest games."""
    settings = settings_of(size, iterations, every, *more)
    key = {"classroom": settings.size}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        versions = [_version(first_network(settings), 0)]
        _, history = learn(settings, folder, key)
        played = {int(entry["version"]): int(entry["games"]) for entry in history}
        files = sorted((folder / "networks").glob("*.safetensors"))
        versions += [_version(Weights.load(file), played[int(file.stem)]) for file in files if int(file.stem) in played]
        window = Window(folder / "window", settings.learn.window, json.dumps(key))
        kept = sorted(int(path.stem.split("-")[0]) for path in window.folder.glob("*.safetensors"))
        window.restore(kept[0], kept[-1] + 1)
    return Learnt(size, settings.play.komi, versions, history, window)


def first_network(settings: Settings) -> Weights:
    """Return the network before the first game: random weights, drawn as `zero.train` draws them."""
    import torch  # slow import

    from zero.learner import Learner

    torch.manual_seed(settings.seed)
    return Learner(
        settings.net.description(settings.size), settings.learn, torch.device("cpu"), torch.float32
    ).weights()


def _version(weights: Weights, games: int) -> Version:
    size = weights.description.size
    found = opinion_of(Network(weights, precision="float32"), Position(size, KOMI))
    chances = {gtp_from_point(point, size): chance for point, chance in found.chances.items()}
    return Version(games, weights, chances, float(found.values.mean()))


def learning_data(learnt: Learnt) -> dict[str, Any]:
    """Return what the page plays: a step for each version."""
    by_games = {int(entry["games"]): entry for entry in learnt.history}
    steps = []
    for version in learnt.versions:
        entry = by_games.get(version.games, {})
        steps.append(
            {
                "games": version.games,
                "value": round(version.value, DIGITS),
                "chances": {vertex: round(chance, DIGITS) for vertex, chance in version.chances.items()},
                "elo": round(entry["Elo"]) if entry else None,
                "length": round(entry["length"], 1) if entry else None,
            }
        )
    return {"size": learnt.size, "komi": learnt.komi, "steps": steps}


class RawNetwork:
    """A player that samples its moves from the network, without any search."""

    name = "the network alone"

    def __init__(self, network: Network, seed: int) -> None:
        self.network, self.rng = network, np.random.default_rng(seed)

    def plays_on(self, size: int) -> bool:
        return size == self.network.size

    def decide(self, position: Position) -> Decision:
        chances = opinion_of(self.network, position).chances
        points, shares = list(chances), np.array(list(chances.values()))
        move = int(self.rng.choice(points, p=shares / shares.sum()))
        candidates = [Candidate(point, chance, "") for point, chance in chances.items() if point != PASS]
        return Decision(move, "sampled from the policy", candidates)


def search_against_raw(weights: Weights, games: int, komi: float, simulations: int = 16, seed: int = 1) -> MatchResult:
    """Play a network with search against the same network without. The first loop of Zero lives on this difference."""
    size, network = weights.description.size, Network(weights, precision="float32")
    terms = match_terms(komi, 2 * size**2, size)
    rule = Rule(GUMBEL, simulations=simulations, considered=simulations)
    return play_match(network, RawNetwork(network, seed), games, (seed,), size, rule, terms)


def defect_wins(weights: Weights, games: int, komi: float, simulations: int = 100, seed: int = 1) -> dict[str, float]:
    """Return how many of `games` a search with each defect wins against the correct search, with the same network."""
    settings = DefectSettings(games=games, simulations=simulations, seed=seed)
    limit = 2 * weights.description.size**2
    with Progress("games", games * len(SEARCH_DEFECTS)) as progress:
        return {
            name: play_defective(weights, defect, settings, komi, limit, progress)
            for name, defect in SEARCH_DEFECTS.items()
        }


def flaws_of(learnt: Learnt) -> RuleFlaws:
    """Count what the tutorial's rules for area and ko would have changed in the latest games of the run."""
    return rule_flaws(learnt.window, learnt.komi, learnt.size)
