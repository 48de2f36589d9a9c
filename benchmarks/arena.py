"""What the arena itself costs: time of a series of games that is not spent on the players' decisions.

Overhead is the time of the process that plays, minus the time that players took for their decisions, as a share of the
latter. It contains the set-up of the players for each game, the rules, the judgement of dead stones and the SGF files.
Each round plays 4 games of `alpha_rp` and `uct` on 9x9 in one process, with one thread per player, after a game to load
everything. What a worker process takes to start and to load is a row of its own: it is the same for a series of any
length. The bars are for budgets that strong play needs; the smallest budget shows what a game costs in any case.
"""

import statistics
import tempfile
import time
from pathlib import Path

from arena.game import GameTerms
from arena.games_folder import GamesFolder
from arena.player_text import Budget, read_players
from arena.schedule import pairings, slots_of
from arena.series import end_players, play_missing
from benchmarks.measure import Bar
from pipeline.progress import Progress
from pipeline.tables import table

PLAYERS = ("alpha_rp", "uct")
OPENINGS = 2  # two games each
SMALLEST = "100 simulations"
BUDGETS = {
    SMALLEST: Budget(simulations=100),
    "1,000 simulations": Budget(simulations=1_000),
    "0.2 seconds": Budget(seconds=0.2),
}
ASKED = 0.05


def play_series(budget: Budget, openings: int, parallel: int = 1, move_limit: int = 0) -> tuple[float, float, int]:
    """Play a series. Return its seconds, those of the players' decisions, and how many these were."""
    players = {player.name: player for player in read_players(PLAYERS, budget)}
    with tempfile.TemporaryDirectory() as path:
        folder = GamesFolder(Path(path), GameTerms(move_limit=move_limit), players)
        folder.claim()
        began = time.monotonic()
        games = list(play_missing(folder, list(slots_of(pairings(list(players)), openings)), parallel))
        wall = time.monotonic() - began
    thoughts = [thought for game in games for thought in game.thoughts]
    return wall, sum(thought.seconds for thought in thoughts), sum(thought.decisions for thought in thoughts)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Measure the overhead for each budget. Return the table and the bars."""
    rows, bars = [], []
    with Progress("series", rounds * len(BUDGETS)) as progress:
        for name, budget in BUDGETS.items():
            play_series(budget, 1, move_limit=GameTerms().opening + 2)
            shares, thinking = [], []
            for _ in range(rounds):
                wall, seconds, decisions = play_series(budget, OPENINGS)
                shares.append((wall - seconds) / seconds)
                thinking.append(seconds / decisions)
                progress.update(1)
            share, each = statistics.median(shares), 1000 * statistics.median(thinking)
            rows.append([name, f"{each:.1f}", f"{100 * share:.1f}%", f"{share * each:.2f}"])
            if name != SMALLEST:
                bars.append(Bar(f"overhead at {name} a move", 100 * share, 100 * ASKED, at_most=True, unit="%"))
    end_players()
    start = statistics.median(
        play_series(BUDGETS[SMALLEST], 1, 2, move_limit=GameTerms().opening + 1)[0] for _ in range(rounds)
    )
    header = ["budget of a move", "ms of thinking a move", "overhead", "ms of overhead a move"]
    return f"{table(header, rows)}\n\nTo start and load two worker processes: {start:.1f} s.", bars
