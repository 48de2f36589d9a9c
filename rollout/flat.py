"""Flat Monte Carlo: a player that gives every move the same number of playouts."""

import numpy as np

from go.board import BLACK
from go.coordinates import PASS
from go.player import Candidate, Decision, sensible_moves
from go.playout import random_below
from go.position import Position
from rollout.playout import PlayoutPolicy, Workspace, new_workspace, policy_games


class FlatPlayer:
    """Divides `playouts` evenly among the moves and plays the one with the highest win rate. Ties are broken at random.

    The player passes only if every legal move fills an own eye.
    """

    name = "flat"

    def __init__(
        self, policy: PlayoutPolicy, playouts: int, rng: np.ndarray, workspace: Workspace | None = None
    ) -> None:
        self.policy, self.playouts, self.rng = policy, playouts, rng
        self.workspace = workspace or new_workspace()

    def decide(self, position: Position) -> Decision:
        moves = sensible_moves(position)
        if not moves:
            return Decision(PASS, "no sensible move is left", [])
        rates = [self._win_rate(position, move, self._share(number, len(moves))) for number, move in enumerate(moves)]
        best = [move for move, rate in zip(moves, rates, strict=True) if rate == max(rates)]
        total = sum(rates) or 1.0
        ranked = sorted(zip(moves, rates, strict=True), key=lambda tried: -tried[1])
        candidates = [Candidate(move, rate / total, f"wins {100 * rate:.1f}%") for move, rate in ranked if rate > 0]
        chosen = best[random_below(self.rng, len(best))]
        why = f"wins {100 * max(rates):.1f}%, the most of {len(moves)} moves"
        return Decision(chosen, why, candidates, max(rates))

    def _share(self, number: int, moves: int) -> int:
        """Return the number of playouts for move `number` of `moves`."""
        return max((number + 1) * self.playouts // moves - number * self.playouts // moves, 1)

    def _win_rate(self, position: Position, move: int, playouts: int) -> float:
        games, _ = policy_games(position.copy().play(move), playouts, self.policy, self.rng, self.workspace)
        scores = games["margin"] - position.komi
        return float(0.5 * (1 + np.sign(scores if position.to_move == BLACK else -scores)).mean())
