"""What several tests need: commands, stores of games, the real game records and GNU Go, where they are to be had."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from browser import Browser, find_chromium

from data.draft import Draft, finish
from data.filters import Filters
from data.reading import read_chunk
from data.sources import Item
from data.store import GameStore
from pipeline.__main__ import main

ROOT = Path(__file__).resolve().parent.parent
SABAKI = "@sabaki/gtp@3.0.0"


def prezero(*arguments: str, runs: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    """Run a command within this process, which saves the time of its imports; `prezero_process` is the real thing."""
    code, out, err = 0, io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("PREZERO_RUNS", str(runs))
        patch.setattr(sys, "argv", ["prezero", *arguments])
        patch.chdir(cwd)
        try:
            main()
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def prezero_process(*arguments: str, runs: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess:
    """Run a command as ./prezero does once everything is installed."""
    environment = {**os.environ, "PREZERO_RUNS": str(runs), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "pipeline", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=1200)


def store_of(folder: Path, games: Iterable[bytes], size: int, shares: tuple = (0.2, 0.2), **filters) -> GameStore:
    """Make a store of SGF games, as data.prepare does, and open it."""
    items = [Item(f"game {number}", data) for number, data in enumerate(games)]
    batch, _ = read_chunk(items, size, Filters(**filters))
    folder.mkdir(parents=True, exist_ok=True)
    draft = Draft(folder)
    draft.append(batch)
    finish(draft, folder, *shares)
    draft.remove()
    return GameStore(folder)


@pytest.fixture(scope="session")
def games_folder() -> Path:
    """The folder of real game records, which are not part of the project."""
    folder = Path(os.environ.get("PREZERO_GAMES", ROOT.parent / "shared" / "games"))
    if not folder.is_dir():
        pytest.skip("the real game records are not on this machine (name their folder with PREZERO_GAMES)")
    return folder


@pytest.fixture
def from_here(monkeypatch):
    """Let processes import what these tests import."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture(scope="session")
def gnugo() -> str:
    """The path of GNU Go; Debian installs it where not every PATH looks."""
    found = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if found is None:
        pytest.skip("GNU Go is not installed (apt install gnugo)")
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    """A page of a real browser."""
    if find_chromium() is None:
        pytest.skip("Chromium is not installed (apt install chromium)")
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="session")
def sabaki(tmp_path_factory) -> dict[str, str]:
    """The environment in which node finds Sabaki's GTP library, which is installed for the occasion."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed, so Sabaki's GTP library cannot be run")
    folder = Path(tmp_path_factory.mktemp("sabaki"))
    command = ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", SABAKI]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {SABAKI} within a minute")
    if done.returncode:
        pytest.skip(f"npm cannot install {SABAKI}: {done.stderr.strip().splitlines()[-1:]}")
    return {**os.environ, "NODE_PATH": str(folder / "node_modules"), "PYTHONPATH": str(ROOT)}
