"""Ladders that take thousands of positions to read, against a slow reader without a bound and against GNU Go."""

import numpy as np
import planes_reference
import pytest

from go import BLACK, EMPTY, WHITE, Position
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
# With the best play of both sides this one takes 141 moves: across the board into the corner, along the lower edge, up
# the left one, and back to the middle. On the way, white captures four times. Reading takes 1,786 positions.
ROUND_THE_BOARD = """
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . X . . . . . . . . . . . . . . .
. . X O a . . . . . . . . . . . . . .
. . X . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. X . . . . . . . . . . . . . . . . .
. O . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . X . . . . . . . .
. . . . X . . . . . . O . . . . . . .
O . . O . . . . X . . . X . . . . . .
O . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
O . . . . O . . . . O . . . O . . . .
"""
THE_WAY_ROUND = """
E16 D15 D14 E15 F15 E14 E13 F14 G14 F13 F12 G13 H13 G12 G11 H12 J12 H11 H10 J11 K11 J10 J9 K10 L10 K9 K8 L9 M9 L8 L7 M8
N8 M7 M6 N7 O7 N6 N5 O6 P6 O5 O4 P5 Q5 P4 P3 Q4 R4 Q3 Q2 R3 S3 R2 S2 R1 S1 Q1 P2 O1 N1 O2 O3 N2 M2 M1 N3 N1 L2 K1 K2 J1
H1 J2 J3 H2 G2 H3 G3 H4 H5 G4 F4 G1 G5 H1 F2 E1 E2 D1 D2 C1 C2 B1 A2 B2 B3 A2 B4 A5 B5 A6 B6 A7 B7 A8 B8 A9 B9 A10 A11
B10 C11 C10 D10 C9 D9 C8 D8 C7 D7 C6 C5 D6 D5 E6 F6 E7 E8 F7 G7 F8 F9 G8 H8 G9 G10 A12 H9 A11 A13
"""
BOARDS = {"whole board": WHOLE_BOARD, "branching": BRANCHING, "round the board": ROUND_THE_BOARD}
each_board = pytest.mark.parametrize("drawing", BOARDS.values(), ids=BOARDS)


def by_reference(position: Position) -> tuple[set[int], set[int]]:
    points = planes_reference._go_points(position.size)
    found = planes_reference.ladder_points(planes_reference.of_position(position))
    return tuple({points[place] for place in places} for places in found)


@each_board
def test_they_are_read_to_the_end(drawing):
    position = Position.from_text(drawing)
    others = (
        {position.point("A2"), position.point("B1")} if drawing == ROUND_THE_BOARD else set()
    )  # of the corner stone
    assert (ladder_captures(position) - others, ladder_escapes(position)) == ({position.at("a")}, set())
    position.play(position.at("a"))
    assert (ladder_captures(position), ladder_escapes(position)) == (set(), set())


def test_every_atari_on_the_way_round_the_board_captures_and_no_answer_escapes():
    position = Position.from_text(ROUND_THE_BOARD)
    moves = THE_WAY_ROUND.split()
    prey, taken = position.point("D16"), 0
    assert len(moves) == 141
    for move in moves[:-1]:
        point, before = position.point(move), position.captured[BLACK]
        if position.to_move == BLACK:
            assert point in ladder_captures(position), move
        else:
            assert ladder_escapes(position) == set(), move
        position.play(point)
        assert position.color_at(prey) == WHITE
        taken += position.captured[BLACK] > before
    assert taken == 4
    stones = position.captured[WHITE]
    position.play(position.point(moves[-1]))
    assert position.color_at(prey) == EMPTY and position.captured[WHITE] - stones == 78


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
