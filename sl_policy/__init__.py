"""The policy network p_sigma: supervised learning of expert moves (Silver et al. 2016, stage one of Figure 1a).

Example:

>>> from go import Position
>>> from nets import Network, find_weights
>>> from sl_policy import PolicyPlayer
>>> player = PolicyPlayer(Network.load(find_weights("policy", size=9)), greedy=True)
>>> player.decide(Position(9)).candidates[0].probability > 0.1
True

Where to start reading:

- the network itself is in `nets`;
- learning: `trainer`, `train` (the command), `curves`, `snapshots` (networks on the way);
- testing: `accuracy` (how many expert moves it finds), `mistakes`, `evaluate` (the command);
- using it: `player`, `show` (the command);
- the paper's experiment: `table` (Extended Data Table 3 at our scale).
"""

from sl_policy.accuracy import find_moves, held_out, summary
from sl_policy.player import PolicyPlayer, candidates_of

__all__ = ["PolicyPlayer", "candidates_of", "find_moves", "held_out", "summary"]
