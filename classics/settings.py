"""Settings of the players of this room.

Those of the Candidate Generation System are assumptions of ours about what Kim & Yoo 2000 leave open.
`docs/classics.md` lists them with what the paper says and with the effect of each on the strength of play.
"""

import dataclasses

import numpy as np

from classics.groups import ONE, TWO
from classics.influence import FULL, LIBERTIES, NO_SAFETY, Rules
from go.coordinates import POINTS, point_from_rowcol
from pipeline.settings import setting

MOST_DEPTH = 64
EVALUATIONS = ("influence", "area", "uniform", "rollout", "value")
LINKS = {"two": TWO, "one": ONE}
SAFETY = {"full": FULL, "liberties": LIBERTIES, "none": NO_SAFETY}
# Of a stone by its line, counted from the edge; a stone has the product of its row's and its column's. The third and
# fourth line are where stones take both territory and influence, so corners come first, then sides.
LINE_WEIGHTS = (0.4, 0.7, 1.1, 1.15, 1.0)


@dataclasses.dataclass
class CgsSettings:
    """The Candidate Generation System: what the paper leaves open."""

    links: str = setting(
        "two", "common empty neighbours that link two blocks: two (text) or one (equation 5)", choices=tuple(LINKS)
    )
    safety: str = setting(
        "full", "safety of a block by liberties, eyes and links, by its liberties only, or 1", choices=tuple(SAFETY)
    )
    full_liberties: float = setting(4.0, "liberties from which a block is safe", above=1, most=100)
    weights: str = setting(
        "lines", "weight of a stone: by its lines, counted from the edge, or 1", choices=("lines", "none")
    )
    reach: int = setting(4, "distance at which influence ends", least=0, most=36)
    decay: float = setting(0.5, "factor of influence for each step", above=0, most=1)
    blocked: bool = setting(True, "stones of the opponent stop influence")
    tau: float = setting(1.0, "PV = 1/2 + 1/2 tanh(IP / tau)", above=0, most=1_000)
    source: str = setting(
        "v",
        "candidates: moves with the best V after the move, or points with the best PV before it",
        choices=("v", "pv"),
    )
    candidates: int = setting(5, "number of candidates (paper: 5)", least=1, most=361)
    choice: str = setting(
        "pv", "play the candidate with the best PV (paper), or with the best V", choices=("pv", "pv_after", "v")
    )
    ahead: str = setting(
        "defend",
        "when PMS is above half the board: prefer candidates that defend, or change nothing",
        choices=("defend", "same"),
    )
    contact: bool = setting(True, "leave out moves that touch a block safer than their own, unless they capture")
    least_gain: float = setting(0.25, "least gain of V for the mover; without such a move it passes", least=0, most=361)


@dataclasses.dataclass
class LookaheadSettings:
    """Minimax and alpha-beta: how far they look, and what they think of what they see."""

    depth: int = setting(2, "moves to look ahead", least=1, most=MOST_DEPTH)
    evaluation: str = setting(
        "influence",
        "evaluation of the last positions: influence, area, the mean of uniform or rollout-policy playouts, or the "
        "value network",
        choices=EVALUATIONS,
    )
    playouts: int = setting(20, "playouts for each evaluation by playouts", least=1, most=1_000_000)
    ordered: bool = setting(True, "try moves with a high score of hand-made features first")
    batch_size: int = setting(
        16, "leaves that are evaluated at once by the rollout policy or a network", least=1, most=4_096
    )


def point_weights(kind: str, size: int) -> np.ndarray:
    """Return the weight of a stone by its point."""
    weights = np.zeros(POINTS)
    for row in range(size):
        for column in range(size):
            weights[point_from_rowcol(row, column, size)] = (
                _line_weight(row, size) * _line_weight(column, size) if kind == "lines" else 1.0
            )
    return weights


def _line_weight(line: int, size: int) -> float:
    return LINE_WEIGHTS[min(line, size - 1 - line, len(LINE_WEIGHTS) - 1)]


def rules_of(settings: CgsSettings, size: int) -> Rules:
    """Return the numbers that the kernels need for a board size."""
    return Rules(
        links=LINKS[settings.links],
        safety=SAFETY[settings.safety],
        full_liberties=float(settings.full_liberties),
        reach=settings.reach,
        decay=float(settings.decay),
        blocked=settings.blocked,
        tau=float(settings.tau),
        weights=point_weights(settings.weights, size),
    )
