"""The loop: self-play, learning, and the gate, iteration after iteration (`pipeline.training` runs it).

An iteration plays its games with the best network, takes them into the window, learns, and lets the new network play
from then on: always, or if it wins a match against the best one (the gate). The first network is random, or a given one
(`start`), which is then version 0 of the evaluations. Games are written in chunks as they are
played; after a kill, chunks that are whole are read instead of played again. All randomness is named by the seed, the
purpose and the iteration, so a resumed run ends with the same weights, bit for bit, on one thread.
"""

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from go.position import Position
from nets.description import Description
from nets.inputs import ZeroInputs
from nets.network import Network
from nets.runtime import measure_ranges
from nets.weights import Weights
from pipeline.artefact import made
from pipeline.errors import UserError
from pipeline.progress import Progress
from zero.games import CUT, NEVER, RESIGNED
from zero.learner import Learner
from zero.lessons import draw_lesson, draw_lessons
from zero.match import MatchResult, fixed_player, match_terms, play_match
from zero.ratings import ratings
from zero.self_play import Lockstep, is_check_game, resign_threshold
from zero.settings import LearnSettings, PlaySettings, TreeSettings, ZeroNetSettings
from zero.window import Shard, Window, shard_of

PLAY, LEARN, CALIBRATE, GATE, EVALUATE, START = range(6)  # what random streams are for
CALIBRATED = 256  # positions on which output ranges for 8 bits are measured, and normalisation is set
CHUNK_PLACES = 2  # games of a chunk for each place of its lockstep; threads play chunks side by side
DRAWN_TOGETHER = 16  # steps whose positions are drawn at once: a large window has hundreds of shards to look into


@dataclasses.dataclass
class Setup:
    """Everything that the loop is told."""

    size: int
    net: ZeroNetSettings
    search: TreeSettings
    play: PlaySettings
    learn: LearnSettings
    iterations: int
    gate: float  # share of games that a new network must win; 0 for no gate
    gate_games: int
    opponents: tuple[str, ...]
    evaluation_games: int
    precision: str  # of playing
    threads: int
    seed: int

    def description(self) -> Description:
        return self.net.description(self.size)


class ZeroTrainer:
    """Learns from its own games (see `pipeline.training`)."""

    unit = "games"

    def __init__(
        self,
        setup: Setup,
        folder: Path,
        key: str,
        device: torch.device,
        precision: torch.dtype,
        start: Weights | None = None,
    ) -> None:
        self.setup, self.steps = setup, setup.iterations
        self.inputs = ZeroInputs(setup.net.planes)
        before = start.card["figures"]["games"] if start else 0
        self.window = Window(folder / "window", setup.learn.window, key, setup.learn.window_share, before)
        self.networks = made(folder / "networks")
        self.learner = Learner(setup.description(), setup.learn, device, precision)
        self.iteration = 0  # iterations done
        self.best_iteration = 0  # after which the best network was made
        self.start = start
        self.best = start or self._random_network()
        self.snapshots = [0] if start else []  # the best network at each evaluation, by its iteration
        self.results: list[list] = []  # of all evaluation matches: names, points, games
        self.needed = 0, 0  # what the last checkpoint needs: its oldest games and its best network
        self.best.save(self._network_file(0))

    def _random_network(self) -> Weights:
        weights = self.learner.weights()
        planes, _ = self.inputs.of_positions(random_positions(self.setup.size, self.setup.seed))
        weights.ranges = measure_ranges(weights, planes)
        return weights

    def _network_file(self, iteration: int) -> Path:
        return self.networks / f"{iteration:06}.safetensors"

    def state(self) -> dict[str, np.ndarray]:
        progress = {
            "iteration": self.iteration,
            "best": self.best_iteration,
            "oldest": self.window.oldest,
            "snapshots": self.snapshots,
            "results": self.results,
        }
        self.needed = self.window.oldest, self.best_iteration
        return self.learner.state() | {"progress": np.frombuffer(json.dumps(progress).encode(), np.uint8)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        progress = json.loads(state["progress"].tobytes().decode())
        if progress["iteration"] > self.steps:
            raise UserError(
                f"This run has done {progress['iteration']} iterations: ask for more, or give a new run=NAME."
            )
        self.learner.restore(state)
        self.iteration, self.best_iteration = progress["iteration"], progress["best"]
        self.snapshots, self.results = progress["snapshots"], progress["results"]
        self.window.restore(progress["oldest"], self.iteration)
        self.needed = self.window.oldest, self.best_iteration
        self.best = Weights.load(self._network_file(self.best_iteration))

    def step(self, number: int) -> dict[str, float]:
        """Do one iteration."""
        threshold = self.threshold()
        shards = self.self_play(number, threshold)
        for shard in shards:
            self.window.add(number, shard)
        if self.start is not None and number == 0:  # not before: its own games are what normalisation is set on
            rng = np.random.default_rng((self.setup.seed, START))
            self.learner.start_from(self.start, draw_lesson(self.window, CALIBRATED, rng, self.inputs).planes)
        new = sum(len(shard.learnable) for shard in shards)
        shown = _statistics(shards) | {"resign below": max(threshold, -1.0)} | self.learn(number, new)
        self.iteration = number + 1
        shown |= self.choose_best(number)
        self._clean()
        return {"games": self.setup.play.games} | shown

    def threshold(self) -> float:
        """Return the value below which a game is resigned now."""
        play = self.setup.play
        if not play.resign:
            return NEVER
        return resign_threshold(self.window.lowest_of_winners(), play.most_wrong, play.check_games)

    def self_play(self, number: int, threshold: float) -> list[Shard]:
        """Play the games of an iteration, or read those chunks that were played before a kill."""
        setup, play = self.setup, self.setup.play
        first, rule = number * play.games, setup.search.rule()
        terms = play.terms(setup.size, threshold)
        made_by = {"network": self.best.fingerprint(), "resign": threshold}
        chunk_games = CHUNK_PLACES * play.places
        chunks = range(-(-play.games // chunk_games))
        found = {chunk: self.window.read(number, chunk, made_by) for chunk in chunks}
        shards = {chunk: shard for chunk, shard in found.items() if shard is not None}
        done = sum(shard.games for shard in shards.values())
        with Progress(f"iteration {number + 1}, games", play.games, done) as bar:

            def play_chunk(chunk: int) -> None:
                games = range(first + chunk * chunk_games, first + min((chunk + 1) * chunk_games, play.games))
                network = Network(self.best, precision=setup.precision)
                lockstep = Lockstep(setup.size, rule, terms, min(play.places, len(games)))
                records = []
                for record in lockstep.play(
                    games,
                    (setup.seed, PLAY),
                    lambda game: (network, network),
                    lambda game: not is_check_game(game, play.check_share),
                ):
                    records.append(record)
                    bar.update(1)
                shards[chunk] = shard_of(records)
                self.window.write(number, chunk, made_by, shards[chunk])

            with ThreadPoolExecutor(setup.threads) as pool:
                list(pool.map(play_chunk, [chunk for chunk in chunks if chunk not in shards]))
        return [shards[chunk] for chunk in chunks]

    def learn(self, number: int, new: int) -> dict[str, float]:
        """Learn from the window. The number of steps lets each position be learnt from `passes` times on average."""
        settings = self.setup.learn
        steps = max(1, round(settings.passes * new / settings.batch_size))
        sums: dict[str, float] = {}
        for first in range(0, steps, DRAWN_TOGETHER):
            rng = np.random.default_rng((self.setup.seed, LEARN, number, first))
            count = min(DRAWN_TOGETHER, steps - first)
            lessons = draw_lessons(self.window, count, settings.batch_size, rng, self.inputs, settings.search_value)
            for step, lesson in enumerate(lessons, first):
                for name, part in self.learner.learn(lesson, (number + step / steps) / self.steps).items():
                    sums[name] = sums.get(name, 0.0) + part / steps
        return sums | {"steps": steps}

    def weights(self, number: int) -> Weights:
        """Return the weights to play with, ready for inference in 8 bits."""
        weights = self.learner.weights()
        rng = np.random.default_rng((self.setup.seed, CALIBRATE, number))
        weights.ranges = measure_ranges(weights, draw_lesson(self.window, CALIBRATED, rng, self.inputs).planes)
        return weights

    def choose_best(self, number: int) -> dict[str, float]:
        """Let the new network take over, if it passes the gate."""
        setup, new = self.setup, self.weights(number)
        shown = {}
        if setup.gate > 0:
            played = self.match(new, self.best, setup.gate_games, (setup.seed, GATE, number))
            shown = {"won at the gate": played.share, "passed the gate": float(played.share >= setup.gate)}
        if not shown or shown["passed the gate"]:
            self.best, self.best_iteration = new, self.iteration
            new.save(self._network_file(self.iteration))
        return shown

    def match(self, first: Weights, second: Weights | str, games: int, seed: tuple[int, ...]) -> MatchResult:
        """Play a match between two networks, or of a network against a fixed player."""
        setup = self.setup
        terms = match_terms(setup.play.komi, setup.play.limit(setup.size), setup.size)
        one = Network(first, precision=setup.precision)
        if isinstance(second, str):
            other = fixed_player(second, setup.size, int(np.random.default_rng(seed).integers(2**31)))
        else:
            other = Network(second, precision=setup.precision)
        return play_match(one, other, games, seed, setup.size, setup.search.rule(is_match=True), terms)

    def evaluate(self) -> dict[str, float]:
        """Play the best network against fixed players and against earlier versions; return its Elo."""
        setup, name = self.setup, f"{self.best_iteration}"
        past = [
            number for number in (self.snapshots[-1:] + self.snapshots[:-1][-3:-2]) if number != self.best_iteration
        ]
        rivals: dict[str, Weights | str] = {opponent: opponent for opponent in setup.opponents}
        rivals |= {f"{number}": Weights.load(self._network_file(number)) for number in past}
        seed = setup.seed, EVALUATE, self.iteration

        def play(rival: str) -> MatchResult:
            place = list(rivals).index(rival)
            return self.match(self.best, rivals[rival], setup.evaluation_games, (*seed, place))

        with ThreadPoolExecutor(setup.threads) as pool:
            played = dict(zip(rivals, pool.map(play, rivals), strict=True))
        self.results += [[name, rival, result.won, result.games] for rival, result in played.items()]
        previous = f"{self.snapshots[-1]}" if self.snapshots else ""
        if self.best_iteration not in self.snapshots:
            self.snapshots.append(self.best_iteration)
        players = [*setup.opponents, *(f"{number}" for number in self.snapshots)]
        elo = ratings(players, [tuple(row) for row in self.results], setup.opponents[0])
        shown = {f"won against {rival}": played[rival].share for rival in setup.opponents}
        if previous in played:
            shown["won against the previous"] = played[previous].share
        shown["version"] = float(self.best_iteration)
        return {"Elo": elo[name]} | {f"Elo of {rival}": elo[rival] for rival in setup.opponents[1:]} | shown

    def _clean(self) -> None:
        """Remove games and networks that neither the last checkpoint nor an evaluation needs."""
        oldest, best = self.needed
        self.window.remove_files_before(min(oldest, self.window.oldest))
        for path in self.networks.glob("*.safetensors"):
            number = int(path.stem)
            if number not in self.snapshots and number < min(best, self.best_iteration):
                path.unlink()


def random_positions(size: int, seed: int) -> list[Position]:
    """Return positions of random games, on which the output ranges of the first network are measured."""
    rng = np.random.default_rng((seed, CALIBRATE))
    found: list[Position] = []
    while len(found) < CALIBRATED:
        position = Position(size)
        for _ in range(int(rng.integers(size * size))):
            moves = position.legal_moves()
            if len(moves):
                position.play(int(rng.choice(moves)))
        found.append(position)
    return found


def _statistics(shards: list[Shard]) -> dict[str, float]:
    """Return what the games of an iteration were like."""
    endings = np.concatenate([shard.endings for shard in shards])
    outcomes = np.concatenate([shard.outcomes for shard in shards])
    return {
        "length": sum(shard.plies for shard in shards) / len(endings),
        "won by black": float((outcomes + 1.0).mean() / 2),
        "resigned": float((endings == RESIGNED).mean()),
        "cut by the limit": float((endings == CUT).mean()),
    }
