"""Run all stages that exist, in their order: each reads what earlier ones made, and is skipped if done already."""

import dataclasses
import subprocess
import sys
import time
from typing import Any

from hydra.core.hydra_config import HydraConfig

from pipeline.artefact import RUNS
from pipeline.catalogue import COMMANDS
from pipeline.errors import INTERRUPTED, UserError
from pipeline.launch import Command, launch
from pipeline.settings import StageSettings, setting


@dataclasses.dataclass
class Settings(StageSettings):
    """Whatever is set here is handed on to every stage."""

    board: Any = setting(None, "the board of all stages")


def run_stage(stage: str, overrides: list[str]) -> int:
    """Run a stage as a process of its own; return its exit code. On Ctrl-C, let it say so and end."""
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
        status = run_stage(stage, HydraConfig.get().overrides.task)
        if status == INTERRUPTED:
            sys.exit(status)
        if status:
            raise UserError(f"The lineage stopped at {stage}; run it again to go on from there.")
    print(f"Done in {time.monotonic() - began:.0f} s. Results are in {RUNS / settings.run}.")


COMMAND = Command("lineage", Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
