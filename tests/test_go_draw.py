"""SVG boards: what is drawn is where it should be, and what cannot be drawn is refused."""

from xml.etree import ElementTree

import numpy as np
import pytest

from go import BLACK, EMPTY, WHITE, GoError, Position
from go.draw import BEYOND, CELL, HEAT, RING, STONES, board_svg, board_width, pattern_svg, percentages
from go.panels import FAINT, Panel, Scale, Section, sections_svg, sheet_svg

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


def test_shades_have_their_own_colours_and_labels_may_be_quiet():
    position = Position(5).play("C3")
    a, b = position.point("A5"), position.point("B1")
    options = {"labels": {a: 50, b: 7}, "quiet": {b}, "marks": {a: "ring"}}
    svg = position.to_svg(shades={a: ("#123456", 0.5), b: ("#abcdef", 1)}, **options)
    cells = [cell for cell in drawn(svg, "rect") if cell["fill"] in ("#123456", "#abcdef")]
    assert [(c["fill"], float(c["x"]) / CELL + 0.5, float(c["y"]) / CELL + 0.5, c["fill-opacity"]) for c in cells] == [
        ("#123456", 0, 0, "0.500"),
        ("#abcdef", 1, 4, "1.000"),
    ]
    rings = [circle for circle in drawn(svg, "circle") if circle.get("stroke") == RING]
    assert [place(ring) for ring in rings] == [(0, 0)] and float(rings[0]["r"]) > 0.3 * CELL  # not under the label
    sizes = {e.text: float(e.get("font-size")) for e in ElementTree.fromstring(svg).iter(SVG + "text")}
    assert sizes["7"] < sizes["50"]


@pytest.mark.parametrize("size", [2, 9, 19])
def test_boards_on_a_sheet_stand_beside_each_other_and_all_is_on_the_sheet(size):
    position, width = Position(size).play("A1"), board_width(size)
    panels = [Panel(f"board {n}", position.to_svg(), ("one", "two") if n == 1 else ()) for n in range(3)]
    panels.append(Panel("W" * 200, position.to_svg(), note="nothing <here>"))
    scale = Scale("colours", ["#000000", "#ffffff"], {0: "none", 1: "all"})
    svg = sheet_svg("sheet", ["a line"], panels, width, [scale], columns=2)
    root = ElementTree.fromstring(svg)
    boards = [board for board in root.iter(SVG + "svg") if board is not root]
    assert {(float(board.get("width")), float(board.get("height"))) for board in boards} == {(width, width)}
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = ((float(b.get("x")), float(b.get("y"))) for b in boards)
    assert (x0, y0, x1, y2) == (x2, y1, x3, y3) and x1 > x0 + width and y2 > y0 + width
    assert x1 + width < float(root.get("width")) and y2 + width < float(root.get("height"))
    written = {text.text: text for text in root.iter(SVG + "text")}
    assert {"sheet", "a line", "board 0", "one", "two", "nothing <here>", "colours", "none", "all"} <= set(written)
    assert (
        y0 + width
        < float(written["one"].get("y"))
        < float(written["two"].get("y"))
        < float(written["board 2"].get("y"))
    )
    assert 200 * 0.6 * float(written["W" * 200].get("font-size")) <= width
    assert float(written["none"].get("y")) < float(root.get("height"))
    notes = [rect for rect in drawn(svg, "rect") if rect.get("stroke") == FAINT]
    assert len(notes) == 1 and x3 <= float(notes[0]["x"]) and y3 < float(notes[0]["y"]) < y3 + width
    assert [rect["fill"] for rect in drawn(svg, "rect")][-2:] == ["#000000", "#ffffff"]


def test_sections_have_headings_and_the_lead_stands_beside_the_title():
    board, wide = Position(5).to_svg(), pattern_svg({(0, 0): EMPTY, (0, 1): BLACK}, {}, {}, columns=4)
    sections = [Section("first", [Panel("", wide, ("below",))] * 3), Section("second", [Panel("named", board)])]
    root = ElementTree.fromstring(sections_svg("sheet", ["a line"], sections, 100, columns=2, lead=board))
    boxes = [
        tuple(float(drawing.get(key)) for key in ("x", "y", "width", "height"))
        for drawing in root.iter(SVG + "svg")
        if drawing is not root
    ]
    assert [(width, height) for _, _, width, height in boxes] == [(200, 200), *[(100, 25)] * 3, (100, 100)]
    lead, *others = boxes
    at = {text.text: (float(text.get("x")), float(text.get("y"))) for text in root.iter(SVG + "text")}
    assert at["sheet"][0] > lead[0] + 200 and lead[1] < at["sheet"][1] < at["a line"][1] < lead[1] + 200
    assert lead[1] + 200 < at["first"][1] < others[0][1] == others[1][1] < others[2][1] < at["below"][1]
    assert at["below"][0] == pytest.approx(others[2][0] + 50, abs=0.01)  # in the middle
    assert at["below"][1] < at["second"][1] < at["named"][1] < others[3][1] < float(root.get("height")) - 100


def test_parts_of_a_board_are_drawn_with_its_edge():
    colors = {(0, 0): EMPTY, (-1, 0): BLACK, (0, 1): WHITE, (1, 0): None, (0, -1): EMPTY}
    svg = pattern_svg(colors, {(-1, 0): 2}, {(0, 0): "block", (0, 1): "circle"}, columns=5)
    root = ElementTree.fromstring(svg)
    assert (float(root.get("width")), float(root.get("height"))) == (5 * CELL, 3 * CELL)
    grounds = [(float(r["x"]), float(r["y"]), r["fill"]) for r in drawn(svg, "rect") if r["width"] == str(CELL)]
    assert {(x, y) for x, y, fill in grounds if fill == BEYOND} == {(-CELL / 2, CELL / 2)} and len(grounds) == 5
    stones = {(float(c["cx"]), float(c["cy"])): c["fill"] for c in drawn(svg, "circle") if c["fill"] != "none"}
    assert stones == {(0, -CELL): STONES[BLACK][0], (CELL, 0): STONES[WHITE][0]}
    centre = next(path["d"] for path in drawn(svg, "path"))
    assert centre == f"M0 {-CELL / 2:g}V0M{-CELL / 2:g} 0H{CELL / 2:g}"  # the line ends at the edge below
    assert words(svg) == ["2"] and len([r for r in drawn(svg, "rect") if r["fill"] == HEAT]) == 1


def test_stones_can_be_faint():
    faint = Position(5).play("C3").to_svg(stone_opacity=0.5)
    (group,) = ElementTree.fromstring(faint).iter(SVG + "g")
    assert group.get("opacity") == "0.5" and len(group) == 1
    assert "<g" not in Position(5).play("C3").to_svg()


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
        (
            {"marks": {Position(5).point("C3"): "star"}},
            "'star' is no mark: there are circle, square, triangle, cross, ring, block.",
        ),
        ({"labels": {30: 1}}, "Point 30 is off the 5x5 board."),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, sentence):
    with pytest.raises(GoError, match=sentence):
        board_svg(Position(5).colors, **options)
