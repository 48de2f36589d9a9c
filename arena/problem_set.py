"""Forty drawn 9x9 problems for a search, five of each kind. Each is decided by the result of the game.

`problems.txt` holds them as blocks separated by empty lines. A block has a line with kind, number, side to move and
komi, a line with the explanation, and the board, as `go.text` reads it, with the letter `a` on every right move.

    capture 1, black to move, komi 12.5
    Black captures the stone that cuts; the two at the top are worth less.
    . X X . X X X X X
    ...

The komi is chosen so that, with best play, the side to move wins after a right move and loses after any other move or
a pass. A problem is solved if the player chooses a right move. Rules: area counting, positional superko, no suicide.
The drawn position is the start of the game.
"""

import re
from pathlib import Path
from typing import NamedTuple

from go.board import BLACK, COLOR_NAMES, WHITE
from go.position import Position

FILE = Path(__file__).with_name("problems.txt")
KINDS = ("capture", "save", "ladder", "snapback", "life_and_death", "semeai", "seki", "endgame")
RIGHT = "a"  # the letter of the right moves
TITLE = re.compile(r"(?P<kind>\w+) (?P<number>\d+), (?P<color>black|white) to move, komi (?P<komi>-?\d+\.5)")
COLORS = {COLOR_NAMES[color]: color for color in (BLACK, WHITE)}


class Problem(NamedTuple):
    """A position, and the moves that win it."""

    name: str  # such as "capture 1"
    kind: str  # one of KINDS
    position: Position
    right: frozenset[int]  # points of `go.coordinates`
    why: str  # the explanation, in a sentence


def problems() -> list[Problem]:
    """Return all problems, in the order of the file."""
    return read_problems(FILE.read_text(encoding="utf-8"))


def read_problems(text: str) -> list[Problem]:
    """Read problems in the format of this module's docstring."""
    return [_read_problem(block) for block in re.split(r"\n\s*\n", text.strip())]


def _read_problem(block: str) -> Problem:
    title, why, board = block.split("\n", 2)
    found = TITLE.fullmatch(title)
    if found is None or found["kind"] not in KINDS:
        raise ValueError(f"{title!r} is no title of a problem.")
    position = Position.from_text(board, to_move=COLORS[found["color"]], komi=float(found["komi"]))
    right = frozenset(position.named_points.get(RIGHT, ()))
    if not right or set(position.named_points) != {RIGHT}:
        raise ValueError(f"The board of {title!r} must have {RIGHT!r} on the right moves, and no other letter.")
    return Problem(f"{found['kind']} {found['number']}", found["kind"], position, right, why)
