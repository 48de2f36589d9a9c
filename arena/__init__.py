"""Where players meet: all of them by name, as GTP engines, and on problems.

Example:

>>> from arena import new_player, preset
>>> from go import Position
>>> settings = preset("uct")  # conf/player/uct.yaml
>>> settings.simulations, settings.seconds, settings.search.threads = 50, 0.0, 1
>>> new_player(settings).decide(Position(9)).why.split(", ")[0].endswith("visits")
True

Where to start reading:

- players by name: `registry` (the kinds that each room offers), `players` (settings and presets);
- playing: `engine` (the `gtp` command), `setup` (compiles what playing needs);
- what a search should find: `problem_set` (drawn problems, in `problems.txt`), `problems` (the command).
"""

from arena.players import PlayerSettings, new_player, preset, presets, ready_player
from arena.registry import KINDS

__all__ = ["KINDS", "PlayerSettings", "new_player", "preset", "presets", "ready_player"]
