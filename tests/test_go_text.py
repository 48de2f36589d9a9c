"""Text boards: read, written, and refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from go import BLACK, EMPTY, WHITE, GoError, Position
from go.coordinates import point_from_rowcol
from go.text import read_board, write_board


def test_letters_name_points():
    colors, points = read_board("""
        . X a
        O . b
        b + X
    """)
    assert colors.tolist() == [[EMPTY, BLACK, EMPTY], [WHITE, EMPTY, EMPTY], [EMPTY, EMPTY, BLACK]]
    assert points == {"a": [point_from_rowcol(0, 2, 3)], "b": [point_from_rowcol(1, 2, 3), point_from_rowcol(2, 0, 3)]}
    position = Position.from_text(".a.\nX.O\n...")
    assert position.at("a") == position.point("B3")


@given(st.integers(2, 19).flatmap(lambda size: arrays(np.uint8, (size, size), elements=st.integers(0, 2))), st.data())
def test_what_is_written_is_read_back(colors, data):
    size = len(colors)
    last = data.draw(st.sampled_from([0, point_from_rowcol(size // 2, 0, size), point_from_rowcol(0, size - 1, size)]))
    again, points = read_board(write_board(colors, last))
    assert (again == colors).all() and points == {}


def test_a_printed_position_is_read_back_with_its_caption():
    position = Position(13).play("C3").play("K10").play("A1")
    assert (Position.from_text(str(position)).colors == position.colors).all()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The text board is empty."),
        ("  \n \n", "The text board is empty."),
        (".", "Board size 1 is out of range: sizes go from 2 to 19."),
        (". .\n. . .", "Row 2 of the text board has 3 points, but there are 2 rows."),
        (". . .\n. . .", "Row 1 of the text board has 3 points, but there are 2 rows."),
        ("\n".join(["." * 20] * 20), "Board size 20 is out of range: sizes go from 2 to 19."),
        (
            ". x\n. .",
            "'x' in row 1 of the text board is no point: X and O are stones, . and + are empty, "
            "lower-case letters but o and x name empty points.",
        ),
    ],
)
def test_malformed_boards_are_refused_in_one_sentence(text, sentence):
    with pytest.raises(GoError) as error:
        Position.from_text(text)
    assert str(error.value) == sentence


def test_a_drawn_chain_without_liberties_is_refused():
    with pytest.raises(GoError, match="The set-up leaves A2 without a liberty"):
        Position.from_text("XO\nO.")


@given(st.text(max_size=60))
def test_no_text_crashes_the_reader(text):
    try:
        colors, _ = read_board(text)
    except GoError:
        return
    assert 2 <= len(colors) <= 19
