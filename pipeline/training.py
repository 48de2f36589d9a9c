"""The training loop: steps, evaluations on held-out data, and checkpoints.

A checkpoint holds all that the rest depends on. So a training that was killed and begun again ends with the same
weights, bit for bit. Ctrl-C ends it after the step under way, with a checkpoint.
"""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from pipeline.arrays import read_arrays, write_arrays
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.progress import Progress

CHECKPOINT_SECONDS = 60  # a kill loses at most this much work, if steps are short
History = list[dict[str, float]]


class Trainer(Protocol):
    """Learns something in steps, whatever a step is."""

    steps: int
    unit: str  # of the work, such as positions

    def step(self, number: int) -> dict[str, float]:
        """Do step `number`. Return the amount of work under the name of the unit, and the means of other measures."""

    def state(self) -> dict[str, np.ndarray]:
        """Return everything that the following steps depend on."""

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Continue from a state."""


class Checkpoint(NamedTuple):
    """A training in progress: steps done, sums since the last history entry, seconds spent, history."""

    state: dict[str, np.ndarray]
    steps: int
    sums: dict[str, float]
    seconds: float
    history: History


def write_checkpoint(path: Path, key: str, checkpoint: Checkpoint) -> None:
    """Write a checkpoint with a key that names everything the training depends on."""
    write_arrays(path, {"key": key, "checkpoint": json.dumps(checkpoint[1:])}, checkpoint.state)


def read_checkpoint(path: Path, key: str) -> Checkpoint | None:
    """Read a checkpoint; return None if there is none. Raise `UserError` if it has another key."""
    found = read_arrays(path, key)
    if found is None and path.exists():
        raise UserError(
            f"{path.parent} holds an unfinished run of other settings; name this run with run=NAME, or remove {path}."
        )
    try:
        return found and Checkpoint(found[1], *json.loads(found[0]["checkpoint"]))
    except (KeyError, ValueError, TypeError) as error:
        raise UserError(f"{path} is not a checkpoint; remove it to begin anew.") from error


@contextmanager
def _patient_interrupt() -> Iterator[threading.Event]:
    """Let the first Ctrl-C only set an event, so that the step is finished. The second one interrupts at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(number: int, frame: Any) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)
        os.write(2, b"\nFinishing the step under way; Ctrl-C once more does not wait for it.\n")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def train(
    trainer: Trainer,
    what: str,
    path: Path,
    key: dict[str, Any],
    validate: Callable[[], dict[str, float]],
    every: int = 1,
    report: Callable[[History], None] = lambda history: None,
) -> History:
    """Run the remaining steps. Return one history entry per `every` steps; the last may have a few more.

    An entry has the work done so far, the seconds spent on it (without evaluations), the means over its steps, and what
    `validate` finds. `report` is given the entries so far, for curves and files.
    """
    named = json.dumps(key)
    saved = read_checkpoint(path, named)
    sums: dict[str, float] = {}
    history: History = []
    steps, seconds = 0, 0.0
    if saved is not None:
        trainer.restore(saved.state)
        _, steps, sums, seconds, history = saved
    began, written = time.monotonic() - seconds, time.monotonic()
    with _patient_interrupt() as interrupted, Progress(f"{what}, steps", trainer.steps, steps) as progress:
        while steps < trainer.steps:
            _add(sums, trainer.step(steps), trainer.unit)
            steps += 1
            seconds = time.monotonic() - began
            left = trainer.steps - steps
            if left == 0 or (steps % every == 0 and left >= every):
                paused = time.monotonic()
                found = validate()
                began += time.monotonic() - paused
                history.append(_entry(sums, seconds, history, trainer.unit) | found)
                sums, progress.note = {}, _headline(found)
                report(history)
            if interrupted.is_set() or not sums or time.monotonic() - written > CHECKPOINT_SECONDS:
                write_checkpoint(path, named, Checkpoint(trainer.state(), steps, sums, seconds, history))
                written = time.monotonic()
            progress.update(1)
            if interrupted.is_set():
                raise KeyboardInterrupt
    return history


def _add(sums: dict[str, float], shown: dict[str, float], unit: str) -> None:
    for name, value in shown.items():
        sums[name] = sums.get(name, 0) + (value if name == unit else float(value) * shown[unit])


def _headline(found: dict[str, float]) -> str:
    """Return the first measure, which is the most important one, as text."""
    return next((f"{name} {value:.4g}" for name, value in found.items()), "")


def _entry(sums: dict[str, float], seconds: float, history: History, unit: str) -> dict[str, float]:
    before = history[-1][unit] if history else 0
    means = {name: value / max(sums[unit], 1) for name, value in sums.items() if name != unit}
    return {unit: before + sums[unit], "seconds": round(seconds, 1), **means}


def write_history(path: Path, histories: dict[str, History]) -> None:
    """Write the entries as lines of JSON, each with the name of its history."""
    lines = (json.dumps({"of": name, **entry}) for name, history in histories.items() for entry in history)
    write_atomic(path, "".join(f"{line}\n" for line in lines))
