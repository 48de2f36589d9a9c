"""Show the state of a run: the stages with their results and inputs, and the command to run next."""

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

from hydra.core.hydra_config import HydraConfig

from pipeline.artefact import read_manifest, runs_folder, stage_path
from pipeline.catalogue import COMMANDS, DEFAULT_SCALE, call
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.lineage import handed_on
from pipeline.settings import setting
from pipeline.tables import table

DONE, UNDER_WAY, NOT_BEGUN, OUT_OF_DATE, DAMAGED = "done", "under way", "not begun", "out of date", "damaged"
NO_MANIFEST = "no manifest"  # of a folder that is not a stage of the lineage
SHORT = 8  # characters of a fingerprint that are shown


@dataclasses.dataclass
class Settings:
    scale: str = setting("laptop", "names the run, and is part of the command to run next")
    run: str = setting("laptop", "name of the run to look at, by default the scale")
    board: Any = setting(None, "part of the command to run next")


class Stage(NamedTuple):
    """The state of a stage in a run."""

    name: str
    state: str
    result: str = ""
    made_from: str = ""


def fingerprints(folder: Path) -> list[str] | None:
    """Return the fingerprints of the results in the folder of a stage; None if they are not known."""
    try:
        manifest = read_manifest(folder)
    except UserError:
        return None
    found = manifest and manifest["metrics"].get("fingerprint")
    return None if not found else list(found.values()) if isinstance(found, dict) else [found]


def look_at(run_name: str, name: str) -> Stage:
    """Return the state of a stage.

    It is out of date if what it was made from is not what that stage holds now.
    """
    folder = stage_path(run_name, name)
    if not folder.is_dir() or not any(folder.iterdir()):
        return Stage(name, NOT_BEGUN)
    try:
        manifest = read_manifest(folder)
        if manifest is None:
            return Stage(name, UNDER_WAY)
        state, made_from = DONE, []
        for made in manifest["inputs"]:
            there = Path(made["folder"])
            now = fingerprints(there if there.is_dir() else stage_path(run_name, made["stage"]))
            is_other = now is not None and made["fingerprint"] not in now
            state = OUT_OF_DATE if is_other else state
            remark = f", now {now[0][:SHORT]}" if is_other else "" if now else ", which cannot be checked"
            made_from.append(f"{made['stage']} {made['fingerprint'][:SHORT]}{remark}")
        return Stage(name, state, manifest["result"], "; ".join(made_from))
    except UserError as error:
        return Stage(name, DAMAGED, str(error).replace(f"{folder}/", ""))


def others(run_name: str) -> list[Stage]:
    """Return the state of the other folders of a run, which are not stages of the lineage."""
    folders = (path for path in (runs_folder() / run_name).iterdir() if path.is_dir())
    names = sorted(folder.name for folder in folders if not folder.name.startswith("."))
    found = [look_at(run_name, name) for name in names if not (name in COMMANDS and COMMANDS[name].is_stage)]
    return [stage._replace(state=NO_MANIFEST) if stage.state == UNDER_WAY else stage for stage in found]


def next_step(run_name: str, stages: list[Stage], settings: list[str]) -> str:
    """Return what to run next, with the command to copy."""
    stage = next((stage for stage in stages if stage.state != DONE), None)
    if stage is None:
        return "All stages are done."
    command = call(stage.name, run_name, *(handed_on(stage.name, settings) if settings else ()))
    folder = stage_path(run_name, stage.name)
    first = {
        UNDER_WAY: f"{stage.name} has begun and goes on where it was",
        OUT_OF_DATE: f"{stage.name} was made from what is no longer there: remove {folder}, then run it anew",
        DAMAGED: f"The manifest of {stage.name} cannot be used: remove {folder / 'manifest.json'}, then run it anew",
    }.get(stage.state, f"{stage.name} comes next")
    rest = f"Or all that is left, in order:\n\n    {call('lineage', run_name, *settings)}"
    return f"{first}:\n\n    {command}\n\n{rest}"


def check(run_name: str) -> None:
    """Raise `UserError` if a run does not exist, with the names of those that do."""
    if stage_path(run_name, "").is_dir():
        return
    there = sorted(path.name for path in runs_folder().glob("*") if path.is_dir() and not path.name.startswith("."))
    known = f"there are {', '.join(there)}" if there else "there is none yet, and ./prezero lineage makes one"
    raise UserError(f"There is no run {run_name} in {runs_folder()}; {known}.")


def main(settings: Settings) -> None:
    check(settings.run)
    stages = [look_at(settings.run, name) for name, command in COMMANDS.items() if command.is_stage]
    found = others(settings.run)
    print(f"The run {settings.run}, in {runs_folder() / settings.run}:\n")
    print(table(["stage", "state", "result", "made from"], [list(stage) for stage in stages], numbers=False))
    if found:
        print("\nBesides:\n")
        print(table(["folder", "state", "result", "made from"], [list(stage) for stage in found], numbers=False))
    chosen = [f"scale={settings.scale}"] if settings.scale != DEFAULT_SCALE else []
    chosen += [text for text in HydraConfig.get().overrides.task if text.startswith("board")]
    print(f"\n{next_step(settings.run, stages, chosen)}")


COMMAND = Command("status", Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
