"""One game between two engines, with our own rules as the referee.

An engine that crashes, hangs, answers nonsense, plays an illegal move or refuses a legal one loses the game. A game
that ends with two passes is counted; because engines leave dead stones on the board, which the Tromp-Taylor count takes
to be alive, the engines themselves can be asked for the score.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from go.board import BLACK, COLOR_NAMES, WHITE
from go.errors import GoError
from go.position import Position
from gtp.client import RESIGN, Engine, EngineError, Fault

# How a game can end, besides by a `Fault` of an engine.
AGREED, COUNTED, RESIGNED, ILLEGAL, ENDLESS = (
    "score of the engines",
    "area count",
    "resignation",
    "illegal move",
    "move limit",
)
SCORE = re.compile(r"([BW])\+(\d+(?:\.\d+)?)", re.IGNORECASE)


class Ending(NamedTuple):
    """How a game ended: the result as SGF writes it, one of few words for how it came about, and a sentence on it.

    `loser` is the colour of the engine that failed or cheated, if one did.
    """

    result: str
    how: str
    why: str
    loser: int | None = None


def play_game(
    engines: dict[int, Engine],
    position: Position,
    move_limit: int = 1000,
    judges: Sequence[int] = (BLACK, WHITE),
    seed: int | None = None,
) -> Ending:
    """Play a game on from its moves so far; in the end, `position` holds all of them. `engines`, `judges`: by colour.

    Engines that can be given a random seed, such as GNU Go, get `seed`.
    """
    try:
        for engine in engines.values():
            _set_up(engine, position, seed)
        while not position.is_over and len(position.history) < move_limit:
            color = position.to_move
            move = engines[color].genmove(color)
            if move == RESIGN:
                return Ending(f"{_opponent(color)}+R", RESIGNED, f"{COLOR_NAMES[color].capitalize()} resigned.")
            position.play(move)
            engines[BLACK + WHITE - color].play(color, move)
    except EngineError as error:
        color = next(color for color, engine in engines.items() if engine is error.engine)
        return lost_by_fault(color, error)
    except GoError as error:
        return Ending(f"{_opponent(color)}+F", ILLEGAL, str(error), color)
    if not position.is_over:
        return Ending("Void", ENDLESS, f"The game was stopped after {move_limit} moves.")
    return _count(engines, position, judges)


def lost_by_fault(color: int, error: EngineError) -> Ending:
    """Return the ending of a game in which the engine of this colour failed."""
    return Ending(
        f"{_opponent(color)}+{'T' if error.fault == Fault.HANG else 'F'}", error.fault.value, str(error), color
    )


def _opponent(color: int) -> str:
    return "W" if color == BLACK else "B"


def _set_up(engine: Engine, position: Position, seed: int | None) -> None:
    engine.boardsize(position.size)
    engine.clear_board()
    engine.komi(position.komi)
    if seed is not None and engine.knows("set_random_seed"):
        engine.send(f"set_random_seed {seed}")
    for color, point in position.history:
        engine.play(color, point)


def _count(engines: dict[int, Engine], position: Position, judges: Sequence[int]) -> Ending:
    """Take the score that all judges give; without judges, or if they differ or give none, count the area ourselves."""
    if not judges:
        return Ending(position.result(), COUNTED, "All stones on the board were counted as alive.")
    most = position.size**2 + abs(position.komi)
    scores = [_final_score(engines[color], most) for color in judges]
    if scores[0] and len(set(scores)) == 1:
        return Ending(scores[0], AGREED, "Counted by the engines, without dead stones.")
    told = " and ".join(f"{COLOR_NAMES[color]} {score or 'none'}" for color, score in zip(judges, scores, strict=True))
    return Ending(position.result(), COUNTED, f"All stones were counted as alive, because the scores were: {told}.")


def _final_score(engine: Engine, most: float) -> str:
    """Ask an engine for the score; return it as our own scores are written, or nothing if it has no sensible answer."""
    try:
        answer = engine.send("final_score")
    except EngineError:  # the game is over, so this loses nothing but the answer
        return ""
    score = SCORE.fullmatch(answer)
    if answer == "0" or (score and float(score[2]) == 0):
        return "0"
    return f"{score[1].upper()}+{float(score[2]):g}" if score and float(score[2]) <= most else ""
