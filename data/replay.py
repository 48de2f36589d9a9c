"""Kernels that replay a stored game to any position, in any of the eight symmetries, or check that it is legal.

A move is one int16, `color << 9 | point`, so that a record in which one side moves twice needs no special case. A
set-up stone is a row `(ply, color, point)`: before move `ply`, the point becomes black, white or empty. Nearly all rows
have ply 0, for example handicap stones.
"""

import numpy as np

from go.board import BLACK, BORDER, EMPTY, LEGAL, WHITE, add_stone, clear, count_liberties, legality, play, set_turn
from go.coordinates import PASS, POINTS
from go.jit import kernel

COLOR_SHIFT = 9
BAD_SETUP = -1  # in addition to the verdicts of `board.legality`
POINT_MASK = (1 << COLOR_SHIFT) - 1  # POINTS is less than 512


def encode_move(color: int, point: int) -> int:
    return color << COLOR_SHIFT | point


def decode_move(code: int) -> tuple[int, int]:
    """Return the colour and the point of a stored move."""
    return int(code) >> COLOR_SHIFT, int(code) & POINT_MASK


@kernel
def _put_back_all_but(b, missing):
    """Rebuild the board without the stone `missing`. The kernel of the rules can only remove whole chains."""
    ply, to_move, captured = b.ply, b.to_move, b.captured.copy()
    colors = b.color.copy()
    clear(b, b.rows, b.columns)
    for p in range(POINTS):
        if (colors[p] != EMPTY) & (colors[p] != BORDER) & (p != missing):
            add_stone(b, p, np.int64(colors[p]))
    b.ply, b.to_move = ply, to_move
    b.captured[:] = captured


@kernel
def set_point(b, p, color):
    """Make a point black, white or empty, without applying the rules."""
    b.ko = 0
    b.n_taken = 0
    b.passes = 0
    if b.color[p] == color:
        return
    if b.color[p] != EMPTY:
        _put_back_all_but(b, p)
    if color != EMPTY:
        add_stone(b, p, color)


@kernel
def _has_dead_chain(b):
    """Return whether a chain has no liberty (possible after a set-up)."""
    for p in range(POINTS):
        is_stone = (b.color[p] == BLACK) | (b.color[p] == WHITE)
        if is_stone and count_liberties(b, b.chain[p]) == 0:
            return True
    return False


@kernel
def replay(b, moves, setup, ply, symmetry):
    """Bring an empty board to the position before move `ply` of a legal game.

    `symmetry` is a row of `coordinates.symmetry_table`. The side to move is the one that made move `ply`; after the
    last move, it is the other side.
    """
    following = 0
    for i in range(ply + 1):
        while following < len(setup) and setup[following, 0] <= i:
            set_point(b, np.int64(symmetry[setup[following, 2]]), np.int64(setup[following, 1]))
            following += 1
        if i < len(moves):
            set_turn(b, np.int64(moves[i]) >> COLOR_SHIFT)
        if i < ply:
            play(b, np.int64(symmetry[moves[i] & POINT_MASK]))


@kernel
def legal_plies(boards, size, moves, setup):
    """Return the number of legal moves from the start, and the verdict on the next move (LEGAL if there is none).

    The rules are simple ko and no suicide, as on the servers that the records come from. BAD_SETUP means that set-up
    stones before that move leave a chain without a liberty.
    """
    b = boards[0]
    clear(b, size, size)
    following = 0
    for i in range(len(moves) + 1):
        before = following
        while following < len(setup) and setup[following, 0] <= i:
            set_point(b, np.int64(setup[following, 2]), np.int64(setup[following, 1]))
            following += 1
        if following > before and _has_dead_chain(b):
            return i, BAD_SETUP
        if i == len(moves):
            break
        color = np.int64(moves[i]) >> COLOR_SHIFT
        p = np.int64(moves[i]) & POINT_MASK
        set_turn(b, color)
        if p != PASS:
            verdict = legality(b, p, color)
            if verdict != LEGAL:
                return i, verdict
        play(b, p)
    return len(moves), LEGAL
