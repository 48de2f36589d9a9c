"""Settings of a board and of a position, shared by the commands that have one."""

import dataclasses
from pathlib import Path

from go.board import BLACK, WHITE
from go.position import Position
from pipeline.errors import UserError
from pipeline.settings import setting


@dataclasses.dataclass
class BoardSettings:
    size: int = setting(9, "board size, from 2 to 19")
    komi: float = setting(7.5, "points that white gets for moving second")


@dataclasses.dataclass
class PositionSettings:
    """How a position is described on the command line."""

    board: BoardSettings = setting(BoardSettings, "the board")
    moves: str = setting("", "moves from black's first, as in moves='E5 C3 pass G7'")
    handicap: int = setting(0, "fixed handicap stones placed before the moves; white then moves first")
    text: str = setting("", "a file with a board drawn as text (X black, O white, . empty), which also gives its size")
    to_move: str = setting("", "who moves first, black or white, if not black or, with a handicap, white")


def position_from(settings: PositionSettings) -> Position:
    """Return the position that the settings describe."""
    if settings.to_move not in ("", "black", "white"):
        raise UserError(f"to_move={settings.to_move} is no colour: black or white.")
    if settings.text:
        try:
            drawn = Path(settings.text).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise UserError(f"There is no text board in {settings.text}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise UserError(f"There is no text board in {settings.text}: it is not text.") from error
        position = Position.from_text(drawn, komi=settings.board.komi)
    else:
        position = Position(settings.board.size, settings.board.komi)
    if settings.handicap:
        position.place_handicap(settings.handicap)
    if settings.to_move:
        position.set_up(to_move=BLACK if settings.to_move == "black" else WHITE)
    for move in settings.moves.split():
        position.play(move)
    return position
