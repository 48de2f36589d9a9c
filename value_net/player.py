"""A player that uses the value network alone, one ply deep: it plays the move after which the opponent has least value.

Each position is shown to the network in all eight symmetries. Two passes end the game, and are counted exactly.
"""

import numpy as np

from go.board import BLACK
from go.history import histories_of
from go.player import AnyBoard, Candidate, Decision, decided, sensible_moves, titled
from go.position import Position
from nets.network import ALL_SYMMETRIES, Network
from sl_policy.player import load_network, network_sizes
from value_net.accuracy import check_network

TEMPERATURE = 0.1  # of sampling: a move that wins 5% less often is sampled 2.7 times less often


def values_of(network: Network, positions: list[Position]) -> np.ndarray:
    """Return the value of each position for its side to move, averaged over all symmetries."""
    boards, history = np.concatenate([position.boards for position in positions]), histories_of(positions)
    network.warn_of_other_komi(positions[0].komi)
    turns = [np.full(len(boards), symmetry) for symmetry in ALL_SYMMETRIES]
    values = np.mean([network.answer(boards, history, turn).values for turn in turns], axis=0)
    for place, position in enumerate(positions):
        if position.is_over:
            score = position.score()
            values[place] = np.sign(score if position.to_move == BLACK else -score)
    return values


def candidates_of(network: Network, position: Position) -> list[Candidate]:
    """Return the sensible moves, the best first, with probabilities by which to sample them."""
    moves = sensible_moves(position)
    if not moves:
        return []
    values = -values_of(network, [position.copy().play(move) for move in moves])
    weights = np.exp((values - values.max()) / TEMPERATURE)
    chances = weights / weights.sum()
    return [
        Candidate(moves[place], float(chances[place]), f"value network: wins {50 + 50 * values[place]:.1f}%")
        for place in np.argsort(-values, kind="stable")
    ]


class ValuePlayer:
    """Plays the move with the highest value one ply deep, or samples among the best."""

    def __init__(self, network: Network, greedy: bool = True, seed: int = 1, name: str = "value") -> None:
        check_network(network, network.size)
        self.network, self.greedy = network, greedy
        self.name = titled(name, greedy)
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        return decided(position, candidates_of(self.network, position), self.rng, self.greedy)


def value_player(name: str, run: str, greedy: bool, seed: int, precision: str) -> AnyBoard:
    """Make a player of the value network: that of a run, or without one the one that comes with Prezero."""

    def make(size: int) -> ValuePlayer:
        return ValuePlayer(load_network(size, run, precision=precision, kind="value"), greedy, seed, name)

    return AnyBoard(titled(name, greedy), make, network_sizes(run, "value"))


PLAYERS = {"value": value_player}
