"""Every stage, killed with SIGKILL at random moments and then finished: the results are those of an unbroken run.

Stages that learn come from the catalogue, with tiny settings from `TINY`. The ladder and the report of a run are not
among them: their files tell how long players thought, and a test kills tournaments instead
(`tests/killed_tournament.py`). A stage runs in a process of its own, forked from a server that has imported everything,
because the start would take longer than the work. One trial is a new run that is killed one to three times, each time
after a random while, and then finished. Then all files of the stage are compared with those of an unbroken run, byte by
byte; JSON and weights without times and dates. Files that an unbroken run does not leave behind are a fault, too.
"""

import contextlib
import importlib
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.hostile_files import sound_games
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from pipeline.catalogue import COMMANDS, load
from pipeline.errors import UserError
from pipeline.progress import Progress
from pipeline.settings import explain
from pipeline.tables import table
from pipeline.tensors import read_unchecked

GAMES = 400  # of the store that stages learn from
MOST_KILLS = 3  # in one trial
PATIENCE = 600.0  # seconds for one stage
TIMES = {"seconds", "date", "milliseconds", "checksum", "fingerprint of the file", "code", "version", "folder"}
OWN_CHECKSUMS = ("checksum", "fingerprint")  # in the metadata of a weights file; they cover the date
WHOLE, RUN = "whole", "soak"
TIMED = ("arena.ladder", "arena.report")  # stages whose files tell how long players thought
TIMED_FILES = ("curve_seconds.svg",)  # a curve of zero.train against seconds


class Tiny(NamedTuple):
    """Settings that make a stage take about a second, and values of modules that make it write checkpoints often."""

    settings: tuple[str, ...] = ()
    values: Mapping[str, Any] = {}


OFTEN = {"pipeline.training.CHECKPOINT_SECONDS": -1}
TINY = {
    "go.random_play": Tiny(("playouts=3000",), {"go.random_play.CHUNK": 50, "go.random_play.BATCH": 1}),
    "data.prepare": Tiny(
        ("sources={games}", "workers=1", "validation=0.2", "test=0.2"),
        {"data.prepare.SECONDS_BETWEEN_CHECKPOINTS": -1, "data.reading.CHUNK_ITEMS": 20},
    ),
    "features48.census": Tiny(("positions=2000",)),
    "rollout.train": Tiny(("epochs=3", "min_squares=5", "min_responses=3", "min_diamonds=3"), OFTEN),
    "sl_policy.train": Tiny(
        (
            *("net.filters=4", "net.layers=3", "optimiser.batch_size=32", "positions=1600", "evaluations=4"),
            *("validation_positions=50", "test_positions=100", "device=cpu", "precision=float32"),
        ),
        OFTEN,
    ),
    "rl_policy.train": Tiny(
        (
            *("learn.games=4", "iterations=4", "pool_every=2", "evaluation_games=4", "test_games=4"),
            *("device=cpu", "precision=float32"),
        ),
        OFTEN,
    ),
    "value_net.sample": Tiny(
        (
            *("games=40", "shard_games=10", "together=10", "validation=0.2", "test=0.2"),
            "precision=float32",
        )
    ),
    "value_net.train": Tiny(
        ("positions=800", "evaluations=4", "start=none", "device=cpu", "precision=float32"),
        OFTEN,
    ),
    "zero.train": Tiny(
        (
            *("size=3", "iterations=4", "evaluate_every=2", "evaluation_games=4", "opponents=random"),
            *("net.filters=4", "net.layers=3", "play.games=8", "play.places=2", "search.simulations=4"),
            *("learn.batch_size=16", "device=cpu", "precision=float32", "play_precision=float32"),
        ),
        OFTEN,
    ),
}


class Report(NamedTuple):
    """What happened to a stage: kills, trials, trials that had something to go on from, seconds of an unbroken run."""

    stage: str
    kills: int
    trials: int
    seconds: float
    faults: list[str]


def stages() -> list[str]:
    """Return what is killed: the stages of the lineage, and the loop of Zero, which is not part of it."""
    return [name for name, entry in COMMANDS.items() if (entry.is_stage and name not in TIMED) or name == "zero.train"]


def tiny(stage: str) -> Tiny:
    """Return the settings of a stage. One without a row in the table runs as `scale=tiny` does."""
    row = TINY.get(stage, Tiny())
    known = {name for name, _, _ in explain(load(stage).settings)}
    threads = ("threads=1",) if "threads" in known else ()
    return row._replace(settings=("scale=tiny", *threads, *row.settings))


def preloaded() -> list[str]:
    """Return the modules that the server imports once."""
    rooms = [COMMANDS[stage].module for stage in stages()]
    return [*rooms, "torch", "matplotlib.pyplot", "nets.module", "nets.learning", "sl_policy.trainer", __name__]


def run_stage(stage: str, folder: str, settings: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Process: run a stage as its command does. All trials have a run of the same name, in folders of their own."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(null, number)
    os.environ["PREZERO_RUNS"] = folder
    for name, value in values.items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)
    arguments = [f"run={RUN}", *settings]
    sys.argv = ["prezero", *arguments]
    load(stage)(arguments)


class Kennel:
    """Starts stages in processes, and kills some."""

    def __init__(self, folder: Path, context: ForkServerContext, draw: random.Random) -> None:
        self.folder, self.context, self.draw = folder, context, draw
        self.games = folder / "games.sgfs"
        self.games.write_bytes(b"\n".join(sound_games(GAMES)) + b"\n")

    def start(self, stage: str, trial: str, before: float | None = None) -> int | None:
        """Run a stage, and kill it after some seconds. Return its exit code; None if it was killed."""
        wanted = tiny(stage)
        settings = tuple(text.format(games=self.games) for text in wanted.settings)
        target, given = run_stage, (stage, str(self.folder / trial), settings, dict(wanted.values))
        process = self.context.Process(target=target, args=given, daemon=True)
        process.start()
        process.join(PATIENCE if before is None else before)
        if process.exitcode is None:
            process.kill()
            process.join()
            if before is None:
                raise UserError(f"{stage} has not ended within {PATIENCE:g} seconds.")
        return None if process.exitcode == -signal.SIGKILL else process.exitcode

    def new_trial(self, stage: str, trial: str) -> Path:
        """Make a run in which all other stages are done. Return the folder of the stage."""
        folder = self.folder / trial / RUN
        folder.mkdir(parents=True)
        for other in (self.folder / WHOLE / RUN).glob("*"):
            if other.name != stage:
                (folder / other.name).symlink_to(other)
        return folder / stage

    def unbroken(self, stage: str) -> tuple[dict[str, Any], float]:
        """Run a stage without a kill. Return its results and the seconds of a second, warm run."""
        self.new_trial(stage, f"{stage}-warm")
        for trial in (WHOLE, f"{stage}-warm"):
            began = time.monotonic()
            if code := self.start(stage, trial):
                raise UserError(f"{stage} ended with code {code} in an unbroken run with tiny settings.")
        return results(self.folder / WHOLE / RUN / stage), time.monotonic() - began


def results(folder: Path) -> dict[str, Any]:
    """Return the contents of all files of a stage that do not depend on when and where it ran."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in TIMED_FILES)
    return {str(path.relative_to(folder)): contents(path) for path in files}


def contents(path: Path) -> Any:
    data = path.read_bytes()
    with contextlib.suppress(ValueError):
        if path.suffix == ".json":
            return without_times(json.loads(data))
        if path.suffix == ".jsonl":
            return [without_times(json.loads(line)) for line in data.splitlines()]
    if path.suffix == ".safetensors":
        about, tensors = read_unchecked(path)
        said = {name: text for name, text in about.items() if name not in OWN_CHECKSUMS}
        if "card" in said:
            said["card"] = without_times(json.loads(said["card"]))
        return said, {name: (part.dtype.str, part.shape, part.tobytes()) for name, part in tensors.items()}
    return data


def without_times(value: Any) -> Any:
    """Return a value of JSON without everything that depends on when and where it was made."""
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def differences(found: dict[str, Any], whole: dict[str, Any]) -> list[str]:
    """Say in which files two results differ."""
    missing = [f"{name} is missing" for name in sorted(whole.keys() - found.keys())]
    left = [f"{name} is left over" for name in sorted(found.keys() - whole.keys())]
    return [*missing, *left, *(f"{name} is another" for name in whole if name in found and found[name] != whole[name])]


def kill_stage(kennel: Kennel, stage: str, kills: int, advance: Callable[[int], Any] = lambda count: None) -> Report:
    """Kill a stage a number of times, in trials that are then finished and compared."""
    whole, seconds = kennel.unbroken(stage)
    done, trials, faults = 0, 0, []
    while done < kills:
        trials += 1
        trial = f"{stage}-{trials}"
        folder = kennel.new_trial(stage, trial)
        code: int | None = None
        for _ in range(min(kennel.draw.randint(1, MOST_KILLS), kills - done)):
            code = kennel.start(stage, trial, before=kennel.draw.uniform(0, seconds))
            if code is not None:
                break
            done += 1
            advance(1)
        if code is None:
            code = kennel.start(stage, trial)
        found = differences(results(folder), whole) if code == 0 else [f"it ended with code {code}"]
        faults += [f"{stage}, trial {trials}: {what}" for what in found]
    return Report(stage, done, trials, seconds, faults)


def run_kills(kills: int, seed: int = 1, chosen: tuple[str, ...] = ()) -> list[Report]:
    """Kill each stage of the catalogue. Stages that others read from run first, in the order of the catalogue."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preloaded())
    todo = chosen or tuple(stages())
    with tempfile.TemporaryDirectory() as temporary, Progress("kills", kills * len(todo)) as progress:
        kennel = Kennel(Path(temporary), context, random.Random(seed))
        reports = []
        for stage in stages():
            progress.note = stage
            if stage in todo:
                reports.append(kill_stage(kennel, stage, kills, progress.update))
            elif any(stages().index(stage) < stages().index(other) for other in todo):
                kennel.unbroken(stage)
        return reports


def section(settings: SoakSettings) -> Section:
    """Kill all stages, and lay out what became of them."""
    reports = run_kills(settings.kills, settings.seed)
    rows = [[r.stage, f"{r.kills:,}", f"{r.trials:,}", f"{r.seconds:.1f}", f"{len(r.faults)}"] for r in reports]
    faults = [fault for report in reports for fault in report.faults]
    text = table(["stage", "kills", "runs finished and compared", "seconds of an unbroken run", "faults"], rows)
    return Section(text, [no_faults("kills", faults)], faults)
