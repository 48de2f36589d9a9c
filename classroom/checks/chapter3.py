"""The checks of chapter 3."""

import math
from collections.abc import Callable

from classics.bandit import slides_bandit, ucb1
from classroom.costs import EVALUATION, GPUS, VALUE_GAMES, days
from classroom.exercises import Exercise, is_function, is_number
from classroom.maze import closed_form_15


def ucb1_cases(function: Callable) -> str | None:
    untried = function(0, 0, 5)
    if untried != math.inf:
        return f"An arm that was never tried got {untried}; it must come before all others."
    for wins, trials, total in ((0, 1, 2), (1, 2, 3), (2, 3, 4), (7, 10, 18)):
        found, wanted = function(wins, trials, total), ucb1(wins, trials, total)
        if math.isclose(found, wanted, abs_tol=1e-6):
            continue
        if math.isclose(found, slides_bandit(wins, trials, total), abs_tol=1e-6):
            return "This is what the slides computed: the fraction is inside the logarithm, to base 10."
        return f"For {wins} wins in {trials} of {total} trials it returns {found:.4f}, which is not UCB1."
    return None


def gradient_cases(function: Callable) -> str | None:
    for p, action, z in (([0.5, 0.25, 0.25], 0, 1), ([0.1, 0.6, 0.3], 2, -1), ([0.25] * 4, 3, 1)):
        found = [float(value) for value in function(p, action, z)]
        if len(found) != len(p):
            return f"It returns {len(found)} numbers for {len(p)} moves."
        wanted = [z * ((place == action) - chance) for place, chance in enumerate(p)]
        if not all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(found, wanted, strict=True)):
            if abs(sum(found)) > 1e-9:
                return "The numbers should add up to 0: what one move gains, the others lose."
            return f"For p = {p}, move {action} and z = {z}, the gradient is another one."
    return None


EXERCISES = [
    Exercise("ucb1", "w/n + √(2 ln t / n); Python has math.inf, math.log and math.sqrt.", is_function(ucb1_cases)),
    Exercise(
        "tenth",
        "B has then won 3 of 5 trials, of 10 in all.",
        is_number(
            slides_bandit(3, 5, 10),
            0.006,
            {
                ucb1(3, 5, 10): "That is the true UCB1; the numbers of the slides follow another formula.",
                slides_bandit(2, 5, 10): "That is the value if B loses.",
            },
        ),
    ),
    Exercise(
        "closed_form",
        "Put k = 50 into 0.95 k - 9.5 + 9.5 · 0.9^k.",
        is_number(
            closed_form_15(50), 0.06, {85.5: "That is the value after 100 episodes.", 47.5: "Cell 15 lags behind."}
        ),
    ),
    Exercise(
        "textbook",
        "Each episode adds α (r - Q): begin with Q = 0, and do it three times.",
        is_number(
            5 * (1 - 0.8**3), 0.006, {3.0: "The old value must be taken off.", 5.0: "It comes there only in the end."}
        ),
    ),
    Exercise(
        "gradient",
        "The derivative of log p(a) by the score of move b is 1 - p(b) if b is a, and -p(b) if not.",
        is_function(gradient_cases),
    ),
    Exercise(
        "days",
        "Seconds of a game, times games, divided by GPUs and by 86,400.",
        is_number(
            days(VALUE_GAMES * 200 * EVALUATION, GPUS),
            0.06,
            {days(VALUE_GAMES * 200 * EVALUATION): "That is the time on one GPU."},
        ),
    ),
]
