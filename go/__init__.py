"""The rules of Go at native speed, and what everything that plays has in common.

Example:

>>> from go import BLACK, WHITE, Position, RandomPlayer, play_game
>>> position = Position(9, komi=7).play("E5").play("C3")
>>> ending = play_game({BLACK: RandomPlayer(seed=1), WHITE: RandomPlayer(seed=2)}, position)
>>> ending.how, ending.result == position.result()
('area count', True)

Where to start reading:

- bottom-up: `coordinates` (one table of all systems), `board` (the compiled kernel: chains, exact liberties, ko),
  `score` (Tromp-Taylor), `playout` (uniform random games), `history`, `ladders`;
- top-down: `position` (the class that most code uses), `player` (what a player is), `abilities` (what it may offer
  besides its moves), `match` (a game between two players), `clock`, `dead_stones`, `sgf`;
- boards to look at: `text`, `draw` and `panels`;
- to see it work: `./prezero go.show`, and `./prezero go.random_play`, which compares a million random games with the
  published figures.

This room knows nothing of the others. Only its commands and their settings use the shared machinery in `pipeline`.
"""

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS
from go.errors import GoError
from go.match import play_game
from go.player import RandomPlayer
from go.position import Position

__all__ = ["BLACK", "EMPTY", "PASS", "WHITE", "GoError", "Position", "RandomPlayer", "play_game"]
