"""How long a move may take: whole games by the clock, which is never run out, with most of it in the middle."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apv_mcts.player import SearchPlayer, in_two_minds
from apv_mcts.search import EdgeStatistics
from apv_mcts.time_control import LEAST, PROLONGED, seconds_for_move, seconds_more
from go.board import BLACK, WHITE
from go.clock import Clock
from go.position import Position

SIZES = st.integers(2, 19)
LONG = st.floats(1, 20_000)


def is_out(clock: Clock, seconds: float) -> bool:
    """Tell if a move that takes so long loses the game: there is no time left and no other period."""
    return seconds > clock.main + (clock.left + (clock.periods - 1) * clock.period if clock.periods else 0.0)


def whole_game(clock: Clock, size: int, plies: int, prolonged: bool) -> tuple[list[float], Clock]:
    """Think as long as the clock allows, again and again; fail if it runs out."""
    spent = []
    for ply in range(0, plies, 2):
        seconds = seconds_for_move(clock, size, ply) + (seconds_more(clock, size, ply) if prolonged else 0.0)
        assert not is_out(clock, seconds), f"out of time at ply {ply}"
        spent.append(seconds)
        clock = clock.after(seconds)
    return spent, clock


@settings(max_examples=300, deadline=None)
@given(main=LONG, size=SIZES, share=st.floats(0.1, 3), prolonged=st.booleans())
def test_an_absolute_time_lasts_for_any_game(main, size, share, prolonged):
    """Three times as many moves as the board has points are more than anybody plays; 30 ms for each must be there."""
    plies = int(share * size * size)
    if main >= 3 * LEAST * plies / 2:
        spent, clock = whole_game(Clock.wound(main), size, plies, prolonged)
        assert min(spent, default=LEAST) >= LEAST and clock.main == pytest.approx(main - sum(spent), abs=1e-6)


@settings(max_examples=300, deadline=None)
@given(
    main=st.floats(0, 5_000),
    period=st.floats(0.1, 600),
    periods=st.integers(1, 10),
    size=SIZES,
    plies=st.integers(1, 600),
    prolonged=st.booleans(),
)
def test_no_period_of_byoyomi_is_lost(main, period, periods, size, plies, prolonged):
    _, clock = whole_game(Clock.wound(main, period, 1, periods), size, plies, prolonged)
    assert clock.periods == periods and clock.left == period


@settings(max_examples=300, deadline=None)
@given(
    main=st.floats(0, 5_000),
    stones=st.integers(2, 40),
    each=st.floats(0.05, 60),
    size=SIZES,
    plies=st.integers(1, 600),
    prolonged=st.booleans(),
)
def test_a_period_of_canadian_overtime_is_enough_for_its_stones(main, stones, each, size, plies, prolonged):
    _, clock = whole_game(Clock.wound(main, stones * each, stones, 1), size, plies, prolonged)
    assert clock.periods == 1 and 0 < clock.left <= clock.period and 0 < clock.to_play <= stones


@pytest.mark.parametrize("prolonged", [False, True])
@pytest.mark.parametrize(("size", "plies"), [(9, 70), (13, 150), (19, 280)])
def test_the_middle_of_the_game_gets_most(size, plies, prolonged):
    """Methods: time is weighted towards the middle of the game."""
    spent, clock = whole_game(Clock.wound(1_800.0), size, plies, prolonged)
    third = len(spent) // 3
    opening, middle, end = sum(spent[:third]), sum(spent[third : 2 * third]), sum(spent[2 * third :])
    longest = 2 * spent.index(max(spent))
    assert middle > end and max(spent) > 1.1 * spent[0] and max(spent) > 1.5 * spent[-1]
    assert 0.15 * plies < longest < 0.6 * plies
    assert clock.main > 0
    assert opening + middle > 0.6 * 1_800  # nothing is hoarded


@settings(max_examples=300, deadline=None)
@given(main=st.floats(0, 5_000), more=st.floats(0, 1_000), size=SIZES, ply=st.integers(0, 500))
def test_more_time_is_never_less_for_a_move(main, more, size, ply):
    for make in (Clock.wound, lambda main: Clock.wound(main, 30.0, 1, 3), lambda main: Clock.wound(main, 300.0, 25, 1)):
        poor, rich = make(main), make(main + more)
        assert seconds_for_move(poor, size, ply) <= seconds_for_move(rich, size, ply) + 1e-9
        assert seconds_for_move(poor, size, ply) >= LEAST
        total = [seconds_for_move(clock, size, ply) + seconds_more(clock, size, ply) for clock in (poor, rich)]
        assert total[0] <= total[1] + 1e-9
        assert 0 <= seconds_more(poor, size, ply) <= PROLONGED * seconds_for_move(poor, size, ply) + 1e-9


def test_a_move_by_the_formula():
    """On 9x9 the middle is at move 18: 360 seconds, less 0.81 for moves in a hurry, over 36 moves, and then over 18."""
    clock = Clock.wound(360.81)
    assert seconds_for_move(clock, 9, 0) == pytest.approx(10)
    assert seconds_for_move(clock, 9, 18) == seconds_for_move(clock, 9, 60) == pytest.approx(20)
    assert seconds_more(clock, 9, 0) == pytest.approx(5)
    assert seconds_for_move(Clock.wound(0.0, 30.0, 1, 3), 9, 10) == pytest.approx(29.5)
    assert seconds_for_move(Clock.wound(0.0, 300.5, 25, 1), 9, 10) == pytest.approx(12)
    assert seconds_more(Clock.wound(0.0, 30.0, 1, 3), 9, 10) == 0  # or the period would be lost
    assert seconds_for_move(Clock.wound(0.0), 9, 10) == LEAST and seconds_more(Clock.wound(0.0), 9, 10) == 0


def edge(visits: int, q: float, move: int = 44) -> EdgeStatistics:
    return EdgeStatistics(move, visits, q, q, 0.0, 0.0, 0.1, 0)


@dataclasses.dataclass
class Noted:
    """A search that only notes for how long it was asked to go on."""

    edges: list[EdgeStatistics]
    done: int = 50

    def __post_init__(self) -> None:
        self.runs: list[tuple[int, float]] = []

    def finish(self) -> None:
        pass

    def set_position(self, position: Position) -> None:
        pass

    def run(self, simulations: int, seconds: float) -> int:
        self.runs.append((simulations, seconds))
        return self.done

    def statistics(self) -> list[EdgeStatistics]:
        return self.edges


AGREED = [edge(60, 0.3), edge(40, 0.2)]
IN_TWO_MINDS = [edge(60, 0.1), edge(40, 0.2)]
HARDLY_TRIED = [edge(60, 0.1), edge(2, 0.9)]


def asked(edges: list[EdgeStatistics], clock: Clock | None, **budget: float) -> list[tuple[int, float]]:
    """Have a player decide; return its searches, with simulations and seconds of each."""
    search = Noted(edges)
    player = SearchPlayer("noted", (9,), lambda size: search, **budget)
    player.set_clock(BLACK, clock)
    player.set_clock(WHITE, Clock.wound(9.0))  # which is none of black's business
    player.decide(Position(9))
    return search.runs


def test_a_search_goes_on_if_the_most_visited_move_is_not_the_best():
    assert not in_two_minds(AGREED) and in_two_minds(IN_TWO_MINDS) and not in_two_minds(HARDLY_TRIED)
    clock = Clock.wound(360.81)
    assert len(asked(AGREED, clock, seconds=1.0)) == len(asked(HARDLY_TRIED, clock, seconds=1.0)) == 1
    first, second = asked(IN_TWO_MINDS, clock, seconds=1.0)
    assert first == (0, pytest.approx(10, abs=5)) and second == (0, pytest.approx(5))
    assert len(asked(IN_TWO_MINDS, Clock.wound(0.0, 30.0, 1, 3), seconds=1.0)) == 1  # no time for that
    assert asked(IN_TWO_MINDS, None, seconds=1.0) == [(0, pytest.approx(1, abs=0.9))]  # no clock, no more


def test_simulations_bound_a_search_with_a_clock_too():
    clock = Clock.wound(360.81)
    first, second = asked(IN_TWO_MINDS, clock, simulations=80)
    assert first[0] == 80 and second[0] == 30  # those that are left of the 80
    assert len(asked(IN_TWO_MINDS, clock, simulations=50)) == 1  # all were made
    assert asked(AGREED, None, simulations=80) == [(80, 0.0)]
