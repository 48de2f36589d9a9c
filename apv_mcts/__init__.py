"""Asynchronous policy and value MCTS (Silver et al. 2016, "Search algorithm"): one tree, many threads, no lock.

Example:

>>> from apv_mcts import SearchSettings, new_search
>>> from go import Position
>>> search = new_search(SearchSettings(policy=False, threads=1, nodes=1_000), size=9)  # rollouts and the tree policy
>>> search.set_position(Position(9).play("E5"))
>>> search.run(simulations=100), sum(edge.visits for edge in search.statistics())
(100, 100)

Where to start reading:

- the tree: `atomics` (sums that threads cannot spoil), `tree` (nodes and edges in flat arrays), `rules` (PUCT, UCB1);
- one simulation: `queue` (positions that wait for a network), `simulation` (select, expand, evaluate, back up);
- a whole search: `evaluator` (the networks' answers), `reuse` (the tree after a move), `settings`, `search`, `assemble`
  (load what a search asks for), `lockstep` (searches of many games share the batches of a network);
- a player: `time_control`, `player`;
- to look inside: `views` (the numbers of Figure 5), `sheet` (drawn), `dump` (the tree as JSON), `show` (the command).
"""

from apv_mcts.assemble import new_search
from apv_mcts.lockstep import search_many
from apv_mcts.player import SearchPlayer
from apv_mcts.search import EdgeStatistics, Search
from apv_mcts.settings import SearchSettings

__all__ = ["EdgeStatistics", "Search", "SearchPlayer", "SearchSettings", "new_search", "search_many"]
