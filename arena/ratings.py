"""Elo ratings by the Bradley-Terry model, fitted as a logistic regression, with intervals.

A game is a row: +1 in the column of black, -1 in that of white, and 1 in the column of the first move. The regression
gives the probability that black wins. A draw is half a win and half a loss. The prior is a normal distribution of every
rating (standard deviation `prior`), which keeps the rating of a player finite that won or lost all its games. The scale
has base 10, whatever formula the papers print: 400 points are a factor of ten in the odds.
"""

import dataclasses
import itertools
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression

from pipeline.shares import Z95

ELO = 400 / math.log(10)  # points per unit of the natural logistic scale
PRIOR = 1000.0  # standard deviation of a rating before any game, in points
PRIOR_FIRST_MOVE = 200.0  # of the advantage of the first move, which komi makes up for
MOST_STEPS, LONGEST_STEP, PRECISE = 100, 2.0, 1e-9  # of Newton's method, on the natural scale


class Result(NamedTuple):
    """The result of a game: who played, and black's score.

    Games with the same `unit` are not independent, such as the two games of an opening: the bootstrap draws units.
    """

    black: str
    white: str
    score: float
    unit: str


@dataclasses.dataclass
class Ratings:
    """Ratings in points, best first, and what is known about their errors.

    `low` and `high` are the 95% interval from the covariance, `boot_low` and `boot_high` from the bootstrap; both are
    relative to the anchors, or to the mean of all players without one. `superiority[i, j]` is the probability that
    player i is stronger than player j.
    """

    names: list[str]
    elo: np.ndarray
    low: np.ndarray
    high: np.ndarray
    boot_low: np.ndarray
    boot_high: np.ndarray
    superiority: np.ndarray
    games: np.ndarray
    scores: np.ndarray  # points won
    first_move: float  # advantage of black in points
    first_move_error: float  # half of its 95% interval
    anchors: dict[str, float]
    groups: list[list[str]]  # players who are connected by games; ratings across groups only follow the prior


class Counts(NamedTuple):
    """Results added up: for each pair (black, white) of `rows`, the units in which black won or lost."""

    names: list[str]
    rows: np.ndarray  # int[k, 2]: numbers of black and white
    won: sparse.csr_array  # by unit and row
    lost: sparse.csr_array


def rate(
    results: Iterable[Result],
    anchors: Mapping[str, float] | None = None,
    prior: float = PRIOR,
    has_first_move: bool = True,
    samples: int = 1000,
    seed: int = 1,
    compares: bool = True,
) -> Ratings:
    """Rate all players of some games.

    `samples` is the number of bootstrap samples. Without `compares`, which takes a fit for each pair of players, the
    probabilities of superiority are all 1/2.
    """
    counts = count(list(results))
    design = design_matrix(counts, prior, has_first_move)
    won, lost = (np.asarray(part.sum(axis=0)).ravel() for part in (counts.won, counts.lost))
    solver = _solver(prior)
    weights = fit(solver, design, won, lost)
    covariance = covariance_of(design, weights, won + lost, prior)
    n = len(counts.names)
    held = {name: value for name, value in (anchors or {}).items() if name in counts.names}
    shift = np.eye(n) - _reference(counts.names, held)
    offset = np.mean(list(held.values())) if held else 0.0
    elo = ELO * shift @ weights[:n] + offset
    spread = Z95 * ELO * np.sqrt(np.maximum(np.diag(shift @ covariance[:n, :n] @ shift.T), 0))
    boot_low, boot_high = np.full((2, n), np.nan)
    if samples:
        drawn = refit(design, *bootstrap(counts, samples, seed), prior, weights)
        boot_low, boot_high = np.percentile(ELO * drawn[:, :n] @ shift.T + offset, [2.5, 97.5], axis=0)
    order = np.argsort(-elo, kind="stable")
    scale = PRIOR_FIRST_MOVE / prior if has_first_move else 0.0
    games, scores = _totals(counts, won, lost)
    return Ratings(
        names=[counts.names[i] for i in order],
        elo=elo[order],
        low=(elo - spread)[order],
        high=(elo + spread)[order],
        boot_low=boot_low[order],
        boot_high=boot_high[order],
        superiority=superiority(solver, design, won, lost, n, compares)[np.ix_(order, order)],
        games=games[order],
        scores=scores[order],
        first_move=ELO * scale * weights[n] if has_first_move else 0.0,
        first_move_error=Z95 * ELO * scale * math.sqrt(covariance[n, n]) if has_first_move else 0.0,
        anchors=held,
        groups=groups(counts),
    )


def count(results: Sequence[Result]) -> Counts:
    """Add up results by unit and by who played black and white."""
    names = sorted({name for result in results for name in result[:2]})
    number = {name: place for place, name in enumerate(names)}
    rows = sorted({(number[result.black], number[result.white]) for result in results})
    row_of = {row: place for place, row in enumerate(rows)}
    units = {unit: place for place, unit in enumerate(sorted({result.unit for result in results}))}
    at = [units[r.unit] for r in results], [row_of[number[r.black], number[r.white]] for r in results]
    scores, shape = np.array([result.score for result in results]), (len(units), len(rows))
    won, lost = (sparse.csr_array(sparse.coo_array((part, at), shape)) for part in (scores, 1 - scores))
    return Counts(names, np.array(rows), won, lost)


def design_matrix(counts: Counts, prior: float, has_first_move: bool) -> np.ndarray:
    """Return a row for each pair (black, white).

    The column of the first move is scaled, so that the same penalty gives it a prior of its own.
    """
    k, n = len(counts.rows), len(counts.names)
    design = np.zeros((k, n + has_first_move))
    design[np.arange(k), counts.rows[:, 0]] = 1
    design[np.arange(k), counts.rows[:, 1]] = -1
    if has_first_move:
        design[:, n] = PRIOR_FIRST_MOVE / prior
    return design


def _solver(prior: float) -> LogisticRegression:
    """Return a logistic regression whose penalty is a normal prior of the given deviation."""
    return LogisticRegression(
        C=(prior / ELO) ** 2, fit_intercept=False, solver="newton-cholesky", tol=1e-9, max_iter=500
    )


def fit(solver: LogisticRegression, design: np.ndarray, won: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Return the most probable weights, on the natural scale, for wins and losses of black by row."""
    labels = np.repeat([1, 0], len(design))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Line search of Newton")  # at an exact optimum; it then takes another solver
        solver.fit(np.vstack([design, design]), labels, sample_weight=np.concatenate([won, lost]))
    return solver.coef_[0].copy()


def covariance_of(design: np.ndarray, weights: np.ndarray, games: np.ndarray, prior: float) -> np.ndarray:
    """Return the covariance of the weights: the inverse of the curvature at the most probable ones."""
    chance = 1 / (1 + np.exp(-design @ weights))
    information = design.T @ (design * (games * chance * (1 - chance))[:, None])
    return np.linalg.inv(information + np.eye(len(weights)) * (ELO / prior) ** 2)


def bootstrap(counts: Counts, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw units with replacement. Return wins and losses of black by sample and row."""
    rng = np.random.default_rng(seed)
    units = counts.won.shape[0]
    times = np.array([np.bincount(rng.integers(0, units, units), minlength=units) for _ in range(samples)])
    return times @ counts.won, times @ counts.lost


def refit(design: np.ndarray, won: np.ndarray, lost: np.ndarray, prior: float, start: np.ndarray) -> np.ndarray:
    """Return the most probable weights of many samples at once, as `fit` does for one, by Newton's method."""
    penalty = (ELO / prior) ** 2
    weights = np.tile(start, (len(won), 1))
    squares = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(-weights @ design.T))
        gradient = (won * (1 - chance) - lost * chance) @ design - penalty * weights
        curvature = ((won + lost) * chance * (1 - chance)) @ squares
        curvature = curvature.reshape(*weights.shape, -1) + penalty * np.eye(len(start))
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        weights += np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        if np.abs(step).max() < PRECISE:
            break
    return weights


def superiority(
    solver: LogisticRegression, design: np.ndarray, won: np.ndarray, lost: np.ndarray, n: int, compares: bool = True
) -> np.ndarray:
    """Return the probability that each of n players (row) is stronger than each other (column); 1/2 on the diagonal.

    It is found from how much less probable everything is if the two are equally strong (the signed root of the
    likelihood ratio). The covariance alone would make 8 wins in 8 games look like chance, because ratings are then far
    from normally distributed.
    """
    free = fit(solver, design, won, lost)
    most = log_posterior(solver, design, free, won, lost)
    found = np.full((n, n), 0.5)
    for i, j in itertools.combinations(range(n if compares else 0), 2):
        joined = np.column_stack([np.delete(design, (i, j), axis=1), (design[:, i] + design[:, j]) / math.sqrt(2)])
        equal = log_posterior(solver, joined, fit(solver, joined, won, lost), won, lost)
        found[i, j] = ndtr(np.sign(free[i] - free[j]) * math.sqrt(2 * max(most - equal, 0.0)))
        found[j, i] = 1 - found[i, j]
    return found


def log_posterior(
    solver: LogisticRegression, design: np.ndarray, weights: np.ndarray, won: np.ndarray, lost: np.ndarray
) -> float:
    """Return the logarithm of the posterior density, up to a constant."""
    odds = design @ weights
    likelihood = -won @ np.logaddexp(0, -odds) - lost @ np.logaddexp(0, odds)
    return float(likelihood - weights @ weights / (2 * solver.C))


def groups(counts: Counts) -> list[list[str]]:
    """Return the players in groups: only players of one group are connected by games."""
    n = len(counts.names)
    graph = sparse.coo_array((np.ones(len(counts.rows)), counts.rows.T), (n, n))
    number, labels = connected_components(graph, directed=False)
    return [[name for name, label in zip(counts.names, labels, strict=True) if label == g] for g in range(number)]


def _reference(names: list[str], anchors: Mapping[str, float]) -> np.ndarray:
    """Return a matrix whose every row is the mean of the anchors, or of all players if there is none."""
    chosen = np.array([name in anchors if anchors else True for name in names], float)
    return np.tile(chosen / chosen.sum(), (len(names), 1))


def _totals(counts: Counts, won: np.ndarray, lost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many games each player played, and its points."""
    games, scores = np.zeros(len(counts.names)), np.zeros(len(counts.names))
    for (black, white), black_won, black_lost in zip(counts.rows, won, lost, strict=True):
        games[[black, white]] += black_won + black_lost
        scores[black] += black_won
        scores[white] += black_lost
    return games, scores
