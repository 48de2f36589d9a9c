"""Minimax and alpha-beta on a small tree, step by step (chapter 4).

A tree is a number, which is a leaf's value for black, or a list of trees. Black moves at the root and wants much, white
moves below and wants little. `web/tree.js` does the same search in the page while the tree is edited; the tests compare
the two. A node is named by its way from the root: "" is the root, "0.1" the second child of the first child.
"""

import math
import random
from typing import Any, NamedTuple

from classics.growth import perfect_leaves
from classics.small_trees import Node

Tree = float | list["Tree"]

SLIDES_TREE: Tree = [[3, 5], [8, 6]]  # inner values 3 and 6 are the slides'; the leaves are ours
LARGER_TREE: Tree = [[[3, 12, 8], [2, 4, 6]], [[14, 5, 2], [9, 7, 1]], [[6, 1, 5], [10, 11, 4]]]


class Found(NamedTuple):
    """The result of a search: the value of the root, the leaves in the order they were visited, and what was cut."""

    value: float
    leaves: list[str]
    cut: list[str]  # children that were never looked at
    line: str  # the leaf that both sides' best moves lead to
    steps: list[dict[str, Any]]


def search(tree: Tree, prunes: bool = True) -> Found:
    """Search a tree by alpha-beta, or by minimax if it does not prune. Record all steps.

    A step is a dictionary: `at` (the node), `do` (enter, leaf, update, cut), and the numbers at that time.
    """
    leaves: list[str] = []
    cut: list[str] = []
    steps: list[dict[str, Any]] = []

    def visit(node: Tree, name: str, is_black: bool, alpha: float, beta: float) -> tuple[float, str]:
        if not isinstance(node, list):
            leaves.append(name)
            steps.append({"at": name, "do": "leaf", "value": node})
            return node, name
        steps.append({"at": name, "do": "enter", "alpha": alpha, "beta": beta})
        best, line = (-math.inf if is_black else math.inf), ""
        for number, child in enumerate(node):
            value, way = visit(child, child_name(name, number), not is_black, alpha, beta)
            if (value > best) if is_black else (value < best):
                best, line = value, way
            alpha, beta = (max(alpha, best), beta) if is_black else (alpha, min(beta, best))
            steps.append({"at": name, "do": "update", "value": best, "alpha": alpha, "beta": beta})
            rest = [child_name(name, later) for later in range(number + 1, len(node))]
            if prunes and alpha >= beta and rest:
                cut.extend(rest)
                steps.append({"at": name, "do": "cut", "value": best, "alpha": alpha, "beta": beta, "cut": rest})
                break
        return best, line

    value, line = visit(tree, "", True, -math.inf, math.inf)
    return Found(value, leaves, cut, line, steps)


def child_name(name: str, number: int) -> str:
    return f"{name}.{number}" if name else str(number)


def as_node(tree: Tree, is_black: bool = True, name: str = "") -> Node:
    """Return a tree as a node of `classics.small_trees`."""
    turn = "black" if is_black else "white"
    if not isinstance(tree, list):
        return Node(name, turn, worth=tree)
    return Node(name, turn, [as_node(child, not is_black, child_name(name, i)) for i, child in enumerate(tree)])


def best_first(tree: Tree, is_black: bool = True) -> Tree:
    """Return the tree with the best move first in each node, which is best for alpha-beta."""
    if not isinstance(tree, list):
        return tree
    ordered = [best_first(child, not is_black) for child in tree]
    return sorted(ordered, key=lambda child: search_from(child, not is_black), reverse=is_black)


def search_from(tree: Tree, is_black: bool) -> float:
    """Return the minimax value of a tree whose root is black's or white's."""
    if not isinstance(tree, list):
        return tree
    return (max if is_black else min)(search_from(child, not is_black) for child in tree)


def random_tree(width: int, depth: int, rng: random.Random) -> Tree:
    """Return a full tree with different leaves."""
    values = rng.sample(range(1, width**depth + 1), width**depth)

    def grown(depth: int) -> Tree:
        return values.pop() if depth == 0 else [grown(depth - 1) for _ in range(width)]

    return grown(depth)


def leaves_counted(width: int, depth: int, seed: int = 1) -> dict[str, int]:
    """Return the leaves of a random tree that each search looks at, beside w^d and the least possible."""
    tree = random_tree(width, depth, random.Random(seed))
    return {
        "w^d": width**depth,
        "minimax": len(search(tree, prunes=False).leaves),
        "alpha-beta": len(search(tree).leaves),
        "alpha-beta, best move first": len(search(best_first(tree)).leaves),
        "least possible": perfect_leaves(width, depth),
    }


def page_data(*trees: tuple[str, Tree]) -> dict[str, Any]:
    """Return trees to edit as data for `tree.js`."""
    return {"mode": "edit", "trees": [{"name": name, "tree": tree} for name, tree in trees]}
