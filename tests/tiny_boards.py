"""Go on the tiniest boards, slowly and obviously: who wins with best play, by trying everything."""

import functools
from collections.abc import Callable

BLACK, WHITE, EMPTY = "X", "O", "."


@functools.cache
def _neighbours(size: int) -> list[list[int]]:
    steps = ((-1, 0), (1, 0), (0, -1), (0, 1))
    return [
        [(r + i) * size + c + j for i, j in steps if 0 <= r + i < size and 0 <= c + j < size]
        for r in range(size)
        for c in range(size)
    ]


def _region(board: str, point: int, size: int) -> tuple[set[int], set[str]]:
    """Return the points of the same kind that hang together with one, and what they touch."""
    region, todo, touched = {point}, [point], set()
    while todo:
        for n in _neighbours(size)[todo.pop()]:
            if board[n] != board[point]:
                touched.add(board[n])
            elif n not in region:
                region.add(n)
                todo.append(n)
    return region, touched


@functools.cache
def after(board: str, color: str, point: int, size: int) -> str | None:
    """Return the board after a move; None if the point is taken or the move is suicide."""
    if board[point] != EMPTY:
        return None
    board = board[:point] + color + board[point + 1 :]
    for n in _neighbours(size)[point]:
        if board[n] not in (EMPTY, color):
            chain, touched = _region(board, n, size)
            if EMPTY not in touched:
                board = "".join(EMPTY if p in chain else stone for p, stone in enumerate(board))
    return board if EMPTY in _region(board, point, size)[1] else None


@functools.cache
def area(board: str, size: int) -> int:
    """Return black's area minus white's (Tromp-Taylor)."""
    margin = board.count(BLACK) - board.count(WHITE)
    for point, stone in enumerate(board):
        if stone == EMPTY:
            touched = _region(board, point, size)[1]
            margin += (touched == {BLACK}) - (touched == {WHITE})
    return margin


def black_wins(size: int, komi: float, first: int | None, depth: int, if_longer: bool) -> bool:
    """Tell if black wins, after a first move or by any, with positional superko and all legal moves.

    Lines longer than `depth` count as won or lost as said. So True is a proof if they count as lost, and False is one
    if they count as won.
    """
    middle = (size - 1) / 2
    points = sorted(range(size * size), key=lambda p: abs(p // size - middle) + abs(p % size - middle))

    def wins(board: str, color: str, seen: frozenset[str], passes: int, left: int) -> bool:
        if passes == 2:
            return area(board, size) > komi
        if left == 0:
            return if_longer
        other = WHITE if color == BLACK else BLACK
        boards = [after(board, color, p, size) for p in points]
        boards = [new for new in boards if new is not None and new not in seen]
        boards.sort(key=lambda new: new.count(other))  # captures first
        boards.insert(0 if passes else len(boards), board)  # a pass, the first thing to try if it ends the game
        decided: Callable = any if color == BLACK else all
        return decided(wins(new, other, seen | {new}, passes + 1 if new == board else 0, left - 1) for new in boards)

    start = EMPTY * size * size
    if first is None:
        return wins(start, BLACK, frozenset({start}), 0, depth)
    board = after(start, BLACK, first, size)
    return wins(board, WHITE, frozenset({start, board}), 0, depth)
