"""The checks of chapter 2."""

from collections.abc import Callable

import numpy as np

from classroom.exercises import Exercise, is_function, is_number


def _liberty_planes(function: Callable) -> str | None:
    rng = np.random.default_rng(3)
    liberties = rng.integers(0, 12, (9, 9))
    liberties[0, :3] = (7, 8, 11)
    planes = np.asarray(function(liberties.copy()))
    if planes.shape != (8, 9, 9):
        return f"The result has the shape {planes.shape}, not (8, 9, 9)."
    if planes[:, liberties == 0].any():
        return "Empty points have no chain: all planes are 0 there."
    for number in range(1, 8):
        if not (planes[number - 1] == (liberties == number)).all():
            return f"Plane {number - 1}, for {number} liberties, is not right."
    if not (planes[7] == (liberties >= 8)).all():
        return "The last plane stands for 8 liberties or more."
    return None


def _convolve(function: Callable) -> str | None:
    rng = np.random.default_rng(4)
    for size in (3, 9):
        plane, kernel = rng.integers(0, 2, (size, size)), rng.integers(-3, 4, (3, 3))
        found = np.asarray(function(plane.copy(), kernel.copy()))
        if found.shape != plane.shape:
            return f"A plane of {size}x{size} must give {size}x{size} results, not the shape {found.shape}."
        padded, exact = np.pad(plane, 1), np.zeros((size, size))
        for row, column in np.ndindex(plane.shape):
            exact[row, column] = (padded[row : row + 3, column : column + 3] * kernel).sum()
        if np.abs(found - exact).max() > 1e-6:
            if np.abs(found - _mirrored(plane, kernel)).max() < 1e-6:
                return "Your kernel is mirrored: the weight above must meet the value above."
            return "Some results are not right; look at the edges first."
    return None


def _mirrored(plane: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    padded, result = np.pad(plane, 1), np.zeros(plane.shape)
    for row, column in np.ndindex(plane.shape):
        result[row, column] = (padded[row : row + 3, column : column + 3] * kernel[::-1, ::-1]).sum()
    return result


EXERCISES = [
    Exercise(
        "first_layer",
        "Each of the 192 kernels has 5 times 5 weights for each of the 49 planes.",
        is_number(
            5 * 5 * 49 * 192,
            mistakes={
                5 * 5 * 48 * 192: "That is the policy network. The value network has one plane more.",
                5 * 5 * 192: "A kernel has weights for each of the planes.",
                5 * 5 * 49: "That is one kernel.",
            },
        ),
    ),
    Exercise(
        "padding",
        "The kernel fits in from row 1 to row 5 first, and from row 19 to row 23 last.",
        is_number(19, mistakes={23: "Where the kernel would stand out, there is no result.", 18: "Count both ends."}),
    ),
    Exercise("liberty_planes", "Compare the array with each number: (liberties == k).", is_function(_liberty_planes)),
    Exercise(
        "reach",
        "One layer sees one point further to each side. From the middle to the edge there are 9 points.",
        is_number(9, mistakes={19: "The middle is in the middle.", 8: "Count the steps from the middle to the edge."}),
    ),
    Exercise(
        "convolve",
        "padded[1 + dr : ..., 1 + dc : ...] times kernel[1 + dr, 1 + dc], for dr and dc from -1 to 1.",
        is_function(_convolve),
    ),
]
