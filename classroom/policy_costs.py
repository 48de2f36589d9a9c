"""What a move of each policy costs: the slides' estimates, and the same measured on this machine.

A rollout is as many moves as the rest of the game. So the time of a move decides whether a policy can play rollouts.
"""

import time
from typing import NamedTuple

import numpy as np

from apv_mcts.assemble import new_playout_policy
from go.history import histories_of
from go.playout import new_rng
from go.position import Position
from nets.find import find_weights
from nets.network import Answering
from nets.weights import Weights
from rollout.model import read_card
from rollout.playout import policy_games

SLIDE_MOVES = 200  # moves of a rollout, by the slides


class Cost(NamedTuple):
    """What follows from the seconds of one move."""

    seconds: float
    moves: float

    @property
    def rollout(self) -> float:
        """Seconds of one rollout."""
        return self.seconds * self.moves

    @property
    def rollouts_a_second(self) -> float:
        return 1 / self.rollout


SLIDES = {"rollout policy": Cost(2e-6, SLIDE_MOVES), "policy network": Cost(5e-3, SLIDE_MOVES)}


def expert_moves_found(size: int) -> dict[str, float]:
    """Return the share of experts' moves in test games that the shipped policies find, as their cards say."""
    return {
        "rollout": read_card(find_weights("rollout", size))["results"]["test"]["top1"],
        "policy": Weights.load(find_weights("policy", size)).card["figures"]["results"]["test"]["top1"],
    }


def measured_rollouts(position: Position, games: int, seed: int = 1) -> Cost:
    """Play rollouts on one thread. Return the seconds of a move and the moves of a rollout."""
    policy, rng = new_playout_policy("rollout", position.size, ""), new_rng(seed)
    policy_games(position, 1, policy, rng)  # compiled before the clock starts
    began = time.perf_counter()
    played, _ = policy_games(position, games, policy, rng)
    moves = int(played["moves"].astype(np.int64).sum())
    return Cost((time.perf_counter() - began) / moves, moves / games)


def measured_network(network: Answering, position: Position, answers: int, moves: float) -> Cost:
    """Ask a network about one position after the other, as the paper does (minibatches of 1)."""
    boards, history, turn = position.boards, histories_of([position]), np.zeros(1, np.int64)
    network.answer(boards, history, turn)
    began = time.perf_counter()
    for _ in range(answers):
        network.answer(boards, history, turn)
    return Cost((time.perf_counter() - began) / answers, moves)
