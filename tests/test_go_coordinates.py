"""The coordinate systems agree with their table, and every conversion is undone by its inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from go import coordinates
from go.coordinates import (
    PASS,
    POINTS,
    action_from_point,
    check_size,
    gtp_from_point,
    on_board,
    point_from_action,
    point_from_gtp,
    point_from_rowcol,
    point_from_sgf,
    rowcol_from_point,
    sgf_from_point,
)
from go.errors import GoError

sizes = st.integers(2, 19)


@st.composite
def places(draw):
    size = draw(sizes)
    return size, draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))


def test_the_table_in_the_docstring_is_true():
    rows = [line.split("|")[1:-1] for line in coordinates.__doc__.splitlines() if line.startswith("|")]
    table = {cells[0].strip(): [cell.strip() for cell in cells[1:5]] for cells in rows[2:]}
    corners = [point_from_rowcol(0, 0, 9), point_from_rowcol(8, 0, 9), point_from_rowcol(0, 8, 9)]
    assert table["point"] == [str(p) for p in [*corners, PASS]]
    assert table["row, column"] == [*(str(rowcol_from_point(p, 9)) for p in corners), "none"]
    assert table["action"] == [str(action_from_point(p, 9)) for p in [*corners, PASS]]
    assert table["GTP"] == [gtp_from_point(p, 9) for p in [*corners, PASS]]
    assert table["SGF"][:3] == [sgf_from_point(p, 9) for p in corners]
    assert sgf_from_point(PASS, 9) == "" and point_from_sgf("tt", 19) == PASS


@given(places())
def test_every_system_leads_to_the_point_and_back(place):
    size, row, column = place
    point = point_from_rowcol(row, column, size)
    assert on_board(point, size) and 0 < point < POINTS
    assert rowcol_from_point(point, size) == (row, column)
    assert point_from_action(action_from_point(point, size), size) == point
    assert point_from_gtp(gtp_from_point(point, size), size) == point
    assert point_from_gtp(gtp_from_point(point, size).lower(), size) == point
    assert point_from_sgf(sgf_from_point(point, size), size) == point


@given(sizes)
def test_pass_leads_there_and_back(size):
    assert point_from_gtp(gtp_from_point(PASS, size), size) == PASS
    assert point_from_sgf(sgf_from_point(PASS, size), size) == PASS
    assert point_from_action(action_from_point(PASS, size), size) == PASS


@given(sizes)
def test_points_of_a_board_are_all_different(size):
    points = {point_from_action(action, size) for action in range(size * size)}
    assert len(points) == size * size
    assert sum(on_board(point, size) for point in range(POINTS)) == size * size


def test_known_points():
    assert rowcol_from_point(point_from_gtp("Q16", 19), 19) == (3, 15)
    assert rowcol_from_point(point_from_sgf("pd", 19), 19) == (3, 15)
    assert gtp_from_point(point_from_rowcol(8, 8, 9), 9) == "J1"


@pytest.mark.parametrize("vertex", ["", "I5", "A0", "A10", "K1", "5E", "E", "E-1", "E5 5", "é5", "E٣", "E999"])
def test_bad_gtp_vertices(vertex):
    with pytest.raises(GoError, match="not a point of the 9x9 board"):
        point_from_gtp(vertex, 9)


@pytest.mark.parametrize("letters", ["a", "aj", "ja", "AA", "a1", "aaa", " "])
def test_bad_sgf_points(letters):
    with pytest.raises(GoError, match="not an SGF point of the 9x9 board"):
        point_from_sgf(letters, 9)


def test_other_points_off_the_board():
    for convert, value in ((rowcol_from_point, 30), (rowcol_from_point, PASS), (point_from_action, 82)):
        with pytest.raises(GoError, match="off the 9x9 board"):
            convert(value, 9)
    for row, column in ((-1, 0), (0, -1), (9, 0), (0, 9)):
        with pytest.raises(GoError, match=f"Row {row}, column {column} is off the 9x9 board"):
            point_from_rowcol(row, column, 9)
    for size in (1, 20, 0, -9):
        with pytest.raises(GoError, match=f"Board size {size} is out of range: sizes go from 2 to 19"):
            check_size(size)


@given(st.text(max_size=4), sizes)
def test_no_text_crashes_the_readers(text, size):
    for read in (point_from_gtp, point_from_sgf):
        try:
            point = read(text, size)
        except GoError:
            continue
        assert point == PASS or on_board(point, size)
