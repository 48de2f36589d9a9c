"""The training positions of a store, and how to draw batches of them.

A position is identified by the index of its next move in the flat array of moves. So the positions of a whole store are
one array of integers, and drawing one is a look-up.
"""

from typing import NamedTuple

import numpy as np

from data.identity import SPLITS
from data.replay import COLOR_SHIFT, POINT_MASK
from data.store import GameStore
from go.coordinates import PASS, SYMMETRIES, symmetry_table
from pipeline.errors import UserError


class Positions(NamedTuple):
    """Positions as arrays of equal length. `moves` are the points played there, with the symmetry applied, if known."""

    games: np.ndarray
    plies: np.ndarray
    symmetries: np.ndarray
    moves: np.ndarray | None = None


class Shuffled:
    """Draws the entries of an index, each once per epoch, in an order that depends only on the seed.

    With `symmetric`, each one gets one of the eight symmetries at random.
    """

    def __init__(self, index: np.ndarray, seed: int = 1, symmetric: bool = True) -> None:
        self.index, self.seed, self.symmetric = index, seed, symmetric
        self._order = (-1, index)  # the current epoch and its order

    def batch(self, number: int, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the entries of batch `number`, and their symmetries. Batches can be drawn in any order."""
        parts, start, left = [], number * size, size
        while left:
            epoch, place = divmod(start, len(self.index))
            part = self._shuffled(epoch)[place : place + left]
            parts.append(part)
            start, left = start + len(part), left - len(part)
        rng = np.random.default_rng((self.seed, 1, number))
        symmetries = rng.integers(0, SYMMETRIES, size) if self.symmetric else np.zeros(size, np.int64)
        return np.concatenate(parts), symmetries

    def _shuffled(self, epoch: int) -> np.ndarray:
        if self._order[0] != epoch:
            self._order = epoch, np.random.default_rng((self.seed, 0, epoch)).permutation(self.index)
        return self._order[1]


class PositionSampler:
    """Draws the positions of one split, each once per epoch, in an order that depends only on the seed.

    Passes are excluded, and so are moves of sides that the store marks as not to learn from. With `symmetric`, each
    position gets one of the eight symmetries at random.
    """

    def __init__(self, store: GameStore, split: str, seed: int = 1, symmetric: bool = True) -> None:
        if split not in SPLITS:
            raise UserError(f"split={split} is none of {', '.join(SPLITS)}.")
        self.store, self.split = store, split
        self.index = learnable_moves(store, SPLITS[split])
        self.shuffled = Shuffled(self.index, seed, symmetric)
        if len(self.index) == 0:
            raise UserError(f"The {split} part of the store in {store.folder} has no positions.")

    def __len__(self) -> int:
        return len(self.index)

    def batch(self, number: int, size: int) -> Positions:
        """Return batch `number`. Batches can be drawn in any order, so training can resume anywhere."""
        if number < 0 or size < 1:
            raise UserError(f"There is no batch {number} of {size} positions: batches count from 0, positions from 1.")
        return positions_at(self.store, *self.shuffled.batch(number, size))


def positions_at(store: GameStore, index: np.ndarray, symmetries: np.ndarray) -> Positions:
    """Return the positions whose next moves are at `index` in the flat array of moves."""
    firsts = store.games["first_move"]
    games = np.searchsorted(firsts, index, side="right") - 1
    points = store.moves[index] & POINT_MASK
    return Positions(games, index - firsts[games], symmetries, symmetry_table(store.size)[symmetries, points])


def learnable_moves(store: GameStore, split: int | None = None) -> np.ndarray:
    """Return the indices in the flat array of the moves to learn from, of one split or of all games."""
    games = store.games
    index = np.flatnonzero(is_learnt(games, store.moves))
    if split is not None:
        index = index[np.repeat(games["split"] == split, games["n_moves"])[index]]
    return index.astype(np.int32) if len(store.moves) < 2**31 else index


def is_learnt(games: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return whether each move of consecutive games is to be learnt: not a pass, and by a side to learn from."""
    sides = np.repeat(games["learn"], games["n_moves"])
    return ((codes & POINT_MASK) != PASS) & ((codes >> COLOR_SHIFT) & sides > 0)
