"""What a policy network is given: its planes, and beside them which moves may share the probability.

A network that sees few planes still chooses among the same moves: what it may play is encoded with its planes, and cut
off before the network sees it.
"""

import functools

import numpy as np

from features48.encoder import Encoder
from features48.groups import GROUPS, groups_of
from go.coordinates import POINTS, point_from_action, symmetry_table

# Each legal move leaves its chain with some number of liberties, so one of these planes tells that it is legal.
TOLD_BY = {"sensible": "sensibleness", "legal": "liberties_after"}


class Inputs:
    """The planes of a network on some threads, and the moves that it may choose from."""

    def __init__(self, planes: int, moves: str, threads: int = 1) -> None:
        names, told_by = groups_of(planes), TOLD_BY[moves]
        wanted = names if told_by in names else (*names, told_by)
        self.planes = planes
        self.encoder = Encoder(wanted, threads)
        first = sum(GROUPS[name].planes for name in wanted[: wanted.index(told_by)])
        self.telling = slice(first, first + GROUPS[told_by].planes)

    def split(self, encoded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the network sees, and bool[batch, actions] with the moves to choose from."""
        allowed = encoded[:, self.telling].any(axis=1).reshape(len(encoded), -1)
        return encoded[:, : self.planes], allowed


@functools.cache
def points_of(size: int) -> np.ndarray:
    """Return the point of each action but the pass (`go.coordinates`)."""
    return np.array([point_from_action(action, size) for action in range(size * size)])


@functools.cache
def action_table(size: int) -> np.ndarray:
    """Return by point its action, -1 off the board."""
    table = np.full(POINTS, -1, np.int64)
    table[points_of(size)] = np.arange(size * size)
    return table


def actions_of(points: np.ndarray, size: int) -> np.ndarray:
    """Return the actions of points on the board."""
    return action_table(size)[points]


@functools.cache
def images_of_actions(size: int) -> np.ndarray:
    """Return by symmetry and action where the action goes."""
    return actions_of(symmetry_table(size)[:, points_of(size)], size)


def turned(planes: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Turn planes[batch, plane, row, column] by a symmetry, given as a row of `images_of_actions`."""
    flat = planes.reshape(*planes.shape[:2], -1)
    out = np.empty_like(flat)
    out[:, :, images] = flat
    return out.reshape(planes.shape)
