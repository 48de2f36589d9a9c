"""Play as a GTP engine, on standard input and output."""

import dataclasses

from go.errors import GoError
from go.position import Position
from go.settings import BoardSettings
from gtp.server import serve
from pipeline.artefact import VERSION
from pipeline.command import run
from pipeline.errors import UserError
from pipeline.settings import setting
from sl_policy.players import new_player

NAME = "gtp"


@dataclasses.dataclass
class Settings:
    board: BoardSettings = setting(BoardSettings, "the board until another one is asked for")
    player: str = setting("sl", "who plays: random, rollout, tree (pattern policies) or sl (policy network)")
    greedy: bool = setting(True, "take the most probable move instead of drawing one")
    seed: int = setting(1, "seed of all randomness")


def main(settings: Settings) -> None:
    player = new_player(settings.player, settings.greedy, settings.seed)
    size = Position(settings.board.size, settings.board.komi).size
    if not player.plays_on(size):
        raise UserError(f"player={settings.player} plays on {', '.join(f'{s}x{s}' for s in player.sizes)} only.")
    serve(player, size=size, komi=settings.board.komi, version=VERSION)


if __name__ == "__main__":
    run(NAME, Settings, main, refusals=(GoError,))
