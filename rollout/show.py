"""Show the candidate moves of a position: how probable a policy finds each, and which features made it so."""

import dataclasses
from pathlib import Path
from typing import NamedTuple

import numpy as np

from features48.show import find_position
from go.board import set_turn
from go.coordinates import PASS, POINTS, gtp_from_point
from go.draw import percentages
from go.errors import GoError
from go.position import Position
from go.show import PositionSettings
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.tables import table
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
from rollout.model import Model, read_card
from rollout.policies import policy_path
from rollout.shipped import shipped_path
from rollout.softmax import score
from rollout.tracker import begin, new_tracker, play_tracked

NAME = "rollout.show"
DIRECTIONS = ("NW", "N", "NE", "W", "E", "SW", "S", "SE")  # from the last move, as `patterns.SQUARE` goes round it
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


@dataclasses.dataclass
class Settings(PositionSettings):
    sgf: str = setting("", "a game record to take the position from, instead of moves or a text board")
    move: int | None = setting(None, "with sgf: after how many moves, by default all of them")
    run: str = setting("", "name of the run whose policy it is, by default the policy that comes with Prezero")
    policy: str = setting("rollout", "rollout, or tree")
    weights: str = setting("", "a file with a policy, instead of one of a run")
    top: int = setting(10, "how many moves to list, the most probable first")
    svg: str = setting("", "file to write the drawing to: all moves with their probabilities")


class Reason(NamedTuple):
    """A feature that fires, and its weight."""

    feature: str
    weight: float


class Choice(NamedTuple):
    """A candidate move, with the features that make its probability."""

    point: int
    probability: float
    reasons: list[Reason]


def choices(position: Position, model: Model, tables: Tables | None = None) -> list[Choice]:
    """Return the candidate moves of a position, the most probable first.

    Whoever asks of many positions makes the `tables` of the model once.
    """
    tables = model.tables() if tables is None else tables
    tracker, work, values = new_tracker(), new_candidates(), np.zeros(MOST_MOVES)
    before_last, history = position.copy(), position.history
    if history:  # the last move is played anew, so that the stones which it captured are known
        before_last.undo()
        set_turn(before_last.board, history[-1].color)
    begin(before_last.board, tracker[0])
    if history:
        play_tracked(before_last.board, tracker[0], history[-1].point)
    set_turn(before_last.board, position.to_move)
    last, second = ([PASS, PASS] + [move.point for move in history])[:-3:-1]
    count = find_candidates(before_last.board, tracker[0], tables, last, second, work)
    score(model.weights, work.features, count, values)
    return [
        Choice(int(work.points[i]), float(values[i]), _reasons(model, work.features[i]))
        for i in np.argsort(-values[:count], kind="stable")
    ]


def _reasons(model: Model, features: np.ndarray) -> list[Reason]:
    """Name the features of a move, those that say most first."""
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


def table_of(found: list[Choice], size: int, top: int) -> str:
    """Lay out the most probable moves with their reasons."""
    rows = [
        [
            gtp_from_point(choice.point, size),
            f"{100 * choice.probability:.2f}%",
            ", ".join(f"{name} {weight:+.2f}" for name, weight in choice.reasons) or "nothing known",
        ]
        for choice in found[:top]
    ]
    return table(["move", "probability", "reasons, with their weights"], rows)


def finish(chances: dict[int, float], position: Position, settings: Settings, title: str) -> None:
    """Say what is left after the moves listed, the most probable first, and draw all of them if that is wanted."""
    rest = sum(list(chances.values())[settings.top :])
    if rest:
        print(f"\n{len(chances) - settings.top} more moves have {100 * rest:.2f}% together.")
    if settings.svg:
        by_point = np.zeros(POINTS)
        by_point[list(chances)] = list(chances.values())
        heat = position.by_row_and_column(by_point)
        drawn = position.to_svg(heat=heat, labels=percentages(heat), title=f"{title}, percent")
        write_atomic(Path(settings.svg), drawn)
        print(f"Drawn to {settings.svg}.")


def main(settings: Settings) -> None:
    if settings.top < 1:
        raise UserError(f"top={settings.top} is too few: at least 1 move is shown.")
    position, title = find_position(settings)
    path = shipped_path(settings.policy, position.size)
    if settings.weights or settings.run:
        path = Path(settings.weights) if settings.weights else policy_path(settings.run, settings.policy)
    model = Model.load(path)
    card = read_card(path)
    found = choices(position, model)
    kind = "tree" if model.is_tree else "rollout"
    print(position)
    print(f"\nThe {kind} policy of {path}, learnt on {card.get('size', '?')}x{card.get('size', '?')}:\n")
    if not found:
        print("There is no move but to pass.")
        return
    print(table_of(found, position.size, settings.top))
    finish({choice.point: choice.probability for choice in found}, position, settings, f"{title}: {kind} policy")


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
