"""The number of legal positions on small boards, against those that Tromp and Farnebäck published.

Every colouring of the board is set up with the kernel; it is legal if every chain has a liberty by the kernel's count.
"""

import pytest

from go.board import EMPTY, add_stone, clear, count_liberties, new_boards, point_at
from go.jit import kernel


@kernel
def count_legal_positions(boards, rows, columns):
    b = boards[0]
    total = 0
    for code in range(3 ** (rows * columns)):
        clear(b, rows, columns)
        rest = code
        for i in range(rows * columns):
            color = rest % 3
            rest //= 3
            if color != EMPTY:
                add_stone(b, point_at(i // columns, i % columns), color)
        legal = True
        for i in range(rows * columns):
            p = point_at(i // columns, i % columns)
            legal &= (b.color[p] == EMPTY) | (count_liberties(b, b.chain[p]) > 0)
        total += legal
    return total


PUBLISHED = {
    (1, 1): 1,
    (1, 2): 5,
    (1, 3): 15,
    (1, 4): 41,
    (1, 5): 113,
    (1, 6): 313,
    (1, 7): 867,
    (1, 8): 2401,
    (2, 2): 57,
    (2, 3): 489,
    (3, 3): 12_675,
    (3, 4): 321_689,
}


@pytest.mark.parametrize(("rows", "columns"), PUBLISHED)
def test_legal_positions(rows, columns):
    assert count_legal_positions(new_boards(), rows, columns) == PUBLISHED[rows, columns]
    assert count_legal_positions(new_boards(), columns, rows) == PUBLISHED[rows, columns]


def test_the_formula_for_one_row_agrees_with_the_table():
    """On 1xN, a board is legal if each run of stones of one colour touches an empty point: a small recurrence."""
    empty, free, stuck = 1, 0, 2  # boards by how they end: empty; a run with a liberty; a run still without one
    counts = [empty + free]
    for _ in range(7):
        empty, free, stuck = empty + free + stuck, 2 * empty + free, stuck + free
        counts.append(empty + free)
    assert counts == [PUBLISHED[1, n] for n in range(1, 9)]
