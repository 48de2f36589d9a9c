"""Value data and the value network: sampling beside the bare policy network, answering, and learning.

Sampling plays by the recipe on 9x9 with `policy9` as both policies, and counts the positions that it shows to the
networks; the bare network computes planes that are there already, in batches of the size that a turn has: half of the
games. Answering: a value network of 64 filters and 11 layers, in 8 and in 32 bits. Learning: batches of 128 drawn and
encoded from samples, compared with the same network on one fixed batch.
"""

import functools
import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from benchmarks.self_play import network_rate
from data.store import GameStore
from nets.find import find_weights
from nets.module import weights_of
from nets.runtime import Compute, measure_ranges, onnx_compute
from nets.settings import OptimiserSettings
from nets.weights import Weights
from pipeline.device import choose_device, choose_precision
from pipeline.tables import table
from value_net.lessons import Lessons
from value_net.recipe import Recipe, Shard, ShardPlayer, play_shard
from value_net.samples import SAMPLES, write_store
from value_net.settings import LearnSettings, ValueNetSettings
from value_net.trainer import ValueTrainer

SIZE, TOGETHER, GAMES = 9, 128, 256
BATCHES = (1, 8, 16, 64)
SECONDS = 4  # least duration of a measurement of learning
ANSWERS = 10  # batches per measurement of answering
OPTIMISER = OptimiserSettings(kind="adamw", learning_rate=0.003, weight_decay=0.05, batch_size=128)


def sampling_rate(weights: Weights, threads: int, seeds: list[int]) -> float:
    """Return positions per second that sampling shows to the networks, with a shard on each thread."""
    seeds[0] += 1
    recipe = Recipe(games=GAMES, together=TOGETHER)

    def play(number: int) -> int:
        player = ShardPlayer(weights, weights, recipe, seeds[0], number)
        while player.is_busy:
            player.turn()
        return player.evaluations

    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        evaluations = sum(pool.map(play, range(threads)))
    return evaluations / (time.perf_counter() - began)


def new_trainer(shard: Shard, folder: Path) -> ValueTrainer:
    """Return a trainer of the default network on the samples of a shard."""
    write_store(folder, [shard], len(shard.u), SIZE, 7.5, (0.0, 0.0))
    records = np.load(folder / SAMPLES)
    lessons = Lessons(GameStore(folder), np.arange(len(records)), records["ply"].astype(np.int64), records["owners"])
    device = choose_device("cpu")
    settings = LearnSettings(ValueNetSettings(), OPTIMISER, 1.0, 10**9)
    return ValueTrainer(lessons, settings, device, choose_precision("auto", device), seed=1)


def learning_rate(step: Callable[[int], object], steps: list[int]) -> float:
    """Return training positions per second."""
    torch.set_num_threads(os.cpu_count() or 1)
    began, first = time.perf_counter(), steps[0]
    while time.perf_counter() - began < SECONDS:
        step(steps[0])
        steps[0] += 1
    return (steps[0] - first) * OPTIMISER.batch_size / (time.perf_counter() - began)


def answering_rate(compute: Compute, planes: np.ndarray) -> float:
    """Return positions evaluated per second."""
    began = time.perf_counter()
    for _ in range(ANSWERS):
        compute(planes)
    return ANSWERS * len(planes) / (time.perf_counter() - began)


def answerers(trainer: ValueTrainer) -> dict[str, Callable[[], float]]:
    weights = weights_of(trainer.network)
    planes = trainer.batch(0, 256).planes
    weights.ranges = measure_ranges(weights, planes)
    return {
        f"{name} {threads} {batch}": functools.partial(
            answering_rate, onnx_compute(weights, threads, name), planes[:batch]
        )
        for threads in dict.fromkeys((1, os.cpu_count() or 1))
        for batch in BATCHES
        for name in ("int8", "float32")
    }


def answering_table(rates: Rates) -> str:
    rows = []
    for name in (name.removeprefix("int8 ") for name in rates if name.startswith("int8 ")):
        threads, batch = name.split()
        times = [f"{1000 / median(rates, f'{kind} {name}'):.3f}" for kind in ("int8", "float32")]
        rows.append([f"{threads} threads", batch, *times, f"{ratio(rates, f'int8 {name}', f'float32 {name}'):.2f}x"])
    return table(["answering", "batch", "8 bits, ms a position", "32 bits, ms a position", "8 over 32 bits"], rows)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars."""
    policy = Weights.load(find_weights("policy", SIZE))
    cores, seeds = os.cpu_count() or 1, [0]
    shard = play_shard(policy, policy, Recipe(games=GAMES), 1, 0)
    with tempfile.TemporaryDirectory() as folder:
        trainer = new_trainer(shard, Path(folder))
        fixed, planes = trainer.batch(0, OPTIMISER.batch_size), trainer.batch(0, TOGETHER // 2).planes[:, :48]
        entries: dict[str, Callable[[], float]] = {}
        for threads in dict.fromkeys((1, cores)):
            entries[f"sampling {threads}"] = functools.partial(sampling_rate, policy, threads, seeds)
            entries[f"network {threads}"] = functools.partial(network_rate, policy, planes, threads)
        entries["learning"] = functools.partial(learning_rate, trainer.step, [0])
        entries["fixed"] = functools.partial(learning_rate, lambda number: trainer.learn(fixed, 0.003), [0])
        rates = in_turn(entries | answerers(trainer), rounds, "measurements of the value network")
    rows, bars = [], []
    for threads in dict.fromkeys((1, cores)):
        names = f"sampling {threads}", f"network {threads}"
        speed = ratio(rates, *names)
        rows.append([f"{threads} threads", *(f"{median(rates, name):,.0f}" for name in names), f"{speed:.2f}x"])
        bars.append(Bar(f"sampling over the network, {threads} threads", speed, 0.7))
    sampling = table(["sampling", "positions/s", "network alone, positions/s", "ratio"], rows)
    cost = ratio(rates, "learning", "fixed")
    learning = table(
        ["learning", "positions/s from samples", "positions/s on a fixed batch", "ratio"],
        [["9x9", f"{median(rates, 'learning'):,.0f}", f"{median(rates, 'fixed'):,.0f}", f"{cost:.2f}x"]],
    )
    bars.append(Bar("learning from samples over a fixed batch", cost, 0.9))
    return "\n\n".join([sampling, learning, answering_table(rates)]), bars
