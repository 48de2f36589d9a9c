"""The policy network p_sigma: supervised learning of expert moves (Silver et al. 2016, stage one of Figure 1a).

Where to start reading:

- the network itself is in `nets`;
- learning: `trainer`, `train` (the command), `curves`;
- testing: `accuracy` (how well it finds moves), `mistakes`, `evaluate` (the command);
- using it: `player`, `show`;
- the paper's experiment: `table` (Extended Data Table 3 at our scale).
"""
