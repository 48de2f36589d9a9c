"""The queue of requests: every free place is found, the oldest requests come first, and threads lose nothing."""

import threading

import numpy as np

from apv_mcts.atomics import atomic_load
from apv_mcts.queue import FREE, WAITING, ask, leave, new_queue, take
from apv_mcts.tree import NONE
from go.history import HISTORY
from go.jit import kernel
from go.position import Position

PLACES, THREADS, REQUESTS = 7, 3, 1_500
NO_HISTORY, PATH = np.zeros(1, HISTORY), np.zeros(2, np.int32)


def put(queue, node: int) -> bool:
    return ask(queue, Position(3).boards, NO_HISTORY, node, NONE, PATH, 0)


def nodes(queue, places) -> list[int]:
    return queue.node[places].tolist()


def test_requests_are_refused_only_if_no_place_is_free():
    """The place that a ticket points to is taken here; the free one is somewhere else."""
    for free in range(PLACES):
        queue = new_queue(PLACES, 2)
        assert all(put(queue, node) for node in range(PLACES)) and not put(queue, 99)
        taken = take(queue, PLACES)
        leave(queue, taken[free : free + 1])
        assert put(queue, 50) and nodes(queue, take(queue, PLACES)) == [50] and not put(queue, 51)
        assert queue.counters[WAITING] == PLACES


def test_the_oldest_requests_are_taken_first_wherever_they_stand():
    rng, queue, asked, answered = np.random.default_rng(3), new_queue(PLACES, 2), [], []
    held = np.empty(0, np.int64)
    for node in range(500):
        if put(queue, node):
            asked.append(node)
        if rng.random() < 0.4:
            found = take(queue, int(rng.integers(1, 4)))
            answered += nodes(queue, found)
            held = rng.permutation(np.concatenate([held, found]))
            split = int(rng.integers(0, len(held) + 1))
            leave(queue, held[:split])
            held = held[split:]
    assert answered == asked[: len(answered)] and len(answered) > 100


@kernel
def _ask_all(queue, boards, history, path, first):
    """Ask about nodes from `first` on, each with a board and a path that name it; wait while the queue is full."""
    for node in range(first, first + REQUESTS):
        boards[0].ply = node
        history[0].recent[:] = node % 1_000
        path[:] = node
        while not ask(queue, boards, history, node, node, path, 2):
            while atomic_load(queue.counters, WAITING) >= PLACES:
                pass


def test_threads_lose_no_request_and_mix_none_up():
    queue, found = new_queue(PLACES, 2), []
    threads = [
        threading.Thread(
            target=_ask_all, args=(queue, Position(3).boards, NO_HISTORY.copy(), PATH.copy(), number * REQUESTS)
        )
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    while len(found) < THREADS * REQUESTS:
        places = take(queue, 3)
        for place in places:
            node = int(queue.node[place])
            assert queue.edge[place] == queue.boards["ply"][place] == node
            assert (queue.history["recent"][place] == node % 1_000).all() and (queue.path[place] == node).all()
            found.append(node)
        leave(queue, places)
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(THREADS * REQUESTS))
    for number in range(THREADS):  # the requests of a thread keep their order
        own = [node for node in found if node // REQUESTS == number]
        assert own == sorted(own)
    assert (queue.state == FREE).all() and queue.counters[WAITING] == 0
