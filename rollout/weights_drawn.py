"""The patterns with the highest and the lowest weights of a policy, as a sheet of small boards.

Own stones are black. The number on a stone is the number of liberties of its chain; 3 means three or more. Grey is off
the board. A red square is the move that the weight belongs to.
"""

from typing import NamedTuple

import numpy as np

from go.board import BLACK, EMPTY, WHITE
from go.draw import CELL, pattern_svg
from go.panels import Panel, Section, sections_svg
from rollout.harvest import Harvest
from rollout.model import Model
from rollout.patterns import BORDER_STATE, DIAMOND, EMPTY_STATE, SQUARE, STATE_BITS

EACH = 10  # patterns at each end of the scale
MET = 50  # minimum occurrences of a drawn pattern; weights of rarer patterns say little
COLUMNS = 5  # width of the widest pattern, in points
WIDTH = COLUMNS * CELL
LEGEND = [
    "Own stones are black. Numbers are liberties, 3 for three or more. Grey is off the board.",
    "Red: the move. White with a ring: the last move.",
]


class Row(NamedTuple):
    """Patterns of one kind, side by side, from one end of the scale."""

    title: str
    shape: tuple[tuple[int, int], ...]
    codes: list[int]
    places: list[int | None]  # index of the move's point; None for the centre
    weights: list[float]
    counts: list[int]


def rows_of(model: Model, patterns: Harvest) -> list[Row]:
    """Find the patterns with the highest and the lowest weights of each kind."""
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
        half = min(EACH, len(ranked) // 2)  # no pattern is at both ends
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
    """Draw the rows of several policies, by name, one below another."""
    sections = [
        Section(f"{name.capitalize()} policy: {row.title[0].lower()}{row.title[1:]}", _panels(row))
        for name, rows in sheets.items()
        for row in rows
    ]
    return sections_svg(
        "Patterns with the highest and the lowest weights", LEGEND, sections, WIDTH, columns=EACH, text=2
    )


def _panels(row: Row) -> list[Panel]:
    drawn = zip(row.codes, row.places, row.weights, row.counts, strict=True)
    return [
        Panel("", _pattern(row.shape, code, place), (f"{weight:+.2f}", f"met {count:,}"))
        for code, place, weight, count in drawn
    ]


def _pattern(shape: tuple[tuple[int, int], ...], code: int, place: int | None) -> str:
    """Draw the points of a pattern, and the move on one of them or in the centre."""
    states = {step: code >> STATE_BITS * k & 7 for k, step in enumerate(shape)}
    colors = {step: _color(state) for step, state in states.items()}
    labels = {step: state if state <= 3 else state - 3 for step, state in states.items() if colors[step]}
    move = (0, 0) if place is None else shape[place]
    marks = {move: "block"} if place is None else {(0, 0): "circle", move: "block"}
    return pattern_svg(colors | {(0, 0): EMPTY if place is None else WHITE}, labels, marks, COLUMNS)


def _color(state: int) -> int | None:
    """Return the colour of a point in a pattern; None off the board."""
    if state == BORDER_STATE:
        return None
    return EMPTY if state == EMPTY_STATE else BLACK if state <= 3 else WHITE
