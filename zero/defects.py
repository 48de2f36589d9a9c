"""What four defects of a tutorial cost, each beside the correct version (`docs/zero.md`).

1. The value of a leaf, which is that of its side to move, is added to the move that led there: the sign is inverted.
2. The value of a finished game is that of the side to move at the root, and goes through the same change of signs.
3. An empty point counts for a colour if its direct neighbours are of that colour only; regions are not followed.
4. After the capture of a single stone, its point is forbidden, even if the capturing stone is not alone.

The first two are flaws of the search: it plays a match against the correct one, with the same network. The other two
are flaws of the rules: they are counted in the games of self-play of a run.
"""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from go.board import BLACK, BOARD, EMPTY, LEGAL, ORTHOGONAL, WHITE, clear, legality, play
from go.jit import kernel
from go.score import area_margin
from nets.actions import points_of
from nets.find import KINDS, find_weights
from nets.network import Network
from nets.weights import Weights
from pipeline.artefact import read_manifest, stage_folder, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting, threads_setting
from pipeline.shares import share_text
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from zero.games import PASSED
from zero.match import match_terms
from zero.rules import INVERTED_SIGN, NO_DEFECT, TERMINAL_OF_ROOT, Rule
from zero.self_play import Lockstep
from zero.settings import PlaySettings
from zero.window import Window, whole_window

STAGE = "zero.defects"
SEARCH_DEFECTS = {"inverted sign": INVERTED_SIGN, "finished games seen from the root": TERMINAL_OF_ROOT}
PLACES = 32


@dataclasses.dataclass
class Settings:
    run: str = setting("laptop", "run whose network and games are used (zero.train)", result=False)
    games: int = setting(100, "games of each match", least=2)
    simulations: int = setting(100, "simulations per move (the tutorial: 100)", least=1)
    c_puct: float = setting(1.5, "exploration constant (the tutorial: 1.5)", least=0, most=1_000)
    threads: int = threads_setting("matches played at the same time")
    seed: int = seed_setting()


class RuleFlaws(NamedTuple):
    """How often wrong rules would have made a difference in some games."""

    games: int
    counted: int  # games that ended by two passes
    other_margin: int  # of those: another score by direct neighbours
    other_winner: int
    games_with_wrong_ko: int  # a legal move would have been forbidden
    wrong_kos: int


@kernel
def neighbour_margin(b, points):
    """Return black's area minus white's, where an empty point counts by its direct neighbours only (the defect)."""
    margin = 0
    for i in range(len(points)):
        p = np.uint64(points[i])
        reached = b.color[p]
        if reached == EMPTY:
            for step in ORTHOGONAL:
                if b.color[p + step] <= WHITE:
                    reached |= b.color[p + step]
        margin += (reached == BLACK) - np.int64(reached == WHITE)
    return margin


@kernel
def count_flaws(moves, starts, endings, size, points, komi, found):
    """Go through games; add to `found` what `RuleFlaws` counts, from `counted` on."""
    boards = np.zeros(1, BOARD)
    b = boards[0]
    for g in range(len(starts) - 1):
        clear(b, size, size)
        wrong = 0
        for k in range(starts[g], starts[g + 1]):
            before = b.n_empty
            play(b, np.int64(moves[k]))
            if moves[k] != 0 and b.n_taken == 1 and b.ko == 0:
                taken = np.int64(b.empties[b.n_empty - 1])  # the captured stone's point was listed last
                wrong += (before == b.n_empty) and legality(b, taken, np.int64(b.to_move)) == LEGAL
        found[3] += wrong > 0
        found[4] += wrong
        if endings[g] == PASSED:
            found[0] += 1
            right, flawed = area_margin(b), neighbour_margin(b, points)
            found[1] += right != flawed
            found[2] += (right > komi) != (flawed > komi)


def rule_flaws(window: Window, komi: float, size: int) -> RuleFlaws:
    """Count what the wrong rules would have changed in the games of a window."""
    found = np.zeros(5, np.int64)
    for _, shard in window.shards:
        count_flaws(shard.moves, shard.starts, shard.endings, size, points_of(size), komi, found)
    return RuleFlaws(window.games, *(int(number) for number in found))


def play_defective(
    weights: Weights, defect: int, settings: Settings, komi: float, limit: int, progress: Progress
) -> float:
    """Let a search with a defect play against the correct one, with the same network; return the games that it won."""
    size = weights.description.size
    network = Network(weights)
    rule = Rule(simulations=settings.simulations, c_puct=settings.c_puct)
    games = Lockstep(size, rule, match_terms(komi, limit, size), min(PLACES, settings.games))
    won = 0.0
    for record in games.play(
        range(settings.games),
        (settings.seed, defect),
        lambda number: (network, network),
        defects_of=lambda number: (defect, NO_DEFECT) if number % 2 == 0 else (NO_DEFECT, defect),
    ):
        won += ((record.outcome if record.number % 2 == 0 else -record.outcome) + 1) / 2
        progress.update(1)
    return won


def run_stage(settings: Settings, weights: Weights, made: dict[str, Any]) -> Outcome:
    """Play the matches and count the flaws."""
    key, size = made["settings"], weights.description.size
    play = PlaySettings(**key["play"])
    window = whole_window(settings.run, key)
    threads = settings.threads or os.cpu_count() or 1
    with Progress("games", settings.games * len(SEARCH_DEFECTS)) as progress, ThreadPoolExecutor(threads) as pool:
        found = pool.map(
            lambda defect: play_defective(weights, defect, settings, play.komi, play.limit(size), progress),
            SEARCH_DEFECTS.values(),
        )
        won = dict(zip(SEARCH_DEFECTS, found, strict=True))
    flaws = rule_flaws(window, play.komi, size)
    metrics = {"size": size, "games": settings.games, "won": won, "rules": flaws._asdict()}
    texts = ", ".join(f"{name} {100 * share / settings.games:.0f}%" for name, share in won.items())
    return Outcome(f"won against the correct search: {texts}", metrics)


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out what each defect costs."""
    games, rules = metrics["games"], RuleFlaws(**metrics["rules"])
    counted = max(rules.counted, 1)
    rows = [
        [f"search: {name}", f"wins {share_text(won, games)} against the correct search"]
        for name, won in metrics["won"].items()
    ]
    rows += [
        [
            "area by direct neighbours",
            f"another score in {100 * rules.other_margin / counted:.1f}% of {rules.counted:,} games that were counted, "
            f"another winner in {100 * rules.other_winner / counted:.1f}%",
        ],
        [
            "ko whenever one stone was captured",
            f"a legal move forbidden in {100 * rules.games_with_wrong_ko / max(rules.games, 1):.1f}% of "
            f"{rules.games:,} games, {rules.wrong_kos:,} times in all",
        ],
    ]
    return f"Four defects on {metrics['size']}x{metrics['size']}.\n\n{table(['defect', 'what it costs'], rows)}"


def main(settings: Settings) -> dict[str, float]:
    stage = KINDS["zero"].stage
    made = read_manifest(stage_path(settings.run, stage))
    if made is None:
        raise UserError(f"The run {settings.run} has no network yet; {call(stage, settings.run)} makes it.")
    weights = Weights.load(find_weights("zero", 0, "run", settings.run))
    folder = stage_folder(settings.run, STAGE)
    inputs = [Input(stage, settings.run, weights.fingerprint())]
    manifest = done_once(folder, STAGE, settings, inputs, lambda key: run_stage(settings, weights, made))
    print(text_of(manifest["metrics"]))
    metrics = manifest["metrics"]
    return {name: won / metrics["games"] for name, won in metrics["won"].items()}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
