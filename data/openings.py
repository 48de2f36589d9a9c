"""Random openings, so that deterministic engines play different games."""

import numpy as np

from go.board import is_eye
from go.coordinates import rowcol_from_point
from go.position import Position


def first_line(size: int) -> int:
    """Return the first line that openings use, from 0. The edge is excluded: no good opening plays there."""
    return 1 if size >= 5 else 0  # smaller boards have few other points


def longest_opening(size: int) -> int:
    """Return the largest number of moves of an opening: half the number of points it may use."""
    return (size - 2 * first_line(size)) ** 2 // 2


def draw_opening(size: int, moves: int, *seeds: int) -> list[int]:
    """Draw a random opening. The same seeds give the same opening.

    Moves are uniform among the legal moves that are not on the edge and do not fill an own eye. If there is no such
    move, the opening ends.
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
