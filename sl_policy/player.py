"""A player that asks the policy network, and nothing else: the paper's raw network."""

import numpy as np

from go.player import Candidate, Decision, decided
from go.position import Position
from sl_policy.inference import Policy
from sl_policy.inputs import points_of


def candidates_of(policy: Policy, position: Position, symmetries: tuple[int, ...] = (0,)) -> list[Candidate]:
    """Return the moves that the network may choose from, the most probable first."""
    chances = policy.of_positions([position], symmetries)[0]
    points = points_of(policy.size)
    return [
        Candidate(int(points[action]), float(chances[action]), f"policy network {100 * chances[action]:.1f}%")
        for action in np.argsort(-chances, kind="stable")
        if chances[action] > 0 and position.is_legal(int(points[action]))
    ]


class PolicyPlayer:
    """Draws moves from the policy network, or takes the most probable one."""

    def __init__(self, policy: Policy, greedy: bool = False, symmetries: tuple[int, ...] = (0,), seed: int = 1) -> None:
        self.policy, self.greedy, self.symmetries = policy, greedy, symmetries
        self.name = "sl, greedy" if greedy else "sl"
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        return decided(position, candidates_of(self.policy, position, self.symmetries), self.rng, self.greedy)
