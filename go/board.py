"""The board kernel: stones, chains, exact liberties, captures, ko and legality, all in compiled code.

A board is one numpy record (`BOARD`). Copying a board is one assignment of 7 kB, and many games are one array of
records. Kernels take a record `b` and read like the rules: `b.color[p + NORTH]`, `count_liberties(b, head)`.

Chains. Each stone stores the head of its chain (`chain`) and the next stone in a circular list (`next`). The head
stores the number of stones and the liberties. Liberties are exact, but each update is local:

- a stone played at `p` removes the liberty `p` from each neighbouring chain, once;
- `_absorb` adds a stone to a chain and counts only the empty neighbours that do not touch the chain yet; to merge two
  chains, the stones of the smaller one are absorbed one by one;
- each captured stone becomes one liberty of each neighbouring chain.

The liberties of a chain are one number, the sum of `LIBERTY + p` over its liberties. The upper bits hold their count,
and the lower bits hold the sum of their points. For a chain in atari, this sum is its last liberty.

Speed. Head 0 means "no chain". Empty and border points have it, and its counters are scratch values that are never
read. So the kernels can update four neighbours without checking which of them are stones. Conditions use `&` and `|`
where a branch would be hard to predict, and `and` and `or` where the first condition usually decides. Points are
unsigned inside the kernels, because numba then skips the check for negative indices. Never add a signed number to a
point (numba would make the sum a float); add one of the steps below instead.
"""

import numpy as np

from go.coordinates import EDGE, PASS, POINTS, STRIDE
from go.jit import kernel

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3  # bits: black and white share none, the border has both
COLOR_NAMES = {BLACK: "black", WHITE: "white"}
NORTH, WEST, EAST, SOUTH = (np.uint64(step % 2**64) for step in (-STRIDE, -1, 1, STRIDE))
ORTHOGONAL = (NORTH, WEST, EAST, SOUTH)
DIAGONAL = tuple(np.uint64(step % 2**64) for step in (-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1))

LIBERTY_BITS = 20  # the points of a board add up to less than 2**18
LIBERTY = np.uint64(1 << LIBERTY_BITS)

LEAST_TAKEN, MOST_TAKEN = 3, 6  # sizes of captures that leave a nakade shape

BOARD = np.dtype(
    [
        ("hash", np.uint64),  # Zobrist hash of the stones alone: the key of positional superko
        ("rows", np.int16),
        ("columns", np.int16),
        ("to_move", np.int16),
        ("ko", np.uint16),  # point where ko forbids the side to move to play; 0 if none
        ("ply", np.int32),  # number of moves played, passes included
        ("passes", np.int32),  # number of consecutive passes just played
        ("captured", np.int32, 4),  # stones lost so far, by colour
        ("n_empty", np.int16),
        ("n_taken", np.int16),  # number of stones that the last move captured
        ("taken", np.uint16, MOST_TAKEN),  # their points, if `n_taken` is from LEAST_TAKEN to MOST_TAKEN
        ("color", np.uint8, POINTS),
        ("chain", np.uint16, POINTS),
        ("next", np.uint16, POINTS),
        ("stones", np.int16, POINTS),
        ("libs", np.uint32, POINTS),
        ("empties", np.uint16, 364),  # the first `n_empty` entries are the empty points, in any order
        ("where", np.uint16, POINTS),  # index of each empty point in `empties`
    ],
    align=True,
)

LEGAL, OFF_BOARD, OCCUPIED, KO, SUICIDE, SUPERKO = range(6)


def _zobrist_keys() -> np.ndarray:
    """Make one 64-bit key per colour and point with splitmix64, so that hashes are the same on every machine."""
    with np.errstate(over="ignore"):
        z = np.arange(1, 4 * POINTS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).reshape(4, POINTS)


ZOBRIST = _zobrist_keys()


def new_boards(count: int = 1) -> np.ndarray:
    """Make an array of boards. Call `clear` on each before use."""
    return np.zeros(count, BOARD)


@kernel
def point_at(row, column):
    """Return the point of a row and a column, like `coordinates.point_from_rowcol`."""
    return (row + EDGE) * STRIDE + column + EDGE


@kernel
def clear(b, rows, columns):
    """Make an empty board with black to move. Rectangular boards are allowed; they are used to count positions."""
    b.hash = 0
    b.rows = rows
    b.columns = columns
    b.to_move = BLACK
    b.ko = 0
    b.ply = 0
    b.passes = 0
    b.n_empty = 0
    b.n_taken = 0
    b.taken[:] = 0
    for color in range(4):
        b.captured[color] = 0
    for p in range(POINTS):
        b.color[p] = BORDER
        b.chain[p] = 0
        b.next[p] = 0
        b.stones[p] = 0
        b.libs[p] = 0
        b.where[p] = 0
    for row in range(rows):
        for column in range(columns):
            p = point_at(row, column)
            b.color[p] = EMPTY
            _enlist(b, p)


@kernel
def copy_board(target, source):
    """Copy one board to another. Both are arrays of one record."""
    target[0] = source[0]


@kernel
def _enlist(b, p):
    b.empties[b.n_empty] = p
    b.where[p] = b.n_empty
    b.n_empty += 1


@kernel
def _delist(b, p):
    b.n_empty -= 1
    last = b.empties[b.n_empty]
    b.empties[b.where[p]] = last
    b.where[last] = b.where[p]


@kernel
def count_liberties(b, head):
    """Return the number of liberties of the chain with this head."""
    return np.int64(b.libs[head]) >> LIBERTY_BITS


@kernel
def last_liberty(b, head):
    """Return the only liberty of a chain in atari."""
    return np.int64(b.libs[head]) - (1 << LIBERTY_BITS)


@kernel
def adjacent_chains(b, point, color):
    """Return the chain heads of `color` north, west, east and south of a point. Repeated chains become 0 (none)."""
    p = np.uint64(point)
    none = np.uint16(0)
    north = b.chain[p + NORTH] if b.color[p + NORTH] == color else none
    west = b.chain[p + WEST] if b.color[p + WEST] == color else none
    east = b.chain[p + EAST] if b.color[p + EAST] == color else none
    south = b.chain[p + SOUTH] if b.color[p + SOUTH] == color else none
    if west == north:
        west = none
    if (east == north) | (east == west):
        east = none
    if (south == north) | (south == west) | (south == east):
        south = none
    return north, west, east, south


@kernel
def _absorb(b, head, point):
    """Add a stone to a chain. The liberties grow by the empty neighbours that are new to the chain."""
    p = np.uint64(point)
    libs = np.uint64(0)
    for step in ORTHOGONAL:
        e = p + step
        fresh = (
            (b.color[e] == EMPTY)
            & (b.chain[e + NORTH] != head)
            & (b.chain[e + WEST] != head)
            & (b.chain[e + EAST] != head)
            & (b.chain[e + SOUTH] != head)
        )
        libs += (LIBERTY + e) * np.uint64(fresh)
    b.libs[head] += libs
    b.chain[p] = head


@kernel
def _merge(b, head, other):
    """Absorb the stones of another chain one by one, then join the two circular lists."""
    p = other
    while True:
        following = b.next[p]
        _absorb(b, head, p)
        p = following
        if p == other:
            break
    b.next[head], b.next[other] = b.next[other], b.next[head]
    b.stones[head] += b.stones[other]


@kernel
def _put(b, point, color, friends, enemies):
    """Put a stone next to the given chains (see `adjacent_chains`) without captures. Return the head of its chain."""
    p = np.uint64(point)
    _delist(b, p)
    b.color[p] = color
    b.hash ^= ZOBRIST[color, p]
    for head in enemies:
        b.libs[head] -= LIBERTY + p

    largest = friends[0]
    for head in friends[1:]:
        if b.stones[head] > b.stones[largest]:
            largest = head
    if largest == 0:
        b.next[p] = p
        b.stones[p] = 1
        b.libs[p] = 0
        _absorb(b, p, p)
        return np.uint16(p)

    b.libs[largest] -= LIBERTY + p
    _absorb(b, largest, p)
    b.next[p] = b.next[largest]
    b.next[largest] = p
    b.stones[largest] += 1
    for head in friends:
        if (head != 0) & (head != largest):
            _merge(b, largest, head)
    return largest


@kernel
def add_stone(b, p, color):
    """Put a set-up stone on an empty point. It captures nothing and may leave chains without liberties."""
    b.n_taken = 0
    _put(b, p, color, adjacent_chains(b, p, color), adjacent_chains(b, p, BLACK + WHITE - color))


@kernel
def _remove_chain(b, head, color):
    """Take a chain of `color` off the board."""
    p = np.uint64(head)
    while True:
        b.color[p] = EMPTY
        b.chain[p] = 0
        b.hash ^= ZOBRIST[color, p]
        _enlist(b, p)
        for neighbour in adjacent_chains(b, p, BLACK + WHITE - color):
            b.libs[neighbour] += LIBERTY + p
        p = np.uint64(b.next[p])
        if p == head:
            break
    b.captured[color] += b.stones[head]


@kernel
def play(b, move):
    """Play a legal move, or PASS, for the side to move."""
    color = np.int64(b.to_move)
    enemy = BLACK + WHITE - color
    b.ko = 0
    b.ply += 1
    b.to_move = enemy
    if move == PASS:
        b.passes += 1
        b.n_taken = 0
        return
    b.passes = 0
    enemies = adjacent_chains(b, move, enemy)
    own = _put(b, move, color, adjacent_chains(b, move, color), enemies)
    captured = 0
    single = 0
    for head in enemies:
        if (head != 0) & (b.libs[head] == 0):
            captured += b.stones[head]
            single = np.int64(head)
            _remove_chain(b, head, enemy)
    b.n_taken = captured
    if (captured >= LEAST_TAKEN) & (captured <= MOST_TAKEN):
        for i in range(captured):
            b.taken[i] = b.empties[b.n_empty - captured + i]  # `_remove_chain` has just appended them
    if (captured == 1) & (b.stones[own] == 1) & (count_liberties(b, own) == 1):
        b.ko = single


@kernel
def set_turn(b, color):
    """Set the side to move. If it changes, clear ko and the last captures, as a pass does."""
    if b.to_move != color:
        b.to_move = color
        b.ko = 0
        b.n_taken = 0


@kernel
def has_room(b, point, color):
    """Return whether a stone on an empty point would have a liberty after its captures."""
    p = np.uint64(point)
    if (
        b.color[p + NORTH] == EMPTY
        or b.color[p + WEST] == EMPTY
        or b.color[p + EAST] == EMPTY
        or b.color[p + SOUTH] == EMPTY
    ):
        return True
    room = False
    for step in ORTHOGONAL:
        found = b.color[p + step]
        in_atari = b.libs[b.chain[p + step]] < 2 * LIBERTY
        room |= (found != BORDER) & ((found == color) != in_atari)
    return room


@kernel
def legality(b, p, color):
    """Return LEGAL, or the reason why `color` may not play on a point. Superko is not checked."""
    if (p <= 0) | (p >= POINTS):
        return OFF_BOARD
    if b.color[p] == BORDER:
        return OFF_BOARD
    if b.color[p] != EMPTY:
        return OCCUPIED
    if (p == b.ko) & (color == b.to_move):
        return KO
    return LEGAL if has_room(b, p, color) else SUICIDE


@kernel
def is_eye(b, point, color):
    """Return whether an empty point is a one-point eye by the reference rule (Dailey 2008).

    All orthogonal neighbours are own stones or border. At most one diagonal neighbour is an enemy stone; on the edge,
    none.
    """
    p = np.uint64(point)
    around = b.color[p + NORTH] & b.color[p + WEST] & b.color[p + EAST] & b.color[p + SOUTH]
    if (around & color) == 0:
        return False
    enemies = 0
    edge = 0
    for step in DIAGONAL:
        found = b.color[p + step]
        enemies += found == BLACK + WHITE - color
        edge |= found == BORDER
    return enemies + edge < 2


@kernel
def hash_after(b, p, color):
    """Return the Zobrist hash of the stones after a legal move, without playing it."""
    enemy = BLACK + WHITE - color
    key = b.hash ^ ZOBRIST[color, p]
    for head in adjacent_chains(b, p, enemy):
        if (head != 0) & (count_liberties(b, head) == 1):
            s = np.int64(head)
            while True:
                key ^= ZOBRIST[enemy, s]
                s = np.int64(b.next[s])
                if s == head:
                    break
    return key


@kernel
def repeated_ply(b, p, color, history, plies):
    """Return the first ply of `history` whose stones a legal move would repeat, or -1."""
    key = hash_after(b, p, color)
    for ply in range(plies):
        if history[ply] == key:
            return ply
    return -1


@kernel
def game_legality(b, p, color, history, plies):
    """Like `legality`, but with positional superko: `history` has the hashes of all earlier positions."""
    verdict = legality(b, p, color)
    if (verdict == LEGAL) and repeated_ply(b, p, color, history, plies) >= 0:
        return SUPERKO
    return verdict


@kernel
def legal_points(b, color, history, plies, points):
    """Write the legal points of a colour to `points` in board order; return their number. No history: no superko."""
    color = np.int64(color)
    count = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if game_legality(b, p, color, history, plies) == LEGAL:
                points[count] = p
                count += 1
    return count
