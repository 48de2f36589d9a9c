"""Play as a GTP engine, on standard input and output."""

import dataclasses

from apv_mcts.players import PlayerSettings, new_player
from go.errors import GoError
from go.position import Position
from go.settings import BoardSettings
from gtp.server import serve
from pipeline.artefact import VERSION
from pipeline.command import run
from pipeline.errors import UserError
from pipeline.settings import setting

NAME = "gtp"


@dataclasses.dataclass
class Settings:
    board: BoardSettings = setting(BoardSettings, "the board until another one is asked for")
    player: PlayerSettings = setting(PlayerSettings, "who plays")
    ponder: bool = setting(False, "think while the opponent does, if the player can")


def main(settings: Settings) -> None:
    player = new_player(settings.player)
    size = Position(settings.board.size, settings.board.komi).size
    if not player.plays_on(size):
        boards = ", ".join(f"{known}x{known}" for known in player.sizes)
        raise UserError(f"player={settings.player.name} plays on {boards} only.")
    player.get_ready(size)
    serve(player, size=size, komi=settings.board.komi, version=VERSION, ponder=settings.ponder)


if __name__ == "__main__":
    run(NAME, Settings, main, refusals=(GoError,))
