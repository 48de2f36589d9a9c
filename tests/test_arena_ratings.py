"""Ratings: planted ones are found again, choix agrees, intervals hold what they promise, draws and colours count."""

import csv
import io
import math

import choix
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from arena.rating_tables import (
    anchors_for,
    draw_ratings,
    rating_csv,
    rating_table,
    read_anchors,
    remarks,
    superiority_table,
)
from arena.ratings import ELO, Ratings, Result, bootstrap, count, covariance_of, design_matrix, fit, rate, refit
from arena.scores import cross_table
from pipeline.errors import UserError

TRUE = {"ann": 0.0, "bob": 150.0, "cid": 400.0, "dan": -250.0}


def planted(pairs: int, seed: int, first_move: float = 0.0, draws: float = 0.0, luck: float = 0.0) -> list[Result]:
    """Play pairs of games by the model: `luck` is what an opening gives to black in both of its games."""
    rng = np.random.default_rng(seed)
    names, results = list(TRUE), []
    for unit in range(pairs):
        one, two = rng.choice(names, 2, replace=False)
        lucky = rng.normal(0, luck) if luck else 0.0
        for black, white in ((one, two), (two, one)):
            chance = 1 / (1 + 10 ** (-(TRUE[black] - TRUE[white] + first_move + lucky) / 400))
            score = 0.5 if rng.random() < draws else float(rng.random() < chance)
            results.append(Result(str(black), str(white), score, f"unit {unit:05}"))
    return results


def elo_of(ratings: Ratings, name: str) -> float:
    return float(ratings.elo[ratings.names.index(name)])


def test_planted_ratings_and_first_move_are_found_again():
    ratings = rate(planted(6000, 1, first_move=80.0), {"ann": 0.0}, samples=0)
    assert ratings.names == ["cid", "bob", "ann", "dan"]
    for name, elo in TRUE.items():
        assert elo_of(ratings, name) == pytest.approx(elo, abs=25)
    assert ratings.first_move == pytest.approx(80, abs=20)
    assert ratings.elo[2] == ratings.low[2] == ratings.high[2] == 0.0


def test_the_scale_has_base_ten():
    """230 points are 79% and 200 points are 76%, as the papers say; their printed formula would have 64% and 62.2%."""
    for elo, share in ((230, 0.790), (200, 0.760), (400, 10 / 11)):
        games = [Result("a", "b", 1.0, str(n)) for n in range(round(1000 * share))]
        games += [Result("a", "b", 0.0, str(n)) for n in range(1000, 2000 - round(1000 * share))]
        found = rate(games, {"b": 0.0}, prior=1e5, has_first_move=False, samples=0)
        assert elo_of(found, "a") == pytest.approx(elo, abs=1.5)


@pytest.mark.parametrize("draws", [0.0, 0.3])
@pytest.mark.parametrize("prior", [1000.0, 100.0])
def test_choix_finds_the_same_ratings(draws, prior):
    results = planted(300, 2, draws=draws)
    names = sorted(TRUE)
    data = []
    for black, white, score, _ in results:  # twice each, so that a draw is a win and a loss
        won, lost = names.index(black), names.index(white)
        data += [(won, lost)] * round(2 * score) + [(lost, won)] * round(2 - 2 * score)
    theirs = choix.opt_pairwise(len(names), data, alpha=2 * (ELO / prior) ** 2 / 2, tol=1e-12)
    ours = rate(results, prior=prior, has_first_move=False, samples=0)
    for name, value in zip(names, ELO * (theirs - theirs.mean()), strict=True):
        assert elo_of(ours, name) == pytest.approx(value, abs=0.01)


def test_the_covariance_is_the_inverse_of_the_curvature_found_by_differences():
    counts = count(planted(200, 3, first_move=50.0))
    design = design_matrix(counts, 1000.0, True)
    won, lost = (np.asarray(part.sum(axis=0)).ravel() for part in (counts.won, counts.lost))
    weights = np.array([0.1, 0.4, 0.9, -0.6, 0.3])

    def loss(at: np.ndarray) -> float:
        odds = design @ at
        prior = at @ at * (ELO / 1000.0) ** 2 / 2
        return float(won @ np.logaddexp(0, -odds) + lost @ np.logaddexp(0, odds) + prior)

    h, n = 1e-3, len(weights)
    steps = np.eye(n) * h
    curvature = np.array(
        [
            [
                (loss(weights + a + b) - loss(weights + a - b) - loss(weights - a + b) + loss(weights - a - b))
                / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )
    assert covariance_of(design, weights, won + lost, 1000.0) == pytest.approx(np.linalg.inv(curvature), rel=1e-3)


def test_many_samples_at_once_are_fitted_as_scikit_learn_fits_each():
    counts = count([*planted(60, 4, first_move=40.0), Result("eve", "ann", 0.0, "x"), Result("bob", "eve", 1.0, "x")])
    design = design_matrix(counts, 1000.0, True)
    won, lost = bootstrap(counts, 8, seed=2)
    found = refit(design, won, lost, 1000.0, np.zeros(design.shape[1]))
    solver = LogisticRegression(C=(1000.0 / ELO) ** 2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    for weights, black_won, black_lost in zip(found, won, lost, strict=True):
        assert weights == pytest.approx(fit(solver, design, black_won, black_lost), abs=1e-3)


def test_both_intervals_hold_the_truth_as_often_as_they_say():
    """Of 30 tournaments with 3 free ratings each, about 85 intervals of 90 hold the planted rating."""
    inside = {"covariance": 0, "bootstrap": 0}
    for seed in range(30):
        ratings = rate(planted(120, 100 + seed), {"ann": 0.0}, samples=200, compares=False)
        for name in ("bob", "cid", "dan"):
            place = ratings.names.index(name)
            inside["covariance"] += ratings.low[place] <= TRUE[name] <= ratings.high[place]
            inside["bootstrap"] += ratings.boot_low[place] <= TRUE[name] <= ratings.boot_high[place]
    assert 78 <= inside["covariance"] < 90
    assert 74 <= inside["bootstrap"] < 90


def test_games_of_one_unit_are_drawn_together():
    """If the second game of an opening repeats the first one, there is half the information, and bars are wider."""
    single = [Result("a", "b", float(n % 3 > 0), f"{n}") for n in range(120)]
    apart = [result._replace(unit=f"{n}") for n, result in enumerate(single + single)]
    together, alone = (rate(games, {"b": 0.0}, samples=200) for games in (single + single, apart))
    widths = [float((found.boot_high - found.boot_low).max()) for found in (together, alone)]
    assert widths[0] == pytest.approx(widths[1] * math.sqrt(2), rel=0.25)
    assert together.high == pytest.approx(alone.high)  # the covariance knows nothing of units


def test_superiority_is_that_of_the_posterior():
    """With one pair of players it can be integrated: the posterior of the difference is known up to a constant."""
    for wins, losses in ((8, 0), (12, 8), (5, 5), (30, 22)):
        games = [Result("a", "b", 1.0, f"w{n}") for n in range(wins)]
        games += [Result("a", "b", 0.0, f"l{n}") for n in range(losses)]
        found = rate(games, has_first_move=False, samples=0)
        place = found.names.index("a")
        x = np.linspace(-60, 60, 240_001)
        prior = -(x**2) / (4 * (1000 / ELO) ** 2)
        density = np.exp(prior - wins * np.logaddexp(0, -x) - losses * np.logaddexp(0, x))
        exact = density[x > 0].sum() / density.sum()
        assert found.superiority[place, 1 - place] == pytest.approx(exact, abs=0.015)
        assert found.superiority[1 - place, place] == pytest.approx(1 - exact, abs=0.015)
        assert found.superiority[0, 0] == 0.5


def test_a_player_that_won_everything_has_a_finite_rating_and_it_is_said():
    games = [Result("a", "b", 1.0, str(n)) for n in range(15)] + [Result("b", "a", 0.0, str(n)) for n in range(15)]
    found = rate(games, samples=20)
    assert found.names == ["a", "b"] and 400 < found.elo[0] - found.elo[1] < 3000
    assert "Won all games or none, so that only the prior bounds their ratings: a, b." in remarks(found)
    assert found.superiority[0, 1] > 0.999


def test_players_who_are_not_connected_are_named():
    games = [Result("a", "b", 1.0, "1"), Result("c", "d", 1.0, "2")]
    found = rate(games, samples=5)
    assert found.groups == [["a", "b"], ["c", "d"]]
    assert "ratings between these groups mean nothing: a, b; c, d." in remarks(found)


def test_the_order_of_the_games_makes_no_difference():
    results = planted(80, 5)
    one, two = rate(results, samples=30), rate(results[::-1], samples=30)
    assert one.names == two.names and (one.boot_low == two.boot_low).all() and one.elo == pytest.approx(two.elo)


def test_tables_csv_and_plot_hold_the_ratings(tmp_path):
    results = planted(150, 6)
    found = rate(results, {"ann": 1800.0}, samples=30)
    first = [cell.strip() for cell in rating_table(found).splitlines()[2].split("|")[1:-1]]
    assert first[0] == "cid" and first[1] == f"{found.elo[0]:.0f}"
    assert first[2] == f"[{found.low[0]:.0f}; {found.high[0]:.0f}]"
    rows = list(csv.DictReader(io.StringIO(rating_csv(found))))
    assert [row["player"] for row in rows] == found.names
    assert float(rows[0]["elo"]) == pytest.approx(found.elo[0], abs=0.05)
    assert sum(int(row["games"]) for row in rows) == 2 * len(results)
    assert remarks(found).startswith("Anchor: ann = 1800.")
    draw_ratings(found, tmp_path / "elo.svg", "a title")
    drawn = (tmp_path / "elo.svg").read_text()
    assert "a title" in drawn and all(name in drawn for name in TRUE)
    assert superiority_table(found).splitlines()[0].split("|")[2].strip() == "cid"


def test_in_the_cross_table_the_column_wins():
    games = [Result("a", "b", 1.0, "1"), Result("b", "a", 0.0, "1"), Result("a", "b", 1.0, "2")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in cross_table(["a", "b"], games).splitlines()]
    assert rows[0] == ["% won by column", "a", "b"]
    assert rows[2:] == [["a", "-", "0 [0;56]"], ["b", "100 [44;100]", "-"]]


def test_anchors_are_read_and_checked():
    assert read_anchors("gnugo=1800, uct n_thr=3=1500") == {"gnugo": 1800.0, "uct n_thr=3": 1500.0}
    assert anchors_for("", ["gnugo", "uct"]) == {"gnugo": 1800.0} and anchors_for("", ["uct"]) == {}
    with pytest.raises(UserError, match="is not written as player=rating"):
        read_anchors("gnugo")
    with pytest.raises(UserError, match="The anchor 'x' has no games; there are games of uct"):
        anchors_for("x=1", ["uct"])
