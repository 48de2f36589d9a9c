"""How many expert moves a network finds: one record for each position, which `summary` and others add up.

Equally probable moves share a hit, as in `rollout.softmax`. An expert move that may not be chosen, such as one into an
own eye, counts as not found.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from data.identity import SPLITS
from data.overlap import position_hashes, seen_in_training
from data.positions import learnable_moves, positions_at
from data.store import GameStore
from nets.batches import make_batch
from nets.network import Network
from pipeline.errors import UserError

FOUND = np.dtype(
    [
        ("index", np.int64),  # where the move stands in the store
        ("ply", np.int32),
        ("better", np.int16),  # number of moves that are more probable than the expert's
        ("equal", np.int16),  # number of moves as probable as the expert's, itself included; 0 if it may not be chosen
        ("log_p", np.float64),  # of the expert's move; NaN if it may not be chosen
    ]
)
ROUNDING = 1e-5  # of probabilities: images of one move on a symmetric board are equal, but their sums are rounded
BATCH = 64
PARTS = SPLITS | {"all": None}  # of a store to test on
TIMED = 21  # positions that the forward time is the median of
STEP = {9: 10, 13: 20, 19: 50}  # moves that a row of accuracy by move number covers, by board size


def held_out(store: GameStore, split: str, most: int = 0, seed: int = 1) -> np.ndarray:
    """Return the indices of the moves of a part of the store, or of `most` of them drawn at random, in order."""
    index = learnable_moves(store, PARTS[split])
    if len(index) == 0:
        raise UserError(f"The {split} part of the store in {store.folder} has no positions: it needs more games.")
    if not most or most >= len(index):
        return index
    return np.sort(np.random.default_rng((seed, 2)).choice(index, most, replace=False))


def unseen(store: GameStore, part: str, index: np.ndarray) -> np.ndarray:
    """Return for each position whether it is absent from the training part of the same store."""
    seen = seen_in_training(store, part, position_hashes(store))
    return ~np.isin(index, held_out(store, part)[seen])


def symmetry_counts(text: str) -> list[int]:
    """Parse the numbers of symmetries to average over."""
    counts = [part.strip() for part in text.split(",")]
    if not counts or not set(counts) <= {"1", "2", "4", "8"}:
        raise UserError(f"symmetries={text} is not made of 1, 2, 4 and 8, with commas between.")
    return [int(count) for count in counts]


def forward_milliseconds(network: Network, store: GameStore, index: np.ndarray, symmetries: tuple[int, ...]) -> float:
    """Return the milliseconds that the network takes for one encoded position, all symmetries together."""
    planes, allowed = network.inputs.of_store(store, positions_at(store, index[:1], np.zeros(1, np.int64)))
    times = []
    for _ in range(TIMED):
        began = time.perf_counter()
        network.probabilities(planes, allowed, symmetries)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def find_moves(
    network: Network,
    store: GameStore,
    index: np.ndarray,
    symmetries: tuple[int, ...] = (0,),
    advance: Callable[[int], None] = lambda positions: None,
) -> np.ndarray:
    """Return one `FOUND` record for each position."""
    if store.size != network.size:
        raise UserError(
            f"The network plays on {network.size}x{network.size}, but the games in {store.folder} are of "
            f"{store.size}x{store.size}."
        )
    records = np.zeros(len(index), FOUND)
    for start in range(0, len(index), BATCH):
        part = slice(start, start + BATCH)
        positions = positions_at(store, index[part], np.zeros(len(index[part]), np.int64))
        batch = make_batch(store, network.inputs, positions)
        chances = network.probabilities(batch.planes, batch.allowed, symmetries)
        of_expert = chances[np.arange(len(chances)), batch.actions]
        better = chances > (1 + ROUNDING) * of_expert[:, None]
        equal = (chances >= (1 - ROUNDING) * of_expert[:, None]) & ~better & batch.allowed
        records["better"][part] = better.sum(axis=1)
        records["equal"][part] = equal.sum(axis=1) * batch.counts
        records["log_p"][part] = np.log(np.where(batch.counts, np.maximum(of_expert, 1e-30), np.nan))
        records["ply"][part] = positions.plies
        advance(len(chances))
    records["index"] = index
    return records


def mean_divergence(exact: Network, other: Network, store: GameStore, index: np.ndarray) -> float:
    """Return the mean Kullback-Leibler divergence of one network's probabilities from another's, in nats."""
    total = 0.0
    for start in range(0, len(index), BATCH):
        part = index[start : start + BATCH]
        positions = positions_at(store, part, np.zeros(len(part), np.int64))
        p, q = (network.of_store(store, positions).astype(np.float64) for network in (exact, other))
        total += float((p * np.log(np.maximum(p, 1e-30) / np.maximum(q, 1e-30))).sum())
    return total / len(index)


def found_share(records: np.ndarray, most: int) -> float:
    """Return the share of expert moves among the `most` most probable ones."""
    if len(records) == 0:
        return float("nan")
    gained = np.clip((most - records["better"]) / np.maximum(records["equal"], 1), 0, 1)
    return float(np.where(records["equal"] > 0, gained, 0).mean())


def summary(records: np.ndarray) -> dict[str, Any]:
    """Return accuracy and log-loss over all records."""
    counts = records["equal"] > 0
    return {
        "top1": found_share(records, 1),
        "top5": found_share(records, 5),
        "log_loss": float(-records["log_p"][counts].mean()) if counts.any() else float("nan"),
        "no candidate": 1 - float(counts.mean()) if len(records) else float("nan"),
        "moves": len(records),
    }


def by_move_number(records: np.ndarray, size: int) -> list[dict[str, Any]]:
    """Return accuracy and log-loss by move number."""
    step = STEP[min(STEP, key=lambda known: abs(known - size))]
    rows = []
    for first in range(0, int(records["ply"].max(initial=0)) + 1, step):
        chosen = records[(records["ply"] >= first) & (records["ply"] < first + step)]
        if len(chosen):
            rows.append({"from": first + 1, "to": first + step, **summary(chosen)})
    return rows
