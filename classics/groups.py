"""Blocks, links and groups: the board model of Kim & Yoo 2000 (equations 1 to 8).

| paper           | here                                                                              |
|-----------------|-----------------------------------------------------------------------------------|
| block           | a chain of `go.board`; its name is the head of the chain                           |
| Liberty(B), L0  | the liberties of the chain (equation 4, read with the adjacency of the grid)       |
| boundary        | the empty points that are liberties of two blocks (equation 5)                     |
| chain, link     | two blocks of one colour with common empty neighbours, at a distance of 2          |
| group, daema    | blocks that links join, one after the other (equation 6)                           |
| H               | the empty points (equation 7): `b.empties`                                         |

The text asks for two common empty neighbours, which on a grid is a diagonal with both cutting points open. Equation 5
asks for one, which adds diagonals with one open cutting point and jumps over one empty point. `TWO` and `ONE` are these
two readings. Equation 8, the interior of a block, cannot be satisfied as printed, and nothing here needs it.
"""

import numpy as np

from go.board import BLACK, BORDER, EAST, EMPTY, ORTHOGONAL, SOUTH, WEST, WHITE, is_eye, point_at
from go.coordinates import POINTS
from go.jit import kernel

TWO, ONE = 2, 1  # common empty neighbours that make a link


@kernel
def root_of(group, head):
    """Return the name of the group of a block: the head of one of its blocks."""
    root = np.int64(head)
    while group[root] != root:
        root = np.int64(group[root])
    return root


@kernel
def _join(group, one, other):
    first, second = root_of(group, one), root_of(group, other)
    if first != second:
        group[max(first, second)] = min(first, second)


@kernel
def find_groups(b, needed, group, liberties, eyes):
    """Join linked blocks to groups. `needed` is TWO or ONE.

    `group` leads from the head of each block to that of another one of its group (`root_of`). `liberties` and `eyes`,
    by the root of a group, are the numbers of its distinct liberties and of its one-point eyes.
    """
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            group[p] = p
            liberties[p] = 0
            eyes[p] = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = np.uint64(point_at(row, column))
            color = b.color[p]
            if color == EMPTY:
                continue
            for side in (WEST, EAST):
                if b.color[p + SOUTH + side] == color:
                    empty = (b.color[p + SOUTH] == EMPTY) + np.int64(b.color[p + side] == EMPTY)
                    if empty >= needed:
                        _join(group, b.chain[p], b.chain[p + SOUTH + side])
            if needed == ONE:
                for step in (EAST, SOUTH):
                    # the point between them is on the board, so the one beyond it is at worst on the border
                    if b.color[p + step] == EMPTY and b.color[p + step + step] == color:
                        _join(group, b.chain[p], b.chain[p + step + step])
    roots = np.empty(4, np.int64)
    for i in range(b.n_empty):
        p = np.uint64(b.empties[i])
        count = 0
        for step in ORTHOGONAL:
            q = p + step
            if (b.color[q] == EMPTY) | (b.color[q] == BORDER):
                continue
            root = root_of(group, b.chain[q])
            is_new = True
            for k in range(count):
                is_new &= roots[k] != root
            if is_new:
                roots[count] = root
                liberties[root] += 1
                count += 1
        for color in (BLACK, WHITE):
            if is_eye(b, p, color):
                for k in range(count):
                    eyes[roots[k]] += 1


def groups_of(boards: np.ndarray, needed: int = TWO) -> list[set[int]]:
    """Return the groups of a board (an array of one record), each as the set of the points of its stones."""
    group, liberties, eyes = (np.zeros(POINTS, np.int64) for _ in range(3))
    find_groups(boards[0], needed, group, liberties, eyes)
    found: dict[int, set[int]] = {}
    for p in np.flatnonzero((boards[0]["color"] == BLACK) | (boards[0]["color"] == WHITE)).tolist():
        found.setdefault(root_of(group, boards[0]["chain"][p]), set()).add(p)
    return list(found.values())


def boundary(boards: np.ndarray, one: int, other: int) -> set[int]:
    """Return the empty points that are liberties of both blocks, each named by a point of it (equation 5)."""
    return _liberties(boards[0], one) & _liberties(boards[0], other)


def _liberties(b: np.void, stone: int) -> set[int]:
    block = np.flatnonzero(b["chain"] == b["chain"][stone]).tolist()
    steps = [int(step) if step < 2**63 else int(step) - 2**64 for step in ORTHOGONAL]
    return {p + step for p in block for step in steps if b["color"][p + step] == EMPTY}
