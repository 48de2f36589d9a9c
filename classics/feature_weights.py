"""Moves scored by hand-made weights of features, as in chapter 1 of the slides: capture 3, escape 2, neighbour 1.

| feature   | weight | fires when                                                                                  |
|-----------|--------|---------------------------------------------------------------------------------------------|
| capture   | 3      | the move captures                                                                           |
| escape    | 2      | an own chain in atari has two liberties or more after the move, or its captor is captured    |
| neighbour | 1      | the move touches the last move, by side or corner                                           |

The score of a move is the sum. This is the idea of the rollout policy (`rollout`), with 3 weights instead of 100,000
and set by hand instead of learnt.
"""

from typing import NamedTuple

import numpy as np

from features48.effects import move_effect
from go.board import BLACK, DIAGONAL, ORTHOGONAL, WHITE, adjacent_chains, count_liberties
from go.coordinates import PASS
from go.jit import kernel
from go.player import sensible_moves
from go.position import Position

WEIGHTS = {"capture": 3, "escape": 2, "neighbour": 1}
CAPTURE, ESCAPE, NEIGHBOUR = 4, 2, 1  # bits


class Scored(NamedTuple):
    """A move, the features that fire, and the sum of their weights."""

    point: int
    features: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(WEIGHTS[feature] for feature in self.features)

    @property
    def why(self) -> str:
        parts = [f"{feature} {WEIGHTS[feature]}" for feature in self.features]
        return f"{' + '.join(parts)} = {self.total}" if parts else "no feature, 0"


@kernel
def fired(b, p, last, work):
    """Return the features of a legal move as bits. `last` is the last move, `work` memory for one board."""
    color = np.int64(b.to_move)
    captures, _, liberties = move_effect(b, work, p)
    features = CAPTURE if captures > 0 else 0
    for head in adjacent_chains(b, p, color):
        if (head != 0) & (liberties > 1) and count_liberties(b, head) == 1:
            features |= ESCAPE
    if captures > 0:
        for head in adjacent_chains(b, p, BLACK + WHITE - color):
            if head != 0 and count_liberties(b, head) == 1 and _touches_atari(b, head, color):
                features |= ESCAPE
    if last != PASS:
        for step in ORTHOGONAL:
            if np.uint64(last) + step == np.uint64(p):
                features |= NEIGHBOUR
        for step in DIAGONAL:
            if np.uint64(last) + step == np.uint64(p):
                features |= NEIGHBOUR
    return features


@kernel
def _touches_atari(b, head, color):
    """Return whether a chain touches a chain of `color` in atari."""
    p = np.uint64(head)
    while True:
        for other in adjacent_chains(b, p, color):
            if other != 0 and count_liberties(b, other) == 1:
                return True
        p = np.uint64(b.next[p])
        if p == head:
            return False


@kernel
def weight_of(features):
    """Return the sum of the weights of features given as bits."""
    total = 3 if features & CAPTURE else 0
    total += 2 if features & ESCAPE else 0
    return total + (1 if features & NEIGHBOUR else 0)


def scored_moves(position: Position) -> list[Scored]:
    """Return all sensible moves, the one with the highest score first."""
    work = np.empty_like(position.boards)
    last = position.last_move or PASS
    found = []
    for point in sensible_moves(position):
        bits = fired(position.board, point, last, work)
        names = zip((CAPTURE, ESCAPE, NEIGHBOUR), WEIGHTS, strict=True)
        found.append(Scored(point, tuple(name for bit, name in names if bits & bit)))
    return sorted(found, key=lambda move: -move.total)
