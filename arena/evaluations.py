"""Evaluations of positions by the rooms that come after `classics`, for its minimax and alpha-beta.

Each is a function of the board size and the settings of a player that makes a `classics.evaluation.Evaluation`.
"""

import numpy as np

from apv_mcts.assemble import new_playout_policy
from classics.evaluation import Evaluation, asked, value_network
from classics.settings import LookaheadSettings
from go.playout import new_rng
from nets.find import find_weights
from nets.network import Network
from rollout.playout import board_games, new_workspace


def rollout_evaluation(size: int, run: str, seed: int, lookahead: LookaheadSettings) -> Evaluation:
    """Take the mean outcome of games by the rollout policy. Equal stones get equal values."""
    policy, work = new_playout_policy("rollout", size, run), new_workspace()

    def ask(boards: np.ndarray, history: np.ndarray, komi: float) -> np.ndarray:
        values = np.empty(len(boards))
        for i in range(len(boards)):
            last, before = (int(move) for move in history["recent"][i, :2])
            rng = new_rng(seed, int(boards["hash"][i]))
            games, _ = board_games(boards[i : i + 1], last, before, lookahead.playouts, policy, rng, work)
            values[i] = np.sign(games["margin"] - komi).mean()
        return values

    return asked("rollout", ask)


def value_evaluation(size: int, run: str, seed: int, lookahead: LookaheadSettings) -> Evaluation:
    """Ask the value network of a run, or the one that comes with Prezero."""
    return value_network(Network.load(find_weights("value", size, "run" if run else "shipped", run)))


EVALUATIONS = {"rollout": rollout_evaluation, "value": value_evaluation}
