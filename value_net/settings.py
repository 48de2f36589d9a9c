"""Settings of the value network and of how it learns."""

import dataclasses

from nets.description import LEAST_LAYERS, PLANES, Description
from nets.settings import OptimiserSettings
from pipeline.settings import setting


@dataclasses.dataclass
class ValueNetSettings:
    """The value network of the paper (Methods, "Neural network architecture") at any size."""

    filters: int = setting(64, "filters of each layer (paper: 192)", least=1)
    layers: int = setting(
        11, "layers: 5x5 and 3x3 convolutions, a 1x1 one, 256 units, the value (paper: 15)", least=LEAST_LAYERS["value"]
    )

    def description(self, size: int) -> Description:
        """Return the description of the value network on a board."""
        return Description("value", size, PLANES["value"][0], self.filters, self.layers)


@dataclasses.dataclass
class LearnSettings:
    """How a value network learns from positions with outcomes."""

    net: ValueNetSettings = setting(ValueNetSettings, "the network")
    optimiser: OptimiserSettings = setting(OptimiserSettings, "how it learns")
    ownership: float = setting(
        1.0, "weight of the owners of points as a second target, dropped at the end (paper: 0)", least=0, most=1_000
    )
    positions: int = setting(400_000, "positions to learn from, all epochs together", least=1)
    later: int = setting(
        0, "learn from positions up to this many moves after U; each pass draws new ones (paper: 0)", least=0
    )
