"""How good a position is, without looking ahead: the leaves of minimax and alpha-beta.

An evaluation says what a position is worth to black. Some are compiled into the search (`code`); any other one is a
function of boards, histories and komi (`ask`), such as a network or rollouts by a policy of a later room. Values are
points, or outcomes from -1 (white wins) to 1; the end of a game is valued in the same unit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from classics.influence import Fields, Rules, find_fields, new_fields
from classics.settings import CgsSettings, rules_of
from go.board import BLACK, new_boards
from go.jit import kernel
from go.playout import new_rng, playout
from go.position import Position
from go.score import area_margin
from nets.network import Answering
from pipeline.errors import UserError

AREA, INFLUENCE, PLAYOUTS, ASKED = range(4)

# From boards (`go.board.BOARD`), their histories (`go.history.HISTORY`) and komi to values for black.
Ask = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


class Evaluation(NamedTuple):
    """An evaluation, as the search takes it."""

    name: str
    code: int
    in_points: bool
    playouts: int = 0
    ask: Ask | None = None


class Static(NamedTuple):
    """What the kernels need of an evaluation."""

    code: int
    in_points: bool
    komi: float
    playouts: int
    rules: Rules
    fields: Fields
    rng: np.ndarray
    seed: np.uint64
    work: np.ndarray  # one board


def area() -> Evaluation:
    """Count the area as it stands."""
    return Evaluation("area", AREA, in_points=True)


def influence() -> Evaluation:
    """Take PM_B - PM_W of the Candidate Generation System for the score."""
    return Evaluation("influence", INFLUENCE, in_points=True)


def uniform_playouts(count: int) -> Evaluation:
    """Take the mean outcome of uniform random games."""
    return Evaluation("uniform", PLAYOUTS, in_points=False, playouts=count)


def asked(name: str, ask: Ask, in_points: bool = False) -> Evaluation:
    """Ask any function of boards, histories and komi."""
    return Evaluation(name, ASKED, in_points, ask=ask)


def value_network(network: Answering) -> Evaluation:
    """Ask a network that answers values."""

    def ask(boards: np.ndarray, history: np.ndarray, komi: float) -> np.ndarray:
        count = len(boards)
        wants = np.zeros(count, bool), np.ones(count, bool)
        values = network.answer(boards, history, np.zeros(count, np.int64), wants).values
        if values is None:
            raise UserError("This network has no value head, so it cannot evaluate positions.")
        return np.where(boards["to_move"] == BLACK, values, -values)

    return asked("value", ask)


def static_of(evaluation: Evaluation, size: int, komi: float, cgs: CgsSettings, seed: int, work: np.ndarray) -> Static:
    """Return what the kernels need. `work` is memory for one board."""
    rules, rng = rules_of(cgs, size), new_rng(seed)
    return Static(
        evaluation.code, evaluation.in_points, komi, evaluation.playouts, rules, new_fields(), rng, rng[0], work
    )


@kernel
def final_value(b, static):
    """Return the value of a finished game for black."""
    score = area_margin(b) - static.komi
    return score if static.in_points else np.sign(score)


@kernel
def static_value(b, static):
    """Return the value of a position for black, by a compiled evaluation."""
    if static.code == INFLUENCE:
        return 2 * find_fields(b, static.rules, static.fields) - b.rows * b.columns - static.komi
    if static.code == PLAYOUTS:
        total = 0.0
        static.rng[0] = b.hash ^ static.seed  # equal stones, equal value, whoever searches
        for _ in range(static.playouts):
            static.work[0] = b
            playout(static.work[0], static.rng)
            total += np.sign(area_margin(static.work[0]) - static.komi)
        return total / static.playouts
    return area_margin(b) - static.komi


def evaluate(evaluation: Evaluation, position: Position, cgs: CgsSettings | None = None, seed: int = 1) -> float:
    """Return what a position is worth to black."""
    if evaluation.ask is not None:
        return float(evaluation.ask(position.boards, position.past, position.komi)[0])
    static = static_of(evaluation, position.size, position.komi, cgs or CgsSettings(), seed, new_boards())
    return float(static_value(position.board, static))
