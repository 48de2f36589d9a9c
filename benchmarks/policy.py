"""The policy network (64 filters, 9 layers, 48 planes): the cost of its batches in training, and inference speed.

Learning: positions per second with batches drawn and encoded from a store, compared with the same network on one fixed
batch; batches of 128, all cores. Answering: time per position of the networks that come with Prezero, in 8 and in 32
bits with ONNX Runtime and in torch. Accuracy: the loss from 8 bits on test games. Learning and accuracy on 19x19 need
an archive.
"""

import functools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from benchmarks.records import EMBEDDED, prepare
from data.positions import PositionSampler
from data.store import GameStore
from nets.find import find_weights
from nets.network import Network
from nets.runtime import Compute, onnx_compute, torch_compute
from nets.settings import NetSettings, OptimiserSettings
from nets.weights import Weights
from pipeline.device import choose_device, choose_precision
from pipeline.tables import table
from sl_policy.accuracy import find_moves, found_share, held_out, mean_divergence
from sl_policy.trainer import PolicyTrainer

NET = NetSettings(filters=64, layers=9, planes=48)
OPTIMISER = OptimiserSettings(kind="adamw", learning_rate=0.003, weight_decay=0.05, batch_size=128)
SECONDS = 4  # least duration of a measurement of learning
BATCHES = (1, 8, 64)
TEST_POSITIONS = 20_000
ANSWERS = 10  # batches per measurement of answering


def learning_rate(trainer: PolicyTrainer, step: Callable[[int], object], steps: list[int]) -> float:
    """Return training positions per second."""
    began, first = time.perf_counter(), steps[0]
    while time.perf_counter() - began < SECONDS:
        step(steps[0])
        steps[0] += 1
    return (steps[0] - first) * trainer.settings.batch_size / (time.perf_counter() - began)


def learners(store: GameStore) -> dict[str, Callable[[], float]]:
    """Return the two measurements of learning: from the store, and on one fixed batch."""
    device = choose_device("cpu")
    sampler = PositionSampler(store, "train")
    trainer = PolicyTrainer(sampler, NET, OPTIMISER, 10**9, device, choose_precision("auto", device), seed=1)
    torch.set_num_threads(os.cpu_count() or 1)
    fixed, steps = trainer.batches[0], [0]
    return {
        f"learning, store {store.size}": functools.partial(learning_rate, trainer, trainer.step, steps),
        f"learning, fixed {store.size}": functools.partial(
            learning_rate, trainer, lambda number: trainer.learn(fixed, 0.003), [0]
        ),
    }


def answering_rate(compute: Compute, planes: np.ndarray, threads: int) -> float:
    """Return positions evaluated per second."""
    torch.set_num_threads(threads)
    began = time.perf_counter()
    for _ in range(ANSWERS):
        compute(planes)
    return ANSWERS * len(planes) / (time.perf_counter() - began)


def answerers(size: int) -> dict[str, Callable[[], float]]:
    weights = Weights.load(find_weights("policy", size))
    rng = np.random.default_rng(1)
    entries: dict[str, Callable[[], float]] = {}
    for threads in (1, 2):
        computes = {
            "int8": onnx_compute(weights, threads, "int8"),
            "onnx": onnx_compute(weights, threads),
            "torch": torch_compute(weights, "cpu"),
        }
        for batch in BATCHES:
            planes = (rng.random((batch, weights.description.planes, size, size)) < 0.2).astype(np.uint8)
            for name, compute in computes.items():
                entries[f"{name} {size} {threads} {batch}"] = functools.partial(
                    answering_rate, compute, planes, threads
                )
    return entries


def learning_table(rates: Rates, sizes: list[int]) -> str:
    rows = [
        [
            f"{size}x{size}",
            f"{median(rates, f'learning, store {size}'):,.0f}",
            f"{median(rates, f'learning, fixed {size}'):,.0f}",
            f"{ratio(rates, f'learning, store {size}', f'learning, fixed {size}'):.3f}x",
        ]
        for size in sizes
    ]
    return table(["learning", "positions/s from a store", "positions/s on a fixed batch", "ratio"], rows)


def answering_table(rates: Rates) -> str:
    rows = []
    for size in (9, 19):
        for threads in (1, 2):
            for batch in BATCHES:
                names = [f"{name} {size} {threads} {batch}" for name in ("int8", "onnx", "torch")]
                times = [f"{1000 / median(rates, name):.3f}" for name in names]
                who = f"{size}x{size}, {threads} thread{'s' * (threads > 1)}"
                ratios = [f"{ratio(rates, names[0], names[1]):.2f}x", f"{ratio(rates, names[1], names[2]):.2f}x"]
                rows.append([who, str(batch), *times, *ratios])
    times = [f"{name}, ms a position" for name in ("8 bits", "32 bits", "torch, 32 bits")]
    return table(["answering", "batch", *times, "8 over 32 bits", "32 bits over torch"], rows)


def accuracy_row(store: GameStore) -> list[str]:
    """Compare the shipped network in 8 and in 32 bits: accuracy on test moves, and KL divergence."""
    weights = Weights.load(find_weights("policy", store.size))
    exact, rounded = (Network(weights, threads=os.cpu_count() or 1, precision=p) for p in ("float32", "int8"))
    index = held_out(store, "test", TEST_POSITIONS)
    shares = [found_share(find_moves(network, store, index), 1) for network in (exact, rounded)]
    percents = [f"{100 * share:.2f}%" for share in shares]
    return [
        f"{store.size}x{store.size}",
        f"{len(index):,}",
        *percents,
        f"{mean_divergence(exact, rounded, store, index):.5f}",
    ]


def accuracy_table(rows: list[list[str]]) -> str:
    return table(["accuracy", "test positions", "top-1, 32 bits", "top-1, 8 bits", "mean KL divergence, nats"], rows)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars."""
    sources = {9: EMBEDDED} | ({19: archive} if archive else {})
    entries: dict[str, Callable[[], float]] = {}
    accuracies = []
    with tempfile.TemporaryDirectory() as folder:
        for size, source in sources.items():
            prepare(source, size, Path(folder))
            store = GameStore(Path(folder, str(size), "data.prepare"))
            entries |= learners(store)
            accuracies.append(accuracy_row(store))
        rates = in_turn(entries, rounds, "measurements of learning")
    rates |= in_turn(answerers(9) | answerers(19), rounds, "measurements of answering")
    bars = [
        Bar(f"{size}x{size}: learning from a store over a fixed batch", _cost(rates, size), 0.95) for size in sources
    ]
    for size in (9, 19):
        for batch in (8, 64):
            gain = ratio(rates, f"int8 {size} 1 {batch}", f"onnx {size} 1 {batch}")
            bars.append(Bar(f"{size}x{size}: 8 over 32 bits, batches of {batch}, one thread", gain, 2.5))
    tables = [learning_table(rates, list(sources)), answering_table(rates), accuracy_table(accuracies)]
    return "\n\n".join(tables), bars


def _cost(rates: Rates, size: int) -> float:
    return ratio(rates, f"learning, store {size}", f"learning, fixed {size}")
