"""Settings of a network that learns from games, and of how it learns; `conf/net` and `conf/optimiser` hold presets."""

import dataclasses

from nets.description import LEAST_LAYERS, MOVES, PLANES, Description
from pipeline.settings import setting


@dataclasses.dataclass
class NetSettings:
    """The network of the paper (Methods, "Neural network architecture") at any size."""

    filters: int = setting(64, "filters of each layer (paper: 192)", least=1)
    layers: int = setting(
        9, "convolution layers: the first 5x5, then 3x3, the last 1x1 (paper: 13)", least=LEAST_LAYERS["policy"]
    )
    planes: int = setting(48, "input planes (Extended Data Table 3)", choices=PLANES["policy"])
    moves: str = setting(
        "sensible", "moves that get a probability; sensible moves do not fill an own eye", choices=MOVES
    )

    def description(self, size: int) -> Description:
        """Return the description of the policy network on a board."""
        return Description("policy", size, self.planes, self.filters, self.layers, self.moves)


@dataclasses.dataclass
class OptimiserSettings:
    """How the weights of a network are initialised and changed."""

    kind: str = setting("sgd", "optimiser", choices=("sgd", "adamw"))
    learning_rate: float = setting(0.1, "learning rate after the warm-up", above=0, most=100)
    momentum: float = setting(0.9, "Nesterov momentum of sgd, or first beta of adamw", least=0, below=1)
    weight_decay: float = setting(0.0001, "weight decay (not of biases)", least=0, below=100)
    batch_size: int = setting(128, "positions in a step", least=1)
    schedule: str = setting(
        "cosine", "how the learning rate falls: cosine to zero at the end, or halving", choices=("cosine", "halving")
    )
    halve_every: int = setting(80_000_000, "schedule=halving: steps until the learning rate is halved", least=1)
    warm_up: float = setting(
        0.02, "share of the steps in which the learning rate grows to its full value", least=0, below=1
    )
    init: str = setting(
        "he", "initial weights: he (for rectifiers) or torch (PyTorch's default)", choices=("he", "torch")
    )
    norm: str = setting(
        "batch", "batch: normalise layers while learning, folded into the weights at the end", choices=("batch", "none")
    )
