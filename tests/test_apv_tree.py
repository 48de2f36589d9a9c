"""The arithmetic of the tree: atomic sums, the formulas in closed form, backups with their signs, the pool."""

import math
import threading

import numpy as np
import pytest

from apv_mcts.atomics import atomic_add, atomic_load, atomic_store, compare_and_swap
from apv_mcts.evaluator import write_priors, write_value
from apv_mcts.reuse import copy_subtree
from apv_mcts.rules import FLAT, PUCT, UCB1, Rule, best_puct, best_ucb1, least_visited, mean_value
from apv_mcts.simulation import DONE, back_up, back_up_value, finish_without_rollout, give_up
from apv_mcts.tree import ANSWERED, EDGES, NODES, NONE, UNIT, is_full, new_tree, take_node
from go.coordinates import PASS, point_from_action
from go.jit import kernel
from go.playout import new_rng
from nets.actions import action_table

PAPER = Rule(PUCT, 0.5, 5.0, 3, True, True, True, True, False, 0.01, 7.5)


@kernel
def _count_up(numbers, times):
    for _ in range(times):
        atomic_add(numbers, 0, 1)
        atomic_add(numbers, 1, -2)
        while True:
            old = atomic_load(numbers, 2)
            if compare_and_swap(numbers, 2, old, old + 3):
                break
    atomic_store(numbers, 3, 7)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_atomic_operations_lose_nothing_between_threads(kind):
    numbers = np.zeros(4, kind)
    threads = [threading.Thread(target=_count_up, args=(numbers, 50_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers.tolist() == [200_000, -400_000, 600_000, 7]


def test_compare_and_swap_leaves_what_is_not_as_expected():
    @kernel
    def try_to(numbers, expected):
        return compare_and_swap(numbers, 1, expected, 9)

    numbers = np.array([1, 2, 3], np.int32)
    assert not try_to(numbers, 5) and numbers.tolist() == [1, 2, 3]
    assert try_to(numbers, 2) and numbers.tolist() == [1, 9, 3]


def edges_of(rows):
    """Return prior, N_r, W_r, N_v, W_v as arrays, from rows of (P, N_r, Q_r, N_v, Q_v)."""
    prior, n_r, q_r, n_v, q_v = (np.array(column, float) for column in zip(*rows, strict=True))
    sums = [np.round(n * q * UNIT).astype(np.int64) for n, q in ((n_r, q_r), (n_v, q_v))]
    return prior.astype(np.float32), n_r.astype(np.int32), sums[0], n_v.astype(np.int32), sums[1]


def puct_by_hand(row, total, rule):
    p, n_r, q_r, _, q_v = row
    q = (1 - rule.lambda_mix) * q_v + rule.lambda_mix * q_r
    return q + rule.c_puct * p * math.sqrt(total) / (1 + n_r)


@pytest.mark.parametrize("lambda_mix", [0.0, 0.3, 0.5, 1.0])
def test_the_edge_with_the_largest_q_and_u_is_chosen(lambda_mix):
    rng, rule = np.random.default_rng(7), PAPER._replace(lambda_mix=lambda_mix)
    for _ in range(200):
        rows = [
            (p, int(n), round(float(rng.uniform(-1, 1)), 3), int(m), round(float(rng.uniform(-1, 1)), 3))
            for p, n, m in zip(rng.dirichlet(np.ones(9)), rng.integers(1, 90, 9), rng.integers(1, 90, 9), strict=True)
        ]
        total = sum(row[1] for row in rows)
        values = [puct_by_hand(row, total, rule) for row in rows]
        chosen = best_puct(rule, 0, len(rows), *edges_of(rows))
        assert values[chosen] == pytest.approx(max(values), abs=1e-5)


def test_puct_on_a_tree_made_by_hand():
    """Extended Data Table 5: c_puct 5, lambda 0.5. Sum of N_r is 16, so u = 20 P / (1 + N_r)."""
    rows = [(0.5, 9, 0.2, 4, 0.4), (0.3, 4, -0.5, 2, 0.1), (0.15, 3, 0.1, 3, 0.0), (0.05, 0, 0.0, 0, 0.0)]
    values = [0.3 + 1.0, -0.2 + 1.2, 0.05 + 0.75, 0.0 + 1.0]
    prior, n_r, w_r, n_v, w_v = edges_of(rows)
    scale = 5 * math.sqrt(16)
    for e, value in enumerate(values):
        q = mean_value(PAPER, int(n_r[e]), int(w_r[e]), int(n_v[e]), int(w_v[e]))
        assert q + scale * prior[e] / (1 + n_r[e]) == pytest.approx(value, abs=1e-5)
    assert best_puct(PAPER, 0, 4, prior, n_r, w_r, n_v, w_v) == 0
    n_r[0] += 3  # three virtual losses: N_r 12 and W_r 1.8 - 3
    w_r[0] -= 3 * UNIT
    assert best_puct(PAPER, 0, 4, prior, n_r, w_r, n_v, w_v) == 1  # -0.2 + 5 * 0.3 * sqrt(19) / 5 = 1.108


def test_exploration_is_that_of_all_visits_not_only_of_the_path():
    """Visits of one move make the others more interesting."""
    rows = [(0.5, 10, 0.0, 0, 0.0), (0.5, 10, 0.0, 0, 0.0)]
    prior, n_r, w_r, n_v, w_v = edges_of(rows)
    n_r[0] = 400
    assert best_puct(PAPER, 0, 2, prior, n_r, w_r, n_v, w_v) == 1


def test_parts_of_the_value_that_are_missing_leave_the_whole_to_the_other():
    assert mean_value(PAPER, 4, 2 * UNIT, 0, 0) == 0.5
    assert mean_value(PAPER, 0, 0, 4, -2 * UNIT) == -0.5
    assert mean_value(PAPER, 0, 0, 0, 0) == 0
    without = PAPER._replace(has_rollouts=False)
    assert mean_value(without, 4, 0, 4, 2 * UNIT) == 0.5
    assert mean_value(without, 7, -3 * UNIT, 4, 2 * UNIT) == pytest.approx((2 - 3) / 7)  # three visits under way


def test_ucb1_tries_everything_once_and_then_goes_by_the_bound():
    rule = PAPER._replace(kind=UCB1, c_puct=math.sqrt(2))
    n_r, w_r = np.array([3, 0, 5], np.int32), np.zeros(3, np.int64)
    assert best_ucb1(rule, 0, 3, n_r, w_r, new_rng(1)) == 1
    n_r = np.array([3, 10, 5], np.int32)
    wins = np.array([1, 7, 2])
    w_r = np.array([(2 * w - n) * UNIT for w, n in zip(wins, n_r, strict=True)], np.int64)
    bounds = [(2 * w / n - 1) + math.sqrt(2 * math.log(18) / n) for w, n in zip(wins, n_r, strict=True)]
    assert best_ucb1(rule, 0, 3, n_r, w_r, new_rng(1)) == int(np.argmax(bounds))
    assert least_visited(0, 3, n_r) == 0 and FLAT not in (PUCT, UCB1)


def test_outcomes_change_their_sign_from_edge_to_edge():
    """What is good for one player is bad for the other."""
    tree = new_tree(1, 4)
    path = np.array([0, 1, 2], np.int32)
    tree.n_r[:3] += 3
    tree.w_r[:3] -= 3 * UNIT
    back_up(tree.n_r, tree.w_r, path, 3, 1, 3)
    assert tree.n_r.tolist() == [1, 1, 1, 0] and (tree.w_r // UNIT).tolist() == [1, -1, 1, 0]
    back_up_value(tree.n_v, tree.w_v, path, 3, 0.25)
    assert tree.n_v.tolist() == [1, 1, 1, 0] and (tree.w_v / UNIT).tolist() == [0.25, -0.25, 0.25, 0]
    tree.n_r[:3] += 3
    tree.w_r[:3] -= 3 * UNIT
    give_up(tree.n_r, tree.w_r, path, 3, 3)
    assert tree.n_r.tolist() == [1, 1, 1, 0] and (tree.w_r // UNIT).tolist() == [1, -1, 1, 0]
    tree.n_r[:2] += 3
    tree.w_r[:2] -= 3 * UNIT
    finish_without_rollout(tree.n_r, tree.w_r, tree.n_v, tree.w_v, path, 2, -1.0, 3)
    assert tree.n_r.tolist() == [2, 2, 1, 0] and (tree.w_v / UNIT).tolist() == [-0.75, 0.75, 0.25, 0]


@pytest.mark.parametrize(("depth", "seen"), [(1, -0.5), (2, 0.5)])
def test_a_value_is_that_of_the_player_to_move_behind_the_last_edge(depth, seen):
    tree, control = new_tree(1, 4), np.zeros(8, np.int64)
    path = np.array([2, 3], np.int32)
    write_value(tree, PAPER, path[depth - 1], path, depth, 0.5, control)
    assert tree.w_v[2] / UNIT == seen and tree.n_v[2] == 1 and control[DONE] == 0
    assert tree.value[path[depth - 1]] == 0.5 and tree.asked_value[path[depth - 1]] == ANSWERED


@pytest.mark.parametrize("has_pass", [False, True])
def test_priors_are_the_softmax_at_temperature_beta(has_pass):
    size = 3
    tree = new_tree(1, 4)
    moves = [point_from_action(action, size) for action in (0, 1, 5)]
    node = take_node(tree, 4)
    tree.move[:4] = [*moves, PASS]
    tree.prior[:4] = [0.5, 0.3, 0.1, 0.1]
    rng = np.random.default_rng(3)
    scores = rng.normal(size=10 if has_pass else 9).astype(np.float32)
    write_priors(tree, node, scores, action_table(size), has_pass, 0.67, 0.1)
    if has_pass:  # the network has a score for passing, the last one
        wanted = np.exp(scores[[0, 1, 5, 9]].astype(float) / 0.67)
        assert tree.prior[:4] == pytest.approx(wanted / wanted.sum(), abs=1e-5)
    else:  # passing keeps its prior
        wanted = np.exp(scores[[0, 1, 5]].astype(float) / 0.67)
        assert tree.prior[:3] == pytest.approx(0.9 * wanted / wanted.sum(), abs=1e-5)
        assert tree.prior[3] == pytest.approx(0.1)
    assert tree.asked_policy[node] == ANSWERED


def test_the_pool_gives_what_it_has_and_counts_what_is_in_use():
    tree = new_tree(3, 10)
    assert [take_node(tree, 4), take_node(tree, 4), take_node(tree, 4)] == [0, 1, NONE]
    assert tree.counters[[NODES, EDGES]].tolist() == [2, 8]
    assert take_node(tree, 2) == 2 and take_node(tree, 1) == NONE
    assert tree.first[:3].tolist() == [0, 4, 8] and tree.counters[[NODES, EDGES]].tolist() == [3, 10]
    assert is_full(tree, 1) and not is_full(new_tree(1, 1), 1)


@kernel
def _take_nodes(tree, edges, taken, waiting, threads):
    atomic_add(waiting, 0, 1)
    while atomic_load(waiting, 0) < threads:
        pass
    for i in range(len(edges)):
        taken[i] = take_node(tree, edges[i])


def test_no_two_threads_are_given_the_same_node():
    """A thread whose edges no longer fit must not give a node back that is below one taken meanwhile."""
    rng = np.random.default_rng(1)
    for _ in range(600):
        tree, waiting = new_tree(600, 400), np.zeros(1, np.int64)
        edges = [rng.choice([1, 1, 1, 40], 200) for _ in range(2)]
        taken = [np.full(200, NONE) for _ in range(2)]
        threads = [
            threading.Thread(target=_take_nodes, args=(tree, *pair, waiting, 2))
            for pair in zip(edges, taken, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        nodes = np.concatenate(taken)
        asked = np.concatenate(edges)[nodes != NONE]
        nodes = nodes[nodes != NONE]
        assert sorted(nodes.tolist()) == list(range(len(nodes))) and tree.counters[NODES] == len(nodes)
        assert (tree.count[nodes] == asked).all() and tree.counters[EDGES] == asked.sum() <= 400
        used = np.concatenate([np.arange(tree.first[n], tree.first[n] + tree.count[n]) for n in nodes])
        assert sorted(used.tolist()) == list(range(len(used)))


def test_a_subtree_is_copied_whole_and_nothing_else_is():
    old, new = new_tree(10, 40), new_tree(10, 40)
    for edges in (3, 2, 2, 1):
        take_node(old, edges)
    old.n_r[:8] = range(10, 18)
    old.w_v[:8] = range(20, 28)
    old.move[:8] = range(30, 38)
    old.child[0], old.child[2], old.child[5] = 1, 2, 3  # nodes 1 and 2 below the root, 3 below node 2
    assert copy_subtree(old, new, 2, np.zeros(10, np.int32)) == 2
    assert new.counters[[NODES, EDGES]].tolist() == [2, 3]
    assert new.first[:2].tolist() == [0, 2] and new.count[:2].tolist() == [2, 1]
    assert new.n_r[:3].tolist() == [15, 16, 17] and new.w_v[:3].tolist() == [25, 26, 27]
    assert new.move[:3].tolist() == [35, 36, 37] and new.child[:3].tolist() == [1, NONE, NONE]
