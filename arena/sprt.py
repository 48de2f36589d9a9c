"""A sequential test on pairs of games: stop a match as soon as it has decided between two differences in Elo.

The two games of an opening, with colours swapped, are one observation with five outcomes (0, 1/2, 1, 3/2 or 2 points):
they are not independent, because an opening may favour one colour. The generalised sequential probability ratio test
compares the likelihoods of the observed frequencies under the two hypotheses, each maximised over all distributions
of the five outcomes with the expected score of the hypothesis. See Van den Bergh, "A practical introduction to the
GSPRT", and the test framework of Stockfish, which uses it.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scipy.optimize import brentq

OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)  # mean score of a pair
UNSEEN = 1e-3  # observations of an outcome that was not observed: its probability is never quite 0
EDGE = 1e-9  # how close the root search may come to the ends of its interval
ACCEPT_H0, ACCEPT_H1, UNDECIDED = "H0", "H1", ""


class Sprt(NamedTuple):
    """A test of H0: the first player is `elo0` stronger, against H1: it is `elo1` stronger.

    `alpha` is the probability to accept H1 if H0 is true, `beta` that to accept H0 if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def decision(self, ratio: float) -> str:
        low, high = self.bounds
        return ACCEPT_H0 if ratio <= low else ACCEPT_H1 if ratio >= high else UNDECIDED

    def ratio(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of H1 to H0 after some pairs, counted by outcome."""
        if not sum(counts):
            return 0.0
        seen = [count or UNSEEN for count in counts]
        total = sum(seen)
        shares = [count / total for count in seen]
        under = [_most_likely(shares, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return total * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(shares, *under, strict=True))


class Verdict(NamedTuple):
    """The state of a test: the decision (`H0`, `H1` or empty), the pairs it took, and the log-likelihood ratio."""

    decision: str
    pairs: int
    ratio: float
    counts: tuple[int, ...]


def run_test(test: Sprt, scores: Sequence[float]) -> Verdict:
    """Go through the mean scores of pairs in their order, and stop at the first decision.

    The order must be that of the openings and not that in which games end: short games would be looked at first.
    """
    counts = [0] * len(OUTCOMES)
    ratio = 0.0
    for number, score in enumerate(scores, 1):
        counts[round(4 * score)] += 1
        ratio = test.ratio(counts)
        if decision := test.decision(ratio):
            return Verdict(decision, number, ratio, tuple(counts))
    return Verdict(UNDECIDED, len(scores), ratio, tuple(counts))


def expected_score(elo: float) -> float:
    """Return the expected score of a player that is `elo` points stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def _most_likely(shares: Sequence[float], score: float) -> list[float]:
    """Return the most likely distribution with a given mean, given the observed shares of the outcomes.

    It is p / (1 + t (a - score)) for a multiplier t that makes its mean the score.
    """
    steps = [outcome - score for outcome in OUTCOMES]

    def excess(t: float) -> float:
        return sum(p * step / (1 + t * step) for p, step in zip(shares, steps, strict=True))

    low, high = -1 / steps[-1], -1 / steps[0]
    room = EDGE * (high - low)
    t = brentq(excess, low + room, high - room)
    return [p / (1 + t * step) for p, step in zip(shares, steps, strict=True)]
