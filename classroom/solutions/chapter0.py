"""Solutions of chapter 0, and answers that its checks must reject."""

import numpy as np


def captured(colors: np.ndarray, row: int, column: int, color: int) -> int:
    """Return how many stones a move takes off the board."""
    after, size, taken = colors.copy(), len(colors), set()
    after[row, column] = color
    for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= near[0] < size and 0 <= near[1] < size and after[near] == 3 - color:
            stones, liberties = _block_of(after, *near)
            if not liberties:
                taken |= stones
    return len(taken)


def _block_of(colors: np.ndarray, row: int, column: int) -> tuple[set, set]:
    size, color = len(colors), colors[row, column]
    stones, liberties, to_visit = {(row, column)}, set(), [(row, column)]
    while to_visit:
        r, c = to_visit.pop()
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= near[0] < size and 0 <= near[1] < size:
                if colors[near] == 0:
                    liberties.add(near)
                elif colors[near] == color and near not in stones:
                    stones.add(near)
                    to_visit.append(near)
    return stones, liberties


def _counts_twice(colors: np.ndarray, row: int, column: int, color: int) -> int:
    after, size, taken = colors.copy(), len(colors), 0
    after[row, column] = color
    for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= near[0] < size and 0 <= near[1] < size and after[near] == 3 - color:
            stones, liberties = _block_of(after, *near)
            taken += len(stones) if not liberties else 0
    return taken


def _changes_the_board(colors: np.ndarray, row: int, column: int, color: int) -> int:
    colors[row, column] = color
    return 0


SOLUTIONS = {
    "0.liberties": 3,
    "0.captured": captured,
    "0.pmd": 184.0 - 177.0,
    "0.search_space": round(115 * np.log10(80)),
    "0.depth": 2,
}
MISTAKES = {
    "0.liberties": [4, 2, "3"],
    "0.captured": [_counts_twice, _changes_the_board, lambda colors, row, column, color: 0, 3],
    "0.pmd": [177.0, 361, float("nan")],
    "0.search_space": [360, 124, 115 * 80],
    "0.depth": [3, 6, True],
}
