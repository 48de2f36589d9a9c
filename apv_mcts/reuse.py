"""Tree reuse: after a move its subtree is kept, and everything else is dropped (Methods, "Search algorithm")."""

import numpy as np

from apv_mcts.tree import EDGES, NODES, NONE
from go.jit import kernel


@kernel
def copy_subtree(old, new, root, queue):
    """Copy the subtree of a node into another tree, as its root, breadth first. Return its number of nodes.

    `queue` is scratch memory, one number per node. No thread may be searching.
    """
    new.counters[:] = 0
    queue[0] = root
    found = 1
    done = 0
    while done < found:
        node = queue[done]
        first, count = np.int64(old.first[node]), np.int64(old.count[node])
        start = new.counters[EDGES]
        new.first[done], new.count[done], new.asked_policy[done] = start, count, old.asked_policy[node]
        for i in range(count):
            a, z = first + i, start + i
            new.move[z], new.prior[z] = old.move[a], old.prior[a]
            new.n_r[z], new.w_r[z], new.n_v[z], new.w_v[z] = old.n_r[a], old.w_r[a], old.n_v[a], old.w_v[a]
            new.asked_value[z], new.value[z] = old.asked_value[a], old.value[a]
            new.child[z] = NONE
            if old.child[a] >= 0:
                new.child[z] = found
                queue[found] = old.child[a]
                found += 1
        new.counters[EDGES] += count
        done += 1
    new.counters[NODES] = found
    return found
