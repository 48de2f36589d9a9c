"""The rollout policy and the tree policy: linear softmax over pattern features (Extended Data Table 4).

Example:

>>> from go import Position
>>> from go.playout import new_rng
>>> from nets import find_weights
>>> from rollout import Model, new_policy, policy_games
>>> policy = new_policy(Model.load(find_weights("rollout", size=9)))
>>> games, owned = policy_games(Position(9), 100, policy, new_rng(1))  # 100 playouts, and who owned each point
>>> len(games), bool(games["moves"].min() > 30)
(100, True)

Where to start reading:

- features of a move: `patterns` (3x3 and diamonds as numbers), `tracker` (updates them move by move), `nakade`,
  `features` (all features of all candidate moves), `lookup` (patterns to indices of weights), `model` (a policy);
- training: `games`, `harvest` and `policies` (which patterns are used), `softmax` (the paper's trainer),
  `logistic` (logistic regression), `weights_drawn`, `train` and `evaluate` (the commands);
- playing: `gammas` (weights as integers), `sampler` (samples a move and keeps all probabilities up to date),
  `replies` (replies that the tree found good), `playout` (whole games: uniform, rollout or tree policy), `judge` (which
  stones are dead), `player` and `flat` (players), `match`;
- inspection: `choices` (the moves of a position with their reasons), `move_report`, `show` (the command).
"""

from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy, policy_games

__all__ = ["Model", "PlayoutPolicy", "new_policy", "policy_games"]
