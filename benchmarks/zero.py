"""Self-play of Zero with search, compared with the bare network at the same batch size in the same run.

A random network plays against itself on 9x9: that of `preset=gumbel scale=workstation`, with 16 simulations
a move by Gumbel's rule, and with 64 by PUCT. Games are cut after 40 moves, so that all places are busy all the time. A
position of self-play is one that the network was asked about. The bare network computes planes that are there already.
The same searches by `apv_mcts.lockstep`, which share batches too but have a tree for many threads, stand beside.
"""

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from apv_mcts.assemble import new_evaluator, new_search
from apv_mcts.lockstep import search_many
from apv_mcts.settings import SearchSettings
from benchmarks.measure import Bar, in_turn, median, ratio
from go.position import Position
from nets.network import Network
from nets.runtime import measure_ranges
from nets.weights import Weights
from pipeline.tables import table
from zero.games import Terms
from zero.rules import GUMBEL, PUCT, Rule
from zero.self_play import Lockstep

SIZE, PLACES, MOVES = 9, 64, 40
RULES = {
    "gumbel, 16 simulations": Rule(GUMBEL, simulations=16, considered=8),
    "puct, 64 simulations": Rule(PUCT, simulations=64, noise=0.25, reuse=True),
}
EVALUATIONS = 6_000  # positions per thread in a measurement of the bare network
GAMES_AN_HOUR, USUAL_MOVES = 10_000, 80  # the estimate that the family was planned with: games of 80 moves


def made_up_network() -> Weights:
    """Return a network of random weights with its ranges for 8 bits, and the planes that they were measured on."""
    from nets.module import NetworkModule, weights_of  # torch is a slow import
    from zero.settings import ZeroNetSettings

    torch.manual_seed(1)
    net = ZeroNetSettings(filters=48, layers=11, planes=21, pooled=1, heads="pooled", outcome="chances", hidden=64)
    weights = weights_of(NetworkModule(net.description(SIZE), init="he"))
    weights.ranges = measure_ranges(weights, some_planes(weights))
    return weights


def some_planes(weights: Weights) -> np.ndarray:
    """Return planes of positions of self-play."""
    network = Network(weights, precision="float32")
    games = Lockstep(SIZE, Rule(GUMBEL, simulations=1), Terms(7.5, MOVES, MOVES), PLACES)
    for _ in games.play(range(PLACES), (1,), lambda number: (network, network)):
        break
    return network.inputs.boards(games.games.boards, games.games.history, np.zeros(PLACES, np.int64))


def self_play_rate(weights: Weights, rule: Rule, threads: int, seeds: list[int]) -> float:
    """Return positions per second in which self-play asked the network."""
    seeds[0] += 1

    def play(thread: int) -> int:
        network = Network(weights)
        games = Lockstep(SIZE, rule, Terms(7.5, MOVES, MOVES), PLACES)
        for _ in games.play(range(PLACES), (seeds[0], thread), lambda number: (network, network)):
            pass
        return games.asked

    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        asked = sum(pool.map(play, range(threads)))
    return asked / (time.perf_counter() - began)


def network_rate(weights: Weights, planes: np.ndarray, threads: int) -> float:
    """Return positions per second of the bare network, on as many threads, each with a network of its own."""
    networks = [Network(weights) for _ in range(threads)]
    batches = -(-EVALUATIONS // len(planes))
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(lambda network: [network.compute(planes) for _ in range(batches)], networks))
    return threads * batches * len(planes) / (time.perf_counter() - began)


def shared_search_rate(weights: Weights, simulations: int) -> float:
    """Return positions per second of `apv_mcts.lockstep` on one thread: one search of each game."""
    settings = SearchSettings(
        rollouts="none", priors="uniform", value=True, lambda_mix=0.0, n_thr=0, beta=1.0, c_puct=1.5, threads=1,
        batch_size=1, nodes=4 * simulations,
    )  # fmt: skip
    evaluator = new_evaluator(settings, SIZE, "", 1, Network(weights))
    searches = [new_search(settings, SIZE, evaluator=evaluator) for _ in range(PLACES)]
    for search in searches:
        search.set_position(Position(SIZE))
    began = time.perf_counter()
    search_many(searches, simulations)
    return evaluator.answered / (time.perf_counter() - began)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the table and the bars."""
    weights = made_up_network()
    planes, cores, seeds = some_planes(weights), os.cpu_count() or 1, [0]
    entries: dict[str, Callable[[], float]] = {}
    for threads in dict.fromkeys((1, cores)):
        entries[f"network {threads}"] = functools.partial(network_rate, weights, planes, threads)
        for name, rule in RULES.items():
            entries[f"{name} {threads}"] = functools.partial(self_play_rate, weights, rule, threads, seeds)
    for name, rule in RULES.items():
        entries[f"shared {name}"] = functools.partial(shared_search_rate, weights, rule.simulations)
    rates = in_turn(entries, rounds, "measurements of Zero's self-play")
    rows, bars = [], []
    for threads in dict.fromkeys((1, cores)):
        for name in RULES:
            speed = ratio(rates, f"{name} {threads}", f"network {threads}")
            shared = f"{median(rates, f'shared {name}'):,.0f}" if threads == 1 else ""
            rows.append(
                [
                    f"{name}, {threads} thread{'s' if threads > 1 else ''}",
                    f"{median(rates, f'{name} {threads}'):,.0f}",
                    f"{median(rates, f'network {threads}'):,.0f}",
                    f"{speed:.2f}x",
                    shared,
                ]
            )
            bars.append(Bar(f"self-play over the network, {name}, {threads} threads", speed, 0.7))
    first = next(iter(RULES))
    an_hour = 3600 * median(rates, f"{first} {cores}") / (USUAL_MOVES * (1 + RULES[first].simulations))
    bars.append(Bar(f"games of {USUAL_MOVES} moves, {first}, all cores", an_hour, GAMES_AN_HOUR, unit=" games/hour"))
    heads = ["self-play", "positions/s", "network alone, positions/s", "ratio", "`apv_mcts.lockstep`, positions/s"]
    return table(heads, rows), bars
