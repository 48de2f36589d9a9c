"""A lost update: two threads add to one number, and an addition disappears.

`n = n + 1` is three steps: load, add, store. If another thread stores between our load and our store, its addition is
overwritten. `interleavings` goes through all orders of the steps of two threads; `count_together` lets two real threads
do it, with separate loads and stores and with one atomic instruction (`apv_mcts.atomics`).
"""

import itertools
import threading
from typing import Any, NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_load, atomic_store
from go.jit import kernel

STEPS = ("load", "add", "store")


class Counted(NamedTuple):
    """What two threads have counted together."""

    expected: int
    found: int

    @property
    def lost(self) -> int:
        return self.expected - self.found


@kernel
def add_in_steps(numbers, times):
    """Add 1 to a number `times` times, each time with a load and a store.

    A plain `numbers[0] += 1` is the same, but the compiler would make one addition of the whole loop.
    """
    for _ in range(times):
        atomic_store(numbers, 0, atomic_load(numbers, 0) + 1)


@kernel
def add_at_once(numbers, times):
    """Add 1 to a number `times` times, each time with one atomic instruction."""
    for _ in range(times):
        atomic_add(numbers, 0, 1)


def count_together(times: int, is_atomic: bool, threads: int = 2) -> Counted:
    """Let threads add 1 to the same number, `times` times each. Return what they have counted."""
    add = add_at_once if is_atomic else add_in_steps
    numbers = np.zeros(1, np.int64)
    add(numbers, 0)  # compiled before the threads start
    ready = threading.Barrier(threads)

    def work() -> None:
        ready.wait()
        add(numbers, times)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return Counted(threads * times, int(numbers[0]))


def interleavings(steps: int = len(STEPS)) -> list[str]:
    """Return all orders in which two threads A and B can do their steps, as "AABABB"."""
    places = itertools.combinations(range(2 * steps), steps)
    return ["".join("A" if place in of_a else "B" for place in range(2 * steps)) for of_a in places]


def play_interleaving(order: str, start: int = 0) -> list[dict[str, Any]]:
    """Return the steps of two threads that both add 1 to a number, in a given order.

    Each step has the number in memory and what each thread holds in its register afterwards.
    """
    memory, done, steps = start, {"A": 0, "B": 0}, []
    held: dict[str, int | None] = {"A": None, "B": None}
    for thread in order:
        what = STEPS[done[thread]]
        done[thread] += 1
        if what == "load":
            held[thread] = memory
        elif what == "add":
            held[thread] = (held[thread] or 0) + 1
        else:
            memory = held[thread] or 0
        steps.append({"thread": thread, "what": what, "memory": memory, **held})
    return steps


def atomic_steps(start: int = 0) -> list[dict[str, Any]]:
    """Return the steps of two threads that both add 1 to a number with one instruction."""
    return [
        {"thread": "A", "what": "atomic add", "memory": start + 1, "A": None, "B": None},
        {"thread": "B", "what": "atomic add", "memory": start + 2, "A": None, "B": None},
    ]


def lost_update_data(start: int = 7) -> dict[str, Any]:
    """Return everything that the page plays: all orders, and the atomic addition."""
    orders = {order: play_interleaving(order, start) for order in interleavings()}
    return {"view": "lost update", "start": start, "orders": orders, "atomic": atomic_steps(start)}
