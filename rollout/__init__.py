"""The rollout policy and the tree policy: linear softmax over pattern features (Extended Data Table 4).

Where to start reading:

- what a move looks like: `patterns` (3x3 and diamonds as numbers), `tracker` (kept up to date move by move), `nakade`,
  `features` (all features of all candidate moves), `lookup` (patterns to places of weights), `model` (a policy);
- learning: `games`, `harvest` and `policies` (which patterns are known), `trainer` (what the two have in common),
  `softmax` (the paper's form), `logistic` (the textbook's), `weights_drawn`, `train` (the command), `evaluate`;
- playing: `gammas` (weights as whole numbers), `sampler` (samples a move; keeps all chances up to date), `replies`
  (what was good in the tree), `playout` (whole games: uniform, rollout or tree policy), `flat`, `match`;
- to look at it: `show` (the moves of a position with their reasons), `shipped` (policies that come with Prezero).
"""
