"""The simulations of a search, on any number of threads: select, expand, evaluate, back up.

Each thread plays down the tree on its own board. Every edge on the path gets `n_vl` virtual losses, which make other
threads prefer other paths; the backup removes them. The position behind the last edge is the leaf. A rollout is played
from there, the value network is asked about it once, and an edge with more than `n_thr` visits gets a node. Without
rollouts a simulation ends when the value network answers: the evaluator backs it up.

Arrays are taken out of their tuples before any loop. Taking one out changes its reference count, and threads that share
the array would contend for the count.
"""

from typing import NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_load, atomic_store, compare_and_swap
from apv_mcts.queue import ask
from apv_mcts.rules import PUCT, UCB1, best_puct, best_ucb1, least_visited
from apv_mcts.tree import ANSWERED, ASKED, BUSY, NONE, NOT_ASKED, UNIT, is_full, take_node
from go.board import BLACK, LEGAL, is_eye, legality, play, repeated_ply
from go.coordinates import MAX_SIZE, PASS
from go.history import HISTORY, note_move
from go.jit import inlined_kernel, kernel
from go.score import area_margin
from rollout.features import Candidates, find_candidates, new_candidates
from rollout.playout import Workspace, new_workspace, policy_playout
from rollout.replies import remember
from rollout.softmax import score
from rollout.tracker import TRACKER, play_tracked

MOST_DEPTH = 400  # edges from the root to a leaf; longer paths are cut off
STARTED, DONE, STOP, N_THR = range(4)  # places in `control`
OVER, ELSEWHERE, GIVEN_UP = range(3)  # outcome of a simulation that asks the value network


class Root(NamedTuple):
    """The position at the root, as the kernels take it."""

    board: np.ndarray  # one record
    tracker: np.ndarray  # patterns of that board
    hashes: np.ndarray  # of all positions of the game so far, this one included, for superko
    history: np.ndarray  # one record


class Worker(NamedTuple):
    """Memory of one thread."""

    rollout: Workspace
    tracker: np.ndarray
    hashes: np.ndarray  # of the game and of the path
    history: np.ndarray  # one record
    path: np.ndarray
    candidates: Candidates
    values: np.ndarray
    points: np.ndarray


def new_worker(most_history: int) -> Worker:
    """Return the memory of a thread, for games of up to `most_history` moves."""
    return Worker(
        new_workspace(),
        np.zeros(1, TRACKER),
        np.zeros(most_history + MOST_DEPTH + 1, np.uint64),
        np.zeros(1, HISTORY),
        np.zeros(MOST_DEPTH, np.int32),
        new_candidates(),
        np.zeros(MAX_SIZE**2),
        np.zeros(MAX_SIZE**2, np.int64),
    )


@kernel
def moves_of(rule, policy, b, t, hashes, plies, recent, work):
    """Find the sensible moves of a position that superko allows, and their priors. Return their number."""
    color = np.int64(b.to_move)
    found = 0
    if rule.has_tree_policy:
        found = find_candidates(b, t, policy.tables, np.int64(recent[0]), np.int64(recent[1]), work.candidates)
        score(policy.weights, work.candidates.features, found, work.values)
        for i in range(found):
            work.points[i] = work.candidates.points[i]
    else:
        for i in range(b.n_empty):
            p = np.int64(b.empties[i])
            if legality(b, p, color) == LEGAL and not is_eye(b, p, color):
                work.points[found] = p
                work.values[found] = 1.0
                found += 1
    kept, total = 0, 0.0
    for i in range(found):
        if repeated_ply(b, work.points[i], color, hashes, plies) < 0:
            work.points[kept], work.values[kept] = work.points[i], work.values[i]
            total += work.values[kept]
            kept += 1
    for i in range(kept):
        work.values[i] /= total
    return kept


@kernel
def make_node(rule, tree, policy, b, t, hashes, plies, recent, work):
    """Make a node for a position. Return its number, or NONE if the pool is full. The last edge is the pass."""
    count = moves_of(rule, policy, b, t, hashes, plies, recent, work)
    node = take_node(tree, count + 1)
    if node == NONE:
        return node
    first = tree.first[node]
    rest = 1.0 - rule.pass_prior if count > 0 else 0.0
    for i in range(count):
        tree.move[first + i] = work.points[i]
        tree.prior[first + i] = rest * work.values[i]
    tree.move[first + count] = PASS
    tree.prior[first + count] = 1.0 - rest
    return node


@kernel
def ask_for_root(tree, root, queue, path):
    """Ask the policy network for the priors of the root, once."""
    if compare_and_swap(tree.asked_policy, 0, NOT_ASKED, ASKED):
        ask(queue, root.board, root.history, np.int64(0), np.int64(NONE), path, 0)


@kernel
def make_root(rule, tree, policy, root, work):
    """Make node 0 for the position to search."""
    plies, recent = len(root.hashes), root.history[0].recent
    work.hashes[:plies] = root.hashes
    return make_node(rule, tree, policy, root.board[0], root.tracker[0], work.hashes, plies, recent, work)


@kernel
def back_up(n_r, w_r, path, depth, outcome, n_vl):
    """Add the outcome of a rollout to the edges of a path, and remove their virtual losses.

    `outcome` is 1 if the player of the first edge won, -1 if it lost. Players alternate, and so does the sign.
    """
    for i in range(depth):
        atomic_add(n_r, path[i], 1 - n_vl)
        atomic_add(w_r, path[i], (n_vl + (outcome if i % 2 == 0 else -outcome)) * UNIT)


@kernel
def back_up_value(n_v, w_v, path, depth, value):
    """Add an answer of the value network, seen by the player of the first edge, to the edges of a path."""
    amount = np.int64(np.round(value * UNIT))
    for i in range(depth):
        atomic_add(n_v, path[i], 1)
        atomic_add(w_v, path[i], amount if i % 2 == 0 else -amount)


@kernel
def value_seen_first(values, e, depth):
    """Return the value of the leaf behind an edge as the player of the first edge of its path sees it."""
    return float(values[e]) if depth % 2 == 0 else -float(values[e])


@kernel
def finish_without_rollout(n_r, w_r, n_v, w_v, path, depth, value, n_vl):
    """Back up a simulation without rollout: an answer of the value network."""
    for i in range(depth):
        atomic_add(n_r, path[i], 1 - n_vl)
        atomic_add(w_r, path[i], n_vl * UNIT)
    back_up_value(n_v, w_v, path, depth, value)


@kernel
def give_up(n_r, w_r, path, depth, n_vl):
    """Remove the virtual losses of a simulation that cannot be finished now."""
    for i in range(depth):
        atomic_add(n_r, path[i], -n_vl)
        atomic_add(w_r, path[i], n_vl * UNIT)


@kernel
def outcome_for(b, komi, color):
    """Return the result as the board stands: 1 if `color` wins, -1 if it loses, 0 for a draw."""
    margin = area_margin(b) - komi
    black = 1 if margin > 0 else -1 if margin < 0 else 0
    return black if color == BLACK else -black


@kernel
def _remember_reply(replies, boards, tracker, recent, moves, priors, first, count):
    """Store the most probable move of a node as the reply to the last two moves (`rollout.replies`)."""
    best = first
    for e in range(first, first + count):
        if priors[e] > priors[best]:
            best = e
    remember(replies, boards[0], tracker[0], np.int64(recent[0]), np.int64(recent[1]), np.int64(moves[best]))


@inlined_kernel
def descend(tree, rule, queue, replies, work, rng, plies):
    """Play down the tree from the root, on the worker's board, to a leaf.

    Return the depth, the last edge, and what is behind it: NONE, or BUSY if another thread is making its node.
    """
    firsts, counts, asked_policy, moves, priors = tree.first, tree.count, tree.asked_policy, tree.move, tree.prior
    n_r, w_r, n_v, w_v, children = tree.n_r, tree.w_r, tree.n_v, tree.w_v, tree.child
    boards, tracker, hashes, history, path = work.rollout.board, work.tracker, work.hashes, work.history, work.path
    b, t, recent = boards[0], tracker[0], history[0].recent
    depth, child, e = 0, np.int64(0), np.int64(0)
    while child >= 0:
        claimed = rule.has_policy and compare_and_swap(asked_policy, child, NOT_ASKED, ASKED)
        if claimed and not ask(queue, boards, history, child, NONE, path, depth):
            atomic_store(asked_policy, child, NOT_ASKED)  # the queue is full; the next visit asks again
        first, count = np.int64(firsts[child]), np.int64(counts[child])
        if rule.has_replies:
            _remember_reply(replies, boards, tracker, recent, moves, priors, first, count)
        if rule.kind == PUCT:
            e = best_puct(rule, first, count, priors, n_r, w_r, n_v, w_v)
        elif rule.kind == UCB1:
            e = best_ucb1(rule, first, count, n_r, w_r, rng)
        else:
            e = least_visited(first, count, n_r)
        atomic_add(n_r, e, rule.n_vl)
        atomic_add(w_r, e, -rule.n_vl * UNIT)
        path[depth] = e
        depth += 1
        move = np.int64(moves[e])
        if rule.has_tree_policy:
            play_tracked(b, t, move)
        else:
            play(b, move)
        hashes[plies + depth - 1] = b.hash
        note_move(history[0], b, move)
        child = np.int64(atomic_load(children, e))
        if (b.passes >= 2) | (depth == MOST_DEPTH):
            child = np.int64(NONE)
    return depth, e, child


@inlined_kernel
def ask_networks(tree, rule, queue, work, e, made, claimed, depth):
    """Ask for the priors of a new node, and for the value of the leaf if this thread has claimed that.

    Return False if the queue is full: then nothing has been asked.
    """
    wants_priors = rule.has_policy and made >= 0 and compare_and_swap(tree.asked_policy, made, NOT_ASKED, ASKED)
    if not claimed and not wants_priors:
        return True
    node, edge = made if wants_priors else np.int64(NONE), e if claimed else np.int64(NONE)
    if ask(queue, work.rollout.board, work.history, node, edge, work.path, depth):
        return True
    if wants_priors:
        atomic_store(tree.asked_policy, made, NOT_ASKED)
    if claimed:
        atomic_store(tree.asked_value, e, NOT_ASKED)
    return False


@inlined_kernel
def roll_out(tree, rule, queue, playouts, work, rng, e, made, depth, color):
    """Evaluate a leaf by a rollout and back up. Ask the value network about it on the first visit."""
    boards, history, path = work.rollout.board, work.history, work.path
    recent = history[0].recent
    if boards[0].passes < 2:
        claimed = rule.has_value and compare_and_swap(tree.asked_value, e, NOT_ASKED, ASKED)
        ask_networks(tree, rule, queue, work, e, made, claimed, depth)
        policy_playout(playouts, work.rollout, np.int64(recent[0]), np.int64(recent[1]), rng)
        outcome = outcome_for(boards[0], rule.komi, color)
    else:
        outcome = outcome_for(boards[0], rule.komi, color)
        if rule.has_value:  # the network need not be asked: this is certain
            back_up_value(tree.n_v, tree.w_v, path, depth, float(outcome))
    back_up(tree.n_r, tree.w_r, path, depth, outcome, rule.n_vl)


@inlined_kernel
def _ask_for_value(tree, rule, queue, work, e, made, claimed, depth, color):
    """Evaluate a leaf by the value network alone. Ask it if this thread has claimed the request."""
    boards, path = work.rollout.board, work.path
    n_r, w_r, n_v, w_v = tree.n_r, tree.w_r, tree.n_v, tree.w_v
    if claimed:
        if ask_networks(tree, rule, queue, work, e, made, claimed, depth):
            return ELSEWHERE
    elif boards[0].passes >= 2:
        value = float(outcome_for(boards[0], rule.komi, color))
        finish_without_rollout(n_r, w_r, n_v, w_v, path, depth, value, rule.n_vl)
        return OVER
    elif atomic_load(tree.asked_value, e) == ANSWERED:
        value = value_seen_first(tree.value, e, depth)
        finish_without_rollout(n_r, w_r, n_v, w_v, path, depth, value, rule.n_vl)
        return OVER
    give_up(n_r, w_r, path, depth, rule.n_vl)
    return GIVEN_UP


@kernel
def run_simulations(tree, rule, root, queue, policy, playouts, work, rng, control, budget):
    """Run simulations until the shared budget is spent, STOP is set, or this thread must wait for a network.

    `policy` gives new nodes their priors, `playouts` plays the rollouts.
    """
    boards, tracker, hashes, history = work.rollout.board, work.tracker, work.hashes, work.history
    start, start_tracker, start_history, recent = root.board, root.tracker, root.history, history[0].recent
    b, t, children, n_r, asked_value = boards[0], tracker[0], tree.child, tree.n_r, tree.asked_value
    plies, color, replies = len(root.hashes), np.int64(start[0].to_move), playouts.replies
    most_edges = 1 + start[0].rows * start[0].columns
    hashes[:plies] = root.hashes
    while atomic_load(control, STOP) == 0:
        started = atomic_load(control, STARTED)
        if started >= budget:
            return
        if not compare_and_swap(control, STARTED, started, started + 1):
            continue  # another thread was quicker; to count beyond the budget and back again would turn others away
        boards[0] = start[0]
        history[0] = start_history[0]
        if rule.has_tree_policy:
            tracker[0] = start_tracker[0]
        depth, e, child = descend(tree, rule, queue, replies, work, rng, plies)
        is_over = b.passes >= 2
        claimed = (not rule.has_rollouts) and (not is_over) and compare_and_swap(asked_value, e, NOT_ASKED, ASKED)
        may_grow = rule.has_rollouts or claimed or asked_value[e] == ANSWERED
        is_due = may_grow & (not is_over) & (child == NONE) & (n_r[e] - rule.n_vl + 1 > control[N_THR])
        made = np.int64(NONE)
        if is_due and not is_full(tree, most_edges) and compare_and_swap(children, e, NONE, BUSY):
            made = make_node(rule, tree, policy, b, t, hashes, plies + depth, recent, work)
            atomic_store(children, e, made)
        if rule.has_rollouts:
            roll_out(tree, rule, queue, playouts, work, rng, e, made, depth, color)
            atomic_add(control, DONE, 1)
            continue
        became = _ask_for_value(tree, rule, queue, work, e, made, claimed, depth, color)
        if became == OVER:
            atomic_add(control, DONE, 1)
        elif became == GIVEN_UP:
            atomic_add(control, STARTED, -1)
            return
