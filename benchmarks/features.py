"""Positions encoded as 48 planes per second, on one and on two threads: from the store, and from boards in lockstep.

From the store: random positions of real games in random symmetries, in batches of 256, including the replay. "Without
ladders" omits the two ladder planes, so the difference is the time that they take.

"256 boards": random positions of real games with their histories, in random symmetries, in batches of 256, as searches
and self-play in lockstep encode them.
"""

import functools
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from benchmarks.records import EMBEDDED, prepare
from data.positions import PositionSampler
from data.store import GameStore
from features48.encoder import Encoder
from features48.groups import GROUPS, LADDERS, SUBSETS
from go.history import histories_of
from pipeline.tables import table

BATCH = 256
BATCHES = {9: 200, 19: 60}  # per measurement: some tenths of a second
BOARDS = "256 boards"
LOCKSTEP = 256  # boards in a batch
LOCKSTEP_BATCHES = {9: 400, 19: 120}
DIFFERENT = 8  # number of different batches of boards, encoded in turn
INPUTS = {
    "48 planes": SUBSETS[48],
    "without ladders": tuple(name for name in SUBSETS[48] if GROUPS[name].needs != LADDERS),
    "20 planes": SUBSETS[20],
}


def rate(encoder: Encoder, sampler: PositionSampler, counter: list[int]) -> float:
    """Return positions per second. The positions are drawn beforehand."""
    count = BATCHES[sampler.store.size]
    batches = [sampler.batch(counter[0] + number, BATCH) for number in range(count)]
    counter[0] += count
    out = encoder.batch(sampler.store, batches[0].games, batches[0].plies, batches[0].symmetries)
    began = time.perf_counter()
    for batch in batches:
        encoder.batch(sampler.store, batch.games, batch.plies, batch.symmetries, out)
    return count * BATCH / (time.perf_counter() - began)


Batch = tuple[np.ndarray, np.ndarray, np.ndarray]  # boards, histories, symmetries


def boards_of(sampler: PositionSampler) -> list[Batch]:
    """Return batches of boards with their histories."""
    batches = []
    for number in range(DIFFERENT):
        drawn = sampler.batch(number, LOCKSTEP)
        where = zip(drawn.games.tolist(), drawn.plies.tolist(), strict=True)
        positions = [sampler.store.position(game, ply) for game, ply in where]
        boards = np.concatenate([position.boards for position in positions])
        batches.append((boards, histories_of(positions), drawn.symmetries))
    return batches


def boards_rate(encoder: Encoder, batches: list[Batch], size: int) -> float:
    """Return boards encoded per second."""
    out, count = encoder.boards(*batches[0]), LOCKSTEP_BATCHES[size]
    began = time.perf_counter()
    for number in range(count):
        encoder.boards(*batches[number % DIFFERENT], out)
    return count * LOCKSTEP / (time.perf_counter() - began)


def contestants(stores: dict[int, GameStore]) -> dict[str, Callable[[], float]]:
    entries: dict[str, Callable[[], float]] = {}
    for size, store in stores.items():
        sampler, counter = PositionSampler(store, "train"), [0]
        batches = boards_of(sampler)
        for threads in (1, 2):
            run = functools.partial(boards_rate, Encoder(48, threads), batches, size)
            entries[f"{BOARDS} {threads} {size}"] = run
        for name, groups in INPUTS.items():
            for threads in (1, 2):
                encoder = Encoder(groups, threads)
                entries[f"{name} {threads} {size}"] = functools.partial(rate, encoder, sampler, counter)
    return entries


def rates_table(rates: Rates, sizes: list[int]) -> str:
    rows = []
    for size in sizes:
        for name in (*INPUTS, BOARDS):
            one, two = f"{name} 1 {size}", f"{name} 2 {size}"
            speeds = [f"{median(rates, one):,.0f}", f"{median(rates, two):,.0f}", f"{ratio(rates, two, one):.2f}x"]
            rows.append([f"{size}x{size}, {name}", *speeds, f"{1e6 / median(rates, one):.1f} µs"])
    return table(["positions/s", "1 thread", "2 threads", "2 over 1", "a position, 1 thread"], rows)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the table and the bars. Without an archive, only 9x9 is measured."""
    sources = {9: EMBEDDED} | ({19: archive} if archive else {})
    with tempfile.TemporaryDirectory() as folder:
        stores = {}
        for size, source in sources.items():
            print(f"reading {source}", file=sys.stderr)
            prepare(source, size, Path(folder))
            stores[size] = GameStore(Path(folder, str(size), "data.prepare"))
        rates = in_turn(contestants(stores), rounds, "measurements of planes")
    shares = {size: 1 - ratio(rates, f"48 planes 1 {size}", f"without ladders 1 {size}") for size in stores}
    told = ", ".join(f"{100 * share:.0f}% on {size}x{size}" for size, share in shares.items())
    bars = [
        Bar(f"{size}x{size}, {BOARDS}: 2 threads over 1", ratio(rates, f"{BOARDS} 2 {size}", f"{BOARDS} 1 {size}"), 1.7)
        for size in stores
    ]
    if 19 in stores:
        bars.append(Bar("19x19 with ladders, 1 thread", median(rates, "48 planes 1 19"), 5000, unit=" positions/s"))
        bars.append(Bar("19x19: 2 threads over 1", ratio(rates, "48 planes 2 19", "48 planes 1 19"), 1.7))
    return f"{rates_table(rates, list(stores))}\n\nShare of the time in ladders, 1 thread: {told}.", bars
