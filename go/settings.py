"""Settings of a board and of a position, shared by the commands that have one."""

import dataclasses
from pathlib import Path

from go.board import BLACK, WHITE
from go.coordinates import MAX_SIZE, MIN_SIZE
from go.position import Position
from pipeline.errors import UserError
from pipeline.settings import setting


@dataclasses.dataclass
class SizeSettings:
    """The board of a command to which komi makes no difference."""

    size: int = setting(9, "board size", least=MIN_SIZE, most=MAX_SIZE)


@dataclasses.dataclass
class BoardSettings(SizeSettings):
    """The board of most commands."""

    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)


@dataclasses.dataclass
class PositionSettings:
    """How a position is described on the command line."""

    board: BoardSettings = setting(BoardSettings, "the board")
    moves: str = setting("", "moves from Black's first, as in moves='E5 C3 pass G7'")
    handicap: int = setting(0, "fixed handicap stones placed before the moves; White then moves first", least=0)
    text: str = setting("", "a file with a board drawn as text (X black, O white, . empty), which also gives its size")
    to_move: str = setting(
        "", "who moves first, by default Black, or White with a handicap", choices=("", "black", "white")
    )


def position_from(settings: PositionSettings) -> Position:
    """Return the position that the settings describe."""
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
