"""What a player may offer besides its moves.

Each ability is a protocol of one to three functions. A player that has the functions has the ability, and the server
finds out by itself: commands that need an ability are only there for players that have it. Whatever a player is asked,
it is given the whole position, in a copy of its own; it need not remember anything, and should not trust what it does
remember before it has compared the moves.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from go.position import Position
from gtp.clock import Clock


class Finding(NamedTuple):
    """What is known of one move; `winrate` and `prior` go from 0 to 1, and `score` is in points.

    All are seen by the side to move. `pv` is how the game would go on, with the move itself.
    """

    move: int
    visits: int
    winrate: float
    prior: float = 0.0
    score: float | None = None
    pv: tuple[int, ...] = ()


class Findings(NamedTuple):
    """What is known of a position: its moves, the best first, and the visits of all of them.

    `ownership`, by row and column, says whose each point will be: from -1 for white to 1 for black.
    """

    moves: list[Finding]
    visits: int = 0
    ownership: np.ndarray | None = None


@runtime_checkable
class Timed(Protocol):
    """A player that minds its time."""

    def set_clock(self, color: int, clock: Clock | None) -> None:
        """Be told what a colour's clock shows now; None is no limit."""


@runtime_checkable
class Analyst(Protocol):
    """A player that can be watched while it thinks."""

    def begin(self, position: Position) -> None:
        """Think about a position in the background, until `end`."""

    def findings(self, ownership: bool = False) -> Findings:
        """Tell what has been found so far, with ownership if it is asked for and can be told.

        Asked from another thread, and also while `decide` is at work.
        """

    def end(self) -> None:
        """Stop thinking; return when all is quiet."""


@runtime_checkable
class Ponderer(Protocol):
    """A player that thinks while the opponent does."""

    def ponder(self, position: Position) -> None:
        """Think in the background about a position in which the opponent is to move, until `stop`."""

    def stop(self) -> None:
        """Stop thinking; return when all is quiet."""


@runtime_checkable
class Judge(Protocol):
    """A player that can tell which stones are dead."""

    def dead_stones(self, position: Position) -> set[int]:
        """Return the points of all stones, of both colours, that could not be saved."""


@runtime_checkable
class Shower(Protocol):
    """A player with numbers for the points of the board, to look at."""

    def heat_maps(self) -> dict[str, Callable[[Position], np.ndarray]]:
        """Return functions from a position to an array by row and column; names are words without a slash."""


@runtime_checkable
class Preparing(Protocol):
    """A player that loads something for each size of the board."""

    def get_ready(self, size: int) -> object:
        """Load what is needed for a board, before there is a clock to mind."""


@runtime_checkable
class Picky(Protocol):
    """A player that cannot play on every board."""

    def plays_on(self, size: int) -> bool:
        """Tell if the player can play on a board of this size."""
