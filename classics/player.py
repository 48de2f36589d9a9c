"""The players of this room: the Candidate Generation System, minimax, alpha-beta, feature weights and the solver."""

from collections.abc import Callable, Mapping

import numpy as np

from classics.cgs import Cgs, standing
from classics.evaluation import Evaluation, area, influence, uniform_playouts
from classics.feature_weights import scored_moves
from classics.lookahead import Lookahead
from classics.settings import CgsSettings, LookaheadSettings
from classics.solver import BITS, Solver
from go.board import BLACK
from go.coordinates import PASS
from go.player import AnyBoard, Candidate, Decision, decided, ends_well, titled
from go.position import Position

Evaluations = Mapping[str, Callable[[int, str, int, LookaheadSettings], Evaluation]]


class CgsPlayer:
    """Plays the candidate that the Candidate Generation System chooses, and passes if there is none."""

    name = "cgs"

    def __init__(self, size: int, settings: CgsSettings) -> None:
        self.cgs = Cgs(size, settings)

    def decide(self, position: Position) -> Decision:
        analysis = self.cgs.analyse(position)
        total = sum(candidate.gain for candidate in analysis.candidates)
        candidates = [
            Candidate(found.point, found.gain / total if total else 0.0, found.why) for found in analysis.candidates
        ]
        if not candidates:
            return Decision(PASS, f"no candidate is left; {standing(analysis)}", [])
        if ends_well(position):
            return Decision(PASS, "the opponent passed, and the game is won as it stands", candidates)
        return Decision(candidates[0].point, f"{candidates[0].why}; {standing(analysis)}", candidates)


def cgs_player(name: str, cgs: CgsSettings) -> AnyBoard:
    player = AnyBoard(name, lambda size: CgsPlayer(size, cgs))

    def shown(field: str) -> Callable[[Position], np.ndarray]:
        return lambda position: getattr(Cgs(position.size, cgs).analyse(position), field)

    player.maps = {"influence": shown("ip"), "safety": shown("safety"), "PV": shown("pv")}
    return player


class LookaheadPlayer:
    """Plays the move that minimax or alpha-beta finds best."""

    def __init__(self, name: str, search: Lookahead) -> None:
        self.name, self.search = name, search

    def decide(self, position: Position) -> Decision:
        if position.is_over:
            return Decision(PASS, "the game is over", [])
        found = self.search.search(position)
        sign = 1 if position.to_move == BLACK else -1
        ranked = sorted(found.moves, key=lambda move: (-sign * move[1], move[0] != found.move))
        values = np.array([sign * value for _, value in ranked])
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        candidates = [
            Candidate(move, float(share), self._value(value))
            for (move, value), share in zip(ranked, shares, strict=True)
            if move != PASS
        ]
        if ends_well(position):
            return Decision(PASS, "the opponent passed, and the game is won as it stands", candidates)
        why = f"{self._value(found.value)} at depth {self.search.depth}, {found.nodes:,} nodes"
        return Decision(found.move, why, candidates)

    def _value(self, value: float) -> str:
        if self.search.evaluation.in_points:
            return f"{'black' if value > 0 else 'white'} ahead by {abs(value):.1f}" if value else "even"
        return f"black wins {50 * (1 + value):.1f}%"


def own_evaluation(name: str, playouts: int) -> Evaluation:
    """Return an evaluation of this room by its name."""
    makers = {"influence": influence, "area": area, "uniform": lambda: uniform_playouts(playouts)}
    return makers[name]()


def _lookahead_player(
    name: str,
    run: str,
    seed: int,
    lookahead: LookaheadSettings,
    cgs: CgsSettings,
    evaluations: Evaluations,
    prunes: bool,
) -> AnyBoard:
    def make(size: int) -> LookaheadPlayer:
        if lookahead.evaluation in evaluations:
            evaluation = evaluations[lookahead.evaluation](size, run, seed, lookahead)
        else:
            evaluation = own_evaluation(lookahead.evaluation, lookahead.playouts)
        search = Lookahead(
            size, evaluation, lookahead.depth, prunes, lookahead.ordered, lookahead.batch_size, cgs, seed
        )
        return LookaheadPlayer(name, search)

    return AnyBoard(name, make)


def minimax_player(
    name: str, run: str, seed: int, lookahead: LookaheadSettings, cgs: CgsSettings, evaluations: Evaluations
) -> AnyBoard:
    return _lookahead_player(name, run, seed, lookahead, cgs, evaluations, prunes=False)


def alphabeta_player(
    name: str, run: str, seed: int, lookahead: LookaheadSettings, cgs: CgsSettings, evaluations: Evaluations
) -> AnyBoard:
    return _lookahead_player(name, run, seed, lookahead, cgs, evaluations, prunes=True)


class FeaturePlayer:
    """Plays the move with the highest score of feature weights, one of them at random if several have it.

    If not `greedy`, moves are drawn by their score plus one.
    """

    def __init__(self, greedy: bool = True, seed: int = 1) -> None:
        self.name, self.greedy = titled("features", greedy), greedy
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        moves = scored_moves(position)
        if self.greedy:
            moves = [move for move in moves if move.total == moves[0].total]
        weights = [1.0 if self.greedy else move.total + 1.0 for move in moves]
        candidates = [
            Candidate(move.point, weight / sum(weights), move.why) for move, weight in zip(moves, weights, strict=True)
        ]
        return decided(position, candidates, self.rng)


def feature_player(name: str, greedy: bool, seed: int) -> AnyBoard:
    return AnyBoard(titled(name, greedy), lambda size: FeaturePlayer(greedy, seed))


class SolverPlayer:
    """Plays perfectly on boards up to 4x4, for the best score."""

    name = "solver"

    def __init__(self, size: int) -> None:
        self.solver = Solver(size)

    def decide(self, position: Position) -> Decision:
        before = self.solver.nodes
        move, value = self.solver.best_move(position)
        score = value - position.komi
        result = "a draw" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"
        why = f"{result} with best play, {self.solver.nodes - before:,} nodes"
        return Decision(move, why, [Candidate(move, 1.0, why)] if move != PASS else [])


def solver_player(name: str) -> AnyBoard:
    return AnyBoard(name, SolverPlayer, tuple(BITS))


PLAYERS = {
    "cgs": cgs_player,
    "minimax": minimax_player,
    "alphabeta": alphabeta_player,
    "features": feature_player,
    "solver": solver_player,
}
