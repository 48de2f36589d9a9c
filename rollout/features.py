"""The features of Extended Data Table 4, for every candidate move of a position.

A candidate is a legal move that fills no own eye. Its features are a short row of numbers, each the index of a weight.
Its score is the sum of these weights. The policy is the softmax of the scores.

| index in the row | feature             | fires when                                                                  |
|------------------|---------------------|-----------------------------------------------------------------------------|
| 0                | non-response pattern| the 3x3 pattern around the move is known                                    |
| 1                | neighbour           | the move touches the previous one, by side or corner: one for each direction|
| 2                | response pattern    | the diamond around the previous move, answered at this point, is known      |
| 3                | response            | a response pattern fires                                                    |
| 4                | save atari          | the move brings own stones out of atari                                     |
| 5                | nakade              | the move is in the space of three to six own stones just captured           |
| 6                | self-atari          | (tree policy) the chain of the move would have one liberty                  |
| 7, 8             | last move distance  | (tree policy) distance to the previous move, and to the one before          |
| 9                | diamond pattern     | (tree policy) the diamond around the move is known                          |
"""

from typing import NamedTuple

import numpy as np

from features48.effects import move_effect
from go.board import (
    BLACK,
    BOARD,
    LEGAL,
    LIBERTY_BITS,
    ORTHOGONAL,
    WHITE,
    is_eye,
    last_liberty,
    legality,
)
from go.coordinates import MAX_SIZE, PASS, STRIDE
from go.jit import kernel
from rollout.lookup import FREE, find
from rollout.nakade import find_nakade
from rollout.patterns import DIAMOND_STEPS, EMPTY_STATE, SQUARE_STEPS, STATE_BITS, SWAPPED

DISTANCES = 17  # classes: Manhattan distances 1 to 16, and one for all above
PLACES = 10  # maximum number of features of one move
SQUARE, NEIGHBOUR, RESPONSE_PATTERN, RESPONSE, SAVE_ATARI, NAKADE, SELF_ATARI, DISTANCE, SECOND_DISTANCE, DIAMOND = (
    range(PLACES)
)


class Tables(NamedTuple):
    """The tables in which the kernels look up patterns, and the first weight index of each other feature."""

    squares: np.ndarray  # by colour and code
    response_keys: np.ndarray
    response_rows: np.ndarray
    responses: np.ndarray  # by row and point of the diamond
    diamond_keys: np.ndarray
    diamonds: np.ndarray
    nakade_codes: np.ndarray
    nakade_points: np.ndarray
    response: int
    save_atari: int
    neighbours: int
    nakade: int
    self_atari: int  # FREE for the rollout policy, as is `distances`
    distances: int


class Candidates(NamedTuple):
    """Memory for the candidate moves of one position. Each thread needs its own."""

    points: np.ndarray
    features: np.ndarray  # one row of PLACES per candidate; FREE where nothing fires
    board: np.ndarray
    shape: np.ndarray


def new_candidates() -> Candidates:
    most = MAX_SIZE**2
    return Candidates(
        np.zeros(most, np.int16), np.zeros((most, PLACES), np.int32), np.zeros(1, BOARD), np.zeros(6, np.int64)
    )


@kernel
def saves_atari(b, t, boards, point):
    """Return whether a legal move saves own stones from atari, by extension or by capturing an adjacent chain."""
    return _extends(b, t, boards, point) or _captures_holder(b, t, point)


@kernel
def _extends(b, t, boards, point):
    """Return whether an own chain in atari next to a point has two liberties after a move there.

    The point is the only liberty of the chain. New liberties come from the point itself, from chains that it joins and
    from captured stones. The neighbours of the point are usually enough to decide. If not, the move is played on a
    copy.
    """
    atari = 1 if b.to_move == BLACK else 4
    enemy_atari = 5 - atari
    p = np.uint64(point)
    in_atari, liberties, captures, other = False, 0, False, np.int64(0)
    for step in ORTHOGONAL:
        state = t.state[p + step]
        if state == atari:
            in_atari = True
        elif state == EMPTY_STATE:
            liberties += 1
        elif state == enemy_atari:
            liberties += 1
            captures = True
        elif state == atari + 2:
            liberties += 2
        elif state == atari + 1:  # it has one liberty besides the point, perhaps already counted
            further = (np.int64(b.libs[b.chain[p + step]]) & ((1 << LIBERTY_BITS) - 1)) - point
            if further != other and not _touches(further, point):
                liberties += 1
                other = further
    if not in_atari or liberties >= 2:
        return in_atari
    return captures and move_effect(b, boards, point)[2] >= 2


@kernel
def _touches(p, q):
    step = abs(p - q)
    return (step == 1) | (step == STRIDE)


@kernel
def _captures_holder(b, t, point):
    """Return whether a move captures a chain next to an own chain in atari whose last liberty is another point."""
    atari = 1 if b.to_move == BLACK else 4
    enemy_atari = 5 - atari
    p = np.uint64(point)
    for around in ORTHOGONAL:
        if t.state[p + around] == enemy_atari:
            head = np.uint64(b.chain[p + around])
            stone = head
            while True:
                for step in ORTHOGONAL:
                    if t.state[stone + step] == atari and last_liberty(b, b.chain[stone + step]) != point:
                        return True
                stone = np.uint64(b.next[stone])
                if stone == head:
                    break
    return False


@kernel
def diamond_seen(t, point, color):
    """Return the diamond around a point as `color` sees it (own stones as black)."""
    code = np.int64(0)
    for k in range(len(DIAMOND_STEPS)):
        state = t.state[point + DIAMOND_STEPS[k]]
        code |= np.int64(SWAPPED[state] if color == WHITE else state) << STATE_BITS * k
    return code


@kernel
def distance_class(p, q):
    """Return the class of the Manhattan distance between two points, counted from 0."""
    rows, columns = abs(p // STRIDE - q // STRIDE), abs(p % STRIDE - q % STRIDE)
    return min(rows + columns, DISTANCES) - 1


@kernel
def find_candidates(b, t, tables, last, before, work):
    """Find all candidate moves and their features, given the last two moves. Return the number of candidates."""
    color = np.int64(b.to_move)
    is_tree = tables.self_atari != FREE
    row = np.int64(FREE)
    if last != PASS:
        row = np.int64(tables.response_rows[find(tables.response_keys, diamond_seen(t, last, color))])
    shape = np.int64(find_nakade(b.taken, b.n_taken, tables.nakade_codes, work.shape))
    count = 0
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if legality(b, p, color) != LEGAL or is_eye(b, p, color):
            continue
        features = work.features[count]
        features[:] = FREE
        work.points[count] = p
        count += 1
        features[SQUARE] = tables.squares[color - 1, t.code[p]]
        if last != PASS:
            for k in range(len(SQUARE_STEPS)):
                if last + SQUARE_STEPS[k] == p:
                    features[NEIGHBOUR] = tables.neighbours + k
            if row != FREE:
                for k in range(len(DIAMOND_STEPS)):
                    if last + DIAMOND_STEPS[k] == p and tables.responses[row, k] != FREE:
                        features[RESPONSE_PATTERN] = tables.responses[row, k]
                        features[RESPONSE] = tables.response
        if saves_atari(b, t, work.board, p):
            features[SAVE_ATARI] = tables.save_atari
        if shape != FREE:
            for k in range(b.n_taken):
                if work.shape[k] == p:
                    features[NAKADE] = tables.nakade + tables.nakade_points[shape, k]
        if is_tree:
            if move_effect(b, work.board, p)[2] == 1:
                features[SELF_ATARI] = tables.self_atari
            if last != PASS and last != p:  # p may be a recent move whose stone was captured
                features[DISTANCE] = tables.distances + distance_class(p, last)
            if before != PASS and before != p:
                features[SECOND_DISTANCE] = tables.distances + DISTANCES + distance_class(p, before)
            features[DIAMOND] = tables.diamonds[find(tables.diamond_keys, diamond_seen(t, p, color))]
    return count
