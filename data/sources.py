"""Where game records come from: files, folders, patterns and archives, read one by one and never unpacked to disk.

Nothing here can stop a run. What cannot be read is handed on as a `Trouble`, and the rest goes on; an archive that
expands beyond all measure is left at a bound.
"""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from data.record import LARGEST
from pipeline.errors import UserError

TARS = {
    (".tar.gz", ".tgz"): gzip.open,
    (".tar.bz2", ".tbz2", ".tbz"): bz2.open,
    (".tar.xz", ".txz"): lzma.open,
    (".tar",): lambda file, mode: file,
}
TAR_ENDINGS = tuple(ending for endings in TARS for ending in endings)
DAMAGED, UNKNOWN_KIND = "file or archive damaged or unreadable", "not a game record by its name"
RECORD_ENDINGS = (".sgf", ".sgfs")
LEAST_ALLOWANCE = 1 << 30  # bytes that any archive may hold,
EXPANSION = 200  # or so many for each of its own: game records are packed about sixteen to one


class Item(NamedTuple):
    """The bytes of a file, of a member of an archive, or of a line of a `.sgfs` file, with a name to call it by."""

    name: str
    data: bytes


class Trouble(NamedTuple):
    """Something that is no game record or could not be read; `detail` is for a person, if there is more to say."""

    name: str
    reason: str
    detail: str = ""


class BombError(Exception):
    """An archive that holds more than it may."""


def find_sources(text: str) -> list[Path]:
    """Find what a text names: files, folders and patterns, with commas between them. Each must be there."""
    found: list[Path] = []
    names = [text] if text and Path(text).expanduser().exists() else [name.strip() for name in text.split(",")]
    for name in filter(None, names):
        path = Path(name).expanduser()
        matches = [path] if path.exists() else sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
        if not matches:
            raise UserError(f"There is no file, folder or match for {name}.")
        found += matches
    for path in found:
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read: permission denied.")
    return list(dict.fromkeys(found))


def files_of(sources: list[Path]) -> list[Path]:
    """List all files, those of folders in the order of their names, each once."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            for folder, below, names in os.walk(source):
                below.sort()
                files += [Path(folder, name) for name in sorted(names)]
        else:
            files.append(source)
    return list(dict.fromkeys(files))


class Reading:
    """All records of some files, one after another; `consumed` tells how many bytes of the files have been read."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files
        self.before, self.file = 0, io.BytesIO()  # bytes of the files that are done, and the one that is being read

    @property
    def consumed(self) -> int:
        return self.before + (0 if self.file.closed else self.file.tell())

    def __iter__(self) -> Iterator[Item | Trouble]:
        for path in self.files:
            try:
                with path.open("rb") as self.file:
                    yield from read_file(path, self.file)
                self.before += path.stat().st_size
            except OSError as error:
                yield Trouble(str(path), DAMAGED, error.strerror or str(error))


def read_file(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    """Read all records of a file, which is of the kind that its name says."""
    name = path.name.lower()
    try:
        if name.endswith(".zip"):
            yield from _read_zip(path, file)
        elif name.endswith(TAR_ENDINGS):
            yield from _read_tar(path, file)
        elif name.endswith(RECORD_ENDINGS):
            yield from _read_records(str(path), file)
        else:
            yield Trouble(str(path), UNKNOWN_KIND)
    except BombError:
        yield Trouble(str(path), "archive expands beyond the bound", "the rest of it was left out")
    except Exception as error:  # the readers of archives raise nearly anything when bytes are damaged
        detail = " ".join(str(error).split()) or type(error).__name__
        yield Trouble(str(path), DAMAGED, detail)


def _read_records(name: str, file: IO[bytes]) -> Iterator[Item]:
    if not name.lower().endswith(".sgfs"):
        yield Item(name, file.read(LARGEST + 1))
        return
    number = 0
    while line := file.readline(LARGEST + 1):
        number += 1
        if line.strip():
            yield Item(f"{name}:{number}", line)


def _read_member(path: Path, member: str, file: IO[bytes]) -> Iterator[Item | Trouble]:
    name = f"{path}/{member}"
    if member.lower().endswith(RECORD_ENDINGS):
        yield from _read_records(name, file)
    else:
        yield Trouble(name, UNKNOWN_KIND)


def _allowance(path: Path) -> int:
    return max(LEAST_ALLOWANCE, EXPANSION * path.stat().st_size)


class _Metered(io.RawIOBase):
    """A stream that can be read up to an allowance."""

    def __init__(self, stream: IO[bytes], allowance: int) -> None:
        self.stream, self.left = stream, allowance

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(min(size, self.left + 1) if size >= 0 else self.left + 1)
        self.left -= len(data)
        if self.left < 0:
            raise BombError
        return data

    def readline(self, size: int = -1) -> bytes:
        line = self.stream.readline(size)
        self.left -= len(line)
        if self.left < 0:
            raise BombError
        return line


def _read_tar(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    opener = next(opener for endings, opener in TARS.items() if path.name.lower().endswith(endings))
    with opener(file, "rb") as stream:
        metered = _Metered(stream, _allowance(path))
        with tarfile.open(fileobj=metered, mode="r|") as archive:
            for member in archive:
                if member.isreg():
                    yield from _read_member(path, member.name, archive.extractfile(member))
                elif not member.isdir():
                    yield Trouble(f"{path}/{member.name}", "a link or device in an archive")
                archive.members.clear()  # or it would remember all of them


def _read_zip(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    left = _allowance(path)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            try:
                with archive.open(member) as stream:
                    metered = _Metered(stream, left)
                    yield from _read_member(path, member.filename, metered)
                    left = metered.left
            except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:  # only this member
                yield Trouble(f"{path}/{member.filename}", "archive member damaged or encrypted", str(error))
