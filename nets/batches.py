"""Batches to learn from, prepared in the background so that the network never waits for them."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from data.positions import Positions
from data.store import GameStore
from nets.actions import actions_of
from nets.inputs import Inputs, ZeroInputs

Made = TypeVar("Made")


class Batch(NamedTuple):
    """Positions of games: what the network sees, the moves to choose from, and the move that was played."""

    planes: np.ndarray  # uint8[batch, planes, size, size]
    allowed: np.ndarray  # bool[batch, actions]
    actions: np.ndarray  # the move that was played
    counts: np.ndarray  # bool[batch]: whether that is one of the allowed moves


def make_batch(store: GameStore, inputs: Inputs | ZeroInputs, positions: Positions) -> Batch:
    """Encode positions of a store with the moves that were played there."""
    planes, allowed = inputs.of_store(store, positions)
    actions = actions_of(positions.moves, store.size)
    return Batch(planes, allowed, actions, allowed[np.arange(len(actions)), actions])


class Prefetched(Generic[Made]):
    """Results of `make(number)`, each made in the background while the one before is in use."""

    def __init__(self, make: Callable[[int], Made]) -> None:
        self.make = make
        self.pool = ThreadPoolExecutor(1)
        self.ahead: tuple[int, Future] = (-1, Future())  # the number of the next result, and the result in the making

    def __getitem__(self, number: int) -> Made:
        """Return result `number`. Results are prefetched one ahead, so ask for them in order."""
        expected, ahead = self.ahead
        made = (ahead if expected == number else self.pool.submit(self.make, number)).result()
        self.ahead = number + 1, self.pool.submit(self.make, number + 1)
        return made
