"""The two-armed bandit of the slides: greedy play, UCB1, and the bounds that the slides print.

The slides print UCB1 = w/n + sqrt(2 log t / n), but all of their numbers follow from other formulas, with the fraction
inside a logarithm to base 10. `slides_bandit` and `slides_tree` are these; `ucb1` is the bound of Auer et al. 2002.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

UNTRIED = 0.1  # trials that the slides seem to count for an arm that was never tried: it makes their 1.41

Bound = Callable[[float, float, float], float]  # wins and trials of an arm, and all trials, to the part added to w/n


def ucb1(wins: float, trials: float, total: float) -> float:
    """Return w/n + sqrt(2 ln t / n); infinite for an arm that was never tried."""
    return math.inf if trials == 0 else wins / trials + math.sqrt(2 * math.log(total) / trials)


def slides_bandit(wins: float, trials: float, total: float) -> float:
    """Return w/n + sqrt(2 log10(t / n)), which the table of the two-armed bandit follows."""
    rate = wins / trials if trials else 0.0
    return rate + math.sqrt(2 * math.log10(total / (trials or UNTRIED)))


def slides_tree(wins: float, trials: float, total: float) -> float:
    """Return w/n + 2 sqrt(log10(t / n)), which the numbers at node n1 of the slides' tree follow."""
    return wins / trials + 2 * math.sqrt(math.log10(total / trials))


class Trial(NamedTuple):
    """One trial: the arm and whether it won; wins and trials of both arms after it, and their bounds."""

    arm: str
    won: bool
    arms: dict[str, tuple[int, int]]
    bounds: dict[str, float]

    @property
    def best(self) -> str:
        """The arm to try next; on a tie, the one just tried."""
        highest = max(self.bounds.values())
        tied = [arm for arm, bound in self.bounds.items() if bound == highest or round(highest - bound, 9) == 0]
        return self.arm if self.arm in tied else tied[0]


def success_rate(wins: float, trials: float, total: float) -> float:
    """Return the share of wins, which a greedy player goes by; an arm that was never tried has 1/2."""
    return wins / trials if trials else 0.5


SLIDES_GREEDY = (("A", 0), ("B", 1), ("B", 0), ("B", 1), ("B", 0), ("B", 1), ("B", 0), ("B", 1), ("B", 0))
SLIDES_UCB = (("A", 0), ("B", 1), ("B", 0), ("B", 1), ("B", 0), ("A", 1), ("A", 1), ("A", 0), ("A", 1))


def replay(trials: Sequence[tuple[str, int]], bound: Bound) -> list[Trial]:
    """Replay trials, given as arms and their outcomes. Return what is known after each."""
    arms = {"A": (0, 0), "B": (0, 0)}
    found = []
    for total, (arm, won) in enumerate(trials, 1):
        wins, tried = arms[arm]
        arms = arms | {arm: (wins + won, tried + 1)}
        bounds = {name: bound(*counts, total) for name, counts in arms.items()}
        found.append(Trial(arm, bool(won), arms, bounds))
    return found


def play_bandit(chances: dict[str, float], count: int, bound: Bound, draw: Callable[[], float]) -> dict[str, int]:
    """Play a bandit with the chances of its arms. `draw` returns random numbers from 0 to 1. Return trials by arm."""
    wins, tried = dict.fromkeys(chances, 0), dict.fromkeys(chances, 0)
    for total in range(count):
        arm = max(chances, key=lambda name: bound(wins[name], tried[name], max(total, 1)))
        wins[arm] += draw() < chances[arm]
        tried[arm] += 1
    return tried
