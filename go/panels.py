"""Several boards on one sheet, as one SVG document: a heading, boards with title and caption, and scales of colours.

All lengths follow from the width of the boards, so a sheet looks alike whatever their size.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from go.draw import document, write

LINES = 21  # of text that would fit into the height of a board
GAP = 1.4  # between boards, and around all; this and the rest in lines
HEADING, LINE, TITLE, CAPTION, LEGEND = 2.1, 1.25, 1.5, 1.15, 3.4
BAR = 0.8  # height of a scale
INK, FAINT = "#222222", "#5f5f5f"
LETTER = 0.62  # width of a letter, as a share of its height, in a wide typeface


class Panel(NamedTuple):
    """A board on a sheet, with lines below it and, where there is nothing to show, a note across it."""

    title: str
    drawing: str  # as `go.draw.board_svg` makes it, with coordinates and without a title
    caption: tuple[str, ...] = ()
    note: str = ""


class Scale(NamedTuple):
    """What colours mean: those from left to right, and words below them by how far to the right they stand."""

    title: str
    colors: Sequence[str]
    words: Mapping[float, str]


def sheet_svg(
    title: str,
    lines: Sequence[str],
    panels: Sequence[Panel],
    width: float,
    scales: Sequence[Scale] = (),
    columns: int = 3,
) -> str:
    """Draw boards, each of the width given, in so many columns, below a heading and lines of text."""
    unit = width / LINES
    step = width + GAP * unit
    left, full = GAP * unit, columns * step - GAP * unit
    parts, y = [_fitted(left, GAP * unit, title, full, 1.4 * unit, INK, bold=True)], (GAP + HEADING) * unit
    for line in lines:
        parts.append(_fitted(left, y, line, full, 0.95 * unit, INK))
        y += LINE * unit
    captions = max((len(panel.caption) for panel in panels), default=0)
    for number, panel in enumerate(panels):
        if number and number % columns == 0:
            y += (TITLE + captions * CAPTION + GAP) * unit + width
        parts += _panel(panel, left + number % columns * step, y + 0.5 * TITLE * unit, width, unit)
    y += (TITLE + captions * CAPTION + GAP) * unit + width
    for number, scale in enumerate(scales):
        parts.append(_scale(scale, left + number * full / len(scales), y, 0.8 * full / len(scales), unit))
    bottom = y + (LEGEND if scales else 0) * unit
    return document((0, 0, full + 2 * left, bottom), parts)


def _fitted(
    x: float, y: float, text: str, room: float, height: float, fill: str, anchor: str = "start", bold: bool = False
) -> str:
    """Write a text, if there is any, no larger than fits into the room."""
    return write(x, y, text, fill, min(height, room / LETTER / len(text)), anchor, bold) if text else ""


def _panel(panel: Panel, x: float, y: float, width: float, unit: float) -> list[str]:
    parts = [_fitted(x, y, panel.title, width, unit, INK, bold=True)]
    top = y + 0.6 * TITLE * unit
    parts.append(panel.drawing.replace("<svg ", f'<svg x="{x:g}" y="{top:g}" ', 1))
    if panel.note:
        parts.append(_note(panel.note, x, top, width, unit))
    for number, line in enumerate(panel.caption):
        below = top + width + (0.6 + number * CAPTION) * unit
        parts.append(_fitted(x, below, line, width, 0.85 * unit, FAINT))
    return parts


def _note(note: str, x: float, y: float, width: float, unit: float) -> str:
    """Let a board fade, and write across it."""
    height, room = 2.2 * unit, min(width, (0.7 * len(note) + 2) * unit)
    strip = f'x="{x + (width - room) / 2:g}" y="{y + (width - height) / 2:g}" width="{room:g}" height="{height:g}"'
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{width:g}" fill="#ffffff" fill-opacity="0.6"/>\n'
        f'<rect {strip} rx="{0.3 * unit:g}" fill="#ffffff" stroke="{FAINT}"/>\n'
        + _fitted(x + width / 2, y + width / 2, note, width, 1.1 * unit, INK, "middle")
    )


def _scale(scale: Scale, x: float, y: float, width: float, unit: float) -> str:
    parts, step = [_fitted(x, y, scale.title, 1.2 * width, 0.85 * unit, INK)], width / len(scale.colors)
    for number, color in enumerate(scale.colors):  # each a little too wide, or lines would show between them
        box = f'x="{x + number * step:g}" y="{y + 0.7 * unit:g}" width="{1.05 * step:g}" height="{BAR * unit:g}"'
        parts.append(f'<rect {box} fill="{color}"/>')
    for place, word in scale.words.items():
        parts.append(write(x + place * width, y + (1.2 + BAR) * unit, word, FAINT, 0.8 * unit))
    return "\n".join(parts)
