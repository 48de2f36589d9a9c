"""Who plays whom, and in which order: every opening twice, with colours swapped."""

import itertools
from collections.abc import Iterator, Sequence

from arena.game import Slot

ROUND_ROBIN, GAUNTLET, NEIGHBOURS = "round_robin", "gauntlet", "neighbours"
FORMATS = (ROUND_ROBIN, GAUNTLET, NEIGHBOURS)
NEAR = 2  # opponents that each player has after it in the list, where only neighbours meet


def pairings(names: Sequence[str], form: str = ROUND_ROBIN) -> list[tuple[str, str]]:
    """Return the pairs of players: everyone against everyone, the first against everyone, or only neighbours."""
    if form == GAUNTLET:
        return [(names[0], name) for name in names[1:]]
    if form == NEIGHBOURS:
        return [(name, other) for place, name in enumerate(names) for other in names[place + 1 : place + 1 + NEAR]]
    return list(itertools.combinations(names, 2))


def slots_of(pairs: Sequence[tuple[str, str]], openings: int) -> Iterator[Slot]:
    """Return all games, opening by opening, so that all pairs always have about as many games.

    Each pair has openings of its own number only: opening 3 is the same for all pairs.
    """
    for opening in range(1, openings + 1):
        for first, second in pairs:
            yield Slot(first, second, opening)
            yield Slot(second, first, opening)
