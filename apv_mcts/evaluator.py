"""The networks' side of the search: requests are taken in batches, answers written into the tree as others search on.

Each position is shown to the networks in one of the eight symmetries at random, an ensemble that costs nothing
(Methods, "Symmetries"). An evaluator serves one search or many: what waits in all of them makes one batch.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_store
from apv_mcts.queue import Queue, leave, take
from apv_mcts.rules import Rule
from apv_mcts.simulation import DONE, back_up_value, finish_without_rollout
from apv_mcts.tree import ANSWERED, NONE, Tree
from go.coordinates import PASS, SYMMETRIES
from go.jit import kernel
from sl_policy.inference import Policy
from sl_policy.inputs import action_table, images_of_actions

# Boards, their histories and the symmetries to show them in, to values for the side to move.
Values = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Asking(Protocol):
    """A search that has questions."""

    tree: Tree
    rule: Rule
    queue: Queue
    control: np.ndarray


@kernel
def write_priors(tree, node, scores, images, actions, beta, pass_prior):
    """Replace the priors of a node by the softmax of scores at temperature beta; the pass keeps its own.

    `scores` are by action, of the position turned by a symmetry; `images` tells where each action went.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
    highest, total = -np.inf, 0.0
    for e in range(first, first + count):
        if tree.move[e] != PASS:
            highest = max(highest, scores[images[actions[tree.move[e]]]] / beta)
    for e in range(first, first + count):
        if tree.move[e] != PASS:
            total += np.exp(scores[images[actions[tree.move[e]]]] / beta - highest)
    for e in range(first, first + count):
        if tree.move[e] != PASS:
            chance = np.exp(scores[images[actions[tree.move[e]]]] / beta - highest) / total
            tree.prior[e] = (1 - pass_prior) * chance
    atomic_store(tree.asked_policy, node, ANSWERED)


@kernel
def write_value(tree, rule, edge, path, depth, value, control):
    """Note the value of the position behind an edge, as its player to move sees it, and back it up along the path."""
    tree.value[edge] = value
    seen = value if depth % 2 == 0 else -value  # by the player of the first edge
    if rule.has_rollouts:
        back_up_value(tree.n_v, tree.w_v, path, depth, seen)
    else:
        finish_without_rollout(tree.n_r, tree.w_r, tree.n_v, tree.w_v, path, depth, seen, rule.n_vl)
        atomic_add(control, DONE, 1)
    atomic_store(tree.asked_value, edge, ANSWERED)


class Evaluator:
    """Answers requests, `batch` of each search at most at a time; a network that is not there is not asked."""

    def __init__(
        self, policy: Policy | None, values: Values | None, beta: float = 0.67, seed: int = 1, batch: int = 8
    ) -> None:
        self.policy, self.values, self.beta, self.batch = policy, values, beta, batch
        self.rng = np.random.default_rng(seed)
        self.answered = self.batches = 0

    def serve(self, askers: Sequence[Asking]) -> int:
        """Answer what waits in some searches, the oldest of each first, as one batch; return how many requests."""
        taken = [(asker, take(asker.queue, self.batch)) for asker in askers]
        owners = [asker for asker, places in taken for _ in places]
        if not owners:
            return 0

        def gathered(name: str) -> np.ndarray:
            return np.concatenate([getattr(asker.queue, name)[places] for asker, places in taken])

        boards, history, node, edge = (gathered(name) for name in ("boards", "history", "node", "edge"))
        symmetries = self.rng.integers(0, SYMMETRIES, len(owners))
        wanted = np.flatnonzero(node != NONE)
        if self.policy is not None and len(wanted):
            scores = self._scores(boards[wanted], history[wanted], symmetries[wanted])
            for i, row in zip(wanted, scores, strict=True):
                self._write_priors(owners[i], node[i], row, symmetries[i])
        wanted = np.flatnonzero(edge != NONE)
        if self.values is not None and len(wanted):
            paths, depths = gathered("path"), gathered("depth")
            found = np.clip(self.values(boards[wanted], history[wanted], symmetries[wanted]), -1, 1)
            if np.isnan(found).any():
                raise FloatingPointError("the value network answered with something that is no number")
            for i, value in zip(wanted, found.tolist(), strict=True):
                asker = owners[i]
                write_value(asker.tree, asker.rule, edge[i], paths[i], int(depths[i]), value, asker.control)
        for asker, places in taken:
            leave(asker.queue, places)
        self.answered += len(owners)
        self.batches += 1
        return len(owners)

    def _scores(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Return what the policy network says of boards, each turned by its symmetry."""
        planes, _ = self.policy.inputs.split(self.policy.inputs.encoder.boards(boards, history, symmetries))
        return self.policy.score(planes)

    def _write_priors(self, asker: Asking, node: int, scores: np.ndarray, symmetry: int) -> None:
        size = self.policy.size
        images = images_of_actions(size)[symmetry]
        write_priors(asker.tree, node, scores, images, action_table(size), self.beta, asker.rule.pass_prior)
