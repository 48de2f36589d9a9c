"""Robustness at scale, in counts that anyone can repeat: hostile input, damaged files, kills, and thousands of games.

| part | what |
|---|---|
| flips | one changed byte in each kind of file that we read |
| archives | hostile archives and SGF files |
| gtp | mutated GTP lines on each kind of player |
| kills | each stage killed at random moments and then finished |
| games | games of players with themselves on all boards |
| match | games of the engine with itself over GTP |

`soak.part` does one of them. The results of a part are kept in the folder of the runs, under `bench/soak/`; with
`soak.keep=true`, parts that were done earlier with the same counts are not done again, as after a stop.
"""

import importlib
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Bar
from benchmarks.soak_settings import PARTS, SoakSettings
from pipeline.artefact import check_seal, code_version, made, read_json, runs_folder, sealed, write_json
from pipeline.errors import UserError
from pipeline.progress import duration
from pipeline.settings import result_settings

MOST_SHOWN = 10  # faults of a part that the page lists


def kept_path(part: str) -> Path:
    return made(runs_folder() / "bench" / "soak") / f"{part}.json"


def key_of(part: str, settings: SoakSettings) -> dict[str, Any]:
    """Return what the results of a part depend on."""
    needed = {"archives": ("files", "members"), "gtp": ("lines",), "match": ("matches",)}.get(part, (part,))
    return {name: value for name, value in result_settings(settings).items() if name in (*needed, "seed")}


def earlier(part: str, settings: SoakSettings) -> dict[str, Any] | None:
    """Return the results of a part that was done with the same counts; None if it was not."""
    path = kept_path(part)
    saved = read_json(path)
    if saved is None:
        return None
    if not isinstance(saved, dict):
        raise UserError(f"{path} is not what we wrote; remove it to begin anew.")
    check_seal(saved, path)
    return saved if saved["key"] == key_of(part, settings) else None


def done(part: str, settings: SoakSettings) -> dict[str, Any]:
    """Do a part, or take its earlier results; return them as plain data."""
    kept = earlier(part, settings) if settings.keep else None
    if kept is not None:
        return kept
    module = importlib.import_module(f"benchmarks.soak_{part}")
    began = time.monotonic()
    section = module.section(settings)
    result = {
        "key": key_of(part, settings),
        "code": code_version(),
        "seconds": time.monotonic() - began,
        "about": module.__doc__.strip(),
        "text": section.text,
        "bars": [list(bar) for bar in section.bars],
        "faults": section.faults,
    }
    write_json(kept_path(part), sealed(result))
    return result


def page_of(part: str, result: dict[str, Any]) -> str:
    """Return the results of a part as a section of the page."""
    settings = " ".join(f"soak.{name}={value}" for name, value in result["key"].items())
    made_by = f"`./prezero bench only=soak soak.part={part} {settings}`"
    lines = [f"## {part.capitalize()}", result["about"], result["text"]]
    if result["faults"]:
        shown = [f"- {' '.join(fault.split())[:500]}" for fault in result["faults"][:MOST_SHOWN]]
        lines.append("\n".join([f"{len(result['faults'])} faults:", "", *shown]))
    lines.append(f"{made_by}, version {result['code']}, in {duration(result['seconds'])}.")
    return "\n\n".join(lines)


def run(settings: SoakSettings) -> tuple[str, list[Bar]]:
    """Do all parts, or the one that is asked for. Return the sections of the page and the bars."""
    results = {part: done(part, settings) for part in ([settings.part] if settings.part else PARTS)}
    bars = [Bar(*bar) for result in results.values() for bar in result["bars"]]
    return "\n\n".join(page_of(part, result) for part, result in results.items()), bars
