"""The networks' side of the search: requests are taken in batches, and answers are written into the tree meanwhile.

Each position is shown to the networks in a random one of the eight symmetries, an ensemble that costs nothing (Methods,
"Symmetries"). It may be shown in 2, 4 or 8 of them, whose scores and values are averaged; that takes as many times as
long (Extended Data Table 3). An evaluator serves one search or many: all their requests make one batch.
"""

import threading
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_store
from apv_mcts.queue import Queue, leave, take
from apv_mcts.rules import Rule
from apv_mcts.simulation import DONE, back_up_value, finish_without_rollout
from apv_mcts.tree import ANSWERED, NONE, Tree
from go.coordinates import PASS, SYMMETRIES
from go.jit import kernel
from nets.actions import action_table
from nets.network import Answering


class Asking(Protocol):
    """A search that has requests."""

    size: int
    tree: Tree
    rule: Rule
    queue: Queue
    control: np.ndarray


@kernel
def write_priors(tree, node, scores, actions, has_pass, beta, pass_prior):
    """Replace the priors of a node by the softmax of scores at temperature beta.

    `scores` are by action, `actions` gives the action of each point. The last score is that of passing if `has_pass`;
    otherwise the pass keeps its prior.
    """
    first, count = np.int64(tree.first[node]), np.int64(tree.count[node])
    last = len(scores) - 1
    highest, total = -np.inf, 0.0
    for e in range(first, first + count):
        if has_pass or tree.move[e] != PASS:
            score = scores[last if tree.move[e] == PASS else actions[tree.move[e]]]
            highest = max(highest, score / beta)
    for e in range(first, first + count):
        if has_pass or tree.move[e] != PASS:
            score = scores[last if tree.move[e] == PASS else actions[tree.move[e]]]
            total += np.exp(score / beta - highest)
    for e in range(first, first + count):
        if has_pass or tree.move[e] != PASS:
            score = scores[last if tree.move[e] == PASS else actions[tree.move[e]]]
            share = np.exp(score / beta - highest) / total
            tree.prior[e] = share if has_pass else (1 - pass_prior) * share
    atomic_store(tree.asked_policy, node, ANSWERED)


@kernel
def write_value(tree, rule, edge, path, depth, value, control):
    """Store the value of the position behind an edge, seen by its side to move, and back it up along the path."""
    tree.value[edge] = value
    seen = value if depth % 2 == 0 else -value  # by the player of the first edge
    if rule.has_rollouts:
        back_up_value(tree.n_v, tree.w_v, path, depth, seen)
    else:
        finish_without_rollout(tree.n_r, tree.w_r, tree.n_v, tree.w_v, path, depth, seen, rule.n_vl)
        atomic_add(control, DONE, 1)
    atomic_store(tree.asked_value, edge, ANSWERED)


@kernel
def _write_answers(tree, rule, queue, control, places, scores, values, actions, has_pass, beta):
    """Write the answers to the requests in some places of a queue into the tree."""
    for i in range(len(places)):
        place = places[i]
        if queue.node[place] != NONE:
            write_priors(tree, queue.node[place], scores[i], actions, has_pass, beta, rule.pass_prior)
        if queue.edge[place] != NONE:
            value = np.float64(min(max(values[i], -1.0), 1.0))
            depth = np.int64(queue.depth[place])
            write_value(tree, rule, queue.edge[place], queue.path[place], depth, value, control)


class Evaluator:
    """Answers requests with a network, at most `batch` of each search at a time, each in some symmetries."""

    def __init__(
        self, network: Answering, beta: float = 0.67, seed: int = 1, batch: int = 8, symmetries: int = 1
    ) -> None:
        self.network, self.beta, self.batch, self.symmetries = network, beta, batch, symmetries
        self.lock = threading.Lock()
        self.renew(seed)

    def renew(self, seed: int) -> None:
        """Draw symmetries and count as a new evaluator with this seed would."""
        self.rng = np.random.default_rng(seed)
        self.answered = self.batches = 0

    def warn_of_other_komi(self, komi: float) -> None:
        """Let a network warn, once, if it has learnt results at another komi."""
        if hasattr(self.network, "warn_of_other_komi"):
            self.network.warn_of_other_komi(komi)

    def serve(self, askers: Sequence[Asking]) -> int:
        """Answer the waiting requests of some searches as one batch, the oldest of each first; return their number.

        Several threads may serve at the same time.
        """
        with self.lock:
            taken = [(asker, take(asker.queue, self.batch)) for asker in askers]
        taken = [(asker, places) for asker, places in taken if len(places)]
        if not taken:
            return 0

        def gathered(name: str) -> np.ndarray:
            parts = [getattr(asker.queue, name)[places] for asker, places in taken]
            return parts[0] if len(parts) == 1 else np.concatenate(parts)

        boards, history, node, edge = (gathered(name) for name in ("boards", "history", "node", "edge"))
        symmetries = self.rng.integers(0, SYMMETRIES, len(boards))
        scores, values = self._answers(boards, history, symmetries, (node != NONE, edge != NONE))
        start = 0
        for asker, places in taken:
            part, start = slice(start, start + len(places)), start + len(places)
            shared = asker.tree, asker.rule, asker.queue, asker.control, places
            actions, has_pass = action_table(asker.size), self.network.has_pass
            _write_answers(*shared, scores[part], values[part], actions, has_pass, self.beta)
            leave(asker.queue, places)
        with self.lock:
            self.answered += len(boards)
            self.batches += 1
        return len(boards)

    def _answers(
        self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ask the network. What it has no head for must not be asked for, and is zero.

        With several symmetries, the answers in the given ones and in their mirror images are averaged. The mean of
        scores is the logarithm of the geometric mean of probabilities, whatever moves these are taken over.
        """
        scores, values = self.network.answer(boards, history, symmetries, wants)
        if self.symmetries > 1:
            turns = (symmetries ^ turn for turn in range(1, self.symmetries))
            answers = [(scores, values), *(self.network.answer(boards, history, turn, wants) for turn in turns)]
            scores, values = (None if part[0] is None else np.mean(part, axis=0) for part in zip(*answers, strict=True))
        for found, wanted in zip((scores, values), wants, strict=True):
            if found is None and wanted.any():
                raise ValueError("the search asks for something that its network has no head for")
            if found is not None and np.isnan(found).any():
                raise FloatingPointError("the network answered with something that is no number")
        count = len(boards)
        return (
            np.zeros((count, 1), np.float32) if scores is None else scores,
            np.zeros(count, np.float32) if values is None else np.asarray(values, np.float32),
        )
