"""Show what the Candidate Generation System sees in a position: influence, safety, PV, PM and its candidates."""

import dataclasses
from pathlib import Path

from classics.cgs import Cgs, standing
from classics.settings import CgsSettings
from classics.sheet import candidate_lines, sheet
from data.position_settings import GamePositionSettings, find_position
from go.errors import GoError
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

NAME = "cgs.show"


@dataclasses.dataclass
class Settings(GamePositionSettings):
    cgs: CgsSettings = setting(CgsSettings, "the system")
    out: str = setting("", "file to draw the sheet to, as SVG")

    def check(self) -> None:
        if self.out and Path(self.out).suffix.lower() != ".svg":
            raise UserError(f"out={self.out} is not an .svg file.")


def main(settings: Settings) -> None:
    position, title = find_position(settings)
    analysis = Cgs(position.size, settings.cgs).analyse(position)
    print(position)
    print(f"\n{standing(analysis)}, PMD {analysis.pmd:.1f}, PMS {analysis.pms:.1f}, IPS {analysis.ips:+.1f}.")
    print("\n".join(candidate_lines(position, analysis)) or "No candidate is left: the system passes.")
    if settings.out:
        write_atomic(Path(settings.out), sheet(position, analysis, title))
        print(f"Drawn to {settings.out}.")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
