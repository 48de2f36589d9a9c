"""Have players solve 40 drawn problems with given numbers of simulations, and report the share that each solves.

A new player is made for each problem, with one thread and the same seed, so the table is repeatable. The result is the
move that each player chose.
"""

import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arena.players import new_player, preset, searches
from arena.problem_set import FILE, KINDS, Problem, problems
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.draw import board_width
from go.panels import Panel, sheet_svg
from pipeline.artefact import WEIGHTS, check_seal, read_json, sealed, stage_folder, write_atomic, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import result_settings, seed_setting, setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE = "arena.problems"
PROGRESS = "progress.json"
PLAYERS = "flat,uct,uct_patterns,alpha_p,alpha_r,alpha_rp"


@dataclasses.dataclass
class Settings:
    players: str = setting(PLAYERS, "players to test, by name (conf/player), separated by commas")
    svg: str = setting("", "file to draw all problems to, with their answers", result=False)
    run: str = setting("problems", "name of the run: results go to runs/<run>/arena.problems/", result=False)
    seed: int = seed_setting()
    simulations: str = setting("1000,10000", "simulations per problem: one or more numbers, separated by commas")


def trials(settings: Settings) -> list[tuple[str, int]]:
    """Return pairs of player and simulations. A player without a search has one, with 0 simulations."""
    found = []
    for name in settings.players.split(","):
        new_player(preset(name))  # raises an error for a player that cannot play
        found += [(name, count) for count in (_counts(settings) if searches(preset(name)) else [0])]
    return found


def _counts(settings: Settings) -> list[int]:
    try:
        counts = [int(count) for count in settings.simulations.split(",")]
    except ValueError:
        counts = []
    if not counts or min(counts) < 1:
        raise UserError(f"simulations={settings.simulations} must be numbers of at least 1, separated by commas.")
    return counts


def label(name: str, simulations: int) -> str:
    return f"{name}, {simulations:,}" if simulations else name


def answers(name: str, simulations: int, seed: int, todo: list[Problem]) -> Iterator[str]:
    """Yield the moves that a player chooses in some problems."""
    settings = preset(name)
    settings.seed, settings.simulations, settings.seconds, settings.resign = seed, simulations, 0.0, -1.0
    settings.search.threads = 1
    for problem in todo:
        move = new_player(settings).decide(problem.position).move
        yield gtp_from_point(move, problem.position.size)


def solve_all(settings: Settings, folder: Path, key: dict[str, Any]) -> dict[str, list[str]]:
    """Return the moves for all problems by trial. Continue from those saved in the folder."""
    path, todo = folder / PROGRESS, problems()
    saved = read_json(path)
    found: dict[str, list[str]] = {}
    if isinstance(saved, dict) and saved.get("key") == key:
        check_seal(saved, path)
        found = saved["answers"]
    wanted = trials(settings)
    total = len(wanted) * len(todo)
    with Progress("problems", total, sum(map(len, found.values()))) as progress:
        for name, simulations in wanted:
            given = found.setdefault(label(name, simulations), [])
            progress.note = label(name, simulations)
            for answer in answers(name, simulations, settings.seed, todo[len(given) :]):
                given.append(answer)
                write_json(path, sealed({"key": key, "answers": found}))
                progress.update(1)
    return found


def is_right(problem: Problem, answer: str) -> bool:
    return problem.position.point(answer) in problem.right


def report(found: dict[str, list[str]]) -> str:
    """Return Markdown tables: the share solved of each kind, and who missed which problem."""
    all_problems = problems()
    rows = []
    for who, given in found.items():
        solved = [is_right(problem, answer) for problem, answer in zip(all_problems, given, strict=True)]
        kinds = [
            sum(right for problem, right in zip(all_problems, solved, strict=True) if problem.kind == kind)
            for kind in KINDS
        ]
        rows.append([who, f"{sum(solved)} of {len(solved)} ({sum(solved) / len(solved):.0%})", *map(str, kinds)])
    missed = []
    for number, problem in enumerate(all_problems):
        wrong = [f"{who}: {given[number]}" for who, given in found.items() if not is_right(problem, given[number])]
        right = " ".join(sorted(gtp_from_point(point, problem.position.size) for point in problem.right))
        missed.append([problem.name, right, "; ".join(wrong) or "-"])
    counts = [sum(problem.kind == kind for problem in all_problems) for kind in KINDS]
    titles = [f"{kind.replace('_', ' ')} ({count})" for kind, count in zip(KINDS, counts, strict=True)]
    summary = table(["player, simulations", "solved", *titles], rows)
    return f"{summary}\n\n{table(['problem', 'right', 'missed by'], missed)}"


def thresholds(settings: Settings) -> str:
    """Say with which n_thr each player searched."""
    found = {name: preset(name) for name in settings.players.split(",")}
    used = [f"{name} {player.search.n_thr:,}" for name, player in found.items() if searches(player)]
    return f"n_thr, which stays as set on one thread: {', '.join(used) or 'nobody searches'}."


def draw_problems() -> str:
    """Draw all problems on one sheet, one row per kind, with rings on the right moves."""
    panels = []
    for problem in problems():
        position, marks = problem.position, dict.fromkeys(problem.right, "ring")
        caption = f"{COLOR_NAMES[position.to_move]} to move, komi {position.komi:g}"
        panels.append(Panel(problem.name.replace("_", " "), position.to_svg(marks=marks), (caption,)))
    title = f"{len(panels)} problems: only the moves with a ring win the game"
    return sheet_svg(title, [], panels, board_width(position.size), columns=len(panels) // len(KINDS))


def main(settings: Settings) -> dict[str, str]:
    trials(settings)
    folder = stage_folder(settings.run, STAGE)
    facts = {"files": _files(), "presets": _presets(settings)}

    def work(key: dict[str, Any]) -> Outcome:
        found = solve_all(settings, folder, key)
        best = max(found, key=lambda who: _solved(found[who]))
        return Outcome(f"{best} simulations: {_solved(found[best])} of {len(problems())} problems", {"answers": found})

    manifest = done_once(folder, STAGE, settings, [], work, facts, drafts=[folder / PROGRESS])
    print(report(manifest["metrics"]["answers"]))
    print(f"\n{thresholds(settings)}")
    if settings.svg:
        write_atomic(Path(settings.svg), draw_problems())
        print(f"\nDrawn to {settings.svg}.")
    return {who: str(_solved(given)) for who, given in manifest["metrics"]["answers"].items()}


def _solved(given: list[str]) -> int:
    return sum(is_right(problem, answer) for problem, answer in zip(problems(), given, strict=True))


def _files() -> str:
    """Return a fingerprint of the problems, and of all policies and networks that come with Prezero."""
    digest = hashlib.sha256()
    for path in (FILE, *sorted(WEIGHTS.glob("*.safetensors"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _presets(settings: Settings) -> list[dict[str, Any]]:
    return [result_settings(preset(name)) for name in settings.players.split(",")]


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
