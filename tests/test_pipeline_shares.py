"""Win rates: their intervals beside published and exact ones, and the Elo points that they stand for."""

import math

import pytest
from scipy.stats import binomtest, norm

from pipeline.shares import Z95, elo_of, interval95, share_text


def test_the_95_percent_are_those_of_the_normal_distribution():
    assert pytest.approx(norm.ppf(0.975), abs=1e-12) == Z95


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [(3, 3, 44, 100), (2, 2, 34, 100), (7, 7, 65, 100), (2, 3, 21, 94), (0, 0, 0, 100)],
)
def test_shares_have_the_intervals_of_the_paper(points, games, low, high):
    """Cells of Extended Data Table 9 whose games can be told from their intervals."""
    assert tuple(round(100 * bound) for bound in interval95(points, games)) == (low, high)


@pytest.mark.parametrize(("won", "games"), [(3, 10), (399, 400), (0, 7), (1, 2), (20, 20)])
def test_the_interval_is_that_of_scipy(won, games):
    expected = binomtest(won, games).proportion_ci(0.95, "wilson")
    assert interval95(won, games) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_half_a_game_counts_as_half():
    """The ends are the shares p with |won/games - p| = z sqrt(p (1-p) / games), which Wilson solved for p."""
    for p in interval95(61.5, 100):
        assert abs(0.615 - p) == pytest.approx(Z95 * math.sqrt(p * (1 - p) / 100))


def test_intervals_mirror_each_other():
    for won in range(11):
        low, high = interval95(won, 10)
        assert interval95(10 - won, 10) == pytest.approx((1 - high, 1 - low)) and 0 <= low <= won / 10 <= high <= 1


def test_a_share_as_text():
    assert share_text(250, 400) == "62.5% [57.7; 67.1]"
    assert share_text(0, 20) == "0.0% [0.0; 16.1]"
    assert share_text(1.5, 2) == "75.0% [19.8; 97.3]"


def test_elo_is_to_base_ten():
    """Silver et al. 2016 count 230 points as 79%, which is base 10; base e, as their formula has it, would be 64%."""
    assert elo_of(0.79) == pytest.approx(230, abs=0.2)
    assert elo_of(10 / 11) == pytest.approx(400) and elo_of(0.5) == 0
    assert elo_of(0.3) == pytest.approx(-elo_of(0.7))
    assert all(math.isfinite(elo_of(share)) for share in (0.0, 1.0)) and -elo_of(0.0) == pytest.approx(elo_of(1.0))
