"""A slow board that is obviously right, to check the fast one against: flood fill and nothing else."""

import numpy as np

from go.board import BLACK, EMPTY, WHITE


def neighbours(row: int, column: int, shape: tuple[int, int]) -> list[tuple[int, int]]:
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [(r, c) for r, c in around if 0 <= r < shape[0] and 0 <= c < shape[1]]


def region(colors: np.ndarray, row: int, column: int) -> tuple[set, set]:
    """Return the points connected to a point by its own colour, and the points that border on them."""
    inside, border, todo = {(row, column)}, set(), [(row, column)]
    while todo:
        for place in neighbours(*todo.pop(), colors.shape):
            if colors[place] != colors[row, column]:
                border.add(place)
            elif place not in inside:
                inside.add(place)
                todo.append(place)
    return inside, border


def liberties(colors: np.ndarray, row: int, column: int) -> set[tuple[int, int]]:
    return {place for place in region(colors, row, column)[1] if colors[place] == EMPTY}


def after_move(colors: np.ndarray, row: int, column: int, color: int) -> np.ndarray | None:
    """Return the stones after a move, or None if it is on a stone or suicide. Knows nothing of ko."""
    if colors[row, column] != EMPTY:
        return None
    colors = colors.copy()
    colors[row, column] = color
    for place in neighbours(row, column, colors.shape):
        if colors[place] == BLACK + WHITE - color and not liberties(colors, *place):
            for stone in region(colors, *place)[0]:
                colors[stone] = EMPTY
    return colors if liberties(colors, row, column) else None


def area_margin(colors: np.ndarray) -> int:
    """Return black's Tromp-Taylor area minus white's."""
    margin = 0
    for row, column in np.ndindex(colors.shape):
        color = colors[row, column]
        reached = {int(color)} if color else {int(colors[place]) for place in region(colors, row, column)[1]}
        margin += (reached == {BLACK}) - (reached == {WHITE})
    return margin
