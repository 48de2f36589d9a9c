"""The features of the rollout and the tree policy from their definitions alone, for all candidates of a position.

Slow and plain on purpose, to check the kernels of `rollout` against; the rules are those of `planes_reference`. A point
is `row * size + column`. A feature is a name that a person can read:

| name                           | fires when                                                                      |
|--------------------------------|---------------------------------------------------------------------------------|
| ("square", code)               | always: the 3x3 pattern around the move                                         |
| ("neighbour", direction)       | the move touches the previous one; directions are counted in reading order      |
| ("response", code, place)      | the move is one of the 12 points around the previous one                        |
| "response"                     | a response pattern fires that the policy knows (`known`)                        |
| "save atari"                   | own stones that are in atari are not after the move                             |
| ("nakade", shape, cell)        | the move is in the space of 3 to 6 connected own stones, just captured          |
| "self-atari"                   | the chain of the move has one liberty                                           |
| ("distance", 1 or 2, distance) | always, if that move was on the board and elsewhere: 1 to 16, 17 for all above  |
| ("diamond", code)              | always: the 12 points around the move                                           |
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import planes_reference as rules
from planes_reference import EMPTY, Situation

from data.replay import decode_move
from go.coordinates import point_from_rowcol

Cell = tuple[int, int]
Feature = Any  # a name, alone or with numbers

SQUARE = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
DIAMOND = (
    *((-2, 0), (-1, -1), (-1, 0), (-1, 1)),
    *((0, -2), (0, -1), (0, 1), (0, 2)),
    *((1, -1), (1, 0), (1, 1), (2, 0)),
)
SYMMETRIES = (
    lambda row, column: (row, column),
    lambda row, column: (row, -column),
    lambda row, column: (-row, column),
    lambda row, column: (-row, -column),
    lambda row, column: (column, row),
    lambda row, column: (column, -row),
    lambda row, column: (-column, row),
    lambda row, column: (-column, -row),
)
BORDER_STATE = 7
FARTHEST = 17


class Seen(NamedTuple):
    """All that the features depend on: the position, the last two moves, and the own stones that the last one took."""

    at: Situation
    last: int | None = None
    before: int | None = None
    taken: frozenset[int] = frozenset()


def code(states: Iterable[int]) -> int:
    return sum(state * 8**place for place, state in enumerate(states))


def states(number: int, points: int) -> list[int]:
    """Return the states of the points of a pattern, in reading order."""
    return [number // 8**place % 8 for place in range(points)]


@functools.cache
def images(steps: tuple[Cell, ...]) -> list[list[int]]:
    """Return by symmetry where each point of a pattern goes."""
    return [[steps.index(turn(*step)) for step in steps] for turn in SYMMETRIES]


@functools.cache
def canonical(around: tuple[int, ...], steps: tuple[Cell, ...], place: int = 0) -> tuple[int, int]:
    """Return the smallest image of a pattern with one of its points."""
    found = []
    for targets in images(steps):
        turned = dict(zip(targets, around, strict=True))
        found.append((code(turned[k] for k in range(len(steps))), targets[place]))
    return min(found)


@functools.cache
def canonical_shape(shape: frozenset[Cell], cell: Cell) -> tuple[tuple[Cell, ...], Cell]:
    """Return the smallest image of a shape, at the upper left, with one of its cells."""
    found = []
    for turn in SYMMETRIES:
        turned = [turn(*place) for place in shape]
        top, left = min(row for row, _ in turned), min(column for _, column in turned)
        row, column = turn(*cell)
        found.append((tuple(sorted((r - top, c - left) for r, c in turned)), (row - top, column - left)))
    return min(found)


def point_states(at: Situation) -> list[int]:
    """Return the state of each point as the player to move sees it: 0 empty, 1 to 3 own, 4 to 6 the enemy's."""
    found = [0] * len(at.stones)
    for point, color in enumerate(at.stones):
        if color != EMPTY and not found[point]:
            chain, liberties = rules.chain_of(at.size, at.stones, point)
            for stone in chain:
                found[stone] = min(len(liberties), 3) + (0 if color == at.to_move else 3)
    return found


def pattern(by_point: Sequence[int], size: int, point: int, steps: tuple[Cell, ...]) -> tuple[int, ...]:
    """Return the states around a point."""
    row, column = divmod(point, size)
    return tuple(
        by_point[(row + down) * size + column + right]
        if 0 <= row + down < size and 0 <= column + right < size
        else BORDER_STATE
        for down, right in steps
    )


def step_between(size: int, first: int, second: int) -> Cell:
    (row, column), (to_row, to_column) = divmod(first, size), divmod(second, size)
    return to_row - row, to_column - column


def is_connected(size: int, points: frozenset[int]) -> bool:
    reached = {min(points)}
    while more := {place for point in reached for place in rules.neighbours(size)[point] if place in points} - reached:
        reached |= more
    return reached == points


def features(seen: Seen) -> dict[int, set[Feature]]:
    """Return all features of each candidate: legal, and not into an own eye."""
    at, size = seen.at, seen.at.size
    by_point = point_states(at)
    in_atari = [point for point, state in enumerate(by_point) if state == 1]
    response = pattern(by_point, size, seen.last, DIAMOND) if seen.last is not None else None
    is_nakade = 3 <= len(seen.taken) <= 6 and is_connected(size, seen.taken)
    found = {}
    for point, state in enumerate(by_point):
        move = rules.after(size, at.stones, at.ko, point, at.to_move) if state == 0 else None
        if move is None or rules.is_eye(size, at.stones, point, at.to_move):
            continue
        fires = found[point] = {
            ("square", canonical(pattern(by_point, size, point, SQUARE), SQUARE)[0]),
            ("diamond", canonical(pattern(by_point, size, point, DIAMOND), DIAMOND)[0]),
        }
        for back, earlier in ((1, seen.last), (2, seen.before)):
            distance = sum(map(abs, step_between(size, earlier, point))) if earlier is not None else 0
            if distance:
                fires.add(("distance", back, min(distance, FARTHEST)))
        if seen.last is not None:
            step = step_between(size, seen.last, point)
            if step in SQUARE:
                fires.add(("neighbour", SQUARE.index(step)))
            if step in DIAMOND:
                fires.add(("response", *canonical(response, DIAMOND, DIAMOND.index(step))))
        if any(len(rules.chain_of(size, move.stones, stone)[1]) > 1 for stone in in_atari):
            fires.add("save atari")
        if is_nakade and point in seen.taken:
            cells = frozenset(divmod(stone, size) for stone in seen.taken)
            fires.add(("nakade", *canonical_shape(cells, divmod(point, size))))
        if len(move.liberties) == 1:
            fires.add("self-atari")
    return found


def known(found: dict[int, set[Feature]], names: set[Feature]) -> dict[int, set[Feature]]:
    """Return what is left for a policy that knows only these features."""
    left = {point: fires & names for point, fires in found.items()}
    for fires in left.values():
        if any(feature[0] == "response" for feature in fires):
            fires.add("response")
    return left


def of_record(size: int, moves: Sequence[int], setup: Iterable[Sequence[int]]) -> Iterator[Seen]:
    """Play a stored game (`data.replay`); yield what is seen before each move and at last.

    Set-up in mid-game ends the nakade of the move before it, and a player who moves twice took no own stones.
    """
    rows = [tuple(map(int, row)) for row in setup]
    edited = {row[0] for row in rows}
    situations = list(rules.of_record(size, moves, rows))
    numbers = {point_from_rowcol(*divmod(place, size), size): place for place in range(size * size)}
    played: list[tuple[int, int | None]] = [(color, numbers.get(point)) for color, point in map(decode_move, moves)]
    for ply, at in enumerate(situations):
        earlier = [point for _, point in reversed(played[max(0, ply - 2) : ply])] + [None, None]
        taken: set[int] = set()
        if ply and earlier[0] is not None and ply not in edited and played[ply - 1][0] != at.to_move:
            previous = situations[ply - 1]
            taken = rules.after(size, previous.stones, previous.ko, earlier[0], previous.to_move).captured
        yield Seen(at, *earlier[:2], frozenset(taken))
