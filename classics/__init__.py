"""Before the networks: the program of 2000, and search before Monte Carlo.

Example:

>>> from classics import Cgs, Lookahead, Solver, influence
>>> from go import Position
>>> analysis = Cgs(9).analyse(Position(9))  # Kim & Yoo 2000
>>> analysis.pm_black, len(analysis.candidates)
(40.5, 5)
>>> plain, pruned = (Lookahead(5, influence(), depth=2, prunes=prunes).search(Position(5)) for prunes in (False, True))
>>> plain.value == pruned.value, plain.nodes > pruned.nodes
(True, True)
>>> Solver(2).value(Position(2))  # with best play black wins by one point
1

Where to start reading:

- the Candidate Generation System: `groups` (blocks, links and groups), `life` (unconditional life), `influence` (IP,
  safety, PV and PM), `settings` (what the paper leaves open), `cgs` (candidates and the choice among them), `sheet` and
  `show` (the command `cgs.show`);
- search: `feature_weights` (moves scored by hand), `evaluation` (what a position is worth), `lookahead` (minimax and
  alpha-beta), `growth` (how fast their trees grow);
- exact play on tiny boards: `tiny_rules` (boards as bits), `solver`;
- to learn from: `bandit` (UCB1, and what the slides print), `small_trees` (minimax, flat Monte Carlo and UCT by hand);
- `player`: all of it as players.
"""

from classics.cgs import Cgs
from classics.evaluation import influence
from classics.lookahead import Lookahead
from classics.settings import CgsSettings
from classics.solver import Solver

__all__ = ["Cgs", "CgsSettings", "Lookahead", "Solver", "influence"]
