"""Traces for scripts: what happened, step by step, as data that JSON can hold."""

from typing import Any

import numpy as np

from classroom.lesson import board_rows
from go.board import COLOR_NAMES
from go.coordinates import PASS, gtp_from_point
from go.position import Position
from rollout.choices import Choice, choices
from rollout.model import Model

LISTED = 12  # moves with their reasons in a step of a rollout
MOST_MOVES = 200


def rollout_trace(start: Position, model: Model, seed: int, most: int = MOST_MOVES) -> dict[str, Any]:
    """Play one rollout of a pattern policy and record each position, its likely moves, and the reasons for them.

    Moves are drawn from all candidates, as in a playout. A side without a candidate passes; two passes end the game.
    """
    rng, tables = np.random.default_rng(seed), model.tables()
    position, steps = start.copy(), []
    while not position.is_over and len(steps) < most:
        found = choices(position, model, tables)
        drawn = int(rng.choice(len(found), p=_normal(found))) if found else None
        steps.append(_step(position, found, drawn))
        position.play(PASS if drawn is None else found[drawn].point)
    steps.append(_step(position, [], None))
    if position.is_over:
        steps[-1]["note"] = f"The game is over: {position.result()} by area, komi {position.komi:g}."
    return {"size": start.size, "steps": steps}


def _normal(found: list[Choice]) -> np.ndarray:
    chances = np.array([choice.probability for choice in found])
    return chances / chances.sum()


def _step(position: Position, found: list[Choice], drawn: int | None) -> dict[str, Any]:
    who, size = COLOR_NAMES[position.to_move].capitalize(), position.size
    listed = [found[drawn]] if drawn is not None else []
    listed += [choice for choice in found[:LISTED] if choice not in listed]
    if drawn is None:
        note = f"{who} has no candidate and passes."
    else:
        rank, chosen = drawn + 1, found[drawn]
        note = (
            f"{who} draws {gtp_from_point(chosen.point, size)}: number {rank} of {len(found)} candidates, "
            f"chance {100 * chosen.probability:.1f}%."
        )
    last = position.last_move
    return {
        "rows": board_rows(position),
        "last": gtp_from_point(last, size) if last else None,
        "note": note,
        "moves": [
            {
                "point": gtp_from_point(choice.point, size),
                "chance": round(choice.probability, 4),
                "played": number == 0 and drawn is not None,
                "reasons": [[reason.feature, round(reason.weight, 3)] for reason in choice.reasons],
            }
            for number, choice in enumerate(listed)
        ],
    }
