"""A GTP engine as a `go.player.Player`, so that it can play against anything that plays.

The engine keeps a board of its own. Before it is asked for a move, it is told the moves that are new to it or, if the
position does not follow from what it knows, the whole game.
"""

import re

from go.clock import Clock
from go.dead_stones import stones
from go.player import RESIGN, Decision
from go.position import Position
from gtp.client import Engine
from gtp.time_commands import write_time_left, write_time_settings

SCORE = re.compile(r"([BW])\+(\d+(?:\.\d+)?)", re.IGNORECASE)


class EnginePlayer:
    """Plays the moves of an engine. What the engine does wrong is an `EngineError`, which loses the game.

    `seed` is given to engines that know `set_random_seed`, such as GNU Go, at the start of each game.
    """

    def __init__(self, engine: Engine, seed: int | None = None, name: str = "") -> None:
        self.engine, self.seed = engine, seed
        self.name = name or engine.title()
        self.known: Position | None = None  # what stands on the engine's board; None if we cannot tell
        self.clocks: dict[int, Clock | None] = {}
        self.has_time_settings = False  # whether the engine was told about a clock

    def get_ready(self, size: int) -> None:
        self.known = None
        self.engine.boardsize(size)

    def set_clock(self, color: int, clock: Clock | None) -> None:
        if clock is not None and self.clocks.get(color) is None:
            self.known = None  # the engine learns its time settings with the next set-up
        self.clocks[color] = clock

    def decide(self, position: Position) -> Decision:
        self.bring_to(position)
        color = position.to_move
        clock = self.clocks.get(color)
        if clock is not None:
            self.engine.ask(write_time_left(color, clock))
        self.known = None
        move = self.choose(position)
        if move == RESIGN:
            self.known = position.copy()
        elif position.is_legal(move):
            self.known = position.copy().play(move)
        return Decision(move, f"the choice of {self.name}", [])

    def choose(self, position: Position) -> int:
        """Ask the engine for a move, which it also plays on its own board."""
        return self.engine.genmove(position.to_move)

    def bring_to(self, position: Position) -> None:
        """Bring the engine's board up to date."""
        known, self.known = self.known, None
        if known is None or not position.follows(known):
            known = self._set_up(position)
        for color, point in position.history[len(known.history) :]:
            self.engine.play(color, point)
        self.known = position.copy()

    def _set_up(self, position: Position) -> Position:
        """Put the start of a game on the engine's board; return that position."""
        start = position.start()
        self.engine.boardsize(start.size)
        self.engine.clear_board()
        self.engine.komi(start.komi)
        if self.seed is not None and self.engine.knows("set_random_seed"):
            self.engine.send(f"set_random_seed {self.seed}")
        clock = next((clock for clock in self.clocks.values() if clock is not None), None)
        if clock is not None or self.has_time_settings:
            self.engine.ask(write_time_settings(clock))
        self.has_time_settings = clock is not None
        for point in sorted(stones(start)):  # GTP has no command for set-up; played one by one, they capture nothing
            self.engine.play(start.color_at(point), point)
        return start

    def final_score(self, position: Position) -> str:
        """Ask the engine for the score. Return it as our own scores are written; empty if the answer makes no sense."""
        self.bring_to(position)
        answer = self.engine.send("final_score")
        score = SCORE.fullmatch(answer)
        if answer == "0" or (score and float(score[2]) == 0):
            return "0"
        most = position.size**2 + abs(position.komi)
        return f"{score[1].upper()}+{float(score[2]):g}" if score and float(score[2]) <= most else ""
