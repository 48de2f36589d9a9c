"""Spread work over processes. Results come in the order of the tasks, and only a few tasks are queued at once.

The few are what bounds the memory. The tasks are plain data, the work is a function of a module, so that the same
would run on other machines.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from pipeline.errors import UserError

Result = TypeVar("Result")
AHEAD = 2  # tasks queued per worker


def in_order(work: Callable[..., Result], tasks: Iterator[tuple[Any, ...]], workers: int) -> Iterator[Result]:
    """Do the tasks in worker processes, or in this process if `workers` is 1."""
    if workers == 1:
        for task in tasks:
            yield work(*task)
        return
    waiting: deque[Future] = deque()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(work, *task))
                if len(waiting) > AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise UserError(
                "A worker process was killed; run again to go on, with fewer workers if short of memory."
            ) from error
        finally:
            for future in waiting:
                future.cancel()


def _begin_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and end when the parent ends, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
