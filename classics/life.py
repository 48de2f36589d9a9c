"""Unconditional life (Benson 1976): blocks that cannot be captured even if their owner always passes.

An eye space of a colour is a connected set of points without its stones, all of which touch one of its blocks. A block
with two eye spaces that all blocks around them share in this way lives. Benson asks only that the *empty* points of an
eye space touch the block. Here all of them must, so that no stone of the opponent can make a block safer. What is found
alive here is alive by Benson's theorem, too.
"""

import numpy as np

from go.board import BORDER, ORTHOGONAL, point_at
from go.coordinates import POINTS
from go.jit import kernel

MOST_TOUCHED = 4  # blocks that one point can touch


@kernel
def find_alive(b, color, alive):
    """Set `alive[head]` to 1 for each unconditionally alive block of a colour, by the head of its chain."""
    region = np.full(POINTS, -1, np.int16)
    queue = np.empty(POINTS, np.uint16)
    start = np.empty(POINTS, np.int16)  # by region: its points are queue[start:start of the next one]
    regions = 0
    end = 0
    for row in range(b.rows):
        for column in range(b.columns):
            first = point_at(row, column)
            if b.color[first] == color:
                alive[b.chain[first]] = 1
                continue
            if region[first] >= 0:
                continue
            start[regions] = end
            region[first] = regions
            queue[end] = first
            done = end
            end += 1
            while done < end:
                p = np.uint64(queue[done])
                done += 1
                for step in ORTHOGONAL:
                    q = p + step
                    if (b.color[q] != color) & (b.color[q] != BORDER) & (region[q] < 0):
                        region[q] = regions
                        queue[end] = q
                        end += 1
            regions += 1
    start[regions] = end
    _keep_those_with_two_eyes(b, color, alive, queue, start, regions)


@kernel
def _keep_those_with_two_eyes(b, color, alive, queue, start, regions):
    """Drop blocks with fewer than two eye spaces, and eye spaces that touch a dropped block, until nothing changes."""
    eyes = np.empty(POINTS, np.int16)
    touched = np.empty(MOST_TOUCHED, np.uint16)
    is_eye_space = np.ones(regions, np.uint8)
    changed = True
    while changed:
        changed = False
        eyes[:] = 0
        for r in range(regions):
            if not is_eye_space[r]:
                continue
            count = _blocks_that_all_points_touch(b, color, queue, start[r], start[r + 1], touched)
            if count == 0 or not _all_alive(b, color, alive, queue, start[r], start[r + 1]):
                is_eye_space[r] = False
                continue
            for i in range(count):
                eyes[touched[i]] += 1
        for row in range(b.rows):
            for column in range(b.columns):
                p = point_at(row, column)
                if b.color[p] == color and b.chain[p] == p and alive[p] and eyes[p] < 2:
                    alive[p] = 0
                    changed = True


@kernel
def _blocks_that_all_points_touch(b, color, queue, first, stop, touched):
    """Write the blocks that touch every point of a region to `touched`; return their number."""
    count = 0
    p = np.uint64(queue[first])
    for step in ORTHOGONAL:
        if b.color[p + step] == color:
            head = b.chain[p + step]
            is_new = True
            for i in range(count):
                is_new &= touched[i] != head
            if is_new:
                touched[count] = head
                count += 1
    for k in range(first + 1, stop):
        p = np.uint64(queue[k])
        kept = 0
        for i in range(count):
            touches = False
            for step in ORTHOGONAL:
                touches |= (b.color[p + step] == color) & (b.chain[p + step] == touched[i])
            if touches:
                touched[kept] = touched[i]
                kept += 1
        count = kept
        if count == 0:
            break
    return count


@kernel
def _all_alive(b, color, alive, queue, first, stop):
    """Return whether all blocks around a region may still be alive."""
    for k in range(first, stop):
        p = np.uint64(queue[k])
        for step in ORTHOGONAL:
            if b.color[p + step] == color and not alive[b.chain[p + step]]:
                return False
    return True
