"""Solutions of chapter 3, and answers that must be rejected."""

import math
from typing import Any


def ucb1(wins: float, trials: float, total: float) -> float:
    return math.inf if trials == 0 else wins / trials + math.sqrt(2 * math.log(total) / trials)


def as_the_slides(wins: float, trials: float, total: float) -> float:
    return math.inf if trials == 0 else wins / trials + math.sqrt(2 * math.log10(total / trials))


def without_infinity(wins: float, trials: float, total: float) -> float:
    return ucb1(wins, trials, total) if trials else 0.0


def gradient(p: list[float], action: int, z: float) -> list[float]:
    return [z * ((1.0 if move == action else 0.0) - chance) for move, chance in enumerate(p)]


def without_the_others(p: list[float], action: int, z: float) -> list[float]:
    return [z * (1 - chance) if move == action else 0.0 for move, chance in enumerate(p)]


SOLUTIONS: dict[str, Any] = {
    "3.ucb1": ucb1,
    "3.tenth": 1.38,
    "3.closed_form": 38.0,
    "3.textbook": 2.44,
    "3.gradient": gradient,
    "3.days": 6.9,
}
MISTAKES: dict[str, list[Any]] = {
    "3.ucb1": [as_the_slides, without_infinity, lambda wins, trials, total: 1 / 0, 1.177],
    "3.tenth": [1.56, 1.18, 1.34, "B"],
    "3.closed_form": [85.5, 47.5, 30, "38"],
    "3.textbook": [3.0, 5.0, 1.0],
    "3.gradient": [without_the_others, lambda p, action, z: p, lambda p, action, z: gradient(p, action, 1), 0],
    "3.days": [347.2, 13.9, 0],
}
