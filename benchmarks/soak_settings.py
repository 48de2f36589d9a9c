"""How much of everything `./prezero bench only=soak` does, and what each part returns."""

import dataclasses
from typing import NamedTuple

from benchmarks.measure import Bar
from pipeline.settings import seed_setting, setting

PARTS = ("flips", "archives", "gtp", "kills", "games", "match")


@dataclasses.dataclass
class SoakSettings:
    part: str = setting("", "do one part only", choices=("", *PARTS))
    flips: int = setting(1_000, "flips: changed bytes in each kind of file", least=1)
    files: int = setting(1_000, "archives: hostile archives and SGF files", least=1)
    members: int = setting(100_000, "archives: members of an archive with very many", least=1)
    lines: int = setting(100_000, "gtp: lines for each kind of player; other players of a kind get a tenth", least=10)
    kills: int = setting(50, "kills: kills of each stage", least=1)
    games: int = setting(2_000, "games: games on all boards", least=1)
    matches: int = setting(200, "match: games of the engine with itself over GTP", least=4)
    workers: int = setting(0, "gtp: processes that hold sessions; 0 for one a core", least=0, most=256, result=False)
    keep: bool = setting(False, "keep the results of parts that were done earlier with the same counts", result=False)
    seed: int = seed_setting()


class Section(NamedTuple):
    """The results of one part: its tables, its bars, and what went wrong."""

    text: str
    bars: list[Bar]
    faults: list[str]


def no_faults(part: str, faults: list[str]) -> Bar:
    """Return the bar that every part has: nothing may go wrong."""
    return Bar(f"{part}: faults", len(faults), 0, at_most=True, unit="")
