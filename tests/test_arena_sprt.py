"""The sequential test: its bounds, its ratio beside a slow maximisation, and its error rates against planted scores."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.sprt import OUTCOMES, Sprt, expected_score, run_test


def slow_log_likelihood(counts: list[float], score: float) -> float:
    """Maximise the likelihood over all distributions with a given mean, without knowing the form of the solution."""
    outcomes, observed = np.array(OUTCOMES), np.array(counts)
    found = minimize(
        lambda p: -(observed * np.log(p)).sum(),
        np.full(5, 0.2),
        bounds=[(1e-9, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ outcomes - score},
        ],
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return -found.fun


@pytest.mark.parametrize("counts", [[3, 8, 20, 11, 6], [1, 2, 3, 4, 30], [10, 5, 50, 5, 1]])
def test_the_ratio_is_that_of_the_most_likely_distributions(counts):
    test = Sprt(-10, 60)
    slow = slow_log_likelihood(counts, expected_score(60)) - slow_log_likelihood(counts, expected_score(-10))
    assert test.ratio(counts) == pytest.approx(slow, abs=1e-3)


def test_bounds_are_those_of_wald():
    assert Sprt(0, 10, alpha=0.05, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))
    assert (
        Sprt(0, 10).decision(2.95) == "H1" and Sprt(0, 10).decision(-2.95) == "H0" and Sprt(0, 10).decision(2.9) == ""
    )
    assert Sprt(0, 10).ratio([0] * 5) == 0.0


def test_swapped_players_swap_the_verdict():
    counts = [4, 7, 30, 12, 9]
    assert Sprt(0, 30).ratio(counts) == pytest.approx(-Sprt(-30, 0).ratio(counts[::-1]))


def planted_pairs(rng: np.random.Generator, elo: float, luck: float, most: int) -> np.ndarray:
    """Draw mean scores of pairs with an expected score. An opening favours one colour by `luck` in the probability.

    With luck, the two games of a pair are dependent, so that the pairs vary less than single games would let expect.
    """
    chance = expected_score(elo)
    shift = rng.choice([-luck, luck], most)
    games = rng.random((most, 2)) < np.stack([chance + shift, chance - shift], axis=1)
    return games.mean(axis=1)


@pytest.mark.parametrize("luck", [0.0, 0.3])
@pytest.mark.parametrize("elo", [0.0, 80.0])
def test_wrong_verdicts_are_as_rare_as_promised(elo, luck):
    """300 matches each: with an error rate of 5%, more than 26 wrong ones have a probability below 0.3%."""
    rng = np.random.default_rng(int(elo + 10 * luck))
    test = Sprt(0.0, 80.0)
    verdicts = [run_test(test, planted_pairs(rng, elo, luck, 2_000)) for _ in range(300)]
    wrong = "H1" if elo == 0.0 else "H0"
    assert all(found.decision for found in verdicts)
    assert sum(found.decision == wrong for found in verdicts) <= 26
    assert np.mean([found.pairs for found in verdicts]) < 150


def test_dependent_pairs_are_decided_sooner():
    rng = np.random.default_rng(5)
    means = [
        np.mean([run_test(Sprt(0.0, 80.0), planted_pairs(rng, 80.0, luck, 2_000)).pairs for _ in range(100)])
        for luck in (0.0, 0.35)
    ]
    assert means[1] < 0.8 * means[0]


def test_the_test_stops_at_the_first_decision_and_looks_no_further():
    scores = [1.0] * 40 + [0.0] * 400
    found = run_test(Sprt(0, 100), scores)
    assert found.decision == "H1" and found.pairs < 40 and sum(found.counts) == found.pairs == found.counts[4]
    assert run_test(Sprt(0, 100), scores[: found.pairs - 1]).decision == ""
    assert run_test(Sprt(0, 100), []) == ("", 0, 0.0, (0, 0, 0, 0, 0))
