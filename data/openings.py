"""Openings that are not chosen by the players, so that engines which always play alike still play different games."""

import numpy as np

from go.board import is_eye
from go.coordinates import rowcol_from_point
from go.position import Position


def first_line(size: int) -> int:
    """Return the first line that openings use, from 0: not the edge, where no sound opening has a stone."""
    return 1 if size >= 5 else 0  # smaller boards have hardly anything else


def longest_opening(size: int) -> int:
    """Return how many moves an opening may have: half as many as it has points to choose from."""
    return (size - 2 * first_line(size)) ** 2 // 2


def draw_opening(size: int, moves: int, *seeds: int) -> list[int]:
    """Draw an opening, always the same for the same seeds: uniform among the legal moves that fill no own eye.

    The first line is left out. If there is no such move, the opening ends there.
    """
    rng = np.random.default_rng((len(seeds), *seeds))
    position = Position(size)
    edge = first_line(size)
    opening = []
    for _ in range(moves):
        candidates = [
            point
            for point in position.legal_moves().tolist()
            if all(edge <= line < size - edge for line in rowcol_from_point(point, size))
            and not is_eye(position.board, point, position.to_move)
        ]
        if not candidates:
            break
        opening.append(candidates[rng.integers(len(candidates))])
        position.play(opening[-1])
    return opening
