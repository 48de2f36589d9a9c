"""Regression of outcomes: the value network minimises (z - v_theta(s))^2 (Methods, "Value network: regression").

With `ownership`, a second head of one 1x1 convolution and tanh predicts the owner of each point at the end of the game,
and its mean squared error is added with this weight. The outcome of a game is one bit, the owners are one for each
point, so the tower learns from fewer games what is alive. The head is dropped at the end: the network is the paper's.
With `start`, learning begins with the tower of a policy network, or with a value network (`value_net.tower`).

Each position is drawn once an epoch, in a random one of the eight symmetries. With `later`, a position that p_rho has
reached from it takes its place; the outcome is just as much one of p_rho's play from there. The positions of a step
depend on its number alone, so a training continues after a stop as if there had been none.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from data.positions import Shuffled
from nets.batches import Prefetched
from nets.description import VALUES, layers_of
from nets.inputs import inputs_of
from nets.learning import DIVERGED, check_memory, learning_rate, learning_state, new_optimiser, restore_learning
from nets.module import NetworkModule
from nets.weights import Weights
from pipeline.device import mixed
from pipeline.errors import UserError
from value_net.lessons import Lessons, ValueBatch
from value_net.settings import LearnSettings
from value_net.tower import start_from

OWNERS = "owners"
CALIBRATED = 256  # positions on which normalisation is set, if learning starts from a policy network


class ValueModule(NetworkModule):
    """The value network, with a head for the owners of points that `nets.module.weights_of` leaves out."""

    def __init__(self, settings: LearnSettings, size: int) -> None:
        description = settings.net.description(size)
        super().__init__(description, settings.optimiser.norm, settings.optimiser.init)
        self.tower = next(layer for layer in layers_of(description) if layer.name == "map").sources[0]
        self.ownership = nn.Conv2d(settings.net.filters, 1, 1) if settings.ownership else None

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        made = self.outputs_of_layers(planes)
        answers = self.answers_of(made)
        if self.ownership is None:
            return answers
        return answers | {OWNERS: torch.tanh(self.ownership(made[self.tower]))[:, 0]}


class ValueTrainer:
    """Learns a value network from positions with outcomes (see `pipeline.training`)."""

    unit = "positions"

    def __init__(
        self,
        lessons: Lessons,
        settings: LearnSettings,
        device: torch.device,
        precision: torch.dtype,
        seed: int,
        start: Weights | None = None,
        threads: int = 1,
    ) -> None:
        torch.manual_seed(seed)
        self.settings, self.device, self.precision = settings, device, precision
        batch_size = settings.optimiser.batch_size
        self.steps = max(1, round(settings.positions / batch_size))
        description = settings.net.description(lessons.store.size)
        check_memory(description)
        network = ValueModule(settings, lessons.store.size)
        self.network = network.to(device, memory_format=torch.channels_last)
        self.optimiser = new_optimiser(self.network, settings.optimiser)
        self.lessons, self.inputs = lessons, inputs_of(description, threads)
        self.drawn, self.seed = Shuffled(np.arange(len(lessons)), seed), seed
        if start is not None:
            start_from(self.network, start, self.batch(0, CALIBRATED).planes)
        self.batches = Prefetched(lambda number: self.batch(number, batch_size))

    def batch(self, number: int, size: int) -> ValueBatch:
        """Return batch `number` of `size` positions."""
        index, symmetries = self.drawn.batch(number, size)
        lessons = self.lessons.chosen(index)
        if self.settings.later:
            lessons = lessons.later(self.settings.later, np.random.default_rng((self.seed, number)))
        return lessons.batch(self.inputs, np.arange(len(index)), symmetries)

    def state(self) -> dict[str, np.ndarray]:
        return learning_state(self.network, self.optimiser)

    def restore(self, state: dict[str, np.ndarray]) -> None:
        restore_learning(self.network, self.optimiser, state)

    def answers(self, planes: np.ndarray) -> dict[str, Tensor]:
        given = torch.from_numpy(np.ascontiguousarray(planes)).to(self.device).float()
        with mixed(self.device, self.precision):
            found = self.network(given.contiguous(memory_format=torch.channels_last))
        return {name: answer.float() for name, answer in found.items()}

    def learn(self, batch: ValueBatch, rate: float) -> dict[str, float]:
        """Make one step."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        answers = self.answers(batch.planes)
        outcomes = torch.from_numpy(batch.outcomes).to(self.device)
        loss = nn.functional.mse_loss(answers[VALUES], outcomes)
        shown = {"positions": len(batch.outcomes), "train MSE": float(loss.detach())}
        if OWNERS in answers:
            of_owners = nn.functional.mse_loss(answers[OWNERS], torch.from_numpy(batch.owners).to(self.device))
            shown["train MSE of owners"] = float(of_owners.detach())
            loss = loss + self.settings.ownership * of_owners
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        if not math.isfinite(float(loss.detach())):
            raise UserError(DIVERGED)
        return shown

    def step(self, number: int) -> dict[str, float]:
        self.network.train()
        return self.learn(self.batches[number], learning_rate(self.settings.optimiser, number, self.steps))
