"""Asynchronous policy and value MCTS (Silver et al. 2016, "Search algorithm"): one tree, many threads, no lock.

Where to start reading:

- the tree: `atomics` (sums that threads cannot spoil), `tree` (nodes and edges in flat arrays), `rules` (PUCT, UCB1);
- one simulation: `queue` (positions that wait for a network), `simulation` (select, expand, evaluate, back up);
- a whole search: `evaluator` (the networks' answers), `reuse` (the tree after a move), `settings`, `search`, `many`;
- a player: `parts` (what a search is made of), `time_control`, `player`, `players` (by name), `engine` (over GTP);
- what it should find: `problem_set` (drawn problems, in `problems.txt`), `problems` (the command);
- to look inside: `views` (the numbers of Figure 5), `sheet` (drawn), `dump` (the tree as JSON), `show`.
"""
