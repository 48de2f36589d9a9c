"""Win rates: their intervals beside published and exact ones, and the Elo points that they stand for."""

import math

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from pipeline.shares import Z95, elo_of, interval95, share_text


def test_the_95_percent_are_those_of_the_normal_distribution():
    assert pytest.approx(norm.ppf(0.975), abs=1e-12) == Z95


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [  # statsmodels.stats.proportion.proportion_confint(won, games, method="agresti_coull")
        (5, 10, 0.2366, 0.7634),
        (250, 400, 0.5766, 0.6711),
        (61.5, 100, 0.5170, 0.7045),
        (0, 20, 0.0, 0.1898),
        (20, 20, 0.8102, 1.0),
    ],
)
def test_known_intervals(won, games, low, high):
    assert interval95(won, games) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize(("won", "games"), [(3, 10), (61.5, 100), (399, 400), (0, 7), (1, 2)])
def test_the_interval_is_that_of_two_more_wins_and_two_more_losses_or_nearly(won, games):
    """Agresti and Coull (1998): the usual interval after adding z^2/2 wins and as many losses.

    It has the middle of the score interval, whose ends are the shares p with |won/games - p| = z sqrt(p (1-p) / games),
    and is never narrower.
    """
    low, high = interval95(won, games)
    share = won / games

    def distance(p):
        return (share - p) ** 2 - Z95**2 * p * (1 - p) / games

    score_low = 0.0 if won == 0 else brentq(distance, 0, share)  # at 0 wins, 0 is the other solution
    score_high = brentq(distance, max(share, 1e-9), 1)
    assert low <= score_low + 1e-12 and high >= score_high - 1e-12
    if low > 0 and high < 1:
        assert (low + high) / 2 == pytest.approx((score_low + score_high) / 2, abs=1e-12)
    assert high - low < 1.5 * (score_high - score_low)


def test_intervals_mirror_each_other():
    for won in range(11):
        low, high = interval95(won, 10)
        assert interval95(10 - won, 10) == pytest.approx((1 - high, 1 - low)) and 0 <= low <= won / 10 <= high <= 1


def test_a_share_as_text():
    assert share_text(250, 400) == "62.5% [57.7; 67.1]"
    assert share_text(0, 20) == "0.0% [0.0; 19.0]"
    assert share_text(1.5, 2) == "75.0% [18.6; 98.5]"


def test_elo_is_to_base_ten():
    """Silver et al. 2016 count 230 points as 79%, which is base 10; base e, as their formula has it, would be 64%."""
    assert elo_of(0.79) == pytest.approx(230, abs=0.2)
    assert elo_of(10 / 11) == pytest.approx(400) and elo_of(0.5) == 0
    assert elo_of(0.3) == pytest.approx(-elo_of(0.7))
    assert all(math.isfinite(elo_of(share)) for share in (0.0, 1.0)) and -elo_of(0.0) == pytest.approx(elo_of(1.0))
