"""The games of Kim & Yoo 2000, as far as they are printed, and what their numbers imply.

The paper counts rows from the top: O5 is in the upper right. So `from_paper` turns its points into ours.
"""

from typing import NamedTuple

from go.coordinates import GTP_COLUMNS, point_from_rowcol

POINTS = 361
PRINTED_PM = (190.8, 162.2)  # PM of both sides at move 53 of the second game. Their sum is 353, not 361: a misprint


class Choice(NamedTuple):
    """Candidates that the paper prints, in its own coordinates, and the one that was played."""

    opponent: str
    move: int
    candidates: tuple[str, ...]
    chosen: str
    reasons: dict[str, str]


CHOICES = (
    Choice(
        "NEMESIS",
        57,
        ("F6", "F7", "J16", "O5", "P13"),
        "O5",
        {
            "F6": "upper left",
            "F7": "upper left",
            "J16": "defends black 55",
            "O5": "eye for the upper right",
            "P13": "links the lower right with black 39",
        },
    ),
    Choice("Many Faces of Go", 53, ("E9", "R10", "N14", "M13", "Q9"), "Q9", {}),
)


def from_paper(vertex: str, size: int = 19) -> int:
    """Return the point of a vertex of the paper, whose rows count from the top."""
    return point_from_rowcol(int(vertex[1:]) - 1, GTP_COLUMNS.index(vertex[0].upper()), size)


def pm_of_lead(lead: float, points: int = POINTS) -> tuple[float, float]:
    """Return the PM of the side that leads by `lead`, and that of the other side (equation 20)."""
    return (points + lead) / 2, (points - lead) / 2
