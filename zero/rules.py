"""How moves are chosen in the tree, and what the search says of its root.

PUCT (Silver et al. 2017) selects the largest Q + c_puct P sqrt(sum N) / (1 + N). Its policy target is the share of the
visits.

Gumbel (Danihelka et al. 2022) tries a few moves at the root, sampled without replacement by adding Gumbel noise g to
the logits, and halves them again and again (sequential halving). With

    sigma(q)      = (c_visit + max N) c_scale q,  q from 0 (lost) to 1 (won)
    completed q   = Q of moves that were visited, v_mix of all others
    v_mix         = (v + sum N / (sum of P over visited b) * (sum of P Q over visited b)) / (1 + sum N)
    improved pi'  = softmax(logits + sigma(completed q))

the move of the root is the most visited one with the largest g + logit + sigma(q), pi' is the policy target, and below
the root the move with the largest pi' - N / (1 + sum N) is selected, without randomness.
"""

import math
from typing import NamedTuple

import numpy as np

from go.jit import kernel

PUCT, GUMBEL = range(2)
NO_DEFECT, INVERTED_SIGN, TERMINAL_OF_ROOT = range(3)  # `zero.defects` shows what they cost


class Rule(NamedTuple):
    """The parameters of a search that the kernels need."""

    kind: int = PUCT
    simulations: int = 100
    c_puct: float = 1.5
    noise: float = 0.0  # share of Dirichlet noise at the root
    noise_alpha: float = 0.0  # its concentration; 0 for noise_total divided by the number of legal moves
    noise_total: float = 10.83
    considered: int = 16  # moves that Gumbel tries at the root
    c_visit: float = 50.0
    c_scale: float = 1.0
    reuse: bool = False  # the tree is kept after a move
    fast: int = 0  # simulations of quick searches, which nothing is learnt from; 0 for none of them
    full_share: float = 1.0  # share of the moves whose search is a full one, where there are quick ones


class Tree(NamedTuple):
    """The tree of one game: a row for each node, with a column for each action, the pass being the last one."""

    logit: np.ndarray  # float32[nodes, actions]: log P, -inf where a move is not legal
    prior: np.ndarray  # float32[nodes, actions]: P, at the root with its noise
    n: np.ndarray  # int32[nodes, actions]: visits N
    w: np.ndarray  # float64[nodes, actions]: sum of values W, seen by the player of the move
    child: np.ndarray  # int32[nodes, actions]: the node after a move, or NONE
    parent: np.ndarray  # int32[nodes]
    value: np.ndarray  # float32[nodes]: the network's, of the side to move
    used: np.ndarray  # int64[1]: nodes in use


def visit_plan(candidates: int, simulations: int) -> list[int]:
    """Return for each simulation the visits that the next candidate has so far, in sequential halving.

    The simulations are shared out evenly over the rounds of halving. In a round, all candidates that are left are
    visited equally often. The last two are not halved.
    """
    rounds = max(1, math.ceil(math.log2(candidates)))
    plan: list[int] = []
    left, visits = candidates, 0
    while len(plan) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            plan += [visits] * left
            visits += 1
        left = min(left, max(2, left // 2))
    return plan[:simulations]


def visit_plans(rule: Rule, actions: int) -> np.ndarray:
    """Return the plans of full and of quick searches by the number of candidates."""
    most = min(rule.considered, actions, rule.simulations)
    plans = np.zeros((2, most + 1, rule.simulations), np.int32)
    for which, simulations in enumerate((rule.simulations, rule.fast)):
        for candidates in range(1, most + 1):
            plans[which, candidates, :simulations] = visit_plan(candidates, simulations)
    return plans


@kernel
def best_puct(t, node, c_puct):
    """Return the legal move with the largest Q + u. A move that was never tried has Q = 0."""
    total = 0
    for a in range(t.n.shape[1]):
        total += t.n[node, a]
    scale = c_puct * np.sqrt(max(total, 1))
    best, chosen = -np.inf, t.n.shape[1] - 1
    for a in range(t.n.shape[1]):
        if t.logit[node, a] > -np.inf:
            n = t.n[node, a]
            q = t.w[node, a] / n if n > 0 else 0.0
            value = q + scale * t.prior[node, a] / (1 + n)
            if value > best:
                best, chosen = value, a
    return chosen


@kernel
def mixed_value(t, node):
    """Return v_mix: the value of moves that were not tried, from the network's value and the moves that were."""
    visits, weight, weighted = 0, 0.0, 0.0
    for a in range(t.n.shape[1]):
        n = t.n[node, a]
        if n > 0:
            visits += n
            weight += t.prior[node, a]
            weighted += t.prior[node, a] * t.w[node, a] / n
    if visits == 0 or weight <= 0.0:
        return np.float64(t.value[node])
    return (t.value[node] + visits * weighted / weight) / (1 + visits)


@kernel
def improved_scores(t, node, c_visit, c_scale, scores):
    """Write logit + sigma(completed q) of each move, -inf where it is not legal."""
    most = 0
    for a in range(t.n.shape[1]):
        most = max(most, t.n[node, a])
    scale, unknown = (c_visit + most) * c_scale, mixed_value(t, node)
    for a in range(t.n.shape[1]):
        n = t.n[node, a]
        q = t.w[node, a] / n if n > 0 else unknown
        scores[a] = t.logit[node, a] + scale * 0.5 * (q + 1.0) if t.logit[node, a] > -np.inf else -np.inf


@kernel
def softmax_in_place(scores):
    """Turn scores into probabilities; a score of -inf has none."""
    highest, total = -np.inf, 0.0
    for a in range(len(scores)):
        highest = max(highest, scores[a])
    for a in range(len(scores)):
        scores[a] = np.exp(scores[a] - highest)
        total += scores[a]
    for a in range(len(scores)):
        scores[a] /= total


@kernel
def best_improved(t, node, c_visit, c_scale, scores):
    """Return the move below the root whose visits are furthest behind the improved policy."""
    improved_scores(t, node, c_visit, c_scale, scores)
    softmax_in_place(scores)
    visits = 0
    for a in range(t.n.shape[1]):
        visits += t.n[node, a]
    best, chosen = -np.inf, t.n.shape[1] - 1
    for a in range(t.n.shape[1]):
        if t.logit[node, a] > -np.inf:
            behind = scores[a] - t.n[node, a] / (1.0 + visits)
            if behind > best:
                best, chosen = behind, a
    return chosen


@kernel
def best_candidate(t, c_visit, c_scale, gumbels, visits, scores):
    """Return the move of the root with so many visits and the largest g + logit + sigma(q)."""
    improved_scores(t, 0, c_visit, c_scale, scores)
    best, chosen = -np.inf, t.n.shape[1] - 1
    for a in range(t.n.shape[1]):
        if (t.n[0, a] == visits) and (t.logit[0, a] > -np.inf) and (gumbels[a] + scores[a] > best):
            best, chosen = gumbels[a] + scores[a], a
    return chosen


@kernel
def select(t, node, rule, plan, done, gumbels, scores):
    """Return the move to follow from a node. `plan` is that of the root (`visit_plan`)."""
    if rule.kind == PUCT:
        return best_puct(t, node, rule.c_puct)
    if node == 0:
        return best_candidate(t, rule.c_visit, rule.c_scale, gumbels, plan[done], scores)
    return best_improved(t, node, rule.c_visit, rule.c_scale, scores)


@kernel
def policy_target(t, rule, target):
    """Write what the policy shall learn of the root: the share of visits, or the improved policy."""
    if rule.kind == GUMBEL:
        improved_scores(t, 0, rule.c_visit, rule.c_scale, target)
        softmax_in_place(target)
        return
    total = 0
    for a in range(len(target)):
        total += t.n[0, a]
    for a in range(len(target)):
        target[a] = t.n[0, a] / total


@kernel
def most_visited(t):
    """Return the most visited move of the root; of several, the one with the largest prior."""
    chosen = 0
    for a in range(t.n.shape[1]):
        more = t.n[0, a] > t.n[0, chosen]
        if more or (t.n[0, a] == t.n[0, chosen] and t.logit[0, a] > t.logit[0, chosen]):
            chosen = a
    return chosen


@kernel
def root_value(t):
    """Return the mean value of the root for the side to move: of the network's answer and of all simulations."""
    visits, total = 1, np.float64(t.value[0])
    for a in range(t.n.shape[1]):
        visits += t.n[0, a]
        total += t.w[0, a]
    return total / visits
