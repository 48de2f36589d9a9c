"""A GTP engine by its command line, as a player by name: started when it is needed, and again after a failure."""

from go.clock import Clock
from go.player import ALL_SIZES
from go.position import Position
from gtp.client import Engine, EngineError, find_program
from gtp.engine_player import EnginePlayer
from pipeline.errors import UserError

LEVEL = "{level}"
HINT = "; GNU Go is installed with apt install gnugo, or brew install gnu-go"


class CommandPlayer(EnginePlayer):
    """Plays the moves of the engine that a command line starts.

    With `seconds`, the engine is told that it has so many seconds for each move.
    """

    sizes = ALL_SIZES

    def __init__(self, name: str, command: str, timeout: float = 60.0, seconds: float = 0.0, seed: int = 1) -> None:
        self.command, self.timeout = command, timeout
        self.own_clock = Clock.wound(0.0, seconds, 1, 1) if seconds else None
        super().__init__(None, seed, name)

    def plays_on(self, size: int) -> bool:
        return size in self.sizes

    def get_ready(self, size: int) -> None:
        """Start the engine if it is not running or has failed."""
        if self.engine is None or not self.engine.is_well:
            self.close()
            self.engine = Engine(self.command, self.timeout)
            self.has_time_settings = False
        super().get_ready(size)

    def begin_game(self, seed: int) -> None:
        self.seed, self.known = seed, None

    def bring_to(self, position: Position) -> None:
        if self.engine is None or not self.engine.is_well:
            self.get_ready(position.size)
        super().bring_to(position)

    def set_clock(self, color: int, clock: Clock | None) -> None:
        super().set_clock(color, clock or self.own_clock)

    def close(self) -> None:
        """End the engine. The next game starts it again."""
        if self.engine is not None:
            self.engine.close()
        self.engine = self.known = None


def gtp_player(name: str, command: str, level: int, timeout: float, seconds: float, seed: int) -> CommandPlayer:
    """Make a player of a command line. Raise `UserError` if there is no such program."""
    command = command.replace(LEVEL, str(level))
    try:
        find_program(command)
    except EngineError as error:
        raise UserError(f"{str(error)[:-1]}{HINT if command.startswith('gnugo') else ''}.") from error
    return CommandPlayer(name, command, timeout, seconds, seed)


PLAYERS = {"gtp": gtp_player}
