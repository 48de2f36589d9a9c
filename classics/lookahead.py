"""Minimax and alpha-beta, with any evaluation, in one kernel.

Minimax looks at all positions that are `depth` moves away: about w^d of them, w being the number of moves in a position
(`classics.growth`). Alpha-beta leaves out moves that cannot change the value. `alpha` is what black is already sure of,
and `beta` what white is; when they meet, the rest of a position's moves does not matter. Both searches return the same
value and, trying moves in the same order, the same move.

The kernel walks the tree with a stack of its own. An evaluation that is not compiled into it (`evaluation.ASKED`) makes
it stop: it hands out a batch of leaves with the same parent, Python asks for their values, and the walk goes on.
"""

import math
from typing import NamedTuple

import numpy as np

from classics.evaluation import ASKED, Evaluation, Static, final_value, static_of, static_value
from classics.feature_weights import fired, weight_of
from classics.settings import CgsSettings
from go.board import BLACK, LEGAL, game_legality, is_eye, new_boards, play, point_at
from go.coordinates import PASS
from go.history import HISTORY, note_move
from go.jit import kernel
from go.position import Position

MOST_MOVES = 362
ENTER, NEXT, BACK, LEAVES = range(4)  # what the walk does next
ASKS, DONE = range(2)  # how it returns
PLY, MODE, NODES, EVALUATED, PENDING, SUPERKO = range(6)  # entries of `Stack.state`


class Stack(NamedTuple):
    """The line from the root to the current position. Arrays are by ply, except the last four."""

    boards: np.ndarray
    past: np.ndarray  # HISTORY of each board; kept for evaluations that are asked
    moves: np.ndarray  # int16[ply, MOST_MOVES]
    n_moves: np.ndarray
    tried: np.ndarray  # how many of them were tried
    best: np.ndarray  # the best move so far
    value: np.ndarray  # and its value for black
    alpha: np.ndarray
    beta: np.ndarray
    root: np.ndarray  # value of each move of the root; a bound for some, with alpha-beta
    hashes: np.ndarray  # of the game and the line, for superko
    leaves: np.ndarray  # boards to be asked about
    leaves_past: np.ndarray
    leaf_values: np.ndarray
    state: np.ndarray


class Found(NamedTuple):
    """The result of a search. Values are those of black, in the unit of the evaluation."""

    move: int
    value: float
    nodes: int  # positions visited, the root included
    evaluated: int  # positions that were evaluated
    moves: list[tuple[int, float]]  # of the root, in the order they were tried; a bound where alpha-beta stopped early


@kernel
def _list_moves(b, last, hashes, plies, ordered, work, moves):
    """Write the moves to try: legal ones that fill no own eye, and a pass at the end. Return their number.

    `ordered` puts moves with a high score of `classics.feature_weights` first.
    """
    color = np.int64(b.to_move)
    weights = np.empty(MOST_MOVES, np.int64)
    count = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if game_legality(b, p, color, hashes, plies) != LEGAL or is_eye(b, p, color):
                continue
            weight = weight_of(fired(b, p, last, work)) if ordered else 0
            k = count
            while k > 0 and weights[k - 1] < weight:
                weights[k], moves[k] = weights[k - 1], moves[k - 1]
                k -= 1
            weights[k], moves[k] = weight, p
            count += 1
    moves[count] = PASS
    return count + 1


@kernel
def _step(s, ply, move, plies, keeps_history, boards, past):
    """Put the position after a move at place 0 of `boards` and `past`."""
    boards[0] = s.boards[ply]
    play(boards[0], move)
    if keeps_history:
        past[0] = s.past[ply]
        note_move(past[0], boards[0], move)
    s.hashes[plies + ply + 1] = boards[0].hash


@kernel
def _take(s, ply, value, prunes):
    """Take the value of the last move tried at a ply. Return whether the other moves still matter."""
    move = s.moves[ply, s.tried[ply] - 1]
    if ply == 0:
        s.root[s.tried[0] - 1] = value
    if s.boards[ply].to_move == BLACK:
        if value > s.value[ply]:
            s.value[ply] = value
            s.best[ply] = move
        s.alpha[ply] = max(s.alpha[ply], value)
    else:
        if value < s.value[ply]:
            s.value[ply] = value
            s.best[ply] = move
        s.beta[ply] = min(s.beta[ply], value)
    return not (prunes and s.alpha[ply] >= s.beta[ply])


@kernel
def _hand_out(s, ply, plies, static):
    """Put the next moves of a ply out as leaves to ask about. Return how many they are, and how many were finished."""
    count = min(len(s.leaves), s.n_moves[ply] - s.tried[ply])
    ended = 0
    for i in range(count):
        move = np.int64(s.moves[ply, s.tried[ply] + i])
        _step(s, ply, move, plies, True, s.leaves[i : i + 1], s.leaves_past[i : i + 1])
        s.leaf_values[i] = np.nan
        if s.leaves[i].passes >= 2:
            s.leaf_values[i] = final_value(s.leaves[i], static)
            ended += 1
    return count, ended


@kernel
def _walk(s, plies, last, depth, prunes, ordered, static):
    """Go on with the walk. Return DONE, or ASKS when `leaf_values` are wanted of the first PENDING `leaves`."""
    asks = static.code == ASKED
    ply = s.state[PLY]
    mode = s.state[MODE]
    value = 0.0
    while True:
        b = s.boards[ply]
        if mode == ENTER:
            s.state[NODES] += 1
            if b.passes >= 2:
                value, mode = float(final_value(b, static)), BACK
            elif ply == depth:
                s.state[EVALUATED] += 1
                value, mode = float(static_value(b, static)), BACK
            else:
                before = s.moves[ply - 1, s.tried[ply - 1] - 1] if ply else last
                known = plies + ply + 1 if s.state[SUPERKO] else 0
                s.n_moves[ply] = _list_moves(b, before, s.hashes, known, ordered, static.work, s.moves[ply])
                s.tried[ply] = 0
                s.value[ply] = -math.inf if b.to_move == BLACK else math.inf
                s.alpha[ply] = s.alpha[ply - 1] if ply else -math.inf
                s.beta[ply] = s.beta[ply - 1] if ply else math.inf
                mode = NEXT
        elif mode == NEXT:
            if s.tried[ply] == s.n_moves[ply]:
                value, mode = s.value[ply], BACK
            elif asks and ply == depth - 1:
                s.state[PENDING], ended = _hand_out(s, ply, plies, static)
                s.state[NODES] += s.state[PENDING]
                s.state[EVALUATED] += s.state[PENDING] - ended
                s.state[PLY], s.state[MODE] = ply, LEAVES
                return ASKS
            else:
                move = np.int64(s.moves[ply, s.tried[ply]])
                s.tried[ply] += 1
                _step(s, ply, move, plies, asks, s.boards[ply + 1 : ply + 2], s.past[ply + 1 : ply + 2])
                ply += 1
                mode = ENTER
        elif mode == LEAVES:
            mode = NEXT
            for i in range(s.state[PENDING]):
                s.tried[ply] += 1
                if not _take(s, ply, s.leaf_values[i], prunes):
                    s.tried[ply] = s.n_moves[ply]
                    break
        else:
            if ply == 0:
                return DONE
            ply -= 1
            if not _take(s, ply, value, prunes):
                s.tried[ply] = s.n_moves[ply]
            mode = NEXT


class Lookahead:
    """Minimax or, if it `prunes`, alpha-beta, for one board size."""

    def __init__(
        self,
        size: int,
        evaluation: Evaluation,
        depth: int,
        prunes: bool = True,
        ordered: bool = True,
        batch_size: int = 16,
        cgs: CgsSettings | None = None,
        seed: int = 1,
    ) -> None:
        self.size, self.evaluation, self.depth = size, evaluation, depth
        self.prunes, self.ordered, self.batch_size = prunes, ordered, batch_size
        self.static: Static = static_of(evaluation, size, 0.0, cgs or CgsSettings(), seed, new_boards())

    def search(self, position: Position) -> Found:
        """Search a position that is not over."""
        stack, plies = self._stack(position)
        static = self.static._replace(komi=position.komi)
        last = position.last_move or PASS
        while _walk(stack, plies, last, self.depth, self.prunes, self.ordered, static) == ASKS:
            self._answer(stack, position.komi)
        state, tried = stack.state, int(stack.tried[0])
        moves = list(zip(stack.moves[0, :tried].tolist(), stack.root[:tried].tolist(), strict=True))
        return Found(int(stack.best[0]), float(stack.value[0]), int(state[NODES]), int(state[EVALUATED]), moves)

    def _answer(self, stack: Stack, komi: float) -> None:
        """Ask for the values of the leaves that are not finished games."""
        count = int(stack.state[PENDING])
        wanted = np.flatnonzero(np.isnan(stack.leaf_values[:count]))
        if len(wanted):
            stack.leaf_values[wanted] = self.evaluation.ask(stack.leaves[wanted], stack.leaves_past[wanted], komi)

    def _stack(self, position: Position) -> tuple[Stack, int]:
        plies, game = self.depth + 1, position.hashes
        boards, past = new_boards(plies), np.zeros(plies, HISTORY)
        boards[0], past[0] = position.board, position.past[0]
        stack = Stack(
            boards=boards,
            past=past,
            moves=np.zeros((plies, MOST_MOVES), np.int16),
            n_moves=np.zeros(plies, np.int64),
            tried=np.zeros(plies, np.int64),
            best=np.zeros(plies, np.int64),
            value=np.zeros(plies),
            alpha=np.zeros(plies),
            beta=np.zeros(plies),
            root=np.zeros(MOST_MOVES),
            hashes=np.concatenate([game, np.zeros(plies, np.uint64)]),
            leaves=new_boards(self.batch_size),
            leaves_past=np.zeros(self.batch_size, HISTORY),
            leaf_values=np.zeros(self.batch_size),
            state=np.zeros(6, np.int64),
        )
        stack.state[SUPERKO] = position.superko
        return stack, len(game) - 1
