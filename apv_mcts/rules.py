"""How an edge is selected: PUCT as in the paper (Methods, "Search algorithm"), UCB1, or all edges in turn (flat).

    Q(s, a) = (1 - lambda) W_v / N_v + lambda W_r / N_r
    u(s, a) = c_puct P(s, a) sqrt(sum over b of N_r(s, b)) / (1 + N_r(s, a))

Both terms are computed for all edges of a node at every selection, so none can be stale.
"""

from typing import NamedTuple

import numpy as np

from apv_mcts.tree import UNIT
from go.jit import kernel
from go.playout import random_below

PUCT, UCB1, FLAT = range(3)
ZERO, NODE = range(2)  # first-play urgency: the value of a move that was not tried


class Rule(NamedTuple):
    """The parameters of a search that the kernels need, by the names of the paper (Extended Data Table 5)."""

    kind: int  # PUCT, UCB1, or FLAT: all edges in turn
    lambda_mix: float
    c_puct: float  # also the constant of UCB1
    n_vl: int
    has_rollouts: bool
    has_value: bool
    has_policy: bool  # the policy network replaces priors
    has_tree_policy: bool  # gives new nodes their priors; otherwise they are uniform
    has_replies: bool  # the most probable moves are stored for rollouts, with their contexts
    pass_prior: float
    komi: float
    first_play: int = ZERO  # or NODE: the mean value of the moves tried at the node, less `first_play_loss`
    first_play_loss: float = 0.0


@kernel
def mean_value(rule, n_r, w_r, n_v, w_v):
    """Return Q of an edge, from -1 to 1; 0 if nothing is known.

    While one part is missing, Q is the other part. Without rollouts every visit is an evaluation by the value network,
    and visits whose value is still awaited count as lost.
    """
    if not rule.has_rollouts:
        return (w_v / UNIT - (n_r - n_v)) / n_r if n_r > 0 else 0.0
    if not rule.has_value or n_v == 0:
        return w_r / UNIT / n_r if n_r > 0 else 0.0
    if n_r == 0:
        return w_v / UNIT / n_v
    return (1 - rule.lambda_mix) * w_v / UNIT / n_v + rule.lambda_mix * w_r / UNIT / n_r


@kernel
def best_puct(rule, first, count, prior, n_r, w_r, n_v, w_v):
    """Return the edge with the largest Q + u among the `count` edges from `first` on."""
    total = 0
    for e in range(first, first + count):
        total += n_r[e]
    scale = rule.c_puct * np.sqrt(max(total, 1))
    is_mixed = rule.has_rollouts and rule.has_value
    untried, tried = 0.0, 0
    if rule.first_play == NODE:
        for e in range(first, first + count):
            if n_r[e] > 0 and (n_v[e] > 0 or not is_mixed):
                untried += n_r[e] * mean_value(rule, np.int64(n_r[e]), w_r[e], np.int64(n_v[e]), w_v[e])
                tried += n_r[e]
        untried = max(untried / max(tried, 1) - rule.first_play_loss, -1.0)
    best, chosen = -np.inf, first
    for e in range(first, first + count):
        n = np.int64(n_r[e])
        if n == 0:
            q = untried
        elif rule.first_play == NODE and is_mixed and n_v[e] == 0:  # the value is awaited
            q = (1 - rule.lambda_mix) * untried + rule.lambda_mix * w_r[e] / UNIT / n
        else:
            q = mean_value(rule, n, w_r[e], np.int64(n_v[e]), w_v[e])
        value = q + scale * prior[e] / (1 + n)
        if value > best:
            best, chosen = value, e
    return chosen


@kernel
def best_ucb1(rule, first, count, n_r, w_r, rng):
    """Return the edge with the largest upper confidence bound. Unvisited edges come first, in random order."""
    total = 0
    for e in range(first, first + count):
        total += n_r[e]
    start = random_below(rng, count)  # breaks ties at random
    best, chosen = -np.inf, first
    for i in range(count):
        e = first + (start + i) % count
        n = np.int64(n_r[e])
        value = np.inf if n == 0 else w_r[e] / UNIT / n + rule.c_puct * np.sqrt(np.log(total) / n)
        if value > best:
            best, chosen = value, e
    return chosen


@kernel
def least_visited(first, count, n_r):
    """Return the edge with the fewest visits, so that all edges get equally many rollouts."""
    chosen = first
    for e in range(first, first + count):
        if n_r[e] < n_r[chosen]:
            chosen = e
    return chosen
