"""The weights of a rollout policy as the playouts use them: integers, so that products and sums are exact.

The probability of a move is proportional to the product of the gammas of its features, `exp(weight)`. A table over all
2^24 3x3 patterns holds the gamma of each pattern, for black and for white. It is 0 if the move would be illegal or fill
an own eye. The pattern alone decides this, except for ko: the liberties of the stones around it tell suicide from
capture. All other features concern only a few points and are multiplied in when a move is drawn.

Integers keep the running sums of a game exact: subtracting a number undoes its addition to the last bit.
"""

from typing import NamedTuple

import numpy as np

from go.board import BLACK, WHITE
from go.jit import kernel
from rollout.lookup import FREE, SQUARE_CODES
from rollout.model import NAKADE, NEIGHBOUR, RESPONSE, SAVE_ATARI, Model
from rollout.nakade import shape_table
from rollout.patterns import BORDER_STATE, DIAMOND, EMPTY_STATE, SQUARE, STATE_BITS

UNIT_BITS = 12
UNIT = 1 << UNIT_BITS  # a gamma of 1
MANTISSA_BITS = 12  # a packed gamma is a mantissa, shifted left by the four bits above it
MOST_GAMMA, MOST_FACTOR = 1 << 22, 1 << 21  # 1,024 and 512 times the unit: enough, and products do not overflow
ORTHOGONAL_PLACES = (1, 3, 4, 6)  # indices of points of the 3x3 pattern
DIAGONAL_PLACES = (0, 2, 5, 7)


class Gammas(NamedTuple):
    """Tables for playouts."""

    squares: np.ndarray  # uint16 by pattern and colour (0 black, 1 white), packed by `pack`
    response_keys: np.ndarray
    response_rows: np.ndarray
    near: np.ndarray  # by row and point of the diamond around the last move; the last row is for unknown diamonds
    save_atari: int
    nakade_codes: np.ndarray
    nakade: np.ndarray  # by shape and point


def pack(values: np.ndarray) -> np.ndarray:
    """Pack integers below 2^27 into 16 bits, rounded to 12 significant bits."""
    values = np.asarray(values, np.int64)
    shift = np.maximum(0, np.ceil(np.log2(np.maximum(values, 1) + 1)).astype(np.int64) - MANTISSA_BITS)
    mantissa = values + (1 << shift >> 1) >> shift
    carried = mantissa >> MANTISSA_BITS
    return ((shift + carried << MANTISSA_BITS) | mantissa >> carried).astype(np.uint16)


@kernel
def unpack(value):
    return (np.uint64(value) & np.uint64((1 << MANTISSA_BITS) - 1)) << (np.uint64(value) >> np.uint64(MANTISSA_BITS))


@kernel
def is_sensible(code, color):
    """Return whether a 3x3 pattern (colours not swapped) allows a legal move, ko aside, that fills no own eye."""
    own = 0 if color == BLACK else 3
    room, closed = False, True
    for k in ORTHOGONAL_PLACES:
        state = code >> STATE_BITS * k & 7
        is_own = own < state <= own + 3
        is_enemy = (state != EMPTY_STATE) & (state != BORDER_STATE) & (not is_own)
        liberties = state - own if is_own else state - 3 + own
        room |= (state == EMPTY_STATE) | (is_own & (liberties > 1)) | (is_enemy & (liberties == 1))
        closed &= is_own | (state == BORDER_STATE)
    if not room:
        return False
    if not closed:
        return True
    enemies, edge = 0, 0
    for k in DIAGONAL_PLACES:
        state = code >> STATE_BITS * k & 7
        enemies += (state != EMPTY_STATE) & (state != BORDER_STATE) & (not own < state <= own + 3)
        edge |= state == BORDER_STATE
    return enemies + edge >= 2


@kernel
def _fill_squares(table, features, packed, default):
    """Fill the table of 3x3 patterns: 0 if the move is not sensible, else the gamma of the pattern or `default`."""
    for code in range(len(table)):
        for color in (BLACK, WHITE):
            if not is_sensible(code, color):
                table[code, color - 1] = 0
            elif features[color - 1, code] == FREE:
                table[code, color - 1] = default
            else:
                table[code, color - 1] = packed[features[color - 1, code]]


def new_gammas(model: Model) -> Gammas:
    """Make the tables of a rollout policy."""
    tables = model.tables()
    values = np.clip(np.exp(model.weights.astype(np.float64)) * UNIT, 1, MOST_GAMMA)
    squares = np.zeros((SQUARE_CODES, 2), np.uint16)
    _fill_squares(squares, tables.squares, pack(np.round(values)), pack(np.array([UNIT]))[0])
    codes, points, _ = shape_table()
    near = np.zeros((len(tables.responses) + 1, len(DIAMOND)))
    known = tables.responses != FREE
    near[:-1][known] = model.weights[RESPONSE] + model.weights[tables.responses[known]]
    for place, step in enumerate(DIAMOND):
        if step in SQUARE:
            near[:, place] += model.weights[NEIGHBOUR + SQUARE.index(step)]
    return Gammas(
        squares=squares,
        response_keys=tables.response_keys,
        response_rows=tables.response_rows,
        near=_factors(near),
        save_atari=int(_factors(model.weights[SAVE_ATARI])),
        nakade_codes=codes,
        nakade=_factors(np.where(points == FREE, 0, model.weights[NAKADE + points])),
    )


def _factors(weights: np.ndarray) -> np.ndarray:
    return np.clip(np.round(np.exp(np.asarray(weights, np.float64)) * UNIT), 0, MOST_FACTOR).astype(np.uint64)
