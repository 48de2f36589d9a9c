"""Learning on 5x5, small enough for a lesson (chapter 3): REINFORCE from nothing, and value networks that overfit.

Games, updates, samples and networks are those of `rl_policy` and `value_net`; only the board and the numbers are small.
torch is a slow import, so it is imported by the functions that learn.
"""

import dataclasses
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data.store import GameStore
from nets.network import Network
from nets.settings import NetSettings, OptimiserSettings
from nets.weights import Weights
from rl_policy.self_play import GameSettings, play_games
from rl_policy.settings import ReinforceSettings
from value_net.accuracy import predict, summary
from value_net.lessons import Lessons, lessons_of
from value_net.recipe import Recipe, play_shard
from value_net.samples import SAMPLES, Samples, fingerprint, write_store
from value_net.settings import LearnSettings, ValueNetSettings

SIZE, KOMI = 5, 0.5
POLICY = NetSettings(filters=16, layers=4, planes=4)
EVALUATE = 77  # a random stream of its own for the games that are counted
EVALUATIONS = 12  # of a value network while it learns, at most
SHARES = (0.0, 0.25)  # of the samples, for validation and test


class Learnt(NamedTuple):
    """A policy that has learnt, and how: a row for the start and for each evaluation."""

    before: Weights
    after: Weights
    history: list[dict[str, float]]


def new_policy(seed: int = 1, size: int = SIZE, net: NetSettings = POLICY) -> Weights:
    """Return a policy network that has learnt nothing: all moves are nearly equally likely."""
    import torch

    from nets.module import NetworkModule, weights_of

    torch.manual_seed(seed)
    return weights_of(NetworkModule(net.description(size), init="torch"))


def reinforce(
    parent: Weights,
    iterations: int,
    games: int,
    every: int,
    tested: int,
    learning_rate: float = 0.003,
    komi: float = KOMI,
    seed: int = 1,
    baseline: str = "mean",
) -> Learnt:
    """Learn by self-play as `./prezero rl_policy.train` does.

    After every `every` iterations, play `tested` games against the parent, and let this version join the pool.
    """
    import torch

    from rl_policy.reinforce import ReinforceTrainer

    torch.set_num_threads(1)  # batches of 5x5 boards are too small to share
    settings = ReinforceSettings(games=games, learning_rate=learning_rate, baseline=baseline)
    game = GameSettings(komi=komi, threads=os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder:
        trainer = ReinforceTrainer(
            parent, settings, game, iterations, Path(folder), torch.device("cpu"), torch.float32, seed
        )
        history = [{"games": 0, "won": won_by(trainer.weights(), trainer.parent, tested, komi)}]
        for number in range(iterations):
            step = trainer.step(number)
            if (number + 1) % every == 0:
                won = won_by(trainer.weights(), trainer.parent, tested, komi)
                trainer.join_pool(won * tested, tested)
                history.append({"games": games * (number + 1), "won": won, "entropy": step["entropy"]})
        return Learnt(trainer.parent, trainer.weights(), history)


def won_by(first: Weights, second: Weights, games: int, komi: float = KOMI, seed: int = EVALUATE) -> float:
    """Return the share of games that the first policy wins. Both sample their moves; colours alternate."""
    settings = GameSettings(komi=komi, threads=os.cpu_count() or 1)
    return play_games(first, second, games, (seed,), settings).won / games


def samples_of(sl: Weights, rl: Weights, games: int, folder: Path, seed: int = 1) -> Samples:
    """Play games by the paper's recipe, one sample of each, and store them. A quarter of them is for the test."""
    size = sl.description.size
    shard = play_shard(sl, rl, Recipe(komi=KOMI, games=games), seed, 0)
    write_store(folder, [shard], games, size, KOMI, SHARES)
    store = GameStore(folder)
    records = np.load(folder / SAMPLES, mmap_mode="r")
    return Samples(store, records["ply"], records["owners"], KOMI, fingerprint(store))


@dataclasses.dataclass
class Fitted:
    """A value network that has learnt: its errors by epoch on what it learnt from and on test games."""

    name: str
    games: int
    samples: int
    history: list[dict[str, float]]
    network: Network
    lessons: Lessons

    @property
    def train(self) -> float:
        return self.history[-1]["train"]

    @property
    def test(self) -> float:
        return self.history[-1]["test"]


def fit(name: str, lessons: Lessons, test: Lessons, epochs: int, seed: int = 1, filters: int = 32) -> Fitted:
    """Learn a value network from some positions, several times over, as the paper does: no second target."""
    import torch

    from nets.module import weights_of
    from value_net.trainer import ValueTrainer

    torch.set_num_threads(1)  # batches of 5x5 boards are too small to share
    settings = LearnSettings(
        net=ValueNetSettings(filters=filters, layers=7),
        optimiser=OptimiserSettings(kind="adamw", batch_size=64, learning_rate=0.002, weight_decay=0.0),
        ownership=0.0,
        positions=epochs * len(lessons),
    )
    trainer = ValueTrainer(lessons, settings, torch.device("cpu"), torch.float32, seed)
    every = max(1, trainer.steps // min(epochs, EVALUATIONS))
    history: list[dict[str, float]] = []
    for number in range(trainer.steps):
        trainer.step(number)
        if (number + 1) % every == 0 or number + 1 == trainer.steps:
            network = Network(weights_of(trainer.network), precision="float32")
            errors = {part: error_of(network, there) for part, there in (("train", lessons), ("test", test))}
            history.append({"epoch": (number + 1) * 64 / len(lessons), **errors})
    games = len(np.unique(lessons.games))
    return Fitted(name, games, len(lessons), history, network, lessons)


def error_of(network: Network, lessons: Lessons, most: int = 2_000) -> float:
    """Return the mean squared error of a network on some positions."""
    tested = lessons.chosen(np.arange(min(most, len(lessons))))
    return float(summary(predict(network, tested), tested.outcomes)["MSE"])


def overfitting(samples: Samples, many: int, epochs: int, seed: int = 1) -> list[Fitted]:
    """Learn from equally many positions twice: one of each game, and `many` of each of fewer games."""
    test = lessons_of(samples, "test")
    whole = len(samples.part("train")) // many * many
    one = lessons_of(samples, "train", games=whole)
    several = lessons_of(samples, "train", games=whole // many, a_game=many)
    return [
        fit("one position of each game", one, test, epochs, seed),
        fit(f"{many} positions of each game", several, test, epochs, seed),
    ]


def winners_known(network: Network, lessons: Lessons, most_ply: int) -> float:
    """Return the share of winners that a network predicts in positions of the first moves."""
    chosen = lessons.chosen(np.flatnonzero(lessons.plies < most_ply))
    return float(summary(predict(network, chosen), chosen.outcomes)["winner"])


def as_rows(fitted: list[Fitted]) -> list[list[Any]]:
    """Return the errors as rows for `lesson.beside`, with the paper's."""
    papers = (
        ("0.226 and 0.234", "self-play, one position of each game"),
        ("0.19 and 0.37", "all positions of KGS games"),
    )
    return [
        [
            found.name,
            f"{found.train:.3f} and {found.test:.3f}",
            paper,
            f"{found.samples:,} positions of {found.games:,} games; paper: {what}",
        ]
        for found, (paper, what) in zip(fitted, papers, strict=True)
    ]
