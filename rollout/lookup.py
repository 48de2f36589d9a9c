"""Lookup tables from patterns to feature numbers, made from lists of canonical patterns.

3x3 patterns have 24 bits, so their table is a plain array. Diamonds have 36 bits and use a hash table. Tables hold
every pattern in all eight orientations, so the kernels need not apply symmetries.
"""

from typing import NamedTuple

import numpy as np

from go.jit import kernel
from rollout.patterns import DIAMOND, DIAMOND_IMAGES, SQUARE, SQUARE_IMAGES, STATE_BITS, swapped_codes, turned_codes

SQUARE_CODES = 1 << STATE_BITS * len(SQUARE)
FREE = -1  # an unused slot of a hash table, or a feature that does not fire
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class HashTable(NamedTuple):
    """A hash table with open addressing: `values[slot]` belongs to `keys[slot]`."""

    keys: np.ndarray
    values: np.ndarray


@kernel
def find(keys, key):
    """Return the slot of a key, or the free slot where it belongs. The table is never full."""
    bits = np.uint64(len(keys) - 1)
    slot = (np.uint64(key) * GOLDEN >> np.uint64(20)) & bits
    while keys[slot] != key and keys[slot] != FREE:
        slot = (slot + np.uint64(1)) & bits
    return slot


@kernel
def _fill(keys, values, new_keys, new_values):
    for i in range(len(new_keys)):
        slot = find(keys, new_keys[i])
        keys[slot] = new_keys[i]
        values[slot] = new_values[i]


def new_table(keys: np.ndarray, values: np.ndarray) -> HashTable:
    """Make a hash table that is at most half full."""
    size = 1 << max(4, int(2 * len(keys)).bit_length())
    table = HashTable(np.full(size, FREE, np.int64), np.full(size, FREE, np.int32))
    _fill(*table, np.asarray(keys, np.int64), np.asarray(values, np.int32))
    return table


def square_table(codes: np.ndarray, first: int) -> np.ndarray:
    """Return the feature number, or FREE, by colour (0 black, 1 white) and 3x3 pattern (colours not swapped)."""
    table = np.full((2, SQUARE_CODES), FREE, np.int32)
    numbers = first + np.arange(len(codes), dtype=np.int32)
    for image in turned_codes(codes, SQUARE_IMAGES):
        table[0, image] = numbers
        table[1, swapped_codes(image, len(SQUARE))] = numbers
    return table


def diamond_table(codes: np.ndarray, first: int) -> HashTable:
    """Return a table from diamonds, as the player to move sees them, to feature numbers."""
    images = turned_codes(codes, DIAMOND_IMAGES).reshape(-1)
    numbers = np.tile(first + np.arange(len(codes)), len(DIAMOND_IMAGES))
    keys, places = np.unique(images, return_index=True)
    return new_table(keys, numbers[places])


def response_table(codes: np.ndarray, places: np.ndarray, first: int) -> tuple[HashTable, np.ndarray]:
    """Return a table from diamonds around the previous move to rows, and the features of the 12 points of each row.

    A feature is a canonical diamond and one of its points. If a symmetry maps a diamond to itself, all images of the
    point have the feature.
    """
    parts = []
    for images in DIAMOND_IMAGES:
        turned = turned_codes(codes, images[None])[0]
        parts.append(np.stack([turned, images[places], first + np.arange(len(codes))], axis=1))
    entries = np.concatenate(parts) if len(codes) else np.empty((0, 3), np.int64)
    keys, rows = np.unique(entries[:, 0], return_inverse=True)
    features = np.full((len(keys), len(DIAMOND)), FREE, np.int32)
    features[rows, entries[:, 1]] = entries[:, 2]
    return new_table(keys, np.arange(len(keys))), features
