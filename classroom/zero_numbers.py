"""The arithmetic of AlphaGo Zero: what the slides and the papers say, computed.

Shares are between 0 and 1. Figures of the paper are those of Silver et al. 2017.
"""

from typing import NamedTuple

import numpy as np

from zero.rules import NO_DEFECT
from zero.tree import back_up, new_trees, tree_of

SECONDS_A_DAY = 86_400
DAYS_A_YEAR = 365.25


class Compute(NamedTuple):
    """What the self-play of the 20-block run takes."""

    seconds: float
    days: float
    years: float
    machines: float  # that play at the same time to be done in `in_days`
    nodes_a_second: float


def self_play_compute(
    seconds_a_move: float = 0.4,
    moves: int = 150,
    games: int = 4_900_000,
    simulations: int = 1_600,
    in_days: float = 3,
) -> Compute:
    """Return how long one machine would play the games of AlphaGo Zero, and how many machines it takes."""
    seconds = seconds_a_move * moves * games
    days = seconds / SECONDS_A_DAY
    return Compute(seconds, days, days / DAYS_A_YEAR, days / in_days, simulations / seconds_a_move)


def updated_rates(rates: tuple[float, ...], visits: tuple[int, ...], leaf: float) -> list[float]:
    """Return the winning rates along a path after the value of a leaf was backed up, by the code of Zero's search.

    All rates are those of one player, the player of the first move. The tree holds the values of whoever chooses, so
    the sign changes from move to move.
    """
    depth = len(rates)
    tree = tree_of(new_trees(1, depth, 2), 0)
    signs = [1 if place % 2 == 0 else -1 for place in range(depth)]
    for node, (rate, count, sign) in enumerate(zip(rates, visits, signs, strict=True)):
        tree.n[node, 0] = count
        tree.w[node, 0] = sign * (2 * rate - 1) * count
    for_mover = (2 * leaf - 1) * (1 if depth % 2 == 0 else -1)  # of the side to move at the leaf
    back_up(tree, np.arange(depth), np.zeros(depth, np.int64), depth, for_mover, NO_DEFECT)
    return [float(0.5 + 0.5 * sign * tree.w[node, 0] / tree.n[node, 0]) for node, sign in enumerate(signs)]


def visits_before(before: float, after: float, leaf: float) -> float:
    """Return the earlier visits of a node whose rate went from `before` to `after` by one leaf."""
    return (leaf - after) / (after - before)


def search_policy(visits: np.ndarray, temperature: float) -> np.ndarray:
    """Return pi_a = N_a^(1 / tau) / sum of N_b^(1 / tau); for tau = 0 the most visited move."""
    visits = np.asarray(visits, float)
    if temperature == 0:
        best = visits == visits.max()
        return best / best.sum()
    powers = (visits / visits.max()) ** (1 / temperature)  # divided first, so that nothing overflows
    return powers / powers.sum()


def least_wins(games: int = 400, share: float = 0.55) -> int:
    """Return the least number of wins that is at least a share of games."""
    return next(wins for wins in range(games + 1) if wins >= share * games - 1e-9)


def win_probability(points: float) -> float:
    """Return the chance to win of a player who is `points` of Elo stronger, with base 10 (see FORMULA)."""
    return 1 / (1 + 10 ** (-points / 400))


def win_probability_as_printed(points: float) -> float:
    """Return the chance by the formula that both papers print: exp with 1/400."""
    return float(1 / (1 + np.exp(-points / 400)))


ELO_OF_ZERO_PAPER = {  # Silver et al. 2017, 5 s a move
    "AlphaGo Zero, 40 blocks": 5185,
    "AlphaGo Master": 4858,
    "AlphaGo Lee": 3739,
    "AlphaGo Fan": 3144,
    "raw network, no search": 3055,
}


def exploration_bias(total: int, visits: int) -> float:
    """Return sqrt(sum of N) / (1 + N), without c_puct and P, as the paper has it."""
    return float(np.sqrt(total) / (1 + visits))


def exploration_bias_as_printed(total: int, visits: int) -> float:
    """Return sqrt(sum of N / (1 + N)), as the slides print it: the fraction is inside the root."""
    return float(np.sqrt(total / (1 + visits)))


def cross_entropy(target: np.ndarray, policy: np.ndarray) -> float:
    """Return -pi^T log p in nats: the policy's part of the loss."""
    return float(-(np.asarray(target) * np.log(policy)).sum())


def divergence(target: np.ndarray, policy: np.ndarray) -> float:
    """Return the Kullback-Leibler divergence of p from pi: the cross-entropy less the entropy of pi, a constant."""
    target = np.asarray(target)
    known = target > 0
    return cross_entropy(target, policy) + float((target[known] * np.log(target[known])).sum())
