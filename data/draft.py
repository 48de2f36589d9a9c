"""A draft of a game store: packed records are appended to draft files, which become a store at the end.

Draft files are append-only, so a checkpoint needs only the size and hash of each file. Duplicates are removed at the
end, when all keys are known.
"""

import csv
import hashlib
import io
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from data.fields import NO_WINNER, printable
from data.identity import game_keys, split_of
from data.record import Record
from data.store import FILES, FLAWS, FORMAT, GAME, fingerprint
from pipeline.artefact import sealed, write_json

BLOCK = 20_000  # games in memory at once in `finish`
DUPLICATE = "the same game as an earlier one"
SKIPPED = "skipped.csv"
SKIPPED_COLUMNS = [("reason", "record", "detail")]


class Batch(NamedTuple):
    """Games to append to a store, as the arrays of a store. Offsets are relative to the start of the batch."""

    games: np.ndarray
    moves: np.ndarray
    setup: np.ndarray  # flat: three numbers for each row
    texts: np.ndarray
    skipped: np.ndarray = np.empty(0, np.uint8)  # rows of `skipped.csv`


def skipped_rows(rows: Iterable[tuple[str, str, str]]) -> np.ndarray:
    """Return rows of `skipped.csv` as bytes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([printable(part) for part in row] for row in rows)
    return np.frombuffer(text.getvalue().encode("utf-8", "replace"), np.uint8)


def pack(records: list[tuple[str, Record, int]]) -> Batch:
    """Pack records, each with the name of its source and the sides to learn from."""
    games = np.zeros(len(records), GAME)
    texts = []
    for game, (source, record, learn) in zip(games, records, strict=True):
        fields = (source, *record.names, record.date)
        texts.append("\0".join(field.replace("\0", " ") for field in fields).encode("utf-8", "replace"))
        game["key"], game["opening"] = game_keys(record)
        game["n_moves"], game["n_setup"], game["n_text"] = len(record.moves), len(record.setup), len(texts[-1])
        game["ranks"] = record.ranks
        game["flaw"] = FLAWS.index(record.flaw)
        game["learn"] = learn
        for name in ("komi", "margin", "year", "handicap", "size", "winner", "ending"):
            game[name] = getattr(record, name)
    moves = [record.moves for _, record, _ in records]
    setup = [record.setup.reshape(-1) for _, record, _ in records]
    empty = np.empty(0, np.int16)
    return Batch(
        _placed(games),
        np.concatenate([empty, *moves]),
        np.concatenate([empty, *setup]),
        np.frombuffer(b"".join(texts), np.uint8),
    )


def _placed(games: np.ndarray, start: tuple[int, int, int] = (0, 0, 0)) -> np.ndarray:
    """Set the offset of each game in the other files. Games are contiguous and begin at `start`."""
    for name, first in zip(("move", "setup", "text"), start, strict=True):
        lengths = games[f"n_{name}" + ("s" if name == "move" else "")].astype(np.int64)
        games[f"first_{name}"] = first + np.cumsum(lengths) - lengths
    return games


def draft_paths(folder: Path) -> dict[str, Path]:
    """Return the path of each draft file, by field of `Batch`."""
    return {name: folder / f"{name}.draft" for name in Batch._fields}


def is_there(folder: Path, saved: dict[str, list[Any]]) -> bool:
    """Return whether the draft files still begin with the contents of a checkpoint."""
    paths = draft_paths(folder)
    return all(
        path.is_file() and _hash(path, saved[name][0]).hexdigest() == saved[name][1] for name, path in paths.items()
    )


def _hash(path: Path, size: int) -> Any:
    """Return the hash of the first `size` bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while size and (part := file.read(min(size, 1 << 20))):
            digest.update(part)
            size -= len(part)
    return digest


class Draft:
    """A draft of a store: append-only files that can be truncated to their size at a checkpoint."""

    def __init__(self, folder: Path, saved: dict[str, list[Any]] | None = None) -> None:
        """Start empty, or resume from the checkpoint `saved`."""
        self.paths = draft_paths(folder)
        self.files, self.hashes = {}, {}
        for name, path in self.paths.items():
            path.touch()
            size = saved[name][0] if saved else 0
            self.hashes[name] = _hash(path, size)
            self.files[name] = path.open("r+b")
            self.files[name].truncate(size)
            self.files[name].seek(0, 2)

    def append(self, batch: Batch) -> None:
        for name, array in batch._asdict().items():
            self.files[name].write(array.tobytes())
            self.hashes[name].update(array.tobytes())

    def checkpoint(self) -> dict[str, list[Any]]:
        """Write everything to disk. Return the size and the hash of each file."""
        for file in self.files.values():
            file.flush()
            os.fsync(file.fileno())
        return {name: [file.tell(), self.hashes[name].hexdigest()] for name, file in self.files.items()}

    def copy_skipped(self, file: IO[bytes]) -> None:
        """Write the header and the rows so far of `skipped.csv`."""
        self.checkpoint()
        file.write(skipped_rows(SKIPPED_COLUMNS).tobytes())
        with self.paths["skipped"].open("rb") as rows:
            shutil.copyfileobj(rows, file)

    def close(self) -> None:
        for file in self.files.values():
            file.close()

    def remove(self) -> None:
        self.close()
        for path in self.paths.values():
            path.unlink(missing_ok=True)


def finish(draft: Draft, folder: Path, validation: float, test: float) -> tuple[int, str]:
    """Convert a draft to a store without duplicates. Return the number of duplicates and the source of the first.

    Memory is bounded: it holds a few numbers per game and one block of games at a time.
    """
    draft.checkpoint()
    raw = {name: _mapped(draft.paths[name], dtype) for name, dtype in FILES.items()}
    is_first = _is_first_of_its_key(raw["games"]["key"], raw["games"]["winner"] == NO_WINNER)
    finals = {name: (folder / f".{name}.npy").open("wb") for name in FILES}
    for name, file in finals.items():
        file.write(_npy_header(FILES[name], 0))
    read, written = dict.fromkeys(FILES, 0), dict.fromkeys(FILES, 0)
    example = ""
    skipped = (folder / f".{SKIPPED}").open("wb")
    draft.copy_skipped(skipped)
    for start in range(0, len(is_first), BLOCK):
        games, keep = np.array(raw["games"][start : start + BLOCK]), is_first[start : start + BLOCK]
        lengths = {"moves": games["n_moves"], "setup": 3 * games["n_setup"], "texts": games["n_text"]}
        parts = {}
        for name, counts in lengths.items():
            end = read[name] + int(counts.sum())
            block = raw[name][read[name] : end]
            parts[name] = block[np.repeat(keep, counts)]
            read[name] = end
            if name == "texts":
                places = np.cumsum(counts) - counts
                names = [
                    _source(block[first : first + n]) for first, n in zip(places[~keep], counts[~keep], strict=True)
                ]
                skipped.write(skipped_rows((DUPLICATE, source, "") for source in names).tobytes())
                example = example or (names[0] if names else "")
        parts["games"] = _placed(games[keep], (written["moves"], written["setup"] // 3, written["texts"]))
        parts["games"]["split"] = split_of(parts["games"]["opening"], validation, test)
        for name, part in parts.items():
            finals[name].write(part.tobytes())
            written[name] += len(part)
    for name, file in finals.items():
        file.seek(0)
        file.write(_npy_header(FILES[name], written[name]))
        file.close()
        (folder / f".{name}.npy").replace(folder / f"{name}.npy")
    skipped.close()
    (folder / f".{SKIPPED}").replace(folder / SKIPPED)
    about: dict[str, Any] = {"format": FORMAT, "size": int(raw["games"]["size"][0]), "games": written["games"]}
    about |= {"moves": written["moves"], "fingerprint": fingerprint(folder)}
    write_json(folder / "store.json", sealed(about))
    return int((~is_first).sum()), example


def _source(text: np.ndarray) -> str:
    return text.tobytes().decode("utf-8", "replace").partition("\0")[0]


def _is_first_of_its_key(keys: np.ndarray, lacks_result: np.ndarray) -> np.ndarray:
    """Mark one record of each game: the first with a result, or the first if none has a result."""
    order = np.lexsort((lacks_result, keys))  # a stable sort
    is_new = np.ones(len(keys), bool)
    is_new[1:] = keys[order][1:] != keys[order][:-1]
    is_first = np.zeros(len(keys), bool)
    is_first[order[is_new]] = True
    return is_first


def _mapped(path: Path, dtype: np.dtype) -> np.ndarray:
    return np.memmap(path, dtype, mode="r") if path.stat().st_size else np.empty(0, dtype)


def _npy_header(dtype: np.dtype, count: int) -> bytes:
    """Return the header of a `.npy` file. Its length is fixed, so that it can be overwritten at the end."""
    text = repr({"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)})
    return b"\x93NUMPY\x01\x00" + (1014).to_bytes(2, "little") + text.encode().ljust(1013) + b"\n"
