"""The reply table of the paper's Methods, a last-good-reply that goes by contexts.

At each step in the tree the most probable move is stored under the context of the last two moves: the 3x3 pattern
around each of them (colours and liberties) and how many stones their chains have. In a playout, where a context comes
up again, the stored move is played with some probability, which the paper calls high and does not give. The move is
stored as a step from the last move, so that it fits wherever the context does (our choice; the paper does not say).
"""

from typing import NamedTuple

import numpy as np

from go.coordinates import PASS, POINTS
from go.jit import kernel

STEP_BITS = np.uint64(11)  # a step is less than `POINTS` either way
STEP_MASK = np.uint64((1 << 11) - 1)
MIX = np.uint64(0xD6E8FEB86659FD93)
STONE_CLASSES = 3  # chains of 1, 2 and at least 3 stones


class Replies(NamedTuple):
    """A table of fixed size: a new context takes the place of an old one with the same slot.

    Context and step are one number, written and read in one go, so threads may share a table without a lock. 0 is none.
    """

    entries: np.ndarray  # uint64: the context but for its last bits, and in these the step plus `POINTS`


def new_replies(bits: int = 16) -> Replies:
    return Replies(np.zeros(1 << bits, np.uint64))


@kernel
def _mixed(key, value):
    key = (key ^ np.uint64(value)) * MIX
    return key ^ (key >> np.uint64(32))


@kernel
def context_of(b, t, last, before):
    """Return 64 bits that name the context of the last two moves, as the player to move sees it."""
    key = np.uint64(b.to_move)
    for p in (last, before):
        key = _mixed(key, t.code[p])
        key = _mixed(key, min(b.stones[b.chain[p]], STONE_CLASSES) if b.chain[p] != 0 else 0)
    return key


@kernel
def _slot(replies, key):
    return (key >> STEP_BITS) & np.uint64(len(replies.entries) - 1)


@kernel
def remember(replies, b, t, last, before, move):
    """Store the reply to the last two moves."""
    if last == PASS or before == PASS or move == PASS:
        return
    key = context_of(b, t, last, before)
    replies.entries[_slot(replies, key)] = (key & ~STEP_MASK) | np.uint64(move - last + POINTS)


@kernel
def recall(replies, b, t, last, before):
    """Return the reply stored for this context, as a point that may be off the board or not playable; PASS if none."""
    if last == PASS or before == PASS:
        return np.int64(PASS)
    key = context_of(b, t, last, before)
    entry = replies.entries[_slot(replies, key)]
    if entry == 0 or (entry & ~STEP_MASK) != (key & ~STEP_MASK):
        return np.int64(PASS)
    move = last + np.int64(entry & STEP_MASK) - POINTS
    return move if 0 < move < POINTS else np.int64(PASS)
