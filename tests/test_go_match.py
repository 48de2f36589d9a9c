"""The match loop: who wins, who loses and why, with players that do all that players should not do."""

import pytest
from gtp_players import Arbiter, Hurried, Scripted

from go.board import BLACK, WHITE
from go.clock import Clock
from go.coordinates import PASS
from go.errors import PlayerError
from go.match import COUNTED, ENDLESS, ERROR, ILLEGAL, JUDGED, OVERTIME, RESIGNED, Ending, play_game
from go.player import RESIGN, RandomPlayer
from go.position import Position

DEAD_IN_THE_CORNER = """
. O X . .
O O X . .
X X X . .
. . . . .
. . . . .
"""


def play(black, white, position=None, **options) -> tuple[Ending, Position]:
    position = position or Position(5, komi=0.5)
    return play_game({BLACK: black, WHITE: white}, position, **options), position


def test_two_passes_end_a_game_and_the_area_is_counted():
    ending, position = play(Scripted("C3"), Scripted("pass", "pass"))
    assert [move.point for move in position.history] == [position.point("C3"), PASS, PASS]
    assert ending == ("B+24.5", COUNTED, "All stones on the board were counted as alive.", None, None)


def test_a_game_goes_on_from_its_position():
    black, white = Scripted("A1"), Scripted("E5")
    position = Position(5).play("C3").play("D3")
    play(black, white, position)
    assert [len(seen.history) for seen in black.seen] == [2, 4] and [len(seen.history) for seen in white.seen] == [3, 5]
    assert white.seen[0].color_at("A1") == BLACK and position.history[3].point == position.point("E5")
    ended = Position(5, komi=0.5).play("pass").play("pass")
    assert play(Scripted("C3"), Scripted(), ended)[0].result == "W+0.5" and len(ended.history) == 2


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_who_resigns_cheats_or_fails_loses(color):
    class LateError(PlayerError):
        fault, is_late = "asleep", True

    name = {BLACK: "Black", WHITE: "White"}[color]
    winner = {BLACK: "W", WHITE: "B"}[color]
    slip = ValueError("slip")
    for move, expected in (
        (RESIGN, (f"{winner}+R", RESIGNED, f"{name} resigned.", None, None)),
        ("C3", (f"{winner}+F", ILLEGAL, f"{name} cannot play C3: a black stone is there.", color)),
        (17_000, (f"{winner}+F", ILLEGAL, f"{name} cannot play 17000: there is no such point on a 5x5 board.", color)),
        (slip, (f"{winner}+F", ERROR, f"{name} failed with ValueError: slip", color, slip)),
        (LateError("It sleeps."), (f"{winner}+T", "asleep", "It sleeps.", color)),
    ):
        position = Position(5).play("C3")
        position = position if color == WHITE else position.play("D3")
        ending, after = play(*[Scripted(move)] * 2, position)
        assert ending[: len(expected)] == expected and after.to_move == color and not after.is_over


def test_a_player_that_cannot_get_ready_loses_before_the_first_move():
    class Unready(Scripted):
        def get_ready(self, size):
            raise PlayerError(f"There are no weights for {size}x{size}.")

    ending, position = play(Scripted("C3"), Unready())
    assert ending[:4] == ("B+F", "error", "There are no weights for 5x5.", WHITE) and not position.history


def test_a_game_without_end_is_stopped():
    ending, position = play(RandomPlayer(1), RandomPlayer(2), move_limit=7)
    assert ending[:3] == ("Void", ENDLESS, "The game was stopped after 7 moves.") and len(position.history) == 7

    class Stubborn:
        """Plays on, also into its own eyes."""

        name = "stubborn"

        def decide(self, position):
            legal = position.legal_moves()
            return Scripted(int(legal[0]) if len(legal) else PASS).decide(position)

    ending, position = play(Stubborn(), Stubborn(), Position(2, superko=False))
    assert ending.how == ENDLESS and len(position.history) == 16


def test_players_cannot_change_the_game_that_they_are_shown():
    class Cheat(Scripted):
        def decide(self, position):
            if len(position.history) < 4:
                position.play("E5").play("D5")
            return super().decide(position)

    _, position = play(Cheat("C3"), Cheat("D3"))
    assert [move.point for move in position.history] == [position.point(m) for m in ("C3", "D3", "pass", "pass")]


def test_every_move_is_reported():
    told = []
    ending, position = play(
        Scripted("C3", RESIGN),
        Scripted("D3"),
        on_move=lambda after, decision, seconds: told.append((len(after.history), decision.move, seconds >= 0)),
    )
    assert ending.how == RESIGNED
    assert told == [(1, position.point("C3"), True), (2, position.point("D3"), True)]
    with pytest.raises(ZeroDivisionError):
        play(Scripted("C3"), Scripted(), on_move=lambda after, decision, seconds: 1 / 0)


def test_clocks_run_and_who_exceeds_them_loses(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("go.match.time.monotonic", lambda: now[0])

    class Slow(Hurried):
        def decide(self, position):
            now[0] += 3.0
            return super().decide(position)

    clocks = {BLACK: Clock.wound(5.0), WHITE: Clock.wound(0.0, period=3.5, stones=1, periods=1)}
    black, white = Slow("C3", "C4"), Slow("D3", "D4")
    ending, position = play(black, white, clocks=clocks)
    assert ending[:2] == ("W+T", OVERTIME) and ending.loser == BLACK and len(position.history) == 2
    assert ending.why == "Black took 3.00 seconds for a move, more than its clock had left."
    assert black.clocks == {BLACK: Clock.wound(2.0), WHITE: clocks[WHITE]}
    assert white.clocks == clocks  # byo-yomi that was kept
    ending, position = play(Slow("C3", "C4"), Slow("D3", "D4"), clocks=clocks, lose_on_time=False)
    assert ending.how == COUNTED and len(position.history) == 6
    ending, position = play(Slow("C3"), Slow("D3"), clocks={WHITE: Clock.wound(1.0)})  # only one clock
    assert ending.loser == WHITE and len(position.history) == 1


@pytest.mark.parametrize(
    ("clock", "longest"),
    [
        (Clock.wound(10.0), 10.0),
        (Clock.wound(10.0, 30.0, stones=5, periods=1), 40.0),
        (Clock.wound(10.0, 30.0, stones=1, periods=3), 100.0),
        (Clock(0.0, 30.0, 5, 1, left=4.0, to_play=2), 4.0),
        (Clock(0.0, 30.0, 1, 2, left=30.0, to_play=1), 60.0),
    ],
)
def test_the_longest_move_that_a_clock_allows(clock, longest):
    assert clock.allows(longest) and not clock.allows(longest + 0.01)


def judged(position, *judges, black=None, white=None):
    return play_game({BLACK: black or Scripted(), WHITE: white or Scripted()}, position, judges=judges)


def test_judges_count_without_dead_stones_if_they_agree():
    position = Position.from_text(DEAD_IN_THE_CORNER, komi=0.5)
    counted = judged(position.copy())
    assert counted.result == "B+16.5" and counted.how == COUNTED  # white's three stones and the corner are alive
    arbiter = Arbiter()
    assert judged(position.copy(), arbiter)[:3] == (
        "B+24.5",
        JUDGED,
        "Counted by the judges, without dead stones.",
    )
    merciful = Arbiter()
    merciful.dead = set()
    assert judged(position.copy(), merciful).result == "B+16.5"
    ending = judged(position.copy(), arbiter, merciful, white=merciful)
    assert ending[:2] == ("B+16.5", COUNTED)
    assert ending.why.endswith("because the scores were: scripted B+24.5 and white B+16.5.")
    ending = judged(position.copy(), arbiter, RandomPlayer())  # which cannot judge
    assert ending.how == COUNTED and ending.why.endswith("scripted B+24.5 and random none.")
