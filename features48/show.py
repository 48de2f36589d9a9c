"""Draw a position with all its planes as one sheet, from a game record, a text board or moves."""

import dataclasses
from pathlib import Path

from data.position_settings import GamePositionSettings, find_position
from features48.encoder import Encoder
from features48.groups import SUBSETS, groups_of, plane_names
from features48.sheet import draw_sheet
from go.errors import GoError
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

NAME = "features48.show"


@dataclasses.dataclass
class Settings(GamePositionSettings):
    planes: int = setting(48, "input planes; the value network has 49", choices=tuple(SUBSETS))
    out: str = setting("planes.svg", "file to draw to, as SVG")

    def check(self) -> None:
        if Path(self.out).suffix.lower() != ".svg":
            raise UserError(f"out={self.out} is not an .svg file.")


def main(settings: Settings) -> None:
    names = groups_of(settings.planes)
    position, title = find_position(settings)
    encoder = Encoder(settings.planes)
    planes = encoder.position(position)
    draw_sheet(position, planes, names, title, Path(settings.out))
    print(position)
    fired = [f"{name} ({plane.sum()})" for name, plane in zip(plane_names(names), planes, strict=True) if plane.any()]
    print(f"\nPlanes that say something, with the number of points: {', '.join(fired)}.")
    if encoder.ladders_given_up:
        print(f"Ladders too long to be read to the end: {encoder.ladders_given_up}.")
    print(f"Drawn to {settings.out}.")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
