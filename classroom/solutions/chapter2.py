"""Solutions of chapter 2, and answers that its checks must reject."""

import numpy as np


def liberty_planes(liberties: np.ndarray) -> np.ndarray:
    """Return eight planes of a number of liberties."""
    return np.array([liberties == k for k in range(1, 8)] + [liberties >= 8]).astype(int)


def convolve(plane: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Return the convolution of a plane with a 3x3 kernel, with zeros around it."""
    padded, (rows, columns) = np.pad(plane, 1), plane.shape
    return sum(kernel[r, c] * padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3))


def _wraps_around(plane: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    return sum(kernel[r, c] * np.roll(plane, (1 - r, 1 - c), (0, 1)) for r in range(3) for c in range(3))


SOLUTIONS = {
    "2.first_layer": 5 * 5 * 49 * 192,
    "2.padding": 23 - 5 + 1,
    "2.liberty_planes": liberty_planes,
    "2.reach": 9,
    "2.convolve": convolve,
}
MISTAKES = {
    "2.first_layer": [230_400, 4_800, 1_225],
    "2.padding": [23, 18, 20],
    "2.liberty_planes": [
        lambda liberties: np.array([liberties == k for k in range(1, 9)]),
        lambda liberties: np.array([liberties == k for k in range(8)]),
        lambda liberties: liberties,
    ],
    "2.reach": [19, 8, 3],
    "2.convolve": [
        _wraps_around,
        lambda plane, kernel: convolve(plane, kernel[::-1, ::-1]),
        lambda plane, kernel: plane,
    ],
}
