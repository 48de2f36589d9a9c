"""Self-play of the policy network in lockstep, compared with the bare network at the same batch size in the same run.

`policy9` plays against itself on 9x9, all games of a lockstep until the last one ends, on one thread and on all cores
(each thread has games and a network of its own). The bare network computes planes that are there already, in batches of
the size that a turn of self-play has at the start: half of the games.
"""

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.measure import Bar, in_turn, median, ratio
from nets.find import find_weights
from nets.network import Network
from nets.weights import Weights
from pipeline.tables import table
from rl_policy.self_play import GameSettings, play_games

SIZE = 9
GAMES = (64, 128, 256)  # per thread
EVALUATIONS = 6_000  # positions per thread in a measurement of the bare network
SELF_PLAY, BARE = "self-play", "network"


def self_play_rate(weights: Weights, games: int, threads: int, seeds: list[int]) -> float:
    """Return positions per second in which self-play asked the network."""
    seeds[0] += 1
    began = time.perf_counter()
    played = play_games(weights, weights, games * threads, (seeds[0],), GameSettings(threads=threads))
    return float(played.lengths.sum()) / (time.perf_counter() - began)


def network_rate(weights: Weights, planes: np.ndarray, threads: int) -> float:
    """Return positions per second of the bare network, on as many threads, each with a network of its own."""
    networks = [Network(weights) for _ in range(threads)]
    batches = -(-EVALUATIONS // len(planes))
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(lambda network: [network.compute(planes) for _ in range(batches)], networks))
    return threads * batches * len(planes) / (time.perf_counter() - began)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the table and the bars."""
    weights = Weights.load(find_weights("policy", SIZE))
    turns = play_games(weights, weights, 8, (1,), GameSettings(), record=True).turns
    planes = np.concatenate([turn.planes for turn in turns])
    cores, seeds = os.cpu_count() or 1, [0]
    entries: dict[str, Callable[[], float]] = {}
    for threads in dict.fromkeys((1, cores)):
        for games in GAMES:
            name = f"{games} {threads}"
            entries[f"{SELF_PLAY} {name}"] = functools.partial(self_play_rate, weights, games, threads, seeds)
            entries[f"{BARE} {name}"] = functools.partial(network_rate, weights, planes[: games // 2], threads)
    rates = in_turn(entries, rounds, "measurements of self-play")
    rows, bars = [], []
    for name in (entry.removeprefix(f"{BARE} ") for entry in entries if entry.startswith(BARE)):
        games, threads = map(int, name.split())
        speed = ratio(rates, f"{SELF_PLAY} {name}", f"{BARE} {name}")
        rows.append(
            [
                f"{games} games a thread, {threads} thread{'s' if threads > 1 else ''}",
                f"{median(rates, f'{SELF_PLAY} {name}'):,.0f}",
                f"{median(rates, f'{BARE} {name}'):,.0f}",
                f"{speed:.2f}x",
            ]
        )
        bars.append(Bar(f"self-play over the network, {games} games, {threads} threads", speed, 0.7))
    best = max(median(rates, f"{SELF_PLAY} {games} {cores}") for games in GAMES)
    bars.append(Bar("self-play on all cores", best, 10_000, unit=" positions/s"))
    return table(["lockstep", "self-play, positions/s", "network alone, positions/s", "ratio"], rows), bars
