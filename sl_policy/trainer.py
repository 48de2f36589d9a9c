"""Supervised learning of the policy network: gradient ascent on the likelihood of the experts' moves (Methods, "Policy
network: classification").

Every position of the training part is drawn once an epoch, in a random one of the eight symmetries. The positions of a
step depend on its number alone, so a training continues after a stop as if there had been none.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from data.positions import PositionSampler
from nets.batches import Batch, Prefetched, make_batch
from nets.description import SCORES
from nets.inputs import Inputs
from nets.learning import DIVERGED, check_memory, learning_rate, learning_state, new_optimiser, restore_learning
from nets.module import NetworkModule
from nets.settings import NetSettings, OptimiserSettings
from pipeline.device import mixed
from pipeline.errors import UserError

FORBIDDEN = -1e4  # the score of moves that may not be played: their probability is zero in any precision
IGNORED = -100  # the target that torch's cross entropy leaves out


class PolicyTrainer:
    """Learns a policy network from the training part of a store (see `pipeline.training`)."""

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
        description = net.description(sampler.store.size)
        check_memory(description)
        network = NetworkModule(description, optimiser.norm, optimiser.init)
        self.network = network.to(device, memory_format=torch.channels_last)
        self.optimiser = new_optimiser(self.network, optimiser)
        self.sampler, self.inputs = sampler, Inputs(net.planes, net.moves, threads)
        self.batches = Prefetched(
            lambda number: make_batch(sampler.store, self.inputs, sampler.batch(number, optimiser.batch_size))
        )

    def planes(self, count: int) -> np.ndarray:
        """Return the planes of some training positions."""
        return make_batch(self.sampler.store, self.inputs, self.sampler.batch(0, count)).planes

    def state(self) -> dict[str, np.ndarray]:
        return learning_state(self.network, self.optimiser)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        restore_learning(self.network, self.optimiser, state)

    def scores(self, batch: Batch) -> Tensor:
        """Return the score of each action; those of forbidden moves are out of reach."""
        planes = torch.from_numpy(batch.planes).to(self.device).float()
        planes = planes.contiguous(memory_format=torch.channels_last)
        with mixed(self.device, self.precision):
            scores = self.network(planes)[SCORES]
        return scores.float().masked_fill(~torch.from_numpy(batch.allowed).to(self.device), FORBIDDEN)

    def learn(self, batch: Batch, rate: float) -> dict[str, float]:
        """Make one step. Moves that may not be played, such as into an own eye, teach nothing."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        targets = torch.from_numpy(np.where(batch.counts, batch.actions, IGNORED)).to(self.device)
        scores = self.scores(batch)
        loss = nn.functional.cross_entropy(scores, targets, reduction="sum") / max(int(batch.counts.sum()), 1)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        hits = (scores.argmax(1) == targets).sum()
        shown = float(loss.detach())
        if not math.isfinite(shown):
            raise UserError(DIVERGED)
        return {
            "positions": len(batch.actions),
            "train log-loss": shown,
            "train top-1": float(hits) / len(batch.actions),
        }

    def step(self, number: int) -> dict[str, float]:
        self.network.train()
        return self.learn(self.batches[number], learning_rate(self.settings, number, self.steps))
