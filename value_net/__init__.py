"""The value network v_theta: regression of outcomes of self-play games (Silver et al. 2016, stage three of Figure 1a).

Example:

>>> from nets import Weights, find_weights
>>> from value_net import Recipe, play_shard
>>> policy = Weights.load(find_weights("policy", size=9))
>>> shard = play_shard(policy, policy, Recipe(games=2, most_u=9), seed=1, number=0)  # one position of each game
>>> len(shard.u), bool((shard.u <= 9).all()), shard.owners.shape
(2, True, (2, 81))

Where to start reading:

- data: `recipe` (one position of each self-play game), `samples` (on disk), `sample` (the command), `lessons`
  (positions with outcomes);
- learning: `settings`, `tower` (a start from the policy network), `trainer`, `train` (the command), `accuracy`
  (squared errors), `curves`;
- the paper's figures: `rollouts` (Figure 2b), `table` (the command);
- using it: `player` (one ply deep); the search asks it, too (`apv_mcts`).
"""

from value_net.lessons import Lessons, lessons_of
from value_net.player import ValuePlayer
from value_net.recipe import Recipe, Shard, play_shard
from value_net.samples import Samples, open_samples

__all__ = ["Lessons", "Recipe", "Samples", "Shard", "ValuePlayer", "lessons_of", "open_samples", "play_shard"]
