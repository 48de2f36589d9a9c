"""What makes two records the same game, and in which part of the data a game belongs.

Two records are the same game if one of the eight symmetries of the board, with or without swapping the colours, turns
the moves of one into those of the other; passes at the end do not count. All of them get the same key, so duplicates
are found, and so no image of a test game is ever in the training data. The part depends on the key alone: a game stays
where it is when others are added.
"""

import hashlib

import numpy as np

from data.record import Record
from data.replay import COLOR_SHIFT, POINT_MASK
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import SYMMETRIES, symmetry_table

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


def game_key(record: Record) -> int:
    """Return 64 bits that name the game, the same for all its images and in every run."""
    last = int(np.flatnonzero(record.moves & POINT_MASK).max(initial=-1))
    white_begins = len(record.moves) > 0 and record.moves[0] >> COLOR_SHIFT == WHITE
    images = []
    for symmetry in range(SYMMETRIES):
        moves, setup = image_of(record, symmetry, swap_colors=white_begins)
        in_order = setup[np.lexsort((setup[:, 2], setup[:, 0]))]
        images.append(in_order.astype(">i2").tobytes() + b"|" + moves[: last + 1].astype(">i2").tobytes())
    digest = hashlib.blake2b(min(images), digest_size=8, person=b"size %d" % record.size)
    return int.from_bytes(digest.digest(), "big")


def split_of(keys: np.ndarray, validation: float, test: float) -> np.ndarray:
    """Return TRAIN, VALIDATION or TEST for each key, in these shares."""
    share = keys.astype(np.float64) / 2.0**64
    return np.where(share < test, TEST, np.where(share < test + validation, VALIDATION, TRAIN)).astype(np.uint8)
