"""The sources of game records: files, folders, patterns and archives, read one by one and never unpacked to disk.

Unreadable data never stops a run: it is returned as a `Trouble`, and reading continues. Reading an archive stops when
its unpacked size exceeds a limit.
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
NOTHING = "nothing in the file or archive"
LONG_NAMES = (b"L", b"K", b"x", b"g", b"X")  # types of tar headers that `tarfile` reads into memory, of any size
LEAST_ALLOWANCE = 1 << 28  # unpacked bytes that any archive may have
MOST_ENDS = 10  # times that the end of a tar archive may be read
EXPANSION = 100  # unpacked bytes allowed per packed byte; game records have about 16


class Item(NamedTuple):
    """The bytes of a file, an archive member or a line of a `.sgfs` file, with a name for reports."""

    name: str
    data: bytes


class Trouble(NamedTuple):
    """Something that is not a game record or could not be read. `detail` is an optional explanation."""

    name: str
    reason: str
    detail: str = ""


class BombError(Exception):
    """An archive exceeds its allowed unpacked size."""


def find_sources(text: str) -> list[Path]:
    """Return the paths named by a comma-separated list of files, folders and patterns. Each must exist."""
    found: list[Path] = []
    names = [text] if _matches(text) else text.split(",")  # a name may contain commas
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
    except (OSError, ValueError, RuntimeError, NotImplementedError):  # an invalid name or pattern
        return []


def files_of(sources: list[Path]) -> list[Path]:
    """Return all files, each once. The files of a folder are sorted by name.

    Unreadable folders and links to folders, which might lead anywhere, are returned as they are. Reading them gives a
    `Trouble`.
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
    """Open a regular file for reading. Refuse others: a pipe could block, and a device may be endless."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "a link to a folder, or a folder that cannot be listed")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return path.open("rb")


class Reading:
    """Iterates over the records of files. `consumed` is the number of bytes read so far."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files
        self.before, self.file = 0, io.BytesIO()  # bytes of the finished files, and the current file

    @property
    def consumed(self) -> int:
        return self.before + (0 if self.file.closed else self.file.tell())

    def __iter__(self) -> Iterator[Item | Trouble]:
        for path in self.files:
            try:
                with open_file(path) as self.file:
                    is_empty = True
                    for entry in read_file(path, self.file):
                        is_empty = False
                        yield entry
                if is_empty:
                    yield Trouble(name_of(path), NOTHING)
                self.before += path.stat().st_size
            except OSError as error:
                yield Trouble(name_of(path), DAMAGED, error.strerror or str(error))


def read_file(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    """Read all records of a file. Its name determines its type."""
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
    except Exception as error:  # archive readers raise many types of errors on damaged data
        yield Trouble(name_of(path), DAMAGED, _said(error))


def name_of(path: Path, member: str = "") -> str:
    """Return a printable, storable name for a file or an archive member, whatever bytes its name contains."""
    return (f"{path}/{member}" if member else str(path)).encode("utf-8", "replace").decode()


def _said(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _is_record(name: str) -> bool:
    base = name.rpartition("/")[2].lower()
    return base.endswith(RECORD_ENDINGS) and not base.startswith("._")  # metadata files of macOS


def _read_records(label: str, name: str, file: IO[bytes]) -> Iterator[Item]:
    if not name.lower().endswith(".sgfs"):
        yield Item(label, file.read(LARGEST + 1))
        return
    number = 0
    while line := file.readline(LARGEST + 1):
        number += 1
        if line.strip():
            yield Item(f"{label}:{number}", line)
        while len(line) > LARGEST and not line.endswith(b"\n"):  # skip the rest of a line that is too long
            line = file.readline(LARGEST + 1)


def _allowance(path: Path) -> int:
    return max(LEAST_ALLOWANCE, EXPANSION * path.stat().st_size)


class _Metered(io.RawIOBase):
    """A stream that raises `BombError` when more than `allowance` bytes are read."""

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


class _TarStream:
    """The bytes of a tar archive. Raise `EOFError` if somebody reads on and on after their end.

    `tarfile` skips a member in steps of 10 kB, past the end of the archive if need be. A header that names a huge size
    could keep it busy for days.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.ends = file, 0

    def read(self, size: int) -> bytes:
        data = self.file.read(size)
        self.ends += not data
        if self.ends > MOST_ENDS:
            raise EOFError("the archive ends in the middle of a member")
        return data


class _TarHeader(tarfile.TarInfo):
    """A tar header that raises an error if it is damaged. `tarfile` alone would treat it as the end of the archive."""

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
    with tarfile.open(fileobj=_TarStream(file), mode="r|", tarinfo=_TarHeader) as archive:
        for member in archive:
            if member.isreg() and not member.issparse():
                if _is_record(member.name):
                    yield from _read_records(name_of(path, member.name), member.name, archive.extractfile(member))
                else:
                    yield Trouble(name_of(path, member.name), UNKNOWN_KIND)
            elif not member.isdir():
                yield Trouble(name_of(path, member.name), "a link, device or sparse file in an archive")
            archive.members.clear()  # keep memory bounded


def _read_zip(path: Path, file: IO[bytes]) -> Iterator[Item | Trouble]:
    metered = _Metered(io.BytesIO(), _allowance(path))  # one allowance for all members
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            label = name_of(path, member.filename)
            if not _is_record(member.filename):
                if not member.is_dir():
                    yield Trouble(label, UNKNOWN_KIND)
                continue
            try:
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ValueError("only stored and deflated members are read")  # others have no limit on unpacking
                with archive.open(member) as metered.stream:
                    yield from _read_records(label, member.filename, metered)
            except BombError:
                raise
            except Exception as error:  # skip only this member
                yield Trouble(label, "archive member damaged or encrypted", _said(error))
