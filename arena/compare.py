"""Elo against seconds of compute: the AlphaGo lineage, which is given games, and Zero, which begins with nothing.

Versions of the network that `zero.train` evaluated are the points of one curve, at the seconds of learning until then.
The players of a lineage run are the points of the other, at the seconds of all stages that they need. All of them and
GNU Go meet in one tournament (`arena.tournament`). Whoever searches has the settings of its preset, one thread, and the
same number of simulations a move.
"""

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.ladder import is_installed
from arena.player_text import read_players, split_players
from arena.players import ENGINE, PlayerSettings
from arena.terms import MOST_GAMES
from arena.tournament import Settings as TournamentSettings
from arena.tournament import asked, check_entrants, run_tournament
from go.errors import GoError
from nets.find import KINDS
from pipeline.artefact import read_manifest, stage_folder, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.lineage import read_times
from pipeline.plots import ACCENT, COLORS, INK, figure
from pipeline.settings import setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE, GNU_GO = "zero.compare", "gnugo"
NETWORKS = ("data.prepare", "rollout.train", "sl_policy.train")
LINEAGE = {  # players, with the stages that they need
    "rollout": NETWORKS[:2],
    "sl": ("data.prepare", "sl_policy.train"),
    "alpha_r": NETWORKS[:2],
    "alpha_rp": NETWORKS,
    "rl": ("data.prepare", "sl_policy.train", "rl_policy.train"),
    "alpha_rvp": (*NETWORKS, "rl_policy.train", "value_net.sample", "value_net.train"),
}


@dataclasses.dataclass
class Settings(TournamentSettings):
    run: str = setting("laptop", "run of zero.train; results go there", result=False)
    lineage: str = setting("laptop", "run of the lineage", result=False)
    versions: int = setting(8, "versions of Zero that take part, evenly spread", least=1, result=False)
    players: str = setting("", "further players with their settings, with commas between", result=False)
    games: int = setting(10, "games of each pair, with those already there", least=2, most=MOST_GAMES, result=False)
    simulations: int = setting(100, "simulations per move of all that search", least=1, result=False)


class Point(NamedTuple):
    """A player on one of the two curves."""

    name: str
    curve: str  # "zero" or "lineage"
    seconds: float
    text: str  # of the player
    games: int = 0  # of self-play, of a version of Zero


def zero_points(run: str, most: int, before: dict[str, float]) -> list[Point]:
    """Return at most `most` versions of Zero that were evaluated in a run, with the seconds of learning until then.

    `before` has the games and the seconds of the network that learning started from.
    """
    folder = stage_path(run, KINDS["zero"].stage)
    points: dict[int, Point] = {}
    entries = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    if before["games"]:  # version 0 is the network that learning started from
        entries.insert(0, {"version": 0, "games": 0, "seconds": 0.0})
    for entry in entries:
        version, games = int(entry["version"]), int(before["games"] + entry["games"])
        file = folder / "networks" / f"{version:06}.safetensors"
        if version not in points and file.is_file():
            name = f"zero after {games:,} games"
            text = f"zero value_from={shlex.quote(str(file))} name={shlex.quote(name)}"
            points[version] = Point(name, "zero", before["seconds"] + entry["seconds"], text, games)
    chosen = np.unique(np.linspace(len(points) - 1, 0, min(most, len(points))).round().astype(int))
    return [list(points.values())[place] for place in chosen.tolist()]


def lineage_points(run: str) -> list[Point]:
    """Return the players of a lineage run whose stages are done, with the seconds of these stages."""
    seconds = read_times(run)
    return [
        Point(name, "lineage", sum(seconds[stage] for stage in stages), f"{name} run={shlex.quote(run)} name={name}")
        for name, stages in LINEAGE.items()
        if all(stage in seconds for stage in stages)
    ]


def crossing(rows: list[dict[str, Any]]) -> float | None:
    """Return the seconds at which Zero first has a higher Elo than the best player of the lineage so far; or None."""
    for row in sorted((row for row in rows if row["curve"] == "zero"), key=lambda row: row["seconds"]):
        rivals = [other["Elo"] for other in rows if other["curve"] == "lineage" and other["seconds"] <= row["seconds"]]
        if rivals and row["Elo"] > max(rivals):
            return float(row["seconds"])
    return None


def draw(rows: list[dict[str, Any]], others: dict[str, float], path: Path) -> None:
    """Draw both curves with 95% intervals, and lines for the other players."""
    with figure(path) as made:
        axes = made.subplots()
        for curve, color in (("zero", ACCENT), ("lineage", COLORS[1])):
            found = sorted((row for row in rows if row["curve"] == curve), key=lambda row: row["seconds"])
            minutes = [row["seconds"] / 60 for row in found]
            below, above = ([abs(row[end] - row["Elo"]) for row in found] for end in ("low", "high"))
            style = "o-" if curve == "zero" else "s"
            elo = [row["Elo"] for row in found]
            axes.errorbar(minutes, elo, [below, above], fmt=style, color=color, markersize=4, label=curve)
            for row in found if curve == "lineage" else ():
                axes.annotate(row["name"], (row["seconds"] / 60, row["Elo"]), (5, 3), textcoords="offset points")
        for name, level in others.items():
            axes.axhline(level, color=INK, linestyle=(0, (1, 2)), linewidth=1)
            axes.annotate(name, (1, level), (5, 0), xycoords=("axes fraction", "data"),
                          textcoords="offset points", fontsize=8.5, verticalalignment="center")  # fmt: skip
        axes.set(title="Elo against the time of learning", xlabel="minutes", ylabel="Elo")
        axes.set_xlim(left=0)
        axes.legend(loc="lower right")


def run_stage(settings: Settings, points: list[Point], players: list[PlayerSettings], folder: Path) -> Outcome:
    """Play, rate and draw."""
    found = run_tournament(settings, players, folder)
    rated = {row["player"]: row for row in found["ratings"]}
    rows = [
        {name: value for name, value in point._asdict().items() if name != "text"}
        | {"Elo": rated[point.name]["elo"], "low": rated[point.name]["low"], "high": rated[point.name]["high"]}
        for point in points
    ]
    others = {name: row["elo"] for name, row in rated.items() if name not in {point.name for point in points}}
    draw(rows, others, folder / "compare.svg")
    level = others.get(GNU_GO, np.inf)
    metrics = {
        "rows": rows,
        "others": others,
        "crossing": crossing(rows),
        "games until GNU Go": min(
            (row["games"] for row in rows if row["curve"] == "zero" and row["Elo"] >= level), default=None
        ),
    }
    where = metrics["crossing"]
    text = "Zero does not pass the lineage" if where is None else f"Zero passes the lineage after {where:.0f} s"
    return Outcome(text, found | metrics)


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out all players by the seconds that they took."""
    rows = [
        [row["name"], f"{row['seconds']:,.0f}", f"{row['Elo']:.0f}", f"[{row['low']:.0f}; {row['high']:.0f}]"]
        for row in sorted(metrics["rows"], key=lambda row: row["seconds"])
    ]
    rows += [[name, "", f"{elo:.0f}", ""] for name, elo in metrics["others"].items()]
    lines = [table(["player", "seconds", "Elo", "95%"], rows), ""]
    where, until = metrics["crossing"], metrics["games until GNU Go"]
    first = min((row for row in metrics["rows"] if row["curve"] == "zero"), key=lambda row: row["seconds"])

    def earlier(found: float, name: str) -> str:
        return ", or earlier" if found == first[name] else ""  # nobody knows what was before the first version

    lines.append(
        "Zero does not pass the lineage."
        if where is None
        else f"Zero passes the lineage after {where:,.0f} s{earlier(where, 'seconds')}."
    )
    if GNU_GO in metrics["others"]:
        lines.append(
            "No version of Zero is as strong as GNU Go."
            if until is None
            else f"Zero is as strong as GNU Go after {until:,} games of self-play{earlier(until, 'games')}."
        )
    return "\n".join(lines)


def check_board(settings: Settings, made: dict[str, Any]) -> None:
    """Raise `UserError` if the run of Zero has learnt on another board."""
    size, komi = made["metrics"]["size"], made["settings"]["play"]["komi"]
    if (settings.board.size, settings.board.komi) != (size, komi):
        raise UserError(
            f"The run {settings.run} has learnt on {size}x{size} with komi {komi:g}: "
            f"board.size={size} board.komi={komi:g} compares there."
        )


def main(settings: Settings) -> dict[str, Any]:
    made = read_manifest(stage_path(settings.run, KINDS["zero"].stage))
    if made is None:
        learn = call(KINDS["zero"].stage, settings.run)
        raise UserError(f"The run {settings.run} has no network of Zero, or one that still learns; {learn} makes it.")
    check_board(settings, made)
    points = zero_points(settings.run, settings.versions, made["metrics"]["before"])
    points += lineage_points(settings.lineage)
    texts = [*(point.text for point in points), *split_players(settings.players), GNU_GO]
    entered = read_players(texts, settings.budget())
    players = [player for player in entered if player.kind != ENGINE or is_installed(player)]
    check_entrants(settings, players)
    folder = stage_folder(settings.run, STAGE)
    manifest = done_once(
        folder,
        STAGE,
        settings,
        [],
        lambda key: run_stage(settings, points, players, folder),
        is_enough=lambda done: done["metrics"]["asked"] == asked(settings, players),
    )
    print(text_of(manifest["metrics"]))
    print(f"\nDrawn to {folder / 'compare.svg'}; games and tables: {folder}")
    return {"passes the lineage after": manifest["metrics"]["crossing"]}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
