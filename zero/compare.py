"""Elo against seconds of compute: the AlphaGo lineage, which is given games, and Zero, which begins with nothing.

Every version of the network that `zero.train` evaluated is a point of one curve, at the seconds of learning until then.
The players of a lineage run are points of the other, at the seconds of all stages that they need. All play against
`random`, `rollout` (as shipped) and GNU Go. Ratings are fitted to all games together; `random` has 0. Whoever searches
has the same number of simulations a move and one thread.

Seconds are those that the stages have noted. `data.prepare` and `rollout.train` note none; say with `before` how long
they took.
"""

import dataclasses
import functools
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from apv_mcts.assemble import new_search
from apv_mcts.player import SearchPlayer, search_player
from apv_mcts.settings import SearchSettings
from data.engine_game import GNU_GO
from go.board import BLACK, WHITE
from go.match import play_game
from go.player import Decision, Player, RandomPlayer
from go.position import Position
from gtp.client import Engine
from gtp.engine_player import EnginePlayer
from nets.find import KINDS, find_weights
from nets.network import Network
from nets.weights import Weights
from pipeline.artefact import check_seal, read_json, read_manifest, sealed, stage_folder, stage_path, write_json
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.plots import ACCENT, COLORS, INK, figure
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting, threads_setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table
from rl_policy.player import rl_player
from rollout.model import Model
from rollout.player import RolloutPlayer, rollout_player
from sl_policy.player import policy_player
from zero.match import opening_moves
from zero.ratings import ratings

STAGE, PROGRESS = "zero.compare", "progress.json"
ANCHORS = ("random", "rollout as shipped", "gnugo")
TOGETHER = 8  # games between two notes of the results
WITHOUT_ROLLOUTS = {"rollouts": "none", "priors": "uniform", "value": True, "lambda_mix": 0.0, "n_thr": 0, "beta": 1.0}
# players of the lineage, with the stages that they need; a search with rollouts also needs the patterns
LINEAGE = {
    "rollout": ("rollout.train",),
    "sl": ("sl_policy.train",),
    "alpha_rp": ("rollout.train", "sl_policy.train"),
    "rl": ("sl_policy.train", "rl_policy.train"),
    "alpha_vp": ("sl_policy.train", "rl_policy.train", "value_net.sample", "value_net.train"),
}


@dataclasses.dataclass
class Settings:
    run: str = setting("laptop", "run of zero.train; results go there", result=False)
    lineage: str = setting("laptop", "run of the lineage", result=False)
    before: float = setting(0.0, "seconds of data.prepare and rollout.train, which do not note theirs", least=0)
    games: int = setting(40, "games of each player against each opponent", least=2)
    simulations: int = setting(100, "simulations per move of all that search", least=1)
    engine: str = setting(GNU_GO, "command line of GNU Go; empty for none")
    threads: int = threads_setting("games played at the same time")
    seed: int = seed_setting()


class Point(NamedTuple):
    """A player on one of the two curves. `file` is the network of a version of Zero."""

    name: str
    curve: str  # "zero" or "lineage"
    seconds: float
    file: str = ""
    games: int = 0  # of self-play, of a version of Zero


class Varied:
    """A player whose first moves are sampled from its candidates, so that games differ."""

    def __init__(self, player: Player, moves: int, seed: int) -> None:
        self.player, self.moves, self.name = player, moves, player.name
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        decision = self.player.decide(position)
        chances = np.array([candidate.probability for candidate in decision.candidates])
        if len(position.history) >= self.moves or not chances.sum():
            return decision
        chosen = decision.candidates[int(self.rng.choice(len(chances), p=chances / chances.sum()))]
        return decision._replace(move=chosen.point)


def zero_points(run: str) -> list[Point]:
    """Return the versions of Zero that were evaluated in a run, each once, with the seconds until then."""
    folder = stage_path(run, KINDS["zero"].stage)
    if not (folder / "metrics.jsonl").is_file():
        raise UserError(f"The run {run} has no curve of Zero yet; {call(KINDS['zero'].stage, run)} makes it.")
    points: dict[int, Point] = {}
    for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        version, file = int(entry["version"]), folder / "networks" / f"{int(entry['version']):06}.safetensors"
        if version not in points and file.is_file():
            name = f"zero, {int(entry['games']):,} games"
            points[version] = Point(name, "zero", entry["seconds"], str(file), int(entry["games"]))
    return list(points.values())


def lineage_points(run: str, before: float) -> list[Point]:
    """Return the players of a lineage run whose stages are done, with the seconds of these stages."""
    done = {stage: read_manifest(stage_path(run, stage)) for stages in LINEAGE.values() for stage in stages}
    points = []
    for name, stages in LINEAGE.items():
        manifests = [done[stage] for stage in stages]
        if all(manifests):
            noted = sum(float(manifest["metrics"].get("seconds", 0.0)) for manifest in manifests)
            points.append(Point(name, "lineage", before + noted))
    return points


@functools.cache
def _rollout_policy(size: int) -> Model:
    return Model.load(find_weights("rollout", size))


@functools.lru_cache(2)
def _network(file: str) -> Network:
    return Network.load(Path(file))


def make_player(point: Point | str, settings: Settings, size: int, seed: int) -> Player:
    """Make a player of a curve, or an opponent by its name."""
    if point == "random":
        return RandomPlayer(seed)
    if point == "gnugo":
        return EnginePlayer(Engine(settings.engine, timeout=300), seed=seed)
    if isinstance(point, str):
        return RolloutPlayer(_rollout_policy(size), seed=seed)
    search = SearchSettings(threads=1, nodes=max(1_000, 4 * settings.simulations))
    direct = SearchSettings(**vars(search) | WITHOUT_ROLLOUTS)
    budget: dict[str, Any] = {"simulations": settings.simulations, "seconds": 0.0, "resign": -1.0}
    if point.curve == "zero":
        network = _network(point.file)
        own = SearchSettings(**vars(direct) | {"c_puct": 1.5})
        return SearchPlayer(point.name, (size,), lambda size: new_search(own, size, "", seed, network), **budget)
    if point.name in ("alpha_rp", "alpha_vp"):
        used = search if point.name == "alpha_rp" else direct
        return search_player(point.name, settings.lineage, seed, search=used, **budget)
    if point.name == "rollout":
        return rollout_player(point.name, settings.lineage, True, seed)
    maker = policy_player if point.name == "sl" else rl_player
    return maker(point.name, settings.lineage, True, seed, "auto")


def play_one(point: Point, opponent: str, settings: Settings, size: int, komi: float, number: int) -> float:
    """Play one game. Return 1, 0.5 or 0. GNU Go says which stones are dead; without it all count as alive."""
    seed = settings.seed * 1_000_003 + number
    other = make_player(opponent, settings, size, seed)
    mine = Varied(make_player(point, settings, size, seed), opening_moves(size), seed)
    color = BLACK if number % 2 == 0 else WHITE
    judges = [other] if isinstance(other, EnginePlayer) else []
    try:
        ending = play_game({color: mine, BLACK + WHITE - color: other}, Position(size, komi), judges=judges)
    finally:
        if isinstance(other, EnginePlayer):
            other.engine.close()
    if ending.error is not None:
        raise UserError(f"A game of {point.name} against {opponent} ended with an error: {ending.why}")
    letter = "B" if color == BLACK else "W"
    return 1.0 if ending.result.startswith(letter) else 0.5 if ending.result in ("0", "Void") else 0.0


def play_all(
    points: list[Point], anchors: list[str], settings: Settings, size: int, komi: float, folder: Path, key: dict
) -> dict[str, dict[str, list[float]]]:
    """Play the games that are not yet noted in the folder. Return the results by player and opponent."""
    path, results = folder / PROGRESS, {point.name: {name: [] for name in anchors} for point in points}
    saved = read_json(path)
    if isinstance(saved, dict) and saved.get("key") == key:
        check_seal(saved, path)
        results = saved["results"]
    threads = settings.threads or os.cpu_count() or 1
    done = sum(len(found) for of_player in results.values() for found in of_player.values())
    total = len(points) * len(anchors) * settings.games
    with Progress("games", total, done) as progress, ThreadPoolExecutor(threads) as pool:
        for point in points:
            for opponent in anchors:
                found = results[point.name][opponent]
                progress.note = f"{point.name} against {opponent}"
                while len(found) < settings.games:
                    numbers = range(len(found), min(len(found) + TOGETHER, settings.games))
                    found += pool.map(
                        lambda number, point=point, opponent=opponent: play_one(
                            point, opponent, settings, size, komi, number
                        ),
                        numbers,
                    )
                    progress.update(len(numbers))
                    write_json(path, sealed({"key": key, "results": results}))
    return results


def crossing(rows: list[dict[str, Any]]) -> float | None:
    """Return the seconds at which Zero first has a higher Elo than the best player of the lineage so far; or None."""
    for row in sorted((row for row in rows if row["curve"] == "zero"), key=lambda row: row["seconds"]):
        rivals = [other["Elo"] for other in rows if other["curve"] == "lineage" and other["seconds"] <= row["seconds"]]
        if rivals and row["Elo"] > max(rivals):
            return float(row["seconds"])
    return None


def draw(rows: list[dict[str, Any]], elo: dict[str, float], path: Path) -> None:
    """Draw both curves, with lines for the opponents."""
    with figure(path) as made:
        axes = made.subplots()
        for curve, color in (("zero", ACCENT), ("lineage", COLORS[1])):
            found = sorted((row for row in rows if row["curve"] == curve), key=lambda row: row["seconds"])
            seconds, ratings_ = [row["seconds"] for row in found], [row["Elo"] for row in found]
            style = "o-" if curve == "zero" else "s"
            axes.plot(seconds, ratings_, style, color=color, markersize=4, label=curve)
            for row in found if curve == "lineage" else ():
                axes.annotate(row["name"], (row["seconds"], row["Elo"]), (5, 3), textcoords="offset points")
        for name in ANCHORS:
            if name in elo:
                axes.axhline(elo[name], color=INK, linestyle=(0, (1, 2)), linewidth=1)
                axes.annotate(name, (1, elo[name]), (5, 0), xycoords=("axes fraction", "data"),
                              textcoords="offset points", fontsize=8.5, verticalalignment="center")  # fmt: skip
        axes.set(title="Elo against seconds of learning", xlabel="seconds", ylabel="Elo above random")
        axes.set_xlim(left=0)
        axes.legend(loc="lower right")


def run_stage(settings: Settings, points: list[Point], size: int, komi: float, folder: Path, key: dict) -> Outcome:
    """Play, rate and draw."""
    anchors = [name for name in ANCHORS if name != "gnugo" or settings.engine]
    results = play_all(points, anchors, settings, size, komi, folder, key)
    games = [
        (name, opponent, float(sum(found)), float(len(found)))
        for name, of_player in results.items()
        for opponent, found in of_player.items()
    ]
    elo = ratings([*anchors, *results], games, "random")
    rows = [
        point._asdict()
        | {"Elo": elo[point.name], "won": {name: float(np.mean(results[point.name][name])) for name in anchors}}
        for point in points
    ]
    draw(rows, elo, folder / "compare.svg")
    equals_gnugo = [row for row in rows if row["curve"] == "zero" and row["won"].get("gnugo", 0.0) >= 0.5]
    metrics = {
        "size": size,
        "rows": rows,
        "Elo of opponents": {name: elo[name] for name in anchors},
        "crossing": crossing(rows),
        "games until GNU Go": min((row["games"] for row in equals_gnugo), default=None),
    }
    where = metrics["crossing"]
    found = f"Zero passes the lineage after {where:.0f} s" if where is not None else "Zero does not pass the lineage"
    return Outcome(found, metrics)


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out all players by the seconds that they took."""
    anchors = list(metrics["Elo of opponents"])
    rows = [
        [row["name"], f"{row['seconds']:,.0f}", f"{row['Elo']:.0f}"]
        + [f"{100 * row['won'][name]:.1f}%" for name in anchors]
        for row in sorted(metrics["rows"], key=lambda row: row["seconds"])
    ]
    lines = [table(["player", "seconds", "Elo", *(f"against {name}" for name in anchors)], rows)]
    where, until = metrics["crossing"], metrics["games until GNU Go"]
    lines.append(
        "Zero does not pass the lineage." if where is None else f"Zero passes the lineage after {where:,.0f} s."
    )
    if "gnugo" in anchors:
        lines.append(
            "No version of Zero wins half of its games against GNU Go."
            if until is None
            else f"Zero wins half of its games against GNU Go after {until:,} games of self-play."
        )
    return "\n\n".join([lines[0], "\n".join(lines[1:])])


def main(settings: Settings) -> dict[str, Any]:
    if (
        settings.engine
        and shutil.which(settings.engine.split()[0], path=os.environ.get("PATH", "") + ":/usr/games") is None
    ):
        raise UserError(f"There is no program {settings.engine.split()[0]}; engine= plays without it.")
    points = zero_points(settings.run) + lineage_points(settings.lineage, settings.before)
    made = read_manifest(stage_path(settings.run, KINDS["zero"].stage))
    if made is None:
        raise UserError(f"The run {settings.run} of Zero is not at its end; {call(KINDS['zero'].stage, settings.run)}.")
    size, komi = made["metrics"]["size"], made["settings"]["play"]["komi"]
    folder = stage_folder(settings.run, STAGE)
    prints = [Weights.load(Path(point.file)).fingerprint() for point in points if point.file]
    facts = {"points": [list(point[:3]) for point in points], "networks": prints}
    manifest = done_once(
        folder,
        STAGE,
        settings,
        [],
        lambda key: run_stage(settings, points, size, komi, folder, key),
        facts,
        drafts=[folder / PROGRESS],
    )
    print(text_of(manifest["metrics"]))
    print(f"\nDrawn to {folder / 'compare.svg'}.")
    return {"passes the lineage after": manifest["metrics"]["crossing"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
