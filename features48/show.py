"""Draw a position with all its planes as one sheet, from a game record, a text board or moves."""

import dataclasses
from pathlib import Path

from data.fields import printable
from data.record import LARGEST, Record, Refusal, read_records
from data.store import position_of
from features48.encoder import Encoder
from features48.groups import groups_of, plane_names
from go.errors import GoError
from go.position import Position
from go.show import PositionSettings, set_up
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

NAME = "features48.show"


@dataclasses.dataclass
class Settings(PositionSettings):
    sgf: str = setting("", "a game record to take the position from, instead of moves or a text board")
    move: int | None = setting(None, "with sgf: after how many moves, by default all of them")
    planes: int = setting(48, "which input: 4, 12, 20 or 48 planes, or the 49 of the value network")
    out: str = setting("planes.svg", "file to draw to, .svg or .png")


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


def find_position(settings: Settings) -> tuple[Position, str]:
    """Return the position that the settings describe, and a title for it."""
    if not settings.sgf:
        if settings.move is not None:
            raise UserError("move is about a game record: name it with sgf=FILE.")
        position = set_up(settings)
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


def main(settings: Settings) -> None:
    from features48.sheet import draw_sheet  # matplotlib takes long to import, and others use this module, too

    names = groups_of(settings.planes)
    position, title = find_position(settings)
    encoder = Encoder(settings.planes)
    planes = encoder.position(position)
    draw_sheet(position, planes, names, title, Path(settings.out))
    print(position)
    fired = [f"{name} ({plane.sum()})" for name, plane in zip(plane_names(names), planes, strict=True) if plane.any()]
    print(f"\nPlanes that say something, with the number of points: {', '.join(fired)}.")
    if encoder.ladders_given_up:
        print(f"Ladders too long to be read to the end: {encoder.ladders_given_up}.")
    print(f"Drawn to {settings.out}.")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
