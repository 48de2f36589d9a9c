"""A GTP engine as a player: what it is told, and that its board is always the game's."""

import pytest
from test_gtp_client import fake
from test_gtp_server import server_command

from go.board import BLACK, WHITE
from go.clock import Clock
from go.match import play_game
from go.player import RESIGN, RandomPlayer
from go.position import Position
from gtp.client import Engine, EngineError, Fault
from gtp.engine_player import EnginePlayer
from gtp.time_commands import read_kgs_time_settings, read_time_left, read_time_settings, write_time_left
from gtp.time_commands import write_time_settings as written

SETUP = """
. O X . .
O O X . .
X X X . .
. . . . O
. . . O .
"""


class Told(Engine):
    """Notes its commands."""

    def __init__(self, command: str) -> None:
        super().__init__(command)
        self.told: list[str] = []

    def send(self, command: str, timeout: float | None = None) -> str:
        self.told.append(command)
        return super().send(command, timeout)

    def news(self) -> list[str]:
        told, self.told = self.told, []
        return told


def test_an_engine_is_told_only_what_is_new_and_everything_if_the_game_is_another():
    with Told(fake("fine")) as engine:
        player, position = EnginePlayer(engine, name="fake"), Position(5, komi=6.5).play("E5")
        engine.news()
        decision = player.decide(position)
        assert engine.news() == ["boardsize 5", "clear_board", "komi 6.5", "play black E5", "genmove white"]
        assert decision.move == position.point("A1") and decision.why == "the choice of fake"
        position.play("A1").play("D5")
        assert player.decide(position).move == position.point("B1")
        assert engine.news() == ["play black D5", "genmove white"]
        position.play("C1")  # not what it chose
        player.decide(position)
        assert engine.news()[:3] == ["boardsize 5", "clear_board", "komi 6.5"]
        position.play("pass")
        player.bring_to(position.copy())
        player.bring_to(position.copy())
        engine.news()
        player.bring_to(position.copy().undo())
        assert "clear_board" in engine.news()
        position.komi = 0.5
        player.bring_to(position)
        assert "komi 0.5" in engine.news()


def test_seeds_and_set_up_stones_are_told(from_here, gnugo):
    with Told(f"{gnugo} --mode gtp") as engine:
        player = EnginePlayer(engine, seed=7)
        player.bring_to(Position.from_text(SETUP, to_move=WHITE).play("A1"))
        assert "set_random_seed 7" in engine.news()
        assert sorted(engine.send("list_stones black").split()) == ["A3", "B3", "C3", "C4", "C5"]
        assert sorted(engine.send("list_stones white").split()) == ["A1", "A4", "B4", "B5", "D1", "E2"]


def test_the_engine_has_the_same_board_after_every_move(from_here):
    with Engine(server_command("random")) as engine:
        player = EnginePlayer(engine)
        position = Position.from_text(SETUP, komi=3.5)

        def compare(after, decision, seconds):
            if after.to_move == WHITE:  # the engine has just moved
                board = engine.send("showboard").split("\n")
                assert board[1:6] == str(after).split("\n")[1:6]

        play_game({BLACK: player, WHITE: RandomPlayer(5)}, position, on_move=compare)
        assert position.is_over and len(position.history) > 15
        assert player.final_score(position) == position.result()


def test_engines_that_fail_raise_what_loses_the_game():
    with Engine(fake("crash")) as engine:
        player = EnginePlayer(engine)
        with pytest.raises(EngineError) as failed:
            player.decide(Position(5))
        assert failed.value.fault == Fault.CRASH and not failed.value.is_late and player.known is None
    with Engine(fake("resign")) as engine:
        assert EnginePlayer(engine).decide(Position(5)).move == RESIGN


def test_an_engine_is_told_its_time():
    with Told(fake("fine")) as engine:
        player = EnginePlayer(engine)
        for color in (BLACK, WHITE):
            player.set_clock(color, Clock.wound(60.0, 10.0, 5, 1))
        engine.news()
        player.decide(Position(5))
        told = engine.news()
        assert told[3] == "time_settings 60 10 5" and told[-2:] == ["time_left black 60.00 0", "genmove black"]
        player.set_clock(BLACK, None)
        player.set_clock(WHITE, None)
        player.decide(Position(5).play("C3"))
        assert "time_settings 0 1 0" in engine.news()
        player.decide(Position(5))
        assert not [command for command in engine.news() if "time" in command]


@pytest.mark.parametrize(
    "clock",
    [
        Clock.wound(60.0),
        Clock.wound(60.0, 10.0, 5, 1),
        Clock.wound(60.0, 10.0, 1, 3),
        Clock(0.0, 10.0, 5, 1, left=7.25, to_play=3),
        Clock(0.0, 10.0, 1, 3, left=7.25, to_play=1),
    ],
)
def test_clocks_that_are_written_read_back_the_same(clock):
    start = Clock.wound(60.0, clock.period, clock.stones, clock.periods)
    command, *arguments = written(start).split()
    settings = (read_kgs_time_settings if command.startswith("kgs") else read_time_settings)(arguments)
    assert settings == start
    assert read_time_left(write_time_left(WHITE, clock).split()[2:], settings) == clock
    assert read_time_settings(written(None).split()[1:]) is None
