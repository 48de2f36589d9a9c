"""Uniform playouts and moves per second, compared with OpenSpiel's Go (C++) and sgfmill's board (Python).

- Prezero plays complete random games in a kernel by the reference rules, and keeps exact liberties and hashes.
- OpenSpiel's search is its own C++ `MCTSBot` with `RandomRolloutEvaluator`, as its users run it. It is measured with 1
  and with 50 rollouts per leaf, and the faster counts. Its random games fill eyes and so are longer.
- sgfmill's board plays random games by the same rules. A player of ours in plain Python chooses the moves. This is the
  same work as a playout, but includes the player's time. So sgfmill also replays games that the kernel played. Nothing
  is chosen there, so this is less work than a playout. Our `Position` replays them too, with its checks. The bar is
  stated for both.
"""

import functools
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyspiel
from sgfmill.boards import Board

from benchmarks.measure import Bar, Rates, in_turn, median, ratio
from go.board import BLACK
from go.coordinates import PASS, rowcol_from_point
from go.playout import new_rng, random_games, random_move
from go.position import Position
from pipeline.tables import table

SIZES = (9, 13, 19)
GAMES = {9: 12_000, 13: 5_000, 19: 2_400}  # about 0.25 s each
SEARCH = {9: 400, 13: 150, 19: 50}  # playouts per measurement of OpenSpiel's search


def prezero_rate(size: int, threads: int, pool: ThreadPoolExecutor, seeds: list[int]) -> float:
    """Return playouts per second. Every call uses new seeds."""
    start = Position(size).boards
    seeds[0] += threads
    rngs = [new_rng(size, seeds[0] + thread) for thread in range(threads)]
    began = time.perf_counter()
    list(pool.map(lambda rng: random_games(start, GAMES[size], rng), rngs))
    return threads * GAMES[size] / (time.perf_counter() - began)


def open_spiel_rate(size: int, rollouts: int) -> float:
    """Return playouts per second of OpenSpiel's search from the empty board."""
    game = pyspiel.load_game("go", {"board_size": size, "komi": 7.5})
    searches = max(SEARCH[size] // rollouts, 2)
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, searches, 1000, False, 1, False)
    state = game.new_initial_state()
    began = time.perf_counter()
    bot.step(state)
    return searches * rollouts / (time.perf_counter() - began)


@functools.cache
def recorded_games(size: int) -> list[list[tuple[int, int]]]:
    """Return random games as lists of (colour, point), without passes, about 1,500 moves in total."""
    games, total, rng = [], 0, new_rng(77, size)
    while total < 1500:
        position = Position(size, superko=False)
        while not position.is_over:
            position.play(random_move(position.board, rng))
        games.append([(move.color, move.point) for move in position.history if move.point != PASS])
        total += len(games[-1])
    return games


def random_move_on(board: Board, colour: str, ko: tuple[int, int] | None) -> tuple[int, int] | None:
    """Choose a random move on sgfmill's board by the rules of our playouts. Return None to pass."""
    size, stones = board.side, board.board
    candidates = [(row, column) for row in range(size) for column in range(size) if stones[row][column] is None]
    random.shuffle(candidates)
    for row, column in candidates:
        if (row, column) == ko:
            continue
        around = [stones[r][c] for r, c in places(row, column, size, ((-1, 0), (0, -1), (0, 1), (1, 0)))]
        if None in around:
            return row, column
        if all(found == colour for found in around):
            corners = [stones[r][c] for r, c in places(row, column, size, ((-1, -1), (-1, 1), (1, -1), (1, 1)))]
            enemies = sum(found not in (None, colour) for found in corners)
            if enemies + (len(corners) < 4) < 2:
                continue
        trial = board.copy()
        trial.play(row, column, colour)
        if trial.board[row][column] is not None:  # not suicide
            return row, column
    return None


def places(row: int, column: int, size: int, steps: tuple) -> list[tuple[int, int]]:
    near = ((row + down, column + right) for down, right in steps)
    return [(r, c) for r, c in near if 0 <= r < size and 0 <= c < size]


def sgfmill_rate(size: int) -> float:
    """Return moves per second of random games on sgfmill's board, including the choice of moves."""
    moves = 0
    began = time.perf_counter()
    while time.perf_counter() - began < 0.2:
        board, colour, ko, passes = Board(size), "b", None, 0
        while passes < 2:
            move = random_move_on(board, colour, ko)
            ko = None if move is None else board.play(*move, colour)
            passes = passes + 1 if move is None else 0
            moves += move is not None
            colour = "w" if colour == "b" else "b"
    return moves / (time.perf_counter() - began)


def sgfmill_replay_rate(size: int) -> float:
    """Return moves per second of replaying games on sgfmill's board. Coordinates are converted beforehand."""
    games = [
        [(*rowcol_from_point(point, size), "b" if color == BLACK else "w") for color, point in moves]
        for moves in recorded_games(size)
    ]
    began = time.perf_counter()
    for moves in games:
        board = Board(size)
        for row, column, colour in moves:
            board.play(row, column, colour)
    return sum(map(len, games)) / (time.perf_counter() - began)


def position_rate(size: int) -> float:
    """Return moves per second of `Position`, which checks that each move is legal."""
    games = recorded_games(size)
    began = time.perf_counter()
    for moves in games:
        position = Position(size, superko=False)
        for color, point in moves:
            position.play(point, color)
    return sum(map(len, games)) / (time.perf_counter() - began)


def contestants(pool: ThreadPoolExecutor) -> dict[str, Callable[[], float]]:
    seeds = [0]
    entries: dict[str, Callable[[], float]] = {}
    for size in SIZES:
        for threads in (1, 2):
            entries[f"prezero {threads} {size}"] = functools.partial(prezero_rate, size, threads, pool, seeds)
        for rollouts in (1, 50):
            entries[f"open_spiel {rollouts} {size}"] = functools.partial(open_spiel_rate, size, rollouts)
        entries[f"sgfmill {size}"] = functools.partial(sgfmill_rate, size)
        entries[f"sgfmill replay {size}"] = functools.partial(sgfmill_replay_rate, size)
        entries[f"position {size}"] = functools.partial(position_rate, size)
    return entries


def moves_per_game(size: int) -> float:
    games, _ = random_games(Position(size).boards, 2_000, new_rng(size))
    return float(np.mean(games["moves"] - games["passes"]))


def run(rounds: int, archive: str) -> tuple[str, list[Bar]]:
    """Run all measurements. Return the tables and the bars."""
    with ThreadPoolExecutor(2) as pool:
        rates = in_turn(contestants(pool), rounds, "engine measurements")
    for size in SIZES:
        best = [max(pair) for pair in zip(rates[f"open_spiel 1 {size}"], rates[f"open_spiel 50 {size}"], strict=True)]
        rates[f"open_spiel {size}"] = best
    length = {size: moves_per_game(size) for size in SIZES}
    return "\n\n".join([playouts_table(rates, length), moves_table(rates, length)]), bars(rates, length)


def playouts_table(rates: Rates, length: dict[int, float]) -> str:
    rows = []
    for size in SIZES:
        one, two, other = f"prezero 1 {size}", f"prezero 2 {size}", f"open_spiel {size}"
        rows.append(
            [
                f"{size}x{size}",
                f"{length[size]:.1f}",
                f"{median(rates, one):,.0f}",
                f"{median(rates, two):,.0f}",
                f"{ratio(rates, two, one):.2f}x",
                f"{median(rates, other):,.0f}",
                f"{ratio(rates, one, other):.1f}x",
            ]
        )
    header = ["playouts/s", "moves each", "1 thread", "2 threads", "2 over 1", "OpenSpiel search", "1 thread over it"]
    return table(header, rows)


def moves_table(rates: Rates, length: dict[int, float]) -> str:
    rows = []
    for size in SIZES:
        one, two = f"prezero 1 {size}", f"prezero 2 {size}"
        board, again, face = f"sgfmill {size}", f"sgfmill replay {size}", f"position {size}"
        rows.append(
            [
                f"{size}x{size}",
                f"{median(rates, one) * length[size] / 1e6:.2f} M",
                f"{median(rates, two) * length[size] / 1e6:.2f} M",
                f"{median(rates, board):,.0f}",
                f"{ratio(rates, one, board) * length[size]:,.0f}x",
                f"{median(rates, again):,.0f}",
                f"{ratio(rates, one, again) * length[size]:,.0f}x",
                f"{median(rates, face):,.0f}",
            ]
        )
    header = [
        "moves/s",
        "1 thread",
        "2 threads",
        "sgfmill plays",
        "1 thread over it",
        "sgfmill replays",
        "1 thread over it",
        "Position replays",
    ]
    return table(header, rows)


def bars(rates: Rates, length: dict[int, float]) -> list[Bar]:
    played = ratio(rates, "prezero 1 9", "sgfmill 9") * length[9]
    replayed = ratio(rates, "prezero 1 9", "sgfmill replay 9") * length[9]
    growth = ratio(rates, "prezero 1 19", "prezero 1 9") * length[19] / length[9]
    return [
        Bar("9x9 playouts/s over OpenSpiel's search", ratio(rates, "prezero 1 9", "open_spiel 9"), 6),
        Bar("19x19 playouts/s over OpenSpiel's search", ratio(rates, "prezero 1 19", "open_spiel 19"), 12),
        Bar("9x9 moves/s over sgfmill's board, games chosen and played on it", played, 300),
        Bar("9x9 moves/s over sgfmill's board, given games only replayed on it", replayed, 300),
        *(Bar(f"{s}x{s}: 2 threads over 1", ratio(rates, f"prezero 2 {s}", f"prezero 1 {s}"), 1.7) for s in SIZES),
        Bar("moves/s on 19x19 over 9x9", growth, 0.8),
    ]
