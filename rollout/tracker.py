"""The 3x3 pattern around every point, updated move by move.

After a move, only changes are processed: the new stone, captured stones, and the stones of chains whose liberty class
(1, 2, at least 3) changed. `dirty` lists the points whose state changed and the empty points around them. Users that
store a number per pattern update these points.
"""

import numpy as np

from go.board import BLACK, ORTHOGONAL, WHITE, adjacent_chains, play
from go.coordinates import PASS, POINTS
from go.jit import kernel
from rollout.patterns import EMPTY_STATE, SQUARE_STEPS, STATE_BITS, state_of

TRACKER = np.dtype(
    [
        ("code", np.uint32, POINTS),  # the 3x3 pattern around each point, colours not swapped
        ("state", np.uint8, POINTS),
        ("dirty", np.uint16, POINTS),  # points that the last move changed
        ("n_dirty", np.int64),  # number of points in `dirty`
        ("is_dirty", np.uint8, POINTS),
    ],
    align=True,
)


@kernel
def begin(b, t):
    """Compute all patterns from a whole board. No point is dirty afterwards."""
    t.n_dirty = 0
    for p in range(POINTS):
        t.is_dirty[p] = 0
        t.state[p] = state_of(b, p)
        t.code[p] = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = (row + 2) * 21 + column + 2
            code = np.uint32(0)
            for k in range(8):
                code |= np.uint32(t.state[p + SQUARE_STEPS[k]]) << np.uint32(STATE_BITS * k)
            t.code[p] = code


@kernel
def _touch(t, p):
    if t.is_dirty[p] == 0:
        t.is_dirty[p] = 1
        t.dirty[t.n_dirty] = p
        t.n_dirty += 1


@kernel
def _set_state(t, p, state):
    """Set the state of a point and update the patterns of the eight points around it."""
    change = np.uint32(t.state[p] ^ state)
    t.state[p] = state
    _touch(t, p)
    for k in range(8):
        n = p + SQUARE_STEPS[k]
        t.code[n] ^= change << np.uint32(STATE_BITS * (7 - k))  # seen from n, p is in the opposite direction
        if t.state[n] == EMPTY_STATE:
            _touch(t, n)


@kernel
def _refresh_chain(b, t, head):
    """Update the state of all stones of a chain if its liberty class changed."""
    state = state_of(b, head)
    p = np.int64(head)
    while True:
        if t.state[p] != state:
            _set_state(t, p, state)
        p = np.int64(b.next[p])
        if p == head:
            break


@kernel
def play_tracked(b, t, move):
    """Play a legal move, or PASS, and update the patterns."""
    for i in range(t.n_dirty):
        t.is_dirty[t.dirty[i]] = 0
    t.n_dirty = 0
    if move == PASS:
        play(b, move)
        return
    color = np.int64(b.to_move)
    enemy = BLACK + WHITE - color
    enemies = adjacent_chains(b, move, enemy)
    friends = adjacent_chains(b, move, color)
    play(b, move)
    own = b.chain[move]
    state = state_of(b, move)
    same = True
    for head in friends:
        same &= (head == 0) | (t.state[head] == state)
    if same:
        _set_state(t, move, state)
    else:
        _refresh_chain(b, t, own)
    for head in enemies:
        if head != 0 and b.color[head] == enemy and t.state[head] != state_of(b, head):
            _refresh_chain(b, t, head)
    first_taken = np.int64(b.n_empty) - b.n_taken  # `play` appends captured points to the empty points
    for i in range(first_taken, np.int64(b.n_empty)):
        _set_state(t, np.int64(b.empties[i]), EMPTY_STATE)
    for i in range(first_taken, np.int64(b.n_empty)):
        p = np.uint64(b.empties[i])
        for step in ORTHOGONAL:
            n = p + step
            if b.color[n] == color and t.state[n] != state_of(b, n):
                _refresh_chain(b, t, b.chain[n])


def new_tracker() -> np.ndarray:
    return np.zeros(1, TRACKER)
