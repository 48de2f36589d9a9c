"""The time commands of GTP and KGS, from and to a `go.clock.Clock`."""

from go.board import COLOR_NAMES
from go.clock import Clock
from gtp.syntax import SYNTAX_ERROR, Failure, check_count, read_number, read_whole


def read_time_settings(arguments: list[str]) -> Clock | None:
    """Read main time, overtime and stones. In GTP, overtime without stones means no time limit."""
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
    """Read the time left, in seconds and stones, of a clock with these settings. No stones: main time.

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


def write_time_settings(clock: Clock | None) -> str:
    """Write the command for the time settings of an engine. Byo-yomi needs the command of KGS."""
    if clock is None:
        return "time_settings 0 1 0"  # which GTP defines as no limit
    if clock.stones == 1 and clock.periods > 1:
        return f"kgs-time_settings byoyomi {clock.main:g} {clock.period:g} {clock.periods}"
    return f"time_settings {clock.main:g} {clock.period:g} {clock.stones}"


def write_time_left(color: int, clock: Clock) -> str:
    """Write the command that tells an engine what is left on a clock."""
    if clock.main > 0 or not clock.periods:
        return f"time_left {COLOR_NAMES[color]} {clock.main:.2f} 0"
    count = clock.periods if clock.stones == 1 and clock.periods > 1 else clock.to_play
    return f"time_left {COLOR_NAMES[color]} {clock.left:.2f} {count}"
