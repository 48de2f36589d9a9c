"""Boards and parts of boards drawn as SVG: stones, move numbers, marks, heat maps and territory.

This is the only module that draws boards; `go.panels` puts several of them on a sheet. What goes on a board is given by
point (`go.coordinates`) or as an array by row and column. The result is one string: a complete SVG document that
browsers, notebooks and vector editors show alike.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from html import escape

import numpy as np

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import GTP_COLUMNS, PASS, point_from_rowcol, rowcol_from_point
from go.errors import GoError
from go.handicap import star_points

CELL = 40  # all lengths in the drawing follow from the distance between two lines
RADIUS = 0.47 * CELL
MARGIN = 0.75 * CELL  # from the outer lines to the edge of the wood
LABELS = 0.55 * CELL  # further out, for the coordinates

WOOD, LINE, LABEL = "#e8c274", "#4a3413", "#6b5330"
STONES = {BLACK: ("#111111", "#000000"), WHITE: ("#fafafa", "#55504a")}
INK = {BLACK: "#ffffff", WHITE: "#000000", EMPTY: "#2b1200"}
HEAT, RING = "#c4161c", "#1551d1"
BEYOND = "#c9c9c9"  # what lies beyond the edge of the board
CONTROL = re.compile(r"[\x00-\x1f\x7f]")  # not allowed in XML
MARKS = ("circle", "square", "triangle", "cross", "ring", "block")


def board_svg(
    colors: np.ndarray,
    *,
    last_move: int = PASS,
    labels: Mapping[int, str | int] | None = None,
    quiet: Collection[int] = (),
    marks: Mapping[int, str] | None = None,
    heat: np.ndarray | None = None,
    shades: Mapping[int, tuple[str, float]] | None = None,
    territory: np.ndarray | None = None,
    stone_opacity: float = 1.0,
    title: str = "",
    coordinates: bool = True,
) -> str:
    """Draw a board given by row and column.

    `labels` are short texts on points, such as move numbers; they are small on `quiet` points. `marks` are shapes on
    points: circle, square, triangle, cross, a blue ring that leaves room for a label, or a red block. `heat` is a
    number per point, not negative, such as a probability or a visit count: the largest is the strongest red
    (`percentages` writes it out). `shades` are colours and opacities of points, for maps with a scale of their own.
    `territory` is a number per point from -1 (white) to 1 (black). It is drawn as squares whose area is the amount, but
    not on stones of the owner's colour.
    """
    size = len(colors)
    extent = (size - 1) * CELL + 2 * MARGIN
    shades = dict(shades or {})
    border = LABELS if coordinates else 0
    heading = 0.9 * CELL if title else 0
    parts = [_grid(size, extent)]
    if coordinates:
        parts.append(_coordinates(size))
    if heat is not None:
        shades |= _reds(_checked(heat, size, "heat map"))
    parts.append(_shades(shades, size))
    parts.append(_stones(colors, stone_opacity))
    if territory is not None:
        parts.append(_territory(_checked(territory, size, "territory"), colors))
    if last_move != PASS:
        parts.append(_mark("circle", *_xy(last_move, size), _color(last_move, colors)))
    for point, mark in (marks or {}).items():
        parts.append(_mark(mark, *_xy(point, size), _color(point, colors)))
    for point, label in (labels or {}).items():
        parts.append(_label(str(label), point, colors, shades, point in quiet))
    width, height = extent + 2 * border, extent + 2 * border + heading
    left, top = -MARGIN - border, -MARGIN - border - heading
    if title:
        height_that_fits = 1.7 * width / len(title)  # a letter is about 0.6 as wide as it is high
        parts.append(write(left + width / 2, top + 0.62 * CELL, title, "#222222", min(0.5 * CELL, height_that_fits)))
    return document((left, top, width, height), parts)


def board_width(size: int) -> float:
    """Return the width of a board with its coordinates. Without a title, its height is the same."""
    return (size - 1) * CELL + 2 * MARGIN + 2 * LABELS


def pattern_svg(
    colors: Mapping[tuple[int, int], int | None],
    labels: Mapping[tuple[int, int], str | int],
    marks: Mapping[tuple[int, int], str],
    columns: int,
) -> str:
    """Draw some points of a board, in the middle of a drawing that is `columns` points wide.

    Points are given as (rows down, columns to the right) of the centre. Their colour is None beyond the edge.
    """
    reach = max(abs(row) for row, _ in colors)
    parts = []
    for (row, column), color in colors.items():
        fill = BEYOND if color is None else WOOD
        parts.append(_square(column * CELL, row * CELL, CELL, f'fill="{fill}"'))
        if color is not None:
            parts.append(_cross_lines(row, column, colors))
    for (row, column), color in colors.items():
        if color:
            parts.append(_stone(column * CELL, row * CELL, color))
    for (row, column), mark in marks.items():
        parts.append(_mark(mark, column * CELL, row * CELL, colors[row, column] or EMPTY))
    for (row, column), label in labels.items():
        parts.append(write(column * CELL, row * CELL, str(label), INK[colors[row, column] or EMPTY], 0.5 * CELL))
    width, height = columns * CELL, (2 * reach + 1) * CELL
    return document((-width / 2, -height / 2, width, height), parts)


def _cross_lines(row: int, column: int, colors: Mapping[tuple[int, int], int | None]) -> str:
    """Draw the two lines of a point, which end where the board ends."""
    up, down, left, right = (
        0 if colors.get((row + below, column + beside), EMPTY) is None else 0.5 * CELL
        for below, beside in ((-1, 0), (1, 0), (0, -1), (0, 1))
    )
    x, y = column * CELL, row * CELL
    path = f"M{x:g} {y - up:g}V{y + down:g}M{x - left:g} {y:g}H{x + right:g}"
    return f'<path d="{path}" stroke="{LINE}" stroke-width="1.5"/>'


def _square(x: float, y: float, side: float, look: str) -> str:
    return f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" {look}/>'


def document(box: tuple[float, float, float, float], parts: Iterable[str]) -> str:
    """Make an SVG document of its parts; the box is left, top, width and height."""
    left, top, width, height = box
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="Helvetica, Arial, sans-serif">\n'
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def write(x: float, y: float, text: str, fill: str, height: float, anchor: str = "middle", bold: bool = False) -> str:
    """Write a line of text, vertically centred at y. The anchor says which part of it is at x: start, middle or end."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" dy="0.36em" fill="{fill}" font-size="{height:.3g}" text-anchor="{anchor}"{weight}>'
        f"{escape(CONTROL.sub(' ', text))}</text>"
    )


def _checked(values: np.ndarray, size: int, what: str) -> np.ndarray:
    values = np.asarray(values, float)
    if values.shape != (size, size):
        raise GoError(f"A {what} of shape {values.shape} does not fit a {size}x{size} board.")
    if not np.isfinite(values).all() or (what == "heat map" and (values < 0).any()):
        raise GoError(f"The {what} holds values that cannot be drawn.")
    return values


def _xy(point: int, size: int) -> tuple[float, float]:
    row, column = rowcol_from_point(point, size)
    return column * CELL, row * CELL


def _grid(size: int, extent: float) -> str:
    end = (size - 1) * CELL
    lines = "".join(f"M0 {i * CELL}H{end}M{i * CELL} 0V{end}" for i in range(size))
    dots = (_xy(point, size) for point in star_points(size))
    return (
        f'<rect x="{-MARGIN:g}" y="{-MARGIN:g}" width="{extent:g}" height="{extent:g}" rx="4" fill="{WOOD}"/>\n'
        f'<path d="{lines}" stroke="{LINE}" stroke-width="1.2" fill="none" stroke-linecap="square"/>\n'
        + "".join(f'<circle cx="{x}" cy="{y}" r="4" fill="{LINE}"/>' for x, y in dots)
    )


def _coordinates(size: int) -> str:
    before, after = -MARGIN - LABELS / 2, (size - 1) * CELL + MARGIN + LABELS / 2
    parts = []
    for i in range(size):
        for side in (before, after):
            parts.append(write(i * CELL, side, GTP_COLUMNS[i], LABEL, 0.36 * CELL))
            parts.append(write(side, i * CELL, str(size - i), LABEL, 0.36 * CELL))
    return "\n".join(parts)


def _stones(colors: np.ndarray, opacity: float) -> str:
    places = np.argwhere(colors != EMPTY).tolist()
    stones = "\n".join(_stone(column * CELL, row * CELL, int(colors[row, column])) for row, column in places)
    return stones if opacity == 1 else f'<g opacity="{opacity:g}">\n{stones}\n</g>'


def _stone(x: float, y: float, color: int) -> str:
    fill, edge = STONES[color]
    return f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS:g}" fill="{fill}" stroke="{edge}"/>'


def _color(point: int, colors: np.ndarray) -> int:
    row, column = rowcol_from_point(point, len(colors))
    return int(colors[row, column])


def percentages(heat: np.ndarray) -> dict[int, str]:
    """Return labels for a heat map: the share of the sum in percent, where it is at least one."""
    share = 100 * np.asarray(heat, float) / max(np.sum(heat), 1e-300)
    size = len(share)
    return {
        point_from_rowcol(row, column, size): f"{share[row, column]:.0f}"
        for row, column in np.argwhere(share >= 1).tolist()
    }


def _reds(heat: np.ndarray) -> dict[int, tuple[str, float]]:
    opacity, size = 0.75 * heat / max(heat.max(), 1e-300), len(heat)
    return {
        point_from_rowcol(row, column, size): (HEAT, opacity[row, column])
        for row, column in np.argwhere(opacity > 0.01).tolist()
    }


def _shades(shades: Mapping[int, tuple[str, float]], size: int) -> str:
    parts = []
    for point, (color, opacity) in shades.items():
        parts.append(_square(*_xy(point, size), CELL, f'fill="{color}" fill-opacity="{opacity:.3f}"'))
    return "\n".join(parts)


def _territory(territory: np.ndarray, colors: np.ndarray) -> str:
    parts = []
    for row, column in np.argwhere(np.abs(territory) >= 0.02).tolist():
        amount = float(np.clip(territory[row, column], -1, 1))
        owner = BLACK if amount > 0 else WHITE
        if colors[row, column] == owner:
            continue
        look = f'fill="{STONES[owner][0]}" stroke="#7a6a4a" stroke-width="1"'
        parts.append(_square(column * CELL, row * CELL, 0.5 * CELL * abs(amount) ** 0.5, look))
    return "\n".join(parts)


def _mark(mark: str, x: float, y: float, color: int) -> str:
    """Draw a mark on a point that holds a stone of this colour, or is EMPTY."""
    if mark not in MARKS:
        raise GoError(f"{mark!r} is no mark: there are {', '.join(MARKS)}.")
    if mark == "ring":
        return f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * CELL:g}" fill="none" stroke="{RING}" stroke-width="4"/>'
    if mark == "block":
        return _square(x, y, 0.54 * CELL, f'fill="{HEAT}"')
    r = 0.24 * CELL
    shape = {
        "circle": f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}"',
        "square": f'<rect x="{x - r:g}" y="{y - r:g}" width="{2 * r:g}" height="{2 * r:g}"',
        "triangle": f'<path d="M{x:g} {y - 1.2 * r:g}l{1.1 * r:g} {1.9 * r:g}h{-2.2 * r:g}z"',
        "cross": f'<path d="M{x - r:g} {y - r:g}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}"',
    }[mark]
    return f'{shape} fill="none" stroke="{INK[color]}" stroke-width="2.6"/>'


def _label(label: str, point: int, colors: np.ndarray, shades: Mapping[int, tuple[str, float]], is_quiet: bool) -> str:
    """Write on a stone, or on an empty point over a patch of wood and shade that hides the lines."""
    x, y = _xy(point, len(colors))
    color = _color(point, colors)
    height = CELL * (0.3 if is_quiet else 0.44 if len(label) < 3 else 0.36)
    under = ""
    if color == EMPTY:
        patch = f'<circle cx="{x:g}" cy="{y:g}" r="{0.3 * CELL:g}"'
        under = f'{patch} fill="{WOOD}"/>'
        if point in shades:
            under += f'{patch} fill="{shades[point][0]}" fill-opacity="{shades[point][1]:.3f}"/>'
    return under + write(x, y, label, INK[color], height)
