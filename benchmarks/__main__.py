"""`./prezero bench`: measure, print the tables, and say which bars are met."""

import dataclasses
import os
import platform
from pathlib import Path

from benchmarks import engine, startup
from benchmarks.measure import bars_table
from pipeline.artefact import write_atomic
from pipeline.command import run
from pipeline.errors import UserError
from pipeline.settings import setting

TABLES = {"engine": engine, "startup": startup}


@dataclasses.dataclass
class Settings:
    only: str = setting("", f"one table alone: {', '.join(TABLES)}")
    rounds: int = setting(7, "rounds of measuring; the median counts")
    write: str = setting("", "file to write the tables to, as Markdown")


def main(settings: Settings) -> None:
    if settings.only and settings.only not in TABLES:
        raise UserError(f"only={settings.only} is no table; there are {', '.join(TABLES)}.")
    if settings.rounds < 1:
        raise UserError(f"rounds={settings.rounds} is too few: at least 1 is needed.")
    if settings.write and not Path(settings.write).resolve().parent.is_dir():
        raise UserError(f"write={settings.write} is in a folder that does not exist.")
    names = [settings.only] if settings.only else list(TABLES)
    where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    parts = [
        "# Benchmarks",
        f"Medians of {settings.rounds} rounds on {where}; ratios are medians of those within a round.",
    ]
    bars = []
    for name in names:
        text, promised = TABLES[name].run(settings.rounds)
        parts += [f"## {name.capitalize()}", TABLES[name].__doc__.strip(), text]
        bars += promised
    parts += ["## Bars", bars_table(bars)]
    print("\n\n".join(parts))
    if settings.write:
        parts.insert(1, f"Made by `./prezero bench rounds={settings.rounds} write={settings.write}`.")
        write_atomic(Path(settings.write), "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    run("bench", Settings, main)
