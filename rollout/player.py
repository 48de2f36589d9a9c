"""A player that uses only a pattern policy, without search."""

import functools
from pathlib import Path

import numpy as np

from go.player import AnyBoard, Candidate, Decision, decided, titled
from go.position import Position
from nets.find import find_weights
from rollout.choices import Reason, choices
from rollout.model import Model


class RolloutPlayer:
    """Draws moves from the rollout or the tree policy, or plays the most probable move if `greedy`."""

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


def _player(policy: str, name: str, run: str, greedy: bool, seed: int) -> AnyBoard:
    @functools.cache
    def of_file(path: Path) -> RolloutPlayer:  # tables take 130 MB, so boards with the same file share them
        return RolloutPlayer(Model.load(path), greedy, seed)

    return AnyBoard(
        titled(name, greedy), lambda size: of_file(find_weights(policy, size, "run" if run else "shipped", run))
    )


def rollout_player(name: str, run: str, greedy: bool, seed: int) -> AnyBoard:
    """Make a player of the rollout policy of a run, or of the shipped policy if `run` is empty."""
    return _player("rollout", name, run, greedy, seed)


def tree_player(name: str, run: str, greedy: bool, seed: int) -> AnyBoard:
    """Make a player of the tree policy of a run, or of the shipped policy if `run` is empty."""
    return _player("tree", name, run, greedy, seed)


PLAYERS = {"rollout": rollout_player, "tree": tree_player}
