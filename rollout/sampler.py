"""Sample moves from the rollout policy, with the chances of all points kept up to date during a game.

A chance is a probability that is not normalised. For both colours, the sampler keeps the chance of each point by its
3x3 pattern alone, with the sums over rows and over the board. A draw takes the few points where other features fire out
of that sum and gives them their own chances. Any other point is drawn by walking along the rows. So a move costs about
the same on every board.
"""

import numpy as np

from go.board import EMPTY
from go.coordinates import EDGE, MAX_SIZE, PASS, POINTS, STRIDE
from go.jit import inlined_kernel, kernel
from go.playout import next_random
from rollout.features import diamond_seen, saves_atari
from rollout.gammas import UNIT_BITS, unpack
from rollout.lookup import FREE, find
from rollout.nakade import find_nakade
from rollout.patterns import DIAMOND_STEPS, STATE_BITS
from rollout.tracker import begin, play_tracked

SAMPLER = np.dtype(
    [
        ("gamma", np.uint32, (2, POINTS)),  # by colour and point, from the 3x3 pattern alone
        ("row", np.uint64, (2, MAX_SIZE)),
        ("total", np.uint64, 2),
        ("in_atari", np.uint16, (2, POINTS)),  # last liberties of the chains of each colour in atari
        ("n_atari", np.int64, 2),  # number of points in `in_atari`
        ("place", np.uint16, (2, POINTS)),  # index of each point in `in_atari`, plus one; 0 if it is not there
        ("special", np.uint16, POINTS),  # points with more features than the 3x3 pattern: near the last move, ataris...
        ("chance", np.uint64, POINTS),  # of each special point
        ("n_special", np.int64),
        ("which", np.uint16, POINTS),  # index of each point in `special`, plus one; 0 if it is not there
        ("shape", np.int64, 6),
    ],
    align=True,
)


@kernel
def _refresh(b, t, d, squares, p):
    """Update a point after a change: its chances, and whether it is the last liberty of a chain."""
    row = p // STRIDE - EDGE
    code = np.int64(t.code[p])
    is_empty = b.color[p] == EMPTY
    states = (
        code >> STATE_BITS * 1 & 7,
        code >> STATE_BITS * 3 & 7,
        code >> STATE_BITS * 4 & 7,
        code >> STATE_BITS * 6 & 7,
    )
    for side in range(2):
        new = unpack(squares[code, side]) if is_empty else np.uint64(0)
        old = np.uint64(d.gamma[side, p])
        if new != old:
            d.gamma[side, p] = new
            d.row[side, row] += new - old
            d.total[side] += new - old
        atari = 1 + 3 * side
        is_last = is_empty and (
            (states[0] == atari) | (states[1] == atari) | (states[2] == atari) | (states[3] == atari)
        )
        if is_last != (d.place[side, p] != 0):
            if is_last:
                d.in_atari[side, d.n_atari[side]] = p
                d.n_atari[side] += 1
                d.place[side, p] = d.n_atari[side]
            else:
                d.n_atari[side] -= 1
                moved = d.in_atari[side, d.n_atari[side]]
                d.in_atari[side, d.place[side, p] - 1] = moved
                d.place[side, moved] = d.place[side, p]
                d.place[side, p] = 0


@kernel
def begin_sampling(b, t, d, squares):
    """Compute everything from a whole board."""
    begin(b, t)
    d.gamma[:] = 0
    d.row[:] = 0
    d.total[:] = 0
    d.n_atari[:] = 0
    d.place[:] = 0
    d.n_special = 0
    d.which[:] = 0
    for row in range(b.rows):
        for column in range(b.columns):
            _refresh(b, t, d, squares, (row + EDGE) * STRIDE + column + EDGE)


@inlined_kernel
def play_and_refresh(b, t, d, squares, move):
    """Play a legal move, or PASS, and update the chances."""
    play_tracked(b, t, move)
    for i in range(t.n_dirty):
        _refresh(b, t, d, squares, np.int64(t.dirty[i]))


@inlined_kernel
def _multiply(d, side, p, factor):
    """Multiply the chance of a point and make it a special point."""
    if d.gamma[side, p] == 0:
        return
    if d.which[p] == 0:
        d.special[d.n_special] = p
        d.chance[d.n_special] = d.gamma[side, p]
        d.n_special += 1
        d.which[p] = d.n_special
    i = d.which[p] - 1
    d.chance[i] = d.chance[i] * np.uint64(factor) >> np.uint64(UNIT_BITS)


@inlined_kernel
def find_special(b, t, d, keys, rows, near, save_atari, codes, nakade, last, boards):
    """Find the points with more features than the 3x3 pattern, and their chances."""
    color = np.int64(b.to_move)
    side = color - 1
    for i in range(d.n_special):
        d.which[d.special[i]] = 0
    d.n_special = 0
    if last != PASS:
        row = np.int64(rows[find(keys, diamond_seen(t, last, color))])  # FREE (-1) is the last row: unknown diamonds
        for k in range(len(DIAMOND_STEPS)):  # all points: checking them would take longer
            p = last + DIAMOND_STEPS[k]
            d.special[k] = p
            d.chance[k] = np.uint64(d.gamma[side, p]) * near[row, k] >> np.uint64(UNIT_BITS)
            d.which[p] = k + 1
        d.n_special = len(DIAMOND_STEPS)
    if d.n_atari[side] > 0:
        for i in range(d.n_atari[side]):
            p = np.int64(d.in_atari[side, i])
            if d.gamma[side, p] != 0 and p != b.ko and saves_atari(b, t, boards, p):
                _multiply(d, side, p, save_atari)
        for i in range(d.n_atari[1 - side]):
            p = np.int64(d.in_atari[1 - side, i])
            if d.place[side, p] == 0 and d.gamma[side, p] != 0 and p != b.ko and saves_atari(b, t, boards, p):
                _multiply(d, side, p, save_atari)
    shape = find_nakade(b.taken, b.n_taken, codes, d.shape)
    if shape != FREE:
        for k in range(b.n_taken):
            _multiply(d, side, d.shape[k], nakade[shape, k])
    if b.ko != 0:
        _multiply(d, side, np.int64(b.ko), 0)


@kernel
def _below(rng, bound):
    """Draw an integer below `bound`, which is less than 2^53."""
    return np.uint64(np.float64(next_random(rng) >> np.uint64(11)) * (1.0 / (1 << 53)) * np.float64(bound))


@inlined_kernel
def sample_move(b, t, d, keys, rows, near, save_atari, codes, nakade, last, boards, rng):
    """Draw a move for the side to move; PASS if there is none."""
    find_special(b, t, d, keys, rows, near, save_atari, codes, nakade, last, boards)
    side = np.int64(b.to_move) - 1
    chance, base = np.uint64(0), np.uint64(0)
    for i in range(d.n_special):
        chance += d.chance[i]
        base += np.uint64(d.gamma[side, d.special[i]])
    rest = d.total[side] - base
    if rest + chance == 0:
        return np.int64(PASS)
    drawn = _below(rng, rest + chance)
    if drawn < chance:
        for i in range(d.n_special):
            if drawn < d.chance[i]:
                return np.int64(d.special[i])
            drawn -= d.chance[i]
    while True:  # draw among all points until one is not special
        drawn = _below(rng, d.total[side])
        row = 0
        while drawn >= d.row[side, row]:
            drawn -= d.row[side, row]
            row += 1
        p = (row + EDGE) * STRIDE + EDGE
        while drawn >= d.gamma[side, p]:
            drawn -= np.uint64(d.gamma[side, p])
            p += 1
        if d.which[p] == 0:
            return np.int64(p)
