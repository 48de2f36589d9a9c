"""Output shared by the commands that show a policy: the remaining moves, and a drawing of all moves."""

from pathlib import Path

import numpy as np

from go.coordinates import POINTS
from go.draw import percentages
from go.position import Position
from pipeline.artefact import write_atomic


def report_rest(chances: dict[int, float], position: Position, title: str, top: int, svg: str) -> None:
    """Print the total probability of the moves after the first `top`. Draw all moves if `svg` names a file.

    `chances` maps points to probabilities, most probable first.
    """
    rest = sum(list(chances.values())[top:])
    if rest:
        print(f"\n{len(chances) - top} more moves have {100 * rest:.2f}% together.")
    if svg:
        by_point = np.zeros(POINTS)
        by_point[list(chances)] = list(chances.values())
        heat = position.by_row_and_column(by_point)
        drawn = position.to_svg(heat=heat, labels=percentages(heat), title=f"{title}, percent")
        write_atomic(Path(svg), drawn)
        print(f"Drawn to {svg}.")
