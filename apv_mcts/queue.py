"""The queue of requests to the networks: search threads add requests without waiting, the evaluator takes batches."""

from typing import NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_load, atomic_store, compare_and_swap
from go.board import BOARD
from go.history import HISTORY
from go.jit import kernel

FREE, FILLING, READY, TAKEN = range(4)
TICKET, WAITING = 0, 1  # places in `counters`


class Queue(NamedTuple):
    """Requests by place. Each asks for the priors of a node, the value of the position behind an edge, or both."""

    state: np.ndarray  # int32
    ticket: np.ndarray  # int64: order of arrival
    boards: np.ndarray
    history: np.ndarray  # `go.history`
    node: np.ndarray  # int32: the node whose priors are asked for, or NONE
    edge: np.ndarray  # int32: the edge whose value is asked for, or NONE
    path: np.ndarray  # int32[place, depth]: edges from the root
    depth: np.ndarray  # int32
    counters: np.ndarray  # int64


def new_queue(places: int, most_depth: int) -> Queue:
    return Queue(
        np.zeros(places, np.int32),
        np.zeros(places, np.int64),
        np.zeros(places, BOARD),
        np.zeros(places, HISTORY),
        np.zeros(places, np.int32),
        np.zeros(places, np.int32),
        np.zeros((places, most_depth), np.int32),
        np.zeros(places, np.int32),
        np.zeros(8, np.int64),
    )


@kernel
def ask(queue, board, history, node, edge, path, depth):
    """Add a request at the first free place from its ticket's on. Return False if the queue is full."""
    ticket = atomic_add(queue.counters, TICKET, 1)
    places = len(queue.state)
    place, tried = ticket % places, 0
    while atomic_load(queue.state, place) != FREE or not compare_and_swap(queue.state, place, FREE, FILLING):
        tried += 1
        if tried == places:
            return False
        place = (place + 1) % places
    queue.ticket[place] = ticket
    queue.boards[place] = board[0]
    queue.history[place] = history[0]
    queue.node[place] = node
    queue.edge[place] = edge
    queue.depth[place] = depth
    queue.path[place, :depth] = path[:depth]
    atomic_add(queue.counters, WAITING, 1)
    atomic_store(queue.state, place, READY)
    return True


@kernel
def _ready(queue, places):
    """Write the places of all complete requests to `places`. Return their number."""
    found = 0
    for place in range(len(queue.state)):
        if atomic_load(queue.state, place) == READY:
            places[found] = place
            found += 1
    return found


def take(queue: Queue, most: int) -> np.ndarray:
    """Take the oldest requests, at most `most`. Return their places; `leave` frees them.

    Only one thread at a time may call this.
    """
    if queue.counters[WAITING] == 0:
        return np.empty(0, np.int64)
    places = np.empty(len(queue.state), np.int64)
    ready = places[: _ready(queue, places)]
    chosen = ready[np.argsort(queue.ticket[ready])][:most]
    queue.state[chosen] = TAKEN
    return chosen


@kernel
def leave(queue, places):
    """Free the places of answered requests."""
    for place in places:
        atomic_store(queue.state, place, FREE)
    atomic_add(queue.counters, WAITING, -len(places))
