"""Positions that wait for a network: threads put them in without waiting, and the evaluator takes them in batches."""

from typing import NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_store, compare_and_swap
from features48.planes import EIGHT
from go.board import BOARD
from go.jit import kernel

RECENT = EIGHT - 1  # moves that the planes of turns since tell apart
FREE, FILLING, READY, TAKEN = range(4)
TICKET, WAITING = 0, 1  # places in `counters`


class Queue(NamedTuple):
    """Requests by place; each is about the priors of a node, the value of the position behind an edge, or both."""

    state: np.ndarray  # int32
    ticket: np.ndarray  # int64: who came first
    boards: np.ndarray
    recent: np.ndarray  # int16[place, RECENT]: the last moves, the latest first
    node: np.ndarray  # int32: whose priors are wanted, or NONE
    edge: np.ndarray  # int32: the position behind it is the one whose value is wanted, or NONE
    path: np.ndarray  # int32[place, depth]: edges from the root
    depth: np.ndarray  # int32
    counters: np.ndarray  # int64


def new_queue(places: int, most_depth: int) -> Queue:
    return Queue(
        np.zeros(places, np.int32),
        np.zeros(places, np.int64),
        np.zeros(places, BOARD),
        np.zeros((places, RECENT), np.int16),
        np.zeros(places, np.int32),
        np.zeros(places, np.int32),
        np.zeros((places, most_depth), np.int32),
        np.zeros(places, np.int32),
        np.zeros(8, np.int64),
    )


@kernel
def ask(queue, board, recent, node, edge, path, depth):
    """Put a request in, if there is a free place; tell if there was."""
    ticket = atomic_add(queue.counters, TICKET, 1)
    place = ticket % len(queue.state)
    if not compare_and_swap(queue.state, place, FREE, FILLING):
        return False
    queue.ticket[place] = ticket
    queue.boards[place] = board[0]
    queue.recent[place, :] = recent
    queue.node[place] = node
    queue.edge[place] = edge
    queue.depth[place] = depth
    queue.path[place, :depth] = path[:depth]
    atomic_add(queue.counters, WAITING, 1)
    atomic_store(queue.state, place, READY)
    return True
