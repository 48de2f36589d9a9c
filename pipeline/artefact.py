"""Run folders: `runs/<run>/<stage>/` with a `manifest.json`. All writes are atomic, so a kill leaves no half files."""

import fcntl
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.errors import UserError

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "weights"  # policies and networks that come with Prezero
VERSION = "0.1.0"
MANIFEST_FORMAT = 2  # 2: `result`, and `inputs` as a list with fingerprints
SEAL = "checksum"
DRAFT = re.compile(r"\..+\.\d+")  # the name of a file that is being written: its own, and the process
MANIFEST = {"stage": str, "code": str, "result": str, "settings": dict, "inputs": list, "metrics": dict}


def runs_folder() -> Path:
    """Return the folder of all runs, which the environment variable `PREZERO_RUNS` may name."""
    return Path(os.environ.get("PREZERO_RUNS") or ROOT / "runs")


def stage_path(run: str, stage: str) -> Path:
    """Return the folder of a stage in a run, which need not exist."""
    if not run or run in (".", "..") or "/" in run or "\\" in run:
        raise UserError(f"run={run!r} is not a name for a folder in {runs_folder()}.")
    return runs_folder() / run / stage


def stage_folder(run: str, stage: str) -> Path:
    """Create the folder of a stage in a run and return it."""
    return made(stage_path(run, stage))


def made(folder: Path) -> Path:
    """Create a folder if it does not exist, and return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"Cannot make the folder {folder}: {error.strerror}.") from error
    return folder


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Lock a folder, so that two processes never write to the same files; raise `UserError` if it is locked.

    The system releases the lock when the process ends, however it ends.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"Another command is at work in {folder}; wait for it, or name another folder.") from error
        yield
    finally:
        os.close(handle)


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file atomically: after a crash it has either the old or the new content."""
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        raise UserError(f"Cannot write {path}: it is not a file.")
    target = path.resolve()  # a link stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UserError(f"Cannot write {path}: {error.strerror}.") from error


def remove_drafts(folder: Path) -> None:
    """Remove the drafts that killed processes have left in a folder or below it, where nobody else may be writing."""
    for path in folder.rglob(".*"):
        if DRAFT.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    write_atomic(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any | None:
    """Read a JSON file; return None if it does not exist."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} cannot be read ({error}); remove it to begin anew.") from error


def sealed(value: dict[str, Any]) -> dict[str, Any]:
    """Return a value with its checksum, to be written as JSON."""
    return value | {SEAL: _checksum(value)}


def check_seal(value: dict[str, Any], path: Path) -> None:
    """Raise `UserError` if a value read from `path` is not as it was sealed."""
    if value.get(SEAL) != _checksum(value):
        raise UserError(f"{path} is damaged, or of an earlier version; remove it to begin anew.")


def _checksum(value: dict[str, Any]) -> str:
    content = {name: part for name, part in value.items() if name != SEAL}
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def code_version() -> str:
    """Return the version, with the commit if this is a git checkout, and a plus sign if files were changed since."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    if not (ROOT / ".git").exists():
        return VERSION
    try:
        answer = subprocess.run(git, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):  # no git on this machine, or none that answers
        return VERSION
    return f"{VERSION} {answer.stdout.strip()}".strip()


def write_manifest(
    folder: Path,
    stage: str,
    settings: dict[str, Any],
    metrics: dict[str, Any],
    inputs: list[dict[str, str]],
    result: str,
) -> None:
    """Write what a stage was given and what came out; it is written last, and so marks the stage as done.

    `settings` name all that the result depends on, the fingerprints of what was read among them; `inputs` say in
    addition where that was. If other stages can read what came out, its own fingerprint is among the `metrics`.
    """
    manifest = {
        "format": MANIFEST_FORMAT,
        "stage": stage,
        "code": code_version(),
        "result": result,
        "settings": settings,
        "inputs": inputs,
        "metrics": metrics,
    }
    write_json(folder / "manifest.json", sealed(manifest))


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a stage; None if it is still to do."""
    path = folder / "manifest.json"
    manifest = read_json(path)
    if manifest is None:
        return None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise UserError(f"{path} is not a manifest; remove it to begin anew.")
    if manifest["format"] != MANIFEST_FORMAT:
        raise UserError(f"{path} has format {manifest['format']}, not {MANIFEST_FORMAT}; remove it to begin anew.")
    if not all(isinstance(manifest.get(name), kind) for name, kind in MANIFEST.items()) or not all(
        isinstance(made, dict) and {"stage", "folder", "fingerprint"} <= made.keys() for made in manifest["inputs"]
    ):
        raise UserError(f"{path} is not a manifest; remove it to begin anew.")
    check_seal(manifest, path)
    return manifest


def finished(folder: Path, settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the manifest of a stage that has been done with these settings; None if it is still to do.

    Results of other settings are never overwritten.
    """
    manifest = read_manifest(folder)
    if manifest is not None and manifest["settings"] != settings:
        raise UserError(f"{folder} holds the results of other settings; name this run with run=NAME, or remove them.")
    return manifest
