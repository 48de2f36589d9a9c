"""The checks of chapter 1."""

import math
from collections.abc import Callable

import numpy as np

from classroom.exercises import Exercise, is_function, is_number


def _softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def _temperature(function: Callable) -> str | None:
    for scores, temperature in (
        ([5.0, 3.0, 1.0], 1.0),
        ([5.0, 3.0, 1.0], 2.0),
        ([0.0, 1.0], 0.5),
        ([1000.0, 1001.0], 1.0),
    ):
        found = np.asarray(function(np.array(scores), temperature), float)
        if found.shape != (len(scores),):
            return f"For {len(scores)} scores there must be {len(scores)} chances."
        if not np.isfinite(found).all():
            return f"The scores {scores} give chances that are not numbers: exp of 1,000 is too large."
        if abs(found.sum() - 1) > 1e-6:
            return f"The chances of the scores {scores} add up to {found.sum():.3f}, not to 1."
        if np.abs(found - _softmax(np.array(scores) / temperature)).max() > 1e-6:
            return f"The chances of the scores {scores} at temperature {temperature:g} are not right."
    return None


def _gradient(function: Callable) -> str | None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        features = (rng.random((6, 4)) < 0.5).astype(float)
        weights, played = rng.normal(size=4), int(rng.integers(6))
        found = np.asarray(function(features, features @ weights, played), float)
        if found.shape != (4,):
            return f"There are 4 features, so the gradient has 4 numbers, not the shape {found.shape}."
        exact = np.array([_slope(features, weights, played, k) for k in range(4)])
        if np.abs(found - exact).max() > 1e-4:
            wrong = int(np.abs(found - exact).argmax())
            return f"A small change of the weight of feature {wrong} changes the log-likelihood by another amount."
    return None


def _slope(features: np.ndarray, weights: np.ndarray, played: int, feature: int, step: float = 1e-5) -> float:
    """Return a derivative of the log-likelihood by finite differences."""
    values = []
    for sign in (1, -1):
        moved = weights.copy()
        moved[feature] += sign * step
        values.append(math.log(_softmax(features @ moved)[played]))
    return (values[0] - values[1]) / (2 * step)


EXERCISES = [
    Exercise(
        "score",
        "Capture is worth 3, escape from atari 2, being next to the last move 1.",
        is_number(4, mistakes={6: "The move saves nothing, so the feature escape does not fire."}),
    ),
    Exercise(
        "two_moves",
        "exp(5) / (exp(5) + exp(3)). Only the difference of the scores matters.",
        is_number(1 / (1 + math.exp(-2)), 0.005, mistakes={5 / 8: "Scores are not chances: raise e to them first."}),
    ),
    Exercise(
        "temperature",
        "Divide by the temperature, subtract the largest value, and then take exp.",
        is_function(_temperature),
    ),
    Exercise(
        "gradient",
        "The features of the played move, minus the mean of all features, weighted with the chances.",
        is_function(_gradient),
    ),
    Exercise(
        "rollouts",
        "400 moves of 2 µs are 0.8 ms.",
        is_number(1250, 0.5, mistakes={2500: "That is for 200 moves.", 0.8: "That is a rollout in milliseconds."}),
    ),
]
