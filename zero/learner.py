"""Learning from the window: the loss of the Zero paper, and what its relatives add to it.

    loss = (z - v)^2 - pi^T log p + c |theta|^2

Policy and value have the same weight by default. c |theta|^2 is weight decay of 2c. With `net.outcome=chances` the
value's part is the cross-entropy of win, loss and draw. Owners of points and the score are learnt by heads that exist
only here: they teach the tower, and are not part of the network that plays (Wu 2019).
"""

import copy
import math

import numpy as np
import torch
from torch import Tensor, nn

from nets.description import SCORES, VALUES, Description, layers_of
from nets.learning import DIVERGED, learning_state, restore_learning
from nets.module import NetworkModule, module_of, settle_norms, weights_of
from nets.weights import Weights
from pipeline.device import mixed
from pipeline.errors import UserError
from zero.lessons import Lesson
from zero.settings import LearnSettings

AVERAGE = "average."
SHORT = 9  # after n steps the average keeps n / (n + 9) of itself, until that reaches `learn.average`
DROPS = (4 / 7, 6 / 7)  # of the paper's 700,000 steps: at 400,000 and 600,000


class Student(nn.Module):
    """A network, and the heads for owners and score that read its tower."""

    def __init__(self, description: Description) -> None:
        super().__init__()
        self.network = NetworkModule(description, init="he")
        head = next(layer for layer in layers_of(description) if layer.name == "map")
        self.tower = head.sources[0]
        self.owners = nn.Conv2d(description.filters, 1, 1)
        self.score = nn.Linear(description.filters, 1)

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        made = self.network.outputs_of_layers(planes)
        answers = self.network.answers_of(made)
        if "chances" in made:
            answers["chances"] = made["chances"]
        tower = made[self.tower]
        answers["owners"] = torch.tanh(self.owners(tower).flatten(1))
        answers["score"] = self.score(tower.mean((2, 3))).squeeze(1)
        return answers


def new_optimiser(student: nn.Module, settings: LearnSettings) -> torch.optim.Optimizer:
    """Return the optimiser. sgd and adam decay all weights, as the paper's loss says; adamw decays kernels only."""
    rate, decay = settings.learning_rate, settings.weight_decay
    if settings.optimiser == "sgd":
        return torch.optim.SGD(student.parameters(), lr=rate, momentum=settings.momentum, weight_decay=2 * decay)
    betas = settings.momentum, 0.999
    if settings.optimiser == "adam":
        return torch.optim.Adam(student.parameters(), lr=rate, betas=betas, weight_decay=2 * decay)
    kernels = [parameter for parameter in student.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in student.parameters() if parameter.ndim <= 1]
    groups = [{"params": kernels, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=betas)


def learning_rate(settings: LearnSettings, share: float) -> float:
    """Return the learning rate after a share of all steps."""
    highest = settings.learning_rate * (min(1.0, share / settings.warm_up) if settings.warm_up else 1.0)
    if settings.schedule == "paper":
        return highest * 0.1 ** sum(share >= drop for drop in DROPS)
    if settings.schedule == "cosine":
        return highest * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))
    return highest


def losses_of(answers: dict[str, Tensor], lesson: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the parts of the loss by name, each the mean over the batch."""
    policy = -(lesson["policy"] * torch.log_softmax(answers[SCORES].float(), 1)).sum(1)
    squares = (lesson["value"] - answers[VALUES].float()).square()
    parts = {"policy loss": policy.mean(), "value error": squares.mean()}
    if "chances" in answers:
        drawn = (lesson["outcome"] == 0).float()
        chances = torch.stack([(1 - drawn) * (1 + lesson["value"]) / 2, (1 - drawn) * (1 - lesson["value"]) / 2, drawn])
        parts["value loss"] = -(chances.T * torch.log_softmax(answers["chances"].float(), 1)).sum(1).mean()
    else:
        parts["value loss"] = parts["value error"]
    counted, total = lesson["is_counted"], lesson["is_counted"].sum().clamp(min=1)
    owners = (lesson["owners"] - answers["owners"].float()).square().mean(1)
    score = nn.functional.smooth_l1_loss(answers["score"].float(), lesson["score"], reduction="none", beta=0.1)
    return parts | {"owner loss": (owners * counted).sum() / total, "score loss": (score * counted).sum() / total}


class Learner:
    """The network that learns, its optimiser, and the average of its weights."""

    def __init__(
        self, description: Description, settings: LearnSettings, device: torch.device, precision: torch.dtype
    ) -> None:
        self.settings, self.device, self.precision = settings, device, precision
        self.student = Student(description).to(device, memory_format=torch.channels_last)
        self.optimiser = new_optimiser(self.student, settings)
        self.average = copy.deepcopy(self.student.network) if settings.average else None
        self.averaged = 0  # steps that the average is made of

    def start_from(self, weights: Weights, planes: np.ndarray) -> None:
        """Take over a network. `planes` are those of some positions of its games, on which normalisation is set."""
        network = module_of(weights)
        settle_norms(network, planes)
        for module in (self.student.network, self.average):
            if module is not None:
                module.load_state_dict(network.state_dict())
        kept = self.settings.average
        self.averaged = math.ceil(SHORT * kept / (1 - kept))  # the average begins as this network, at its full length

    def learn(self, lesson: Lesson, share: float) -> dict[str, float]:
        """Make one step. `share` is that of all steps done so far. Return the parts of the loss."""
        settings = self.settings
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(settings, share)
        given = {name: torch.from_numpy(array).to(self.device) for name, array in lesson._asdict().items()}
        planes = given.pop("planes").float().contiguous(memory_format=torch.channels_last)
        self.student.train()
        with mixed(self.device, self.precision):
            answers = self.student(planes)
        parts = losses_of(answers, given)
        loss = (
            parts["policy loss"]
            + settings.value_weight * parts["value loss"]
            + settings.owner_weight * parts["owner loss"]
            + settings.score_weight * parts["score loss"]
        )
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.averaged += 1
        self._add_to_average()
        return {name: float(part.detach()) for name, part in parts.items()}

    @torch.no_grad()
    def _add_to_average(self) -> None:
        if self.average is None:
            return
        share = min(self.settings.average, self.averaged / (self.averaged + SHORT))
        mine = self.student.network.state_dict()
        for name, kept in self.average.state_dict().items():
            if kept.is_floating_point():
                kept.lerp_(mine[name], 1 - share)
            else:
                kept.copy_(mine[name])

    def weights(self) -> Weights:
        """Return the weights to play with: the average, or the present ones."""
        weights = weights_of(self.average or self.student.network)
        if not weights.is_sound():
            raise UserError(DIVERGED.replace("optimiser.", "learn."))
        return weights

    def state(self) -> dict[str, np.ndarray]:
        state = learning_state(self.student, self.optimiser) | {"averaged": np.array(self.averaged)}
        if self.average is not None:
            for name, tensor in self.average.state_dict().items():
                state[AVERAGE + name] = tensor.detach().cpu().numpy().copy()
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        restore_learning(self.student, self.optimiser, state)
        self.averaged = int(state["averaged"])
        if self.average is not None:
            averaged = {name: torch.from_numpy(array) for name, array in state.items() if name.startswith(AVERAGE)}
            self.average.load_state_dict({name.removeprefix(AVERAGE): array for name, array in averaged.items()})
