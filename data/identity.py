"""What makes two records the same game, and in which part of the data a game belongs.

Two records are the same game if one of the eight symmetries of the board, with or without swapping the colours, turns
the moves of one into those of the other; passes at the end do not count. All of them get the same key, so duplicates
are found, and so no image of a test game is ever in the training data.

The part depends on the opening alone, the first 30 moves in whatever order, in the same way: a game stays where it is
when others are added, and records of one game that were torn off after move 30, or games that follow one long
known line, are not spread over the parts. `data.overlap` counts what positions the parts still share.
"""

import hashlib

import numpy as np

from data.record import Record
from data.replay import COLOR_SHIFT, POINT_MASK
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import SYMMETRIES, symmetry_table

OPENING = 30  # moves; on 9x9, where a game has about 60, one corpus had 43 games with the same first 40
TRAIN, VALIDATION, TEST = range(3)
SPLITS = {"train": TRAIN, "validation": VALIDATION, "test": TEST}


def image_of(record: Record, symmetry: int, swap_colors: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the moves and the set-up of a game under a symmetry, with the colours swapped or not."""
    table = symmetry_table(record.size)[symmetry]
    colors, stones = record.moves >> COLOR_SHIFT, record.setup[:, 1]
    if swap_colors:
        colors = BLACK + WHITE - colors
        stones = np.where(stones == EMPTY, EMPTY, BLACK + WHITE - stones)
    setup = np.stack([record.setup[:, 0], stones, table[record.setup[:, 2]]], axis=1)
    return (colors << COLOR_SHIFT | table[record.moves & POINT_MASK]).astype(np.int16), setup.astype(np.int16)


def game_keys(record: Record) -> tuple[int, int]:
    """Return 64 bits that name the game and 64 that name its opening, the same for all images and in every run."""
    last = int(np.flatnonzero(record.moves & POINT_MASK).max(initial=-1))
    white_begins = len(record.moves) > 0 and record.moves[0] >> COLOR_SHIFT == WHITE
    games, openings = [], []
    for symmetry in range(SYMMETRIES):
        moves, setup = image_of(record, symmetry, swap_colors=white_begins)
        setup = setup[np.lexsort((setup[:, 2], setup[:, 0]))]
        games.append(_as_bytes(moves[: last + 1], setup))
        openings.append(_as_bytes(np.sort(moves[: min(last + 1, OPENING)]), setup[setup[:, 0] < OPENING]))
    return _digest(min(games), record.size), _digest(min(openings), record.size)


def _as_bytes(moves: np.ndarray, setup: np.ndarray) -> bytes:
    return setup.astype(">i2").tobytes() + b"|" + moves.astype(">i2").tobytes()


def _digest(image: bytes, size: int) -> int:
    return int.from_bytes(hashlib.blake2b(image, digest_size=8, person=b"size %d" % size).digest(), "big")


def split_of(openings: np.ndarray, validation: float, test: float) -> np.ndarray:
    """Return TRAIN, VALIDATION or TEST for each opening key, in these shares."""
    share = openings.astype(np.float64) / 2.0**64
    return np.where(share < test, TEST, np.where(share < test + validation, VALIDATION, TRAIN)).astype(np.uint8)
