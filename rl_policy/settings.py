"""Settings of reinforcement learning: `paper` leaves everything off that the paper does not mention."""

import dataclasses

from pipeline.settings import setting

BASELINES = ("zero", "mean", "value")


@dataclasses.dataclass
class ReinforceSettings:
    """How the policy learns from its games (Methods, "Policy network: reinforcement learning")."""

    games: int = setting(128, "games of an iteration, all against one opponent of the pool (paper: 128)", least=2)
    optimiser: str = setting("adam", "sgd without momentum (paper), or adam", choices=("sgd", "adam"))
    learning_rate: float = setting(0.0001, "learning rate", above=0, most=100)
    decay: float = setting(0.0, "share of the learning rate that is lost, evenly, until the end", least=0, most=1)
    baseline: str = setting(
        "mean",
        "what is subtracted from outcomes: zero (paper, first pass), the mean of the other games, or the value network",
        choices=BASELINES,
    )
    entropy: float = setting(0.0, "weight of the entropy bonus", least=0, most=100)
    kl: float = setting(0.0, "weight of the divergence from the SL policy", least=0, most=100)
    random_moves: int = setting(0, "a game begins with 0 to this many uniformly random moves", least=0, most=361)
