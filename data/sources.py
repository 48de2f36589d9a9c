"""Where game records come from: files, folders, patterns and archives, read one by one and never unpacked to disk.

Nothing here can stop a run. What cannot be read is handed on as a `Trouble`, and the rest goes on; an archive that
expands beyond all measure is left at a bound.
"""

import bz2
import errno
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from data.record import LARGEST
from pipeline.errors import UserError

PACKINGS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
SHORT_ENDINGS = {".tgz": ".tar.gz", ".tbz": ".tar.bz2", ".tbz2": ".tar.bz2", ".txz": ".tar.xz"}
RECORD_ENDINGS = (".sgf", ".sgfs")
DAMAGED, UNKNOWN_KIND = "file or archive damaged or unreadable", "not a game record by its name"
LONG_NAMES = (b"L", b"K", b"x", b"g", b"X")  # kinds of headers of a tar that are read into memory, whatever their size
LEAST_ALLOWANCE = 1 << 28  # bytes that any archive may hold,
EXPANSION = 100  # or so many for each of its own: game records are packed about sixteen to one


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
    names = [text] if _matches(text) else text.split(",")  # there are names with commas in them
    for name in filter(None, (name.strip() for name in names)):
        matches = _matches(name)
        if not matches:
            raise UserError(f"There is no file, folder or match for {name}.")
        found += matches
    for path in found:
        if not os.access(path, os.R_OK):
            raise UserError(f"{path} cannot be read: permission denied.")
        if not (path.is_file() or path.is_dir()):
            raise UserError(f"{path} is neither a file nor a folder.")
    return list(dict.fromkeys(found))


def _matches(name: str) -> list[Path]:
    try:
        path = Path(name).expanduser()
        return [path] if path.exists() else sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    except (OSError, ValueError, RuntimeError, NotImplementedError):  # no name or pattern that a file can have
        return []


def files_of(sources: list[Path]) -> list[Path]:
    """List all files, those of folders in the order of their names, each once.

    Folders that cannot be listed and links to folders, which might lead anywhere, are listed themselves; reading them
    says so.
    """
    files: list[Path] = []
    for source in sources:
        if not source.is_dir():
            files.append(source)
            continue
        unlisted: list[OSError] = []
        for folder, below, names in os.walk(source, onerror=unlisted.append):
            below.sort()
            links = [name for name in below if Path(folder, name).is_symlink()]
            files += [Path(folder, name) for name in sorted(names + links)]
        files += [Path(error.filename) for error in unlisted]
    return list(dict.fromkeys(files))


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading if it is one: a pipe would keep us waiting, and a device may have no end."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "a link to a folder, or a folder that cannot be listed")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return path.open("rb")


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
                with open_file(path) as self.file:
                    yield from read_file(path, self.file)
                self.before += path.stat().st_size
            except OSError as error:
                yield Trouble(name_of(path), DAMAGED, error.strerror or str(error))


def read_file(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    """Read all records of a file, which is of the kind that its name says."""
    name = path.name.lower()
    for short, long in SHORT_ENDINGS.items():
        name = name.removesuffix(short) + long if name.endswith(short) else name
    ending = Path(name).suffix
    try:
        if ending == ".zip":
            yield from _read_zip(path, file)
            return
        if ending in PACKINGS:
            name, file = name.removesuffix(ending), _Metered(PACKINGS[ending](file, "rb"), _allowance(path))
        if name.endswith(".tar"):
            yield from _read_tar(path, file)
        elif _is_record(name):
            yield from _read_records(name_of(path), name, file)
        else:
            yield Trouble(name_of(path), UNKNOWN_KIND)
    except BombError:
        yield Trouble(name_of(path), "archive expands beyond the bound", "the rest of it was left out")
    except Exception as error:  # the readers of archives raise nearly anything when bytes are damaged
        yield Trouble(name_of(path), DAMAGED, _said(error))


def name_of(path: Path, member: str = "") -> str:
    """Name a file or a member of an archive in a way that can be printed and stored, whatever bytes its name has."""
    return (f"{path}/{member}" if member else str(path)).encode("utf-8", "replace").decode()


def _said(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _is_record(name: str) -> bool:
    base = name.rpartition("/")[2].lower()
    return base.endswith(RECORD_ENDINGS) and not base.startswith("._")  # which macOS puts beside the real ones


def _read_records(label: str, name: str, file: IO[bytes]) -> Iterator[Item]:
    if not name.lower().endswith(".sgfs"):
        yield Item(label, file.read(LARGEST + 1))
        return
    number = 0
    while line := file.readline(LARGEST + 1):
        number += 1
        if line.strip():
            yield Item(f"{label}:{number}", line)
        while len(line) > LARGEST and not line.endswith(b"\n"):  # the rest of a line that is too long is no game
            line = file.readline(LARGEST + 1)


def _allowance(path: Path) -> int:
    return max(LEAST_ALLOWANCE, EXPANSION * path.stat().st_size)


class _Metered(io.RawIOBase):
    """A stream that can be read up to an allowance."""

    def __init__(self, stream: IO[bytes], allowance: int) -> None:
        self.stream, self.left = stream, allowance

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._counted(self.stream.read(min(size, self.left + 1) if size >= 0 else self.left + 1))

    def readline(self, size: int = -1) -> bytes:
        return self._counted(self.stream.readline(min(size, self.left + 1) if size >= 0 else self.left + 1))

    def _counted(self, data: bytes) -> bytes:
        self.left -= len(data)
        if self.left < 0:
            raise BombError
        return data


class _TarHeader(tarfile.TarInfo):
    """A header that is an error where it is damaged; for `tarfile` it would be the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> "_TarHeader":
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"the archive is torn or damaged: {error}") from error
        if header.size < 0 or (header.type in LONG_NAMES and header.size > LARGEST):
            raise tarfile.ReadError("the archive is damaged: a header of impossible size")
        return header


def _read_tar(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    with tarfile.open(fileobj=file, mode="r|", tarinfo=_TarHeader) as archive:
        for member in archive:
            if member.isreg() and not member.issparse():
                if _is_record(member.name):
                    yield from _read_records(name_of(path, member.name), member.name, archive.extractfile(member))
                else:
                    yield Trouble(name_of(path, member.name), UNKNOWN_KIND)
            elif not member.isdir():
                yield Trouble(name_of(path, member.name), "a link, device or sparse file in an archive")
            archive.members.clear()  # or it would remember all of them


def _read_zip(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    metered = _Metered(io.BytesIO(), _allowance(path))  # one for all members, whole or not
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            label = name_of(path, member.filename)
            if not _is_record(member.filename):
                if not member.is_dir():
                    yield Trouble(label, UNKNOWN_KIND)
                continue
            try:
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ValueError("only stored and deflated members are read")  # others unpack unbounded
                with archive.open(member) as metered.stream:
                    yield from _read_records(label, member.filename, metered)
            except BombError:
                raise
            except Exception as error:  # only this member
                yield Trouble(label, "archive member damaged or encrypted", _said(error))
