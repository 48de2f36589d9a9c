"""Convert game records to a game store, and report what happened to every record."""

import dataclasses
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from data.draft import DUPLICATE, SKIPPED, Draft, draft_paths, finish, is_there
from data.fields import printable
from data.filters import EXCLUDE_PRESETS, Filters
from data.reading import Tally, chunks, read_chunk
from data.sources import Reading, files_of, find_sources, name_of, open_file
from data.store import FLAWS, STAGE, GameStore
from data.summary import positions_by_split, summary
from go.errors import GoError
from go.settings import SizeSettings
from pipeline.artefact import ROOT, check_seal, read_json, sealed, stage_folder, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table
from pipeline.workers import in_order

PROGRESS = "progress.json"
EMBEDDED_SHA256 = "c09f13fe17e1d81d43c1961c78e1a1a2eecedb744ecf8e181af3e8e5369f8752"  # of the corpus file
NAMED_SOURCES = {"embedded": ROOT / "data" / "corpus" / "expert9.zip", "kgs": ROOT / "downloads" / "kgs"}
SECONDS_BETWEEN_CHECKPOINTS = 2
MOST_WORKERS = 256
MOST_NAMED = 100  # source names listed in the manifest


@dataclasses.dataclass
class Settings(StageSettings, Filters):
    board: SizeSettings = setting(SizeSettings, "the board")
    sources: str = setting(
        "embedded",
        "files, folders, patterns and archives of SGF, with commas between; or embedded, or kgs (downloaded)",
        result=False,  # the key contains the fingerprint of the files
    )
    validation: float = setting(0.05, "share of the games in the validation set", least=0, below=1)
    test: float = setting(0.05, "share of the games in the test set", least=0, below=1)
    workers: int = setting(0, "worker processes; 0 for one a core", least=0, most=MOST_WORKERS, result=False)

    def check(self) -> None:
        super().check()
        if self.validation + self.test >= 1:
            raise UserError("validation and test together leave nothing to train on.")


def files_for(sources: str) -> list[Path]:
    """Return the files that the setting names."""
    if not sources:
        raise UserError("There are no games to read: name them with sources=FILE, or take sources=embedded.")
    for name in sources.split(","):
        if name in NAMED_SOURCES and not NAMED_SOURCES[name].exists():
            raise UserError(
                f"sources={name} has not been downloaded yet: ./prezero data.download does that, "
                "or name archives of your own with sources=..."
            )
    if "embedded" in sources.split(","):
        corpus = NAMED_SOURCES["embedded"]
        if hashlib.sha256(corpus.read_bytes()).hexdigest() != EMBEDDED_SHA256:
            raise UserError(f"{corpus} is damaged; take it anew from where Prezero came from.")
    parts = sources.split(",") if NAMED_SOURCES.keys() & {*sources.split(",")} else [sources]
    files = files_of([path for part in parts for path in find_sources(str(NAMED_SOURCES.get(part, part)))])
    if not files:
        raise UserError(f"There is no file in {sources}.")
    return files


def fingerprint(files: list[Path]) -> str:
    """Return a hash of the names and contents of files, but not of their folders. A name determines the file type."""
    digest = hashlib.sha256()
    with Progress("looking at the sources, files", len(files)) as progress:
        for path in files:
            digest.update(os.fsencode(path.name) + b"\0")
            try:
                with open_file(path) as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
            except OSError:
                digest.update(b"cannot be read")  # the report lists it
            progress.update(1)
    return digest.hexdigest()[:32]


def read_all(settings: Settings, files: list[Path], folder: Path, key: dict[str, Any]) -> tuple[Draft, Tally]:
    """Read all sources into a draft. Resume from the last checkpoint if its key is the same."""
    path = folder / PROGRESS
    tally, draft = Tally(), None
    try:
        saved = read_json(path)
        if saved is not None:
            check_seal(saved, path)
            if saved["key"] == key and is_there(folder, saved["draft"]):
                tally, draft = Tally(**saved["tally"]), Draft(folder, saved["draft"])
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is not what we wrote; remove it to begin anew.") from error
    draft = draft or Draft(folder)
    filters = Filters(**{field.name: getattr(settings, field.name) for field in dataclasses.fields(Filters)})
    reading = Reading(files)
    todo = (item for number, item in enumerate(reading) if number >= tally.items)  # the order is deterministic
    tasks = ((chunk, settings.board.size, filters) for chunk in chunks(todo))
    spoke = time.monotonic()
    with Progress("", sum(size_of(file) for file in files) // 1000) as progress:
        for batch, part in in_order(read_chunk, tasks, settings.workers or os.cpu_count() or 1):
            draft.append(batch)
            tally.add(part)
            progress.what = f"{tally.records:,} records read, {tally.kept:,} games, kilobytes"
            progress.update(reading.consumed // 1000 - progress.done)
            if time.monotonic() - spoke > SECONDS_BETWEEN_CHECKPOINTS:
                spoke = time.monotonic()
                progress_so_far = {"key": key, "draft": draft.checkpoint(), "tally": dataclasses.asdict(tally)}
                write_json(path, sealed(progress_so_far))
    return draft, tally


def size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def report_text(report: dict[str, Any]) -> str:
    """Return a Markdown table of what happened to the records."""
    rows = [(number, f"left out: {what}", example) for what, (number, example) in report["skipped"].items()]
    rows += [(number, f"kept up to the {what}", example) for what, (number, example) in report["flawed"].items()]
    rows.sort(key=lambda row: -row[0])
    shown = [[what, f"{number:,}", shortened(example)] for number, what, example in rows]
    said = f"{report['records']:,} records read, {report['kept']:,} games kept."
    return f"{said}\n\n{table(['what became of the others', 'games', 'for example'], shown)}" if rows else said


def shortened(name: str, most: int = 70) -> str:
    """Return a printable name of at most `most` characters. The end is kept, because names differ there."""
    name = printable(name)
    return name if len(name) <= most else "..." + name[3 - most :]


def report_of(tally: Tally, store: GameStore | None = None) -> dict[str, Any]:
    """Return the counts of all records. Truncated games are counted in the store, with the first as an example."""
    flawed = {}
    for number, flaw in enumerate(FLAWS if store else ()):
        cut = np.flatnonzero(store.games["flaw"] == number)
        if flaw and len(cut):
            flawed[flaw] = [len(cut), store.source(int(cut[0]))]
    return {"records": tally.records, "kept": tally.kept, "flawed": flawed, "skipped": tally.skipped}


def prepare(settings: Settings, folder: Path, key: dict[str, Any], files: list[Path]) -> Outcome:
    """Read all sources and make a store of them. The caller removes the drafts."""
    draft, tally = read_all(settings, files, folder, key)
    if tally.kept == 0:
        with (folder / SKIPPED).open("wb") as file:
            draft.copy_skipped(file)
        draft.remove()
        (folder / PROGRESS).unlink(missing_ok=True)
        write_json(folder / "report.json", report_of(tally))
        reasons = sorted(tally.skipped.items(), key=lambda entry: -entry[1][0])
        most = f": {reasons[0][1][0]:,} are left out for '{reasons[0][0]}'" if reasons else ""
        raise UserError(f"None of {tally.records:,} records is kept{most} ({folder / SKIPPED} has all reasons).")
    duplicates, example = finish(draft, folder, settings.validation, settings.test)
    draft.close()
    if duplicates:
        tally.kept -= duplicates
        tally.skip(DUPLICATE, example, duplicates)
    store = GameStore(folder)
    report = report_of(tally, store)
    write_json(folder / "report.json", report)
    positions = sum(positions_by_split(store))
    metrics = {
        "report": report,
        "fingerprint": store.about["fingerprint"],
        "games": len(store),
        "positions": positions,
        "sources": [name_of(path) for path in files[:MOST_NAMED]],
        "files": len(files),
    }
    size = f"{store.size}x{store.size}"
    return Outcome(f"{len(store):,} games of {size}, {positions:,} positions to learn from", metrics)


def main(settings: Settings) -> dict[str, int]:
    settings = dataclasses.replace(settings, exclude=EXCLUDE_PRESETS.get(settings.exclude, settings.exclude))
    files = files_for(settings.sources)
    folder = stage_folder(settings.run, STAGE)
    drafts = [folder / PROGRESS, *draft_paths(folder).values()]
    manifest = done_once(
        folder,
        STAGE,
        settings,
        [],
        lambda key: prepare(settings, folder, key, files),
        facts={"sources": fingerprint(files)},
        drafts=drafts,
    )
    print(report_text(manifest["metrics"]["report"]))
    print()
    print(summary(GameStore(folder)))
    print(f"\nGame store and report: {folder}; {SKIPPED} there lists every record that is left out.")
    return {name: manifest["metrics"][name] for name in ("games", "positions")}


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
