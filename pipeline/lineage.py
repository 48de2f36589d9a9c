"""Run all stages in order. Each reads what earlier stages made, and is skipped if it is done already.

In a terminal, a table shows the stages with their times and results, and what the running one is at; what the stages
print goes to a log. Elsewhere, or with `verbose=true`, the output of the stages is passed on, and the table comes last.
"""

import collections
import dataclasses
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from hydra.core.hydra_config import HydraConfig

from pipeline.artefact import made, read_json, read_manifest, runs_folder, stage_path, write_json
from pipeline.catalogue import COMMANDS, load
from pipeline.errors import INTERRUPTED, UserError
from pipeline.launch import Command, launch
from pipeline.progress import LINE_EVERY, duration
from pipeline.settings import StageSettings, explain, seed_setting, setting
from pipeline.stage_table import DONE, FAILED, RUNNING, StageTable

TIMES, LOG = "lineage.json", "lineage.log"  # in the folder of the run
TICK = 1.0  # seconds between two looks at a running stage
SAVED = 15.0  # seconds between two notes of its time
KEPT = 30  # last lines of a stage that has failed


@dataclasses.dataclass
class Settings(StageSettings):
    """Settings that are handed on to every stage that has them."""

    board: Any = setting(None, "the board of all stages, by default that of the scale")
    seed: int = seed_setting()
    open: bool = setting(False, "open the report in a browser at the end")
    verbose: bool = setting(False, "show the output of the stages instead of a table")


def handed_on(stage: str, overrides: Iterable[str]) -> list[str]:
    """Return the overrides of the command line that are about settings of a stage."""
    settings = load(stage).settings
    known = {name for name, _, _ in explain(settings)} | {field.name for field in dataclasses.fields(settings)}
    return [override for override in overrides if override.partition("=")[0] in known]


def read_times(run: str) -> dict[str, float]:
    """Return the seconds that stages of a run have taken as parts of a lineage, over all its attempts."""
    found = read_json(stage_path(run, TIMES))
    seconds = found.get("seconds") if isinstance(found, dict) else None
    return seconds if isinstance(seconds, dict) else {}


class Clock:
    """Adds up the time of a stage over all attempts, and notes it now and then, so that a kill loses little."""

    def __init__(self, run: str, stage: str) -> None:
        self.run, self.stage = run, stage
        self.times = read_times(run)
        folder = stage_path(run, stage)
        self.manifest = self._manifest()
        self.is_done = self.manifest is not None
        self.before = self.times.get(stage, 0.0) if folder.is_dir() else 0.0
        self.began = self.saved = time.monotonic()

    def _manifest(self) -> dict[str, Any] | None:
        try:
            return read_manifest(stage_path(self.run, self.stage))
        except UserError:  # the stage itself will say that its manifest is damaged
            return None

    @property
    def seconds(self) -> float | None:
        """The time until now; of a stage that was done earlier, what it took then (None if that is not known)."""
        return self.times.get(self.stage) if self.is_done else self.before + time.monotonic() - self.began

    def note(self, at_once: bool = False) -> None:
        """Write the time to the folder of the run, if it has not been written for a while.

        At the end (`at_once`), the time also counts if the stage was done earlier and has been extended.
        """
        if at_once and self._manifest() != self.manifest:
            self.is_done = False
        is_due = at_once or time.monotonic() - self.saved >= SAVED
        if is_due and not self.is_done and stage_path(self.run, self.stage).is_dir():
            self.saved = time.monotonic()
            times = self.times | {self.stage: round(self.seconds, 1)}
            write_json(stage_path(self.run, TIMES), {"seconds": times})


class Listener(threading.Thread):
    """Reads what a stage says on stderr: its progress, a line at a time."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self.lines: collections.deque[str] = collections.deque(maxlen=KEPT)

    def run(self) -> None:
        for line in self.stream:
            if line.strip():
                self.lines.append(line.rstrip())

    @property
    def last(self) -> str:
        return self.lines[-1] if self.lines else ""


def run_stage(stage: str, overrides: list[str], look: Callable[[str], None], log: Path | None = None) -> int:
    """Run a stage as a process of its own and return its exit code. On Ctrl-C, wait until it has ended.

    `look` is called every second with what the stage says. With a log, its output goes there, and its last words are
    passed on if it fails.
    """
    command = [sys.executable, "-m", "pipeline", stage, *overrides]
    if log is None:
        return _ended(subprocess.Popen(command), lambda: look(""))
    with log.open("a", encoding="utf-8") as output:
        print(f"== {stage}", file=output, flush=True)
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=os.environ | {LINE_EVERY: "2"},
        )
        listener = Listener(process.stderr)
        listener.start()
        status = _ended(process, lambda: look(listener.last))
        listener.join()
    if status:
        print(*listener.lines, sep="\n", file=sys.stderr)
    return status


def _ended(process: subprocess.Popen, look: Callable[[], None]) -> int:
    """Wait until a process has ended, and look at it every second. Return its exit code."""
    while True:
        try:
            return process.wait(TICK)
        except subprocess.TimeoutExpired:
            look()
        except KeyboardInterrupt:
            return process.wait()


def main(settings: Settings) -> None:
    stages = [name for name, command in COMMANDS.items() if command.is_stage]
    is_live = not settings.verbose and sys.stdout.isatty() and sys.stderr.isatty()
    folder = runs_folder() / settings.run
    table, began = StageTable(stages), time.monotonic()
    log = made(folder) / LOG if is_live else None
    for number, stage in enumerate(stages, 1):
        clock, row = Clock(settings.run, stage), table.row(stage)

        def look(said: str, clock: Clock = clock, row: Any = row) -> None:
            clock.note()
            row.seconds, row.text = clock.seconds, said
            if is_live:
                table.draw()

        row.state = RUNNING
        if is_live:
            look("")
        else:
            print(f"[{number}/{len(stages)}] {stage}: {COMMANDS[stage].summary}", flush=True)
        status = run_stage(stage, handed_on(stage, HydraConfig.get().overrides.task), look, log)
        clock.note(at_once=True)
        row.state, row.seconds = (FAILED if status else DONE), clock.seconds
        row.text = "" if status else read_manifest(stage_path(settings.run, stage))["result"]
        if is_live:
            table.draw()
        if status == INTERRUPTED:
            sys.exit(status)
        if status:
            raise UserError(f"The lineage stopped at {stage}; run it again to go on from there.")
    if not is_live:
        print("\n" + "\n".join(table.lines()))
    print(f"\nDone in {duration(time.monotonic() - began)}. Results are in {folder}.")
    if is_live:
        print(f"What the stages printed is in {folder / LOG}.")


COMMAND = Command("lineage", Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
