"""The rules of Go at native speed.

Where to start reading:

- bottom-up: `coordinates` (one table of all systems), `board` (the compiled kernel: chains, exact liberties, ko),
  `score` (Tromp-Taylor), `playout` (uniform random games);
- top-down: `position` (the friendly face that most code uses), then `text`, `draw` and `panels` (boards to look at);
- to see it work: `./prezero go.show`, and `./prezero go.random_play`, which lays a million random games beside the
  published figures.

This room knows nothing of the others; only its two commands use the shared machinery in `pipeline`.
"""

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS
from go.errors import GoError
from go.position import Move, Position

__all__ = ["BLACK", "EMPTY", "PASS", "WHITE", "GoError", "Move", "Position"]
