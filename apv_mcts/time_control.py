"""Time control: how long to think about a move. Most time goes to the middle of the game (Methods).

The paper gives only the idea; the formula is ours. A move gets this share of the main time:

    main / (points / 4.5 + moves left to the middle),   with the middle at move points / 4.5

So the time per move shrinks in a long game, but never to nothing: with absolute time, the last seconds are kept for as
many quick moves as the board has points. Overtime is used up except for a margin, and a move takes at least that much
while there is main time. The search is prolonged by half if, at its end, the most visited move is not the one with the
highest value.
"""

from go.clock import Clock

POINTS_A_MOVE = 4.5  # 80 moves to the middle on 19x19, 18 on 9x9
PROLONGED = 0.5  # share of the time of the move
LAG = 0.5  # seconds kept as a margin for the network; a fifth of a short period
LEAST = 0.01  # seconds for a quick move


def seconds_for_move(clock: Clock, size: int, ply: int) -> float:
    """Return the seconds to think about a move after `ply` moves of the game."""
    middle = size * size / POINTS_A_MOVE
    share = _main(clock, size) / (middle + max(middle - ply, 0))
    return max(LEAST, min(max(share, _overtime(clock)), _available(clock, size)))


def seconds_more(clock: Clock, size: int, ply: int) -> float:
    """Return the seconds by which to prolong an undecided search; 0 if the clock does not allow it."""
    seconds = seconds_for_move(clock, size, ply)
    return max(0.0, min(PROLONGED * seconds, _available(clock, size) - seconds))


def _overtime(clock: Clock) -> float:
    """Return the seconds of overtime that a move may use without losing a period."""
    if not clock.periods or clock.left <= 0:
        return 0.0
    return (clock.left - min(LAG, clock.left / 5)) / max(clock.to_play, 1)


def _main(clock: Clock, size: int) -> float:
    """Return the usable main time. With absolute time, some is kept for quick moves."""
    return clock.main if clock.periods else max(0.0, clock.main - LEAST * size * size)


def _available(clock: Clock, size: int) -> float:
    """Return the longest time for a move: half of an absolute time, or all that is left before a period is lost."""
    return _main(clock, size) + _overtime(clock) if clock.periods else _main(clock, size) / 2
