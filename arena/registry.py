"""The registry of players: which kinds there are, and how to make one of its settings.

Each room that has players offers them as `PLAYERS` in its `player.py` (`go.player`). A new room adds one line here.
"""

import inspect
from collections.abc import Callable
from typing import Any

import apv_mcts.player
import classics.player
import go.player
import gtp.player
import rl_policy.player
import rollout.player
import sl_policy.player
import value_net.player
import zero.player
from arena.evaluations import EVALUATIONS
from features48.heat_maps import plane_maps
from go.player import AnyBoard, Player

ROOMS = (
    go.player,
    gtp.player,
    classics.player,
    rollout.player,
    sl_policy.player,
    rl_policy.player,
    value_net.player,
    apv_mcts.player,
    zero.player,
)
KINDS: dict[str, Callable[..., Player]] = {kind: make for room in ROOMS for kind, make in room.PLAYERS.items()}


def make_player(kind: str, values: dict[str, Any]) -> Player:
    """Make a player of a kind. Of all settings of a player, given by name, it takes those that it has use for.

    Players that look ahead also take `evaluations`, those of the rooms that come after theirs.
    """
    maker = KINDS[kind]
    values = values | {"evaluations": EVALUATIONS}
    player = maker(**{name: values[name] for name in inspect.signature(maker).parameters})
    if isinstance(player, AnyBoard):
        player.maps |= plane_maps()
    return player
