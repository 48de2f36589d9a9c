"""The maze of chapter 3, learnt by Q-learning and by a policy gradient, with every step recorded for the page.

    1   2   3   4
        --- ---
    5   6   7 | 8          Cells are numbered by rows. The start is cell 1, the exit is to the right of cell 16.
                           Lines are walls; a step into one leaves the agent where it is.
    9 |10 |11 |12
    ---         ---
    13  14 |15  16  exit

The slides print grids and tables of one run, but not the walls and not the settings. The walls follow from the tables:
the open passages form a tree. The settings of Q-learning are implied by the printed numbers (`QSettings`). Those of the
policy gradient are not; `GradientSettings` says what is chosen here.
"""

import itertools
import math
import random
from typing import Any, NamedTuple

SIDE = 4
CELLS = SIDE * SIDE
START, LAST, OUTSIDE = 1, 16, 0
ARROWS = "↑→↓←"
UP, RIGHT, DOWN, LEFT = range(4)
SHIFTS = (-SIDE, 1, SIDE, -1)  # of a cell's number, by direction
PASSAGES = (
    *((1, 2), (2, 3), (3, 4), (4, 8), (8, 12)),
    *((1, 5), (5, 6), (6, 7), (7, 11), (11, 15), (15, 16)),
    *((6, 10), (10, 14), (14, 13), (5, 9)),
)
ROUTE = (1, 5, 6, 7, 11, 15, 16)  # seven steps: six moves and the exit
MOST_STEPS = 5_000  # of an episode; a policy gradient can get stuck

Table = list[list[float]]  # by cell from 0 (not used) to 16, then by direction

PRINTED_EPISODES = (1, 20, 100)
PRINTED_Q = {  # value of the route's action, rows of the grid
    1: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    20: (1, 0, 0, 0, 1, 2, 5, 0, 0, 1, 8, 0, 0, 0, 13, 20),
    100: (33, 8, 0, 0, 41, 50, 61, 0, 13, 11, 73, 0, 0, 0, 86, 100),
}
PRINTED_Q_TABLE = (  # at episode 100, in the order of ARROWS
    *((6.8, 2.9, 33.3, 6.6), (0.7, 0.1, 0.6, 8.1), (0.0, 0.0, 0.1, 0.4), (0.0, 0.0, 0.0, 0.1)),
    *((10.0, 41.1, 4.0, 12.0), (21.7, 50.5, 2.7, 7.6), (14.7, 16.3, 61.1, 12.8), (0.0, 0.0, 0.0, 0.0)),
    *((12.8, 0.6, 1.0, 0.9), (10.7, 0.4, 0.1, 0.7), (17.8, 26.4, 72.7, 14.9), (0.0, 0.0, 0.0, 0.0)),
    *((0.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0, 0.0), (30.1, 85.5, 27.0, 31.5), (21.8, 100.0, 30.5, 13.1)),
)
PRINTED_POLICY = {  # probability of the route's action in percent, rows of the grid
    1: (26, 24, 25, 26, 25, 24, 24, 24, 25, 26, 25, 25, 25, 25, 25, 26),
    20: (26, 28, 28, 29, 26, 28, 35, 25, 30, 31, 27, 25, 28, 28, 35, 43),
    100: (99, 49, 30, 25, 100, 99, 100, 25, 42, 42, 99, 28, 35, 34, 98, 99),
}
PRINTED_POLICY_TABLE = (  # at episode 100, in the order of ARROWS
    *((0, 0, 99, 0), (15, 22, 14, 49), (28, 15, 27, 30), (24, 24, 27, 25)),
    *((0, 100, 0, 0), (0, 99, 0, 1), (0, 0, 100, 0), (25, 22, 30, 23)),
    *((42, 16, 22, 21), (43, 12, 18, 26), (0, 0, 99, 0), (28, 30, 19, 23)),
    *((27, 35, 20, 18), (34, 15, 30, 21), (1, 98, 1, 0), (0, 99, 0, 0)),
)


def _next_cells() -> tuple[tuple[int, ...], ...]:
    """Return the cell after each step, by cell and direction."""
    open_ = set(PASSAGES) | {(b, a) for a, b in PASSAGES}
    rows = [[cell + shift if (cell, cell + shift) in open_ else cell for shift in SHIFTS] for cell in range(CELLS + 1)]
    rows[LAST][RIGHT] = OUTSIDE
    return tuple(map(tuple, rows))


NEXT = _next_cells()


def steps_to_exit() -> list[int]:
    """Return the number of steps from each cell to the outside, at least."""
    distances = [0] + [math.inf] * CELLS
    for _ in range(CELLS):
        for cell in range(1, CELLS + 1):
            distances[cell] = min(1 + distances[after] for after in NEXT[cell] if after != cell)
    return [int(distance) for distance in distances]


def _route_actions() -> tuple[int, ...]:
    far = steps_to_exit()
    return (0, *(min(range(4), key=lambda action: far[NEXT[cell][action]]) for cell in range(1, CELLS + 1)))


ROUTE_ACTION = _route_actions()  # by cell: the direction of the way out


def grid_of(table: Table) -> list[float]:
    """Return the value of the route's action in each cell, as the grids of the slides show it."""
    return [table[cell][ROUTE_ACTION[cell]] for cell in range(1, CELLS + 1)]


class Episode(NamedTuple):
    """An episode: the directions taken, what the table of each step's entry became, and the table after it."""

    actions: list[int]
    changes: list[float]  # by step, if the table changes at each; else empty
    table: Table


class QSettings(NamedTuple):
    """Q-learning: Q += alpha (r + gamma max Q' - Q), epsilon-greedy with epsilon = 1 - episode / episodes.

    The values are implied by the printed numbers. `exit_rule` is what happens at the exit: the printed 1, 20 and 100
    need `added`, alpha times the reward without taking the old value off. `textbook` takes it off.
    """

    alpha: float = 0.1
    gamma: float = 0.95
    reward: float = 10.0
    exit_rule: str = "added"
    episodes: int = 100


def q_learning(seed: int, settings: QSettings = QSettings()) -> list[Episode]:  # noqa: B008 (a constant)
    """Learn the maze by Q-learning. Return all episodes."""
    rng = random.Random(seed)
    q: Table = [[0.0] * 4 for _ in range(CELLS + 1)]
    found = []
    for episode in range(1, settings.episodes + 1):
        epsilon = 1 - episode / settings.episodes
        cell, actions, changes = START, [], []
        while cell != OUTSIDE:
            action = rng.randrange(4) if rng.random() < epsilon else _one_of_the_best(q[cell], rng)
            after = NEXT[cell][action]
            if after != OUTSIDE:
                target = settings.gamma * max(q[after])
            else:
                target = settings.reward + (q[cell][action] if settings.exit_rule == "added" else 0)
            q[cell][action] += settings.alpha * (target - q[cell][action])
            actions.append(action)
            changes.append(q[cell][action])
            cell = after
        found.append(Episode(actions, changes, [row[:] for row in q]))
    return found


def _one_of_the_best(values: list[float], rng: random.Random) -> int:
    highest = max(values)
    best = [action for action in range(4) if values[action] == highest]
    return best[int(rng.random() * len(best))]


class GradientSettings(NamedTuple):
    """The policy gradient: preferences theta, softmax policy, changed at the end of each episode.

    The slides print theta(s, a) += const N1 - const N2, with N1 the times that a was chosen in s, and N2 the times that
    another action was. They print no constant. With the same constant for every step, nothing is learnt: all episodes
    end with the same reward. So here a step counts less the longer before the exit it was: `discount` for each step.
    """

    rule: str = "slides"  # or `score`: the gradient of log pi, as in REINFORCE
    rate: float = 0.05
    discount: float = 0.9
    episodes: int = 100


def softmax(preferences: list[float]) -> list[float]:
    highest = max(preferences)
    powers = [math.exp(value - highest) for value in preferences]
    return [power / sum(powers) for power in powers]


def policy_gradient(seed: int, settings: GradientSettings = GradientSettings()) -> list[Episode]:  # noqa: B008
    """Learn the maze by a policy gradient. Return all episodes, each with the policy after it."""
    rng = random.Random(seed)
    theta: Table = [[0.0] * 4 for _ in range(CELLS + 1)]
    policy = [softmax(row) for row in theta]
    found = []
    for _ in range(settings.episodes):
        cell, steps = START, []
        while cell != OUTSIDE and len(steps) < MOST_STEPS:
            action = _drawn(policy[cell], rng.random())
            steps.append((cell, action))
            cell = NEXT[cell][action]
        _reinforce(theta, policy, steps, settings)
        policy = [softmax(row) for row in theta]
        found.append(Episode([action for _, action in steps], [], policy))
    return found


def _drawn(chances: list[float], left: float) -> int:
    for action, chance in enumerate(chances):
        left -= chance
        if left < 0:
            return action
    return len(chances) - 1


def _reinforce(theta: Table, policy: Table, steps: list[tuple[int, int]], settings: GradientSettings) -> None:
    """Change the preferences by the steps of an episode, the last step first."""
    weight = settings.rate
    for cell, action in reversed(steps):
        for other in range(4):
            chosen = 1.0 if other == action else 0.0
            expected = policy[cell][other] if settings.rule == "score" else 1.0 - chosen
            theta[cell][other] += weight * (chosen - expected)
        weight *= settings.discount


def one_visit(cell: int, episodes: int, settings: QSettings = QSettings()) -> float:  # noqa: B008
    """Return Q of a cell on the route if every episode comes by exactly once, along the route."""
    values = dict.fromkeys(ROUTE, 0.0)
    for _ in range(episodes):
        for here, after in itertools.pairwise(ROUTE):
            values[here] += settings.alpha * (settings.gamma * values[after] - values[here])
        values[LAST] += settings.alpha * settings.reward
    return values[cell]


def closed_form_15(episodes: int) -> float:
    """Return Q of cell 15 after some episodes that come by once each: 0.95 k - 9.5 + 9.5 * 0.9^k."""
    return 0.95 * episodes - 9.5 + 9.5 * 0.9**episodes


def mean_and_deviation(tables: list[Table]) -> tuple[Table, Table]:
    """Return the mean and the standard deviation of each entry over several runs."""
    count = len(tables)
    mean = [[sum(t[cell][a] for t in tables) / count for a in range(4)] for cell in range(CELLS + 1)]
    spread = [
        [math.sqrt(sum((t[cell][a] - mean[cell][a]) ** 2 for t in tables) / count) for a in range(4)]
        for cell in range(CELLS + 1)
    ]
    return mean, spread


def z_scores(mean: Table, spread: Table, least: float = 0.05) -> list[float]:
    """Return by how many standard deviations each of the 64 printed Q values differs from the mean of our runs."""
    return [
        (PRINTED_Q_TABLE[cell - 1][a] - mean[cell][a]) / max(spread[cell][a], least)
        for cell in range(1, CELLS + 1)
        for a in range(4)
    ]


def trace_data(episodes: list[Episode], kind: str) -> dict[str, Any]:
    """Return a run as data for `maze.js`: actions as digits, values rounded. `kind` is "q" or "policy"."""
    printed, table = (PRINTED_Q, PRINTED_Q_TABLE) if kind == "q" else (PRINTED_POLICY, PRINTED_POLICY_TABLE)
    scale = 1.0 if kind == "q" else 100.0
    return {
        "name": "Q-learning" if kind == "q" else "policy gradient",
        "kind": kind,
        "printed": {str(episode): list(grid) for episode, grid in printed.items()},
        "printedTable": [list(row) for row in table],
        "episodes": [
            {
                "actions": "".join(map(str, episode.actions)),
                "changes": [round(change, 2) for change in episode.changes],
                "table": [[round(scale * value, 2) for value in row] for row in episode.table[1:]],
            }
            for episode in episodes
        ],
    }


def page_data(*runs: dict[str, Any]) -> dict[str, Any]:
    """Return the maze and some runs as data for `maze.js`."""
    return {
        "next": [list(row) for row in NEXT[1:]],
        "route": list(ROUTE),
        "routeAction": list(ROUTE_ACTION[1:]),
        "runs": runs,
    }
