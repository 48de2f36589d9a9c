"""Games between two policy networks, many at a time (`rl_policy.lockstep`), on some threads.

Colours alternate: the first network is black in games of even number. A game depends on the seed and on its number
alone, not on how the games are shared out.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from go.board import BLACK
from nets.network import Network
from nets.weights import Weights
from rl_policy.lockstep import NEVER, Lockstep, Turn

MOST_TOGETHER = 128  # games in one lockstep; more gain nothing on a CPU


class GameSettings(NamedTuple):
    """What the games of a batch have in common."""

    komi: float = 7.5
    move_limit: int = 0  # 0 stands for 4 moves per point of the board
    random_moves: int = 0  # a game begins with 0 to this many uniformly random moves
    temperatures: tuple[float, float] = (1.0, 1.0)  # of the first and of the second network
    precision: str = "auto"
    threads: int = 1


class Played(NamedTuple):
    """Finished games, in the order of their numbers, and the turns of the first network if they were recorded."""

    margins: np.ndarray  # black's area minus white's and komi
    lengths: np.ndarray
    is_black: np.ndarray  # whether the first network played black
    is_cut: np.ndarray  # by the move limit
    is_forced: np.ndarray  # a side had no other moves left than self-atari of several stones
    is_turned: np.ndarray  # and the winner was not the one by the count before that move
    moves: np.ndarray  # int16[games, move limit]: points
    turns: list[Turn]  # game numbers are those of the batch

    @property
    def outcomes(self) -> np.ndarray:
        """z: 1 for each game that the first network won, -1 for each that it lost, 0 for draws."""
        return np.sign(np.where(self.is_black, self.margins, -self.margins))

    @property
    def won(self) -> float:
        """The games that the first network won; a draw is half a game."""
        return float((self.outcomes + 1).sum() / 2)


def play_games(
    first: Weights,
    second: Weights,
    count: int,
    seed: tuple[int, ...],
    settings: GameSettings,
    record: bool = False,
    advance: Callable[[int], None] = lambda games: None,
) -> Played:
    """Play games 0 to `count`. `advance` is called with the number of games done, from several threads perhaps."""
    together = min(MOST_TOGETHER, -(-count // settings.threads))
    chunks = [np.arange(start, min(start + together, count)) for start in range(0, count, together)]

    def play(numbers: np.ndarray) -> Played:
        networks = [Network(weights, precision=settings.precision) for weights in (first, second)]
        played = _play_chunk(networks, numbers, seed, settings, record)
        advance(len(numbers))
        return played

    with ThreadPoolExecutor(settings.threads) as pool:
        parts = list(pool.map(play, chunks))
    turns = [turn for part in parts for turn in part.turns]
    arrays = [np.concatenate(arrays) for arrays in zip(*(part[:-1] for part in parts), strict=True)]
    return Played._make([*arrays, turns])


def _play_chunk(
    networks: list[Network], numbers: np.ndarray, seed: tuple[int, ...], settings: GameSettings, record: bool
) -> Played:
    size = networks[0].size
    games = Lockstep(size, settings.komi, [(*seed, int(number)) for number in numbers], settings.move_limit)
    is_black = numbers % 2 == 0
    openings = games.draw_below(settings.random_moves + 1)
    turns = []
    while (running := games.running).any():
        is_opening = running & (games.lengths < openings)
        if is_opening.any():
            games.play_uniformly(np.flatnonzero(is_opening))
            continue
        firsts_turn = (games.boards["to_move"] == BLACK) == is_black
        for is_second, network in enumerate(networks):
            moving = np.flatnonzero(running & (firsts_turn != bool(is_second)))
            if len(moving):
                turn = games.take_turn(moving, network, settings.temperatures[is_second])
                if record and not is_second:
                    turns.append(turn._replace(games=numbers[turn.games]))
    margins, is_forced = games.margins(), games.forced_ply != NEVER
    is_turned = is_forced & (np.sign(games.forced_margin - settings.komi) != np.sign(margins))
    return Played(margins, games.lengths.copy(), is_black, ~games.ended, is_forced, is_turned, games.moves, turns)
