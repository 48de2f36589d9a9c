"""Solutions of chapter 1, and answers that its checks must reject."""

import math

import numpy as np


def chances(scores: np.ndarray, temperature: float) -> np.ndarray:
    """Return the softmax of scores at a temperature."""
    cooled = np.asarray(scores, float) / temperature
    raised = np.exp(cooled - cooled.max())
    return raised / raised.sum()


def gradient(features: np.ndarray, scores: np.ndarray, played: int) -> np.ndarray:
    """Return the gradient of the log-likelihood of the played move, by feature."""
    return features[played] - chances(scores, 1.0) @ features


def _overflows(scores: np.ndarray, temperature: float) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        raised = np.exp(scores / temperature)
        return raised / raised.sum()


SOLUTIONS = {
    "1.score": 4,
    "1.two_moves": math.exp(5) / (math.exp(5) + math.exp(3)),
    "1.temperature": chances,
    "1.gradient": gradient,
    "1.rollouts": 1 / (400 * 2e-6),
}
MISTAKES = {
    "1.score": [6, 3, None],
    "1.two_moves": [5 / 8, 0.12, 1],
    "1.temperature": [_overflows, lambda scores, t: chances(scores, 1.0), lambda scores, t: scores, 1.0],
    "1.gradient": [
        lambda features, scores, played: features[played],
        lambda features, scores, played: features[played] - features.mean(axis=0),
        lambda features, scores, played: chances(scores, 1.0) @ features - features[played],
    ],
    "1.rollouts": [2500, 0.8, 500],
}
