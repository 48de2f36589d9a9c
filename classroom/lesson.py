"""What a chapter imports to show things: boards, tables, plots and scripts that play a recorded trace.

Every function returns a `Shown`, which is the last expression of a cell. A notebook or a page draws it. A chapter that
runs as a plain script prints it as text instead, so that it can be read in a terminal.
"""

import hashlib
import html
import itertools
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from classroom.scripts import widget
from go.coordinates import PASS, gtp_from_point
from go.position import Position
from go.text import write_board
from pipeline import plots
from pipeline.errors import UserError
from pipeline.tables import table as markdown_table

SCALE = "PREZERO_CLASSROOM_SCALE"  # the environment variable that the command sets
SCALES = ("tiny", "full")
HEADER = ("", "ours", "paper or slides", "remark")
THEMED = {  # colours that must change with the page: text and lines, by what stands for them
    "#333333": "currentColor",
    "#222222": "currentColor",
    "#5f5f5f": "currentColor",
    "#6b5330": "currentColor",
    "#d9d9d9": "var(--rule, #d9d9d9)",
}

PAPER = re.compile(r'(<svg[^>]*>\s*<rect[^>]*) fill="#ffffff"/>')  # the white ground of each drawing on a sheet
METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)  # of matplotlib: addresses that nobody needs

_numbers = itertools.count(1)


def __getattr__(name: str) -> str:
    """Return `lesson.scale`, how much work chapters do: "tiny" in tests, else "full"."""
    if name != "scale":
        raise AttributeError(f"classroom.lesson has no {name}")
    named = os.environ.get(SCALE, "full")
    if named not in SCALES:
        raise UserError(f"{SCALE}={named} is none of {', '.join(SCALES)}.")
    return named


def sized(full: Any, tiny: Any) -> Any:
    """Return the first value, or the second one where the scale is tiny."""
    return full if __getattr__("scale") == "full" else tiny


def in_notebook() -> bool:
    """Return whether this code runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


class Shown:
    """Something to look at, as HTML and as text."""

    def __init__(self, page: str, text: str) -> None:
        self.page, self.text = page, text

    def _repr_html_(self) -> str:
        return self.page

    def __repr__(self) -> str:
        return self.text


def shown(page: str, text: str) -> Shown:
    """Return HTML for a notebook or a page; in a plain script, print the text."""
    result = Shown(page, text)
    if not in_notebook():
        print(text)
    return result


def interactive(kind: str, data: Any, title: str) -> Shown:
    """Return the script `classroom/web/<kind>.js` with data to play. `data` is anything that JSON can hold.

    The script exports `start(element, data)`. Scripts and data are part of the page, which needs no network.
    """
    name = hashlib.sha256(f"{kind} {title}".encode()).hexdigest()[:8]
    page = widget(kind, data, title, f"lesson-{name}-{next(_numbers)}")
    return shown(page, f"[{title}: a script to step through, in a notebook or on the page]")


def show_board(position: Position | np.ndarray, title: str = "", width: int = 380, **options: Any) -> Shown:
    """Draw a position, or colours by row and column. `options` are those of `go.draw.board_svg`."""
    position = position if isinstance(position, Position) else _of_colors(position)
    drawing = position.to_svg(**options)
    text = write_board(position.colors, options.get("last_move", position.last_move or PASS))
    return shown(_captioned(drawing, title, width), f"{title}\n{text}" if title else text)


def _of_colors(colors: np.ndarray) -> Position:
    letters = {0: ".", 1: "X", 2: "O"}
    return Position.from_text("\n".join(" ".join(letters[int(color)] for color in row) for row in colors))


def show_drawing(drawing: str, title: str = "", width: int = 0) -> Shown:
    """Show an SVG document, such as a sheet of `go.panels`. With a width of 0 it is as wide as the page allows."""
    page = _captioned(drawing, title, width, "" if width else " lesson-wide")
    return shown(page, f"[drawing: {title or 'untitled'}]")


def row(*parts: Shown) -> Shown:
    """Lay several things side by side. They wrap where the page is narrow."""
    inner = "".join(f"<div>{part.page}</div>" for part in parts)
    return Shown(f'<div class="lesson-row" style="{ROW}">{inner}</div>', "\n".join(part.text for part in parts))


ROW = "display:flex;flex-wrap:wrap;gap:1.2rem;align-items:flex-start"
CAPTION = "font-size:0.9em;opacity:0.8;margin-top:0.3rem"


def _captioned(drawing: str, title: str, width: int, kind: str = "") -> str:
    limit = f";max-width:{width}px" if width else ""
    caption = f'<figcaption style="{CAPTION}">{html.escape(title)}</figcaption>' if title else ""
    return f'<figure class="lesson-drawing{kind}" style="margin:0.6rem 0{limit}">{themed(drawing)}{caption}</figure>'


def themed(drawing: str) -> str:
    """Prepare an SVG document for a page that may be light or dark, and of any width."""
    bare = METADATA.sub("", drawing[drawing.index("<svg") :])
    clear = PAPER.sub(r'\1 fill="none"/>', bare).replace('style="fill: #ffffff"', 'style="fill: none"')
    head, _, body = clear.partition(">")
    head = head.replace("<svg", '<svg role="img"') + ' style="max-width:100%;height:auto;display:block">'
    for color, instead in THEMED.items():
        body = body.replace(color, instead)
    return head + body


def show_table(header: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> Shown:
    """Show a table. Cells are texts or numbers; texts between backticks and stars are not formatted."""
    cells = [[str(cell) for cell in line] for line in rows]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in cells)
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    page = f'<table class="lesson-table">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    text = markdown_table(list(header), cells)
    return shown(page, f"{title}\n{text}" if title else text)


def beside(rows: Iterable[Sequence[Any]], title: str = "") -> Shown:
    """Show our numbers beside published ones: rows of what, ours, the paper's or the slides', and a remark."""
    filled = [[*line, *[""] * (len(HEADER) - len(line))] for line in rows]
    columns = len(HEADER) if any(line[-1] for line in filled) else len(HEADER) - 1
    return show_table(HEADER[:columns], [line[:columns] for line in filled], title)


def say(text: str) -> Shown:
    """Show a sentence with computed numbers in it, such as a conclusion."""
    return shown(f'<p class="lesson-say">{html.escape(text)}</p>', text)


@contextmanager
def figure(title: str, height: float = 3.4, width: float = 7.6) -> Iterator[Figure]:
    """Open a matplotlib figure in the style of the house. It is shown when all is drawn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        with plots.figure(path, height, width) as made:
            yield made
        drawing = path.read_text(encoding="utf-8")
    result = shown(_captioned(drawing, title, 0), f"[figure: {title}]")
    if in_notebook():
        from IPython.display import display  # here: a plain script needs no IPython

        display(result)


def board_rows(position: Position) -> list[str]:
    """Return the stones as rows from the top, as `arena/web/board.js` takes them: ".", "X" and "O"."""
    return ["".join(".XO"[color] for color in line) for line in position.colors.tolist()]


def by_vertex(position: Position, values: Mapping[int, Any]) -> dict[str, Any]:
    """Return values by point as values by GTP vertex, as scripts take them."""
    return {gtp_from_point(point, position.size): value for point, value in values.items()}
