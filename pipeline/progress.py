"""Progress of long work on stderr: one line that renews itself in a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Self


class Progress:
    """Counts towards a total and says so; a total that was partly reached earlier starts from `done`."""

    def __init__(self, what: str, total: int, done: int = 0) -> None:
        self.what, self.total, self.done, self.first = what, total, done, done
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.spoke = self.began

    def __enter__(self) -> Self:
        return self

    def update(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if now - self.spoke >= (0.1 if self.terminal else 5):
            self.spoke = now
            self._say("\r\x1b[K" if self.terminal else "", "" if self.terminal else "\n")

    def _say(self, start: str, end: str) -> None:
        rate = (self.done - self.first) / max(time.monotonic() - self.began, 1e-9)
        left = (self.total - self.done) / rate if rate else 0
        share = 100 * self.done / max(self.total, 1)
        pace = f"{rate:,.0f}/s" if rate >= 10 else f"{60 * rate:.1f}/min"
        line = f"{self.what}: {self.done:,} of {self.total:,} ({share:.0f}%), {pace}, {left:.0f} s left"
        print(start + line, end=end, file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
