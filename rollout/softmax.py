"""Softmax regression, the paper's form: one softmax over all candidate moves of a position, by maximum likelihood.

Each position is one observation: the expert chose this move among the candidates. For each feature, the gradient of the
log-likelihood is its value for the chosen move minus its expected value under the policy. Steps are scaled for each
weight by its past gradients (AdaGrad), because some patterns are a thousand times as frequent as others.
"""

import functools
from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np

from data.store import GameStore
from go.coordinates import MAX_SIZE, PASS
from go.jit import kernel
from rollout.features import PLACES, Candidates, Tables, find_candidates, new_candidates
from rollout.games import Replay, begin_game, earlier_point, games_of, new_replay, play_ply, prepare_ply
from rollout.lookup import FREE

STATISTICS = np.dtype(
    [
        ("positions", np.int64),
        ("top1", np.float64),  # ties count as if one of the equal moves were drawn at random
        ("top5", np.float64),
        ("log_likelihood", np.float64),
        ("candidates", np.int64),
        ("left_out", np.int64),  # moves that are not candidates: into an own eye, or illegal by our rules
    ]
)


BLOCK = 1_024  # games per step
MANY_GAMES = 4_000  # from here on, four shares per batch are as good as learning game by game; below, two are
BATCH = 16  # maximum number of games per batch; after a batch, the changes of its shares are added up
BATCHES = 100  # minimum number of batches per pass, if there are enough games
LAST_RATE = 0.05  # final learning rate as a share of the initial one; it falls linearly
FIRST_SQUARES = 0.01  # initial sums of squared gradients; they keep the first steps short
EVALUATED = 200  # games that a thread evaluates at a time


class Learner(NamedTuple):
    """The weights, and the progress of each.

    Training needs 64 bits: 32 bits lose the many small downward steps of a frequent pattern, but not the few long
    upward ones.
    """

    weights: np.ndarray
    squares: np.ndarray  # sums of squared gradients


@kernel
def score(weights, features, count, values):
    """Write the probability of each candidate to `values`."""
    highest = -np.inf
    for i in range(count):
        total = 0.0
        for k in range(PLACES):
            if features[i, k] != FREE:
                total += weights[features[i, k]]
        values[i] = total
        highest = max(highest, total)
    norm = 0.0
    for i in range(count):
        values[i] = np.exp(values[i] - highest)
        norm += values[i]
    for i in range(count):
        values[i] /= norm


@kernel
def _note(statistics, values, count, chosen):
    better, equal = 0, 0
    for i in range(count):
        better += values[i] > values[chosen]
        equal += values[i] == values[chosen]
    statistics.positions += 1
    statistics.candidates += count
    statistics.top1 += min(max(1 - better, 0) / equal, 1.0)
    statistics.top5 += min(max(5 - better, 0) / equal, 1.0)
    statistics.log_likelihood += np.log(max(values[chosen], 1e-300))


@kernel
def _step(learner, features, values, count, chosen, rate):
    """Take one step of gradient ascent."""
    for i in range(count):
        gradient = (1.0 if i == chosen else 0.0) - values[i]
        if -1e-4 < gradient < 1e-4:  # negligible, as for most candidates
            continue
        for k in range(PLACES):
            f = features[i, k]
            if f != FREE:
                learner.squares[f] += gradient * gradient
                learner.weights[f] += rate * gradient / np.sqrt(learner.squares[f])


@kernel
def go_through(store, chosen_games, tables, learner, rate, replay, work, statistics, every):
    """Replay games and add to `statistics`; learn if `rate` > 0. Of the plies, only every `every`-th is used."""
    values = np.zeros(MAX_SIZE * MAX_SIZE)
    counter = 0
    for index in range(len(chosen_games)):
        game = store.games[chosen_games[index]]
        begin_game(store, replay)
        for ply in range(game.n_moves):
            color, point = prepare_ply(store, replay, game, ply)
            counter += 1
            if point != PASS and (color & game.learn) != 0 and counter % every == 0:
                last, before = earlier_point(store, game, ply, 1), earlier_point(store, game, ply, 2)
                count = find_candidates(replay.board[0], replay.tracker[0], tables, last, before, work)
                chosen = -1
                for i in range(count):
                    if work.points[i] == point:
                        chosen = i
                if chosen < 0:
                    statistics[0].left_out += 1
                else:
                    score(learner.weights, work.features, count, values)
                    _note(statistics[0], values, count, chosen)
                    if rate > 0:
                        _step(learner, work.features, values, count, chosen, rate)
            play_ply(replay, point)


def _memory() -> tuple[Replay, Candidates]:
    return new_replay(), new_candidates()


class SoftmaxTrainer:
    """Trains in passes over the games, each in a new order, on several threads; see `pipeline.training`.

    The shares of a batch of games start with the same weights, and their changes are added up. With such small batches,
    this is as good as learning game by game (`docs/rollout.md`). The number of shares depends only on the number of
    games, so the number of threads does not change the result.
    """

    unit = "positions"

    def __init__(
        self,
        store: GameStore,
        games: np.ndarray,
        tables: Tables,
        weights: int,
        passes: int,
        rate: float,
        seed: int,
        pool: Executor,
    ) -> None:
        self.arrays, self.games, self.tables, self.pool = games_of(store), games, tables, pool
        self.passes, self.rate, self.seed = passes, rate, seed
        self.learner = Learner(np.zeros(weights), np.full(weights, FIRST_SQUARES))
        self.blocks_a_pass = -(-len(games) // BLOCK)
        self.steps = passes * self.blocks_a_pass
        self.shares = 4 if len(games) >= MANY_GAMES else 2
        self.batch = min(max(len(games) // BATCHES, self.shares), BATCH)
        self.memory = [_memory() for _ in range(self.shares)]

    @property
    def weights(self) -> np.ndarray:
        return self.learner.weights.astype(np.float32)

    def state(self) -> dict[str, np.ndarray]:
        return self.learner._asdict()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.learner = Learner(**state)

    def step(self, number: int) -> dict[str, float]:
        """Learn from one block of games. Return its training metrics."""
        turn, place = divmod(number, self.blocks_a_pass)
        order = np.random.default_rng((self.seed, 1, turn)).permutation(self.games)
        games = order[place * BLOCK : (place + 1) * BLOCK]
        statistics = np.zeros(self.shares, STATISTICS)
        for start in range(0, len(games), self.batch):
            done = (turn + (place * BLOCK + start) / len(order)) / self.passes
            rate = self.rate * (1 - (1 - LAST_RATE) * done)
            shares = np.array_split(games[start : start + self.batch], self.shares)
            learn = functools.partial(self._learn_share, rate=rate, statistics=statistics)
            learnt = list(self.pool.map(learn, range(self.shares), shares))
            before = self.learner
            self.learner = Learner(*(first + sum(part[k] - first for part in learnt) for k, first in enumerate(before)))
        seen = int(statistics["positions"].sum())
        return {"positions": seen, "training log-likelihood": float(statistics["log_likelihood"].sum()) / max(seen, 1)}

    def _learn_share(self, share: int, games: np.ndarray, rate: float, statistics: np.ndarray) -> Learner:
        learner = Learner(*(part.copy() for part in self.learner))
        replay, work = self.memory[share]
        go_through(self.arrays, games, self.tables, learner, rate, replay, work, statistics[share : share + 1], 1)
        return learner


def evaluate(
    store: GameStore,
    games: np.ndarray,
    tables: Tables,
    weights: np.ndarray,
    pool: Executor,
    advance: Callable[[int], None] = lambda games: None,
) -> np.void:
    """Return the statistics of a policy on some games. `advance` is called with the size of each finished chunk."""
    arrays, weights = games_of(store), weights.astype(np.float64)
    learner = Learner(weights, weights)

    def evaluate_chunk(chunk: np.ndarray) -> np.ndarray:
        statistics = np.zeros(1, STATISTICS)
        go_through(arrays, chunk, tables, learner, 0.0, *_memory(), statistics, 1)
        return statistics

    chunks = [games[start : start + EVALUATED] for start in range(0, len(games), EVALUATED)]
    total = np.zeros(1, STATISTICS)
    for chunk, part in zip(chunks, pool.map(evaluate_chunk, chunks), strict=True):
        advance(len(chunk))
        for name in STATISTICS.names:
            total[name] += part[name]
    return total[0]
