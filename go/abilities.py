"""What a player may offer besides its moves.

Each ability is a protocol of one to three methods. A player that has the methods has the ability: whoever uses players
(a GTP server, a match, a page) asks with `isinstance`. A player is always given the whole position, in a copy of its
own. It need not remember anything, and must compare positions before it relies on what it remembers.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from go.clock import Clock
from go.position import Position


class Finding(NamedTuple):
    """What is known of one move, as seen by the side to move.

    `winrate` and `prior` go from 0 to 1, `score` is in points, and `pv` is the expected continuation, starting with the
    move itself.
    """

    move: int
    visits: int
    winrate: float
    prior: float = 0.0
    score: float | None = None
    pv: tuple[int, ...] = ()


class Findings(NamedTuple):
    """What is known of a position: its moves, best first, and their total visits.

    `ownership`, by row and column, is the expected owner of each point: from -1 for white to 1 for black.
    """

    moves: list[Finding]
    visits: int = 0
    ownership: np.ndarray | None = None


@runtime_checkable
class Timed(Protocol):
    """A player that manages its time."""

    def set_clock(self, color: int, clock: Clock | None) -> None:
        """Take note of the clock of a colour. None: no time limit."""


@runtime_checkable
class Analyst(Protocol):
    """A player that can be watched while it thinks."""

    def begin(self, position: Position) -> None:
        """Think about a position in the background, until `end`."""

    def findings(self, ownership: bool = False) -> Findings:
        """Return what has been found so far, with ownership if it is asked for and known.

        May be called from another thread, also while `decide` is running.
        """

    def end(self) -> None:
        """Stop thinking. Return when the background work has ended."""


@runtime_checkable
class Ponderer(Protocol):
    """A player that thinks while the opponent does."""

    def ponder(self, position: Position) -> None:
        """Think in the background about a position with the opponent to move, until `stop`."""

    def stop(self) -> None:
        """Stop thinking. Return when the background work has ended."""


@runtime_checkable
class Judge(Protocol):
    """A player that can tell which stones are dead."""

    def dead_stones(self, position: Position) -> set[int]:
        """Return the points of all dead stones, of both colours. Equal stones must get the same answer at each call."""


@runtime_checkable
class Scorer(Protocol):
    """A player that counts the game itself, as GTP engines do."""

    def final_score(self, position: Position) -> str:
        """Return the result of a finished game as SGF writes it, without dead stones; empty if there is none."""


@runtime_checkable
class HeatMapper(Protocol):
    """A player that can show a number for each point of the board."""

    def heat_maps(self) -> dict[str, Callable[[Position], np.ndarray]]:
        """Return functions from a position to an array by row and column. Names are words without a slash."""


@runtime_checkable
class Preparing(Protocol):
    """A player that loads something for each board size."""

    def get_ready(self, size: int) -> object:
        """Load what a board size needs, before a clock runs."""


@runtime_checkable
class Renewable(Protocol):
    """A player that can be used for another game, which saves the time to make one anew."""

    def begin_game(self, seed: int) -> None:
        """Forget everything about earlier games: play the next one as a new player with this seed would."""


@runtime_checkable
class Closing(Protocol):
    """A player that holds something, such as a process, that must be given back."""

    def close(self) -> None:
        """Give it back. The player may be used again."""


@runtime_checkable
class SizeLimited(Protocol):
    """A player that cannot play on every board."""

    def plays_on(self, size: int) -> bool:
        """Tell whether the player can play on a board of this size."""
