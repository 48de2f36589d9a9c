"""Players by name, on any board that they know."""

from collections.abc import Callable

from go.coordinates import MAX_SIZE, MIN_SIZE
from go.player import Decision, Player, RandomPlayer
from go.position import Position
from pipeline.errors import UserError
from rollout.model import Model
from rollout.player import RolloutPlayer
from rollout.shipped import shipped_path as shipped_patterns
from sl_policy.inference import Policy
from sl_policy.player import PolicyPlayer
from sl_policy.shipped import SIZES, shipped_path

NAMES = ("random", "rollout", "tree", "sl")


class AnyBoard:
    """A player that is made anew for each size of the board, when it first comes up."""

    def __init__(self, name: str, sizes: tuple[int, ...], make: Callable[[int], Player]) -> None:
        self.name, self.sizes, self.make = name, sizes, make
        self.players: dict[int, Player] = {}

    def plays_on(self, size: int) -> bool:
        return size in self.sizes

    def decide(self, position: Position) -> Decision:
        if position.size not in self.players:
            self.players[position.size] = self.make(position.size)
        return self.players[position.size].decide(position)


def new_player(name: str, greedy: bool = False, seed: int = 1) -> AnyBoard:
    """Make a player that comes with Prezero: random, rollout and tree (pattern policies), or sl (policy network).

    All draw their moves, but for `greedy` ones, which take the most probable.
    """
    makers: dict[str, Callable[[int], Player]] = {
        "random": lambda size: RandomPlayer(seed),
        "rollout": lambda size: RolloutPlayer(Model.load(shipped_patterns("rollout", size)), greedy, seed),
        "tree": lambda size: RolloutPlayer(Model.load(shipped_patterns("tree", size)), greedy, seed),
        "sl": lambda size: PolicyPlayer(Policy.load(shipped_path(size)), greedy, seed=seed),
    }
    if name not in makers:
        raise UserError(f"player={name} is none of {', '.join(NAMES)}.")
    sizes = SIZES if name == "sl" else tuple(range(MIN_SIZE, MAX_SIZE + 1))
    return AnyBoard(f"{name}, greedy" if greedy else name, sizes, makers[name])
