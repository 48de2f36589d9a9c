"""The networks' side of the search: requests are taken in batches, answers written into the tree as others search on.

Each position is shown to the policy network in one of the eight symmetries at random, an ensemble that costs nothing
(Methods, "Symmetries").
"""

from collections.abc import Callable

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_store
from apv_mcts.queue import FREE, READY, TAKEN, WAITING, Queue
from apv_mcts.rules import Rule
from apv_mcts.simulation import DONE, back_up_value, finish_without_rollout
from apv_mcts.tree import ANSWERED, NONE, Tree
from go.coordinates import PASS, SYMMETRIES
from go.jit import kernel
from sl_policy.inference import Policy
from sl_policy.inputs import action_table, images_of_actions

Values = Callable[[np.ndarray, np.ndarray], np.ndarray]  # boards and their last moves to values for the side to move


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


@kernel
def _leave(queue, places):
    """Give the places of answered requests free."""
    for place in places:
        atomic_store(queue.state, place, FREE)
    atomic_add(queue.counters, WAITING, -len(places))


class Evaluator:
    """Answers requests; a network that is not there is not asked."""

    def __init__(self, policy: Policy | None, values: Values | None, beta: float, seed: int, batch: int) -> None:
        self.policy, self.values, self.beta, self.batch = policy, values, beta, batch
        self.rng = np.random.default_rng(seed)
        self.answered = self.batches = 0

    def serve(self, tree: Tree, rule: Rule, queue: Queue, control: np.ndarray) -> int:
        """Answer the requests that wait, oldest first and one batch at most; return how many they were."""
        ready = np.flatnonzero(queue.state == READY)
        if len(ready) == 0:
            return 0
        places = ready[np.argsort(queue.ticket[ready])][: self.batch]
        queue.state[places] = TAKEN
        boards, recent, nodes = queue.boards[places], queue.recent[places], queue.node[places]
        wants_policy, wants_value = nodes != NONE, queue.edge[places] != NONE
        if self.policy is not None and wants_policy.any():
            self.answer_policy(tree, rule, nodes[wants_policy], boards[wants_policy], recent[wants_policy])
        if self.values is not None and wants_value.any():
            found = np.clip(self.values(boards[wants_value], recent[wants_value]), -1, 1)
            for place, value in zip(places[wants_value], found, strict=True):
                path, depth = queue.path[place], int(queue.depth[place])
                write_value(tree, rule, queue.edge[place], path, depth, float(value), control)
        _leave(queue, places)
        self.answered += len(places)
        self.batches += 1
        return len(places)

    def answer_policy(self, tree: Tree, rule: Rule, nodes: np.ndarray, boards: np.ndarray, recent: np.ndarray) -> None:
        """Give some nodes the priors of the network."""
        size = self.policy.size
        images = images_of_actions(size)[self.rng.integers(0, SYMMETRIES, len(nodes))]
        planes, _ = self.policy.inputs.split(self.policy.inputs.encoder.boards(boards, recent))
        flat = planes.reshape(*planes.shape[:2], -1)
        turned = np.empty_like(flat)
        for i, image in enumerate(images):
            turned[i][:, image] = flat[i]
        scores = self.policy.score(turned.reshape(planes.shape))
        for i, node in enumerate(nodes):
            write_priors(tree, node, scores[i], images[i], action_table(size), self.beta, rule.pass_prior)
