"""Heat maps of the feature planes, one for each group, that any player can show."""

from collections.abc import Callable

import numpy as np

from features48.encoder import Encoder
from features48.groups import GROUPS, groups_of
from go.position import Position

CONSTANT = ("ones", "zeros")  # the same on every point


def plane_maps() -> dict[str, Callable[[Position], np.ndarray]]:
    """Return heat maps by name: functions from a position to the number of the plane that is set on each point."""

    def shown(group: str) -> Callable[[Position], np.ndarray]:
        def numbers(position: Position) -> np.ndarray:
            planes = Encoder((group,)).position(position)
            return np.where(planes.any(axis=0), planes.argmax(axis=0) + 1, 0)

        return numbers

    return {f"plane {GROUPS[name].name}": shown(name) for name in groups_of(48) if name not in CONSTANT}
