"""Play whole games from any position to the end by one of three policies: uniform, rollout or tree.

Moves are always sampled, never chosen greedily. No policy fills an own eye. A player without a move passes, and two
passes end the game. The uniform policy is that of `go.playout`.
"""

from typing import NamedTuple

import numpy as np

from go.board import BOARD, LEGAL, is_eye, legality, play
from go.coordinates import MAX_SIZE, PASS, POINTS
from go.jit import inlined_kernel, kernel
from go.playout import CUT_OFF, GAME, next_random, random_move
from go.position import Position
from go.score import area_owners
from rollout.features import Candidates, Tables, find_candidates, new_candidates
from rollout.gammas import Gammas, new_gammas
from rollout.lookup import FREE, new_table
from rollout.model import Model
from rollout.nakade import shape_table
from rollout.patterns import DIAMOND
from rollout.replies import Replies, new_replies, recall
from rollout.sampler import SAMPLER, begin_sampling, play_and_refresh, sample_move
from rollout.softmax import score
from rollout.tracker import TRACKER, begin, play_tracked

UNIFORM, ROLLOUT, TREE = range(3)


class PlayoutPolicy(NamedTuple):
    """A policy for playouts, as a tuple for the kernels."""

    kind: int
    gammas: Gammas
    tables: Tables
    weights: np.ndarray
    replies: Replies
    reply_chance: float  # probability that a stored reply is played


class Workspace(NamedTuple):
    """Memory for playouts. Each thread needs its own."""

    board: np.ndarray
    tracker: np.ndarray
    sampler: np.ndarray
    scratch: np.ndarray  # one board
    candidates: Candidates
    values: np.ndarray


def new_workspace() -> Workspace:
    return Workspace(
        np.zeros(1, BOARD),
        np.zeros(1, TRACKER),
        np.zeros(1, SAMPLER),
        np.zeros(1, BOARD),
        new_candidates(),
        np.zeros(MAX_SIZE**2),
    )


def new_policy(model: Model | None, replies: Replies | None = None, reply_chance: float = 0.0) -> PlayoutPolicy:
    """Make the policy of a model, or the uniform policy if `model` is None.

    Tables that this kind of policy does not need are empty. `replies` is the table that a search fills
    (`rollout.replies`).
    """
    kind = UNIFORM if model is None else TREE if model.is_tree else ROLLOUT
    return PlayoutPolicy(
        kind,
        new_gammas(model) if kind == ROLLOUT else _no_gammas(),
        model.tables() if kind == TREE else _no_tables(),
        np.asarray(model.weights if kind == TREE else [], np.float64),
        replies or new_replies(4),
        reply_chance,
    )


def _no_tables() -> Tables:
    codes, points, _ = shape_table()
    none = new_table(np.empty(0, np.int64), np.empty(0, np.int32))
    squares, rows = np.zeros((2, 1), np.int32), np.zeros((0, len(DIAMOND)), np.int32)
    return Tables(squares, *none, rows, *none, codes, points, *[FREE] * 6)


def _no_gammas() -> Gammas:
    codes, points, _ = shape_table()
    none = new_table(np.empty(0, np.int64), np.empty(0, np.int32))
    factors = np.zeros((1, len(DIAMOND)), np.uint64)
    return Gammas(np.zeros((1, 2), np.uint16), *none, factors, 0, codes, np.zeros(points.shape, np.uint64))


@kernel
def _sample_from_tree(policy, work, last, before, rng):
    """Draw a move from the tree policy. Its features are computed anew for every position."""
    count = find_candidates(work.board[0], work.tracker[0], policy.tables, last, before, work.candidates)
    if count == 0:
        return np.int64(PASS)
    score(policy.weights, work.candidates.features, count, work.values)
    drawn = _share(rng)
    for i in range(count):
        drawn -= work.values[i]
        if drawn < 0:
            return np.int64(work.candidates.points[i])
    return np.int64(work.candidates.points[count - 1])


@kernel
def _share(rng):
    """Draw a number in [0, 1)."""
    return np.float64(next_random(rng) >> np.uint64(11)) * (1.0 / (1 << 53))


@kernel
def _reply(policy, work, last, before, rng):
    """Return the stored reply to this context with probability `reply_chance`, if it is playable; else PASS."""
    b = work.board[0]
    color = np.int64(b.to_move)
    reply = recall(policy.replies, b, work.tracker[0], last, before)
    can_be = reply != PASS and legality(b, reply, color) == LEGAL and not is_eye(b, reply, color)
    return reply if can_be and _share(rng) < policy.reply_chance else np.int64(PASS)


@inlined_kernel
def policy_playout(policy, work, last, before, rng):
    """Play the game on the workspace's board to its end. Return the first move and the numbers of moves and passes.

    The arrays of the rollout policy are taken out of their tuples before the first move. Taking an array out of a tuple
    changes its reference count, and threads that share the array would contend for this count at every move.
    """
    b, t, d = work.board[0], work.tracker[0], work.sampler[0]
    kind, scratch, has_replies = policy.kind, work.scratch, policy.reply_chance > 0
    squares, keys, rows, near = (
        policy.gammas.squares,
        policy.gammas.response_keys,
        policy.gammas.response_rows,
        policy.gammas.near,
    )
    save_atari, codes, nakade = policy.gammas.save_atari, policy.gammas.nakade_codes, policy.gammas.nakade
    if kind == ROLLOUT:
        begin_sampling(b, t, d, squares)
    elif kind == TREE:
        begin(b, t)
    first, moves, passes = np.int64(PASS), 0, 0
    limit = CUT_OFF * b.rows * b.columns
    while (b.passes < 2) & (moves < limit):
        move = _reply(policy, work, last, before, rng) if has_replies else np.int64(PASS)
        if move == PASS:
            if kind == ROLLOUT:
                move = sample_move(b, t, d, keys, rows, near, save_atari, codes, nakade, last, scratch, rng)
            elif kind == TREE:
                move = _sample_from_tree(policy, work, last, before, rng)
            else:
                move = np.int64(random_move(b, rng))
        if kind == ROLLOUT:
            play_and_refresh(b, t, d, squares, move)
        elif kind == TREE:
            play_tracked(b, t, move)
        else:
            play(b, move)
        if moves == 0:
            first = move
        moves += 1
        passes += move == PASS
        last, before = move, last
    return first, moves, passes


@kernel
def _policy_playouts(start, last, before, policy, work, rng, games, owned):
    owners = np.zeros(POINTS, np.uint8)
    for i in range(len(games)):
        work.board[0] = start[0]
        games[i].first, games[i].moves, games[i].passes = policy_playout(policy, work, last, before, rng)
        games[i].margin = area_owners(work.board[0], owners)
        for p in range(POINTS):
            owned[owners[p], p] += 1


def policy_games(
    position: Position, count: int, policy: PlayoutPolicy, rng: np.ndarray, work: Workspace | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play games from a position. Return a `go.playout.GAME` for each, and how often each colour owned each point."""
    recent = [PASS, PASS, *(move.point for move in position.history[-2:])]
    return board_games(position.boards, recent[-1], recent[-2], count, policy, rng, work)


def board_games(
    start: np.ndarray,
    last: int,
    before: int,
    count: int,
    policy: PlayoutPolicy,
    rng: np.ndarray,
    work: Workspace | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Like `policy_games`, from a board (an array of one record), the last move and the one before."""
    games, owned = np.zeros(count, GAME), np.zeros((3, POINTS), np.int64)
    _policy_playouts(start, last, before, policy, work or new_workspace(), rng, games, owned)
    return games, owned
