"""The position that a command shows: from a game record, moves or a text board."""

import dataclasses
from pathlib import Path

from data.fields import printable
from data.record import LARGEST, Record, Refusal, read_records
from data.store import position_of
from go.position import Position
from go.settings import PositionSettings, position_from
from pipeline.errors import UserError
from pipeline.settings import setting


@dataclasses.dataclass
class GamePositionSettings(PositionSettings):
    """The settings that describe a position, which may come from a game record."""

    sgf: str = setting("", "a game record to take the position from, instead of moves or a text board")
    move: int | None = setting(None, "with sgf: after how many moves, by default all of them", least=0)


def read_game(path: Path) -> Record:
    """Read the first game of a file."""
    try:
        with path.open("rb") as file:
            game = read_records(file.read(LARGEST + 1))[0]
    except OSError as error:
        raise UserError(f"There is no game record in {path}: {error.strerror}.") from error
    if isinstance(game, Refusal):
        raise UserError(f"There is no game record in {path}: {game.reason}.")
    return game


def find_position(settings: GamePositionSettings) -> tuple[Position, str]:
    """Return the position that the settings describe, and its title.

    Print a note if the record is truncated at that position.
    """
    if not settings.sgf:
        if settings.move is not None:
            raise UserError("move is about a game record: name it with sgf=FILE.")
        position = position_from(settings)
        moves = len(position.history)
        return position, f"Position after {moves} moves" if moves else "Position"
    if settings.moves or settings.text or settings.handicap or settings.to_move:
        raise UserError("sgf gives the whole position: moves, text, handicap and to_move do not go with it.")
    game = read_game(Path(settings.sgf))
    move = len(game.moves) if settings.move is None else settings.move
    if not 0 <= move <= len(game.moves):
        raise UserError(f"move={move} is not in the game: it has {len(game.moves)} moves.")
    if game.flaw and move == len(game.moves):
        print(f"The record is cut off here: {game.flaw}.")
    black, white = (printable(name) or "?" for name in game.names)
    return position_of(game, move), f"{black} - {white}, after {move} moves"
