"""Progress of long work on stderr: a progress bar in a terminal, occasional lines in a log."""

import os
import shutil
import sys
import time
from types import TracebackType
from typing import Self

BAR = 24  # characters
RENEWED = 0.1  # seconds between two updates of the bar
# Elsewhere: seconds between two lines, by the seconds that the work has taken. An hour makes some fifty lines.
LINES = ((600, 120), (60, 30), (0, 5))
LINE_EVERY = "PREZERO_LINE_EVERY"  # environment variable: seconds between two lines, for whoever reads them live


class Progress:
    """Counts towards a total and says so; a total that was partly reached earlier starts from `done`.

    What it is counting and a short `note`, which stands at the end of the line, may be changed at any time. In a
    terminal, `above` is shown above the bar: lines such as a table, with the state of the work.
    """

    def __init__(self, what: str, total: int, done: int = 0) -> None:
        self.what, self.total, self.done, self.first = what, total, done, done
        self.note = ""
        self.above = ""
        self.height = 0  # lines above the bar that are on the screen
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.spoke = self.began

    def __enter__(self) -> Self:
        return self

    def update(self, count: int) -> None:
        """Add to the count, and show it if enough time has passed."""
        self.done += count
        now = time.monotonic()
        if now - self.spoke >= (RENEWED if self.terminal else _pause(now - self.began)):
            self.spoke = now
            if self.terminal:
                print(f"{self._erased()}{self._lines_above()}{self._bar()}", end="", file=sys.stderr, flush=True)
            else:
                print(f"{self.what}: {self._counted()}", file=sys.stderr, flush=True)

    def _counted(self) -> str:
        """Return the count, the speed and the remaining time as text."""
        rate = (self.done - self.first) / max(time.monotonic() - self.began, 1e-9)
        left = (self.total - self.done) / rate if rate else 0
        pace = f"{rate:,.0f}/s" if rate >= 10 else f"{60 * rate:.1f}/min"
        parts = [f"{self.done:,} of {self.total:,} ({100 * self._share():.0f}%)", pace, f"{duration(left)} left"]
        return ", ".join([*parts, self.note] if self.note else parts)

    def _bar(self) -> str:
        """Return the bar and its text, cut to the width of the terminal: a wrapped line cannot be overwritten."""
        full, empty = ("━", "─") if (sys.stderr.encoding or "").lower().startswith("utf") else ("#", ".")
        filled = round(BAR * self._share())
        line = f"{self.what}  {full * filled}{empty * (BAR - filled)}  {self._counted()}"
        return line[: shutil.get_terminal_size().columns - 1]

    def _lines_above(self) -> str:
        """Return the lines above the bar, cut to what fits into the terminal."""
        columns, rows = shutil.get_terminal_size()
        lines = [line[: columns - 1] for line in self.above.splitlines()[: rows - 2]]
        self.height = len(lines)
        return "".join(f"{line}\n" for line in lines)

    def _erased(self) -> str:
        """Return what erases the bar and the lines above it."""
        return f"\x1b[{self.height}A\r\x1b[J" if self.height else "\r\x1b[K"

    def _share(self) -> float:
        return min(max(self.done / max(self.total, 1), 0.0), 1.0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.terminal:
            print(self._erased(), end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Return a time as text: seconds up to a minute, then h:mm:ss."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _pause(seconds: float) -> float:
    if LINE_EVERY in os.environ:
        return float(os.environ[LINE_EVERY])
    return next(pause for since, pause in LINES if seconds >= since)
