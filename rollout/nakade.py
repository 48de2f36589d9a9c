"""Nakade: the space that captured stones leave, and each point in it.

After a move captures three to six connected stones, their owner may play into the space that they left. The feature is
the shape of the space, up to the eight symmetries, and the point in it. There are 2, 5, 12 and 35 shapes of three,
four, five and six points. Points that a symmetry of the shape maps to each other count as one.
"""

import functools

import numpy as np

from go.coordinates import STRIDE
from go.jit import kernel

SIZES = (3, 4, 5, 6)
BOX = 6  # width of a square that every shape fits into

Cells = tuple[tuple[int, int], ...]


def _at_origin(cells: set[tuple[int, int]]) -> Cells:
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))


def _images(cells: Cells) -> list[list[tuple[int, int]]]:
    """Return the eight images of a shape. The order of the cells is kept."""
    images = []
    for symmetry in range(8):
        turned = [(column, row) if symmetry & 4 else (row, column) for row, column in cells]
        images.append([(-r if symmetry & 2 else r, -c if symmetry & 1 else c) for r, c in turned])
    return images


@functools.cache
def shapes() -> dict[int, list[Cells]]:
    """Return all connected shapes by size, from the single point up, in all orientations."""
    found = {1: [((0, 0),)]}
    for size in range(2, max(SIZES) + 1):
        grown = {
            _at_origin({*cells, (row + down, column + right)})
            for cells in found[size - 1]
            for row, column in cells
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if (row + down, column + right) not in cells
        }
        found[size] = sorted(grown)
    return found


def _code(cells: Cells) -> int:
    return sum(1 << (BOX * row + column) for row, column in cells)


@functools.cache
def shape_table() -> tuple[np.ndarray, np.ndarray, int]:
    """Return the sorted codes of all shapes, the features of their points in reading order, and the number of features.

    A shape is named by its smallest image. Of equivalent points, the first one names the feature.
    """
    features: dict[tuple[int, int], int] = {}
    rows = []
    for size in SIZES:
        for cells in shapes()[size]:
            names = []
            for index in range(size):
                placed = []
                for image in _images(cells):
                    normal = _at_origin(set(image))
                    top, left = min(r for r, _ in image), min(c for _, c in image)
                    row, column = image[index]
                    placed.append((_code(normal), normal.index((row - top, column - left))))
                names.append(features.setdefault(min(placed), len(features)))
            rows.append((_code(cells), names + [-1] * (max(SIZES) - size)))
    rows.sort()
    codes = np.array([code for code, _ in rows], np.int64)
    return codes, np.array([names for _, names in rows], np.int32), len(features)


@kernel
def find_nakade(taken, count, codes, points):
    """Write the points of captured stones in reading order. Return the row of their shape, or -1 if there is none."""
    if (count < 3) | (count > 6):
        return -1
    top, left = np.int64(1000), np.int64(1000)
    for i in range(count):
        top = min(top, np.int64(taken[i]) // STRIDE)
        left = min(left, np.int64(taken[i]) % STRIDE)
    for i in range(count):  # insertion sort: there are at most six
        p = np.int64(taken[i])
        k = i
        while k > 0 and points[k - 1] > p:
            points[k] = points[k - 1]
            k -= 1
        points[k] = p
    code = np.int64(0)
    for i in range(count):
        row, column = points[i] // STRIDE - top, points[i] % STRIDE - left
        if (row >= BOX) | (column >= BOX):
            return -1
        code |= np.int64(1) << (BOX * row + column)
    low = np.searchsorted(codes, code)
    return low if low < len(codes) and codes[low] == code else -1
