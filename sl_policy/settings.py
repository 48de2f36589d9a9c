"""Settings of a policy network and of how it learns; `conf/net` and `conf/optimiser` hold presets."""

import dataclasses

from features48.groups import groups_of
from pipeline.errors import UserError
from pipeline.settings import setting

MOVES = ("sensible", "legal")
LEAST_LAYERS = 3  # the 5x5 one, a 3x3 one and the 1x1 one
CHOICES = {
    "kind": ("sgd", "adamw"),
    "schedule": ("cosine", "halving"),
    "init": ("he", "torch"),
    "norm": ("batch", "none"),
}


@dataclasses.dataclass
class NetSettings:
    """The network of the paper (Methods, "Neural network architecture") at any size."""

    filters: int = setting(64, "filters of each layer (paper: 192)")
    layers: int = setting(9, "convolution layers: one of 5x5, then 3x3, the last of 1x1 (paper: 13)")
    planes: int = setting(48, "input planes: 4, 12, 20 or 48 (Extended Data Table 3)")
    moves: str = setting("sensible", "moves that share the probability: sensible (no own eye is filled) or legal")


@dataclasses.dataclass
class OptimiserSettings:
    """How a network is initialised and which way it goes downhill."""

    kind: str = setting("sgd", "sgd or adamw")
    rate: float = setting(0.1, "step size, after warming up")
    momentum: float = setting(0.9, "momentum of sgd (Nesterov's), or first beta of adamw; 0 for none")
    weight_decay: float = setting(0.0001, "pull of the weights, but not of biases, towards zero")
    batch: int = setting(128, "positions in a step")
    schedule: str = setting("cosine", "cosine (falls to zero at the end) or halving")
    halve_every: int = setting(80_000_000, "with halving: steps until the step size is halved")
    warm_up: float = setting(0.02, "share of the steps in which the step size grows to its full value")
    init: str = setting("he", "weights at the start: he (made for rectifiers) or torch (its default)")
    norm: str = setting("batch", "batch (normalise layers while learning; folded into the weights at the end) or none")


def check_net(net: NetSettings) -> None:
    """Refuse networks that cannot be."""
    groups_of(net.planes)
    if net.planes > 48:
        raise UserError(f"net.planes={net.planes} is for the value network: a policy network takes 4, 12, 20 or 48.")
    if net.filters < 1 or net.layers < LEAST_LAYERS:
        raise UserError(
            f"A network of {net.filters} filters and {net.layers} layers cannot be: at least 1 filter and "
            f"{LEAST_LAYERS} layers are needed."
        )
    if net.moves not in MOVES:
        raise UserError(f"net.moves={net.moves} is none of {', '.join(MOVES)}.")


def check_optimiser(optimiser: OptimiserSettings) -> None:
    """Refuse ways of learning that make no sense."""
    for name, choices in CHOICES.items():
        if getattr(optimiser, name) not in choices:
            raise UserError(f"optimiser.{name}={getattr(optimiser, name)} is none of {', '.join(choices)}.")
    for name in ("batch", "halve_every"):
        if getattr(optimiser, name) < 1:
            raise UserError(f"optimiser.{name}={getattr(optimiser, name)} is too few: at least 1 is needed.")
    for name, most in (("momentum", 1), ("warm_up", 1), ("weight_decay", 100)):
        if not 0 <= getattr(optimiser, name) < most:
            raise UserError(f"optimiser.{name}={getattr(optimiser, name)} is not from 0 to less than {most}.")
    if not 0 < optimiser.rate <= 100:
        raise UserError(f"optimiser.rate={optimiser.rate} is not above 0 and at most 100.")
