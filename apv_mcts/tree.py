"""The search tree: one set of flat arrays that all threads read and write without locks.

A node is a position. Its edges, one per move, are contiguous and hold the statistics of the paper (Methods, "Search
algorithm"): P, N_r and W_r of rollouts, N_v and W_v of the value network. Q is computed from them when it is needed.
Sums are integers, so that threads can add to them with one instruction and in any order: W counts in units of
1 / `UNIT`. All W are seen by the player who chooses the edge.

Nodes and edges are taken from a pool by adding to a counter. When the pool is full, the search continues but the tree
stops growing. Node 0 is the root.
"""

from typing import NamedTuple

import numpy as np

from apv_mcts.atomics import atomic_add, atomic_load
from go.jit import kernel

UNIT = 1 << 20  # a win
NONE, BUSY = -1, -2  # an edge without a node behind it, and one whose node is being made
NODES, EDGES = 0, 1  # places in `counters`: how many are taken from the pool
NOT_ASKED, ASKED, ANSWERED = range(3)  # states of a request to a network


class Tree(NamedTuple):
    """Arrays by node and by edge."""

    first: np.ndarray  # int32: the first edge of a node
    count: np.ndarray  # int32: number of edges of a node
    asked_policy: np.ndarray  # int32: state of the request for its priors
    move: np.ndarray  # int16: the point of an edge, or PASS
    prior: np.ndarray  # float32: P
    n_r: np.ndarray  # int32: N_r, visits, including virtual losses of running simulations
    w_r: np.ndarray  # int64
    n_v: np.ndarray  # int32
    w_v: np.ndarray  # int64
    child: np.ndarray  # int32: the node behind an edge, NONE or BUSY
    asked_value: np.ndarray  # int32: state of the request for the value of the position behind an edge
    value: np.ndarray  # float32: that value, seen by the side to move there
    counters: np.ndarray  # int64


def new_tree(nodes: int, edges: int) -> Tree:
    """Return an empty tree with room for `nodes` nodes and `edges` edges."""
    of_edges = (np.int16, np.float32, np.int32, np.int64, np.int32, np.int64, np.int32, np.int32, np.float32)
    return Tree(
        *(np.zeros(nodes, np.int32) for _ in range(3)),
        *(np.zeros(edges, kind) for kind in of_edges),
        np.zeros(8, np.int64),
    )


@kernel
def take_node(tree, edges):
    """Take a node with `edges` edges from the pool. Return its number, or NONE if the pool is full.

    Only what lies beyond the end of the pool may be given back: anything else could have been followed by another
    thread's node. So the edges are taken first. If there is no node left for them, because another thread has just
    taken the last one, they stay taken and unused.
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
    """Return whether a node with `most_edges` edges might no longer fit into the pool."""
    return tree.counters[NODES] >= len(tree.first) or tree.counters[EDGES] + most_edges > len(tree.move)
