"""What all learning of networks shares: learning rates, optimisers, and the state that a checkpoint holds."""

import math
import os

import numpy as np
import torch
from torch import Tensor, nn

from nets.description import Description
from nets.settings import OptimiserSettings

DIVERGED = "Learning has diverged: the weights are no longer numbers; set a smaller optimiser.learning_rate."
SECOND_BETA = 0.99  # of Adam; shorter than usual, because our trainings are short


def check_memory(description: Description) -> None:
    """Raise `MemoryError` if a network is too large to learn: its weights, gradients and momentum must fit in memory.

    Linux grants more memory than there is, and then kills a process that uses it.
    """
    needed = 3 * 4 * description.parameter_count() / 2**30
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    if needed > available:
        raise MemoryError(f"learning this network takes {needed:,.1f} GB, and this machine has {available:,.1f} GB")


def learning_rate(settings: OptimiserSettings, step: int, steps: int) -> float:
    """Return the learning rate of a step."""
    warm_up = min(1.0, (step + 1) / max(1.0, settings.warm_up * steps))
    if settings.schedule == "halving":
        return settings.learning_rate * warm_up * 0.5 ** (step // settings.halve_every)
    return settings.learning_rate * warm_up * 0.5 * (1 + math.cos(math.pi * step / steps))


def new_optimiser(network: nn.Module, settings: OptimiserSettings) -> torch.optim.Optimizer:
    """Return the optimiser of a network; only kernels have weight decay."""
    kernels = [parameter for parameter in network.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in network.parameters() if parameter.ndim <= 1]
    groups = [{"params": kernels, "weight_decay": settings.weight_decay}, {"params": others, "weight_decay": 0.0}]
    if settings.kind == "adamw":
        return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(settings.momentum, SECOND_BETA))
    nesterov = settings.momentum > 0
    return torch.optim.SGD(groups, lr=settings.learning_rate, momentum=settings.momentum, nesterov=nesterov)


def learning_state(network: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Return everything that further learning depends on, as arrays by name."""
    state = {f"network.{name}": _copied(tensor) for name, tensor in network.state_dict().items()}
    for number, buffers in optimiser.state_dict()["state"].items():
        for name, tensor in buffers.items():
            if tensor is not None:
                state[f"optimiser.{number}.{name}"] = _copied(tensor)
    return state | {"random": torch.get_rng_state().numpy()}


def restore_learning(network: nn.Module, optimiser: torch.optim.Optimizer, state: dict[str, np.ndarray]) -> None:
    """Continue from a state."""
    tensors = {name: torch.from_numpy(array) for name, array in state.items()}
    network.load_state_dict(
        {name.removeprefix("network."): tensor for name, tensor in tensors.items() if name.startswith("network.")}
    )
    buffers: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, number, buffer = name.split(".")
            of_parameter = buffers.setdefault(int(number), {})
            of_parameter[buffer] = tensor.clone()
    optimiser.load_state_dict({**optimiser.state_dict(), "state": buffers})
    torch.set_rng_state(tensors["random"])


def _copied(tensor: Tensor) -> np.ndarray:
    """Return a tensor as an array of its own, which further learning does not change."""
    return tensor.detach().cpu().numpy().copy()
