"""A player that uses the policy network alone: the paper's raw network."""

import numpy as np

from go.player import Candidate, Decision, decided
from go.position import Position
from nets.actions import points_of
from nets.network import Network


def candidates_of(network: Network, position: Position, symmetries: tuple[int, ...] = (0,)) -> list[Candidate]:
    """Return the moves that the network may choose, the most probable first."""
    chances = network.of_positions([position], symmetries)[0]
    points = points_of(network.size)
    return [
        Candidate(int(points[action]), float(chances[action]), f"policy network {100 * chances[action]:.1f}%")
        for action in np.argsort(-chances, kind="stable")
        if chances[action] > 0 and position.is_legal(int(points[action]))
    ]


class PolicyPlayer:
    """Samples moves from the policy network, or takes the most probable one."""

    def __init__(
        self, network: Network, greedy: bool = False, symmetries: tuple[int, ...] = (0,), seed: int = 1
    ) -> None:
        self.network, self.greedy, self.symmetries = network, greedy, symmetries
        self.name = "sl, greedy" if greedy else "sl"
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        return decided(position, candidates_of(self.network, position, self.symmetries), self.rng, self.greedy)
