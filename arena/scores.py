"""Games counted: what each player won against each other, with which colour, in what time, and how often it failed."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from arena.game import Played, Thought
from arena.ratings import Result
from pipeline.shares import interval95
from pipeline.tables import table


class Tally(NamedTuple):
    """Games and points of a player."""

    games: int = 0
    points: float = 0.0

    def plus(self, score: float) -> "Tally":
        return Tally(self.games + 1, self.points + score)

    @property
    def share(self) -> float:
        return self.points / self.games if self.games else math.nan


def percent(tally: Tally) -> str:
    """Return a share of points as the paper writes it: 95 [93;96]."""
    if not tally.games:
        return "-"
    low, high = interval95(tally.points, tally.games)
    return f"{100 * tally.share:.0f} [{100 * low:.0f};{100 * high:.0f}]"


def results_of(games: Iterable[Played]) -> list[Result]:
    """Return games as the ratings take them. The two games of an opening are one unit."""
    return [
        Result(game.slot.black, game.slot.white, game.score, f"{'/'.join(sorted(game.slot[:2]))}/{game.slot.opening}")
        for game in games
    ]


def tally(games: Iterable[Played], name: str, opponent: str = "", color: str = "") -> Tally:
    """Count the games of a player: all, or those against one opponent, or with one colour."""
    found = Tally()
    for game in games:
        black, white, _ = game.slot
        if name not in (black, white) or (opponent and opponent not in (black, white)):
            continue
        if not color or (color == "black") == (name == black):
            found = found.plus(game.score_of(name))
    return found


def thought(games: Iterable[Played], name: str) -> Thought:
    """Add up what a player spent on its games."""
    total = Thought()
    for game in games:
        if name in game.slot[:2]:
            total = total.with_game(game.thought_of(name))
    return total


def cross_table(names: Sequence[str], results: Iterable[Result]) -> str:
    """Return the table of everyone against everyone, as in Extended Data Table 9.

    A cell is the percentage that the player of the column won against the player of the row.
    """
    cells: dict[tuple[str, str], Tally] = {}
    for result in results:
        for name, other, score in (
            (result.black, result.white, result.score),
            (result.white, result.black, 1 - result.score),
        ):
            cells[other, name] = cells.get((other, name), Tally()).plus(score)
    rows = [[row, *(percent(cells.get((row, column), Tally())) for column in names)] for row in names]
    return table(["% won by column", *names], rows, numbers=False)


def failures(games: Iterable[Played]) -> list[dict[str, Any]]:
    """Return how often each player crashed, hung or played an illegal move, with an example."""
    found = [game for game in games if game.failed]
    counts = Counter((game.failed, game.how) for game in found)
    examples = {(game.failed, game.how): game.why for game in reversed(found)}
    return [
        {"player": name, "fault": how, "games": number, "example": examples[name, how]}
        for (name, how), number in counts.most_common()
    ]


def failures_table(found: list[dict[str, Any]]) -> str:
    """Return the players that failed as a table; a sentence if none did."""
    if not found:
        return "No player crashed, hung or played an illegal move."
    rows = [[f["player"], f["fault"], str(f["games"]), f["example"]] for f in found]
    return table(["failed", "by", "games lost so", "for example"], rows)
