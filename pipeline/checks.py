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
    codes = [subprocess.call([tool(program), *arguments], cwd=ROOT) for program, *arguments in LINTERS]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    if sys.argv[0] == "lint" and sys.argv[1:]:
        print(f"prezero: lint takes no arguments, but got {sys.argv[1]!r}.", file=sys.stderr)
        sys.exit(2)
    sys.exit(lint() if sys.argv[0] == "lint" else test(sys.argv[1:]))
