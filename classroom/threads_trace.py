"""Several simulations under way at the same time, with virtual losses and without.

What two threads do at the same moment is chance, so a page cannot show it twice. Here the real functions of the search
(`apv_mcts.simulation`) are called in a fixed order: every thread selects, then every thread plays its rollout and backs
up. `distinct_leaves` says how many different positions the threads evaluate; without virtual losses it is one.
"""

from typing import Any

import numpy as np

from apv_mcts.assemble import new_search
from apv_mcts.search import USUAL_MOVES, Search
from apv_mcts.settings import SearchSettings
from apv_mcts.simulation import Worker, descend, new_worker, roll_out
from apv_mcts.tree import NONE, UNIT
from classroom.simulations import board_data, node_numbers, snapshot
from go.coordinates import gtp_from_point
from go.playout import new_rng
from go.position import Position
from nets.network import Answering

NAMES = "AB"  # of the threads that a page shows
LEAST_PRIOR = 0.01  # of moves that a page shows though they were never tried


class UnderWay:
    """A simulation between its selection and its backup."""

    def __init__(self, work: Worker, edge: int, depth: int, rng: np.ndarray) -> None:
        self.work, self.edge, self.depth, self.rng = work, edge, depth, rng

    @property
    def path(self) -> list[int]:
        return self.work.path[: self.depth].tolist()


class Interleaved:
    """A search whose simulations are selected and finished one by one, in any order."""

    def __init__(self, search: Search, threads: int, seed: int = 1) -> None:
        self.search = search
        self.workers = [new_worker(USUAL_MOVES) for _ in range(threads)]
        self.rngs = [new_rng(seed, 100 + number) for number in range(threads)]

    def select(self, thread: int) -> UnderWay:
        """Go down the tree as a thread does, and leave virtual losses on the path."""
        search, work, rng = self.search, self.workers[thread], self.rngs[thread]
        work.rollout.board[0] = search.root.board[0]
        work.history[0] = search.root.history[0]
        work.tracker[0] = search.root.tracker[0]
        plies = len(search.root.hashes)
        work.hashes[:plies] = search.root.hashes
        shared = search.tree, search.rule, search.queue, search.playouts.replies
        depth, edge, _ = descend(*shared, work, rng, plies)
        return UnderWay(work, int(edge), int(depth), rng)

    def finish(self, simulation: UnderWay) -> None:
        """Play the rollout of a simulation and back it up, which removes its virtual losses. Then networks answer."""
        search, color = self.search, self.search.position.to_move
        shared = search.tree, search.rule, search.queue, search.playouts
        roll_out(*shared, simulation.work, simulation.rng, simulation.edge, NONE, simulation.depth, color)
        while search.evaluator is not None and search.evaluator.serve([search]):
            pass


def grown_search(
    position: Position, n_vl: int, simulations: int, network: Answering | None = None, seed: int = 1
) -> Search:
    """Return a search of rollouts and policy network whose tree has grown for some simulations, always the same."""
    settings = SearchSettings(threads=1, n_thr=4, nodes=5_000, n_vl=n_vl)
    search = new_search(settings, position.size, seed=seed, network=network)
    search.set_position(position)
    search.run(simulations=simulations)
    return search


def record_two_threads(search: Search, rounds: int) -> dict[str, Any]:
    """Let two threads select at the same time and finish one after the other. Return a step for each.

    A step has the numbers of the root after it, and the paths that are under way, by thread.
    """
    threads, size = Interleaved(search, 2), search.size
    steps: list[dict[str, Any]] = [_step("begin", "", search, {}, None)]
    same = 0
    for _ in range(rounds):
        under_way: dict[str, UnderWay] = {}
        for number in range(2):
            under_way[NAMES[number]] = threads.select(number)
            steps.append(_step("select", NAMES[number], search, _paths(under_way, search, size), None))
        same += under_way["A"].path == under_way["B"].path
        for name in ("A", "B"):
            simulation = under_way.pop(name)
            before = int(search.tree.w_r[simulation.path[0]])
            threads.finish(simulation)
            after = int(search.tree.w_r[simulation.path[0]])
            z = (after - before) // UNIT - search.rule.n_vl
            steps.append(_step("finish", name, search, _paths(under_way, search, size), z))
    return {
        "board": board_data(search.position),
        "n_vl": search.rule.n_vl,
        "rounds": rounds,
        "same": same,
        "steps": steps,
    }


def record_with_and_without(
    position: Position, rounds: int, grown: int, losses: tuple[int, ...] = (0, 3), network: Answering | None = None
) -> dict[str, Any]:
    """Record two threads on the same tree with several numbers of virtual losses, for a page to play side by side."""
    runs = [record_two_threads(grown_search(position, n_vl, grown, network), rounds) for n_vl in losses]
    most = max(move["N"] for run in runs for step in run["steps"] for move in step["root"])
    return {"view": "virtual loss", "runs": [run | {"most": most} for run in runs]}


def _paths(under_way: dict[str, UnderWay], search: Search, size: int) -> dict[str, list[str]]:
    moves = search.tree.move
    return {
        name: [gtp_from_point(int(moves[edge]), size) for edge in simulation.path]
        for name, simulation in under_way.items()
    }


def _step(what: str, thread: str, search: Search, paths: dict[str, list[str]], z: int | None) -> dict[str, Any]:
    """Return a step with the numbers of the moves that were tried or are likely."""
    numbers = node_numbers(search, 0, snapshot(search))
    shown = [number for number in numbers if number["N"] or number["P"] >= LEAST_PRIOR]
    return {"what": what, "thread": thread, "paths": paths, "z": z, "root": shown}


def distinct_leaves(search: Search, threads: int, rounds: int) -> float:
    """Return how many different leaves `threads` simulations that are under way together evaluate, as a mean."""
    interleaved, found = Interleaved(search, threads), 0
    for _ in range(rounds):
        simulations = [interleaved.select(thread) for thread in range(threads)]
        found += len({simulation.edge for simulation in simulations})
        for simulation in simulations:
            interleaved.finish(simulation)
    return found / rounds
