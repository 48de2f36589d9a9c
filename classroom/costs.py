"""What learning and searching cost, by the arithmetic of the slides (chapters 3 and 4)."""

import math

DAY = 24 * 3600.0  # seconds
EVALUATION = 0.005  # seconds of the policy network for a position, as the slides count
GAME_MOVES = 400  # of a self-play game, as the slides count
GAMES_A_BATCH, BATCHES = 128, 10_000  # of the RL policy
GPUS = 50
VALUE_GAMES = 30_000_000  # one position of each
GO_MOVES, GO_DEPTH = 250, 150  # moves of a position, and of a game


def game_seconds(moves: float = GAME_MOVES, evaluation: float = EVALUATION) -> float:
    """Return the time of one self-play game on one GPU."""
    return moves * evaluation


def rl_seconds(batches: float = BATCHES, games: float = GAMES_A_BATCH, a_game: float | None = None) -> float:
    """Return the time of all self-play games of the RL policy on one GPU."""
    return batches * games * (game_seconds() if a_game is None else a_game)


def days(seconds: float, gpus: float = 1) -> float:
    return seconds / gpus / DAY


def power_of_ten(width: float, depth: float) -> float:
    """Return x with w^d = 10^x."""
    return depth * math.log10(width)


def depth_within(width: float, positions: float) -> float:
    """Return the depth that a search of at most `positions` positions can reach."""
    return math.log(positions) / math.log(width)
