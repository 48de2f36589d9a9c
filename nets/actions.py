"""Actions: the moves as networks number them (`go.coordinates`), and where the symmetries of the board take them."""

import functools

import numpy as np

from go.coordinates import POINTS, point_from_action, symmetry_table


@functools.cache
def points_of(size: int) -> np.ndarray:
    """Return the point of each action but the pass."""
    return np.array([point_from_action(action, size) for action in range(size * size)])


@functools.cache
def action_table(size: int) -> np.ndarray:
    """Return the action of each point (-1 off the board)."""
    table = np.full(POINTS, -1, np.int64)
    table[points_of(size)] = np.arange(size * size)
    return table


def actions_of(points: np.ndarray, size: int) -> np.ndarray:
    """Return the actions of points on the board."""
    return action_table(size)[points]


@functools.cache
def images_of_actions(size: int, has_pass: bool = False) -> np.ndarray:
    """Return the image of each action under each symmetry, as [symmetry, action]; the pass is its own image."""
    images = actions_of(symmetry_table(size)[:, points_of(size)], size)
    return np.pad(images, ((0, 0), (0, 1)), constant_values=size * size) if has_pass else images


def turned(planes: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
    """Turn planes[batch, plane, row, column], each position by its own symmetry."""
    size = planes.shape[-1]
    flat = planes.reshape(*planes.shape[:2], -1)
    sources = np.argsort(images_of_actions(size), axis=1)[symmetries]  # which action goes to each place
    return np.take_along_axis(flat, sources[:, None, :], axis=2).reshape(planes.shape)


def turned_back(scores: np.ndarray, symmetries: np.ndarray, size: int) -> np.ndarray:
    """Return scores[batch, action] of turned positions by the actions of the positions themselves.

    Passing, the action after the points, stays in its place.
    """
    return scores[np.arange(len(scores))[:, None], images_of_actions(size, scores.shape[1] > size * size)[symmetries]]
