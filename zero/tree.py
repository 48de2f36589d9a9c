"""The tree of one game: new nodes, the backup of values, and what is kept of it after a move.

Trees are small and many: one game has one leaf under way at a time, and all games of a lockstep share the batches of
the network. So there are no locks, no virtual losses, and no queue (compare `apv_mcts`).
"""

import numpy as np

from go.board import LEGAL, game_legality
from go.jit import kernel
from zero.rules import INVERTED_SIGN, Tree

NONE = -1


def new_trees(games: int, nodes: int, actions: int) -> Tree:
    """Return trees for some games, as arrays with the game first; `tree_of` takes out one of them."""
    shape = games, nodes, actions
    return Tree(
        logit=np.zeros(shape, np.float32),
        prior=np.zeros(shape, np.float32),
        n=np.zeros(shape, np.int32),
        w=np.zeros(shape, np.float64),
        child=np.zeros(shape, np.int32),
        parent=np.zeros(shape[:2], np.int32),
        value=np.zeros(shape[:2], np.float32),
        used=np.zeros((games, 1), np.int64),
    )


@kernel
def tree_of(trees, g):
    """Return the tree of game `g`."""
    return Tree(
        trees.logit[g],
        trees.prior[g],
        trees.n[g],
        trees.w[g],
        trees.child[g],
        trees.parent[g],
        trees.value[g],
        trees.used[g],
    )


@kernel
def add_node(t, b, hashes, points, scores, value):
    """Make a node of a position that the network has answered about. Return its number, or NONE if the tree is full.

    Every legal move gets its share of the softmax of the scores; own eyes may be filled, and passing is always legal.
    """
    node = t.used[0]
    if node == len(t.value):
        return NONE
    t.used[0] += 1
    passing, color = len(points), np.int64(b.to_move)
    highest = np.float64(scores[passing])
    for a in range(passing):
        is_legal = game_legality(b, points[a], color, hashes, b.ply + 1) == LEGAL
        t.logit[node, a] = scores[a] if is_legal else -np.inf
        highest = max(highest, t.logit[node, a])
    t.logit[node, passing] = scores[passing]
    total = 0.0
    for a in range(passing + 1):
        total += np.exp(t.logit[node, a] - highest)
    shift = highest + np.log(total)
    for a in range(passing + 1):
        t.logit[node, a] -= shift
        t.prior[node, a] = np.exp(t.logit[node, a])
        t.n[node, a] = 0
        t.w[node, a] = 0.0
        t.child[node, a] = NONE
    t.value[node] = value
    t.parent[node] = NONE
    return node


@kernel
def back_up(t, nodes, actions, depth, value, defect):
    """Add a value to the `depth` moves of a path. It is that of the side to move after the last one.

    The last move was the opponent's, so its sign is the other one; above it the sign alternates.
    """
    seen = value if defect == INVERTED_SIGN else -value
    for i in range(depth - 1, -1, -1):
        t.n[nodes[i], actions[i]] += 1
        t.w[nodes[i], actions[i]] += seen
        seen = -seen


@kernel
def keep_subtree(t, root):
    """Make a node the root. Its descendants are moved to the front, in their order; everything else is dropped."""
    count = t.used[0]
    place = np.full(count, NONE, np.int32)
    kept = 0
    for node in range(root, count):  # a node comes after its parent
        if node == root or (t.parent[node] != NONE and place[t.parent[node]] != NONE):
            place[node] = kept
            kept += 1
    for node in range(root, count):
        new = place[node]
        if new != NONE:
            for a in range(t.n.shape[1]):
                t.logit[new, a] = t.logit[node, a]
                t.prior[new, a] = t.prior[node, a]
                t.n[new, a] = t.n[node, a]
                t.w[new, a] = t.w[node, a]
                child = t.child[node, a]
                t.child[new, a] = NONE if child == NONE else place[child]
            t.value[new] = t.value[node]
            t.parent[new] = NONE if node == root else place[t.parent[node]]
    t.used[0] = kept
