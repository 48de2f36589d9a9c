"""Games of players against themselves on all boards from 2x2 to 19x19: no illegal move, and no memory that grows.

Every preset that comes without a run plays, with next to no simulations, on every board that it can play on, round
after round, until there are enough games. Three referees see every move: our own rules, sgfmill's board, which must
have the same stones after each move and the same area at the end, and from 5x5 GNU Go, which refuses what is illegal
with positional superko. Memory is that of this process after each round. Its growth is the mean of the last quarter of
the rounds compared with that of the second quarter.
"""

import itertools
import random
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from sgfmill.boards import Board

from benchmarks.measure import Bar
from benchmarks.memory import resident
from benchmarks.soak_gtp import players_by_kind, tiny_player
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from data.engine_game import GNU_GO
from go.board import BLACK, WHITE
from go.coordinates import MAX_SIZE, MIN_SIZE, PASS, rowcol_from_point
from go.match import play_game
from go.player import Decision, Player
from go.position import Position
from gtp.client import Engine, EngineError
from pipeline.progress import Progress
from pipeline.tables import table

SIZES = range(MIN_SIZE, MAX_SIZE + 1)
SMALLEST_OF_GNU_GO = 5
LETTERS = np.array([None, "b", "w"], dtype=object)
KOMIS = (0.0, 0.5, 5.5, 7.0, 7.5)
MOST_FAULTS = 20


class Report(NamedTuple):
    """Games by board size and by player, moves, moves that GNU Go has seen, memory in MB by round, and faults."""

    sizes: Counter
    players: Counter
    moves: int
    refereed: int
    captures: int
    memory: list[float]
    seconds: float
    faults: list[str]

    def growth(self) -> float:
        """Return the memory of the last quarter of the rounds divided by that of the second quarter."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.mean(self.memory[-quarter:]) / statistics.mean(self.memory[quarter : 2 * quarter] or [1.0])


class RefereeError(Exception):
    """A referee disagrees."""


class Referee:
    """Follows a game on sgfmill's board, and in GNU Go if there is one."""

    def __init__(self, size: int, komi: float, engine: Engine | None) -> None:
        self.board, self.size = Board(size), size
        self.engine = engine if size >= SMALLEST_OF_GNU_GO else None
        self.moves = self.refereed = self.captures = 0
        if self.engine:
            self.engine.boardsize(size)
            self.engine.clear_board()
            self.engine.komi(komi)

    def see(self, position: Position, decision: Decision, seconds: float) -> None:
        """Take the last move of a position. Raise `RefereeError` if it is illegal or leads to other stones."""
        color, move = position.history[-1]
        self.moves += 1
        if self.engine:
            self.refereed += 1
            self.engine.play(color, move)
        if move == PASS:
            return
        row, column = rowcol_from_point(move, self.size)
        place = self.size - 1 - row, column
        if self.board.get(*place) is not None:
            raise RefereeError(f"move {self.moves} is on a stone")
        before = sum(letter is not None for line in self.board.board for letter in line)
        self.board.play(*place, LETTERS[color])
        if self.board.board != LETTERS[position.colors[::-1]].tolist():
            raise RefereeError(f"after move {self.moves}, sgfmill has other stones")
        after = sum(letter is not None for line in self.board.board for letter in line)
        self.captures += before + 1 - after

    def count(self, position: Position) -> None:
        """Compare the score. Raise `RefereeError` if sgfmill counts otherwise."""
        if position.score() != self.board.area_score() - position.komi:
            raise RefereeError(f"the score is {position.score()}, but sgfmill counts {self.board.area_score()}")


def games_to_play(names: dict[str, tuple[int, ...]], draw: random.Random) -> Iterator[list[tuple[str, int]]]:
    """Yield rounds of games, as players with board sizes: every size once, each time with another player."""
    for number in itertools.count():
        found = []
        for size in SIZES:
            able = [name for name, sizes in names.items() if size in sizes]
            found.append((able[(number + size) % len(able)], size))
        draw.shuffle(found)
        yield found


@contextmanager
def gnu_go() -> Iterator[Engine | None]:
    """Start GNU Go, if it is installed."""
    program = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    if program is None:
        yield None
        return
    with Engine(f"{program} {GNU_GO.partition(' ')[2]}", timeout=60) as engine:
        yield engine


def play(player: Player, size: int, komi: float, engine: Engine | None) -> tuple[Referee, str]:
    """Play one game. Return its referee, and what was wrong."""
    referee, position = Referee(size, komi, engine), Position(size, komi)
    try:
        ending = play_game({BLACK: player, WHITE: player}, position, on_move=referee.see)
        referee.count(position)
    except (RefereeError, EngineError) as error:
        return referee, str(error)
    return referee, ending.why if ending.loser is not None else ""


def run_games(games: int, seed: int = 1) -> Report:
    """Play games, in rounds that go through all sizes."""
    draw, began = random.Random(seed), time.monotonic()
    sizes, who, memory, faults = Counter(), Counter(), [], []
    moves = refereed = captures = played = 0
    players = {name: tiny_player(name) for name in players_by_kind()}
    with gnu_go() as engine, Progress("games on all boards", games) as progress:
        for todo in games_to_play({name: player.sizes for name, player in players.items()}, draw):
            for name, size in todo[: games - played]:
                referee, fault = play(players[name], size, draw.choice(KOMIS), engine)
                sizes[size] += 1
                who[name] += 1
                moves, refereed = moves + referee.moves, refereed + referee.refereed
                captures += referee.captures
                played += 1
                faults += [f"{name} on {size}x{size}: {fault}"] if fault else []
                progress.update(1)
            memory.append(resident())
            if played >= games or len(faults) >= MOST_FAULTS:
                break
    return Report(sizes, who, moves, refereed, captures, memory, time.monotonic() - began, faults)


def section(settings: SoakSettings) -> Section:
    """Play games on all boards, and lay out what happened."""
    report = run_games(settings.games, settings.seed)
    rows = [
        ["games", f"{report.sizes.total():,}"],
        ["sizes of the board, from the smallest to the largest", " ".join(map(str, sorted(report.sizes)))],
        ["players", ", ".join(f"{name} {count:,}" for name, count in sorted(report.players.items()))],
        ["moves, compared with sgfmill's board", f"{report.moves:,}"],
        ["of these also seen by GNU Go", f"{report.refereed:,}"],
        ["stones captured", f"{report.captures:,}"],
        ["illegal moves and other faults", f"{len(report.faults)}"],
        ["memory after the first round of all boards, MB", f"{report.memory[0]:.0f}"],
        ["memory after the last round, MB", f"{report.memory[-1]:.0f}"],
    ]
    growth = Bar("games: memory of the last quarter over the second", report.growth(), 1.05, at_most=True)
    return Section(table(["games", "measured"], rows), [no_faults("games", report.faults), growth], report.faults)
