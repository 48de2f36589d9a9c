"""Run all stages in order. Each reads what earlier stages made, and is skipped if it is done already."""

import dataclasses
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

from hydra.core.hydra_config import HydraConfig

from pipeline.artefact import runs_folder
from pipeline.catalogue import COMMANDS, load
from pipeline.errors import INTERRUPTED, UserError
from pipeline.launch import Command, launch
from pipeline.settings import StageSettings, explain, seed_setting, setting


@dataclasses.dataclass
class Settings(StageSettings):
    """Settings that are handed on to every stage that has them."""

    board: Any = setting(None, "the board of all stages, by default that of the scale")
    seed: int = seed_setting()


def handed_on(stage: str, overrides: Iterable[str]) -> list[str]:
    """Return the overrides of the command line that are about settings of a stage."""
    settings = load(stage).settings
    known = {name for name, _, _ in explain(settings)} | {field.name for field in dataclasses.fields(settings)}
    return [override for override in overrides if override.partition("=")[0] in known]


def run_stage(stage: str, overrides: list[str]) -> int:
    """Run a stage as a process of its own and return its exit code. On Ctrl-C, wait until it has ended."""
    process = subprocess.Popen([sys.executable, "-m", "pipeline", stage, *overrides])
    try:
        return process.wait()
    except KeyboardInterrupt:
        return process.wait()


def main(settings: Settings) -> None:
    stages = [name for name, command in COMMANDS.items() if command.is_stage]
    began = time.monotonic()
    for number, stage in enumerate(stages, 1):
        print(f"[{number}/{len(stages)}] {stage}: {COMMANDS[stage].summary}", flush=True)
        status = run_stage(stage, handed_on(stage, HydraConfig.get().overrides.task))
        if status == INTERRUPTED:
            sys.exit(status)
        if status:
            raise UserError(f"The lineage stopped at {stage}; run it again to go on from there.")
    print(f"Done in {time.monotonic() - began:.0f} s. Results are in {runs_folder() / settings.run}.")


COMMAND = Command("lineage", Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
