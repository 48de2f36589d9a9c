"""A client for any GTP 2 engine, written so that no engine can stop or block us.

Every answer has a deadline, whether the engine is silent, hangs in the middle of a line or writes without end. Whatever
goes wrong is an `EngineError`, whose message says which engine it was and what happened. An engine runs in a process
group of its own, so that Ctrl-C does not reach it, and that nothing it started is left when it is closed.
"""

import contextlib
import enum
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from go.board import COLOR_NAMES
from go.coordinates import MAX_SIZE, gtp_from_point, point_from_gtp
from go.errors import GoError, PlayerError
from go.player import RESIGN
from gtp.syntax import CONTROL

MOST_OUTPUT = 1_000_000  # bytes of one answer and whatever stands before it; the longest real answers have some 10,000
MOST_STDERR = 4_000  # bytes that are kept of what an engine wrote to stderr
GRACE = 2.0  # seconds for an engine to end by itself after `quit`
GAMES = "/usr/games"  # where Debian installs GNU Go, and not every PATH looks

# Status, optional id, then the text; GTP wants a space between, but not every engine writes it.
FIRST_LINE = re.compile(r"([=?])(\d*)\s*(.*)", re.DOTALL)


class Fault(enum.StrEnum):
    """What an engine can do wrong."""

    START = "cannot be started"
    CRASH = "crash"
    HANG = "no answer in time"
    ANSWER = "senseless answer"
    REFUSAL = "refusal"  # an answer that begins with a question mark; the engine may be in good health


class EngineError(PlayerError):
    """An engine failed; the message is one sentence for a person."""

    def __init__(self, command: str, fault: Fault, what: str) -> None:
        super().__init__(f"The engine '{_shortened(command)}' {what}.")
        self.fault, self.is_late = fault, fault == Fault.HANG


def find_program(command: str) -> list[str]:
    """Split a command line into its words and find the program that it names."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EngineError(command, Fault.START, f"cannot be started: {str(error).lower()}") from error
    if not words:
        raise EngineError(command, Fault.START, "cannot be started: the command line is empty")
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), GAMES])
    found = shutil.which(words[0], path=path)
    if found is None:
        raise EngineError(command, Fault.START, f"cannot be started: there is no program {words[0]}")
    return [found, *words[1:]]


class Asked(NamedTuple):
    """A command that waits for its answer, its time limit in seconds, and its deadline."""

    command: str
    seconds: float
    deadline: float


class Engine:
    """A running engine. Moves are points of `go.coordinates`, PASS or RESIGN."""

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        """Start an engine. `timeout` is the time limit for each answer, in seconds."""
        self.command, self.timeout = command, timeout
        self.size = MAX_SIZE  # until `boardsize` says otherwise
        self._id = 0  # of the last command
        self._room = 0  # bytes of output that are still allowed for its answer
        self._lines: deque[bytes] = deque()  # whole lines of output that have been read, but not looked at yet
        self._begun = b""  # the line after them
        self._heard = ""  # the last line that was looked at, for an error message
        self._stderr = b""
        self._failed = False
        words = find_program(command)
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise EngineError(command, Fault.START, f"cannot be started: {reason}") from error
        os.set_blocking(self.process.stdin.fileno(), False)
        self._drain = threading.Thread(target=self._read_stderr, daemon=True)
        self._drain.start()

    def send(self, command: str, timeout: float | None = None) -> str:
        """Send a command and return the text of the answer, which may have several lines.

        What an engine writes before its answer is skipped. Answers carry the id of their command, so that a late or
        superfluous one is not taken for this one's; an engine that leaves ids out is believed.
        """
        if not command.strip() or any(letter in command for letter in "\r\n#"):
            raise ValueError(f"{command!r} is not one GTP command.")
        seconds = self.timeout if timeout is None else timeout
        asked = Asked(command, seconds, time.monotonic() + seconds)
        self._id += 1
        self._room = MOST_OUTPUT
        self._lines.clear()
        self._heard, self._begun = "", b""
        self._write(f"{self._id} {command}\n".encode(), asked)
        number = None
        while number not in ("", str(self._id)):
            status, number, answer = self._read_answer(asked)
        if status == "?":
            raise self._error(Fault.REFUSAL, f"refused '{command}': {_shortened(answer) or 'no reason given'}")
        return answer

    def _write(self, data: bytes, asked: Asked) -> None:
        pipe = self.process.stdin.fileno()
        while data:
            if not _is_ready(pipe, select.POLLOUT, asked.deadline):
                raise self._error(Fault.HANG, f"does not read its commands: '{asked.command}' could not be sent")
            try:
                data = data[os.write(pipe, data) :]
            except BlockingIOError:
                continue
            except OSError as error:  # a broken pipe
                raise self._died(asked.command) from error

    def _read_answer(self, asked: Asked) -> tuple[str, str, str]:
        """Read an answer up to the empty line that ends it. Return its status, id and text."""
        while not (line := self._read_line(asked)).startswith(("=", "?")):
            pass
        status, number, text = FIRST_LINE.fullmatch(line).groups()
        lines = [text]
        while line := self._read_line(asked):
            lines.append(line)
        return status, number, "\n".join(lines).strip()

    def _read_line(self, asked: Asked) -> str:
        """Read one line of output. As GTP requires, drop control characters and turn tabs into spaces."""
        pipe = self.process.stdout.fileno()
        while not self._lines:
            if not _is_ready(pipe, select.POLLIN, asked.deadline):
                heard = _shortened(_plain(self._begun[:200]) or self._heard)
                what = f"did not answer '{asked.command}' within {asked.seconds:g} seconds"
                raise self._error(Fault.HANG, what + (f", but wrote '{heard}'" if heard else ""))
            data = os.read(pipe, 65536)
            self._room -= len(data)
            if not data:
                raise self._died(asked.command)
            if self._room < 0:
                raise self._error(Fault.ANSWER, f"answered '{asked.command}' with more than {MOST_OUTPUT:,} bytes")
            *lines, self._begun = (self._begun + data).split(b"\n")
            self._lines.extend(lines)
        line = _plain(self._lines.popleft())
        self._heard = line or self._heard
        return line

    def _read_stderr(self) -> None:
        """Read the engine's stderr all the time, so that the engine never blocks on it."""
        while data := os.read(self.process.stderr.fileno(), 65536):
            self._stderr = (self._stderr + data)[-MOST_STDERR:]

    def _died(self, command: str) -> EngineError:
        """Return an error that says how the engine ended, with the last line of its stderr."""
        try:
            code = self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return self._error(Fault.CRASH, f"closed its output instead of answering '{command}'")
        self._drain.join(GRACE)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        last = next((line for line in map(_plain, reversed(self._stderr.split(b"\n"))) if line), "")
        return self._error(Fault.CRASH, f"{how} at '{command}'" + (f", saying '{_shortened(last)}'" if last else ""))

    def _error(self, fault: Fault, what: str) -> EngineError:
        self._failed |= fault != Fault.REFUSAL
        return EngineError(self.command, fault, what)

    @property
    def is_well(self) -> bool:
        """Whether the engine is running and has answered everything so far. A refusal is an answer, too."""
        return not self._failed and self.process.poll() is None

    def ask(self, command: str) -> str:
        """Send an optional command. Return an empty text if the engine refuses it."""
        try:
            return self.send(command)
        except EngineError as error:
            if error.fault != Fault.REFUSAL:
                raise
            return ""

    def title(self) -> str:
        """Return the engine's name and version, or the name of its program if it has none."""
        title = " ".join(f"{self.ask('name')} {self.ask('version')}".split())
        return title or Path(shlex.split(self.command)[0]).name

    def knows(self, command: str) -> bool:
        return self.ask(f"known_command {command}").lower() == "true"

    def boardsize(self, size: int) -> None:
        self.send(f"boardsize {size}")
        self.size = size

    def clear_board(self) -> None:
        self.send("clear_board")

    def komi(self, komi: float) -> None:
        self.send(f"komi {komi:g}")

    def play(self, color: int, point: int) -> None:
        self.send(f"play {COLOR_NAMES[color]} {gtp_from_point(point, self.size)}")

    def genmove(self, color: int) -> int:
        """Let the engine choose a move and play it on its own board. Return a point, PASS or RESIGN."""
        answer = self.send(f"genmove {COLOR_NAMES[color]}")
        if answer.lower() == "resign":
            return RESIGN
        try:
            return point_from_gtp(answer, self.size)
        except GoError as error:
            what = f"answered genmove with '{_shortened(answer)}', which is no move on {self.size}x{self.size}"
            raise self._error(Fault.ANSWER, what) from error

    def kill(self) -> None:
        """Kill the engine and all processes that it started. May be called from another thread."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ask the engine to quit, then kill what is left of it and of the processes that it started."""
        if self.process.stdin.closed:
            return
        with contextlib.suppress(EngineError, subprocess.TimeoutExpired):
            if self.is_well:
                self.send("quit", GRACE)
                self.process.wait(GRACE)
        self.kill()
        self.process.wait()
        self._drain.join(GRACE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_ready(pipe: int, event: int, deadline: float) -> bool:
    """Wait until a pipe is readable, writable or closed at the other end. Return False at the deadline."""
    waiting = select.poll()
    waiting.register(pipe, event)
    return bool(waiting.poll(1000 * max(0.0, deadline - time.monotonic())))


def _plain(line: bytes) -> str:
    return line.decode("utf-8", "replace").translate(CONTROL).rstrip()


def _shortened(text: str, most: int = 100) -> str:
    """Return a text on one line, short enough to be part of a sentence."""
    line = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return line if len(line) <= most else line[: most - 3] + "..."
