"""Ladders that take thousands of positions to read, against a slow reader without a bound and against GNU Go."""

import numpy as np
import planes_reference
import pytest

from go import BLACK, EMPTY, Position
from go.coordinates import point_from_rowcol
from go.ladders import ladder_captures, ladder_escapes
from gtp.client import Engine

# Black captures with an atari at `a`. The other stones turn the ladder, or stop one of its branches.
# Some branches of this one run over the whole board: they are read 225 moves deep.
WHOLE_BOARD = """
. . O . . O . . . . . . O . . O . . O
O X . O . . . . . . . . . . . . . . .
. . X X X . . . . . O . . . . . . . .
O . X O a . . . . . X . . . . . . . .
. . X . . . . . . . . . . X . . . . .
O . X . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . O . . . . . . . .
. . . . . . . . . . . . . . . . . . O
. . . . . . . . . . X . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . X . O . . . . . . . . . X . .
. . . . . . . . . . . . . . . . . X O
. . . O . . . O . . . . . . . . . . O
. . . . . . . . . . . . . . . . . . .
. X . . . . . . . . . . . . . . . . .
O . O . . . . . . . . . . . . . . . .
O . . . . . . . . . . . . . . . . . .
. . . . . . O . . . . . . . O . . . .
"""
BRANCHING = """
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . X . . . . . . . . . . . . . . .
. . X O a . . . . . . . . . . . . . .
. . X . . . . . . . . . . . . . . . .
. . X . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . X . . . . . . . . . . . . . .
. . . . . . . . . . X . . . . . . . .
. . . . . . O . . . . . . . . . . . .
. . . . . . X . . . . . . . . . . . .
X . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . O .
"""
BOARDS = {"whole board": WHOLE_BOARD, "branching": BRANCHING}
each_board = pytest.mark.parametrize("drawing", BOARDS.values(), ids=BOARDS)


def by_reference(position: Position) -> tuple[set[int], set[int]]:
    points = planes_reference._go_points(position.size)
    found = planes_reference.ladder_points(planes_reference.of_position(position))
    return tuple({points[place] for place in places} for places in found)


@each_board
def test_they_are_read_to_the_end(drawing):
    position = Position.from_text(drawing)
    assert (ladder_captures(position), ladder_escapes(position)) == ({position.at("a")}, set())
    position.play(position.at("a"))
    assert (ladder_captures(position), ladder_escapes(position)) == (set(), set())


@each_board
def test_any_stone_less_or_one_more_is_read_as_by_the_slow_reader(drawing):
    whole, answers = Position.from_text(drawing), set()
    stones = [
        point for row in range(19) for column in range(19) if whole.color_at(point := whole.point(name(row, column)))
    ]
    empty = [whole.point(name(row, column)) for row in range(2, 19, 7) for column in range(2, 19, 7)]
    for point in stones + [point for point in empty if not whole.color_at(point)]:
        position = Position.from_text(drawing)
        position.set_up(**({"empty": [point]} if whole.color_at(point) else {"white": [point]}))
        expected = by_reference(position)
        assert (ladder_captures(position), ladder_escapes(position)) == expected, str(position)
        answers.add(position.at("a") in expected[0])
    assert answers == {True, False}


def name(row: int, column: int) -> str:
    return f"{'ABCDEFGHJKLMNOPQRST'[column]}{row + 1}"


@each_board
def test_gnu_go_sees_no_defence(gnugo, drawing):
    position = Position.from_text(drawing)
    with Engine(f"{gnugo} --mode gtp --chinese-rules --forbid-suicide --level 10") as engine:
        engine.boardsize(19)
        engine.clear_board()
        for row, column in np.argwhere(position.colors != EMPTY).tolist():
            engine.play(int(position.colors[row, column]), point_from_rowcol(row, column, 19))
        assert engine.send("attack D16").split()[0] == "1"
        engine.play(BLACK, position.at("a"))
        assert engine.send("defend D16").split()[0] == "0"
