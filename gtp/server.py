"""A GTP 2 server for any player: `serve` runs until it is told to quit, or until there is no more input.

Whatever happens, each command has exactly one answer, which ends with an empty line, and no error ends the server. What
the specification has no words for, such as why a move is illegal or what a player raised, goes to the log.
"""

import contextlib
import sys
import traceback
from collections.abc import Callable
from typing import IO

from go.abilities import Analyst, HeatMapper, Ponderer
from go.player import Player
from gtp import analysis, commands, gogui
from gtp.commands import Command
from gtp.inbox import Inbox
from gtp.session import Session, opponent
from gtp.syntax import Failure, Request, plain, read_request


class Gone(Exception):  # noqa: N818, nothing is wrong
    """Nobody reads our answers any more."""


def commands_of(player: Player) -> dict[str, Command]:
    """Return the commands that a player supports, by name."""
    known = commands.COMMANDS | gogui.COMMANDS
    if isinstance(player, Analyst):
        known |= analysis.COMMANDS
    if isinstance(player, HeatMapper):
        known |= gogui.MAPS
    return known


def serve(
    player: Player,
    stdin: IO | None = None,
    stdout: IO[str] | None = None,
    *,
    size: int = 19,
    komi: float = 7.5,
    name: str | None = None,
    version: str = "",
    ponder: bool = True,
    log: IO[str] | None = None,
) -> None:
    """Answer commands until `quit` or the end of input, by default of this process.

    While it runs, what anybody prints goes to the log (by default stderr), so that no player can spoil the protocol.
    """
    out = _Output(sys.stdout if stdout is None else stdout)
    log = sys.stderr if log is None else log
    inbox = Inbox(sys.stdin if stdin is None else stdin)
    session = Session(player, size, komi, name or f"Prezero {player.name}", version, inbox.has_news)
    known = commands_of(player)
    session.commands = tuple(known)
    pondering = _Pondering(session, log, ponder)
    with contextlib.redirect_stdout(log), contextlib.suppress(Gone):
        while not session.is_closed:
            with pondering:
                line = inbox.take()
            if line is None:
                break
            request = read_request(line)
            if request is not None:
                _answer(request, known, session, out, log)


def _answer(request: Request, known: dict[str, Command], session: Session, out: "_Output", log: IO[str]) -> None:
    """Run one command and write its answer."""
    begun = False
    try:
        if request.name not in known:
            raise Failure("unknown command")
        answer = known[request.name](session, request.arguments)
        if isinstance(answer, str):
            out.write(f"={request.id} {plain(answer)}\n\n")
            return
        for report in answer:
            line = f"{plain(report).strip()}\n" if report else ""  # an empty one only begins the answer
            out.write(line if begun else f"={request.id} \n{line}")
            begun = True
        out.write("\n" if begun else f"={request.id} \n\n")
    except Gone:
        raise
    except Exception as error:
        what = str(error)
        if not isinstance(error, Failure):
            traceback.print_exc(file=log)
            what = f"{type(error).__name__}: {error}"
        elif error.reason:
            print(error.reason, file=log, flush=True)
        # An answer that has begun can no longer be a failure; it can only end.
        out.write("\n" if begun else f"?{request.id} {' '.join(plain(what).split())}\n\n")


class _Output:
    """The output stream. It is flushed after each answer."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream

    def write(self, text: str) -> None:
        try:
            try:
                self.stream.write(text)
            except UnicodeEncodeError:
                self.stream.write(text.encode("ascii", "replace").decode("ascii"))
            self.stream.flush()
        except (OSError, ValueError) as error:
            with contextlib.suppress(OSError, ValueError):
                self.stream.close()  # or Python would try to write the rest at its end, and complain
            raise Gone from error


class _Pondering:
    """Lets a player ponder after its own move, while there is no input."""

    def __init__(self, session: Session, log: IO[str], wanted: bool) -> None:
        self.session, self.log = session, log
        self.wanted = wanted and isinstance(session.player, Ponderer)
        self.is_on = False

    def __enter__(self) -> None:
        if self.wanted and self.session.may_ponder:
            to_move = opponent(self.session.position.history[-1].color)
            self.is_on = self._try(lambda: self.session.player.ponder(self.session.view(to_move)))

    def __exit__(self, *error: object) -> None:
        if self.is_on:
            self.is_on = False
            self._try(self.session.player.stop)

    def _try(self, action: Callable[[], None]) -> bool:
        """Start or stop pondering. A player that fails at it is not asked again."""
        try:
            action()
        except Exception:
            traceback.print_exc(file=self.log)
            self.wanted = False
        return self.wanted
