"""Influence power, safety and probability values of a board: the static part of Kim & Yoo 2000.

| quantity   | paper                                                        | here                                  |
|------------|--------------------------------------------------------------|---------------------------------------|
| safety     | 0 dead, 1 unconditionally alive                              | `_safety`: liberties, eyes and links  |
| IP         | influence power: black +, white -                            | `_spread`: falls with the distance    |
| PV+, PV-   | black's and white's share of a point; 0.5 exactly if IP is 0 | 1/2 + 1/2 tanh(IP / tau), and 1 - PV+ |
| PM_B, PM_W | sum of PV+; number of points minus PM_B (equation 20)        | what `find_fields` returns            |
| PMD        | difference of PM_B and PM_W, without its sign                | `classics.cgs.Analysis.pmd`           |

The paper gives the ranges and signs of these quantities and not their formulas. All formulas are ours; `Rules` has a
number for each of our choices, and `classics.settings` a name.
"""

import math
from typing import NamedTuple

import numpy as np

from classics.groups import find_groups, root_of
from classics.life import find_alive
from go.board import BLACK, BORDER, EMPTY, ORTHOGONAL, WHITE, count_liberties, point_at
from go.coordinates import POINTS
from go.jit import kernel

NO_SAFETY, LIBERTIES, FULL = range(3)  # how safety is found: 1 for all, by the block's liberties, or by everything
EYE = 0.25  # safety that a one-point eye adds; with two, half of what unconditional life needs is there
UNPROVED = 0.9  # most safety without unconditional life, which alone is 1
ROUNDING = 1e-12  # influence that cancels out leaves no more than this
LINKED = 0.5  # share of a liberty that belongs to a linked block only: the link may be cut


class Rules(NamedTuple):
    """The choices that the paper leaves open, as kernels take them."""

    links: int  # `groups.TWO` or `groups.ONE`
    safety: int
    full_liberties: float  # liberties from which a block is safe
    reach: int  # distance at which influence ends
    decay: float  # by which influence falls with each step
    blocked: bool  # whether stones of the opponent stop influence
    tau: float
    weights: np.ndarray  # float64[POINTS], of a stone by its point


class Fields(NamedTuple):
    """What is found on a board, by point. `safety` and `group` are by the head of a block."""

    safety: np.ndarray
    ip: np.ndarray
    pv: np.ndarray  # PV+
    group: np.ndarray
    liberties: np.ndarray  # of a group, by its root (`groups.root_of`)
    eyes: np.ndarray
    alive: np.ndarray  # uint8
    seen: np.ndarray  # int64, working memory of `_spread`; its last entry counts its calls
    queue: np.ndarray  # uint16


def new_fields() -> Fields:
    return Fields(
        safety=np.zeros(POINTS),
        ip=np.zeros(POINTS),
        pv=np.zeros(POINTS),
        group=np.zeros(POINTS, np.int64),
        liberties=np.zeros(POINTS, np.int64),
        eyes=np.zeros(POINTS, np.int64),
        alive=np.zeros(POINTS, np.uint8),
        seen=np.zeros(POINTS + 1, np.int64),
        queue=np.zeros(POINTS, np.uint16),
    )


@kernel
def _safety(b, rules, fields):
    """Find the safety of each block: (liberties - 1) / (full_liberties - 1) and EYE for each eye, from 0 to UNPROVED.

    A block in atari has no safety unless it has eyes or links. Liberties of linked blocks count by the share LINKED.
    Unconditional life, and only it, is a safety of 1.
    """
    find_groups(b, rules.links, fields.group, fields.liberties, fields.eyes)
    fields.alive[:] = 0
    if rules.safety == FULL:
        find_alive(b, BLACK, fields.alive)
        find_alive(b, WHITE, fields.alive)
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if b.color[p] == EMPTY or b.chain[p] != p:
                continue
            own = float(count_liberties(b, p))
            value = (own - 1) / (rules.full_liberties - 1)
            if rules.safety == FULL:
                root = root_of(fields.group, p)
                shared = fields.liberties[root] - own
                value += LINKED * shared / (rules.full_liberties - 1) + EYE * fields.eyes[root]
            value = min(max(value, 0.0), UNPROVED)
            fields.safety[p] = 1.0 if rules.safety == NO_SAFETY or fields.alive[p] else value


@kernel
def _spread(b, source, amount, rules, fields):
    """Add the influence of one stone: `amount`, and `decay` times less with each step.

    Steps go along the lines of the board. Stones of the opponent feel the influence and, if `blocked`, stop it.
    """
    seen, queue, ip = fields.seen, fields.queue, fields.ip
    enemy = BLACK + WHITE - b.color[source]
    seen[POINTS] += 1
    mark = seen[POINTS]
    queue[0] = source
    seen[source] = mark
    done = 0
    end = 1
    distance = 0
    while done < end:
        ring = end
        while done < ring:
            p = np.uint64(queue[done])
            done += 1
            ip[p] += amount
            if (distance == rules.reach) | (rules.blocked & (b.color[p] == enemy)):
                continue
            for step in ORTHOGONAL:
                q = p + step
                if (seen[q] != mark) & (b.color[q] != BORDER):
                    seen[q] = mark
                    queue[end] = q
                    end += 1
        distance += 1
        amount *= rules.decay


@kernel
def find_fields(b, rules, fields):
    """Find safety, IP and PV of a board. Return PM_B, the sum of PV+ over the board (equation 20)."""
    _safety(b, rules, fields)
    fields.ip[:] = 0.0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if b.color[p] != EMPTY:
                amount = rules.weights[p] * fields.safety[b.chain[p]]
                if amount > 0:
                    _spread(b, p, amount if b.color[p] == BLACK else -amount, rules, fields)
    pm_black = 0.0
    for row in range(b.rows):
        for column in range(b.columns):
            p = point_at(row, column)
            if abs(fields.ip[p]) < ROUNDING:
                fields.ip[p] = 0.0
            fields.pv[p] = 0.5 + 0.5 * math.tanh(fields.ip[p] / rules.tau)
            pm_black += fields.pv[p]
    return pm_black
