"""All coordinate systems in use, and the conversions between them.

The upper left, lower left and upper right corners of a 9x9 board, and a pass, in each system:

| system     | upper left | lower left | upper right | pass     | used by                                        |
|------------|------------|------------|-------------|----------|------------------------------------------------|
| point      | 44         | 212        | 52          | 0        | the kernels: `(row + 2) * STRIDE + column + 2` |
| row, column| (0, 0)     | (8, 0)     | (0, 8)      | none     | numpy arrays; rows count from the top          |
| action     | 0          | 72         | 8           | 81       | network outputs: `row * size + column`         |
| GTP        | A9         | A1         | J9          | pass     | people and engines; rows from below, no I      |
| SGF        | aa         | ai         | ia          | "" or tt | game records; column first, rows from the top  |

The point is the hub: every other system is converted to a point and back. STRIDE is the same for every board size, so a
point is the same number on every board. Its neighbours are `p - STRIDE`, `p - 1`, `p + 1` and `p + STRIDE`. The border
is two points wide on all sides. So everything within two steps of a board point is inside the arrays, and is correctly
on the board or on the border. The right border of a row is the left border of the next row.
"""

import functools
from numbers import Integral

import numpy as np

from go.errors import GoError

MIN_SIZE = 2
MAX_SIZE = 19
EDGE = 2  # the width of the border
STRIDE = MAX_SIZE + EDGE
POINTS = 488  # (MAX_SIZE + 2 * EDGE) * STRIDE + EDGE = 485 with the border all round, rounded up to 8-byte words
PASS = 0  # a border point, so no stone can ever be there

SYMMETRIES = 8  # of the square; `symmetry_table` defines their numbers

GTP_COLUMNS = "ABCDEFGHJKLMNOPQRST"
SGF_LETTERS = "abcdefghijklmnopqrs"


def check_size(size: int) -> int:
    """Return a board size as an int. Raise `GoError` if it is out of range."""
    if not isinstance(size, Integral) or not MIN_SIZE <= size <= MAX_SIZE:
        raise GoError(f"Board size {size} is out of range: sizes go from {MIN_SIZE} to {MAX_SIZE}.")
    return int(size)


def on_board(point: int, size: int) -> bool:
    row, column = _unchecked_rowcol(point)
    return 0 <= row < size and 0 <= column < size


def _unchecked_rowcol(point: int) -> tuple[int, int]:
    return divmod(point - EDGE * STRIDE - EDGE, STRIDE)


def point_from_rowcol(row: int, column: int, size: int) -> int:
    if not (0 <= row < size and 0 <= column < size):
        raise GoError(f"Row {row}, column {column} is off the {size}x{size} board.")
    return (row + EDGE) * STRIDE + column + EDGE


def rowcol_from_point(point: int, size: int) -> tuple[int, int]:
    if not on_board(point, size):
        raise GoError(f"Point {point} is off the {size}x{size} board.")
    return _unchecked_rowcol(point)


def point_from_action(action: int, size: int) -> int:
    if action == size * size:
        return PASS
    if not 0 <= action < size * size:
        raise GoError(f"Action {action} is off the {size}x{size} board.")
    row, column = divmod(action, size)
    return point_from_rowcol(row, column, size)


def action_from_point(point: int, size: int) -> int:
    if point == PASS:
        return size * size
    row, column = rowcol_from_point(point, size)
    return row * size + column


def point_from_gtp(vertex: str, size: int) -> int:
    text = vertex.strip().upper()
    if text == "PASS":
        return PASS
    letter, digits = text[:1], text[1:]
    if letter and letter in GTP_COLUMNS and digits.isascii() and digits.isdigit() and len(digits) <= 2:
        row, column = size - int(digits), GTP_COLUMNS.index(letter)
        if 0 <= row < size and column < size:
            return point_from_rowcol(row, column, size)
    raise GoError(f"{vertex!r} is not a point of the {size}x{size} board.")


def gtp_from_point(point: int, size: int) -> str:
    if point == PASS:
        return "pass"
    row, column = rowcol_from_point(point, size)
    return f"{GTP_COLUMNS[column]}{size - row}"


def point_from_sgf(letters: str, size: int) -> int:
    """Read an SGF point. `tt` is the old notation for a pass on boards up to 19x19."""
    if letters in ("", "tt"):
        return PASS
    if len(letters) == 2 and all(letter in SGF_LETTERS[:size] for letter in letters):
        return point_from_rowcol(SGF_LETTERS.index(letters[1]), SGF_LETTERS.index(letters[0]), size)
    raise GoError(f"{letters!r} is not an SGF point of the {size}x{size} board.")


def sgf_from_point(point: int, size: int) -> str:
    if point == PASS:
        return ""
    row, column = rowcol_from_point(point, size)
    return SGF_LETTERS[column] + SGF_LETTERS[row]


@functools.cache
def symmetry_table(size: int) -> np.ndarray:
    """Return the image of each point under each symmetry: `table[symmetry, point]`, int16, 0 for pass and border.

    The bits of a symmetry's number are applied in this order: 4 swaps rows and columns, 2 reverses the rows, 1 reverses
    the columns. 0 changes nothing.
    """
    check_size(size)
    table = np.zeros((SYMMETRIES, POINTS), np.int16)
    for symmetry in range(SYMMETRIES):
        for row in range(size):
            for column in range(size):
                new_row, new_column = (column, row) if symmetry & 4 else (row, column)
                new_row = size - 1 - new_row if symmetry & 2 else new_row
                new_column = size - 1 - new_column if symmetry & 1 else new_column
                point = point_from_rowcol(row, column, size)
                table[symmetry, point] = point_from_rowcol(new_row, new_column, size)
    table.setflags(write=False)
    return table
