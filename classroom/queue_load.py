"""How n_thr follows the queue of the network: a real search on several threads, watched while it adapts.

The search looks at its queue every 50 ms (`Search.adapt`): requests that pile up raise n_thr, a network with nothing to
do lowers it. To see both in one run, the network gets a rest of a few milliseconds before each answer for a while, as
if it were larger.
"""

import time
from typing import Any

import numpy as np

from apv_mcts.assemble import load_networks, new_playout_policy
from apv_mcts.evaluator import Evaluator
from apv_mcts.queue import WAITING
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from go.position import Position
from nets.network import Answering, Answers, Wants


class SlowedNetwork:
    """A network that rests before each answer: `pause` seconds."""

    def __init__(self, network: Answering, pause: float = 0.0) -> None:
        self.network, self.pause, self.has_pass = network, pause, network.has_pass

    def answer(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray, wants: Wants = None) -> Answers:
        time.sleep(self.pause)
        return self.network.answer(boards, history, symmetries, wants)


class WatchedSearch(Search):
    """A search that notes what it saw whenever it adapts n_thr."""

    looks: list[dict[str, Any]]
    pauses: tuple[tuple[float, float], ...]  # since which second the network rests for how long
    began: float

    def watch(self, pauses: tuple[tuple[float, float], ...]) -> None:
        """Begin to take notes."""
        self.looks, self.pauses, self.began = [], pauses, time.monotonic()

    def adapt(self, busy: float) -> None:
        waiting, before = int(self.queue.counters[WAITING]), self.n_thr
        super().adapt(busy)
        now = time.monotonic() - self.began
        network = self.evaluator.network
        if isinstance(network, SlowedNetwork):
            network.pause = [pause for since, pause in self.pauses if now >= since][-1]
            pause = network.pause
        else:
            pause = 0.0
        self.looks.append(
            {
                "seconds": round(now, 3),
                "waiting": waiting,
                "busy": round(min(busy, 1.0), 3),
                "n_thr": self.n_thr,
                "change": self.n_thr - before,
                "pause": pause,
            }
        )


def watched_search(
    settings: SearchSettings, size: int, seed: int = 1, network: Answering | None = None
) -> WatchedSearch:
    """Return a search that can be watched, with a network that can be slowed."""
    slowed = SlowedNetwork(network or load_networks(settings, size, ""))
    return WatchedSearch(
        settings,
        size,
        new_playout_policy("tree", size, ""),
        new_playout_policy("rollout", size, ""),
        Evaluator(slowed, settings.beta, seed, settings.batch_size),
        seed,
    )


def record_load(
    position: Position, phase: float, pause: float, n_thr: int = 40, network: Answering | None = None
) -> dict[str, Any]:
    """Search a position on two threads in three phases of `phase` seconds: the network fast, slow, and fast again.

    Return a look every 50 ms: requests that wait, the share of the time in which the network worked, and n_thr.
    """
    settings = SearchSettings(threads=2, n_thr=n_thr, nodes=200_000)
    search = watched_search(settings, position.size, network=network)
    search.set_position(position)
    search.watch(((0.0, 0.0), (phase, pause), (2 * phase, 0.0)))
    simulations = search.run(seconds=3 * phase)
    while not search.looks:  # a machine that is too busy to look once
        simulations += search.run(seconds=3 * phase)
    return {
        "phase": phase,
        "pause": pause,
        "start": n_thr,
        "batch": settings.batch_size,
        "simulations": simulations,
        "looks": search.looks,
    }
