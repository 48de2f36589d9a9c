"""SVG boards: what is drawn is where it should be, and what cannot be drawn is refused."""

from xml.etree import ElementTree

import numpy as np
import pytest

from go import GoError, Position
from go.draw import CELL, HEAT, STONES, board_svg, percentages

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str, tag: str) -> list[dict[str, str]]:
    return [element.attrib for element in ElementTree.fromstring(svg).iter(SVG + tag)]


def words(svg: str) -> list[str]:
    return [element.text for element in ElementTree.fromstring(svg).iter(SVG + "text")]


def place(circle: dict[str, str]) -> tuple[float, float]:
    """Return the row and column of a circle."""
    return float(circle["cy"]) / CELL, float(circle["cx"]) / CELL


def test_stones_stand_where_they_were_played():
    svg = Position(9).play("A9").play("J1").play("E5").to_svg()
    circles = drawn(svg, "circle")
    black = [place(c) for c in circles if c["fill"] == STONES[1][0]]
    white = [place(c) for c in circles if c["fill"] == STONES[2][0]]
    assert black == [(0, 0), (4, 4)] and white == [(8, 8)]
    rings = [place(c) for c in circles if c["fill"] == "none"]
    assert rings == [(4, 4)]  # the last move
    texts = words(svg)
    assert texts.count("A") == texts.count("J") == texts.count("9") == 2 and "I" not in texts


def test_labels_marks_and_title():
    position = Position(5).play("C3")
    marks = {position.point(v): m for v, m in zip(("A1", "B1", "D1"), ("square", "triangle", "cross"), strict=True)}
    svg = position.to_svg(labels={position.point("C3"): 1, position.point("E5"): "a"}, marks=marks, title="<1 &\x00 2>")
    assert {"1", "a", "<1 &  2>"} <= set(words(svg))
    strokes = [element for element in drawn(svg, "rect") + drawn(svg, "path") if element.get("fill") == "none"]
    assert len(strokes) == 4  # the grid and three marks
    assert words(position.to_svg(coordinates=False)) == []


def test_heat_is_strongest_at_the_largest_value():
    heat = np.zeros((5, 5))
    heat[1, 2], heat[3, 0] = 30, 10
    colors = Position(5).colors
    cells = [cell for cell in drawn(board_svg(colors, heat=heat), "rect") if cell.get("fill") == HEAT]
    opacity = {(float(c["y"]) / CELL + 0.5, float(c["x"]) / CELL + 0.5): float(c["fill-opacity"]) for c in cells}
    assert opacity == {(1, 2): 0.75, (3, 0): 0.25}
    labels = percentages(heat)
    assert labels == {Position(5).point("C4"): "75", Position(5).point("A2"): "25"}
    assert percentages(np.zeros((5, 5))) == {}


def test_territory_is_drawn_by_area_and_not_on_its_owners_stones():
    position = Position(5).play("C3")
    territory = np.zeros((5, 5))
    territory[0, 0], territory[0, 1], territory[2, 2], territory[4, 4] = 1, -0.25, 1, 0.001
    squares = [s for s in drawn(position.to_svg(territory=territory), "rect") if s.get("stroke")]
    assert [(s["fill"], float(s["width"]) / CELL) for s in squares] == [(STONES[1][0], 0.5), (STONES[2][0], 0.25)]
    territory[2, 2] = -1  # black's stone is dead
    assert len([s for s in drawn(position.to_svg(territory=territory), "rect") if s.get("stroke")]) == 3


def test_every_size_is_a_well_formed_document():
    for size in range(2, 20):
        svg = Position(size).play("A1").to_svg(title=f"{size}x{size}")
        root = ElementTree.fromstring(svg)
        assert float(root.get("width")) > CELL * size
        assert len(words(svg)) == 4 * size + 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"heat": np.zeros((4, 5))}, r"A heat map of shape \(4, 5\) does not fit a 5x5 board."),
        ({"heat": -np.ones((5, 5))}, "The heat map holds values that cannot be drawn."),
        ({"territory": np.full((5, 5), np.nan)}, "The territory holds values that cannot be drawn."),
        ({"marks": {63: "star"}}, "'star' is no mark: there are circle, square, triangle, cross."),
        ({"labels": {30: 1}}, "Point 30 is off the 5x5 board."),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, sentence):
    with pytest.raises(GoError, match=sentence):
        board_svg(Position(5).colors, **options)
