"""An exact solver for small fights on settled boards: who wins the whole game, whatever the other side does.

`outcome` searches the game to its end for a proof that one side wins, deeper and deeper, and for a proof that the other
does. A proof is a finite tree: some move of the prover, every move of the other side. What has to be said about it:

- Repetition. The search knows the simple ko, not the history of the game, and lets the other side repeat what it likes;
  a game that goes round in circles proves nothing. So whoever is proved to win wins under superko, too, and a position
  that superko decides is UNKNOWN. (Superko could only stand in the prover's own way: by his putting on the board what
  stood there before, with the other side to move. No proof of ours needs that; the tests play some of them out.)
- Settled points. Chains with two eyes by Benson's theorem live even if their owner passes for ever. What they surround
  is their owner's if nobody could live in it: an eye is made of points that touch no stone of the surrounding chains,
  so a region without two such points that are apart has no room for two eyes. There nobody plays any more: that
  would be a pass, but for lifting a ko, which the other side is therefore allowed to do as often as it likes.
- Eyes. Nobody fills a point whose neighbours are all of one chain of his.

The game ends with two passes and is counted by area, dead stones in settled regions being taken off.
"""

import numpy as np

from go.board import BLACK, BORDER, EMPTY, LEGAL, ORTHOGONAL, WHITE, legality, play, point_at
from go.coordinates import PASS, POINTS
from go.jit import kernel
from go.position import Position
from go.score import area_owners

LOSS, UNKNOWN, WIN = -1, 0, 1
NULL = -1  # a move somewhere in settled regions, which lifts a ko
SLOTS = 1 << 20
FOREVER = 120  # the depth of a failure that no depth would mend
DEEPEST = 60


@kernel
def settled_points(b, color, settled):
    """Mark the points that `color` owns whatever happens with `color`; return how many they are."""
    size = b.rows
    number = np.full(POINTS, -1, np.int64)  # of the chain at its head
    chains = 0
    region = np.full(POINTS, -1, np.int64)
    stack = np.empty(POINTS, np.int64)
    border = np.zeros(POINTS, np.int64)  # by region: its chains, as bits
    vital = np.zeros(POINTS, np.int64)  # by region: those that all of its empty points touch
    start = np.zeros(POINTS, np.int64)
    stop = np.zeros(POINTS, np.int64)
    regions = 0
    end = 0
    for row in range(size):
        for column in range(size):
            p = point_at(row, column)
            if b.color[p] == color and number[b.chain[p]] < 0:
                number[b.chain[p]] = chains
                chains += 1
    for row in range(size):
        for column in range(size):
            first = point_at(row, column)
            if b.color[first] == color or region[first] >= 0:
                continue
            start[regions] = end
            stack[end] = first
            region[first] = regions
            done = end
            end += 1
            vital[regions] = -1
            while done < end:
                p = np.uint64(stack[done])
                done += 1
                touched = 0
                for step in ORTHOGONAL:
                    q = p + step
                    if b.color[q] == color:
                        touched |= 1 << number[b.chain[q]]
                    elif b.color[q] != BORDER and region[q] < 0:
                        region[q] = regions
                        stack[end] = q
                        end += 1
                border[regions] |= touched
                if b.color[p] == EMPTY:
                    vital[regions] &= touched
            stop[regions] = end
            regions += 1

    alive = (1 << chains) - 1
    changed = chains > 0
    while changed:
        changed = False
        once = 0
        twice = 0
        for r in range(regions):
            if border[r] & ~alive == 0:
                twice |= once & vital[r]
                once |= vital[r]
        if alive & ~twice:
            alive &= twice
            changed = True

    count = 0
    for row in range(size):
        for column in range(size):
            p = point_at(row, column)
            if b.color[p] == color and (alive >> number[b.chain[p]]) & 1:
                settled[p] = color
                count += 1
    for r in range(regions):
        if alive == 0 or border[r] & ~alive != 0:
            continue
        inside = 0
        apart = False
        for i in range(start[r], stop[r]):
            p = np.uint64(stack[i])
            touches = False
            for step in ORTHOGONAL:
                touches |= b.color[p + step] == color
            if not touches:
                for k in range(inside):
                    q = stack[start[r] + k]
                    near = False
                    for step in ORTHOGONAL:
                        near |= np.int64(p + step) == q
                    apart |= not near
                stack[i] = stack[start[r] + inside]
                stack[start[r] + inside] = np.int64(p)
                inside += 1
        if not apart:
            for i in range(start[r], stop[r]):
                settled[stack[i]] = color
                count += 1
    return count


@kernel
def final_margin(b, settled, owners):
    """Return black's area minus white's, settled points counted for their owners."""
    area_owners(b, owners)
    margin = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            owner = settled[p] if settled[p] else owners[p]
            margin += (owner == BLACK) - np.int64(owner == WHITE)
    return margin


@kernel
def in_one_chain(b, point, color):
    """Tell if all neighbours of an empty point are stones of one chain."""
    p = np.uint64(point)
    head = -1
    for step in ORTHOGONAL:
        found = b.color[p + step]
        if found == BORDER:
            continue
        if found != color or (head >= 0 and b.chain[p + step] != head):
            return False
        head = np.int64(b.chain[p + step])
    return True


@kernel
def state_key(b):
    key = b.hash ^ (np.uint64(b.to_move) * np.uint64(0x9E3779B97F4A7C15))
    key ^= np.uint64(b.passes) * np.uint64(0xC2B2AE3D27D4EB4F)
    key ^= np.uint64(b.ko) * np.uint64(0x165667B19E3779F9)
    return key if key != 0 else np.uint64(1)


@kernel
def write_moves(b, prover, settled, liked, first, moves, order):
    """Write the moves to look at in a position, the most urgent first; return how many."""
    color = np.int64(b.to_move)
    count = 0
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if settled[p] or legality(b, p, color) != LEGAL or in_one_chain(b, p, color):
            continue
        moves[count] = p
        order[count] = liked[color, p] + (1 << 40) * np.int64(p == first)
        count += 1
    moves[count] = PASS
    order[count] = (1 << 40) if first == PASS or b.passes == 1 else -1
    count += 1
    if b.ko != 0 and color != prover:
        moves[count] = NULL
        order[count] = -2
        count += 1
    for i in range(1, count):
        k = i
        while k > 0 and order[k - 1] < order[k]:
            moves[k], moves[k - 1] = moves[k - 1], moves[k]
            order[k], order[k - 1] = order[k - 1], order[k]
            k -= 1
    return count


@kernel
def look_up(keys, key):
    """Return the place of a key in the table, or the one of two places that it shall take."""
    slot = np.int64(key % np.uint64(SLOTS // 2)) * 2
    if keys[slot] == key or (keys[slot + 1] != key and keys[slot] == 0):
        return slot
    return slot + 1


@kernel
def prove(boards, limit, prover, komi, keys, results, best, liked, budget):
    """Tell if `prover` wins from boards[0] within `limit` moves: 1 if so, 0 if not, -1 if the budget is used up.

    The table holds for each state 1 if it is won, or -1 - d if it is not won within d moves; and the best move.
    """
    moves = np.empty((limit + 1, 90), np.int64)
    order = np.empty(90, np.int64)
    count = np.zeros(limit + 1, np.int64)
    index = np.zeros(limit + 1, np.int64)
    slots = np.zeros(limit + 1, np.int64)
    state = np.zeros(limit + 1, np.uint64)
    settled = np.zeros(POINTS, np.uint8)
    owners = np.zeros(POINTS, np.uint8)
    points = boards[0].rows * boards[0].columns
    ply = 0
    entering = True
    value = False
    while True:
        b = boards[ply]
        if entering:
            entering = False
            depth = limit - ply
            budget[0] -= 1
            if budget[0] < 0:
                return -1
            key = state_key(b)
            slot = look_up(keys, key)
            known = keys[slot] == key
            count[ply] = 0
            state[ply] = key
            slots[ply] = slot
            if known and results[slot] == 1:
                value = True
            elif known and -1 - results[slot] >= depth and b.passes < 2:
                value = False
            else:
                settled[:] = 0
                black = settled_points(b, BLACK, settled)
                white = settled_points(b, WHITE, settled)
                mine, theirs = (black, white) if prover == BLACK else (white, black)
                goal = komi if prover == BLACK else -komi
                if b.passes >= 2:
                    margin = final_margin(b, settled, owners)
                    value = (margin > komi) == (prover == BLACK)
                elif 2 * mine - points > goal or points - 2 * theirs < goal:
                    value = 2 * mine - points > goal
                    keys[slot] = key
                    results[slot] = 1 if value else -FOREVER
                    best[slot] = PASS
                elif depth == 0:
                    value = False
                else:
                    first = np.int64(best[slot]) if known else -2
                    count[ply] = write_moves(b, prover, settled, liked, first, moves[ply], order)
                    index[ply] = -1
                    value = b.to_move != prover
        # here `value` is that of the child just left, or of this state if it is a leaf
        mover = boards[ply].to_move
        if count[ply] > 0:
            decided = index[ply] >= 0 and value == (mover == prover)
            if not decided and index[ply] + 1 < count[ply]:
                index[ply] += 1
                move = moves[ply, index[ply]]
                boards[ply + 1] = boards[ply]
                if move == NULL:
                    boards[ply + 1].ko = 0
                    boards[ply + 1].to_move = BLACK + WHITE - mover
                    boards[ply + 1].passes = 0
                else:
                    play(boards[ply + 1], move)
                ply += 1
                entering = True
                continue
            move = moves[ply, index[ply]]
            if decided and move > 0:
                liked[mover, move] += (limit - ply) * (limit - ply)
            slot = slots[ply]
            keys[slot] = state[ply]
            results[slot] = 1 if value else -1 - (limit - ply)
            best[slot] = move if decided else best[slot]
        if ply == 0:
            return 1 if value else 0
        ply -= 1


@kernel
def candidates(boards, moves):
    """Write the moves of a position that may be better than a pass, and the pass; return how many."""
    b = boards[0]
    settled = np.zeros(POINTS, np.uint8)
    settled_points(b, BLACK, settled)
    settled_points(b, WHITE, settled)
    return write_moves(b, b.to_move, settled, np.zeros((3, POINTS), np.int64), PASS, moves, np.empty(90, np.int64))


class Solver:
    """The two tables of one problem: proofs that black wins, and proofs that white does."""

    def __init__(self, komi: float) -> None:
        self.komi = komi
        self.tables = {color: _new_table() for color in (BLACK, WHITE)}
        self.nodes = 0

    def outcome(self, position: Position, nodes: int = 2_000_000) -> int:
        """Return WIN or LOSS as the side to move sees it, or UNKNOWN if so many nodes prove neither."""
        me = position.to_move
        budget = np.array([nodes])
        for depth in range(1, DEEPEST):
            for prover in (me, BLACK + WHITE - me):
                boards = np.repeat(position.boards, depth + 1)
                found = prove(boards, depth, prover, self.komi, *self.tables[prover], budget)
                if found == 1:
                    self.nodes += nodes - int(budget[0])
                    return WIN if prover == me else LOSS
                if found < 0:
                    self.nodes += nodes
                    return UNKNOWN
        return UNKNOWN

    def moves(self, position: Position, nodes: int = 2_000_000) -> dict[int, int]:
        """Return what comes of each move and of a pass, as the side to move sees it.

        Moves in settled regions and into an eye of one chain are left out: they are no better than a pass.
        """
        moves = np.empty(90, np.int64)
        count = candidates(position.boards, moves)
        return {move: -self.outcome(position.copy().play(move), nodes) for move in moves[:count].tolist()}


def _new_table() -> tuple[np.ndarray, ...]:
    keys, results = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.int8)
    return keys, results, np.zeros(SLOTS, np.int16), np.zeros((3, POINTS), np.int64)
