"""The list of chapters, read from the first cell of each file: title, aims and duration."""

import re
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import UserError

FOLDER = Path(__file__).parent / "chapters"
MARKDOWN = "# %% [markdown]"


class Chapter(NamedTuple):
    """A chapter: its number, its title, its aims in one sentence, the time a class needs, and its file."""

    number: int
    title: str
    aims: str
    duration: str
    path: Path


def chapters() -> list[Chapter]:
    """Return all chapters in their order."""
    return sorted(map(read_chapter, FOLDER.glob("chapter*.py")), key=lambda chapter: chapter.number)


def chapter_of(number: int) -> Chapter:
    """Return a chapter by its number."""
    found = chapters()
    for chapter in found:
        if chapter.number == number:
            return chapter
    raise UserError(f"There is no chapter {number}: there are {', '.join(str(chapter.number) for chapter in found)}.")


def read_chapter(path: Path) -> Chapter:
    """Read the first cell of a chapter."""
    text = path.read_text(encoding="utf-8")
    first = text.split("# %%")[1].removeprefix(" [markdown]\n") if text.startswith(MARKDOWN) else ""
    cell = "\n".join(line.removeprefix("#").removeprefix(" ") for line in first.splitlines())
    title, aims, duration = (
        re.search(pattern, cell, re.MULTILINE | re.DOTALL)
        for pattern in (
            r"^# (Chapter \d+: [^\n]+)",
            r"^\*\*Aims\.\*\* (.+?)\n\n",
            r"^\*\*Duration\.\*\* (.+?)(\n\n|\Z)",
        )
    )
    if not (title and aims and duration):
        raise UserError(f"{path.name} does not begin with a cell of its title, aims and duration.")
    said, aim, time = (" ".join(part[1].split()) for part in (title, aims, duration))
    return Chapter(int(path.stem.removeprefix("chapter")), said, aim, time, path)
