"""The checks of chapter 6."""

from collections.abc import Callable

import numpy as np

from classroom.exercises import Exercise, is_function, is_number
from classroom.zero_numbers import search_policy, self_play_compute

FORTY_BLOCKS = 29_000_000  # games


def _is_policy(policy: Callable) -> str | None:
    for visits in ([10, 30, 60], [1, 2, 4, 8], [800, 600, 150, 50]):
        for tau in (1, 0.5, 2, 0):
            answer, expected = policy(visits, tau), search_policy(np.array(visits), tau)
            if np.shape(answer) != (len(visits),):
                return f"policy({visits}, {tau}) must return {len(visits)} numbers, not {answer!r}."
            if np.abs(np.asarray(answer, float) - expected).max() > 1e-6:
                return f"policy({visits}, {tau}) returns {np.round(answer, 4).tolist()}, which is not right."
    return None


def _has_signs(back_up: Callable) -> str | None:
    for value in (0.4, -0.25):
        for depth in (1, 2, 3, 5):
            answer = back_up(value, depth)
            if np.shape(answer) != (depth,):
                return f"back_up({value}, {depth}) must return {depth} numbers, not {answer!r}."
            expected = [-value if (depth - place) % 2 else value for place in range(depth)]
            if np.abs(np.asarray(answer, float) - expected).max() > 1e-9:
                return (
                    f"back_up({value}, {depth}) returns {list(answer)}, which does not follow who made the last move."
                )
    return None


YEARS = self_play_compute(games=FORTY_BLOCKS).years
EXERCISES = [
    Exercise(
        "plane",
        "Planes come in pairs, own stones first; the pair of k moves ago begins at plane 2k.",
        is_number(
            7,
            0,
            {6: "These are own stones.", 8: "Counted from 0, this is X four moves ago.", 3: "That is one move ago."},
        ),
    ),
    Exercise(
        "visits",
        "(n 50% + 80%) / (n + 1) = 56%.",
        is_number(
            4,
            1e-9,
            {5: "This is the number of visits after the backup.", 3: "This is the slides' node, 50 to 55% by 70%."},
        ),
    ),
    Exercise("temperature", "Raise each N to the power 1 / tau, then divide by the sum.", is_function(_is_policy)),
    Exercise(
        "years",
        "0.4 s times 150 times the games; a year has 31.6 million seconds.",
        is_number(YEARS, 0.15, {self_play_compute().years: "This is the 20-block run."}),
    ),
    Exercise(
        "signs",
        "The last move was made by the opponent of the side to move after it.",
        is_function(_has_signs),
    ),
]
