"""One game between two players, with our own rules as the referee.

This is the only game loop of the project. A player that raises an error, plays an illegal move or exceeds its time
loses the game. A game that ends with two passes is counted: by the area on the board, which takes all stones to be
alive, or by judges, which are players that can tell which stones are dead (`go.abilities`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from go.abilities import Preparing, Timed
from go.board import BLACK, COLOR_NAMES, WHITE
from go.clock import Clock
from go.dead_stones import judged_result
from go.errors import GoError, PlayerError
from go.player import RESIGN, Decision, Player
from go.position import Position

# How a game can end, besides by the `fault` of a `PlayerError`.
JUDGED, COUNTED, RESIGNED, ILLEGAL, OVERTIME, ERROR, ENDLESS = (
    "score of the judges",
    "area count",
    "resignation",
    "illegal move",
    "out of time",
    "error",
    "move limit",
)
MOVES_A_POINT = 4  # default move limit per point of the board; a game of sensible players has about 1


class Ending(NamedTuple):
    """How a game ended: the result as SGF writes it, the kind of ending in a few words, and one sentence about it.

    `loser` is the colour of the player that failed or cheated, if one did; `error` is what that player raised.
    """

    result: str
    how: str
    why: str
    loser: int | None = None
    error: Exception | None = None


def play_game(
    players: Mapping[int, Player],
    position: Position,
    *,
    move_limit: int = 0,
    judges: Sequence[Player] = (),
    clocks: Mapping[int, Clock] | None = None,
    lose_on_time: bool = True,
    on_move: Callable[[Position, Decision, float], None] | None = None,
    on_decision: Callable[[Position, Decision, float], None] | None = None,
) -> Ending:
    """Play a game to its end, starting from `position`, which then holds all moves.

    `players` are given by colour; one player may play both. A `move_limit` of 0 stands for 4 moves per point of the
    board. Without `judges`, the area is counted; with judges, their result is taken if they all agree. `clocks` are
    told to players that are `Timed`. `on_move` is called after each move with the position, the decision and the
    seconds that it took. `on_decision` is called in the same way, but before the move is played, and for resignations
    and illegal moves, too. Errors that they raise are not caught.
    """
    clocks = dict(clocks or {})
    limit = move_limit or MOVES_A_POINT * position.size**2
    for color, player in players.items():
        try:
            _prepare(player, position.size, clocks)
        except Exception as error:
            return lost_by_error(color, error)
    while not position.is_over and len(position.history) < limit:
        color = position.to_move
        began = time.monotonic()
        try:
            decision = players[color].decide(position.copy())
        except Exception as error:
            return lost_by_error(color, error)
        seconds = time.monotonic() - began
        if on_decision is not None:
            on_decision(position, decision, seconds)
        if color in clocks:
            if lose_on_time and not clocks[color].allows(seconds):
                why = f"{_name(color)} took {seconds:.2f} seconds for a move, more than its clock had left."
                return Ending(f"{_opponent(color)}+T", OVERTIME, why, color)
            clocks[color] = clocks[color].after(seconds)
            if isinstance(players[color], Timed):
                players[color].set_clock(color, clocks[color])
        if decision.move == RESIGN:
            return Ending(f"{_opponent(color)}+R", RESIGNED, f"{_name(color)} resigned.")
        try:
            position.play(decision.move)
        except GoError as error:
            return Ending(f"{_opponent(color)}+F", ILLEGAL, str(error), color, error)
        if on_move is not None:
            on_move(position, decision, seconds)
    if not position.is_over:
        return Ending("Void", ENDLESS, f"The game was stopped after {limit} moves.")
    return _counted(players, position, judges)


def lost_by_error(color: int, error: Exception) -> Ending:
    """Return the ending of a game in which the player of this colour raised an error."""
    if isinstance(error, PlayerError):
        letter = "T" if error.is_late else "F"
        return Ending(f"{_opponent(color)}+{letter}", str(error.fault), str(error), color, error)
    why = f"{_name(color)} failed with {type(error).__name__}: {error}"
    return Ending(f"{_opponent(color)}+F", ERROR, why, color, error)


def _prepare(player: Player, size: int, clocks: Mapping[int, Clock]) -> None:
    if isinstance(player, Preparing):
        player.get_ready(size)
    if isinstance(player, Timed):
        for color in (BLACK, WHITE):
            player.set_clock(color, clocks.get(color))


def _counted(players: Mapping[int, Player], position: Position, judges: Sequence[Player]) -> Ending:
    """Take the result that all judges agree on. Count the area if there are no judges or if they do not agree."""
    if not judges:
        return Ending(position.result(), COUNTED, "All stones on the board were counted as alive.")
    results = [_asked(judge, position) for judge in judges]
    if results[0] and len(set(results)) == 1:
        return Ending(results[0], JUDGED, "Counted by the judges, without dead stones.")
    names = [_judge_name(players, judge) for judge in judges]
    told = " and ".join(f"{name} {result or 'none'}" for name, result in zip(names, results, strict=True))
    return Ending(position.result(), COUNTED, f"All stones were counted as alive, because the scores were: {told}.")


def _asked(judge: Player, position: Position) -> str:
    try:
        return judged_result(judge, position)
    except (PlayerError, GoError):  # the game is over, so the failure costs the judge nothing but its vote
        return ""


def _judge_name(players: Mapping[int, Player], judge: Player) -> str:
    return next((COLOR_NAMES[color] for color, player in players.items() if player is judge), judge.name)


def _name(color: int) -> str:
    return COLOR_NAMES[color].capitalize()


def _opponent(color: int) -> str:
    return "W" if color == BLACK else "B"
