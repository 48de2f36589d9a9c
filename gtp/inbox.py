"""Input that is read by a separate thread, so that it can interrupt thinking."""

import os
import threading
from collections import deque
from collections.abc import Iterator
from typing import IO

LONGEST = 100_000  # bytes that are kept of a line; what has no end must not fill the memory


class Inbox:
    """The lines of a stream, as they come in."""

    def __init__(self, stream: IO) -> None:
        self._lines: deque[str] = deque()
        self._at_end = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: IO) -> None:
        try:
            for line in read_lines(stream):
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        except (OSError, ValueError):  # closed under our hands, which is an end like any other
            pass
        finally:
            with self._changed:
                self._at_end = True
                self._changed.notify_all()

    def has_news(self, seconds: float | None = None) -> bool:
        """Wait until there is a line or the end of the input. Return False if neither happens in time."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._lines) or self._at_end, seconds)

    def take(self) -> str | None:
        """Wait for the next line and return it. None: the end of the input."""
        self.has_news()
        return self._lines.popleft() if self._lines else None


def read_lines(stream: IO) -> Iterator[str]:
    """Yield the lines of a stream of text or bytes. Bytes that are not UTF-8 are replaced.

    A file is read below Python's buffers: a thread that waits inside of one can crash the interpreter at its end.
    """
    try:
        descriptor = stream.fileno()
    except (AttributeError, OSError, ValueError):
        yield from (line.decode("utf-8", "replace") if isinstance(line, bytes) else line for line in stream)
        return
    begun = b""
    while data := os.read(descriptor, 65536):
        first, *others = data.split(b"\n")
        begun = (begun + first)[:LONGEST]
        for other in others:
            yield begun.decode("utf-8", "replace")
            begun = other[:LONGEST]
    if begun:
        yield begun.decode("utf-8", "replace")
