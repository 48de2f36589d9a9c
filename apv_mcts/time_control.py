"""How long to think about a move: what the clock allows, with most of it in the middle of the game (Methods).

The paper says that much and no more; the formula is our choice. Of the main time a move gets

    main / (points / 4.5 + moves that are missing to the middle),   the middle being at move points / 4.5

so a game that goes on for long gets less and less, and never nothing: of an absolute time the last seconds are kept for
as many moves in a hurry as the board has points. Overtime is used whole, but for a margin, and there is no reason to
take less as long as there is main time. A search goes on for half as long again if at its end the most visited move is
not the one with the highest value.
"""

from go.clock import Clock

POINTS_A_MOVE = 4.5  # 80 moves to the middle on 19x19, 18 on 9x9
PROLONGED = 0.5  # of the time of the move
LAG = 0.5  # seconds that a server may take to hear of our move; of a short period a fifth
LEAST = 0.01  # seconds for a move in a hurry


def seconds_for_move(clock: Clock, size: int, ply: int) -> float:
    """Return the seconds to think about a move, the `ply`th of a game that are behind us."""
    middle = size * size / POINTS_A_MOVE
    share = _main(clock, size) / (middle + max(middle - ply, 0))
    return max(LEAST, min(max(share, _overtime(clock)), _available(clock, size)))


def seconds_more(clock: Clock, size: int, ply: int) -> float:
    """Return for how much longer to think when the search is in two minds; 0 if the clock does not allow it."""
    seconds = seconds_for_move(clock, size, ply)
    return max(0.0, min(PROLONGED * seconds, _available(clock, size) - seconds))


def _overtime(clock: Clock) -> float:
    """Return what a move may take of the overtime, and lose nothing by it."""
    if not clock.periods or clock.left <= 0:
        return 0.0
    return (clock.left - min(LAG, clock.left / 5)) / max(clock.to_play, 1)


def _main(clock: Clock, size: int) -> float:
    """Return the main time that may be used; after an absolute one nothing comes, so some of it is kept."""
    return clock.main if clock.periods else max(0.0, clock.main - LEAST * size * size)


def _available(clock: Clock, size: int) -> float:
    """Return how long a move may take at most: half of an absolute time, else what is left before a period is lost."""
    return _main(clock, size) + _overtime(clock) if clock.periods else _main(clock, size) / 2
