"""Clocks of all common time systems.

Every system is main time, followed by periods of overtime. A player who makes `stones` moves within a period gets the
whole period back. A period that runs out is lost, and the next one begins.

| system              | stones | periods |
|---------------------|--------|---------|
| absolute            |        | 0       |
| Canadian            | many   | 1       |
| Japanese (byo-yomi) | 1      | many    |
"""

from typing import NamedTuple, Self


class Clock(NamedTuple):
    """The state of one player's clock, in seconds. A player without a clock (None) has no time limit."""

    main: float  # main time left
    period: float = 0.0  # length of an overtime period
    stones: int = 0  # moves to make in each period
    periods: int = 0  # periods left, including the current one
    left: float = 0.0  # time left in the current period; the whole period while main time is left
    to_play: int = 0  # moves still to make in the current period

    @classmethod
    def wound(cls, main: float, period: float = 0.0, stones: int = 0, periods: int = 0) -> Self:
        """Return a clock at the start of a game."""
        return cls(main, period, stones, periods, period, stones)

    def allows(self, seconds: float) -> bool:
        """Tell whether a move that takes `seconds` is made in time."""
        overtime = self.left + (self.periods - 1) * self.period if self.periods else 0.0
        return seconds <= self.main + overtime

    def after(self, seconds: float) -> Self:
        """Return the clock after a move that took `seconds`. `allows` tells whether the move was in time."""
        if seconds <= self.main or not self.periods:
            return self._replace(main=max(0.0, self.main - seconds))
        seconds -= self.main
        left, periods = self.left, self.periods
        if seconds > left and periods > 1:
            lost = min(periods - 1, 1 + int((seconds - left) // self.period))
            seconds -= left + (lost - 1) * self.period
            left, periods = self.period, periods - lost
        left, to_play = max(0.0, left - seconds), self.to_play - 1
        if to_play <= 0:
            left, to_play = self.period, self.stones
        return self._replace(main=0.0, periods=periods, left=left, to_play=to_play)
