"""Elo ratings of the versions of a network and of fixed players, from all their games (Bradley and Terry 1952)."""

import numpy as np

from pipeline.shares import ELO_SCALE

PRIOR_GAMES = 0.1  # drawn games added to each match, so that ratings stay finite; more would make differences too small
ROUNDS, ENOUGH = 10_000, 1e-9


def ratings(players: list[str], games: list[tuple[str, str, float, float]], anchor: str) -> dict[str, float]:
    """Return the Elo of all players, that of `anchor` being 0.

    `games` are (first, second, won by the first, games). The most likely strengths are found by the iteration of
    Zermelo (1929): a player's strength is its points, divided by the sum of games / (its strength + the opponent's).
    """
    place = {name: number for number, name in enumerate(players)}
    points, met = np.zeros(len(players)), np.zeros((len(players), len(players)))
    for first, second, won, count in games:
        a, b = place[first], place[second]
        points[a] += won + PRIOR_GAMES / 2
        points[b] += count - won + PRIOR_GAMES / 2
        met[a, b] += count + PRIOR_GAMES
        met[b, a] += count + PRIOR_GAMES
    strength = np.ones(len(players))
    has_met = met.sum(axis=1) > 0
    for _ in range(ROUNDS):
        new = strength.copy()
        sums = (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        new[has_met] = points[has_met] / sums[has_met]
        new /= np.exp(np.log(new[has_met]).mean()) if has_met.any() else 1.0
        if np.abs(np.log(new / strength)).max() < ENOUGH:
            break
        strength = new
    elo = ELO_SCALE * np.log10(strength)
    return {name: float(elo[number] - elo[place[anchor]]) for name, number in place.items()}
