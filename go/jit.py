"""The `kernel` decorator: compiled by numba, free of the GIL, cached on disk, and never stale.

numba's own disk cache notices a change in the file of a kernel, but not in the file of a kernel that it calls. It would
then run old machine code. So each module with kernels has its own cache folder, named after the contents of the module
and of everything that it imports from this project. A change in one module recompiles only that module and the modules
that import it.

Each cache file ends with a checksum. A file that is empty, truncated or changed, for example after a power cut, counts
as missing: the kernel is compiled again and the file is replaced.
"""

import contextlib
import functools
import hashlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

ROOT = Path(__file__).resolve().parent.parent
KEPT_CACHES = 3  # per module: enough to switch between a few branches without compiling again
IMPORT = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)


@functools.cache
def imported_files(root: Path, path: Path) -> tuple[Path, ...]:
    """Return the files under `root` that a module imports from directly."""
    found = []
    for module, names in IMPORT.findall(path.read_text(encoding="utf-8")):
        folder = root / module.replace(".", "/")
        found += [folder.with_suffix(".py"), *(folder / f"{name}.py" for name in re.findall(r"\w+", names))]
    return tuple(file for file in found if file.is_file())


def sources_fingerprint(root: Path, path: Path) -> str:
    """Return a hash of a module under `root` and of all modules that it imports, directly or not."""
    todo, found = [path], set()
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo += imported_files(root, file)
    digest = hashlib.sha256()
    for file in sorted(found):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder(root: Path, path: Path) -> Path:
    """Create and return the cache folder of a module. Remove all but its newest `KEPT_CACHES` folders."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR", root / ".cache"))
    name = ".".join(path.relative_to(root).with_suffix("").parts)
    folder = f"{name}-{sources_fingerprint(root, path)}"
    try:
        made = _touch(base / "kernels" / folder)
    except OSError:  # the project folder is read-only
        made = _touch(_private_folder() / "kernels" / folder)
    with contextlib.suppress(OSError):  # another process may remove folders at the same time
        newest_first = sorted(made.parent.glob(f"{name}-*"), key=lambda old: old.stat().st_mtime, reverse=True)
        for old in newest_first[KEPT_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
    return made


@functools.cache
def _private_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="prezero-"))


def _touch(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


class _Announcer(event.Listener):
    """Prints to stderr which kernel of the project is being compiled, so that a first call does not seem to hang."""

    depth = 0

    def on_start(self, event) -> None:
        function = event.data["dispatcher"].py_func
        if self.depth == 0 and Path(function.__code__.co_filename).is_relative_to(ROOT):
            name = f"{function.__module__}.{function.__name__}"
            print(f"compiling {name} (once for this machine and version)", file=sys.stderr, flush=True)
        self.depth += 1

    def on_end(self, event) -> None:
        self.depth -= 1


event.register("numba:compile", _Announcer())


class _CheckedFiles(IndexDataCacheFile):
    """The index and data files of a kernel. The checksum is at the end of a file, where unpickling ignores it."""

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _is_whole(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any | None:
        return super()._load_data(name) if _is_whole(Path(self._data_path(name))) else None

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())


def _is_whole(path: Path) -> bool:
    """Return whether a file ends with the checksum of the content before it."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    end = len(content) - hashlib.sha256().digest_size
    return end >= 0 and content[end:] == hashlib.sha256(content[:end]).digest()


class _CheckedCache(FunctionCache):
    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)


def kernel(function: Callable, inline: str = "never") -> Callable:
    """Compile a function on its first call, to run without the GIL, and cache it on disk."""
    before = numba.config.CACHE_DIR
    path = Path(function.__code__.co_filename)
    if path.is_relative_to(ROOT):
        numba.config.CACHE_DIR = str(cache_folder(ROOT, path))  # restored below for other users of numba
    try:
        compiled = numba.njit(nogil=True, inline=inline)(function)
        compiled._cache = _CheckedCache(function)  # as numba's cache=True does, but with checksums
        return compiled
    finally:
        numba.config.CACHE_DIR = before


def inlined_kernel(function: Callable) -> Callable:
    """Compile a function into each of its callers.

    Passing a tuple of arrays can cost more than a small function itself, because the reference count of each array
    changes.
    """
    return kernel(function, "always")
