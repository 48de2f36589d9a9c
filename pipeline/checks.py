"""`./prezero test` and `./prezero lint`: the tools of the `dev` group, run from the root of the project."""

import subprocess
import sys
from pathlib import Path

from pipeline.artefact import ROOT

LINTERS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("lint-imports", "--no-cache"),
)


def tool(name: str) -> str:
    """Return the path of a program that is installed beside this Python."""
    return str(Path(sys.executable).parent / name)


def test(arguments: list[str]) -> int:
    return subprocess.call([sys.executable, "-m", "pytest", *arguments], cwd=ROOT)


def lint() -> int:
    """Run every linter, so that one run shows all that is wrong."""
    return max(subprocess.call([tool(program), *arguments], cwd=ROOT) for program, *arguments in LINTERS)


if __name__ == "__main__":
    sys.exit(lint() if sys.argv[0] == "lint" else test(sys.argv[1:]))
