"""The `kernel` decorator: compiled by numba, free of the GIL, cached on disk, and never stale.

numba's own disk cache notices a change in the file of a kernel, but not in the file of a kernel that it calls, and
would then run the old machine code. So our cache folder is named after the contents of every file that holds kernels,
and of the files that those import, whose constants are compiled in.
"""

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numba
from numba.core import event

ROOT = Path(__file__).resolve().parent.parent
KEPT_CACHES = 3  # enough to switch between a few branches without compiling anew


def sources_fingerprint(root: Path) -> str:
    """Name the contents of all files of the rooms under `root` that define kernels, and of those that they import."""
    digest = hashlib.sha256()
    todo = [path for path in root.glob("*/*.py") if "@kernel" in path.read_text(encoding="utf-8")]
    found: set[Path] = set()
    while todo:
        path = todo.pop()
        if path not in found and path.is_file():
            found.add(path)
            imports = re.findall(r"^from ([\w.]+) import", path.read_text(encoding="utf-8"), re.MULTILINE)
            todo += [root / (name.replace(".", "/") + ".py") for name in imports]
    for path in sorted(found):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(root: Path) -> Path:
    """Make and return the cache folder of the present sources, and drop those of long-gone ones."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR", root / ".cache"))
    name = f"kernels-{sources_fingerprint(root)}"
    try:
        folder = _touch(base / name)
    except OSError:  # a project folder that cannot be written to
        folder = _touch(Path(tempfile.mkdtemp(prefix="prezero-")) / name)
    with contextlib.suppress(OSError):  # another process may be clearing up at the same time
        newest_first = sorted(folder.parent.glob("kernels-*"), key=lambda old: old.stat().st_mtime, reverse=True)
        for old in newest_first[KEPT_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _touch(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


class _Announcer(event.Listener):
    """Says on stderr which kernel of ours is being compiled, so that a first call does not seem to hang."""

    depth = 0

    def on_start(self, event) -> None:
        function = event.data["dispatcher"].py_func
        if self.depth == 0 and Path(function.__code__.co_filename).is_relative_to(ROOT):
            name = f"{function.__module__}.{function.__name__}"
            print(f"compiling {name} (once for this machine and version)", file=sys.stderr, flush=True)
        self.depth += 1

    def on_end(self, event) -> None:
        self.depth -= 1


CACHE = str(cache_folder(ROOT))
event.register("numba:compile", _Announcer())


def kernel(function: Callable, inline: str = "never") -> Callable:
    """Compile a function on its first call, to run without the global lock, and cache it on disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE  # only while numba looks for it: other users of numba keep theirs
    try:
        return numba.njit(cache=True, nogil=True, inline=inline)(function)
    finally:
        numba.config.CACHE_DIR = before


def inlined_kernel(function: Callable) -> Callable:
    """Compile a function into each of its callers.

    To hand over a tuple of arrays costs more than a small function does: each array is counted in and out.
    """
    return kernel(function, "always")
