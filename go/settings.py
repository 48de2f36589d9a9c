"""Settings of the board, shared by every command that has one."""

import dataclasses

from pipeline.settings import setting


@dataclasses.dataclass
class BoardSettings:
    size: int = setting(9, "board size, from 2 to 19")
    komi: float = setting(7.5, "points that white gets for moving second")
