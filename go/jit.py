"""The `kernel` decorator: compiled by numba, free of the GIL, cached on disk, and never stale.

numba's own disk cache notices a change in the file of a kernel, but not in the file of a kernel that it calls, and
would then run the old machine code. So our cache folder is named after the contents of every file that holds kernels.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import numba
from numba.core import event

ROOT = Path(__file__).resolve().parent.parent
KEPT_CACHES = 3  # enough to switch between a few branches without compiling anew


def sources_fingerprint(root: Path) -> str:
    """Name the contents of all files of the rooms under `root` that define kernels."""
    digest = hashlib.sha256()
    for path in sorted(root.glob("*/*.py")):
        source = path.read_bytes()
        if b"@kernel" in source:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:16]


def cache_folder(root: Path) -> Path:
    """Make and return the cache folder of the present sources, and drop those of long-gone ones."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR", root / ".cache"))
    name = f"kernels-{sources_fingerprint(root)}"
    try:
        folder = _touch(base / name)
    except OSError:  # a project folder that cannot be written to
        folder = _touch(Path.home() / ".cache" / "prezero" / name)
    newest_first = sorted(folder.parent.glob("kernels-*"), key=lambda old: old.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def _touch(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


class _Announcer(event.Listener):
    """Says on stderr what is being compiled, so that the first call of a command does not seem to hang."""

    depth = 0

    def on_start(self, event) -> None:
        if self.depth == 0:
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__name__}"
            print(f"compiling {name} (once for this machine and version)", file=sys.stderr, flush=True)
        self.depth += 1

    def on_end(self, event) -> None:
        self.depth -= 1


numba.config.CACHE_DIR = str(cache_folder(ROOT))
event.register("numba:compile", _Announcer())
kernel = numba.njit(cache=True, nogil=True)
