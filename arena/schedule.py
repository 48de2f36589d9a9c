"""Who plays whom, and in which order: every opening twice, with colours swapped."""

import itertools
from collections.abc import Iterator, Sequence

from arena.game import Slot

ROUND_ROBIN, GAUNTLET = "round_robin", "gauntlet"
FORMATS = (ROUND_ROBIN, GAUNTLET)


def pairings(names: Sequence[str], form: str = ROUND_ROBIN) -> list[tuple[str, str]]:
    """Return the pairs of players: everyone against everyone, or the first against everyone."""
    if form == GAUNTLET:
        return [(names[0], name) for name in names[1:]]
    return list(itertools.combinations(names, 2))


def slots_of(pairs: Sequence[tuple[str, str]], openings: int) -> Iterator[Slot]:
    """Return all games, opening by opening, so that all pairs always have about as many games.

    Each pair has openings of its own number only: opening 3 is the same for all pairs.
    """
    for opening in range(1, openings + 1):
        for first, second in pairs:
            yield Slot(first, second, opening)
            yield Slot(second, first, opening)
