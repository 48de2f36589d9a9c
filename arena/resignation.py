"""Calibrate when to resign: what each threshold would have given away in games that were played to their end.

A player resigns when the value of its best move falls below a threshold (the paper: -0.8). In games that nobody
resigned (`arena.match first='alpha_rvp resign=-1' second='alpha_rp resign=-1'`), the SGF files tell what the player
thought of each of its moves and who won in the end. So each threshold has a share of games that would have been
resigned, a share of these that the player won after all (Zero's paper allows 5%), and a number of moves that would have
been saved.

The value of the played move is compared with the threshold; the player itself looks at the best of all well-tried
moves, so it resigns a little later than is counted here.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.elo import sources_of
from arena.game_file import parse_game, read_evaluations
from data.sources import Reading, Trouble, files_of
from go.board import BLACK, WHITE
from go.match import RESIGNED
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.shares import share_text
from pipeline.tables import table

NAME = "arena.resignation"
THRESHOLDS = (-0.95, -0.9, -0.85, -0.8, -0.75, -0.7, -0.6, -0.5)
PAPER_MOST_WRONG = 0.05  # of the resigned games, in the paper of AlphaGo Zero


@dataclasses.dataclass
class Settings:
    sources: str = setting("", "SGF files, folders or archives of arena games, with commas between; empty: of run")
    run: str = setting("match", "run whose match and tournament to read, if there are no sources")
    who: str = setting("", "the player, by its name in the games")


class Seat(NamedTuple):
    """A player's side of a game that was played to its end: the values of its moves, and whether it won."""

    values: list[tuple[int, float]]  # number of the move, and value from -1 to 1
    moves: int  # of the whole game
    is_won: bool


class Row(NamedTuple):
    """What a threshold would have done."""

    threshold: float
    resigned: int
    wrong: int  # resigned, but won in the end
    saved: float  # moves of a game, on average over the resigned ones


def seats_of(settings: Settings) -> tuple[list[Seat], int]:
    """Return the player's games that were played to their end, and how many were resigned by somebody."""
    found, resigned = [], 0
    for data in _games(settings):
        played = parse_game(data)
        if played is None or settings.who not in played.slot[:2] or played.failed:
            continue
        if played.how == RESIGNED:
            resigned += 1
            continue
        color = BLACK if played.slot.black == settings.who else WHITE
        values = [
            (evaluation.ply, 2 * evaluation.win_rate - 1)
            for evaluation in read_evaluations(data)
            if evaluation.color == color and evaluation.win_rate is not None
        ]
        found.append(Seat(values, played.moves, played.score_of(settings.who) == 1))
    return found, resigned


def _games(settings: Settings) -> Iterator[bytes]:
    for item in Reading(files_of(sources_of(settings.sources, settings.run))):
        if not isinstance(item, Trouble):
            yield item.data


def row_of(seats: Sequence[Seat], threshold: float) -> Row:
    """Return what a threshold would have done in some games."""
    ends = [next((ply for ply, value in seat.values if value < threshold), None) for seat in seats]
    resigned = [(seat, ply) for seat, ply in zip(seats, ends, strict=True) if ply is not None]
    saved = sum(seat.moves - ply for seat, ply in resigned) / max(len(resigned), 1)
    return Row(threshold, len(resigned), sum(seat.is_won for seat, _ in resigned), saved)


def main(settings: Settings) -> dict[str, float]:
    if not settings.who:
        raise UserError("Say whose resignations to calibrate, with who=PLAYER, by its name in the games.")
    seats, resigned = seats_of(settings)
    if not any(seat.values for seat in seats):
        raise UserError(
            f"There is no game that was played to its end in which {settings.who} says what it expects; play some with "
            "resign=-1."
        )
    rows = [row_of(seats, threshold) for threshold in THRESHOLDS]
    lost = sum(not seat.is_won for seat in seats)
    print(f"{len(seats)} games of {settings.who} that were played to their end, {lost} of them lost.", end="")
    print(f" Left out, because somebody resigned: {resigned}.\n" if resigned else "\n")
    cells = [
        [
            f"{row.threshold:g}",
            f"{row.resigned}",
            f"{row.wrong}",
            share_text(row.wrong, row.resigned) if row.resigned else "-",
            f"{row.saved:.1f}" if row.resigned else "-",
        ]
        for row in rows
    ]
    print(table(["resign below", "games resigned", "of these won", "wrong [95%]", "moves saved a game"], cells))
    print(f"\nThe paper resigns below -0.8; that of Zero allows {100 * PAPER_MOST_WRONG:.0f}% wrong resignations.")
    return {f"wrong below {row.threshold:g}": float(row.wrong) for row in rows}


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
