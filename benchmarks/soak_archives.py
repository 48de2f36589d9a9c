"""Hostile archives and SGF files, each given to `data.prepare`: nothing is written elsewhere, every record is counted.

Each file is made by `benchmarks.hostile_files` and read as a user would have it read, in a run of its own. A hook of
Python's audit events notes every file that is opened for writing, made, renamed or removed outside the folder of the
run. Afterwards the report must count every record: those kept are in the store, those left out are lines of
`skipped.csv`, the file is named at least once, and games that are sound in spite of everything are kept.
"""

import contextlib
import csv
import io
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.hostile_files import Grounds, hostile_files, sound_games
from benchmarks.measure import Bar
from benchmarks.memory import resident, watched_memory
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from data import prepare
from data.draft import SKIPPED
from data.store import GameStore
from pipeline.artefact import read_json, stage_path
from pipeline.errors import UserError
from pipeline.progress import Progress
from pipeline.tables import table

GAMES = 500  # sound games to build with
MOST_SECONDS, MOST_MEGABYTES = 120.0, 500.0  # for one file
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")


class Report(NamedTuple):
    """What happened: files by kind, records, seconds of the slowest file, growth of memory in MB, and faults."""

    kinds: Counter
    records: int
    kept: int
    refused: int
    slowest: float
    slowest_kind: str
    growth: float
    faults: list[str]


class _Watch:
    """Notes what is changed on disk outside a folder, while it is on. Python never removes an audit hook."""

    def __init__(self) -> None:
        self.allowed: str | None = None
        self.outside: list[str] = []
        self.is_hooked = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.allowed is None:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) if isinstance(flags, int) else False
            changed = [path] if writes or (isinstance(mode, str) and set(mode) & set("wax+")) else []
        else:
            changed = [part for part in arguments if isinstance(part, str | bytes)] if event in CHANGES else []
        for path in changed:
            if isinstance(path, str | bytes | os.PathLike):
                place = os.path.realpath(os.fsdecode(path))
                if not place.startswith((self.allowed + os.sep, "/dev/", "/proc/")) and place != self.allowed:
                    self.outside.append(f"{event} {place}")

    @contextmanager
    def only(self, folder: Path) -> Iterator[list[str]]:
        """Note what is changed outside a folder."""
        if not self.is_hooked:
            sys.addaudithook(self)
            self.is_hooked = True
        self.outside = []
        self.allowed = os.path.realpath(folder)
        try:
            yield self.outside
        finally:
            self.allowed = None


WATCH = _Watch()


@contextmanager
def runs_in(folder: Path) -> Iterator[None]:
    """Have runs kept in a folder."""
    before = os.environ.get("PREZERO_RUNS")
    os.environ["PREZERO_RUNS"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PREZERO_RUNS"]
        else:
            os.environ["PREZERO_RUNS"] = before


def read_in_earnest(path: Path, run: str) -> tuple[dict[str, Any], list[str], bool]:
    """Give a file to `data.prepare`. Return its report, the names in store and list, and whether it kept nothing."""
    settings = prepare.Settings(run=run, sources=str(path), workers=1)
    folder, is_refused = stage_path(run, prepare.STAGE), False
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            prepare.main(settings)
        except UserError as error:
            if "is kept" not in str(error) or "\n" in str(error):
                raise
            is_refused = True
    with (folder / SKIPPED).open(encoding="utf-8", newline="") as file:
        names = [row[1] for row in list(csv.reader(file))[1:]]
    if not is_refused:
        store = GameStore(folder)
        names += [store.source(game) for game in range(len(store))]
    return read_json(folder / "report.json"), names, is_refused


def fault_of(report: dict[str, Any], names: list[str], path: Path, sound: int | None) -> str:
    """Return what is wrong with a report, or nothing."""
    skipped = sum(count for count, _ in report["skipped"].values())
    if report["records"] != report["kept"] + skipped:
        return f"{report['records']} records, {report['kept']} kept and {skipped} left out"
    if len(names) != report["records"]:
        return f"{report['records']} records are counted, {len(names)} are named"
    if not names or not all(name.startswith(str(path)) for name in names):
        return "the file is not named"
    if sound is not None and report["kept"] != sound:
        return f"{report['kept']} games are kept of {sound} that are sound"
    return ""


def run_archives(count: int, members: int = 100_000, seed: int = 1) -> Report:
    """Read hostile files. `members` is the size of archives with very many members."""
    kinds, faults, slowest = Counter(), [], (0.0, "")
    records = kept = refused = 0
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(runs_in(folder / "runs"))
        grounds = Grounds(sound_games(GAMES), members)
        (folder / "sound.sgf").write_bytes(grounds.games[0])
        read_in_earnest(folder / "sound.sgf", "sound")  # compiles and imports what is needed
        peak_since = stack.enter_context(watched_memory())
        progress = stack.enter_context(Progress("hostile files", count))
        worst = 0.0
        for number, (kind, (ending, data, sound)) in enumerate(hostile_files(count, grounds, seed)):
            kinds[kind] += 1
            path = folder / f"hostile{number}{ending}"
            path.write_bytes(data)
            del data
            began, before = time.monotonic(), resident()
            peak_since()
            with WATCH.only(folder / "runs") as outside:
                try:
                    report, names, is_refused = read_in_earnest(path, f"run{number}")
                    fault = fault_of(report, names, path, sound)
                    records, kept = records + report["records"], kept + report["kept"]
                    refused += is_refused
                except Exception as error:
                    fault = f"{type(error).__name__}: {error}"
            slowest = max(slowest, (time.monotonic() - began, kind))
            worst = max(worst, peak_since() - before)
            faults += [f"{kind} ({path.name}): {said}" for said in [fault, *outside] if said]
            path.unlink()
            progress.update(1)
    return Report(kinds, records, kept, refused, *slowest, worst, faults)


def section(settings: SoakSettings) -> Section:
    """Read hostile files, and lay out what became of them."""
    report = run_archives(settings.files, settings.members, settings.seed)
    rows = [
        ["hostile files", f"{report.kinds.total():,}"],
        ["records counted", f"{report.records:,}"],
        ["games kept", f"{report.kept:,}"],
        ["files of which nothing is kept, refused in one sentence", f"{report.refused:,}"],
        ["seconds of the slowest file", f"{report.slowest:.1f} ({report.slowest_kind})"],
        ["largest growth of memory for a file, MB", f"{report.growth:.0f}"],
    ]
    kinds = [[kind, f"{count:,}"] for kind, count in sorted(report.kinds.items())]
    bars = [
        no_faults("archives", report.faults),
        Bar("archives: seconds of the slowest file", report.slowest, MOST_SECONDS, at_most=True, unit=" s"),
        Bar("archives: growth of memory for a file", report.growth, MOST_MEGABYTES, at_most=True, unit=" MB"),
    ]
    return Section(
        f"{table(['hostile files', 'measured'], rows)}\n\n{table(['kind', 'files'], kinds)}", bars, report.faults
    )
