"""Solutions of chapter 4, and answers that must be rejected."""

import math
from typing import Any

from classroom.game_trees import Tree


def alphabeta(tree: Tree, is_black: bool = True, alpha: float = -math.inf, beta: float = math.inf) -> tuple[float, int]:
    if not isinstance(tree, list):
        return tree, 1
    best, leaves = (-math.inf if is_black else math.inf), 0
    for child in tree:
        value, seen = alphabeta(child, not is_black, alpha, beta)
        leaves += seen
        if is_black:
            best, alpha = max(best, value), max(alpha, value)
        else:
            best, beta = min(best, value), min(beta, value)
        if alpha >= beta:
            break
    return best, leaves


def without_cuts(tree: Tree, is_black: bool = True) -> tuple[float, int]:
    if not isinstance(tree, list):
        return tree, 1
    found = [without_cuts(child, not is_black) for child in tree]
    return (max if is_black else min)(value for value, _ in found), sum(leaves for _, leaves in found)


def for_white(tree: Tree) -> tuple[float, int]:
    return alphabeta(tree, is_black=False)


SOLUTIONS: dict[str, Any] = {
    "4.minimax": 5,
    "4.leaves": 6,
    "4.alphabeta": alphabeta,
    "4.flat": 0.75,
    "4.bound": 1.71,
    "4.depth": 4,
}
MISTAKES: dict[str, list[Any]] = {
    "4.minimax": [9, 1, 2, "5"],
    "4.leaves": [8, 7, 5],
    "4.alphabeta": [without_cuts, for_white, lambda tree: 5, 6],
    "4.flat": [0.0, 0.25, 0.5],
    "4.bound": [1.72, 1.46, 2.15, "b1"],
    "4.depth": [5, 3, 4.5],
}
