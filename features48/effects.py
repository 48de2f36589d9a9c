"""The effect of each legal move: the stones that it captures, and the stones and liberties of its chain."""

import numpy as np

from go.board import (
    BLACK,
    EMPTY,
    LEGAL,
    ORTHOGONAL,
    WHITE,
    adjacent_chains,
    count_liberties,
    legality,
    play,
)
from go.coordinates import POINTS
from go.jit import kernel

EFFECTS = np.dtype(
    [
        ("legal", np.uint8, POINTS),  # by the board alone: empty, no suicide, no simple ko
        ("captures", np.int16, POINTS),  # opponent stones
        ("stones", np.int16, POINTS),  # of the chain that the stone would be part of
        ("liberties", np.int16, POINTS),  # of that chain, the points of captured stones among them
    ]
)


@kernel
def move_effect(b, boards, p):
    """Return the effect of a legal move of the side to move: captures, and stones and liberties of its chain.

    `boards` is memory for one board.
    """
    color = np.int64(b.to_move)
    captures = 0
    for head in adjacent_chains(b, p, BLACK + WHITE - color):
        if head != 0 and count_liberties(b, head) == 1:
            captures += np.int64(b.stones[head])
    friends = adjacent_chains(b, p, color)
    if captures == 0 and _count(friends) < 2:
        friend = friends[0] + friends[1] + friends[2] + friends[3]  # the only one, or 0
        stones = 1 + np.int64(b.stones[friend]) if friend else 1
        return captures, stones, _liberties_joined(b, p, friend)
    boards[0] = b  # chains that join may share liberties, and captured stones give some: so play the move
    play(boards[0], p)
    head = boards[0].chain[p]
    return captures, np.int64(boards[0].stones[head]), count_liberties(boards[0], head)


@kernel
def find_effects(b, boards, effects):
    """Find the effects of all moves of the side to move."""
    color = np.int64(b.to_move)
    for p in range(POINTS):
        effects.legal[p] = False
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if legality(b, p, color) == LEGAL:
            effects.legal[p] = True
            effects.captures[p], effects.stones[p], effects.liberties[p] = move_effect(b, boards, p)


@kernel
def _count(heads):
    count = 0
    for head in heads:
        count += head != 0
    return count


@kernel
def _liberties_joined(b, point, friend):
    """Count the liberties of a stone that joins one chain or, with head 0, none, and captures nothing."""
    p = np.uint64(point)
    liberties = count_liberties(b, friend) - 1 if friend else np.int64(0)
    for step in ORTHOGONAL:
        e = p + step
        if b.color[e] == EMPTY:
            is_new = True
            for further in ORTHOGONAL:
                is_new &= (friend == 0) | (b.chain[e + further] != friend)
            liberties += is_new
    return liberties
