"""The two policies of a run: their patterns, harvested from its games, and where the trained policies are stored.

The rollout policy is made for speed and has six kinds of features. The tree policy has three more. Both use the same
3x3 and response patterns: those that occur often enough.
"""

from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.positions import is_learnt
from data.store import GameStore
from nets.find import KINDS
from pipeline.progress import Progress
from pipeline.tensors import DamagedError, read_tensors, write_tensors
from rollout.games import games_of, new_replay
from rollout.harvest import Harvest, added_up, harvest
from rollout.model import Model
from rollout.patterns import DIAMOND

STAGE = KINDS["rollout"].stage
POLICIES = ("rollout", "tree")
CHUNK = 1_000  # games harvested at a time

# Extended Data Table 4, with the names of `Model.counts`.
PAPER_COUNTS = {
    "response": 1,
    "save atari": 1,
    "neighbour": 8,
    "nakade": 8_192,
    "response pattern": 32_207,
    "non-response pattern": 69_338,
    "self-atari": 1,
    "last move distance": 34,
    "diamond pattern": 32_207,
}


class Thresholds(NamedTuple):
    """The minimum number of occurrences of a pattern that the policies use."""

    squares: int
    responses: int
    diamonds: int


def learnable_counts(store: GameStore) -> np.ndarray:
    """Return the number of moves to learn in each game."""
    sums = np.concatenate([[0], np.cumsum(is_learnt(store.games, store.moves))])
    first = store.games["first_move"]
    return sums[first + store.games["n_moves"]] - sums[first]


def untrained(patterns: Harvest, policy: str) -> Model:
    """Make a policy with the given patterns and zero weights."""
    diamonds = patterns.diamonds if policy == "tree" else None
    return Model.untrained(patterns.squares, patterns.responses, patterns.places, diamonds)


def find_patterns(
    store: GameStore, games: np.ndarray, thresholds: Thresholds, pool: Executor, path: Path, key: str
) -> Harvest:
    """Harvest the patterns that occur often enough in some games. A saved file with the same key is reused."""
    try:
        about, tensors = read_tensors(path)
        if about.get("key") == key and tensors.keys() == set(Harvest._fields):
            return Harvest(**tensors)
    except (FileNotFoundError, DamagedError):  # no file, or not one that we wrote
        pass
    patterns = _often_enough(_gather(store, games, pool), thresholds)
    write_tensors(path, patterns._asdict(), {"key": key})
    return patterns


def _gather(store: GameStore, games: np.ndarray, pool: Executor) -> Harvest:
    """Harvest chunks of games on several threads and add them up. Sorting makes the result independent of threads."""
    chunks = [games[start : start + CHUNK] for start in range(0, len(games), CHUNK)]
    arrays, parts = games_of(store), []
    with Progress("games harvested for patterns", len(games)) as progress:
        for part in pool.map(lambda chunk: harvest(arrays, chunk, new_replay()), chunks):
            parts.append(part)
            progress.update(min(CHUNK, len(games) - progress.done))
    every = Harvest(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    responses, response_counts = added_up(every.responses * len(DIAMOND) + every.places, every.response_counts)
    return Harvest(
        *added_up(every.squares, every.square_counts),
        responses // len(DIAMOND),
        responses % len(DIAMOND),
        response_counts,
        *added_up(every.diamonds, every.diamond_counts),
    )


def _often_enough(every: Harvest, thresholds: Thresholds) -> Harvest:
    squares, responses, diamonds = (
        counts >= least
        for counts, least in zip(
            (every.square_counts, every.response_counts, every.diamond_counts), thresholds, strict=True
        )
    )
    return Harvest(
        every.squares[squares],
        every.square_counts[squares],
        every.responses[responses],
        every.places[responses],
        every.response_counts[responses],
        every.diamonds[diamonds],
        every.diamond_counts[diamonds],
    )
