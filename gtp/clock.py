"""Clocks of all the time systems that GTP and KGS speak of, and how they are told to us.

All are one: main time, then periods of overtime. Whoever makes `stones` moves within a period gets it back whole; a
period that runs out is lost, and the next begins.

| system              | stones | periods |
|---------------------|--------|---------|
| absolute            |        | 0       |
| Canadian            | many   | 1       |
| Japanese (byo-yomi) | 1      | many    |
"""

from typing import NamedTuple, Self

from gtp.syntax import SYNTAX_ERROR, Failure, check_count, read_number, read_whole


class Clock(NamedTuple):
    """What a clock shows, in seconds; no clock at all (None) is no limit."""

    main: float  # left of the main time
    period: float = 0.0  # a whole period of overtime
    stones: int = 0  # moves that must be made in one
    periods: int = 0  # left, with the one under way
    left: float = 0.0  # of the period under way, which is whole as long as there is main time
    to_play: int = 0  # moves that are still to be made in it

    @classmethod
    def wound(cls, main: float, period: float = 0.0, stones: int = 0, periods: int = 0) -> Self:
        """Return a clock at the beginning of a game."""
        return cls(main, period, stones, periods, period, stones)

    def after(self, seconds: float) -> Self:
        """Return the clock after a move that took so long; whether it has run out, others judge."""
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


def read_time_settings(arguments: list[str]) -> Clock | None:
    """Read main time, overtime and stones; overtime without stones is how GTP says that there is no limit."""
    check_count(arguments, 3)
    main, period, stones = _seconds(arguments[0]), _seconds(arguments[1]), read_whole(arguments[2])
    if period == 0:
        return Clock.wound(main) if main else None  # nobody can play in no time at all
    return Clock.wound(main, period, stones, 1) if stones else None


def read_kgs_time_settings(arguments: list[str]) -> Clock | None:
    """Read the settings of KGS, which begin with the name of the system."""
    check_count(arguments, 1, 4)
    system, numbers = arguments[0].lower(), arguments[1:]
    counts = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
    if system not in counts:
        raise Failure(SYNTAX_ERROR)
    check_count(numbers, counts[system])
    if system == "none":
        return None
    if system == "byoyomi":
        main, period, periods = _seconds(numbers[0]), _seconds(numbers[1]), read_whole(numbers[2])
        return Clock.wound(main, period, 1, periods) if period and periods else Clock.wound(main)
    return read_time_settings([*numbers, "0", "0"][:3])


def read_time_left(arguments: list[str], settings: Clock | None) -> Clock:
    """Read what is left, in seconds and stones, of a clock with these settings: no stones mean main time.

    As the stones of byo-yomi, KGS gives the number of periods that are left.
    """
    check_count(arguments, 2)
    seconds, stones = _seconds(arguments[0]), read_whole(arguments[1])
    if stones == 0:
        return settings._replace(main=seconds) if settings else Clock.wound(seconds)
    if settings is None or settings.periods == 0:
        return Clock.wound(0.0, seconds, stones, 1)
    if settings.stones == 1:
        return settings._replace(main=0.0, left=seconds, periods=stones)
    return settings._replace(main=0.0, left=seconds, to_play=stones)


def _seconds(text: str) -> float:
    seconds = read_number(text)
    if seconds < 0:
        raise Failure(SYNTAX_ERROR)
    return seconds
