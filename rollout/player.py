"""A player that asks a pattern policy, and nothing else."""

import numpy as np

from go.player import Candidate, Decision, decided
from go.position import Position
from rollout.choices import Reason, choices
from rollout.model import Model


class RolloutPlayer:
    """Draws moves from the rollout or the tree policy, or takes the most probable one."""

    def __init__(self, model: Model, greedy: bool = False, seed: int = 1) -> None:
        self.model, self.tables, self.greedy = model, model.tables(), greedy
        self.name = ("tree" if model.is_tree else "rollout") + (", greedy" if greedy else "")
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        candidates = [
            Candidate(choice.point, choice.probability, _why(choice.reasons))
            for choice in choices(position, self.model, self.tables)
            if position.is_legal(choice.point)
        ]
        return decided(position, candidates, self.rng, self.greedy)


def _why(reasons: list[Reason]) -> str:
    return ", ".join(f"{feature} {weight:+.2f}" for feature, weight in reasons[:3]) or "nothing known"
