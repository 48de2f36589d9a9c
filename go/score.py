"""Tromp-Taylor area scoring.

A stone counts for its colour. An empty point counts for a colour if it reaches only that colour through empty points.
"""

import numpy as np

from go.board import BLACK, EMPTY, ORTHOGONAL, WHITE, point_at
from go.coordinates import POINTS
from go.jit import kernel


@kernel
def area_owners(b, owners):
    """Write the colour that owns each point to `owners` (EMPTY: none). Return black's area minus white's."""
    stack = np.empty(POINTS, np.uint16)
    margin = 0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            owners[p] = b.color[p]
            margin += (b.color[p] == BLACK) - np.int64(b.color[p] == WHITE)

    seen = np.zeros(POINTS, np.uint8)
    for i in range(b.n_empty):
        if seen[b.empties[i]]:
            continue
        stack[0] = b.empties[i]
        seen[stack[0]] = 1
        size = 1  # the stack is never popped, so at the end it holds the whole region
        done = 0
        reached = 0
        while done < size:
            p = np.uint64(stack[done])
            done += 1
            for step in ORTHOGONAL:
                q = p + step
                if b.color[q] == EMPTY:
                    if not seen[q]:
                        seen[q] = 1
                        stack[size] = q
                        size += 1
                elif b.color[q] <= WHITE:
                    reached |= b.color[q]
        if reached in (BLACK, WHITE):
            margin += size if reached == BLACK else -size
            for k in range(size):
                owners[stack[k]] = reached
    return margin


@kernel
def area_margin(b):
    """Return black's area minus white's, without komi."""
    return area_owners(b, np.empty(POINTS, np.uint8))
