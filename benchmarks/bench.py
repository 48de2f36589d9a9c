"""`./prezero bench`: run the benchmarks, print one page per table, and report which targets (bars) are met."""

import dataclasses
import importlib
import os
import platform
from pathlib import Path

from benchmarks.measure import bars_table
from benchmarks.soak_settings import SoakSettings
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

# modules of this package
TABLES = (
    "engine",
    "records",
    "features",
    "classics",
    "rollout",
    "policy",
    "self_play",
    "value",
    "search",
    "zero",
    "arena",
    "soak",
    "startup",
)


@dataclasses.dataclass
class Settings:
    only: str = setting("", "measure one table only", choices=("", *TABLES))
    rounds: int = setting(7, "rounds of measuring; the median counts", least=1)
    archive: str = setting("", "an archive of 19x19 games, such as KGS's; without one, what needs it is left out")
    write: str = setting("", "folder to write the tables to, a Markdown page for each")
    soak: SoakSettings = setting(SoakSettings, "how much soak does")


def main(settings: Settings) -> None:
    for name, there in (("archive", Path(settings.archive).is_file()), ("write", Path(settings.write).is_dir())):
        if getattr(settings, name) and not there:
            raise UserError(f"{name}={getattr(settings, name)} does not exist.")
    for name in [settings.only] if settings.only else TABLES:
        page = measured(name, settings)
        print(page)
        if settings.write:
            write_atomic(Path(settings.write) / f"{name}.md", page)


def measured(name: str, settings: Settings) -> str:
    """Run a benchmark. Return its page, which includes the command that made it."""
    module = importlib.import_module(f"benchmarks.{name}")  # late: some need packages of the extra `bench`
    where = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    if name == "soak":  # counts, no speeds
        text, bars = module.run(settings.soak)
        how = [f"Made by the commands below each part, on {where}."]
    else:
        text, bars = module.run(settings.rounds, settings.archive)
        archive = f" archive={Path(settings.archive).name}" if settings.archive else ""
        how = [
            f"Made by `./prezero bench only={name} rounds={settings.rounds}{archive}`.",
            f"Medians of {settings.rounds} rounds on {where}; ratios are medians of those within a round.",
        ]
    parts = [
        f"# Benchmarks: {name}",
        *how,
        module.__doc__.strip(),
        text,
        *(("## Bars", bars_table(bars)) if bars else ()),
    ]
    return "\n\n".join(parts) + "\n"


COMMAND = Command("bench", Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
