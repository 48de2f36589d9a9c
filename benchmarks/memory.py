"""The memory of this process, now and at its peak."""

import os
import resource
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MEGABYTE = 1 << 20
STATM = Path("/proc/self/statm")
LOOKS = 0.02  # seconds between two looks


def resident() -> float:
    """Return the resident memory of this process in MB. Where the system does not tell, return its peak."""
    if STATM.exists():
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MEGABYTE
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE


@contextmanager
def watched_memory() -> Iterator[Callable[[], float]]:
    """Watch the memory of this process. The function that is given returns the peak since its last call, in MB."""
    done, peak = threading.Event(), resident()

    def look() -> None:
        nonlocal peak
        while not done.wait(LOOKS):
            peak = max(peak, resident())

    def peak_since() -> float:
        nonlocal peak
        found, peak = max(peak, resident()), resident()
        return found

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield peak_since
    finally:
        done.set()
        thread.join()
