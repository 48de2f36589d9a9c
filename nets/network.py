"""Networks that answer: boards in, move scores and values out. One protocol for every network there is or will be.

Whoever asks (`apv_mcts.evaluator`, players, self-play) hands over boards with their history and the symmetry to show
each in, and gets answers about the boards as they are; planes, symmetries and runtimes are the network's own business.
"""

import sys
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from data.positions import Positions
from data.store import GameStore
from go.coordinates import SYMMETRIES
from go.position import Position
from nets.actions import turned, turned_back
from nets.description import SCORES, VALUES
from nets.inputs import inputs_of
from nets.runtime import new_compute
from nets.weights import Weights
from pipeline.errors import UserError

ALL_SYMMETRIES = tuple(range(SYMMETRIES))
Wants = tuple[np.ndarray, np.ndarray] | None  # bool[batch] each: whose scores, whose values; None for all


class Answers(NamedTuple):
    """What a network says of some positions; None for what it has no head for.

    `scores` are logits by action, the pass being the last one if the network has a score for it. `values` go from -1 to
    1 and are those of the side to move. Rows that were not asked for are zero.
    """

    scores: np.ndarray | None = None  # float32[batch, actions]
    values: np.ndarray | None = None  # float32[batch]


class Answering(Protocol):
    """Anything that answers like a network."""

    has_pass: bool

    def answer(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: Wants = None) -> Answers:
        """Answer about boards (`go.board.BOARD`) with their histories (`go.history.HISTORY`), shown in symmetries.

        `wants` says of which positions scores are wanted and of which values, by default of all.
        """


class Network:
    """A network with its encoder and runtime."""

    def __init__(self, weights: Weights, device: str = "cpu", threads: int = 1, precision: str = "auto") -> None:
        self.weights, self.description = weights, weights.description
        self.size, self.has_pass = self.description.size, self.description.has_pass
        self.inputs = inputs_of(self.description, threads)
        self.compute = new_compute(weights, device, threads, precision)
        self.has_warned = False

    @classmethod
    def load(cls, path: Path, device: str = "cpu", threads: int = 1, precision: str = "auto") -> "Network":
        return cls(Weights.load(path), device, threads, precision)

    @property
    def komi(self) -> float | None:
        """The komi of the games whose results the network has learnt; None if it has learnt no results."""
        return self.weights.card.get("komi")

    def warn_of_other_komi(self, komi: float) -> None:
        """Print a warning, once, if the network has learnt results at another komi than the one asked about."""
        if self.komi is not None and komi != self.komi and not self.has_warned:
            self.has_warned = True
            known = f"prezero: the value network has learnt results at komi {self.komi:g} and does not know of"
            print(f"{known} komi {komi:g}: its values are off.", file=sys.stderr, flush=True)

    def answer(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: Wants = None) -> Answers:
        return self.answer_planes(self.inputs.boards(boards, history, symmetries), symmetries)

    def answer_planes(self, planes: np.ndarray, symmetries: np.ndarray) -> Answers:
        """Answer about planes that were turned by symmetries."""
        found = self.compute(planes)
        scores = turned_back(found[SCORES], symmetries, self.size) if SCORES in found else None
        return Answers(scores, found.get(VALUES))

    def probabilities(self, planes: np.ndarray, allowed: np.ndarray, symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return probabilities of the allowed moves, averaged over some symmetries of the board."""
        total = np.zeros(allowed.shape, np.float32)
        for symmetry in symmetries:
            used = np.full(len(planes), symmetry)
            answers = self.answer_planes(turned(planes, used) if symmetry else planes, used)
            total += softmax(answers.scores[:, : allowed.shape[1]], allowed)
        return total / len(symmetries)

    def of_positions(self, positions: list[Position], symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return the probabilities of moves in some positions."""
        if any(position.size != self.size for position in positions):
            raise UserError(f"This network plays on {self.size}x{self.size} only.")
        return self.probabilities(*self.inputs.of_positions(positions), symmetries)

    def of_store(self, store: GameStore, positions: Positions, symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return the probabilities of moves in positions of a store."""
        return self.probabilities(*self.inputs.of_store(store, positions), symmetries)


class PolicyAndValue:
    """A policy and a value network that answer as one; the planes of a position are encoded once for both."""

    def __init__(self, policy: Network, value: Network) -> None:
        if policy.size != value.size:
            raise UserError(
                f"A policy network for {policy.size}x{policy.size} does not go with a value network for "
                f"{value.size}x{value.size}."
            )
        if policy.description.family != "policy" or value.description.family != "value":
            raise UserError(
                f"A {policy.description.family} and a {value.description.family} network were given for a policy and a "
                "value network."
            )
        self.policy, self.value, self.has_pass = policy, value, policy.has_pass
        self.warn_of_other_komi = value.warn_of_other_komi

    def answer(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: Wants = None) -> Answers:
        scored, valued = wants or (np.ones(len(boards), bool), np.ones(len(boards), bool))
        planes = self.value.inputs.boards(boards, history, symmetries)  # those of the policy network come first
        scores = np.zeros((len(boards), self.policy.size**2 + self.has_pass), np.float32)
        values = np.zeros(len(boards), np.float32)
        if scored.any():
            seen = planes[scored, : self.policy.description.planes]
            scores[scored] = self.policy.answer_planes(seen, symmetries[scored]).scores
        if valued.any():
            values[valued] = self.value.answer_planes(planes[valued], symmetries[valued]).values
        return Answers(scores, values)


def softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return probabilities over the moves allowed; all zero in a row without any."""
    masked = np.where(allowed, scores, -np.inf)
    highest = masked.max(axis=1, keepdims=True)
    chances = np.exp(masked - np.where(np.isfinite(highest), highest, 0))
    return chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-30)
