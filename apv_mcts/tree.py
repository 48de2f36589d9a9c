"""The search tree: one set of flat arrays that all threads read and write without locks.

A node is a position; its edges, one for each move, stand one after another and hold the statistics of the paper
(Methods, "Search algorithm"): P, N_r and W_r of rollouts, N_v and W_v of the value network. Q is not stored: it follows
from them. Sums are whole numbers, so that threads can add to them in one instruction and no order of doing so matters:
W counts in units of 1 / `UNIT`. All W are seen by the player who chooses the edge.

Nodes and edges are taken from a pool by adding to a counter. When the pool is full, the search goes on and no longer
grows. Node 0 is the root.
"""

from typing import NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_load
from go.jit import kernel

UNIT = 1 << 20  # a win
NONE, BUSY = -1, -2  # an edge without a node behind it, and one whose node is being made
NODES, EDGES = 0, 1  # counters: taken from the pool so far
NOT_ASKED, ASKED, ANSWERED = range(3)  # of a network


class Tree(NamedTuple):
    """Nodes by number, and edges by number."""

    first: np.ndarray  # int32: the first edge of a node,
    count: np.ndarray  # int32: so many
    asked_policy: np.ndarray  # int32: whether the policy network was asked for the priors
    move: np.ndarray  # int16: the point of an edge, or PASS
    prior: np.ndarray  # float32: P
    n_r: np.ndarray  # int32: N_r, visits, those under way as virtual losses
    w_r: np.ndarray  # int64
    n_v: np.ndarray  # int32
    w_v: np.ndarray  # int64
    child: np.ndarray  # int32: the node behind an edge
    asked_value: np.ndarray  # int32: whether the value network was asked about the position behind an edge,
    value: np.ndarray  # float32: and what it said, as the player to move there sees it
    counters: np.ndarray  # int64


def new_tree(nodes: int, edges: int) -> Tree:
    """Make an empty tree that can grow to so many nodes and edges."""
    of_edges = (np.int16, np.float32, np.int32, np.int64, np.int32, np.int64, np.int32, np.int32, np.float32)
    return Tree(
        *(np.zeros(nodes, np.int32) for _ in range(3)),
        *(np.zeros(edges, kind) for kind in of_edges),
        np.zeros(8, np.int64),
    )


@kernel
def take_node(tree, edges):
    """Take a node with so many edges from the pool; return its number, or NONE if the pool is full.

    What does not fit is given back, so that the counters tell what is in use. Only what lies beyond the end may be
    given back, for a thread that took the next one meanwhile would have to share it: so the edges come first, and if
    there is no node for them, because another thread has just taken the last one, they stay taken and empty.
    """
    if atomic_load(tree.counters, NODES) >= len(tree.first):
        return np.int64(NONE)
    first = atomic_add(tree.counters, EDGES, edges)
    if first + edges > len(tree.move):
        atomic_add(tree.counters, EDGES, -edges)
        return np.int64(NONE)
    for e in range(first, first + edges):
        tree.n_r[e] = 0
        tree.w_r[e] = 0
        tree.n_v[e] = 0
        tree.w_v[e] = 0
        tree.child[e] = NONE
        tree.asked_value[e] = NOT_ASKED
    node = atomic_add(tree.counters, NODES, 1)
    if node >= len(tree.first):
        atomic_add(tree.counters, NODES, -1)
        return np.int64(NONE)
    tree.first[node] = first
    tree.count[node] = edges
    tree.asked_policy[node] = NOT_ASKED
    return node


@kernel
def is_full(tree, most_edges):
    """Tell if the pool cannot be sure to have a node with so many edges left."""
    return tree.counters[NODES] >= len(tree.first) or tree.counters[EDGES] + most_edges > len(tree.move)
