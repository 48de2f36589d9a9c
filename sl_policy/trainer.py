"""Supervised learning of the policy network: the likelihood of the experts' moves, uphill (Methods, "Policy network:
classification").

Every position of the training part is drawn once an epoch, in one of the eight symmetries at random. Which positions a
step learns from depends on its number alone, so a training goes on after a stop as if there had been none.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from data.positions import PositionSampler
from pipeline.device import mixed
from pipeline.errors import UserError
from sl_policy.batches import Batch, Batches
from sl_policy.inputs import Inputs
from sl_policy.network import FORBIDDEN, PolicyNetwork
from sl_policy.settings import NetSettings, OptimiserSettings

ASTRAY = "Learning has gone astray: the weights are no longer numbers; set a smaller optimiser.learning_rate."
SECOND_BETA = 0.99  # of Adam; shorter than usual, because so are our trainings


def step_size(optimiser: OptimiserSettings, step: int, steps: int) -> float:
    """Return the step size of a step."""
    warm_up = min(1.0, (step + 1) / max(1.0, optimiser.warm_up * steps))
    if optimiser.schedule == "halving":
        return optimiser.learning_rate * warm_up * 0.5 ** (step // optimiser.halve_every)
    return optimiser.learning_rate * warm_up * 0.5 * (1 + math.cos(math.pi * step / steps))


def new_optimiser(network: nn.Module, settings: OptimiserSettings) -> torch.optim.Optimizer:
    """Make the optimiser of a network; only kernels are pulled towards zero."""
    kernels = [parameter for parameter in network.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in network.parameters() if parameter.ndim <= 1]
    groups = [{"params": kernels, "weight_decay": settings.weight_decay}, {"params": others, "weight_decay": 0.0}]
    if settings.kind == "adamw":
        return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(settings.momentum, SECOND_BETA))
    nesterov = settings.momentum > 0
    return torch.optim.SGD(groups, lr=settings.learning_rate, momentum=settings.momentum, nesterov=nesterov)


def learning_state(network: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Return all that further learning depends on, as arrays by name."""
    state = {f"network.{name}": _copied(tensor) for name, tensor in network.state_dict().items()}
    for number, buffers in optimiser.state_dict()["state"].items():
        for name, tensor in buffers.items():
            if tensor is not None:
                state[f"optimiser.{number}.{name}"] = _copied(tensor)
    return state | {"random": torch.get_rng_state().numpy()}


def restore_learning(network: nn.Module, optimiser: torch.optim.Optimizer, state: dict[str, np.ndarray]) -> None:
    """Go on from a state."""
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


class PolicyTrainer:
    """Learns a policy network from the training part of a store; see `pipeline.training`."""

    unit = "positions"

    def __init__(
        self,
        sampler: PositionSampler,
        net: NetSettings,
        optimiser: OptimiserSettings,
        positions: int,
        device: torch.device,
        precision: torch.dtype,
        seed: int,
        threads: int = 1,
    ) -> None:
        torch.manual_seed(seed)
        self.settings, self.device, self.precision = optimiser, device, precision
        self.steps = max(1, round(positions / optimiser.batch_size))
        network = PolicyNetwork(sampler.store.size, net, optimiser.norm, optimiser.init)
        self.network = network.to(device, memory_format=torch.channels_last)
        self.optimiser = new_optimiser(self.network, optimiser)
        self.batches = Batches(sampler, Inputs(net.planes, net.moves, threads), optimiser.batch_size)

    def state(self) -> dict[str, np.ndarray]:
        return learning_state(self.network, self.optimiser)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        restore_learning(self.network, self.optimiser, state)

    def scores(self, batch: Batch) -> Tensor:
        """Return the score of each action; those that may not be played are out of reach."""
        planes = torch.from_numpy(batch.planes).to(self.device).float()
        planes = planes.contiguous(memory_format=torch.channels_last)
        with mixed(self.device, self.precision):
            scores = self.network(planes)
        return scores.float().masked_fill(~torch.from_numpy(batch.allowed).to(self.device), FORBIDDEN)

    def learn(self, batch: Batch, rate: float) -> dict[str, float]:
        """Go a step downhill; moves that may not be played, such as into an own eye, teach nothing."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        chosen = np.where(batch.counts, batch.actions, -100)  # the number that torch passes over
        targets = torch.from_numpy(chosen).to(self.device)
        scores = self.scores(batch)
        loss = nn.functional.cross_entropy(scores, targets, reduction="sum") / max(int(batch.counts.sum()), 1)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        hits = (scores.argmax(1) == targets).sum()
        shown = float(loss.detach())
        if not math.isfinite(shown):
            raise UserError(ASTRAY)
        return {
            "positions": len(batch.actions),
            "train log-loss": shown,
            "train top-1": float(hits) / len(batch.actions),
        }

    def step(self, number: int) -> dict[str, float]:
        self.network.train()
        return self.learn(self.batches[number], step_size(self.settings, number, self.steps))
