"""What several tests need: the real game records and GNU Go, where they are to be had."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def games_folder() -> Path:
    """The folder of real game records, which are not part of the project."""
    folder = Path(os.environ.get("PREZERO_GAMES", ROOT.parent / "shared" / "games"))
    if not folder.is_dir():
        pytest.skip("the real game records are not on this machine (name their folder with PREZERO_GAMES)")
    return folder


@pytest.fixture(scope="session")
def gnugo() -> str:
    """The path of GNU Go; Debian installs it where not every PATH looks."""
    found = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if found is None:
        pytest.skip("GNU Go is not installed (apt install gnugo)")
    return found
