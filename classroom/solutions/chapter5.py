"""Solutions of chapter 5, and answers that its checks must reject."""

import math
from typing import Any


def select(moves: list[tuple[float, int, float]], c_puct: float) -> int:
    """Return the place of the move with the largest Q + u."""
    root = math.sqrt(max(sum(n for _, n, _ in moves), 1))
    return max(range(len(moves)), key=lambda i: moves[i][2] + c_puct * moves[i][0] * root / (1 + moves[i][1]))


def back_up(z: int, depth: int) -> list[int]:
    """Return what is added to W_r of each edge of a path."""
    return [z if place % 2 == 0 else -z for place in range(depth)]


def _greedy(moves: list[tuple[float, int, float]], c_puct: float) -> int:
    return max(range(len(moves)), key=lambda i: moves[i][2])


def _without_constant(moves: list[tuple[float, int, float]], c_puct: float) -> int:
    return select(moves, 1.0)


def _root_of_own_visits(moves: list[tuple[float, int, float]], c_puct: float) -> int:
    return max(range(len(moves)), key=lambda i: moves[i][2] + c_puct * moves[i][0] * math.sqrt(moves[i][1]))


SOLUTIONS: dict[str, Any] = {
    "5.select": select,
    "5.mix": 0.75 * 4 / 20 + 0.25 * -10 / 50,
    "5.virtual_loss": (4 - 3) / (10 + 3),
    "5.back_up": back_up,
    "5.interleavings": 4,
    "5.threshold": 40 + 40 // 10,
}

MISTAKES: dict[str, list[Any]] = {
    "5.select": [_greedy, _without_constant, _root_of_own_visits, lambda moves, c_puct: "first", 3],
    "5.mix": [0.0, -0.1, 0.2, "0.1"],
    "5.virtual_loss": [0.4, 1 / 11, 0.1, 7 / 13],
    "5.back_up": [lambda z, depth: [z] * depth, lambda z, depth: [-z * (-1) ** i for i in range(depth)], [1, -1]],
    "5.interleavings": [2, 6, 18, 3],
    "5.threshold": [36, 41, 40, 80],
}
