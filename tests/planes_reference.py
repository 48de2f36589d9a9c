"""The 48 planes from their definitions alone: sets, flood fill and a game tree on a board of its own.

Slow and plain on purpose, to check the kernel of `features48` against: it shares neither the rules nor the ladders nor
the order of the points with it. A point is `row * size + column`, the stones are bytes, one a point, and nothing is
kept up to date that can be found out by looking.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from data.replay import decode_move
from go.coordinates import point_from_rowcol
from go.position import Position

EMPTY, BLACK, WHITE = 0, 1, 2
EIGHT = 8  # the last plane of a group of eight stands for this many or more
FIRST = {
    "stone_color": 0,
    "ones": 3,
    "turns_since": 4,
    "liberties": 12,
    "capture_size": 20,
    "self_atari_size": 28,
    "liberties_after": 36,
    "ladder_capture": 44,
    "ladder_escape": 45,
    "sensibleness": 46,
    "zeros": 47,
    "color": 48,
}
PLANES = 49
CAPTURED, ESCAPED, ENDLESS = "captured", "escaped", "endless"


def other(color: int) -> int:
    return WHITE if color == BLACK else BLACK


def _steps(size: int, steps: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple((row + y) * size + column + x for y, x in steps if 0 <= row + y < size and 0 <= column + x < size)
        for row in range(size)
        for column in range(size)
    )


@functools.cache
def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    return _steps(size, ((-1, 0), (0, -1), (0, 1), (1, 0)))


@functools.cache
def diagonals(size: int) -> tuple[tuple[int, ...], ...]:
    return _steps(size, ((-1, -1), (-1, 1), (1, -1), (1, 1)))


class Situation(NamedTuple):
    """All that the planes depend on: `turns` says of points how many turns ago, 1 to 7, the last move there was."""

    size: int
    stones: bytes
    ko: int | None
    to_move: int
    turns: dict[int, int]


class After(NamedTuple):
    """What a legal move leads to: the board, the point that ko then forbids, and what became of the stone's chain."""

    stones: bytes
    ko: int | None
    captured: set[int]
    chain: set[int]
    liberties: set[int]


def chain_of(size: int, stones: bytes | bytearray, point: int) -> tuple[set[int], set[int]]:
    """Return the chain that a stone belongs to, and its liberties."""
    around, color = neighbours(size), stones[point]
    chain, liberties, todo = {point}, set(), [point]
    for stone in todo:  # which grows meanwhile
        for place in around[stone]:
            if stones[place] == EMPTY:
                liberties.add(place)
            elif stones[place] == color and place not in chain:
                chain.add(place)
                todo.append(place)
    return chain, liberties


def after(size: int, stones: bytes, ko: int | None, point: int, color: int) -> After | None:
    """Play a move; None if it is illegal: on a stone, against the simple ko, or suicide."""
    if stones[point] != EMPTY or point == ko:
        return None
    board, captured = bytearray(stones), set()
    board[point] = color
    for place in neighbours(size)[point]:
        if board[place] == other(color) and place not in captured:
            chain, liberties = chain_of(size, board, place)
            if not liberties:
                captured |= chain
    for place in captured:
        board[place] = EMPTY
    chain, liberties = chain_of(size, board, point)
    if not liberties:
        return None
    is_ko = len(captured) == len(chain) == len(liberties) == 1
    return After(bytes(board), min(captured) if is_ko else None, captured, chain, liberties)


class LadderReader:
    """Tells if a chain, the prey, is captured by an unbroken sequence of ataris.

    A line that comes back to a position that it has been in proves nothing, for either side: neither CAPTURED nor
    ESCAPED rests on it. What is proved is remembered; it does not depend on how the position came about.
    """

    def __init__(self, size: int, prey: int, prey_color: int) -> None:
        self.size, self.prey, self.owner, self.hunter = size, prey, prey_color, other(prey_color)
        self.proved: dict[tuple[bytes, int | None, bool], str] = {}
        self.line: set[tuple[bytes, int | None, bool]] = set()

    def answer(self, stones: bytes, ko: int | None, hunter_to_move: bool) -> str:
        key = stones, ko, hunter_to_move
        if key in self.proved:
            return self.proved[key]
        if key in self.line:
            return ENDLESS
        self.line.add(key)
        answer = self.hunt(stones, ko) if hunter_to_move else self.flee(stones, ko)
        self.line.remove(key)
        if answer != ENDLESS:
            self.proved[key] = answer
        return answer

    def hunt(self, stones: bytes, ko: int | None) -> str:
        """Answer with the hunter to move."""
        _, liberties = chain_of(self.size, stones, self.prey)
        if len(liberties) > 2:
            return ESCAPED
        moves = [after(self.size, stones, ko, point, self.hunter) for point in liberties]
        if len(liberties) == 1:
            return CAPTURED if moves[0] else ESCAPED
        return self.best(moves, wish=CAPTURED, otherwise=ESCAPED)

    def flee(self, stones: bytes, ko: int | None) -> str:
        """Answer with the prey's owner to move; the prey is in atari."""
        moves = [after(self.size, stones, ko, point, self.owner) for point in self.ways_out(stones)]
        return self.best(moves, wish=ESCAPED, otherwise=CAPTURED)

    def best(self, moves: list[After | None], wish: str, otherwise: str) -> str:
        """Return what a side that wishes for one answer can reach with one of its legal moves."""
        answers = set()
        for move in filter(None, moves):
            answers.add(self.answer(move.stones, move.ko, hunter_to_move=wish == ESCAPED))
            if wish in answers:
                return wish
        return ENDLESS if ENDLESS in answers else otherwise

    def ways_out(self, stones: bytes) -> set[int]:
        """Return the last liberties of the prey, which is in atari, and of the hunter's chains in atari around it."""
        chain, points = chain_of(self.size, stones, self.prey)
        for place in {place for stone in chain for place in neighbours(self.size)[stone]}:
            if stones[place] == self.hunter:
                _, liberties = chain_of(self.size, stones, place)
                if len(liberties) == 1:
                    points |= liberties
        return points


def ladder_points(at: Situation) -> tuple[set[int], set[int]]:
    """Return the points of the planes ladder_capture and ladder_escape."""
    own, opponent = at.to_move, other(at.to_move)
    captures, escapes, seen = set(), set(), set()
    for stone, color in enumerate(at.stones):
        if color == EMPTY or stone in seen:
            continue
        chain, liberties = chain_of(at.size, at.stones, stone)
        seen |= chain
        reader = LadderReader(at.size, stone, color)
        if color == opponent and len(liberties) == 2:
            for point in liberties:
                move = after(at.size, at.stones, at.ko, point, own)
                if move and reader.answer(move.stones, move.ko, hunter_to_move=False) == CAPTURED:
                    captures.add(point)
        elif color == own and len(liberties) == 1:
            for point in reader.ways_out(at.stones):
                move = after(at.size, at.stones, at.ko, point, own)
                if move and reader.answer(move.stones, move.ko, hunter_to_move=True) == ESCAPED:
                    escapes.add(point)
    return captures, escapes


def is_eye(size: int, stones: bytes, point: int, color: int) -> bool:
    """Tell if an empty point is a one-point eye: at most one enemy at its diagonals, and none at the edge."""
    if any(stones[place] != color for place in neighbours(size)[point]):
        return False
    corners = diagonals(size)[point]
    enemies = sum(stones[place] == other(color) for place in corners)
    return enemies <= (1 if len(corners) == 4 else 0)


def planes(at: Situation) -> np.ndarray:
    """Return all 49 planes as uint8 by plane, row and column."""
    area = at.size * at.size
    out = [bytearray(area) for _ in range(PLANES)]

    def count(group: str, number: int, point: int) -> None:
        """Mark a point in the plane of its number, from 1 on; 0 has no plane."""
        if number:
            out[FIRST[group] + min(number, EIGHT) - 1][point] = 1

    for point, color in enumerate(at.stones):
        out[FIRST["ones"]][point] = 1
        out[FIRST["color"]][point] = at.to_move == BLACK
        out[FIRST["stone_color"] + (2 if color == EMPTY else 0 if color == at.to_move else 1)][point] = 1
        if color != EMPTY:
            count("turns_since", at.turns.get(point, EIGHT), point)
            count("liberties", len(chain_of(at.size, at.stones, point)[1]), point)
            continue
        move = after(at.size, at.stones, at.ko, point, at.to_move)
        if move:
            count("capture_size", len(move.captured), point)
            count("self_atari_size", len(move.chain) if len(move.liberties) == 1 else 0, point)
            count("liberties_after", len(move.liberties), point)
            out[FIRST["sensibleness"]][point] = not is_eye(at.size, at.stones, point, at.to_move)
    for group, points in zip(("ladder_capture", "ladder_escape"), ladder_points(at), strict=True):
        for point in points:
            out[FIRST[group]][point] = 1
    return np.frombuffer(b"".join(out), np.uint8).reshape(PLANES, at.size, at.size)


def last_turns(points: Iterable[int | None]) -> dict[int, int]:
    """Say how many turns ago each of the last seven moves was, given the moves from the last one back (None: a pass).

    Where two of them were on the same point, the later one counts.
    """
    turns: dict[int, int] = {}
    for ago, point in zip(range(1, EIGHT), points, strict=False):
        if point is not None:
            turns.setdefault(point, ago)
    return turns


def of_position(position: Position) -> Situation:
    """Take what the planes depend on from a `go.Position`: its stones, its ko, whose turn it is, its last moves."""
    points = {point: i for i, point in enumerate(_go_points(position.size))}
    return Situation(
        position.size,
        bytes(position.colors.ravel().tolist()),
        points[position.ko] if position.ko else None,
        position.to_move,
        last_turns(points.get(move.point) for move in reversed(position.history)),
    )


@functools.cache
def _go_points(size: int) -> tuple[int, ...]:
    """List the points of `go.coordinates` row by row."""
    return tuple(point_from_rowcol(row, column, size) for row in range(size) for column in range(size))


def of_record(size: int, moves: Iterable[int], setup: Iterable[Sequence[int]]) -> Iterator[Situation]:
    """Play a stored game (`data.replay`) by the rules of this module; yield the situation before each move and at last.

    A move out of turn is as good as a pass of the other side, which lifts a ko, as set-up stones in mid-game do.
    """
    points = {point: i for i, point in enumerate(_go_points(size))}
    played = [(color, points.get(point)) for color, point in map(decode_move, moves)]
    edits: dict[int, dict[int, int]] = {}
    for ply, color, point in setup:
        edits.setdefault(int(ply), {})[points[int(point)]] = int(color)
    stones, ko, to_move, history = bytes(size * size), None, BLACK, []
    for ply, (color, point) in enumerate([*played, (None, None)]):
        if ply in edits:
            stones = bytes(edits[ply].get(place, stone) for place, stone in enumerate(stones))
            ko, history = None, [None if place in edits[ply] else place for place in history]
        if color not in (to_move, None):
            ko, to_move = None, color
        yield Situation(size, stones, ko, to_move, last_turns(reversed(history)))
        history.append(point)
        to_move = other(to_move)
        if point is None:
            ko = None
            continue
        move = after(size, stones, ko, point, color)
        if move is None:
            raise ValueError(f"Move {ply + 1} of the record is illegal.")
        stones, ko = move.stones, move.ko


def turned(at: Situation, symmetry: int) -> Situation:
    """Turn a situation by one of the eight symmetries, numbered as in `go.coordinates`."""

    def to(point: int) -> int:
        row, column = divmod(point, at.size)
        row, column = (column, row) if symmetry & 4 else (row, column)
        row = at.size - 1 - row if symmetry & 2 else row
        column = at.size - 1 - column if symmetry & 1 else column
        return row * at.size + column

    stones = bytearray(len(at.stones))
    for point, color in enumerate(at.stones):
        stones[to(point)] = color
    ko = None if at.ko is None else to(at.ko)
    return Situation(at.size, bytes(stones), ko, at.to_move, {to(point): ago for point, ago in at.turns.items()})
