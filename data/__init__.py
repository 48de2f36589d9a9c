"""Game records: read SGF files and archives into one compact store of games, and draw positions from it.

Example:

>>> from data import position_of, read_records
>>> [game] = read_records(b"(;SZ[9]KM[7]RE[B+R];B[ee];W[ec];B[gc])")
>>> position = position_of(game, ply=2)  # before its third move
>>> position.last_move == position.point("E7"), position.komi
(True, 7.0)

Where to start reading:

- from files to a store: `sources` (files and archives to bytes), `fields` and `record` (bytes to a checked game),
  `filters`, `identity` (duplicates, and the split into training, validation and test games), `reading` and `draft`
  (many games to a store), `prepare` (the command);
- from a store to positions: `replay` (the kernel), `store` (games as flat arrays), `positions` (batches to learn from),
  `position_settings` (one position, named by the settings of a command);
- to inspect a store: `summary`, `plots` and `overlap` (its contents), `inspect` (the command);
- more games: `fetch` and `download` (archives from the network), `openings`, `engine_game` and `teacher` (games between
  engines).
"""

from data.positions import Positions, PositionSampler
from data.record import Record, Refusal, read_records, to_sgf
from data.store import GameStore, position_of

__all__ = ["GameStore", "PositionSampler", "Positions", "Record", "Refusal", "position_of", "read_records", "to_sgf"]
