"""Games of policy networks, slowly and obviously: one by one, with `Position`. Also games from any position."""

from typing import NamedTuple

import numpy as np

from go.board import BLACK, LEGAL, legality
from go.coordinates import PASS, SYMMETRIES
from go.match import MOVES_A_POINT
from go.player import ends_well, sensible_moves
from go.playout import new_rng, next_random, random_below
from go.position import Position
from nets.actions import actions_of, images_of_actions, points_of, turned
from nets.description import SCORES, Description
from nets.network import Network
from nets.weights import Weights
from rl_policy.lockstep import Lockstep
from rl_policy.self_play import GameSettings

LEAST_FORCED = 2  # stones


class SlowGame(NamedTuple):
    """A game, and what happened in it. `superko` counts the turns in which superko forbade a move."""

    moves: list[int]
    margin: float
    is_cut: bool
    is_forced: bool
    is_turned: bool
    superko: int


def fraction(rng: np.ndarray) -> float:
    """Draw a number from 0 to 1 with 53 random bits."""
    return (int(next_random(rng)) >> 11) / 2**53


def sampled_move(position: Position, network: Network, rng: np.ndarray, temperature: float = 1.0) -> int:
    """Return the move of a network that sees the position in a random symmetry, or PASS."""
    symmetry = int(random_below(rng, SYMMETRIES))
    moves = sensible_moves(position)
    if ends_well(position) or not moves:
        return PASS
    planes, _ = network.inputs.of_positions([position])
    scores = network.compute(turned(planes, np.array([symmetry])))[SCORES][0].astype(float) / temperature
    images = images_of_actions(position.size)[symmetry]
    by_action = {int(images[actions_of(move, position.size)]): move for move in moves}
    chances = {action: np.exp(scores[action] - max(scores[a] for a in by_action)) for action in sorted(by_action)}
    up_to = np.cumsum(list(chances.values()))
    return by_action[list(chances)[int(np.searchsorted(up_to, fraction(rng) * up_to[-1], side="right"))]]


def uniform_move(position: Position, rng: np.ndarray) -> int:
    """Return a random legal move, by trying points in random order, or PASS."""
    points = points_of(position.size).tolist()
    while points:
        k = int(random_below(rng, len(points)))
        points[0], points[k] = points[k], points[0]
        point = points.pop(0)
        if position.is_legal(point):
            return point
    return PASS


def is_self_atari(position: Position, move: int, least: int = 1) -> bool:
    """Tell if a move leaves its chain of at least so many stones with one liberty."""
    after = position.copy().play(move)
    chain = after.board["chain"]
    stones = sum(chain[point] == chain[move] for point in points_of(position.size))
    return after.liberties(move) == 1 and stones >= least


def slow_game(networks: list[Network], number: int, seed: tuple[int, ...], settings: GameSettings) -> SlowGame:
    """Play game `number`. The first network is black in games of even number."""
    size = networks[0].size
    rng, position = new_rng(*seed, number), Position(size, settings.komi)
    limit = settings.move_limit or MOVES_A_POINT * size**2
    opening = int(random_below(rng, settings.random_moves + 1))
    forced_score, superko = None, 0
    while not position.is_over and len(position.history) < limit:
        is_second = (position.to_move == BLACK) != (number % 2 == 0)
        if len(position.history) < opening:
            position.play(uniform_move(position, rng))
            continue
        legal_by_board = [p for p in points_of(size) if legality(position.board, p, position.to_move) == LEGAL]
        superko += len(legal_by_board) > len(position.legal_moves())
        move = sampled_move(position, networks[is_second], rng, settings.temperatures[is_second])
        is_forced = move != PASS and is_self_atari(position, move, LEAST_FORCED)
        is_forced = is_forced and all(is_self_atari(position, other) for other in sensible_moves(position))
        if is_forced and forced_score is None:
            forced_score = position.score()
        position.play(move)
    moves, score, is_forced = [move.point for move in position.history], position.score(), forced_score is not None
    is_turned = is_forced and np.sign(forced_score) != np.sign(score)
    return SlowGame(moves, score, not position.is_over, is_forced, is_turned, superko)


def lockstep_from(position: Position, seeds: list[tuple[int, ...]], move_limit: int = 0) -> Lockstep:
    """Return games that all continue from one position."""
    games = Lockstep(position.size, position.komi, seeds, move_limit)
    games.boards[:] = position.board
    games.history[:] = position.past[0]
    games.hashes[:, : len(position.hashes)] = position.hashes
    return games


def rigged(size: int, planes: dict[int, float], bias: np.ndarray | float = 0.0) -> Weights:
    """A policy network whose score of a point is a bias plus so much for each plane that is set there."""
    description = Description("policy", size, 48, 1, 3)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in description.shapes().items()}
    for plane, score in planes.items():
        tensors["layer1.kernel"][0, plane, 2, 2] = score
    tensors["layer2.kernel"][0, 0, 1, 1] = tensors["scores.kernel"][0, 0, 0, 0] = 1
    tensors["scores.bias"][:] = np.asarray(bias).reshape(-1)
    return Weights(description, tensors)
