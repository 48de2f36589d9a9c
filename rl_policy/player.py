"""A player that uses the RL policy network alone: the paper's "raw" RL policy."""

from go.player import AnyBoard
from sl_policy.player import network_player


def rl_player(name: str, run: str, greedy: bool, seed: int, precision: str, symmetries: int = 1) -> AnyBoard:
    """Make a player of the RL policy network: that of a run, or without one the one that comes with Prezero."""
    return network_player("rl", name, run, greedy, seed, precision, symmetries)


PLAYERS = {"rl": rl_player}
