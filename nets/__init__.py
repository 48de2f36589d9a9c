"""What all networks share: what they are, how they are saved, how they learn, and how they answer.

Example:

>>> from go import Position
>>> from nets import Network, find_weights
>>> network = Network.load(find_weights("policy", size=9))
>>> probabilities = network.of_positions([Position(9).play("E5")])[0].reshape(9, 9)
>>> bool(probabilities[4, 4] == 0), round(float(probabilities.sum()), 3)  # the point is taken
(True, 1.0)

Where to start reading:

- what a network is: `description` (networks as data), `settings` (for networks that learn from games), `weights`
  (plain arrays and their file), `find` (where weights are);
- answering: `actions` (moves as numbers), `inputs` (planes), `onnx_graph` (in 32 and 8 bits), `runtime`, `network`
  (the protocol: boards in, scores and values out);
- learning: `module` (torch), `learning` (optimisers, schedules, state), `batches` (in the background).
"""

from nets.description import Description
from nets.find import find_weights
from nets.network import Answers, Network, PolicyAndValue
from nets.weights import Weights

__all__ = ["Answers", "Description", "Network", "PolicyAndValue", "Weights", "find_weights"]
