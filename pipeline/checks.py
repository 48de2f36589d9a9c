"""`./prezero test` and `./prezero lint`: the tools of the `dev` group, run from the root of the project."""

import os
import subprocess
import sys
from pathlib import Path

from pipeline.artefact import ROOT

LINTERS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("lint-imports", "--no-cache"),
    ("mypy",),
)


MOST_WORKERS = 8  # processes of the test suite, at up to 1.5 GB each


def tool(name: str) -> str:
    """Return the path of a program that is installed beside this Python."""
    return str(Path(sys.executable).parent / name)


def test(arguments: list[str]) -> int:
    """Run the test suite and return its exit code: all of it on all cores, a part of it in one process.

    Each worker begins with tests that stand together, which share fixtures, and helps others when it is done.
    """
    workers = min(os.cpu_count() or 1, MOST_WORKERS)
    arguments = arguments or ["-n", str(workers), "--dist", "worksteal"]
    return subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT)


def lint(arguments: list[str]) -> int:
    """Run every linter, even after a failure, and return 1 if any failed."""
    codes = [subprocess.call([tool(program), *arguments], cwd=ROOT) for program, *arguments in LINTERS]
    return 1 if any(codes) else 0
