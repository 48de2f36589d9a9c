"""Figure 2b: how well a single look of the value network predicts results, beside the mean of k rollouts by policies.

A rollout is a whole game from the position, with moves sampled from a policy; the mean of its outcomes for the player
to move is the prediction. Errors are by the number of moves before the position, with the cost of a prediction in
microseconds on one thread.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from go.board import BLACK
from go.playout import new_rng
from go.position import Position
from nets.network import Network
from rl_policy.lockstep import Lockstep
from rollout.playout import PlayoutPolicy, new_workspace, policy_games
from value_net.accuracy import by_move_number, predict, summary
from value_net.lessons import Lessons

TOGETHER = 128  # rollouts of a network that are played side by side
Advance = Callable[[int], None]


class Prediction(NamedTuple):
    """Predictions of results: outcomes of k rollouts by position, or one value each, and what one position cost."""

    outcomes: np.ndarray  # float32[positions, k], for the player to move
    microseconds: float


def positions_of(lessons: Lessons, komi: float) -> list[Position]:
    """Return the positions themselves, with the komi by which rollouts are counted."""
    found = []
    for game, ply in zip(lessons.games, lessons.plies, strict=True):
        position = lessons.store.position(int(game), int(ply))
        position.komi = komi
        found.append(position)
    return found


def pattern_rollouts(
    positions: list[Position], policy: PlayoutPolicy, k: int, seed: int, advance: Advance = lambda positions: None
) -> Prediction:
    """Play k rollouts from each position by the uniform or a pattern policy."""
    outcomes, work, rng = np.zeros((len(positions), k), np.float32), new_workspace(), new_rng(seed)
    policy_games(Position(positions[0].size), 1, policy, rng, work)  # compiles, or reads what was compiled
    began = time.perf_counter()
    for row, position in zip(outcomes, positions, strict=True):
        games, _ = policy_games(position, k, policy, rng, work)
        row[:] = _for_player_to_move(games["margin"] - position.komi, position)
        advance(1)
    return Prediction(outcomes, 1e6 * (time.perf_counter() - began) / len(positions))


def network_rollouts(
    positions: list[Position], network: Network, k: int, seed: int, advance: Advance = lambda positions: None
) -> Prediction:
    """Play k rollouts from each position by a policy network, many side by side."""
    outcomes = np.zeros((len(positions), k), np.float32)
    group = max(1, TOGETHER // k)
    _play_out(positions[-1:], network, 1, (seed,))  # compiles, or reads what was compiled
    began = time.perf_counter()
    for start in range(0, len(positions), group):
        there = positions[start : start + group]
        margins = _play_out(there, network, k, (seed, start))
        for i, position in enumerate(there):
            outcomes[start + i] = _for_player_to_move(margins[i], position)
        advance(len(there))
    return Prediction(outcomes, 1e6 * (time.perf_counter() - began) / len(positions))


def _play_out(positions: list[Position], network: Network, k: int, seed: tuple[int, ...]) -> np.ndarray:
    """Play k games from each position. Return black's margins as [positions, k]."""
    seeds = [(*seed, slot) for slot in range(len(positions) * k)]
    games = Lockstep(network.size, positions[0].komi, seeds)
    for slot in range(len(seeds)):
        _begin_at(games, slot, positions[slot // k])
    while (running := games.running).any():
        games.take_turn(np.flatnonzero(running), network)
    return games.margins().reshape(len(positions), k)


def network_values(network: Network, lessons: Lessons) -> Prediction:
    """Ask the value network, in one symmetry."""
    predict(network, lessons.chosen(np.arange(1)))
    began = time.perf_counter()
    values = predict(network, lessons)
    return Prediction(values[:, None], 1e6 * (time.perf_counter() - began) / len(lessons))


def _begin_at(games: Lockstep, slot: int, position: Position) -> None:
    """Let a game in lockstep begin at a position of another game."""
    hashes = position.hashes
    games.boards[slot], games.history[slot] = position.boards[0], position.past[0]
    games.boards[slot]["passes"] = 0  # a rollout goes on after a single pass
    games.boards[slot]["ply"] = len(hashes) - 1
    games.hashes[slot, : len(hashes)] = hashes


def _for_player_to_move(margins: np.ndarray, position: Position) -> np.ndarray:
    """Return the outcomes of games, given black's margins, for the player to move in a position."""
    return np.sign(margins if position.to_move == BLACK else -margins)


def errors_of(predictions: dict[str, Prediction], lessons: Lessons) -> dict[str, dict[str, Any]]:
    """Return errors by predictor: of all its rollouts, of a single one, by move number, and the cost."""
    found = {}
    for name, made in predictions.items():
        mean = made.outcomes.mean(axis=1)
        single = float(((made.outcomes - lessons.outcomes[:, None]) ** 2).mean())
        found[name] = {
            "k": made.outcomes.shape[1],
            **summary(mean, lessons.outcomes),
            "single MSE": single,
            "microseconds": made.microseconds,
            "rows": by_move_number(mean, lessons),
            "single rows": _single_rows(made.outcomes, lessons),
        }
    return found


def _single_rows(outcomes: np.ndarray, lessons: Lessons) -> list[dict[str, Any]]:
    """Return errors of a single rollout by move number: the mean over all k of them."""
    by_rollout = [by_move_number(outcomes[:, i], lessons) for i in range(outcomes.shape[1])]
    return [{**rows[0], "MSE": float(np.mean([row["MSE"] for row in rows]))} for rows in zip(*by_rollout, strict=True)]
