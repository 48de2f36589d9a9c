"""All planes of a position on one sheet: the board, and below it one row of planes for each group."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from features48.groups import GROUPS, plane_names
from go.board import BLACK, COLOR_NAMES, WHITE
from go.coordinates import GTP_COLUMNS, rowcol_from_point
from go.handicap import star_points
from go.position import Position
from pipeline.plots import INK, figure

# Lengths are in inches.
COLUMNS = 8  # planes beside each other
PANEL, GAP, MARGIN = 1.85, 0.16, 0.35
BOARD = 4.2  # the position itself
TEXT, WIDE = 13, 130  # font size; number of letters that fit into an inch, times the font size
HEADING, LABEL = 0.42, 0.26  # heights of the title of a row and of a plane
WIDTH = 2 * MARGIN + COLUMNS * PANEL + (COLUMNS - 1) * GAP
AROUND = 0.6  # wood around the outer lines, in lines
NUMBERED = 7  # recent moves that carry a number on the board: those that have a plane of their own
WOOD, LINE, RED = "#f3e2b8", "#b79b62", "#c4161c"
STONES = {BLACK: "#111111", WHITE: "#ffffff"}
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
    rows = [wanted for row in ROWS if (wanted := tuple(name for name in row if name in names))]
    by_name = dict(zip(plane_names(names), planes, strict=True))
    height = 2 * MARGIN + BOARD + len(rows) * (HEADING + LABEL + PANEL + GAP)
    with figure(path, height, WIDTH) as sheet:
        sheet.set_layout_engine("none")  # every place is given here
        top = height - MARGIN
        _draw_position(_place(sheet, MARGIN + 0.2, top - BOARD, BOARD), position)
        _write(sheet, MARGIN + BOARD + 0.8, top, title, min(20, WIDE * (WIDTH - 2 * MARGIN - BOARD - 0.8) / len(title)))
        for number, line in enumerate(_legend(position)):
            _write(sheet, MARGIN + BOARD + 0.8, top - 0.7 - 0.36 * number, line, TEXT)
        top -= BOARD + 2 * GAP
        for row in rows:
            said = "   ".join(f"{name.replace('_', ' ').capitalize()}: {GROUPS[name].meaning}." for name in row)
            _write(sheet, MARGIN, top - GAP / 2, said, min(TEXT, WIDE * (WIDTH - 2 * MARGIN) / len(said)))
            top -= HEADING + LABEL + PANEL
            for column, name in enumerate(plane_names(row)):
                axes = _place(sheet, MARGIN + column * (PANEL + GAP), top, PANEL)
                _draw_plane(axes, position, by_name[name], name)
            top -= GAP


def _place(sheet: Figure, left: float, bottom: float, side: float) -> Axes:
    width, height = sheet.get_size_inches()
    return sheet.add_axes((left / width, bottom / height, side / width, side / height))


def _write(sheet: Figure, left: float, top: float, text: str, size: float) -> None:
    width, height = sheet.get_size_inches()
    sheet.text(left / width, top / height, text, fontsize=size, va="top", parse_math=False)


def _legend(position: Position) -> list[str]:
    own = "own" if position.to_move == BLACK else "the opponent's"
    return [
        f"{COLOR_NAMES[position.to_move].capitalize()} to move: black stones are {own} stones.",
        "Numbers on stones count moves back: 1 is the last move.",
        "Red: the plane is 1 there; in brackets, on how many points.",
        "Where a number has eight planes, the last one stands for 8 or more.",
    ]


def _draw_position(axes: Axes, position: Position) -> None:
    _draw_board(axes, position, BOARD, strength=1.0)
    labelled = set()
    for number, move in enumerate(position.history[: -NUMBERED - 1 : -1], 1):
        if move.point and move.point not in labelled and position.color_at(move.point) == move.color:
            labelled.add(move.point)
            row, column = rowcol_from_point(move.point, position.size)
            ink = STONES[BLACK + WHITE - move.color]
            axes.text(column, row, str(number), color=ink, ha="center", va="center_baseline", fontsize=8)
    axes.set_xticks(range(position.size), GTP_COLUMNS[: position.size])
    axes.set_yticks(range(position.size), range(position.size, 0, -1))
    axes.tick_params(length=0, labelsize=8)


def _draw_plane(axes: Axes, position: Position, plane: np.ndarray, name: str) -> None:
    _draw_board(axes, position, PANEL, strength=0.35)
    rows, columns = np.nonzero(plane)
    axes.scatter(columns, rows, s=(0.98 * _points_a_line(position.size, PANEL)) ** 2, marker="s", color=RED, zorder=1)
    axes.set(xticks=[], yticks=[])
    axes.set_title(f"{name} ({int(plane.sum())})", fontsize=10, loc="center", pad=3)


def _points_a_line(size: int, side: float) -> float:
    """Return the distance of two lines in the typographic points of matplotlib, 72 to the inch."""
    return 72 * side / (size - 1 + 2 * AROUND)


def _draw_board(axes: Axes, position: Position, side: float, strength: float) -> None:
    """Draw lines and stones, whose diameter follows from the side of the panel."""
    size = position.size
    axes.set_facecolor(WOOD)
    axes.grid(visible=False)
    axes.set(xlim=(-AROUND, size - 1 + AROUND), ylim=(size - 1 + AROUND, -AROUND))
    axes.hlines(range(size), 0, size - 1, color=LINE, linewidth=0.5, zorder=0.5)
    axes.vlines(range(size), 0, size - 1, color=LINE, linewidth=0.5, zorder=0.5)
    stars = np.array([rowcol_from_point(point, size) for point in star_points(size)]).reshape(-1, 2)
    axes.scatter(stars[:, 1], stars[:, 0], s=3, color=LINE, zorder=0.6)
    diameter = 0.9 * _points_a_line(size, side)
    for color, fill in STONES.items():
        rows, columns = np.nonzero(position.colors == color)
        look = {"facecolor": fill, "edgecolor": INK, "linewidth": 0.6, "alpha": strength}
        axes.scatter(columns, rows, s=diameter**2, zorder=2, **look)
    for spine in axes.spines.values():
        spine.set_visible(False)
