"""The history of a position in the form that networks take: its last moves and its last eight boards.

One record (`HISTORY`) serves every input. The 48 planes of AlphaGo need the last seven moves (`recent`): they tell how
many turns ago a stone was played. The 17 planes of AlphaGo Zero need the last eight boards (`stones`), which cannot be
recovered from the moves alone, because captured stones are gone.

Before the beginning of the game there are no moves (PASS stands for them) and only empty boards, as in AlphaGo Zero's
input. A game begins with its set-up: handicap stones and other stones that are set up stand on the first board, and
the boards before it are empty. Stones that are set up in the middle of a game begin a new game in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from go.board import BORDER, EMPTY
from go.coordinates import PASS, POINTS
from go.jit import kernel

if TYPE_CHECKING:
    from go.position import Position

BOARDS = 8  # of AlphaGo Zero's input
RECENT = 7  # moves; the plane for eight turns and more needs no move
HISTORY = np.dtype(
    [
        ("recent", np.int16, RECENT),  # points of the last moves, the latest first; PASS for a pass or no move
        ("stones", np.uint8, (BOARDS, POINTS)),  # `color` of the last boards (`go.board`), the present one first
    ]
)


@kernel
def begin_history(h, b):
    """Begin the history of a game that starts from board `b`."""
    h.recent[:] = PASS
    for p in range(POINTS):
        h.stones[0, p] = b.color[p]
        for k in range(1, BOARDS):
            h.stones[k, p] = BORDER if b.color[p] == BORDER else EMPTY


@kernel
def note_move(h, b, move):
    """Add a move, or PASS, that has just been played on board `b`."""
    for k in range(RECENT - 1, 0, -1):
        h.recent[k] = h.recent[k - 1]
    h.recent[0] = move
    for k in range(BOARDS - 1, 0, -1):
        for p in range(POINTS):
            h.stones[k, p] = h.stones[k - 1, p]
    for p in range(POINTS):
        h.stones[0, p] = b.color[p]


def history_of(position: Position) -> np.void:
    """Return a copy of the history of one position: a record of `HISTORY`."""
    return position.past[0].copy()


def histories_of(positions: Sequence[Position]) -> np.ndarray:
    """Return the histories of some positions, as an array of records."""
    return np.concatenate([position.past for position in positions]) if positions else np.empty(0, HISTORY)
