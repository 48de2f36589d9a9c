"""Shares such as win rates: their confidence intervals, and the Elo difference that they stand for."""

import math

Z95 = 1.959963984540054  # standard deviations on each side of a 95% interval
ELO_SCALE = 400.0  # points for odds of 10 to 1 (base 10, as everybody computes Elo; the paper's formula has a slip)


def interval95(won: float, games: int) -> tuple[float, float]:
    """Return the 95% interval of a share, after Wilson.

    The paper names its intervals after Agresti and Coull, but prints Wilson's, which have the same centre: 3 games won
    of 3 are 100 [44; 100] in Extended Data Table 9, where Agresti and Coull would have 38.
    """
    if not games:
        return 0.0, 1.0
    share, total = won / games, games + Z95**2
    middle = (won + Z95**2 / 2) / total
    half = Z95 * math.sqrt(games * share * (1 - share) + Z95**2 / 4) / total
    return max(0.0, middle - half), min(1.0, middle + half)


def share_text(won: float, games: int) -> str:
    """Return a share with its interval, as in "62.5% [57.7; 67.1]"."""
    low, high = interval95(won, games)
    return f"{100 * won / games:.1f}% [{100 * low:.1f}; {100 * high:.1f}]"


def elo_of(share: float) -> float:
    """Return the Elo difference at which a player wins this share of games."""
    share = min(max(share, 1e-6), 1 - 1e-6)
    return ELO_SCALE * math.log10(share / (1 - share))
