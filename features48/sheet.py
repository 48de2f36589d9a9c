"""All planes of a position on one sheet: the board, and below it one row of planes for each group."""

from pathlib import Path

import numpy as np

from features48.groups import GROUPS, plane_names
from go.board import BLACK, COLOR_NAMES
from go.coordinates import PASS, point_from_rowcol
from go.draw import HEAT, board_width
from go.panels import Panel, Section, sections_svg
from go.position import Position
from pipeline.artefact import write_atomic

COLUMNS = 8  # planes beside each other
NUMBERED = 7  # recent moves that carry a number on the board: those that have a plane of their own
FAINT = 0.45  # opacity of the stones below a plane
ROWS = (
    ("stone_color", "ones"),
    ("turns_since",),
    ("liberties",),
    ("capture_size",),
    ("self_atari_size",),
    ("liberties_after",),
    ("ladder_capture", "ladder_escape", "sensibleness", "zeros", "color"),
)


def draw_sheet(position: Position, planes: np.ndarray, names: tuple[str, ...], title: str, path: Path) -> None:
    """Draw a position and its planes, which are those of the groups in `names`, in this order."""
    by_name = dict(zip(plane_names(names), planes, strict=True))
    sections = []
    for row in (tuple(name for name in row if name in names) for row in ROWS):
        meanings = "   ".join(f"{name.replace('_', ' ').capitalize()}: {GROUPS[name].meaning}." for name in row)
        panels = [_panel(position, by_name[name], name) for name in plane_names(row)]
        sections += [Section(meanings, panels)] if row else []
    board = position.to_svg(labels=_recent_moves(position), last_move=PASS)
    width = board_width(position.size)
    write_atomic(path, sections_svg(title, _legend(position), sections, width, columns=COLUMNS, text=1.6, lead=board))


def _legend(position: Position) -> list[str]:
    own = "own" if position.to_move == BLACK else "the opponent's"
    return [
        f"{COLOR_NAMES[position.to_move].capitalize()} to move: black stones are {own} stones.",
        "Numbers on stones count moves back: 1 is the last move.",
        "Red: the plane is 1 there; in brackets, on how many points.",
        "Where a number has eight planes, the last one stands for 8 or more.",
    ]


def _recent_moves(position: Position) -> dict[int, int]:
    """Number the stones of the last moves, counting back."""
    numbers: dict[int, int] = {}
    for number, move in enumerate(position.history[: -NUMBERED - 1 : -1], 1):
        if move.point and position.color_at(move.point) == move.color:
            numbers.setdefault(move.point, number)
    return numbers


def _panel(position: Position, plane: np.ndarray, name: str) -> Panel:
    points = [point_from_rowcol(row, column, position.size) for row, column in np.argwhere(plane).tolist()]
    shades = dict.fromkeys(points, (HEAT, 1.0))
    drawing = position.to_svg(shades=shades, stone_opacity=FAINT, coordinates=False, last_move=PASS)
    return Panel(f"{name} ({int(plane.sum())})", drawing)
