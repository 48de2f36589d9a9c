"""Local patterns as numbers: the stones around a centre, with their liberties.

The *state* of a point has three bits: empty, a black or white stone whose chain has 1, 2 or at least 3 liberties, or
border. There are two shapes of patterns (Extended Data Table 4):

- the 3x3 pattern: the eight points around a candidate move, 24 bits;
- the 12-point diamond: all points within two steps of a centre, 36 bits. The centre is the previous move or a
  candidate.

A pattern is seen by the player to move: black and white are swapped for white. Its eight symmetric images are one
pattern, named by the smallest of the eight numbers (the canonical code). The centre is not part of the pattern.
"""

import numpy as np

from go.board import BLACK, BORDER, EMPTY, WHITE, count_liberties
from go.coordinates import STRIDE
from go.jit import kernel

EMPTY_STATE, BORDER_STATE = 0, 7  # black stones are 1 to 3, white ones 4 to 6
STATE_BITS = 3
SWAPPED = np.array([0, 4, 5, 6, 1, 2, 3, 7], np.uint8)  # the states with the colours swapped

# Rows and columns of the points around a centre, in reading order. So the last index minus k is opposite to point k.
SQUARE = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0))
DIAMOND = tuple((row, column) for row in range(-2, 3) for column in range(-2, 3) if 0 < abs(row) + abs(column) <= 2)
SQUARE_STEPS = np.array([row * STRIDE + column for row, column in SQUARE])
DIAMOND_STEPS = np.array([row * STRIDE + column for row, column in DIAMOND])


def _turned(row: int, column: int, symmetry: int) -> tuple[int, int]:
    """Apply a symmetry to a step, like `coordinates.symmetry_table` to points."""
    row, column = (column, row) if symmetry & 4 else (row, column)
    return (-row if symmetry & 2 else row), (-column if symmetry & 1 else column)


def _images(shape: tuple[tuple[int, int], ...]) -> np.ndarray:
    """Return the image of each point of a shape under each symmetry: `images[symmetry, point]`."""
    return np.array([[shape.index(_turned(*step, symmetry)) for step in shape] for symmetry in range(8)])


SQUARE_IMAGES, DIAMOND_IMAGES = _images(SQUARE), _images(DIAMOND)


def turned_codes(codes: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Return the images of patterns under the given symmetries: `[symmetry, pattern]`."""
    codes = np.asarray(codes, np.int64)
    turned = np.zeros((len(images), *codes.shape), np.int64)
    for symmetry, places in enumerate(images):
        for point, place in enumerate(places.tolist()):
            turned[symmetry] |= (codes >> STATE_BITS * point & 7) << STATE_BITS * place
    return turned


def swapped_codes(codes: np.ndarray, points: int) -> np.ndarray:
    """Return patterns with the colours swapped."""
    codes = np.asarray(codes, np.int64)
    swapped = np.zeros_like(codes)
    for point in range(points):
        swapped |= SWAPPED[codes >> STATE_BITS * point & 7].astype(np.int64) << STATE_BITS * point
    return swapped


def canonical(codes: np.ndarray, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest image of each pattern, and the symmetry that produces it."""
    turned = turned_codes(codes, images)
    return turned.min(axis=0), turned.argmin(axis=0)


@kernel
def state_of(b, p):
    """Return the state of a point."""
    color = b.color[p]
    if color == EMPTY:
        return EMPTY_STATE
    if color == BORDER:
        return BORDER_STATE
    return (0 if color == BLACK else 3) + min(count_liberties(b, b.chain[p]), 3)


@kernel
def code_around(b, p, steps):
    """Return the pattern around a point, computed from the board (colours not swapped)."""
    code = np.int64(0)
    for k in range(len(steps)):
        code |= np.int64(state_of(b, p + steps[k])) << STATE_BITS * k
    return code


@kernel
def swapped_code(code, points):
    """Return a pattern with the colours swapped."""
    swapped = np.int64(0)
    for k in range(points):
        swapped |= np.int64(SWAPPED[code >> STATE_BITS * k & 7]) << STATE_BITS * k
    return swapped


@kernel
def seen_by(code, points, color):
    """Return a pattern as `color` sees it (own stones as black)."""
    return swapped_code(code, points) if color == WHITE else code
