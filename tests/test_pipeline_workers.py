"""Work in other processes: results as they come, errors, killed workers, and an early end."""

import math
import multiprocessing
import os
import time

import pytest

from pipeline.errors import UserError
from pipeline.workers import as_done


def test_every_task_is_done_once():
    assert sorted(as_done(math.sqrt, iter([(n * n,) for n in range(7)]), 2)) == [0, 1, 2, 3, 4, 5, 6]
    assert list(as_done(math.sqrt, iter([(9,)]), 4)) == [3] and list(as_done(math.sqrt, iter([]), 2)) == []
    assert multiprocessing.active_children() == []


def test_no_task_is_taken_before_there_is_a_worker_for_it():
    taken = []
    tasks = ((taken.append(n) or n,) for n in range(5))
    results = as_done(math.sqrt, tasks, 2)
    next(results)
    assert len(taken) <= 3
    results.close()


def test_a_caller_may_stop_early_and_gives_up_the_tasks_under_way():
    results = as_done(time.sleep, iter([(0,), (1000,), (1000,)]), 2)
    assert next(results) is None and len(multiprocessing.active_children()) == 2
    results.close()
    assert multiprocessing.active_children() == []


def test_errors_and_deaths_of_workers_are_told():
    with pytest.raises(RuntimeError, match="Traceback"):
        list(as_done(math.sqrt, iter([(-1.0,)]), 2))
    with pytest.raises(UserError, match="A worker process was killed; run again to go on"):
        list(as_done(os._exit, iter([(3,)]), 2))
    assert multiprocessing.active_children() == []
