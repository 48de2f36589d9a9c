"""The Zero family: one network, learnt from nothing but the rules, by self-play with search (Silver et al. 2017).

Example:

>>> from nets import Answers
>>> from zero import GUMBEL, Lockstep, Rule, Terms
>>> class Equal:  # answers as a network does, and prefers nothing
...     has_pass = True
...     def answer(self, boards, history, symmetries, wants=None):
...         import numpy as np
...         return Answers(np.zeros((len(boards), 10), np.float32), np.zeros(len(boards), np.float32))
>>> games = Lockstep(size=3, rule=Rule(GUMBEL, simulations=4), terms=Terms(0.5, limit=18, sampled_moves=18), places=2)
>>> played = sorted(games.play(range(4), (1,), lambda number: (Equal(), Equal())))
>>> [game.number for game in played], {game.outcome for game in played} <= {1, -1}
([0, 1, 2, 3], True)

Where to start reading:

- searching: `rules` (PUCT and Gumbel), `tree`, `noise`, `games` (many searches side by side), `self_play`;
- learning: `settings`, `window` (the latest games, on disk), `lessons` (batches), `learner` (the loss), `loop`
  (iterations and the gate), `ratings`, `curves`, `train` (the command);
- using it: `match` (against other networks and players), `player`, `show` (a command);
- experiments, each a command: `architectures` (Figure 4), `compare` (Elo against seconds), `defects` (of a tutorial).
"""

from zero.games import Terms
from zero.rules import GUMBEL, PUCT, Rule
from zero.self_play import Lockstep, Record
from zero.window import Window

__all__ = ["GUMBEL", "PUCT", "Lockstep", "Record", "Rule", "Terms", "Window"]
