"""REINFORCE (Williams 1992) for the policy network, against opponents of the pool (Silver et al. 2016, Methods).

In an iteration, the learner plays n games against one opponent. For each game i with outcome z_i from the learner's
side, and each move a_t of the learner in it, the weights rho change along

    1/n * sum_i sum_t  grad log p_rho(a_t | s_t) * (z_i - b)

where b is the baseline. The opponent's moves teach nothing. Moves that were forced, because no other sensible move was
left, have probability 1 and no gradient.
"""

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from nets.description import SCORES, VALUES
from nets.learning import DIVERGED, learning_state, restore_learning
from nets.module import module_of, weights_of
from nets.network import Network, softmax
from nets.runtime import measure_ranges
from nets.weights import Weights
from pipeline.device import mixed
from pipeline.errors import UserError
from pipeline.shares import elo_of
from rl_policy.lockstep import NO_ACTION
from rl_policy.pool import Pool
from rl_policy.self_play import GameSettings, Played, play_games
from rl_policy.settings import ReinforceSettings

FORBIDDEN = -1e4  # the score of moves that may not be played: their probability is zero in any precision
MICRO_BATCH = 256  # positions whose gradients are computed at once
CALIBRATION_GAMES, CALIBRATED = 16, 256  # of the SL policy, on which the output ranges for 8 bits are measured
WATCHED = 512  # positions of an iteration on which the divergence from the SL policy is measured
CALIBRATE, TRAIN, DRAW, EVALUATE = range(4)  # what random streams are for


class Lesson(NamedTuple):
    """All positions of an iteration in which the learner chose a move."""

    planes: np.ndarray  # uint8[positions, planes, size, size]
    allowed: np.ndarray  # bool[positions, actions]
    actions: np.ndarray  # int64[positions]
    advantages: np.ndarray  # float32[positions]: z - b


def advantages_of(played: Played, baseline: str) -> np.ndarray:
    """Return z - b for each game. The mean is that of the other games of the same colour, so it has no bias."""
    z = played.outcomes.astype(np.float32)
    if baseline != "mean":
        return z
    baselines = np.zeros(len(z), np.float32)
    for color in (True, False):
        same = played.is_black == color
        if same.sum() > 1:
            baselines[same] = (z[same].sum() - z[same]) / (same.sum() - 1)
    return z - baselines


def lesson_of(played: Played, baseline: str, value: Network | None = None) -> Lesson:
    """Collect the moves of the learner, with the advantage of the game that they belong to."""
    advantages = advantages_of(played, baseline)
    parts = []
    for turn in played.turns:
        chosen = turn.actions != NO_ACTION
        gained = advantages[turn.games[chosen]]
        if value is not None and chosen.any():
            is_black = played.is_black[turn.games[chosen]].astype(np.uint8)
            color = np.broadcast_to(is_black[:, None, None, None], (len(is_black), 1, *turn.planes.shape[2:]))
            gained = gained - value.compute(np.concatenate([turn.planes[chosen], color], axis=1))[VALUES].ravel()
        parts.append(Lesson(turn.planes[chosen], turn.allowed[chosen], turn.actions[chosen], gained))
    if not any(len(part.actions) for part in parts):
        raise UserError("The policy chose no move in any game; set a larger move_limit or fewer learn.random_moves.")
    return Lesson(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class ReinforceTrainer:
    """Learns from games against the pool (see `pipeline.training`)."""

    unit = "games"

    def __init__(
        self,
        parent: Weights,
        settings: ReinforceSettings,
        game: GameSettings,
        iterations: int,
        folder: Path,
        device: torch.device,
        precision: torch.dtype,
        seed: int,
        value: Network | None = None,
    ) -> None:
        self.steps, self.settings, self.game, self.seed = iterations, settings, game, seed
        self.iteration = 0  # iterations done
        self.device, self.precision, self.value = device, precision, value
        self.network = module_of(parent).to(device, memory_format=torch.channels_last)
        kind = torch.optim.SGD if settings.optimiser == "sgd" else torch.optim.Adam
        self.optimiser = kind(self.network.parameters(), lr=settings.learning_rate)
        self.calibration = self._calibration(parent)
        self.parent = self._with_ranges(parent)
        self.sl_network = Network(self.parent, threads=game.threads, precision=game.precision)
        self.pool = Pool(folder, self.parent)

    def _calibration(self, parent: Weights) -> np.ndarray:
        """Return planes of some games of the SL policy against itself."""
        plain = self.game._replace(precision="float32", random_moves=0)
        played = play_games(parent, parent, CALIBRATION_GAMES, (self.seed, CALIBRATE), plain, record=True)
        planes = np.concatenate([turn.planes for turn in played.turns])
        return planes[:: max(1, len(planes) // CALIBRATED)][:CALIBRATED]

    def _with_ranges(self, weights: Weights) -> Weights:
        return dataclasses.replace(weights, ranges=measure_ranges(weights, self.calibration))

    def weights(self) -> Weights:
        """Return the present weights, ready for inference in 8 bits."""
        weights = weights_of(self.network)
        if not weights.is_sound():
            raise UserError(DIVERGED)
        return self._with_ranges(weights)

    def state(self) -> dict[str, np.ndarray]:
        progress = {"pool": self.pool.state(), "iteration": np.array(self.iteration)}
        return learning_state(self.network, self.optimiser) | progress

    def restore(self, state: dict[str, np.ndarray]) -> None:
        restore_learning(self.network, self.optimiser, state)
        self.pool.restore(state["pool"])
        self.iteration = int(state["iteration"])

    def step(self, number: int) -> dict[str, float]:
        """Play the games of an iteration and learn from them."""
        settings = self.settings
        member, opponent = self.pool.draw(np.random.default_rng((self.seed, DRAW, number)))
        game = self.game._replace(random_moves=settings.random_moves)
        played = play_games(self.weights(), opponent, settings.games, (self.seed, TRAIN, number), game, record=True)
        member.games += settings.games
        member.won += played.won
        rate = settings.learning_rate * (1 - settings.decay * number / self.steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        lesson = lesson_of(played, settings.baseline, self.value)
        self.optimiser.zero_grad(set_to_none=True)
        entropy, divergence = self.add_gradients(lesson)
        norm = float(torch.nn.utils.get_total_norm([p.grad for p in self.network.parameters()]))
        if not math.isfinite(norm):
            raise UserError(DIVERGED)
        self.optimiser.step()
        self.iteration = number + 1
        return {
            "games": settings.games,
            "won against the pool": played.won / settings.games,
            "length": float(played.lengths.mean()),
            "entropy": entropy,
            "KL to the SL policy": divergence,
            "gradient norm": norm,
            "cut by the limit": float(played.is_cut.mean()),
            "forced self-atari": float(played.is_forced.mean()),
        }

    def add_gradients(self, lesson: Lesson) -> tuple[float, float]:
        """Add the gradients of all positions. Return the mean entropy, and the mean divergence from the SL policy."""
        games, entropies, divergences = self.settings.games, [], []
        for part in _parts(lesson):
            log_chances = self.log_probabilities(part)
            chances = log_chances.exp()
            entropy = -(chances * log_chances).sum(1)
            chosen = log_chances.gather(1, torch.from_numpy(part.actions).to(self.device)[:, None]).squeeze(1)
            loss = -(chosen * torch.from_numpy(part.advantages).to(self.device)).sum()
            if self.settings.entropy:
                loss = loss - self.settings.entropy * entropy.sum()
            if self.settings.kl or len(divergences) * MICRO_BATCH < WATCHED:
                divergence = (chances * (log_chances - self._sl_log_probabilities(part))).sum(1)
                divergences.append(float(divergence.detach().mean()))
                loss = loss + self.settings.kl * divergence.sum()
            entropies.append(float(entropy.detach().sum()))
            (loss / games).backward()
        return sum(entropies) / len(lesson.actions), float(np.mean(divergences))

    def log_probabilities(self, lesson: Lesson) -> Tensor:
        """Return the logarithm of the probability of each action; those of forbidden moves are very low."""
        planes = torch.from_numpy(lesson.planes).to(self.device).float()
        with mixed(self.device, self.precision):
            scores = self.network(planes.contiguous(memory_format=torch.channels_last))[SCORES]
        allowed = torch.from_numpy(lesson.allowed).to(self.device)
        return torch.log_softmax(scores.float().masked_fill(~allowed, FORBIDDEN), 1)

    def _sl_log_probabilities(self, lesson: Lesson) -> Tensor:
        chances = softmax(self.sl_network.compute(lesson.planes)[SCORES], lesson.allowed)
        return torch.from_numpy(np.log(np.maximum(chances, 1e-30))).to(self.device)

    def evaluate(self, games: int) -> Played:
        """Play the evaluation games against the SL policy, the same seeds each time."""
        return play_games(self.weights(), self.parent, games, (self.seed, EVALUATE), self.game)

    def join_pool(self, won: float, games: int) -> None:
        """Let the present weights join the pool, rated by their games against the SL policy."""
        share = (won + 0.5) / (games + 1)  # one game more, and half of it won, so that the rating is finite
        self.pool.add(self.iteration, self.weights(), elo_of(share))


def _parts(lesson: Lesson) -> Iterator[Lesson]:
    for start in range(0, len(lesson.actions), MICRO_BATCH):
        yield Lesson(*(array[start : start + MICRO_BATCH] for array in lesson))
