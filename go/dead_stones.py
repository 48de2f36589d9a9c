"""The end of a game with dead stones: which ones they are, the score without them, and capturing them by playing on."""

from go.abilities import Judge, Scorer
from go.board import BLACK, WHITE
from go.coordinates import STRIDE
from go.player import Player, sensible_moves
from go.position import Position


def stones(position: Position, color: int | None = None) -> set[int]:
    """Return the points of all stones, or of the stones of one colour."""
    chosen = (color,) if color else (BLACK, WHITE)
    return {point for point, there in enumerate(position.board["color"].tolist()) if there in chosen}


def dead_stones(player: Player, position: Position) -> set[int]:
    """Ask a player which stones are dead. All are alive for a player that is no `Judge`."""
    if not isinstance(player, Judge):
        return set()
    return {int(point) for point in player.dead_stones(position.copy())} & stones(position)


def result_without(position: Position, dead: set[int]) -> str:
    """Return the result after dead stones are taken off the board. `GoError` if that leaves a chain without liberty."""
    return position.copy().set_up(empty=dead).result()


def judged_result(player: Player, position: Position) -> str:
    """Return the result of a finished game as a player sees it; empty if the player cannot judge it."""
    if isinstance(player, Scorer):
        return player.final_score(position.copy())
    return result_without(position, dead_stones(player, position)) if isinstance(player, Judge) else ""


def capture_of_dead(position: Position, dead: set[int]) -> int | None:
    """Return a move towards the capture of the opponent's dead stones; None if there are none.

    The move never fills an own eye.
    """
    color = position.to_move
    opponent = BLACK + WHITE - color
    targets = dead & stones(position, opponent)
    beside = {point + step for point in targets for step in (-STRIDE, -1, 1, STRIDE)}

    def worth(move: int) -> tuple[int, bool, int]:
        after = position.copy().play(move)
        taken = after.captured[opponent] - position.captured[opponent]
        return taken, move in beside and after.liberties(move) > 1, after.liberties(move)

    return max(sensible_moves(position) if targets else (), key=worth, default=None)
