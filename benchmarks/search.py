"""Simulations per second from the empty board: the cost of the tree, the gain from threads, and the evaluator.

Bare playouts use the same policy and the same number of threads, without a tree. The evaluator: positions per second
that the networks of a search evaluate, compared with the policy network alone, on as many threads, with the mean batch
size of the search. In `no rollouts`, a simulation is only a request to the network, the mean score replaces the value,
and both threads answer. In `alpha_rp` one thread answers while two play rollouts on the same two cores, and request
less than the network could evaluate. A mean batch below 8 means that the evaluator was idle for part of the time.
"""

import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from apv_mcts.assemble import new_search
from apv_mcts.search import Search
from arena.players import preset
from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from go.playout import new_rng
from go.position import Position
from nets.network import Answers, Network, Wants
from pipeline.tables import table
from rollout.playout import PlayoutPolicy, new_workspace, policy_games
from sl_policy.player import load_network

SIZES = (9, 19)
PRESETS = ("uct", "uct_patterns", "alpha_r")
SIMULATIONS = {("uct", 9): 40_000, ("uct", 19): 8_000}
OTHERWISE = {9: 10_000, 19: 2_500}
NETWORKS = ("no rollouts", "alpha_rp")
SECONDS = 2.0  # duration of a search with networks


def simulation_rate(search: Search, simulations: int) -> float:
    """Return simulations per second of a search that starts with an empty tree."""
    search.position = None
    search.set_position(Position(search.size))
    began = time.perf_counter()
    search.run(simulations)
    return simulations / (time.perf_counter() - began)


def playout_rate(size: int, policy: PlayoutPolicy, games: int, threads: int, pool: ThreadPoolExecutor) -> float:
    """Return bare playouts per second of all threads together."""
    works, rngs = [new_workspace() for _ in range(threads)], [new_rng(thread) for thread in range(threads)]
    began = time.perf_counter()
    list(pool.map(lambda work, rng: policy_games(Position(size), games // threads, policy, rng, work), works, rngs))
    return games // threads * threads / (time.perf_counter() - began)


def rollout_contestants(pool: ThreadPoolExecutor) -> dict[str, Callable[[], float]]:
    entries: dict[str, Callable[[], float]] = {}
    for size in SIZES:
        for name in PRESETS:
            simulations = SIMULATIONS.get((name, size), OTHERWISE[size])
            for threads in (1, 2):
                settings = preset(name).search
                settings.threads = threads
                search = new_search(settings, size)
                entries[f"{name} {size} {threads}"] = functools.partial(simulation_rate, search, simulations)
                entries[f"bare {name} {size} {threads}"] = functools.partial(
                    playout_rate, size, search.playouts, simulations, threads, pool
                )
    return entries


class MeanScore:
    """A policy network used as a value network: it returns the mean score, and costs as much as a value network."""

    has_pass = False

    def __init__(self, policy: Network) -> None:
        self.policy = policy

    def answer(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: Wants = None) -> Answers:
        found = self.policy.compute(self.policy.inputs.boards(boards, history, symmetries))
        return Answers(None, np.tanh(found["scores"].mean(axis=1)))


@functools.cache
def network_search(name: str, size: int) -> Search:
    """Make a search with the shipped policy network. Without rollouts, it replaces a value network (`MeanScore`)."""
    settings = preset("alpha_rp" if name == "alpha_rp" else "alpha_v").search
    settings.threads = 2
    if name == "alpha_rp":
        return new_search(settings, size)
    return new_search(settings, size, network=MeanScore(load_network(size)))


def answering_rate(name: str, size: int, batches: list[float]) -> float:
    """Return positions per second of the evaluator of a search. Append its mean batch size to `batches`."""
    search = network_search(name, size)
    search.position = None
    search.set_position(Position(size))
    evaluator = search.evaluator
    before = evaluator.answered, evaluator.batches
    began = time.perf_counter()
    search.run(seconds=SECONDS)
    passed = time.perf_counter() - began
    answered = evaluator.answered - before[0]
    batches.append(answered / max(1, evaluator.batches - before[1]))
    return answered / passed


def raw_rate(name: str, size: int, batches: list[float]) -> float:
    """Return positions per second of the policy network alone, with the last batch size of a search."""
    network, batch = load_network(size), max(1, round(batches[-1]))
    shape = batch, network.description.planes, size, size
    planes = (np.random.default_rng(1).random(shape) < 0.2).astype(np.uint8)

    def rate(_: int) -> float:
        began, answered = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS / 2:
            network.compute(planes)
            answered += batch
        return answered / (time.perf_counter() - began)

    threads = 1 if name == "alpha_rp" else 2
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(rate, range(threads)))


def network_contestants() -> tuple[dict[str, Callable[[], float]], dict[str, list[float]]]:
    entries: dict[str, Callable[[], float]] = {}
    batches: dict[str, list[float]] = {f"{name} {size}": [] for name in NETWORKS for size in SIZES}
    for key, sizes in batches.items():
        name, _, size = key.rpartition(" ")
        entries[key] = functools.partial(answering_rate, name, int(size), sizes)
        entries[f"raw {key}"] = functools.partial(raw_rate, name, int(size), sizes)
    return entries, batches


def rollout_table(rates: Rates) -> str:
    rows = []
    for size in SIZES:
        for name in PRESETS:
            one, two = f"{name} {size} 1", f"{name} {size} 2"
            rows.append(
                [
                    f"{size}x{size}, {name}",
                    f"{median(rates, one):,.0f}",
                    f"{median(rates, two):,.0f}",
                    f"{ratio(rates, two, one):.2f}x",
                    f"{median(rates, f'bare {one}'):,.0f}",
                    f"{ratio(rates, one, f'bare {one}'):.2f}x",
                    f"{ratio(rates, two, f'bare {two}'):.2f}x",
                ]
            )
    over = "over bare playouts"
    header = [
        "search",
        "simulations/s, 1 thread",
        "2 threads",
        "2 over 1",
        "bare playouts/s, 1 thread",
        over,
        "2 threads",
    ]
    return table(header, rows)


def network_table(rates: Rates, batches: dict[str, list[float]]) -> str:
    rows = []
    for key, sizes in batches.items():
        name, _, size = key.rpartition(" ")
        rows.append(
            [
                f"{size}x{size}, {name}",
                f"{np.median(sizes):.1f}",
                f"{median(rates, key):,.0f}",
                f"{median(rates, f'raw {key}'):,.0f}",
                f"{ratio(rates, key, f'raw {key}'):.2f}x",
            ]
        )
    return table(["evaluator", "batch", "answers/s", "network alone, answers/s", "ratio"], rows)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars."""
    with ThreadPoolExecutor(2) as pool:
        rates = in_turn(rollout_contestants(pool), rounds, "measurements of simulations")
    entries, batches = network_contestants()
    rates |= in_turn(entries, rounds, "measurements of the evaluator")
    bars = []
    for size in SIZES:
        for name in PRESETS:
            one, two = f"{name} {size} 1", f"{name} {size} 2"
            bars.append(Bar(f"{size}x{size}, {name}: 2 threads over 1", ratio(rates, two, one), 1.7))
            bars.append(Bar(f"{size}x{size}, {name}: over bare playouts", ratio(rates, one, f"bare {one}"), 0.7))
    for size in SIZES:
        key = f"{NETWORKS[0]} {size}"
        bars.append(Bar(f"{size}x{size}, {NETWORKS[0]}: evaluator over network", ratio(rates, key, f"raw {key}"), 0.85))
    return f"{rollout_table(rates)}\n\n{network_table(rates, batches)}", bars
