"""Spread work over processes: `in_order` for many short tasks, `as_done` for long ones.

Only a few tasks are queued at once, which bounds the memory. The tasks are plain data, the work is a function of a
module, so that the same would run on other machines.
"""

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from pipeline.errors import UserError

Result = TypeVar("Result")
AHEAD = 2  # tasks queued per worker
GRACE = 5.0  # seconds for a worker to end after it was told to
KILLED = "A worker process was killed; run again to go on, with fewer workers if short of memory."


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
            raise UserError(KILLED) from error
        finally:
            for future in waiting:
                future.cancel()


def as_done(work: Callable[..., Result], tasks: Iterator[tuple[Any, ...]], workers: int) -> Iterator[Result]:
    """Do the tasks in worker processes, and yield each result as soon as it is there, in any order.

    No task is taken before a worker is free for it. When the caller stops early, or is stopped by Ctrl-C, the tasks
    under way are given up: a worker gets SIGTERM, which ends it with `SystemExit`.
    """
    context = multiprocessing.get_context("spawn")
    busy: dict[Any, BaseProcess] = {}  # by our end of the worker's pipe
    leaving: list[BaseProcess] = []
    ours: Any
    try:
        for _, task in zip(range(workers), tasks, strict=False):  # no more processes than tasks
            ours, theirs = context.Pipe()
            busy[ours] = context.Process(target=_serve, args=(theirs, work), daemon=True)
            busy[ours].start()
            theirs.close()
            ours.send(task)
        while busy:
            for ours in wait(busy):
                try:
                    result, error = ours.recv()
                except EOFError as error:
                    raise UserError(KILLED) from error
                if error is not None:
                    raise error
                task = next(tasks, None)
                if task is None:
                    ours.close()  # which ends the worker
                    leaving.append(busy.pop(ours))
                else:
                    ours.send(task)
                yield result
    finally:
        for ours, process in busy.items():
            ours.close()
            process.terminate()
        _await([*leaving, *busy.values()])


def _serve(pipe: Connection, work: Callable[..., Any]) -> None:
    """Worker process: do tasks until the other end of the pipe is closed."""
    _begin_worker()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    with suppress(EOFError, BrokenPipeError):
        while True:
            task = pipe.recv()
            answer: tuple[Any, Exception | None]
            try:
                answer = work(*task), None
            except UserError as error:
                answer = None, error
            except Exception as error:  # which need not be fit to be pickled
                answer = None, RuntimeError(f"{error}\n{traceback.format_exc()}")
            pipe.send(answer)


def _await(processes: list[BaseProcess]) -> None:
    """Wait for processes that were told to end, and kill those that do not."""
    for process in processes:
        process.join(GRACE)
        if process.is_alive():
            process.kill()
            process.join()


def _begin_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and end when the parent ends, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
