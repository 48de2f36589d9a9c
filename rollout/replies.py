"""The reply table of the paper's Methods: last good replies, stored by context.

At each step in the tree, the most probable move is stored under the context of the last two moves: the 3x3 pattern
around each of them (colours and liberties) and the number of stones in their chains. When the context occurs again in a
playout, the stored move is played with a probability that the paper calls high but does not give. The move is stored as
a step from the last move, so that it applies wherever the context occurs (our choice; the paper does not say).
"""

from typing import NamedTuple

import numpy as np

from go.coordinates import PASS, POINTS
from go.jit import kernel

STEP_BITS = np.uint64(11)  # a step is less than `POINTS` in either direction
STEP_MASK = np.uint64((1 << 11) - 1)
MIX = np.uint64(0xD6E8FEB86659FD93)
STONE_CLASSES = 3  # chains of 1, 2 and at least 3 stones


class Replies(NamedTuple):
    """A table of fixed size: a new context replaces an old one in the same slot.

    Context and step are one number, written and read at once, so threads can share a table without a lock. 0 means
    empty.
    """

    entries: np.ndarray  # uint64: the context; its last bits are replaced by the step plus `POINTS`


def new_replies(bits: int = 16) -> Replies:
    return Replies(np.zeros(1 << bits, np.uint64))


@kernel
def _mixed(key, value):
    key = (key ^ np.uint64(value)) * MIX
    return key ^ (key >> np.uint64(32))


@kernel
def context_of(b, t, last, before):
    """Return a 64-bit key of the context: the last two moves and the side to move."""
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
    """Return the reply stored for this context, or PASS. The point may be off the board or not playable."""
    if last == PASS or before == PASS:
        return np.int64(PASS)
    key = context_of(b, t, last, before)
    entry = replies.entries[_slot(replies, key)]
    if entry == 0 or (entry & ~STEP_MASK) != (key & ~STEP_MASK):
        return np.int64(PASS)
    move = last + np.int64(entry & STEP_MASK) - POINTS
    return move if 0 < move < POINTS else np.int64(PASS)
