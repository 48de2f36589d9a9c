"""The rules on tiny boards, as bits: one whole number holds the black stones of a board and another one the white ones.

Bit `row * size + column` is a point. Up to 5x5 both numbers fit into 64 bits with room for the turn, so a position has
an exact code and needs no hash. `Grid` holds the masks of a board size.
"""

from typing import NamedTuple

import numpy as np

from go.board import BLACK, WHITE
from go.jit import kernel
from go.position import Position

MOST_SIZE = 5
COLOR_BITS = MOST_SIZE * MOST_SIZE
ILLEGAL = -1


class Grid(NamedTuple):
    """A board size: its number of columns, and masks of all points, and of those with a neighbour left and right."""

    size: int
    full: int
    not_first: int
    not_last: int


def new_grid(size: int) -> Grid:
    first = sum(1 << (row * size) for row in range(size))
    full = (1 << (size * size)) - 1
    return Grid(size, full, full & ~first, full & ~(first << (size - 1)))


def bits_of(position: Position) -> tuple[int, int]:
    """Return the black and the white stones of a position."""
    flat = position.colors.ravel()
    black, white = (sum(1 << int(i) for i in np.flatnonzero(flat == color)) for color in (BLACK, WHITE))
    return black, white


@kernel
def around(points, grid):
    """Return the points that touch any of the points given."""
    sides = ((points & grid.not_last) << 1) | ((points & grid.not_first) >> 1)
    return ((points << grid.size) | (points >> grid.size) | sides) & grid.full


@kernel
def connected(seed, within, grid):
    """Return all points of `within` that are connected to those of `seed`."""
    found = seed & within
    while True:
        more = (found | around(found, grid)) & within
        if more == found:
            return found
        found = more


@kernel
def bit_play(own, other, move, grid):
    """Play the point that is the bit `move`. Return the own and the other stones, or ILLEGAL twice."""
    if (own | other) & move:
        return ILLEGAL, ILLEGAL
    own |= move
    targets = around(move, grid) & other
    while targets:
        chain = connected(targets & -targets, other, grid)
        targets &= ~chain
        if not around(chain, grid) & ~(own | other):
            other &= ~chain
    if not around(connected(move, own, grid), grid) & ~(own | other):
        return ILLEGAL, ILLEGAL
    return own, other


@kernel
def count_bits(points):
    count = 0
    while points:
        points &= points - 1
        count += 1
    return count


@kernel
def bit_margin(black, white, grid):
    """Return black's area minus white's (Tromp-Taylor)."""
    margin = count_bits(black) - count_bits(white)
    rest = grid.full & ~(black | white)
    while rest:
        region = connected(rest & -rest, rest, grid)
        rest &= ~region
        border = around(region, grid)
        reaches_black, reaches_white = (border & black) != 0, (border & white) != 0
        if reaches_black != reaches_white:
            margin += count_bits(region) if reaches_black else -count_bits(region)
    return margin


@kernel
def sure_points(own, grid):
    """Return stones that live even if their owner always passes (Benson 1976), and the one-point eyes of these.

    The opponent can neither capture these stones nor play on these eyes, so all of it counts for the owner at the end.
    Of the other eye spaces only those are used in which every point touches the chain (`classics.life`).
    """
    alive = own
    while alive:
        eyes = 0  # single points around which only living chains stand
        kept = 0
        chains = alive
        while chains:
            chain = connected(chains & -chains, alive, grid)
            chains &= ~chain
            beside = around(chain, grid) & ~own
            spaces = 0
            rest = beside
            while rest:
                space = connected(rest & -rest, grid.full & ~own, grid)
                rest &= ~space
                if (space & ~beside) == 0 and (around(space, grid) & own & ~alive) == 0:
                    spaces += 1
                    if space & (space - 1) == 0:
                        eyes |= space
            if spaces >= 2:
                kept |= chain
        if kept == alive:
            return alive | eyes
        alive = kept
    return 0
