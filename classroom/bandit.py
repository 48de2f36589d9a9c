"""The two-armed bandit of chapter 3: the tables that the slides print, and courses of trials for the page.

The formulas are those of `classics.bandit`. The slides print UCB1 = w/n + sqrt(2 log t / n), but their numbers follow
w/n + sqrt(2 log10(t / n)). So a course is shown with three formulas beside each other.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from classics.bandit import SLIDES_GREEDY, SLIDES_UCB, Bound, Trial, replay, slides_bandit, success_rate, ucb1

CHANCES = {"A": 0.8, "B": 0.5}  # of a win, which the player does not know
GREEDY_TRIALS = (*SLIDES_GREEDY, ("B", 1))  # with the tenth trial, for which the slides print no values
UCB_TRIALS = (*SLIDES_UCB, ("A", 1))
PRINTED_RATES = (None, 100, 50, 67, 50, 60, 50, 57, 50)  # of arm B in percent, greedy table, trials 1 to 9
PRINTED = {
    "A": (0.00, 0.78, 0.98, 1.10, 1.18, 1.48, 1.52, 1.28, 1.31),
    "B": (1.41, 1.78, 1.09, 1.17, 0.94, 1.09, 1.20, 1.28, 1.34),
}
PRINTED_NEXT = "BBBBAAAAA"  # the arm that the slides try after each trial
UNTRIED_NOTE = "arm B was never tried; 1.41 is the square root of 2, which 0.1 trials would give"
TIE_NOTE = "both bounds are the same; the slides stay with A"
SLIP_NOTE = "the slides try A, although their own value of B is larger: a slip"


class Formula(NamedTuple):
    """How an arm is valued: its key and name on the page, its formula as text, and the function."""

    key: str
    name: str
    text: str
    bound: Bound


FORMULAS = (
    Formula("rate", "success rate", "w/n", success_rate),
    Formula("slides", "numbers of the slides", "w/n + √(2 log₁₀(t/n))", slides_bandit),
    Formula("ucb1", "UCB1", "w/n + √(2 ln t / n)", ucb1),
)


def play_course(chances: Mapping[str, float], count: int, bound: Bound, seed: int) -> list[tuple[str, int]]:
    """Play a bandit: try the arm with the highest bound, `count` times. Return the arms with their outcomes.

    The player has an order of the arms, drawn by lot, for ties.
    """
    rng = np.random.default_rng(seed)
    order = [str(arm) for arm in rng.permutation(list(chances))]
    wins, tried = dict.fromkeys(chances, 0), dict.fromkeys(chances, 0)
    course = []
    for total in range(count):
        arm = max(order, key=lambda name: bound(wins[name], tried[name], max(total, 1)))
        won = int(rng.random() < chances[arm])
        wins[arm] += won
        tried[arm] += 1
        course.append((arm, won))
    return course


def share_of_best(chances: Mapping[str, float], count: int, bound: Bound, runs: int) -> np.ndarray:
    """Return for each trial how many of the runs, as a share, tried the better arm in it."""
    best = max(chances, key=lambda arm: chances[arm])
    courses = [play_course(chances, count, bound, seed) for seed in range(runs)]
    return np.array([[arm == best for arm, _ in course] for course in courses]).mean(axis=0)


def slides_rows(trials: Sequence[tuple[str, int]] = UCB_TRIALS[:9]) -> list[list[str]]:
    """Return the table of the slides: each trial with the values as printed, by their formula and by UCB1."""
    ours, true = replay(trials, slides_bandit), replay(trials, ucb1)
    rows = []
    for number, (trial, other) in enumerate(zip(ours, true, strict=True)):
        counts = [f"{wins}/{tried}" for wins, tried in trial.arms.values()]
        printed = [f"{PRINTED[arm][number]:.2f}" for arm in "AB"]
        values = [f"{trial.bounds[arm]:.3f}" for arm in "AB"]
        genuine = ["∞" if math.isinf(other.bounds[arm]) else f"{other.bounds[arm]:.3f}" for arm in "AB"]
        rows.append(
            [
                *(str(number + 1), trial.arm, "yes" if trial.won else "no", *counts),
                *(" / ".join(printed), PRINTED_NEXT[number], " / ".join(values), trial.best),
                *(" / ".join(genuine), other.best),
            ]
        )
    return rows


def remarks(table: Sequence[Trial]) -> list[str]:
    """Return what to say about each trial of the slides' UCB table; most need nothing."""
    said = []
    for number, trial in enumerate(table[: len(PRINTED_NEXT)]):
        is_tie = math.isclose(trial.bounds["A"], trial.bounds["B"])
        is_slip = PRINTED_NEXT[number] != trial.best
        untried = any(tried == 0 for _, tried in trial.arms.values())
        said.append(SLIP_NOTE if is_slip else TIE_NOTE if is_tie else UNTRIED_NOTE if untried else "")
    return said


def course_data(name: str, note: str, trials: Sequence[tuple[str, int]], formulas: Sequence[str]) -> dict[str, Any]:
    """Return a course of trials as data for `bandit.js`, valued by some formulas after each trial."""
    chosen = [formula for formula in FORMULAS if formula.key in formulas]
    tables = {formula.key: replay(trials, formula.bound) for formula in chosen}
    steps = []
    for number, (arm, won) in enumerate(trials):
        arms = next(iter(tables.values()))[number].arms
        values = {key: _values(table[number]) for key, table in tables.items()}
        steps.append({"arm": arm, "won": won, "arms": {name: list(counts) for name, counts in arms.items()}, **values})
    named = [{"key": formula.key, "name": formula.name, "text": formula.text} for formula in chosen]
    return {"name": name, "note": note, "chances": CHANCES, "formulas": named, "trials": steps}


def _values(trial: Trial) -> dict[str, Any]:
    """Return the rate, the rest of the bound and the next arm; None stands for infinity."""
    rates = {arm: wins / tried if tried else 0.0 for arm, (wins, tried) in trial.arms.items()}
    bounds = {arm: None if math.isinf(bound) else round(bound, 6) for arm, bound in trial.bounds.items()}
    return {"rates": rates, "bounds": bounds, "next": trial.best}


def slides_data() -> dict[str, Any]:
    """Return both tables of the slides as data for `bandit.js`, with the printed values."""
    greedy = course_data("greedy", "Always the arm that has won more often so far.", GREEDY_TRIALS, ["rate"])
    ucb = course_data(
        "UCB",
        "The arm with the highest upper bound. The printed numbers are beside ours.",
        UCB_TRIALS,
        ["slides", "ucb1"],
    )
    for number, rate in enumerate(PRINTED_RATES):
        greedy["trials"][number]["printed"] = {"B": None if rate is None else f"{rate}%", "next": "B"}
    said = remarks(replay(UCB_TRIALS, slides_bandit))
    for number, remark in enumerate(said):
        printed = {arm: f"{values[number]:.2f}" for arm, values in PRINTED.items()}
        ucb["trials"][number] |= {"printed": {**printed, "next": PRINTED_NEXT[number]}, "remark": remark}
    return {"courses": [greedy, ucb]}


def live_data(count: int, seed: int) -> dict[str, Any]:
    """Return two courses of the same bandit with the same seed, greedy and by UCB1, as data for `bandit.js`."""
    return {
        "courses": [
            course_data("greedy", "", play_course(CHANCES, count, success_rate, seed), ["rate"]),
            course_data("UCB1", "", play_course(CHANCES, count, ucb1, seed), ["ucb1"]),
        ]
    }
