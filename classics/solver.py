"""An exact solver for tiny boards: alpha-beta with a null window and a transposition table, under positional superko.

The question is always whether black scores at least `target`. `_search` looks for a proof that one side, the prover,
achieves its aim within some depth. `Solver.winner` asks for both sides in turn, deeper and deeper, and `Solver.value`
finds the exact score by asking for several targets. The rules are those of all our games: area scoring, no suicide,
positional superko, two passes end the game.

Why the answers are exact although superko depends on the whole game and a table does not know it (the graph history
interaction problem): an answer is a proof, a tree with one move for each turn of the winner and all moves for the turns
of the loser. Two things can make a proof fail in another game that reaches the same position.

- A move of the loser was left out because of superko, and in the other game it would be legal. So the search notes how
  far up the line the position was that a left-out move would have repeated. A proof goes into the table only if all of
  these are within its own tree.
- A move of the winner would repeat a position of the other game. So with a proof we keep the stones that are on the
  board after *every* move of the winner in it. A position of the line that lacks one of them cannot be repeated. If
  some position has them all, the proof is not used, and the search goes on as if it were not there.

Moves of the loser that are illegal in the other game only make it harder for the loser. The keys of the table are exact
codes of positions, not hashes. UNKNOWN is never a claim. It is reused for the same or a smaller depth, and if no depth
brings an answer, because all lines run into repetitions, the search begins again without reusing it.

A game is also decided when one side's unconditionally alive stones and their one-point eyes are enough
(`tiny_rules.sure_points`): their owner can pass for ever, which is always legal.
"""

import functools
from typing import NamedTuple

import numpy as np

from classics.tiny_rules import (
    COLOR_BITS,
    bit_margin,
    bit_play,
    bits_of,
    count_bits,
    new_grid,
    sure_points,
)
from go.board import BLACK, WHITE
from go.coordinates import PASS, SYMMETRIES, action_from_point, point_from_action, symmetry_table
from go.errors import GoError
from go.jit import kernel
from go.position import Position

UNKNOWN = 0  # besides BLACK and WHITE, who has proved to win
MOST_PLIES = 400  # of a game and the line that is searched
NO_REPETITION = MOST_PLIES  # no position of the line forbade a move of the loser
PASSING = 63  # a move beside the bits of points
NONE = 64
BITS = {2: 12, 3: 18, 4: 22}  # of the number of entries of a table, by board size
TABLES = 2  # kept: to know a value v is to know of the targets v and v + 1

TABLE = np.dtype(
    [
        ("key", np.uint64),  # 0: free
        ("black", np.uint32),  # stones that are on the board after every move of the winner
        ("white", np.uint32),
        ("winner", np.uint8),
        ("depth", np.uint8, 4),  # by prover: to which the position is UNKNOWN
        ("best", np.uint8),  # the bit of a good move
    ]
)


class Question(NamedTuple):
    """What is asked: whether the prover can see to it that black scores at least `target`, or does not."""

    target: int
    prover: int
    reuses_unknown: bool


class Line(NamedTuple):
    """The positions of the game and of the line that is searched, and what is known of the proof below each."""

    black: np.ndarray  # int64[MOST_PLIES], stones
    white: np.ndarray
    kept_black: np.ndarray  # stones on the board after every move of the winner
    kept_white: np.ndarray
    repeated: np.ndarray  # the first ply whose position forbade a move of the loser
    best: np.ndarray  # the move that wins or, in vain, was tried first
    turns: np.ndarray  # int32[8, 2**points]: a set of points under each symmetry
    spots: np.ndarray  # int64[8, 65]: a bit under each symmetry, and PASSING and NONE
    inverse: np.ndarray  # int64[8]
    counts: np.ndarray  # int64[3]: nodes, answers of the table, proofs of the table that superko forbade to use
    order: np.ndarray  # int64[points], bits to try in this order
    history: np.ndarray  # int64[3, points + 1]: how often a move was the winning one, by colour


def new_line(size: int) -> Line:
    middle, points = (size - 1) / 2, size * size
    spots = np.tile(np.arange(NONE + 1), (SYMMETRIES, 1))
    turns = np.zeros((SYMMETRIES, 1 << points), np.int32)
    for symmetry, images in enumerate(symmetry_table(size)):
        for action in range(points):
            spots[symmetry, action] = action_from_point(int(images[point_from_action(action, size)]), size)
            turns[symmetry] |= ((np.arange(1 << points) >> action & 1) << spots[symmetry, action]).astype(np.int32)
    inverse = [
        next(s for s in range(SYMMETRIES) if (spots[s][spots[symmetry]] == spots[0]).all())
        for symmetry in range(SYMMETRIES)
    ]
    order = sorted(range(points), key=lambda p: abs(p // size - middle) + abs(p % size - middle))
    by_ply = functools.partial(np.zeros, MOST_PLIES, np.int64)
    return Line(
        black=by_ply(),
        white=by_ply(),
        kept_black=by_ply(),
        kept_white=by_ply(),
        repeated=by_ply(),
        best=by_ply(),
        turns=turns,
        spots=spots,
        inverse=np.array(inverse),
        counts=np.zeros(3, np.int64),
        order=np.array(order, np.int64),
        history=np.zeros((3, NONE), np.int64),
    )


@kernel
def _slot(table, key):
    """Return the place of a key in the table: its own, or a free one, or one to overwrite."""
    mask = np.uint64(len(table) - 1)
    z = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    first = np.int64((z ^ (z >> np.uint64(31))) & mask)
    for i in range(4):
        place = (first + i) & np.int64(mask)
        if (table[place].key == key) | (table[place].key == 0):
            return place
    return first


@kernel
def _canonical(line, black, white):
    """Return the smallest code of a board under all symmetries, and the symmetry that leads to it."""
    code = np.int64(black | (white << COLOR_BITS))
    best = 0
    for symmetry in range(1, SYMMETRIES):
        other = np.int64(line.turns[symmetry, black]) | (np.int64(line.turns[symmetry, white]) << COLOR_BITS)
        if other < code:
            code, best = other, symmetry
    return code, best


@kernel
def _may_use(line, ply, black, white):
    """Return whether no earlier position of the line can come up after a move of the winner."""
    for i in range(ply):  # noqa: SIM110 numba compiles no generators
        if ((line.black[i] & black) == black) & ((line.white[i] & white) == white):
            return False
    return True


@kernel
def _earlier(line, ply, black, white):
    """Return the ply of the line with these stones, or -1."""
    for i in range(ply, -1, -1):
        if (line.black[i] == black) & (line.white[i] == white):
            return i
    return -1


@kernel
def _ordered(line, turn, passes, stones, best, moves):
    """Write the moves to `moves` and return their number: the best known first, then those that often won.

    A pass comes early if it ends the game, else last.
    """
    worth = np.empty(NONE, np.int64)
    count = 0
    for i in range(len(line.order) + 1):
        move = PASSING if i == len(line.order) else line.order[i]
        value = line.history[turn, move]
        if move == best:
            value += 1 << 40
        elif move == PASSING:
            value = 1 << 39 if passes else -1
        elif stones & (1 << move):
            continue
        k = count
        while k > 0 and worth[k - 1] < value:
            worth[k], moves[k] = worth[k - 1], moves[k - 1]
            k -= 1
        worth[k], moves[k] = value, move
        count += 1
    return count


@kernel
def _decided(line, ply, winner, grid):
    """Note a proof in which the winner only passes."""
    line.kept_black[ply] = grid.full
    line.kept_white[ply] = grid.full
    line.repeated[ply] = NO_REPETITION
    line.best[ply] = PASSING
    return winner


@kernel
def _search(line, ply, turn, passes, depth, question, table, grid):
    """Return who wins from the position at `ply` of the line: black, with a score of at least the target, or white."""
    black, white = line.black[ply], line.white[ply]
    line.counts[0] += 1
    if passes == 2:
        return _decided(line, ply, BLACK if bit_margin(black, white, grid) >= question.target else WHITE, grid)
    points = grid.size * grid.size
    if 2 * count_bits(sure_points(black, grid)) - points >= question.target:
        return _decided(line, ply, BLACK, grid)
    if points - 2 * count_bits(sure_points(white, grid)) < question.target:
        return _decided(line, ply, WHITE, grid)
    if (depth == 0) | (ply + 1 >= MOST_PLIES):
        return UNKNOWN
    code, symmetry = _canonical(line, black, white)
    state = np.int64(2 * (turn == WHITE) + passes + 4)  # never 0
    key = np.uint64(code | (state << (2 * COLOR_BITS)))
    place = _slot(table, key)
    best = NONE
    if table[place].key == key:
        entry = table[place]
        back = line.inverse[symmetry]
        best = line.spots[back, entry.best]
        if entry.winner != UNKNOWN:
            in_all = np.int64(line.turns[back, entry.black]), np.int64(line.turns[back, entry.white])
            if _may_use(line, ply, in_all[0], in_all[1]):
                line.counts[1] += 1
                line.best[ply] = best
                line.kept_black[ply], line.kept_white[ply] = in_all
                line.repeated[ply] = NO_REPETITION
                return np.int64(entry.winner)
            line.counts[2] += 1
        elif question.reuses_unknown & (entry.depth[question.prover] >= depth):
            return UNKNOWN
    other = BLACK + WHITE - turn
    kept_black, kept_white = grid.full, grid.full
    repeated = NO_REPETITION
    is_open = False
    own, enemy = (black, white) if turn == BLACK else (white, black)
    moves = np.empty(NONE, np.int64)
    count = _ordered(line, turn, passes, own | enemy, best, moves)
    for i in range(count):
        move = moves[i]
        if move == PASSING:
            line.black[ply + 1], line.white[ply + 1] = black, white
        else:
            new_own, new_enemy = bit_play(own, enemy, np.int64(1) << move, grid)
            if new_own < 0:
                continue
            new_black, new_white = (new_own, new_enemy) if turn == BLACK else (new_enemy, new_own)
            earlier = _earlier(line, ply, new_black, new_white)
            if earlier >= 0:
                repeated = min(repeated, earlier)
                continue
            line.black[ply + 1], line.white[ply + 1] = new_black, new_white
        winner = _search(line, ply + 1, other, passes + 1 if move == PASSING else 0, depth - 1, question, table, grid)
        if winner == turn:
            line.history[turn, move] += depth * depth
            kept_black, kept_white = line.kept_black[ply + 1], line.kept_white[ply + 1]
            if move != PASSING:
                kept_black &= line.black[ply + 1]
                kept_white &= line.white[ply + 1]
            repeated = line.repeated[ply + 1]
            _note(line, ply, winner, kept_black, kept_white, repeated, move, table, place, key, symmetry)
            return np.int64(winner)
        if winner == UNKNOWN:
            is_open = True
            if turn != question.prover:
                line.history[turn, move] += depth * depth
                best = move
                break
        else:
            kept_black &= line.kept_black[ply + 1]
            kept_white &= line.kept_white[ply + 1]
            repeated = min(repeated, line.repeated[ply + 1])
    if not is_open:
        _note(line, ply, other, kept_black, kept_white, repeated, best, table, place, key, symmetry)
        return np.int64(other)
    entry = table[place]
    if (entry.key != key) | (entry.winner == UNKNOWN):  # a proof that cannot be used here is worth keeping
        if entry.key != key:
            entry.depth[:] = 0
        entry.key, entry.winner, entry.best = key, UNKNOWN, line.spots[symmetry, best]
        entry.depth[question.prover] = depth
    return UNKNOWN


@kernel
def _note(line, ply, winner, kept_black, kept_white, repeated, best, table, place, key, symmetry):
    """Note a proof for the node above and, if it holds in every game, in the table."""
    if repeated >= ply:
        repeated = NO_REPETITION
    line.kept_black[ply], line.kept_white[ply], line.repeated[ply] = kept_black, kept_white, repeated
    line.best[ply] = best
    if repeated == NO_REPETITION:
        entry = table[place]
        entry.key, entry.winner, entry.best = key, winner, line.spots[symmetry, best]
        entry.black, entry.white = line.turns[symmetry, kept_black], line.turns[symmetry, kept_white]


class Solver:
    """Solves positions of one board size, from 2x2 to 4x4, exactly. Proofs are kept from one position to the next."""

    def __init__(self, size: int) -> None:
        if size not in BITS:
            raise GoError(f"The solver is for boards from 2x2 to {max(BITS)}x{max(BITS)}, not for {size}x{size}.")
        self.size, self.grid, self.line = size, new_grid(size), new_line(size)
        self.tables: dict[int, np.ndarray] = {}  # by target
        self.last_value = 0

    @property
    def nodes(self) -> int:
        """How many positions have been searched so far."""
        return int(self.line.counts[0])

    def winner(self, position: Position, target: int) -> int:
        """Return BLACK if black scores at least `target` (without komi) with best play of both sides, else WHITE."""
        ply, passes = self._set_up(position), int(position.board["passes"])
        table = self._table(target)
        patience = 2 * self.size**2 + 8  # plies; answers that do not depend on repetitions are not as deep
        for reuses_unknown in (True, False):
            for depth in range(1, patience if reuses_unknown else MOST_PLIES):
                for prover in (BLACK, WHITE):
                    question = Question(target, prover, reuses_unknown)
                    found = _search(self.line, ply, position.to_move, passes, depth, question, table, self.grid)
                    if found != UNKNOWN:
                        return int(found)
        raise GoError(f"The line is longer than {MOST_PLIES} moves.")

    def value(self, position: Position) -> int:
        """Return black's score without komi, with best play of both sides."""
        low, high, step = -(self.size**2), self.size**2, 1  # black scores at least `low` and at most `high`
        guess = min(max(self.last_value, low), high)
        target = min(guess + 1, high)
        while low < high:
            if self.winner(position, target) == BLACK:
                low, target = target, min(target + step, high)
            else:
                high, target = target - 1, max(target - step, low + 1)
            step *= 2
            if not low < target <= high:
                target = (low + high + 1) // 2
        self.last_value = low
        return low

    def best_move(self, position: Position) -> tuple[int, int]:
        """Return a move with which the side to move reaches the value of the position, and that value."""
        if position.is_over:
            return PASS, int(position.score() + position.komi)
        value = self.value(position)
        self.winner(position, value if position.to_move == BLACK else value + 1)
        move = int(self.line.best[len(position.history)])
        return (PASS if move >= PASSING else point_from_action(move, self.size)), value

    def _table(self, target: int) -> np.ndarray:
        table = self.tables.pop(target, None)
        if table is None:
            if len(self.tables) == TABLES:
                table = self.tables.pop(next(iter(self.tables)))
                table[:] = 0
            else:
                table = np.zeros(1 << BITS[self.size], TABLE)
        self.tables[target] = table  # the last one asked for
        return table

    def _set_up(self, position: Position) -> int:
        """Put the game on the line; return its last ply."""
        if position.size != self.size:
            raise GoError(f"This solver is for {self.size}x{self.size}, not for {position.size}x{position.size}.")
        if not position.superko:
            raise GoError("The solver knows positional superko only.")
        past = position.start()
        past.superko = False  # over GTP, others may have repeated a position
        self.line.black[0], self.line.white[0] = bits_of(past)
        if len(position.history) >= MOST_PLIES - 1:
            raise GoError(f"The game is longer than {MOST_PLIES - 2} moves.")
        for ply, (color, point) in enumerate(position.history, 1):
            past.play(point, color)
            self.line.black[ply], self.line.white[ply] = bits_of(past)
        return len(position.history)
