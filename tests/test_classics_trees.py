"""The bandit and the trees of the slides: their numbers at each step, and where flat Monte Carlo is wrong."""

import math

import numpy as np
import pytest

from classics.bandit import (
    SLIDES_GREEDY,
    SLIDES_UCB,
    play_bandit,
    replay,
    slides_bandit,
    slides_tree,
    success_rate,
    ucb1,
)
from classics.small_trees import (
    EXPANDED_AT,
    Node,
    add_virtual_loss,
    back_up,
    best_child,
    bounds,
    flat_value,
    may_expand,
    mean_after,
    minimax,
    most_visited,
    remove_virtual_loss,
    simulate,
    slides_bounds,
    slides_minimax,
    slides_node,
    trap,
    uct,
    visits_before,
)


def test_a_greedy_player_never_comes_back_to_the_better_arm():
    table = replay(SLIDES_GREEDY, success_rate)
    assert [trial.arm for trial in table] == ["A", *"BBBBBBBB"]
    assert [trial.best for trial in table] == ["B"] * 9
    assert [f"{100 * trial.bounds['B']:.0f}" for trial in table[1:]] == [
        "100",
        "50",
        "67",
        "50",
        "60",
        "50",
        "57",
        "50",
    ]
    assert table[-1].arms == {"A": (0, 1), "B": (4, 8)}


def test_the_printed_bounds_of_the_bandit_put_the_fraction_inside_a_logarithm_to_base_10():
    table = replay(SLIDES_UCB, slides_bandit)
    printed = {
        "A": (0.00, 0.78, 0.98, 1.10, 1.18, 1.48, 1.52, 1.28, 1.31),
        "B": (1.41, 1.78, 1.09, 1.17, 0.94, 1.09, 1.20, 1.28, 1.34),
    }
    for arm, values in printed.items():
        assert [trial.bounds[arm] for trial in table] == pytest.approx(values, abs=0.0051)
    followed = [trial.arm for trial in table[1:]]
    assert [trial.best for trial in table[:-1]] == followed
    assert table[-1].best == "B"  # where the slides go on with A, against their own rule


def test_true_ucb1_parts_from_the_slides_at_the_fourth_trial():
    table = replay(SLIDES_UCB, ucb1)
    assert [trial.bounds["A"] for trial in table[1:4]] == pytest.approx([1.177, 1.482, 1.665], abs=0.0005)
    assert [trial.bounds["B"] for trial in table[1:4]] == pytest.approx([2.177, 1.548, 1.628], abs=0.0005)
    assert table[3].best == "A" and table[4].arm == "B" and table[0].bounds["B"] == math.inf
    assert table[8].bounds == pytest.approx({"A": 1.538, "B": 1.548}, abs=0.001)


def test_ucb1_finds_the_better_arm_and_greedy_play_may_not():
    chances = {"A": 0.8, "B": 0.5}
    tried = [play_bandit(chances, 1000, ucb1, np.random.default_rng(seed).random) for seed in range(20)]
    assert all(trials["A"] > 800 and trials["B"] > 5 for trials in tried)
    greedy = [play_bandit(chances, 1000, success_rate, np.random.default_rng(seed).random) for seed in range(20)]
    assert any(trials["A"] < 10 for trials in greedy)


def test_node_n1_has_the_numbers_of_the_slides():
    printed = {"b1": (0.33, 1.76, 2.10), "b2": (0.70, 1.01, 1.71), "b3": (0.40, 1.49, 1.89)}
    found = slides_bounds()
    for move, numbers in printed.items():
        assert found[move] == pytest.approx(numbers, abs=0.005)
    node = slides_node()
    assert bounds(node, ucb1) == pytest.approx({"b1": 1.721, "b2": 1.460, "b3": 1.475}, abs=0.0005)
    for formula in (slides_tree, ucb1):
        values = bounds(node, formula)
        assert max(values, key=values.get) == "b1"  # is looked at next
    assert most_visited(node).name == "b2" == max(node, key=lambda child: child.rate).name  # is played


def test_expansion_backup_virtual_loss_and_the_backup_of_zero():
    node = slides_node()
    assert [child.name for child in node if may_expand(child)] == ["b2"] and EXPANDED_AT == 10
    path = [Node("root", "white"), Node("node", "black", wins=8, visits=19), Node("leaf", "white", wins=3, visits=4)]
    back_up(path, black_wins=1.0)  # white moved to the node, so this is a loss there
    assert (path[1].wins, path[1].visits - path[1].wins) == (8, 12)
    assert (path[2].wins, path[2].visits) == (4, 5)
    before = bounds(node, ucb1)
    add_virtual_loss(node.children[0])
    assert bounds(node, ucb1)["b1"] < before["b1"]
    remove_virtual_loss(node.children[0])
    assert bounds(node, ucb1) == before
    assert mean_after(0.60, 1, 0.70) == pytest.approx(0.65) and mean_after(0.50, 3, 0.70) == pytest.approx(0.55)
    assert visits_before(0.60, 0.70, 0.65) == pytest.approx(1) and visits_before(0.50, 0.70, 0.55) == pytest.approx(3)


def test_minimax_on_the_tree_of_the_slides():
    tree = slides_minimax()
    assert [minimax(child) for child in tree] == [3, 6] and minimax(tree) == 6
    assert best_child(tree, minimax).name == "right"


def test_flat_monte_carlo_falls_into_the_trap_and_uct_does_not():
    tree = trap()
    assert {child.name: flat_value(child) for child in tree} == {"b1": 0.5, "b2": 0.4}
    assert {child.name: minimax(child) for child in tree} == {"b1": 0.0, "b2": 0.4}
    assert best_child(tree, flat_value).name == "b1" and best_child(tree, minimax).name == "b2"
    for seed in range(10):
        tree = trap()
        assert uct(tree, 500, seed).name == "b2"
        refuted = tree.children[0]
        assert most_visited(refuted).name == "w2" and refuted.rate < 0.25
        assert sum(child.visits for child in tree) == tree.visits == 500


def test_uct_without_expansion_below_the_root_is_as_wrong_as_flat_monte_carlo():
    assert uct(trap(), 2000, 1, expanded_at=10**9).name == "b1"


def test_a_simulation_backs_up_the_result_for_the_player_of_each_move():
    tree = trap()
    path = simulate(tree, lambda: 0.0)
    assert [node.name for node in path] == ["root", "b1"] and path[1].visits == 1
    assert path[1].wins == 1.0  # w1, the first reply, wins for black
    while most_visited(tree.children[0]).visits < 3:
        simulate(tree, lambda: 0.99)
    assert tree.children[0].children[0].wins == 0  # of white, who moved there and lost
