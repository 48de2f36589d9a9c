"""The identity of a game, for finding duplicates, and its split: training, validation or test.

Two records are the same game if one of the eight symmetries of the board, with or without swapped colours, maps the
moves of one to those of the other. Passes at the end are ignored. All images of a game get the same key, so duplicates
are found, and no image of a test game is in the training data.

The split depends only on the key of the opening: the first 30 moves in any order, with the same symmetries. So a game
keeps its split when other games are added. Records of one game that are truncated after move 30, and games that follow
the same long known sequence, are in the same split. `data.overlap` counts the positions that splits still share.
"""

import hashlib

import numpy as np

from data.record import Record
from data.replay import COLOR_SHIFT, POINT_MASK
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import SYMMETRIES, symmetry_table

OPENING = 30  # moves; one corpus of 9x9 games (about 60 moves each) had 43 games with the same first 40
TRAIN, VALIDATION, TEST = range(3)
SPLITS = {"train": TRAIN, "validation": VALIDATION, "test": TEST}


def image_of(record: Record, symmetry: int, swap_colors: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the moves and the set-up of a game under a symmetry, optionally with swapped colours."""
    table = symmetry_table(record.size)[symmetry]
    colors, stones = record.moves >> COLOR_SHIFT, record.setup[:, 1]
    if swap_colors:
        colors = BLACK + WHITE - colors
        stones = np.where(stones == EMPTY, EMPTY, BLACK + WHITE - stones)
    setup = np.stack([record.setup[:, 0], stones, table[record.setup[:, 2]]], axis=1)
    return (colors << COLOR_SHIFT | table[record.moves & POINT_MASK]).astype(np.int16), setup.astype(np.int16)


def game_keys(record: Record) -> tuple[int, int]:
    """Return 64-bit keys of the game and of its opening. They are equal for all images and in every run."""
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
    """Return TRAIN, VALIDATION or TEST for each opening key. `validation` and `test` are shares of the games."""
    share = openings.astype(np.float64) / 2.0**64
    return np.where(share < test, TEST, np.where(share < test + validation, VALIDATION, TRAIN)).astype(np.uint8)
