"""The checks of chapter 5."""

import math
from collections.abc import Callable

import numpy as np

from classroom.exercises import Exercise, is_function, is_number

POSITIONS = 40


def _selects(select: Callable) -> str | None:
    rng = np.random.default_rng(5)
    for _ in range(POSITIONS):
        count, c_puct = int(rng.integers(2, 8)), float(rng.choice([0.5, 1.5, 5.0]))
        priors, visits = rng.dirichlet(np.ones(count)), rng.integers(0, 30, count)
        moves = [
            (float(p), int(n), float(q)) for p, n, q in zip(priors, visits, rng.uniform(-1, 1, count), strict=True)
        ]
        root = math.sqrt(max(sum(n for _, n, _ in moves), 1))
        sums = [q + c_puct * p * root / (1 + n) for p, n, q in moves]
        answer = select(moves, c_puct)
        if isinstance(answer, bool) or not isinstance(answer, (int, np.integer)) or not 0 <= answer < count:
            return f"It must return a place from 0 to {count - 1}, not {answer!r}."
        if sums[answer] < max(sums) - 1e-9:
            return f"For c_puct = {c_puct:g} and {moves} it returns {answer}, which has not the largest Q + u."
    return None


def _backs_up(back_up: Callable) -> str | None:
    for z in (1, -1):
        for depth in (1, 2, 3, 6):
            answer = back_up(z, depth)
            if not isinstance(answer, (list, tuple, np.ndarray)) or len(answer) != depth:
                return f"back_up({z}, {depth}) must return {depth} numbers, not {answer!r}."
            if list(answer) != [z if place % 2 == 0 else -z for place in range(depth)]:
                return f"back_up({z}, {depth}) returns {list(answer)}, which does not follow whose move each edge is."
    return None


EXERCISES = [
    Exercise(
        "select",
        "u = c_puct P sqrt(sum of all N) / (1 + N). Return the index of the largest Q + u.",
        is_function(_selects),
    ),
    Exercise(
        "mix",
        "Q = (1 - lambda) W_v / N_v + lambda W_r / N_r.",
        is_number(
            0.1, 1e-6, {0.0: "This is lambda = 0.5.", -0.1: "Lambda is the weight of the rollouts, not of the network."}
        ),
    ),
    Exercise(
        "virtual_loss",
        "While it is under way, a simulation counts as n_vl visits, all of them lost.",
        is_number(
            1 / 13,
            5e-4,
            {
                0.4: "This is the value before the simulation began.",
                1 / 11: "With this number the simulation counts as one visit; it counts as n_vl visits.",
                0.1: "N_r changes as well as W_r.",
            },
        ),
    ),
    Exercise(
        "back_up", "The players alternate along the path, and W_r is that of the edge's player.", is_function(_backs_up)
    ),
    Exercise(
        "interleavings",
        "Write down the six orders of two steps of A and two of B. Nothing is lost only if one thread stores before "
        "the other one loads.",
        is_number(
            4,
            0,
            {
                2: "These are the orders in which nothing is lost.",
                6: "There are orders in which nothing is lost.",
                18: "This is for three steps of each thread.",
            },
        ),
    ),
    Exercise(
        "threshold",
        "30 is more than two batches. A step is a tenth of n_thr.",
        is_number(
            44,
            0,
            {36: "The queue is too long: fewer nodes should be made, not more.", 41: "A step is a tenth of n_thr."},
        ),
    ),
]
