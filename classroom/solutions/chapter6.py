"""Solutions of chapter 6, and answers that its checks must reject."""

from typing import Any


def policy(visits: list[int], tau: float) -> list[float]:
    """Return the share of each move, by its visits at a temperature."""
    if tau == 0:
        return [float(count == max(visits)) for count in visits]
    powers = [count ** (1 / tau) for count in visits]
    return [power / sum(powers) for power in powers]


def back_up(value: float, depth: int) -> list[float]:
    """Return what is added to W of each move of a path. The last move is the opponent's of the side to move."""
    return [value if (depth - place) % 2 == 0 else -value for place in range(depth)]


SOLUTIONS: dict[str, Any] = {
    "6.plane": 2 * 3 + 1,
    "6.visits": (0.80 - 0.56) / (0.56 - 0.50),
    "6.temperature": policy,
    "6.years": 0.4 * 150 * 29e6 / (365.25 * 86_400),
    "6.signs": back_up,
}

MISTAKES: dict[str, list[Any]] = {
    "6.plane": [6, 8, 3, "Y"],
    "6.visits": [5, 3, 2.5],
    "6.temperature": [
        lambda visits, tau: [count / sum(visits) for count in visits],
        lambda visits, tau: [count ** (tau or 9) / sum(other ** (tau or 9) for other in visits) for count in visits],
        lambda visits, tau: [count ** (1 / tau) for count in visits],
        0.5,
    ],
    "6.years": [9.3, 20_139, 55e6],
    "6.signs": [
        lambda value, depth: [value] * depth,
        lambda value, depth: [-sign for sign in back_up(value, depth)],
        lambda value, depth: [value if place % 2 == 0 else -value for place in range(depth)],
    ],
}
