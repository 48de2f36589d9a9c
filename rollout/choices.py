"""The candidate moves of a position, with their probabilities and the features behind them."""

from typing import NamedTuple

import numpy as np

from go.coordinates import PASS
from go.position import Position
from rollout.features import (
    DIAMOND,
    DISTANCE,
    DISTANCES,
    NAKADE,
    NEIGHBOUR,
    RESPONSE,
    RESPONSE_PATTERN,
    SAVE_ATARI,
    SECOND_DISTANCE,
    SELF_ATARI,
    SQUARE,
    Tables,
    find_candidates,
    new_candidates,
)
from rollout.lookup import FREE
from rollout.model import Model
from rollout.softmax import score
from rollout.tracker import begin, new_tracker

DIRECTIONS = ("NW", "N", "NE", "W", "E", "SW", "S", "SE")  # from the last move, in the order of `patterns.SQUARE`
PLACE_NAMES = {
    SQUARE: "pattern 3x3",
    RESPONSE_PATTERN: "response pattern",
    RESPONSE: "response",
    SAVE_ATARI: "save atari",
    NAKADE: "nakade",
    SELF_ATARI: "self-atari",
    DIAMOND: "diamond pattern",
}
MOST_MOVES = 361


class Reason(NamedTuple):
    """A feature that fires, and its weight."""

    feature: str
    weight: float


class Choice(NamedTuple):
    """A candidate move with its probability and its features."""

    point: int
    probability: float
    reasons: list[Reason]


def choices(position: Position, model: Model, tables: Tables | None = None) -> list[Choice]:
    """Return the candidate moves of a position, most probable first.

    For many positions, make the `tables` of the model once and pass them.
    """
    tables = model.tables() if tables is None else tables
    tracker, work, values = new_tracker(), new_candidates(), np.zeros(MOST_MOVES)
    begin(position.board, tracker[0])
    last, second = ([PASS, PASS] + [move.point for move in position.history])[:-3:-1]
    count = find_candidates(position.board, tracker[0], tables, last, second, work)
    score(model.weights, work.features, count, values)
    return [
        Choice(int(work.points[i]), float(values[i]), _reasons(model, work.features[i]))
        for i in np.argsort(-values[:count], kind="stable")
    ]


def _reasons(model: Model, features: np.ndarray) -> list[Reason]:
    """Name the features of a move, largest absolute weight first."""
    reasons = [
        Reason(_name(model, place, feature), float(model.weights[feature]))
        for place, feature in enumerate(features.tolist())
        if feature != FREE
    ]
    return sorted(reasons, key=lambda reason: -abs(reason.weight))


def _name(model: Model, place: int, feature: int) -> str:
    if place == NEIGHBOUR:
        return f"neighbour {DIRECTIONS[feature - model.first('neighbour')]}"
    if place in (DISTANCE, SECOND_DISTANCE):
        steps = (feature - model.first("last move distance")) % DISTANCES + 1
        which = "last" if place == DISTANCE else "second last"
        return f"distance {steps}{'+' if steps == DISTANCES else ''} to the {which} move"
    return PLACE_NAMES[place]
