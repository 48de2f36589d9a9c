"""The game that a server holds for its player: the position, the clocks, and the player's last decision.

Rules: moves from outside need only be legal by simple ko, because many servers and opponents know no superko, and a
game that has gone on elsewhere must go on here. The player sees positions with superko, so that it never breaks that
rule itself.
"""

import time
from collections.abc import Callable

from go.abilities import Preparing, SizeLimited, Timed
from go.board import BLACK, WHITE, set_turn
from go.clock import Clock
from go.player import RESIGN, Decision, Player
from go.position import Position
from gtp.syntax import Failure, write_move


def opponent(color: int) -> int:
    return BLACK + WHITE - color


class Session:
    """The state of one server. `interrupted(seconds)` waits, and returns True as soon as there is input."""

    def __init__(
        self,
        player: Player,
        size: int = 19,
        komi: float = 7.5,
        name: str = "",
        version: str = "",
        interrupted: Callable[[float], bool] = lambda seconds: True,
    ) -> None:
        self.player, self.name, self.version, self.interrupted = player, name, version, interrupted
        self.settings: Clock | None = None  # what clocks show at the beginning of a game
        self.clocks: dict[int, Clock | None] = {}
        self.commands: tuple[str, ...] = ()  # their names
        self.is_closed = False
        self.start(Position(size, komi))

    def start(self, position: Position) -> None:
        """Start a game from this position."""
        self.position = position
        self.position.superko = False
        self.decision: Decision | None = None
        self.result = ""  # as far as known
        self.may_ponder = False
        self.set_clocks(self.settings)

    def accepts(self, size: int) -> bool:
        return not isinstance(self.player, SizeLimited) or self.player.plays_on(size)

    def get_ready(self, size: int) -> None:
        if isinstance(self.player, Preparing):
            self.player.get_ready(size)

    def set_clocks(self, clock: Clock | None) -> None:
        for color in (BLACK, WHITE):
            self.set_clock(color, clock)

    def set_clock(self, color: int, clock: Clock | None) -> None:
        self.clocks[color] = clock
        if isinstance(self.player, Timed):
            self.player.set_clock(color, clock)

    def play(self, color: int, point: int) -> None:
        self.position.play(point, color)
        self.result, self.may_ponder = "", False

    def undo(self) -> None:
        self.position.undo()
        self.result, self.may_ponder = "", False

    def view(self, color: int | None = None) -> Position:
        """Return the position as the player sees it, with this colour to move."""
        view = self.position.copy()
        view.superko = True
        set_turn(view.board, view.to_move if color is None else color)
        return view

    def decide(self, color: int, is_game: bool = True) -> Decision:
        """Let the player decide on a move. If the move is part of the game, its time is taken off the clock."""
        clock = self.clocks[color]
        began = time.monotonic()
        decision = self.player.decide(self.view(color))
        if is_game and clock is not None:
            self.set_clock(color, clock.after(time.monotonic() - began))
        self.decision = decision
        return decision

    def make(self, color: int, move: int) -> None:
        """Play the player's own move, which must be legal with superko, or resign."""
        if move == RESIGN:
            self.result, self.may_ponder = f"{'W' if color == BLACK else 'B'}+R", False
            return
        reason = self.view(color).why_illegal(move)
        if reason:
            raise Failure("the player chose an illegal move", reason)
        self.play(color, move)
        self.may_ponder = not self.position.is_over

    def why(self) -> str:
        """Return the reason of the player's last decision, and its candidates."""
        if self.decision is None:
            return "nothing has been decided yet"
        lines = [self.decision.why]
        for point, probability, why in self.decision.candidates[:10]:
            lines.append(f"{write_move(point, self.position.size)} {100 * probability:.1f}% {why}")
        return "\n".join(lines)
