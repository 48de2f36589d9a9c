"""One changed byte in each kind of file that we read: a clear sentence or a correct result, never a wrong one.

Files of each kind are made anew in a temporary folder. One byte at a time is changed, half of them among the first
bytes, where headers are, and the file is read by the code that reads it in earnest. `UserError` counts as refused. What
is read without an error must be equal to what the whole file holds, or it counts as wrong. A file that only saves work
(a checkpoint, progress, a cache) may also be ignored: the work is then done anew, with the same result.
"""

import contextlib
import io
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from arena import problems
from benchmarks.hostile_files import sound_games
from benchmarks.soak_settings import Section, SoakSettings, no_faults
from data import prepare
from data.draft import Draft, finish
from data.filters import Filters
from data.reading import read_chunk
from data.sources import Reading
from data.store import GameStore
from go import random_play
from nets.weights import Weights
from pipeline.artefact import WEIGHTS, read_manifest, sealed, write_json, write_manifest
from pipeline.errors import UserError
from pipeline.progress import Progress
from pipeline.tables import table
from pipeline.training import Checkpoint, read_checkpoint, write_checkpoint
from rollout import match
from rollout.model import Model, read_card
from rollout.policies import Thresholds, find_patterns
from sl_policy.table import read_rows

HEADER = 2_048  # bytes at the beginning of a file that get half of the changes
REFUSED, CORRECT, WRONG, TRACEBACK = "refused", "correct", "wrong", "traceback"
OUTCOMES = (REFUSED, CORRECT, WRONG, TRACEBACK)
GAMES = 200  # of the corpus, for a store
IGNORED = object()  # what a reader returns that begins anew


class Kind(NamedTuple):
    """A kind of file: its name, how to make files of it in a folder, and how to read them there.

    `make` returns the files to damage. `read` returns what can be compared with `==`, or `IGNORED`.
    """

    name: str
    make: Callable[[Path], list[Path]]
    read: Callable[[Path], Any]


class Report(NamedTuple):
    """How many changes of a kind of file had each outcome, and the first faults in words."""

    kind: str
    outcomes: Counter
    faults: list[str]


def small_store(folder: Path) -> GameStore:
    """Make a game store of some games of the embedded corpus."""
    items = [item for item, _ in zip(Reading([prepare.NAMED_SOURCES["embedded"]]), range(GAMES), strict=False)]
    draft = Draft(folder)
    draft.append(read_chunk(items, 9, Filters())[0])
    finish(draft, folder, 0.1, 0.1)
    draft.remove()
    return GameStore(folder)


def make_manifest(folder: Path) -> list[Path]:
    metrics = {"top1": 0.5, "results": {"test": {"moves": 1234, "log_loss": 1.25}}, "fingerprint": "0123456789abcdef"}
    inputs = [{"stage": "data.prepare", "folder": "runs/laptop/data.prepare", "fingerprint": "fedcba9876543210"}]
    settings = {"net": {"filters": 64, "planes": 48}, "positions": 800_000, "seed": 1}
    write_manifest(folder, "sl_policy.train", settings, metrics, inputs, "50.0% of test moves found")
    return [folder / "manifest.json"]


def make_store(folder: Path) -> list[Path]:
    small_store(folder)
    return [*sorted(folder.glob("*.npy")), folder / "store.json"]


def read_store(folder: Path) -> Any:
    store = GameStore(folder)
    return store.about, *(array.tobytes() for array in (store.games, store.moves, store.setup, store.texts))


def make_network(folder: Path) -> list[Path]:
    Weights.load(WEIGHTS / "policy9.safetensors").save(folder / "network.safetensors")
    return [folder / "network.safetensors"]


def read_network(folder: Path) -> Any:
    weights = Weights.load(folder / "network.safetensors")
    return weights.fingerprint(), weights.card


def make_policy(folder: Path) -> list[Path]:
    return [Path(shutil.copy(WEIGHTS / "tree9.safetensors", folder))]


def read_policy(folder: Path) -> Any:
    return Model.load(folder / "tree9.safetensors").fingerprint(), read_card(folder / "tree9.safetensors")


def make_checkpoint(folder: Path) -> list[Path]:
    draw = np.random.default_rng(1)
    state = {f"layer{n}": draw.normal(size=(8, 8)).astype(np.float32) for n in range(20)}
    state |= {"step": np.array(7), "rng": draw.integers(0, 256, 99, np.uint8)}
    history = [{"positions": 100.0 * n, "seconds": 0.5 * n, "loss": 2.5} for n in range(10)]
    write_checkpoint(folder / "checkpoint.safetensors", "key", Checkpoint(state, 7, {"loss": 2.0}, 3.5, history))
    return [folder / "checkpoint.safetensors"]


def read_state(folder: Path) -> Any:
    read = read_checkpoint(folder / "checkpoint.safetensors", "key")
    if read is None:
        return IGNORED
    return {name: (part.dtype.str, part.shape, part.tobytes()) for name, part in read.state.items()}, *read[1:]


def make_patterns(folder: Path) -> list[Path]:
    small_store(folder)
    read_patterns(folder)
    return [folder / "patterns.safetensors"]


def read_patterns(folder: Path) -> Any:
    store = GameStore(folder)
    with ThreadPoolExecutor(1) as pool:
        path = folder / "patterns.safetensors"
        found = find_patterns(store, np.arange(20), Thresholds(2, 2, 2), pool, path, "key")
    return [part.tobytes() for part in found]


def make_corpus(folder: Path) -> list[Path]:
    return [Path(shutil.copy(prepare.NAMED_SOURCES["embedded"], folder))]


def read_corpus(folder: Path) -> Any:
    with patch.dict(prepare.NAMED_SOURCES, embedded=folder / prepare.NAMED_SOURCES["embedded"].name):
        (path,) = prepare.files_for("embedded")
    return path.read_bytes()


RANDOM_PLAY = random_play.Settings(playouts=20, threads=1)


def make_random_play(folder: Path) -> list[Path]:
    read_random_play(folder)
    return [folder / random_play.PROGRESS]


def read_random_play(folder: Path) -> Any:
    with patch.multiple(random_play, CHUNK=4, BATCH=1):
        return random_play.play_all(RANDOM_PLAY, folder, {"seed": 1}).to_plain()


def make_reading(folder: Path) -> list[Path]:
    """Make the progress of a reading that was stopped half-way."""
    (folder / "games.sgfs").write_bytes(b"\n".join(sound_games(60)))
    stopped: list[Any] = []

    def stop(path: Path, value: Any) -> None:
        write_json(path, value)
        stopped.append(path)
        if len(stopped) == 2:
            raise KeyboardInterrupt

    with patch.object(prepare, "write_json", stop), contextlib.suppress(KeyboardInterrupt):
        read_reading(folder)
    return [folder / prepare.PROGRESS, *(path for path in sorted(folder.glob("*.draft")) if path.stat().st_size)]


def read_reading(folder: Path) -> Any:
    settings = prepare.Settings(workers=1)
    with patch.object(prepare, "SECONDS_BETWEEN_CHECKPOINTS", -1), patch("data.reading.CHUNK_ITEMS", 10):
        draft, tally = prepare.read_all(settings, [folder / "games.sgfs"], folder, {"seed": 1})
    sizes = draft.checkpoint()
    draft.close()
    return sizes, vars(tally)


MATCH = match.Settings(games=4, threads=1)


def make_match(folder: Path) -> list[Path]:
    write_json(folder / match.PROGRESS, sealed({"key": {"seed": 1}, "results": {"0": 1.0, "1": 0.0, "2": 1.0}}))
    return [folder / match.PROGRESS]


def read_match(folder: Path) -> Any:
    with patch.object(match, "play_one", lambda settings, number, policies: [1.0, 0.0, 1.0, 0.5][number]):
        return match.play_match(MATCH, folder, {"seed": 1}, (None, None))


def make_answers(folder: Path) -> list[Path]:
    given = [f"A{1 + number % 9}" for number in range(len(problems.problems()) - 1)]
    write_json(folder / problems.PROGRESS, sealed({"key": {"seed": 1}, "answers": {"random": given}}))
    return [folder / problems.PROGRESS]


def read_answers(folder: Path) -> Any:
    def answers(name: str, simulations: int, seed: int, todo: list[Any]) -> Iterator[str]:
        total = len(problems.problems())
        yield from (f"A{1 + number % 9}" for number in range(total - len(todo), total))

    with patch.multiple(problems, answers=answers, trials=lambda settings: [("random", 0)]):
        return problems.solve_all(problems.Settings(), folder, {"seed": 1})


def make_rows(folder: Path) -> list[Path]:
    row = {"key": ["0123456789abcdef", 1, 20_000, 1], "filters": 64, "test": 0.5, "train": 0.6, "milliseconds": 1.5}
    write_json(folder / "rows.json", sealed({"rows": {str(number): row for number in range(1, 13)}}))
    return [folder / "rows.json"]


KINDS = (
    Kind("manifest of a stage", make_manifest, read_manifest),
    Kind("game store", make_store, read_store),
    Kind("network", make_network, read_network),
    Kind("pattern policy", make_policy, read_policy),
    Kind("checkpoint of a training", make_checkpoint, read_state),
    Kind("embedded corpus", make_corpus, read_corpus),
    Kind("harvested patterns", make_patterns, read_patterns),
    Kind("progress of go.random_play", make_random_play, read_random_play),
    Kind("progress and drafts of data.prepare", make_reading, read_reading),
    Kind("progress of rollout.match", make_match, read_match),
    Kind("progress of arena.problems", make_answers, read_answers),
    Kind("rows of sl_policy.table", make_rows, lambda folder: read_rows(folder / "rows.json")),
)


def outcome_of(read: Callable[[Path], Any], folder: Path, expected: Any) -> tuple[str, str]:
    """Read damaged files. Return the outcome, and a word about it."""
    try:
        with redirect_stderr(io.StringIO()):  # progress
            found = read(folder)
    except UserError as error:
        sentence = str(error)
        return (REFUSED if sentence.endswith(".") and "\n" not in sentence else TRACEBACK), sentence
    except Exception as error:
        return TRACEBACK, f"{type(error).__name__}: {error}"
    return (CORRECT, "") if found is IGNORED or found == expected else (WRONG, "other contents")


def flip(kind: Kind, count: int, seed: int = 1, advance: Callable[[int], None] = lambda count: None) -> Report:
    """Change one byte of a file of a kind, `count` times, and read it each time."""
    draw = np.random.default_rng(seed)
    outcomes, faults = Counter(dict.fromkeys(OUTCOMES, 0)), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "files")
        folder.mkdir()
        targets = kind.make(folder)
        before = {path: path.read_bytes() for path in folder.iterdir()}
        expected = kind.read(folder)
        for number in range(count):
            _restore(folder, before)
            path = targets[number % len(targets)]
            data = bytearray(before[path])
            end = min(HEADER, len(data)) if number // len(targets) % 2 else len(data)
            place, change = int(draw.integers(end)), int(draw.integers(1, 256))
            data[place] ^= change
            path.write_bytes(data)
            outcome, words = outcome_of(kind.read, folder, expected)
            outcomes[outcome] += 1
            if outcome in (WRONG, TRACEBACK):
                faults.append(f"{kind.name}, {path.name}, byte {place} changed by {change}: {outcome}, {words}")
            advance(1)
    return Report(kind.name, outcomes, faults)


def _restore(folder: Path, files: dict[Path, bytes]) -> None:
    """Give a folder its files back as they were."""
    for path in folder.iterdir():
        if path not in files:
            path.unlink()
    for path, content in files.items():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def run_flips(count: int, seed: int = 1) -> list[Report]:
    """Change bytes in all kinds of files, `count` in each."""
    with Progress("changed bytes", count * len(KINDS)) as progress:
        return [flip(kind, count, seed, progress.update) for kind in KINDS]


def section(settings: SoakSettings) -> Section:
    """Change bytes in all kinds of files, and lay out what became of it."""
    reports = run_flips(settings.flips, settings.seed)
    rows = [[report.kind, *(f"{report.outcomes[outcome]:,}" for outcome in OUTCOMES)] for report in reports]
    faults = [fault for report in reports for fault in report.faults]
    return Section(table(["file", *OUTCOMES], rows), [no_faults("flips", faults)], faults)
