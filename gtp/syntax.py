"""The syntax of GTP 2: lines to requests, and arguments to numbers, colours and points."""

import math
import re
from typing import NamedTuple

from go.board import BLACK, WHITE
from go.coordinates import gtp_from_point, point_from_gtp
from go.errors import GoError
from go.player import RESIGN

CONTROL = dict.fromkeys([*range(9), *range(11, 32), 127]) | {9: " "}  # what GTP has a reader discard; a tab is a space
COLORS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
WHOLE = re.compile("[0-9]{1,9}")  # GTP's integers have 31 bits and no sign
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
SYNTAX_ERROR = "syntax error"


class Failure(Exception):  # noqa: N818, it is an answer of the protocol
    """A command failed. Holds the answer in the words of GTP, and a sentence for the log."""

    def __init__(self, answer: str, reason: str = "") -> None:
        super().__init__(answer)
        self.reason = reason


class Request(NamedTuple):
    """One command, with its id if it has one."""

    id: str
    name: str
    arguments: list[str]


def read_request(line: str) -> Request | None:
    """Read a line of input. None: it holds only space or a comment."""
    words = line.translate(CONTROL).partition("#")[0].split()
    if not words:
        return None
    number = words.pop(0) if words[0].isascii() and words[0].isdigit() else ""
    return Request(number, words[0] if words else "", words[1:])


def plain(text: str) -> str:
    """Return a text that can be an answer, without empty lines, which would end it. The first line may be empty."""
    first, *others = text.translate(CONTROL).split("\n")
    return "\n".join([first, *(line for line in others if line.strip())])


def check_count(arguments: list[str], least: int, most: int | None = None) -> None:
    """Raise `Failure` if there are too few or too many arguments."""
    if not least <= len(arguments) <= (least if most is None else most):
        raise Failure(SYNTAX_ERROR)


def read_color(text: str) -> int:
    try:
        return COLORS[text.lower()]
    except KeyError:
        raise Failure(SYNTAX_ERROR) from None


def read_whole(text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise Failure(SYNTAX_ERROR)
    return int(text)


def read_number(text: str) -> float:
    if not DECIMAL.fullmatch(text) or not math.isfinite(float(text)):
        raise Failure(SYNTAX_ERROR)
    return float(text)


def read_point(text: str, size: int) -> int:
    try:
        return point_from_gtp(text, size)
    except GoError as error:
        raise Failure(SYNTAX_ERROR, str(error)) from None


def write_move(move: int, size: int) -> str:
    return "resign" if move == RESIGN else gtp_from_point(move, size)
