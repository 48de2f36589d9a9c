"""Players for tests of the GTP server; `python gtp_players.py NAME` serves one of them."""

import sys
import threading

import numpy as np

from go.abilities import Finding, Findings
from go.board import BLACK, WHITE
from go.clock import Clock
from go.coordinates import PASS
from go.player import Decision, RandomPlayer
from go.position import Position


class Scripted:
    """Plays the moves that it is given, as vertices or points, then passes; an exception among them is raised."""

    name = "scripted"

    def __init__(self, *moves: object) -> None:
        self.moves, self.seen = list(moves), []

    def decide(self, position: Position) -> Decision:
        self.seen.append(position.copy())
        move = self.moves.pop(0) if self.moves else PASS
        if isinstance(move, Exception):
            raise move
        return Decision(position.point(move) if isinstance(move, str) else move, "as written", [])


class Hurried(Scripted):
    """Notes its clocks."""

    def __init__(self, *moves: object) -> None:
        super().__init__(*moves)
        self.clocks: dict[int, Clock | None] = {}

    def set_clock(self, color: int, clock: Clock | None) -> None:
        self.clocks[color] = clock


class Arbiter(Scripted):
    """Takes all stones of white to be dead, or those of `dead`."""

    dead: set[int] | None = None

    def dead_stones(self, position: Position) -> set[int]:
        return {p for p in range(400) if position.board["color"][p] == WHITE} if self.dead is None else self.dead


class Painter(Scripted):
    """Has two maps."""

    def heat_maps(self) -> dict:
        return {
            "stones": lambda position: (position.colors == BLACK) - 0.5 * (position.colors == WHITE),
            "turn of the board": lambda position: np.full((position.size, position.size), 200 * position.to_move),
        }


class Thinker(Scripted):
    """Finds ten more visits each time that it is asked; decides when it has been asked twice, and ponders."""

    def __init__(self, *moves: object) -> None:
        super().__init__(*moves)
        self.position: Position | None = None
        self.visits, self.log, self.twice = 0, [], threading.Event()

    def begin(self, position: Position) -> None:
        self.position, self.visits = position, 0
        self.log.append("begin")

    def findings(self, ownership: bool = False) -> Findings:
        self.visits += 10
        if self.visits >= 20:
            self.twice.set()
        corner, centre = (self.position.point(name) for name in ("A1", "C3"))
        owned = np.zeros((self.position.size, self.position.size))
        owned[0, 0], owned[-1, 0] = 1.0, -0.25
        moves = [
            Finding(centre, self.visits, 0.51234, 0.25, 1.5, (centre, corner, PASS)),
            Finding(corner, 0, 0.25, 0.0625),
        ]
        return Findings(moves, self.visits, owned if ownership else None)

    def end(self) -> None:
        self.log.append("end")

    def decide(self, position: Position) -> Decision:
        self.position, self.visits = position, 0
        self.twice.clear()
        self.twice.wait(20)
        return super().decide(position)

    def ponder(self, position: Position) -> None:
        self.log.append(("ponder", position.to_move, len(position.history)))

    def stop(self) -> None:
        self.log.append("stop")


if __name__ == "__main__":
    from gtp.server import serve

    serve({"random": RandomPlayer, "thinker": Thinker}[sys.argv[1]](), size=9, version="1.2")
