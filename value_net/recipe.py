"""The paper's recipe for value data: one position of each self-play game (Methods, "Value network: regression").

    U        uniform on 1..450 on 19x19, scaled by the area of the board: 1..101 on 9x9
    moves    1 to U-1 are sampled from the SL policy p_sigma
    move U   is uniform over the legal moves, those into own eyes included
    the rest is sampled from the RL policy p_rho, until both sides pass (`rl_policy.lockstep`)

The position after move U is kept, with the outcome for the player to move there. Every sample has a U of its
own. The paper does not say what becomes of a game that ends before U. Here U is kept and the game is played anew, so
the kept U are exactly uniform; the games with a large U are then those that last so long. Games that have no legal move
at U, or reach the move limit, are played anew as well. All of them are counted. If no game reaches U in `MOST_ATTEMPTS`
attempts, another U is drawn.

Finished games are replaced at once, so batches stay full until the end of a shard. Everything is a function of plain
data: the samples of a shard depend on the weights, the recipe, the seed and the number of the shard alone.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from go.coordinates import PASS, POINTS
from go.score import area_owners
from nets.actions import points_of
from nets.network import Network
from nets.weights import Weights
from rl_policy.lockstep import NEVER, Lockstep

PAPER_MOST_U, PAPER_POINTS = 450, 361
MOST_ATTEMPTS = 100  # games that are played for one U
U, GAMES, KEYS = range(3)  # what random streams are for
IDLE = -1  # the number of the sample of a slot that has none


class Recipe(NamedTuple):
    """What the games have in common."""

    komi: float = 7.5
    most_u: int = 0  # 0 stands for the paper's 450, scaled by the area of the board
    move_limit: int = 0  # 0 stands for 4 moves per point of the board
    games: int = 2048  # samples of a shard
    together: int = 128  # games that are played side by side
    precision: str = "auto"  # of the networks


class Shard(NamedTuple):
    """Samples, one of each game, in the order of their numbers. Games are stored from the first to the last move."""

    u: np.ndarray  # int16[games]: the position is the one after this many moves
    lengths: np.ndarray  # int16[games]
    moves: np.ndarray  # int16[sum of lengths]: points, black first; PASS for a pass
    margins: np.ndarray  # int16[games]: black's area minus white's, without komi
    owners: np.ndarray  # uint8[games, points of the board]: the colour that owns each point at the end
    forced: np.ndarray  # bool[games]: a side had no other moves left than self-atari of several stones
    keys: np.ndarray  # uint64[games]: random numbers, by which the games are split into parts
    played_anew: np.ndarray  # int32[games]: games that ended before U, or had no legal move there
    cut: np.ndarray  # int32[games]: games that reached the move limit


def scaled_most_u(size: int) -> int:
    """Return the largest U for a board size: 450 on 19x19, scaled by the area."""
    return max(1, round(PAPER_MOST_U * size**2 / PAPER_POINTS))


class StoppedError(Exception):
    """The work on a shard was stopped before its end."""


class ShardPlayer:
    """Plays the games of one shard; each slot of the lockstep works on one sample at a time."""

    def __init__(self, sl: Weights, rl: Weights, recipe: Recipe, seed: int, number: int) -> None:
        size, count = sl.description.size, recipe.games
        self.recipe, self.seed, self.number = recipe, seed, number
        self.most_u = recipe.most_u or scaled_most_u(size)
        self.sigma, self.rho = (Network(weights, precision=recipe.precision) for weights in (sl, rl))
        self.rng = np.random.default_rng((seed, U, number))
        self.u = self.rng.integers(1, self.most_u + 1, count)
        self.attempts = np.zeros(count, np.int64)
        slots = min(recipe.together, count)
        self.samples = np.arange(slots)  # which sample each slot works on
        self.following = slots
        seeds = [self._game_seed(sample) for sample in range(slots)]
        self.games = Lockstep(size, recipe.komi, seeds, recipe.move_limit)
        self.moves: list[np.ndarray] = [np.empty(0, np.int16)] * count
        self.owners = np.zeros((count, size**2), np.uint8)
        self.margins, self.forced = np.zeros(count, np.int16), np.zeros(count, bool)
        self.evaluations = 0  # positions that were shown to a network, in games that were not kept, too
        self.played_anew, self.cut = np.zeros(count, np.int32), np.zeros(count, np.int32)

    def _game_seed(self, sample: int) -> tuple[int, ...]:
        return self.seed, GAMES, self.number, int(sample), int(self.attempts[sample])

    @property
    def is_busy(self) -> bool:
        """Whether there are samples left to play for."""
        return bool((self.samples != IDLE).any())

    def turn(self) -> int:
        """Make a move in each game; keep the samples of games that have ended, and begin others. Return how many."""
        is_busy, plies, u = self.samples != IDLE, self.games.lengths.copy(), self.u[self.samples]
        for network, moving in ((self.sigma, is_busy & (plies < u - 1)), (self.rho, is_busy & (plies >= u))):
            if moving.any():
                self.games.take_turn(np.flatnonzero(moving), network)
                self.evaluations += int(moving.sum())
        at_u = is_busy & (plies == u - 1)
        if at_u.any():
            self.games.play_uniformly(np.flatnonzero(at_u))
        return sum(self._finish(int(slot)) for slot in np.flatnonzero(is_busy & ~self.games.running))

    def _finish(self, slot: int) -> bool:
        """Keep the sample of a game that has ended, or begin the game anew. Return whether it was kept."""
        sample, length = self.samples[slot], int(self.games.lengths[slot])
        moves, u = self.games.moves[slot, :length], self.u[sample]
        kept = self.games.ended[slot] and length > u and moves[u - 1] != PASS
        if kept:
            self._keep(slot, sample, moves)
            self.samples[slot] = sample = self.following if self.following < len(self.u) else IDLE
            self.following += sample != IDLE
        else:
            (self.played_anew if self.games.ended[slot] else self.cut)[sample] += 1
            self.attempts[sample] += 1
            if self.attempts[sample] % MOST_ATTEMPTS == 0:
                self.u[sample] = np.random.default_rng(self._game_seed(sample)).integers(1, self.most_u + 1)
        if sample != IDLE:
            self.games.restart(slot, self._game_seed(sample))
        return bool(kept)

    def _keep(self, slot: int, sample: int, moves: np.ndarray) -> None:
        owners = np.zeros(POINTS, np.uint8)
        self.margins[sample] = area_owners(self.games.boards[slot], owners)
        self.owners[sample] = owners[points_of(self.games.size)]
        self.forced[sample] = self.games.forced_ply[slot] != NEVER
        self.moves[sample] = moves.copy()

    def shard(self) -> Shard:
        keys = np.random.default_rng((self.seed, KEYS, self.number)).integers(0, 2**64, len(self.u), np.uint64)
        lengths = np.array([len(moves) for moves in self.moves], np.int16)
        results = self.margins, self.owners, self.forced, keys, self.played_anew, self.cut
        return Shard(self.u.astype(np.int16), lengths, np.concatenate(self.moves), *results)


def play_shard(
    sl: Weights,
    rl: Weights,
    recipe: Recipe,
    seed: int,
    number: int,
    advance: Callable[[int], None] = lambda games: None,
    stop: Callable[[], bool] = lambda: False,
) -> Shard:
    """Play shard `number`. `advance` is called with the number of samples done; `stop` can end the work early."""
    player = ShardPlayer(sl, rl, recipe, seed, number)
    while player.is_busy:
        if stop():
            raise StoppedError
        advance(player.turn())
    return player.shard()
