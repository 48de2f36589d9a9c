"""Play as a GTP engine, on standard input and output."""

import dataclasses

from arena.players import PlayerSettings, ready_player, rehearse
from go.errors import GoError
from go.position import Position
from go.settings import BoardSettings
from gtp.server import serve
from pipeline.artefact import VERSION
from pipeline.launch import Command, launch
from pipeline.settings import setting

NAME = "gtp"


@dataclasses.dataclass
class Settings:
    board: BoardSettings = setting(BoardSettings, "the board until another one is asked for")
    player: PlayerSettings = setting(PlayerSettings, "who plays")
    ponder: bool = setting(False, "think while the opponent does, if the player can")


def main(settings: Settings) -> None:
    size = Position(settings.board.size, settings.board.komi).size
    player = ready_player(settings.player, size)
    rehearse(settings.player, size)
    serve(player, size=size, komi=settings.board.komi, version=VERSION, ponder=settings.ponder)


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
