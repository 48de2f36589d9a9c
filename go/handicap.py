"""Handicap points and star points as in GNU Go, the reference implementation of GTP 2."""

from go.coordinates import check_size, point_from_rowcol
from go.errors import GoError


def most_handicap_stones(size: int) -> int:
    """Return the largest fixed handicap: 9 on odd sizes from 9x9, 4 on 7x7 and on even sizes from 8x8, 0 below."""
    check_size(size)
    if size < 7:
        return 0
    return 9 if size % 2 == 1 and size > 7 else 4


def handicap_points(stones: int, size: int) -> list[int]:
    """Return the points of a fixed handicap: on the third line below 12x12, on the fourth line from 12x12."""
    most = most_handicap_stones(size)
    if not 2 <= stones <= most:
        if most == 0:
            raise GoError(f"There are no fixed handicap points on a {size}x{size} board; the smallest is 7x7.")
        raise GoError(f"{stones} handicap stones do not fit a {size}x{size} board: it takes from 2 to {most}.")
    near = 2 if size < 12 else 3
    far, middle = size - 1 - near, size // 2
    corners = [(far, near), (near, far), (near, near), (far, far)]
    sides = [(middle, near), (middle, far), (far, middle), (near, middle)]
    centre = [(middle, middle)]
    if stones <= 4:
        chosen = corners[:stones]
    elif stones % 2 == 0:
        chosen = corners + sides[: stones - 4]
    else:
        chosen = corners + sides[: stones - 5] + centre
    return [point_from_rowcol(row, column, size) for row, column in chosen]


def star_points(size: int) -> list[int]:
    """Return the points drawn as dots: all handicap points; by custom only corners and centre on 9x9 and 11x11."""
    most = most_handicap_stones(size)
    if most == 0:
        return []
    return handicap_points(5 if size in (9, 11) else most, size)
