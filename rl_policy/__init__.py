"""The RL policy network p_rho: REINFORCE against an opponent pool (Silver et al. 2016, stage two of Figure 1a).

Example:

>>> from nets import Weights, find_weights
>>> from rl_policy import GameSettings, play_games
>>> policy = Weights.load(find_weights("policy", size=9))
>>> played = play_games(policy, policy, count=2, seed=(1,), settings=GameSettings(komi=7.5))
>>> sorted(played.is_black.tolist()), played.won in (0.0, 1.0, 2.0)
([False, True], True)

Where to start reading:

- playing: `lockstep` (many games side by side, and when a side passes), `self_play` (games between two networks);
- learning: `settings`, `pool` (the opponents), `reinforce` (the update), `train` (the command), `curves`;
- using it: `player`, `match` and `show` (commands).
"""

from rl_policy.lockstep import Lockstep, Turn
from rl_policy.self_play import GameSettings, Played, play_games

__all__ = ["GameSettings", "Lockstep", "Played", "Turn", "play_games"]
