"""Nodes per second of alpha-beta beside the same algorithm in pure Python on sgfmill's board, and decisions of `cgs`.

- Both searches do the same work: the same moves in the same order (legal by the rules with positional superko, filling
  no own eye, and a pass), the same bounds, and the area as it stands at the leaves. The numbers of nodes are equal,
  which is checked. In pure Python, legality is tried on a copy of sgfmill's board and the area is sgfmill's own.
- Positions are from random play, so that there is something to capture.
- A decision of `cgs` is everything: fields, a trial of every move, candidates and reasons, on one thread, measured
  in processor time, so that other work on the machine does not count.
"""

import functools
import math
import statistics
import time
from collections.abc import Callable, Iterator

from sgfmill.boards import Board

from benchmarks.measure import Bar, in_turn, median, ratio
from classics.evaluation import area, influence
from classics.lookahead import Lookahead
from classics.player import CgsPlayer
from classics.settings import CgsSettings
from go.board import BLACK, WHITE
from go.coordinates import rowcol_from_point
from go.playout import new_rng, random_move
from go.position import Position
from pipeline.tables import table

DEPTHS = {5: 4, 9: 2}  # by board size
PLIES = {5: 8, 9: 30, 19: 120}
DECISIONS = (0, 60, 120, 180, 240)  # moves played on 19x19 before `cgs` decides
ORTHOGONAL, DIAGONAL = ((-1, 0), (0, -1), (0, 1), (1, 0)), ((-1, -1), (-1, 1), (1, -1), (1, 1))


@functools.cache
def random_position(size: int, plies: int, seed: int = 7) -> Position:
    position, rng = Position(size), new_rng(seed, size)
    while len(position.history) < plies:
        position.play(random_move(position.board, rng))
    return position


class PurePython:
    """Alpha-beta on sgfmill's board. Values are those of black."""

    def __init__(self, position: Position) -> None:
        self.komi, self.size, self.nodes = position.komi, position.size, 0
        past = position.start()
        self.seen = {_key(board_of(past))}
        for color, point in position.history:
            past.play(point, color)
            self.seen.add(_key(board_of(past)))

    def search(self, board: Board, colour: str, passes: int, depth: int, alpha: float, beta: float) -> float:
        self.nodes += 1
        if passes == 2 or depth == 0:
            return board.area_score() - self.komi
        best = -math.inf if colour == "b" else math.inf
        other = "w" if colour == "b" else "b"
        for after in self.boards_after(board, colour):
            key = None if after is board else _key(after)
            if key is not None:
                self.seen.add(key)
            value = self.search(after, other, passes + 1 if after is board else 0, depth - 1, alpha, beta)
            if key is not None:
                self.seen.remove(key)
            if colour == "b":
                best, alpha = max(best, value), max(alpha, value)
            else:
                best, beta = min(best, value), min(beta, value)
            if alpha >= beta:
                break
        return best

    def boards_after(self, board: Board, colour: str) -> list[Board]:
        """Return the boards after each move, in the order of the points; the last one is that of a pass."""
        found = []
        for row in range(self.size):
            for column in range(self.size):
                if board.get(row, column) is None and not self.is_eye(board, row, column, colour):
                    after = board.copy()
                    after.play(row, column, colour)
                    if after.get(row, column) is not None and _key(after) not in self.seen:
                        found.append(after)
        return [*found, board]

    def is_eye(self, board: Board, row: int, column: int, colour: str) -> bool:
        if any(board.get(*place) != colour for place in places(row, column, self.size, ORTHOGONAL)):
            return False
        corners = [board.get(*place) for place in places(row, column, self.size, DIAGONAL)]
        return sum(found not in (None, colour) for found in corners) + (len(corners) < 4) < 2


def _key(board: Board) -> tuple:
    return tuple(map(tuple, board.board))


def places(row: int, column: int, size: int, steps: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Yield the points of the board that some steps lead to."""
    for down, right in steps:
        if 0 <= row + down < size and 0 <= column + right < size:
            yield row + down, column + right


def board_of(position: Position) -> Board:
    """Return a position as sgfmill's board."""
    board = Board(position.size)
    colors = position.board["color"]
    black, white = (
        [rowcol_from_point(int(point), position.size) for point in (colors == color).nonzero()[0]]
        for color in (BLACK, WHITE)
    )
    board.apply_setup(black, white, [])
    return board


def pure_python(position: Position, depth: int) -> tuple[float, int]:
    """Search a position in pure Python. Return the value and the number of nodes."""
    search, board = PurePython(position), board_of(position)
    colour, passes = "b" if position.to_move == BLACK else "w", int(position.board["passes"])
    return search.search(board, colour, passes, depth, -math.inf, math.inf), search.nodes


def compiled_rate(size: int, evaluation: Callable = area) -> float:
    """Return nodes per second of our alpha-beta."""
    position = random_position(size, PLIES[size])
    search = Lookahead(size, evaluation(), DEPTHS[size], ordered=False)
    began, nodes = time.perf_counter(), 0
    while time.perf_counter() - began < 0.2:
        nodes += search.search(position).nodes
    return nodes / (time.perf_counter() - began)


def pure_python_rate(size: int) -> float:
    """Return nodes per second of alpha-beta on sgfmill's board."""
    began = time.perf_counter()
    nodes = pure_python(random_position(size, PLIES[size]), DEPTHS[size])[1]
    return nodes / (time.perf_counter() - began)


def decision_rate(player: CgsPlayer, plies: int) -> float:
    """Return decisions of `cgs` per second of processor time, on 19x19 after some random moves."""
    position = random_position(19, plies)
    began, count = time.thread_time(), 0
    while time.thread_time() - began < 0.1:
        player.decide(position)
        count += 1
    return count / (time.thread_time() - began)


def check_equal() -> None:
    """Raise an error if the two searches do not visit the same number of nodes and find the same value."""
    for size, depth in DEPTHS.items():
        position = random_position(size, PLIES[size])
        found = Lookahead(size, area(), depth, ordered=False).search(position)
        if (found.value, found.nodes) != pure_python(position, depth):
            raise AssertionError(f"The searches differ on {size}x{size}.")


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars."""
    check_equal()
    player = CgsPlayer(19, CgsSettings())
    contestants: dict[str, Callable[[], float]] = {}
    for size in DEPTHS:
        contestants[f"compiled {size}"] = functools.partial(compiled_rate, size)
        contestants[f"influence {size}"] = functools.partial(compiled_rate, size, influence)
        contestants[f"python {size}"] = functools.partial(pure_python_rate, size)
    for plies in DECISIONS:
        contestants[f"cgs {plies}"] = functools.partial(decision_rate, player, plies)
    rates = in_turn(contestants, rounds, "measurements of the classics")
    searches = [
        [
            f"{size}x{size}, depth {depth}",
            f"{median(rates, f'compiled {size}'):,.0f}",
            f"{median(rates, f'python {size}'):,.0f}",
            f"{ratio(rates, f'compiled {size}', f'python {size}'):,.0f}x",
            f"{median(rates, f'influence {size}'):,.0f}",
        ]
        for size, depth in DEPTHS.items()
    ]
    decisions = {plies: 1000 / median(rates, f"cgs {plies}") for plies in DECISIONS}
    rows = [[f"{plies} moves", f"{taken:.1f} ms"] for plies, taken in decisions.items()]
    header = ["alpha-beta, nodes/s", "compiled", "pure Python, sgfmill", "compiled over it", "compiled, by influence"]
    bars = [
        Bar(f"{size}x{size}: nodes/s over pure Python", ratio(rates, f"compiled {size}", f"python {size}"), 10)
        for size in DEPTHS
    ]
    bars.append(Bar("19x19: slowest decision of cgs", max(decisions.values()), 20, at_most=True, unit=" ms"))
    mean = f"Mean of the decisions: {statistics.mean(decisions.values()):.1f} ms."
    return f"{table(header, searches)}\n\n{table(['cgs on 19x19, after', 'a decision'], rows)}\n\n{mean}", bars
