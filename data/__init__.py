"""Game records: from whatever people have to one compact store of games, and positions out of it.

Where to start reading:

- the way in: `sources` (files and archives to bytes), `fields` and `record` (bytes to a game that makes sense),
  `filters`, `identity` (duplicates, and which part a game belongs to), `reading` and `draft` (many games to a store),
  `prepare` (the command);
- the way out: `replay` (the kernel), `store` (games as flat arrays), `positions` (batches to learn from);
- to look at it: `summary`, `plots` and `overlap` (what is in a store), `inspect` (the command);
- more games: `fetch` and `download` (archives from the network), `openings`, `engine_game` and `teacher` (engines).
"""
