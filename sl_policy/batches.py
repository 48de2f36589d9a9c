"""Batches of positions from a store, encoded in the background so that the network never waits for them."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from data.positions import Positions, PositionSampler
from data.store import GameStore
from sl_policy.inputs import Inputs, actions_of


class Batch(NamedTuple):
    """What the network sees, the moves to choose from, the move that was played, and if that is one of them."""

    planes: np.ndarray  # uint8[batch, planes, size, size]
    allowed: np.ndarray  # bool[batch, actions]
    actions: np.ndarray
    counts: np.ndarray  # bool[batch]


def make_batch(store: GameStore, inputs: Inputs, positions: Positions) -> Batch:
    """Encode positions with the moves that were played there."""
    planes, allowed = inputs.split(inputs.encoder.batch(store, positions.games, positions.plies, positions.symmetries))
    actions = actions_of(positions.moves, store.size)
    return Batch(planes, allowed, actions, allowed[np.arange(len(actions)), actions])


class Batches:
    """Random batches of the training part, each made while the network learns from the one before."""

    def __init__(self, sampler: PositionSampler, inputs: Inputs, size: int) -> None:
        self.sampler, self.inputs, self.size = sampler, inputs, size
        self.pool = ThreadPoolExecutor(1)
        self.ahead: tuple[int, Future] = (-1, Future())  # a number, and the batch of that number in the making

    def _make(self, number: int) -> Batch:
        return make_batch(self.sampler.store, self.inputs, self.sampler.batch(number, self.size))

    def __getitem__(self, number: int) -> Batch:
        """Return a batch; asked for in their order, they are there already. No two are ever in the making."""
        expected, ahead = self.ahead
        batch = (ahead if expected == number else self.pool.submit(self._make, number)).result()
        self.ahead = number + 1, self.pool.submit(self._make, number + 1)
        return batch
