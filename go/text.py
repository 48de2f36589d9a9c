"""Boards as text, for tests, error messages and terminals.

`X` is black, `O` is white, `.` or `+` is empty, and a lower-case letter is an empty point with a name, which a test
can then speak of. Coordinates round the board, and brackets round the last move, are written and may be read back.
"""

import re

import numpy as np

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import GTP_COLUMNS, check_size, point_from_rowcol
from go.errors import GoError
from go.handicap import star_points

SYMBOLS = {"X": BLACK, "O": WHITE, ".": EMPTY, "+": EMPTY}
NAMES = set("abcdefghijklmnpqrstuvwyz")  # without o and x, which look like stones


def read_board(text: str) -> tuple[np.ndarray, dict[str, list[int]]]:
    """Read a square board; return the colours by row and column, and the points of each lower-case letter."""
    lines = text.splitlines()
    headers = [i for i, line in enumerate(lines) if _is_column_header(line.split())]
    if len(headers) > 1:  # what stands outside the two is not the board
        lines = lines[headers[0] + 1 : headers[-1]]
    bare = (re.sub(r"^\s*\d+\s|\s\d+\s*$", "", re.sub(r"[()]", " ", line)) for line in lines)
    rows = [list("".join(line.split())) for line in bare if line.strip() and not _is_column_header(line.split())]
    size = len(rows)
    if size == 0:
        raise GoError("The text board is empty.")
    check_size(size)
    colors = np.zeros((size, size), np.uint8)
    points: dict[str, list[int]] = {}
    for row, cells in enumerate(rows):
        if len(cells) != size:
            raise GoError(f"Row {row + 1} of the text board has {len(cells)} points, but there are {size} rows.")
        for column, cell in enumerate(cells):
            if cell in NAMES:
                points.setdefault(cell, []).append(point_from_rowcol(row, column, size))
            elif cell in SYMBOLS:
                colors[row, column] = SYMBOLS[cell]
            else:
                raise GoError(
                    f"{cell!r} in row {row + 1} of the text board is no point: "
                    "X and O are stones, . and + are empty, lower-case letters but o and x name empty points."
                )
    return colors, points


def _is_column_header(cells: list[str]) -> bool:
    return len(cells) > 1 and cells == list(GTP_COLUMNS[: len(cells)])


def write_board(colors: np.ndarray, last_move: int = 0) -> str:
    """Draw a board with coordinates. Star points are `+`; the last move is in brackets."""
    size = len(colors)
    stars = set(star_points(size))
    header = "   " + " ".join(GTP_COLUMNS[:size])
    lines = [header]
    for row in range(size):
        line = f"{size - row:2d} "
        for column in range(size):
            point = point_from_rowcol(row, column, size)
            symbol = {BLACK: "X", WHITE: "O"}.get(colors[row, column], "+" if point in stars else ".")
            if point == last_move:
                line = line[:-1] + "(" + symbol + ")"
            else:
                line += symbol + " "
        lines.append(f"{line}{size - row:2d}")
    lines.append(header)
    return "\n".join(lines)
