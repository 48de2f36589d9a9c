"""The checks of chapter 4."""

import random
from collections.abc import Callable

from classics.bandit import slides_tree, ucb1
from classroom.costs import GO_MOVES, depth_within
from classroom.exercises import Exercise, is_function, is_number
from classroom.game_trees import Tree, random_tree, search

TREE: Tree = [[4, 9, 2], [7, 5], [1, 8, 6]]


def alphabeta_cases(function: Callable) -> str | None:
    rng = random.Random(4)
    trees: list[Tree] = [7, TREE, [[[3, 5], [6, 9]], [[1, 2], [0, -1]]]]
    trees += [random_tree(width, depth, rng) for width, depth in ((2, 3), (3, 3), (2, 5), (3, 4))]
    for tree in trees:
        value, leaves = function(tree)
        wanted = search(tree)
        if value != wanted.value:
            return f"The value of {_short(tree)} is not {value}."
        if leaves == len(search(tree, prunes=False).leaves) != len(wanted.leaves):
            return f"It looks at all {leaves} leaves of {_short(tree)}: nothing is cut off."
        if leaves != len(wanted.leaves):
            return f"The value of {_short(tree)} is right, but alpha-beta does not look at {leaves} of its leaves."
    return None


def _short(tree: Tree) -> str:
    text = str(tree)
    return text if len(text) < 60 else "a larger tree"


EXERCISES = [
    Exercise(
        "minimax",
        "White takes the smallest of each group, black the largest of these.",
        is_number(
            search(TREE).value, 0, {9: "White chooses in the groups, and wants little.", 1: "Black chooses last."}
        ),
    ),
    Exercise(
        "leaves",
        "In the third group, compare its first leaf with what black already has.",
        is_number(len(search(TREE).leaves), 0, {8: "These are all leaves: something can be cut off."}),
    ),
    Exercise(
        "alphabeta",
        "Hand alpha and beta down, return the value and the leaves of a subtree, and stop when alpha >= beta.",
        is_function(alphabeta_cases),
    ),
    Exercise(
        "flat",
        "Each reply is played equally often.",
        is_number(
            0.75,
            1e-6,
            {
                0.0: "That is what b1 is really worth.",
                0.25: "That is white's share.",
                0.5: "There are four replies now.",
            },
        ),
    ),
    Exercise(
        "bound",
        "b1 has then 2 wins in 4 trials, and there are 19 trials in all.",
        is_number(
            ucb1(2, 4, 19),
            0.006,
            {
                ucb1(1, 3, 18): "That is the bound before the trial.",
                ucb1(1, 4, 19): "That is the bound if black loses.",
                slides_tree(2, 4, 19): "This has the fraction inside the logarithm, as on the slides.",
            },
        ),
    ),
    Exercise(
        "depth",
        "250^d must not be more than 60 · 10^9.",
        is_number(int(depth_within(GO_MOVES, 60e9)), 0, {5: "250^5 is about 10^12: too many."}),
    ),
]
