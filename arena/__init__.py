"""Where players meet: all of them by name, in games, matches and tournaments, as GTP engines, and on problems.

Example:

>>> from arena import new_player, preset
>>> from go import Position
>>> settings = preset("uct")  # conf/player/uct.yaml
>>> settings.simulations, settings.seconds, settings.search.threads = 50, 0.0, 1
>>> new_player(settings).decide(Position(9)).why.split(", ")[0].endswith("visits")
True
>>> from arena import GameTerms, Slot, play, read_players
>>> players = {player.name: player for player in read_players(["random", "uct simulations=50 threads=1"])}
>>> record = play(GameTerms(opening=2, move_limit=30), Slot(*players, opening=1), players)
>>> record.played.moves
30

Where to start reading:

- players by name: `registry` (the kinds that each room offers), `players` (settings and presets);
- games: `player_text` (players as text), `game` (one game), `game_file` (its SGF), `games_folder` and `series` (many
  games, in a folder), `schedule`, `terms`, `match` and `tournament` (the commands);
- strength: `ratings` (Elo), `sprt` (when to stop), `scores` and `rating_tables` (for people), `elo` (the command);
- a whole run: `ladder` (its players, rated), `report` (a page; `report_data`, `paper_figures`, `report_boards`,
  `report_page`), `web_page` and `web/board.js` (boards in any page);
- the paper's experiments: `ablation_tables` (who plays whom, and the paper's figures), `ablation_results` (what the
  games say), `ablation_pages` (for people), `ablation` (the command);
- playing: `engine` (the `gtp` command), `setup` (compiles what playing needs);
- what a search should find: `problem_set` (drawn problems, in `problems.txt`), `problems` (the command).
"""

from arena.game import GameTerms, Slot, play
from arena.player_text import read_players
from arena.players import PlayerSettings, new_player, preset, presets

__all__ = ["GameTerms", "PlayerSettings", "Slot", "new_player", "play", "preset", "presets", "read_players"]
