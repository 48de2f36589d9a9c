"""Players by name: each is a file of settings in `conf/player/`, from random moves to the whole search.

Settings are plain data and can be pickled, so a player can be made of them in any process.
"""

import dataclasses
from typing import cast

import yaml
from omegaconf import OmegaConf

from apv_mcts.player import SearchPlayer
from apv_mcts.settings import SearchPlayerSettings
from arena.registry import KINDS, make_player
from classics.settings import CgsSettings, LookaheadSettings
from go.coordinates import PASS
from go.player import RESIGN, AnyBoard, check_board
from go.position import Position
from pipeline.artefact import ROOT
from pipeline.errors import UserError
from pipeline.settings import setting, validate

PRESETS = ROOT / "conf" / "player"
REHEARSED = 100  # simulations and nodes
DAY = 86_400
ENGINE = "gtp"  # the kind of players that are programs of their own


@dataclasses.dataclass
class PlayerSettings(SearchPlayerSettings):
    """Any player: with what, and for how long."""

    kind: str = setting("search", "what chooses the moves", choices=tuple(KINDS))
    greedy: bool = setting(True, "without a search: play the most probable move instead of sampling one")
    command: str = setting("", "command line of a GTP engine; {level} in it stands for the level")
    level: int = setting(10, "level of a GTP engine that has levels, such as GNU Go", least=0, most=1_000)
    timeout: float = setting(120.0, "seconds that a GTP engine may take for an answer", above=0, most=DAY)
    lookahead: LookaheadSettings = setting(LookaheadSettings, "minimax and alphabeta")
    cgs: CgsSettings = setting(CgsSettings, "cgs, and evaluation by influence")


def presets() -> list[str]:
    """Return the names of all players."""
    return sorted(file.stem for file in PRESETS.glob("*.yaml"))


def preset(name: str) -> PlayerSettings:
    """Return the settings of a player by its name."""
    path = PRESETS / f"{name}.yaml"
    if name not in presets():
        raise UserError(f"player={name} does not exist; there are {', '.join(presets())}.")
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    return cast(PlayerSettings, OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(PlayerSettings), settings)))


def searches(settings: PlayerSettings) -> bool:
    """Return whether a player searches. `alpha_p` could, but plays the move with the highest prior."""
    return settings.kind in ("search", "zero") and (settings.simulations > 0 or settings.seconds > 0)


def new_player(settings: PlayerSettings) -> AnyBoard | SearchPlayer:
    """Make a player of its settings."""
    validate(settings, "player.")
    return make_player(settings.kind, vars(settings.search) | vars(settings))


def ready_player(settings: PlayerSettings, size: int) -> AnyBoard | SearchPlayer:
    """Make a player that is ready to play on boards of a size."""
    player = new_player(settings)
    check_board(settings.name, player.sizes, size)
    player.get_ready(size)
    return player


def rehearse(settings: PlayerSettings, size: int) -> None:
    """Let another player of these settings make two moves, so that all kernels are compiled before a clock runs.

    A GTP engine has no kernels of ours.
    """
    if settings.kind == ENGINE:
        return
    search = dataclasses.replace(settings.search, nodes=min(settings.search.nodes, REHEARSED))
    lookahead = dataclasses.replace(settings.lookahead, depth=1)
    other = new_player(
        dataclasses.replace(settings, simulations=REHEARSED, seconds=0.0, search=search, lookahead=lookahead)
    )
    position = Position(size)
    for _ in range(2):
        move = other.decide(position).move
        position.play(PASS if move == RESIGN else move)
    if isinstance(other, SearchPlayer):
        other.dead_stones(position)
