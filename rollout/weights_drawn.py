"""The patterns that a policy likes most and least, as a sheet of small boards.

Own stones are black. The number on a stone is that of its chain's liberties, 3 for three and more; grey is beyond the
edge of the board; a red square is the move that the weight is about.
"""

from html import escape
from typing import NamedTuple

import numpy as np

from go.board import BLACK, WHITE
from go.draw import HEAT, INK, LINE, STONES, WOOD
from rollout.harvest import Harvest
from rollout.model import Model
from rollout.patterns import BORDER_STATE, DIAMOND, EMPTY_STATE, SQUARE, STATE_BITS

CELL = 22  # all lengths follow from the distance between two lines
RADIUS = 0.46 * CELL
EACH = 10  # patterns at each end of the scale
MET = 50  # weights of patterns that were met less often say little, and are not drawn
BEYOND = "#c9c9c9"
GAP, LABEL, HEADING, MARGIN = 14, 34, 34, 24


class Row(NamedTuple):
    """Patterns of one kind beside each other, from one end of the scale."""

    title: str
    shape: tuple[tuple[int, int], ...]
    codes: list[int]
    places: list[int | None]  # where the move is; in the centre if None
    weights: list[float]
    counts: list[int]


def rows_of(model: Model, patterns: Harvest) -> list[Row]:
    """Find the strongest and the weakest patterns of each kind."""
    kinds = [
        ("3x3 patterns around the move", "non-response pattern", SQUARE, patterns.squares, patterns.square_counts),
        ("Answers to the last move", "response pattern", DIAMOND, patterns.responses, patterns.response_counts),
    ]
    if model.is_tree:
        kinds.append(
            ("Diamonds around the move", "diamond pattern", DIAMOND, patterns.diamonds, patterns.diamond_counts)
        )
    rows = []
    for title, kind, shape, codes, counts in kinds:
        weights = model.weights[model.first(kind) :][: len(codes)]
        often = np.flatnonzero(counts >= MET)
        ranked = often[np.argsort(-weights[often], kind="stable")]
        half = min(EACH, len(ranked) // 2)  # none at both ends
        for end, chosen in (("most liked", ranked[:half]), ("least liked", ranked[len(ranked) - half :][::-1])):
            places = patterns.places[chosen].tolist() if kind == "response pattern" else [None] * len(chosen)
            rows.append(
                Row(
                    f"{title}, {end} of {len(often):,}",
                    shape,
                    codes[chosen].tolist(),
                    places,
                    weights[chosen].tolist(),
                    counts[chosen].tolist(),
                )
            )
    return rows


def sheet_svg(sheets: dict[str, list[Row]]) -> str:
    """Draw the rows of some policies, by name, below each other."""
    side = 2 * 2 * CELL + CELL
    width = 2 * MARGIN + EACH * side + (EACH - 1) * GAP
    parts, top = [], MARGIN
    legend = "Own stones are black; numbers are liberties, 3 for three or more; grey is off the board."
    parts.append(_text(MARGIN, top, f"{legend} Red: the move. White with a ring: the last move.", 13))
    top += HEADING
    for name, rows in sheets.items():
        parts.append(_text(MARGIN, top, f"{name.capitalize()} policy", 19))
        top += HEADING
        for row in rows:
            parts.append(_text(MARGIN, top, row.title, 14))
            reach = max(line for line, _ in row.shape)
            top += 14
            for number, (code, place, weight, count) in enumerate(
                zip(row.codes, row.places, row.weights, row.counts, strict=True)
            ):
                x, y = MARGIN + number * (side + GAP) + side / 2, top + (reach + 0.5) * CELL
                parts.append(_pattern(x, y, row.shape, code, place))
                below = y + (reach + 0.5) * CELL
                parts.append(_text(x, below + 13, f"{weight:+.2f}", 13, "middle"))
                parts.append(_text(x, below + 27, f"met {count:,}", 10, "middle"))
            top += (2 * reach + 1) * CELL + LABEL + HEADING
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {top:g}" width="{width:g}" height="{top:g}" '
        f'font-family="Helvetica, Arial, sans-serif">\n<rect width="{width:g}" height="{top:g}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, height: float, anchor: str = "start", fill: str = "#222222") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{height:g}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'
    )


def _pattern(x: float, y: float, shape: tuple[tuple[int, int], ...], code: int, place: int | None) -> str:
    """Draw a pattern around a centre: the points of the shape, and the move in one of them or in the centre."""
    states = {step: code >> STATE_BITS * k & 7 for k, step in enumerate(shape)}
    parts = []
    for (row, column), state in {**states, (0, 0): EMPTY_STATE}.items():
        fill = BEYOND if state == BORDER_STATE else WOOD
        left, top = x + (column - 0.5) * CELL, y + (row - 0.5) * CELL
        parts.append(f'<rect x="{left:g}" y="{top:g}" width="{CELL}" height="{CELL}" fill="{fill}"/>')
        if state != BORDER_STATE:
            parts.append(_lines(x, y, row, column, states))
    for (row, column), state in states.items():
        if state not in (EMPTY_STATE, BORDER_STATE):
            color, liberties = (BLACK, state) if state <= 3 else (WHITE, state - 3)
            parts.append(_stone(x + column * CELL, y + row * CELL, color))
            ink = {"anchor": "middle", "fill": INK[color]}
            parts.append(_text(x + column * CELL, y + row * CELL + 4, str(liberties), 11, **ink))
    if place is not None:
        parts.append(_stone(x, y, WHITE))
        parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{0.5 * RADIUS:g}" fill="none" stroke="#000000" stroke-width="2"/>'
        )
    row, column = (0, 0) if place is None else shape[place]
    left, top = x + (column - 0.27) * CELL, y + (row - 0.27) * CELL
    parts.append(f'<rect x="{left:g}" y="{top:g}" width="{0.54 * CELL:g}" height="{0.54 * CELL:g}" fill="{HEAT}"/>')
    return "\n".join(parts)


def _lines(x: float, y: float, row: int, column: int, states: dict[tuple[int, int], int]) -> str:
    """Draw the two lines of a point, which end where the board ends."""
    ends = {
        (down, right): 0 if states.get((row + down, column + right)) == BORDER_STATE else 0.5 * CELL
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
    }
    x, y = x + column * CELL, y + row * CELL
    path = f"M{x:g} {y - ends[-1, 0]:g}V{y + ends[1, 0]:g}M{x - ends[0, -1]:g} {y:g}H{x + ends[0, 1]:g}"
    return f'<path d="{path}" stroke="{LINE}" stroke-width="1"/>'


def _stone(x: float, y: float, color: int) -> str:
    fill, edge = STONES[color]
    return f'<circle cx="{x:g}" cy="{y:g}" r="{RADIUS:g}" fill="{fill}" stroke="{edge}"/>'
