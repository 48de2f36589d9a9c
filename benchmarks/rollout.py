"""Nanoseconds per move of playouts by the shipped rollout policy, compared with uniform playouts in the same run.

From the empty board, and from a position after 100 moves of the rollout policy (30 on 9x9). The paper reports 2 µs per
move, and about 1,000 playouts per second and thread from the empty board.
"""

import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from go.coordinates import PASS
from go.playout import new_rng
from go.position import Position
from nets.find import find_weights
from pipeline.tables import table
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy, new_workspace, policy_games

MOVES_BEFORE = {9: 30, 19: 100}
GAMES = {("rollout", 9): 2_000, ("rollout", 19): 500, ("uniform", 9): 12_000, ("uniform", 19): 2_400}
STARTS = ("empty board", "middle of a game")


def middle_position(size: int, policy: PlayoutPolicy) -> Position:
    """Return a position after some moves of the rollout policy. Each move is the first of a new playout."""
    position, work = Position(size, superko=False), new_workspace()
    for ply in range(MOVES_BEFORE[size]):
        games, _ = policy_games(position, 1, policy, new_rng(size, ply), work)
        move = int(games["first"][0])
        position.play(move if move != PASS and position.is_legal(move) else PASS)
    return position


def rate(
    position: Position, policy: PlayoutPolicy, games: int, threads: int, pool: ThreadPoolExecutor, seeds: list[int]
) -> float:
    """Return moves per second of all threads together."""
    seeds[0] += threads
    works = [new_workspace() for _ in range(threads)]
    rngs = [new_rng(seeds[0] + thread) for thread in range(threads)]
    began = time.perf_counter()
    parts = list(pool.map(lambda work, rng: policy_games(position, games, policy, rng, work)[0], works, rngs))
    return float(sum(int(part["moves"].sum()) for part in parts)) / (time.perf_counter() - began)


def contestants(pool: ThreadPoolExecutor) -> tuple[dict[str, Callable[[], float]], dict[str, float]]:
    entries: dict[str, Callable[[], float]] = {}
    lengths, seeds = {}, [0]
    for size in MOVES_BEFORE:
        policies = {"rollout": new_policy(Model.load(find_weights("rollout", size))), "uniform": new_policy(None)}
        starts = dict(zip(STARTS, (Position(size), middle_position(size, policies["rollout"])), strict=True))
        for start, position in starts.items():
            for kind, policy in policies.items():
                games = policy_games(position, 200, policy, new_rng(1))[0]
                lengths[f"{kind} {start} {size}"] = float(np.mean(games["moves"]))
                for threads in (1, 2):
                    entries[f"{kind} {start} {size} {threads}"] = functools.partial(
                        rate, position, policy, GAMES[kind, size], threads, pool, seeds
                    )
    return entries, lengths


def rates_table(rates: Rates, lengths: dict[str, float]) -> str:
    rows = []
    for size in MOVES_BEFORE:
        for start in STARTS:
            for kind in ("rollout", "uniform"):
                one, two = f"{kind} {start} {size} 1", f"{kind} {start} {size} 2"
                speed = median(rates, one)
                rows.append(
                    [
                        f"{size}x{size}, {start}, {kind}",
                        f"{1e9 / speed:.0f} ns",
                        f"{speed / lengths[one[:-2]]:,.0f}",
                        f"{lengths[one[:-2]]:.0f}",
                        f"{ratio(rates, one, f'uniform {start} {size} 1'):.2f}x",
                        f"{ratio(rates, two, one):.2f}x",
                    ]
                )
    header = ["playouts, 1 thread", "a move", "playouts/s", "moves each", "moves/s over uniform", "2 threads over 1"]
    return table(header, rows)


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the table and the bars."""
    with ThreadPoolExecutor(2) as pool:
        entries, lengths = contestants(pool)
        rates = in_turn(entries, rounds, "measurements of playouts")
    bars = []
    for start in STARTS:
        one = f"rollout {start} 19 1"
        bars += [
            Bar(f"19x19, {start}: a move", 1e9 / median(rates, one), 2000, at_most=True, unit=" ns"),
            Bar(f"19x19, {start}: moves/s over uniform", ratio(rates, one, f"uniform {start} 19 1"), 0.1),
            Bar(f"19x19, {start}: 2 threads over 1", ratio(rates, f"rollout {start} 19 2", one), 1.7),
        ]
    return rates_table(rates, lengths), bars
