"""The registry of the feature groups: Extended Data Table 2 of Silver et al. 2016, in its order.

The encoder runs through it, so a new group needs only its kernel in `planes` and an entry here.
"""

from collections.abc import Callable
from typing import NamedTuple

from features48 import planes
from pipeline.errors import UserError

EFFECTS, LADDERS = "effects", "ladders"


class Group(NamedTuple):
    """Planes that belong together: name, number of planes, meaning, and the kernel that writes them (`planes`).

    `needs` is what must be computed first: EFFECTS of all moves, LADDERS, or nothing.
    """

    name: str
    planes: int
    meaning: str
    write: Callable
    needs: str = ""


GROUPS = {
    group.name: group
    for group in (
        Group("stone_color", 3, "own stone, opponent's stone, empty point", planes.write_stone_color),
        Group("ones", 1, "one everywhere", planes.write_ones),
        Group("turns_since", 8, "how many turns ago the stone was played", planes.write_turns_since),
        Group("liberties", 8, "liberties of the chain", planes.write_liberties),
        Group("capture_size", 8, "how many stones a move here would capture", planes.write_capture_size, EFFECTS),
        Group(
            "self_atari_size",
            8,
            "own stones that a move here would leave in atari",
            planes.write_self_atari_size,
            EFFECTS,
        ),
        Group("liberties_after", 8, "liberties of the chain after a move here", planes.write_liberties_after, EFFECTS),
        Group("ladder_capture", 1, "a move here captures in a ladder", planes.write_ladder_capture, LADDERS),
        Group("ladder_escape", 1, "a move here escapes from a ladder", planes.write_ladder_escape, LADDERS),
        Group("sensibleness", 1, "a move here is legal and fills no own eye", planes.write_sensibleness, EFFECTS),
        Group("zeros", 1, "zero everywhere", planes.write_zeros),
        Group("color", 1, "one everywhere if black is to move", planes.write_color),
    )
}


def _prefix(last: str) -> tuple[str, ...]:
    names = list(GROUPS)
    return tuple(names[: names.index(last) + 1])


# The inputs of Extended Data Table 3, by their number of planes, and that of the value network.
SUBSETS = {
    4: _prefix("ones"),
    12: _prefix("turns_since"),
    20: _prefix("liberties"),
    48: _prefix("zeros"),
    49: _prefix("color"),
}


def groups_of(planes: int) -> tuple[str, ...]:
    """Return the groups of an input, given by its number of planes."""
    if planes not in SUBSETS:
        raise UserError(f"planes={planes} is none of {', '.join(map(str, SUBSETS))}.")
    return SUBSETS[planes]


def plane_names(names: tuple[str, ...]) -> list[str]:
    """Name every plane of some groups, as in "liberties 3" or "liberties 8+"."""
    said = {"stone_color": ["own stones", "opponent's stones", "empty points"]}
    for group in GROUPS.values():
        numbers = [str(k) for k in range(1, group.planes)] + [f"{group.planes}+"]
        label = group.name.replace("_", " ")
        said.setdefault(group.name, [f"{label} {k}" for k in numbers] if group.planes > 1 else [label])
    return [plane for name in names for plane in said[name]]
