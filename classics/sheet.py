"""What the Candidate Generation System sees in a position, on one sheet: influence, safety, PV and the candidates."""

import numpy as np

from classics.cgs import Analysis, standing
from go.board import COLOR_NAMES, EMPTY
from go.coordinates import PASS, gtp_from_point, point_from_rowcol
from go.draw import WOOD, board_width
from go.panels import Panel, Scale, sheet_svg
from go.position import Position

BLACKS, WHITES = "#1d3557", "#fdfdfd"  # what is black's and white's; black stones can be told from the shade
UNSAFE, SAFE = "#c4161c", "#2a7f3f"
STRONGEST = 0.85  # opacity
FAINT = 0.45  # opacity of the stones above a map
NUMBERED = 13  # boards up to this size have room for numbers on all points
STEPS = 24  # of a scale


def sheet(position: Position, analysis: Analysis, title: str) -> str:
    """Draw influence, safety, PV and the candidates of a position."""
    to_move = COLOR_NAMES[position.to_move]
    points = position.size**2
    lines = [
        f"{standing(analysis)}, PMD {analysis.pmd:.1f}, of {points} points. IPS {analysis.ips:+.1f}.",
        f"{to_move.capitalize()} to move: PMS {analysis.pms:.1f}, {_compared(analysis.pms, points / 2)} half the board",
    ]
    lines += [f"Candidate {line}" for line in candidate_lines(position, analysis)]
    if not analysis.candidates:
        lines.append("No candidate is left: the system passes.")
    panels = [
        _map(position, "Influence power (IP)", analysis.ip, np.abs(analysis.ip).max(), "{:.1f}"),
        _safety(position, analysis),
        _map(position, "PV of black, in percent", analysis.pv - 0.5, 0.5, "{:.0f}", 100, 50),
        _candidates(position, analysis),
    ]
    return sheet_svg(title, lines, panels, board_width(position.size), _scales(), columns=2)


def candidate_lines(position: Position, analysis: Analysis) -> list[str]:
    """Return a line for each candidate: its number, its point and its reasons."""
    return [
        f"{number} {gtp_from_point(found.point, position.size)} {found.why}"
        for number, found in enumerate(analysis.candidates, 1)
    ]


def _compared(value: float, other: float) -> str:
    return "exactly" if abs(value - other) < 1e-9 else "more than" if value > other else "less than"


def _map(
    position: Position,
    title: str,
    values: np.ndarray,
    most: float,
    pattern: str,
    scale: float = 1.0,
    offset: float = 0.0,
) -> Panel:
    """Draw a number per point: shades of black's colour above 0, of white's below."""
    shades, labels = {}, {}
    for row, column in np.ndindex(values.shape):
        value, point = float(values[row, column]), point_from_rowcol(row, column, position.size)
        if value:
            shades[point] = (BLACKS if value > 0 else WHITES, STRONGEST * min(abs(value) / max(most, 1e-9), 1.0))
        if position.size <= NUMBERED and position.colors[row, column] == EMPTY and value:
            labels[point] = pattern.format(abs(offset + scale * value))
    drawing = position.to_svg(shades=shades, labels=labels, quiet=set(labels), stone_opacity=FAINT, last_move=PASS)
    return Panel(title, drawing)


def _safety(position: Position, analysis: Analysis) -> Panel:
    """Draw the safety of each stone: red for none, green for unconditional life."""
    shades, labels = {}, {}
    for row, column in np.argwhere(position.colors != EMPTY).tolist():
        value, point = float(analysis.safety[row, column]), point_from_rowcol(row, column, position.size)
        shades[point] = (SAFE if value >= 0.5 else UNSAFE, STRONGEST * abs(2 * value - 1))
        labels[point] = f"{value:.1f}".removeprefix("0") if value < 1 else "1"
    drawing = position.to_svg(shades=shades, labels=labels, quiet=set(labels), last_move=PASS)
    return Panel("Safety: 0 dead, 1 alive", drawing)


def _candidates(position: Position, analysis: Analysis) -> Panel:
    points = [found.point for found in analysis.candidates]
    labels = {point: str(number) for number, point in enumerate(points, 1)}
    marks = {points[0]: "ring"} if points else {}
    note = "" if points else "no candidate"
    return Panel("Candidates; the ring is played", position.to_svg(labels=labels, marks=marks), note=note)


def _scales() -> list[Scale]:
    shares = np.linspace(-1, 1, STEPS)
    of_colors = [_mixed(BLACKS if share > 0 else WHITES, abs(share)) for share in shares]
    of_safety = [_mixed(SAFE if share > 0 else UNSAFE, abs(share)) for share in shares]
    return [
        Scale("IP and PV", of_colors, {0.0: "white", 0.5: "nobody", 1.0: "black"}),
        Scale("Safety", of_safety, {0.0: "0", 0.5: "0.5", 1.0: "1"}),
    ]


def _mixed(color: str, share: float) -> str:
    """Return a colour laid over the wood of the board."""
    share *= STRONGEST
    parts = ((int(color[i : i + 2], 16), int(WOOD[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in parts)
