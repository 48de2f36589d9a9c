"""Several boards on one sheet, as one SVG document: a heading, boards with title and caption, and scales of colours.

All lengths follow from the width of the boards, so a sheet looks the same for all board sizes.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from go.draw import document, write

LINES = 21  # of text that would fit into the height of a board
GAP = 1.4  # between boards, and around all; this and the rest in lines
HEADING, LINE, TITLE, CAPTION, LEGEND = 2.1, 1.25, 1.5, 1.15, 3.4
BAR = 0.8  # height of a scale
INK, FAINT = "#222222", "#5f5f5f"
LETTER = 0.62  # width of a letter, as a share of its height, in a wide typeface
VIEW = re.compile(r'viewBox="([^"]+)" width="[^"]+" height="[^"]+"')  # as `go.draw.document` writes it


class Panel(NamedTuple):
    """A drawing on a sheet, with lines below it and, if there is nothing to show, a note across it."""

    title: str
    drawing: str  # made by `go.draw`
    caption: tuple[str, ...] = ()
    note: str = ""


class Scale(NamedTuple):
    """What colours mean: the colours from left to right, and words below them by their place, from 0 to 1."""

    title: str
    colors: Sequence[str]
    words: Mapping[float, str]


class Section(NamedTuple):
    """Panels that belong together, below a heading of their own."""

    heading: str
    panels: Sequence[Panel]


def sheet_svg(
    title: str,
    lines: Sequence[str],
    panels: Sequence[Panel],
    width: float,
    scales: Sequence[Scale] = (),
    columns: int = 3,
) -> str:
    """Draw panels of the width given, in `columns` columns, below a title and lines of text."""
    return sections_svg(title, lines, [Section("", panels)], width, scales, columns)


def sections_svg(
    title: str,
    lines: Sequence[str],
    sections: Sequence[Section],
    width: float,
    scales: Sequence[Scale] = (),
    columns: int = 3,
    text: float = 1.0,
    lead: str = "",
) -> str:
    """Draw sections of panels below a title and lines of text.

    `text` scales all text, for panels that are small. `lead` is a drawing to the left of title and lines, as wide as
    two panels.
    """
    unit = text * width / LINES
    step = width + GAP * unit
    left, full = GAP * unit, columns * step - GAP * unit
    parts, x, y = [], left, GAP * unit
    if lead:
        parts.append(_placed(lead, left, y, 2 * width))
        x += 2 * width + 2 * GAP * unit
        y += 0.5 * HEADING * unit
    parts.append(_fitted(x, y, title, left + full - x, 1.4 * unit, INK, bold=True))
    y += HEADING * unit
    for line in lines:
        parts.append(_fitted(x, y, line, left + full - x, 0.95 * unit, INK))
        y += LINE * unit
    if lead:
        y = max(y, GAP * unit + _height(lead, 2 * width))
    if sections and sections[0].heading:
        y += 0.5 * GAP * unit
    for section in sections:
        if section.heading:
            parts.append(_fitted(left, y + 0.3 * HEADING * unit, section.heading, full, 1.1 * unit, INK))
            y += 0.8 * HEADING * unit
        captions = max((len(panel.caption) for panel in section.panels), default=0)
        for start in range(0, len(section.panels), columns):
            row = section.panels[start : start + columns]
            for number, panel in enumerate(row):
                parts += _panel(panel, left + number * step, y + 0.5 * TITLE * unit, width, unit)
            titled = any(panel.title for panel in row)
            height = max(_height(panel.drawing, width) for panel in row)
            y += (TITLE * titled + captions * CAPTION + GAP) * unit + height
    for number, scale in enumerate(scales):
        parts.append(_scale(scale, left + number * full / len(scales), y, 0.8 * full / len(scales), unit))
    bottom = y + (LEGEND if scales else 0) * unit
    return document((0, 0, full + 2 * left, bottom), parts)


def _height(drawing: str, width: float) -> float:
    """Return the height of a drawing that is scaled to a width."""
    _, _, own_width, own_height = map(float, VIEW.search(drawing)[1].split())
    return width * own_height / own_width


def _placed(drawing: str, x: float, y: float, width: float) -> str:
    """Put a drawing on the sheet, scaled to a width."""
    box = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{_height(drawing, width):g}"'
    return VIEW.sub(lambda found: f'{box} viewBox="{found[1]}"', drawing, count=1)


def _fitted(
    x: float, y: float, text: str, room: float, height: float, fill: str, anchor: str = "start", bold: bool = False
) -> str:
    """Write a text, if there is any, small enough to fit."""
    return write(x, y, text, fill, min(height, room / LETTER / len(text)), anchor, bold) if text else ""


def _panel(panel: Panel, x: float, y: float, width: float, unit: float) -> list[str]:
    parts = [_fitted(x, y, panel.title, width, unit, INK, bold=True)]
    top = y + 0.6 * TITLE * unit if panel.title else y - 0.5 * TITLE * unit
    parts.append(_placed(panel.drawing, x, top, width))
    if panel.note:
        parts.append(_note(panel.note, x, top, width, unit))
    below = top + _height(panel.drawing, width)
    start, anchor = (x, "start") if panel.title else (x + width / 2, "middle")  # below a title, or below a drawing
    for number, line in enumerate(panel.caption):
        parts.append(_fitted(start, below + (0.6 + number * CAPTION) * unit, line, width, 0.85 * unit, FAINT, anchor))
    return parts


def _note(note: str, x: float, y: float, width: float, unit: float) -> str:
    """Fade a board and write across it."""
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
