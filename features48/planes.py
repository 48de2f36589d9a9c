"""The kernels that write the planes, one for each group of Extended Data Table 2, as the side to move sees them.

Every kernel has the form `write(b, situation, out)`: the board, what else is known about the position (`SITUATION`),
and the planes of the group, which are all zero at first. Numbers are one-hot: plane k - 1 stands for k, and the last
plane for its own number or more.
"""

import numpy as np

from features48.effects import EFFECTS
from go.board import BLACK, EMPTY, count_liberties, is_eye, point_at
from go.coordinates import POINTS
from go.history import RECENT
from go.jit import kernel

EIGHT = 8  # planes for each number
SITUATION = np.dtype(
    [
        ("recent", np.int16, RECENT),  # as in `go.history`
        ("effects", EFFECTS),
        ("ladder_captures", np.uint8, POINTS),
        ("ladder_escapes", np.uint8, POINTS),
    ]
)


@kernel
def _one_hot(out, row, column, number):
    """Mark a number of 1 or more. 0 marks nothing."""
    if number > 0:
        out[min(number, EIGHT) - 1, row, column] = 1


@kernel
def write_stone_color(b, situation, out):
    for row in range(b.rows):
        for column in range(b.columns):
            color = b.color[point_at(row, column)]
            plane = 2 if color == EMPTY else 0 if color == b.to_move else 1
            out[plane, row, column] = 1


@kernel
def write_ones(b, situation, out):
    out[0, :, :] = 1


@kernel
def write_turns_since(b, situation, out):
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if b.color[p] != EMPTY:
                turns = EIGHT
                for k in range(EIGHT - 2, -1, -1):  # the latest move on a point counts
                    if situation.recent[k] == p:
                        turns = k + 1
                _one_hot(out, row, column, turns)


@kernel
def write_liberties(b, situation, out):
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if b.color[p] != EMPTY:
                _one_hot(out, row, column, count_liberties(b, b.chain[p]))


@kernel
def write_capture_size(b, situation, out):
    effects = situation.effects
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if effects.legal[p]:
                _one_hot(out, row, column, effects.captures[p])


@kernel
def write_self_atari_size(b, situation, out):
    effects = situation.effects
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if effects.legal[p] and effects.liberties[p] == 1:
                _one_hot(out, row, column, effects.stones[p])


@kernel
def write_liberties_after(b, situation, out):
    effects = situation.effects
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if effects.legal[p]:
                _one_hot(out, row, column, effects.liberties[p])


@kernel
def write_ladder_capture(b, situation, out):
    for row in range(b.rows):
        for column in range(b.columns):
            out[0, row, column] = situation.ladder_captures[point_at(row, column)]


@kernel
def write_ladder_escape(b, situation, out):
    for row in range(b.rows):
        for column in range(b.columns):
            out[0, row, column] = situation.ladder_escapes[point_at(row, column)]


@kernel
def write_sensibleness(b, situation, out):
    color = np.int64(b.to_move)
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            out[0, row, column] = situation.effects.legal[p] and not is_eye(b, p, color)


@kernel
def write_zeros(b, situation, out):
    out[0, :, :] = 0


@kernel
def write_color(b, situation, out):
    out[0, :, :] = b.to_move == BLACK
