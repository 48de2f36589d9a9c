"""The GTP server: conversations, every command at its best and at its worst, games over a real pipe, and noise."""

import io
import random
import re
import shlex
import sys
import time

import pytest
from conftest import ROOT
from gtp_players import Arbiter, Hurried, Painter, Scripted
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf, sgf_moves

from go.board import BLACK, WHITE
from go.clock import Clock
from go.coordinates import PASS, gtp_from_point, point_from_gtp
from go.match import JUDGED, play_game
from go.player import RESIGN, RandomPlayer
from go.position import Position
from go.sgf import LARGEST
from gtp.client import Engine, EngineError
from gtp.engine_player import EnginePlayer
from gtp.server import serve

STANDARD = [
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    *("boardsize", "clear_board", "komi", "fixed_handicap", "place_free_handicap", "set_free_handicap"),
    *("play", "genmove", "undo", "time_settings", "time_left", "final_score", "final_status_list"),
    *("loadsgf", "reg_genmove", "showboard", "printsgf", "kgs-time_settings", "kgs-genmove_cleanup"),
    *("gogui-analyze_commands", "prezero-why"),
]
ANSWERS = re.compile(r"(?:[=?][0-9]* [^\n]*\n(?:[^\n]+\n)*\n)*")  # each ends with the first empty line
KO = ["b B3", "w C3", "b A2", "w D2", "b B1", "w C1", "b C2", "w B2"]  # white has just taken; black may not at once


def talk(player, *lines: str, **options) -> list[str]:
    """Send lines to a server; return its answers."""
    out = io.StringIO()
    options = {"size": 5, "log": io.StringIO(), **options}
    serve(player, io.StringIO("".join(f"{line}\n" for line in lines)), out, **options)
    assert ANSWERS.fullmatch(out.getvalue()), out.getvalue()
    return [answer.rstrip("\n") for answer in re.findall(r"[=?].*?\n\n", out.getvalue(), re.DOTALL)]


def plays(moves: list[str]) -> list[str]:
    return [f"play {move}" for move in moves]


def test_a_conversation():
    out = io.StringIO()
    lines = ["boardsize 7", "komi 6.5", "play black D4", "10 genmove white", "final_score", "showboard", "quit", "name"]
    serve(Scripted("E4"), io.StringIO("\n".join(lines)), out, log=io.StringIO())
    assert out.getvalue() == (
        "= \n\n= \n\n= \n\n=10 E4\n\n= W+6.5\n\n= \n"
        "   A B C D E F G\n"
        " 7 . . . . . . .  7\n"
        " 6 . . . . . . .  6\n"
        " 5 . . + . + . .  5\n"
        " 4 . . . X(O). .  4\n"
        " 3 . . + . + . .  3\n"
        " 2 . . . . . . .  2\n"
        " 1 . . . . . . .  1\n"
        "   A B C D E F G\n"
        "Move 2: white E4.\n"
        "Black to move. Komi 6.5. Stones lost: black 0, white 0.\n\n= \n\n"
    )


def test_what_the_server_says_of_itself():
    answers = talk(RandomPlayer(), "protocol_version", "name", "version", "list_commands", version="0.1")
    assert answers[:3] == ["= 2", "= Prezero random", "= 0.1"]
    assert answers[3].removeprefix("= ").split("\n") == STANDARD
    assert talk(RandomPlayer(), "name", name="Somebody") == ["= Somebody"]
    known = talk(
        RandomPlayer(), *(f"known_command {name}" for name in [*STANDARD, "lz-analyze", "prezero-squares", "x"])
    )
    assert known == ["= true"] * len(STANDARD) + ["= false"] * 3


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("name", "= Prezero scripted"),
        ("1 name", "=1 Prezero scripted"),
        ("0042 name # who are you?", "=0042 Prezero scripted"),
        ("  12\t name  \r", "=12 Prezero scripted"),
        ("\x07na\x00me\x7f", "= Prezero scripted"),
        ("play\tB\tc3", "= "),
        ("play WHITE C3", "= "),
        ("play Black pAsS", "= "),
        ("7 play w PASS", "=7 "),
        ("Name", "? unknown command"),
        ("3 no_such_command at all", "?3 unknown command"),
        ("3", "?3 unknown command"),
        ("12name", "? unknown command"),
        ("-1 name", "? unknown command"),
        ("name ünïcödé", "? syntax error"),
    ],
)
def test_lines_as_the_specification_wants_them_read(line, answer):
    assert talk(Scripted(), line) == [answer]


def test_lines_without_a_command_have_no_answer():
    assert talk(Scripted(), "", "   ", "\t", "# name", "\r", "\x01\x02", "  # 1 quit", "9 name") == [
        "=9 Prezero scripted"
    ]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("boardsize", "syntax error"),
        ("boardsize x", "syntax error"),
        ("boardsize -9", "syntax error"),
        ("boardsize 9 9", "syntax error"),
        ("boardsize ٩", "syntax error"),
        ("boardsize 20", "unacceptable size"),
        ("boardsize 1", "unacceptable size"),
        ("boardsize 999999999999999999999", "syntax error"),
        ("komi", "syntax error"),
        ("komi x", "syntax error"),
        ("komi nan", "syntax error"),
        ("komi inf", "syntax error"),
        ("komi 1e999", "syntax error"),
        ("komi 1_0", "syntax error"),
        ("play", "syntax error"),
        ("play b", "syntax error"),
        ("play C3", "syntax error"),
        ("play red C3", "syntax error"),
        ("play b F6", "syntax error"),
        ("play b I3", "syntax error"),
        ("play b A0", "syntax error"),
        ("play b C3 C4", "syntax error"),
        ("play b A1", "illegal move"),
        ("genmove", "syntax error"),
        ("genmove x", "syntax error"),
        ("reg_genmove x", "syntax error"),
        ("kgs-genmove_cleanup x", "syntax error"),
        ("fixed_handicap", "syntax error"),
        ("fixed_handicap 2", "invalid number of stones"),
        ("place_free_handicap 2", "invalid number of stones"),
        ("set_free_handicap", "bad vertex list"),
        ("set_free_handicap B2", "bad vertex list"),
        ("set_free_handicap B2 C3", "board not empty"),
        ("set_free_handicap B2 Z9", "syntax error"),
        ("time_settings 1 2", "syntax error"),
        ("time_settings 1 2 x", "syntax error"),
        ("time_settings -1 2 3", "syntax error"),
        ("time_left b 1", "syntax error"),
        ("time_left x 1 0", "syntax error"),
        ("kgs-time_settings", "syntax error"),
        ("kgs-time_settings hourglass 1", "syntax error"),
        ("kgs-time_settings absolute", "syntax error"),
        ("kgs-time_settings byoyomi 1 2", "syntax error"),
        ("kgs-time_settings none 1", "syntax error"),
        ("final_score now", "syntax error"),
        ("final_status_list", "syntax error"),
        ("final_status_list asleep", "syntax error"),
        ("loadsgf", "syntax error"),
        ("loadsgf no/such/file.sgf", "cannot load file"),
        ("printsgf no/such/folder/file.sgf", "cannot save file"),
        ("known_command", "syntax error"),
        ("lz-analyze", "unknown command"),
        ("kata-analyze", "unknown command"),
        ("prezero-squares stones", "unknown command"),
    ],
)
def test_failures_are_in_the_words_of_the_specification_and_change_nothing(line, answer):
    answers = talk(Scripted(), "komi 3", "play b A1", "showboard", f"5 {line}", "showboard", "undo", "undo")
    assert answers[3] == f"?5 {answer}"
    assert answers[4] == answers[2] and "X" in answers[4] and "Komi 3." in answers[4]
    assert answers[5:] == ["= ", "? cannot undo"]


def test_clear_board_keeps_size_and_komi_and_komi_counts():
    """A fault of earlier reproductions: komi stored and never used, and `clear_board` that resets the size."""
    player = Scripted()
    answers = talk(
        player,
        "komi -2.5",
        "boardsize 9",
        "play b C3",
        "clear_board",
        "genmove b",
        "final_score",
        "komi 4",
        "final_score",
    )
    assert answers == ["= ", "= ", "= ", "= ", "= pass", "= B+2.5", "= ", "= W+4"]
    (seen,) = player.seen
    assert (seen.size, seen.komi, len(seen.history), int(seen.colors.sum())) == (9, -2.5, 0, 0)
    assert talk(Scripted(), "komi 25", "play b C3", "final_score") == ["= ", "= ", "= 0"]


def test_the_player_always_sees_the_position_of_the_server():
    player = Scripted("B2", "C3", "D4", "E5")
    lines = ["play b A1", "genmove w", "undo", "genmove b", "clear_board", "genmove b", "boardsize 6", "genmove w"]
    assert talk(player, *lines)[-1] == "= E5"
    seen = [([(move.color, move.point) for move in view.history], view.size, view.to_move) for view in player.seen]
    a1 = (BLACK, point_from_gtp("A1", 5))
    assert seen == [([a1], 5, WHITE), ([a1], 5, BLACK), ([], 5, BLACK), ([], 6, WHITE)]


def test_a_move_may_be_asked_of_the_colour_whose_turn_it_is_not():
    player = Scripted("B2", "C2")
    answers = talk(player, "play b A1", "genmove b", "genmove b", "play b D2", "printsgf")
    assert answers[1:3] == ["= B2", "= C2"] and answers[4].endswith(";B[ae];B[bd];B[cd];B[dd])")
    assert all(view.to_move == BLACK for view in player.seen)
    assert [len(view.history) for view in player.seen] == [1, 2]  # no pass was made up in between


def test_what_a_player_does_to_its_position_stays_there():
    class Vandal(Scripted):
        def decide(self, position):
            position.play("A1").play("A2")
            return super().decide(position)

    assert talk(Vandal("B2", "C3"), "genmove b", "genmove w", "printsgf")[2].endswith(";B[bd];W[cc])")


def test_simple_ko_binds_everybody_and_superko_only_ourselves():
    player = Scripted("C2", "pass")
    answers = talk(
        player, *plays(KO), "play b C2", "play b pass", "play w pass", "genmove b", "undo", "undo", "genmove b"
    )
    assert answers[:8] == ["= "] * 8 and answers[8] == "? illegal move"
    assert answers[-4:] == ["? the player chose an illegal move", "= ", "= ", "= pass"]
    assert point_from_gtp("C2", 5) not in player.seen[0].legal_moves()  # the player could have known
    repeats = talk(
        Scripted(), *plays(KO), "play b pass", "play w pass", "play b C2", "play w pass", "play b pass", "play w B2"
    )
    assert repeats == ["= "] * 14


def test_resigning():
    log = io.StringIO()
    answers = talk(Scripted(RESIGN, "C3"), "play b A1", "genmove w", "printsgf", "genmove w", "printsgf", log=log)
    assert answers[1] == "= resign" and "RE[B+R]" in answers[2]
    assert answers[3] == "= C3" and "RE[" not in answers[4] and log.getvalue() == ""


@pytest.mark.parametrize(
    ("move", "answer", "logged"),
    [
        (RuntimeError("no luck\n\n= A1"), "? RuntimeError: no luck = A1", "Traceback"),
        (KeyError("x"), "? KeyError: 'x'", "Traceback"),
        (OSError(32, "Broken pipe"), "? BrokenPipeError: [Errno 32] Broken pipe", "Traceback"),
        ("A1", "? the player chose an illegal move", "White cannot play A1: a black stone is there."),
        (399, "? the player chose an illegal move", "there is no such point on a 5x5 board"),
        (None, "? TypeError: int() argument must be", "Traceback"),
    ],
)
def test_a_player_that_fails_does_not_end_the_server(move, answer, logged):
    log = io.StringIO()
    answers = talk(Scripted(move, "B2"), "play b A1", "genmove w", "genmove w", "printsgf", log=log)
    assert answers[1].startswith(answer) and answers[2] == "= B2" and answers[3].endswith(";B[ae];W[bd])")
    assert logged in log.getvalue()


def test_what_a_player_prints_goes_to_the_log():
    class Chatty(Scripted):
        def decide(self, position):
            print("= A1\n")
            return super().decide(position)

    log = io.StringIO()
    assert talk(Chatty("B2"), "genmove b", log=log) == ["= B2"] and log.getvalue() == "= A1\n\n"


def test_an_answer_has_no_empty_line_and_needs_no_unicode():
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    serve(Scripted(), io.StringIO("name\nquit\n"), out, name="Goban\n\n\t碁\x07", log=io.StringIO())
    assert raw.getvalue() == b"= Goban\n ?\n\n= \n\n"


def test_it_ends_when_nobody_listens():
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    out = Closed()
    serve(Scripted("B2"), io.StringIO("genmove b\nname\n"), out, log=io.StringIO())
    assert out.closed


def test_reg_genmove_leaves_the_board_as_it_was():
    answers = talk(Scripted("B2", RESIGN), "reg_genmove b", "reg_genmove w", "showboard", "undo")
    assert answers[:2] == ["= B2", "= resign"] and "X" not in answers[2] and answers[3] == "? cannot undo"


def test_the_reasons_of_the_last_decision_can_be_asked_for():
    answers = talk(RandomPlayer(), "prezero-why", "genmove b", "prezero-why", size=2)
    assert answers[0] == "= nothing has been decided yet"
    names = ["A2", "B2", "A1", "B1"]
    assert answers[2] == "= by lot among 4\n" + "\n".join(f"{name} 25.0% by lot among 4" for name in names)


def test_undo_goes_back_to_the_beginning_and_gives_captured_stones_back():
    moves = ["b A1", "w A2", "b E5", "w B1"]  # white takes A1
    answers = talk(Scripted(), *plays(moves), "showboard", "undo", "showboard", *["undo"] * 4, "showboard")
    assert "Stones lost: black 1" in answers[4] and "Stones lost: black 0" in answers[6]
    assert answers[7:11] == ["= ", "= ", "= ", "? cannot undo"]
    assert "X" not in answers[11] and "O" not in answers[11] and "Black to move" in answers[11]


def test_handicaps():
    answers = talk(Scripted(), "boardsize 9", "komi 0.5", "fixed_handicap 3", "showboard", "final_score", "undo")
    assert answers[2] == "= C3 G7 C7" and answers[3].count("X") == 3
    assert "White to move" in answers[3] and answers[4:] == ["= B+80.5", "? cannot undo"]
    assert talk(Scripted(), "fixed_handicap 9", size=19) == ["= D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"]
    assert talk(Scripted(), "fixed_handicap 10", size=19) == ["? invalid number of stones"]
    assert talk(Scripted(), "fixed_handicap 1", "place_free_handicap 1", size=19) == ["? invalid number of stones"] * 2
    assert talk(Scripted(), "place_free_handicap 2", size=9) == ["= C3 G7"]
    assert len(talk(Scripted(), "place_free_handicap 30", size=9)[0].split()) == 1 + 9  # fewer, as GTP allows
    assert talk(Scripted(), "place_free_handicap 81", size=9) == ["? invalid number of stones"]
    assert (
        talk(Scripted(), "play b A1", "fixed_handicap 2", "place_free_handicap 2", size=9)[1:]
        == ["? board not empty"] * 2
    )


def test_a_free_handicap_is_set_where_it_is_told():
    player = Scripted("C3")
    answers = talk(player, "set_free_handicap a1 E5", "genmove white", "printsgf", "set_free_handicap B2 B3")
    assert answers[:2] == ["= ", "= C3"] and answers[3] == "? board not empty"
    assert answers[2] == "= (;FF[4]AB[ae][ea]CA[UTF-8]GM[1]HA[2]KM[7.5]PL[W]SZ[5];W[cc])"
    assert player.seen[0].to_move == WHITE and (player.seen[0].colors == BLACK).sum() == 2
    for bad in ("A1 pass", "A1 A1"):
        assert talk(Scripted(), f"set_free_handicap {bad}") == ["? bad vertex list"]
    everywhere = " ".join(f"{column}{row}" for column in "ABCDE" for row in range(1, 6))
    assert talk(Scripted(), f"set_free_handicap {everywhere}") == ["? bad vertex list"]


def test_a_picky_player_names_its_sizes():
    class Picky(Scripted):
        def plays_on(self, size):
            return size == 5

    assert talk(Picky(), "boardsize 9", "boardsize 5") == ["? unacceptable size", "= "]


def test_printed_games_are_what_sgfmill_reads_and_come_back(tmp_path):
    position = Position(9, komi=6.5, superko=False)
    player = RandomPlayer(3)
    play_game({BLACK: player, WHITE: player}, position, move_limit=40)
    moves = [f"play {'bw'[color - 1]} {gtp_from_point(point, 9)}" for color, point in position.history]
    answers = talk(Scripted(), "boardsize 9", "komi 6.5", *moves, "play b pass", "showboard", "printsgf")
    record = answers[-1].removeprefix("= ")
    game = sgf.Sgf_game.from_string(record)
    board, played = sgf_moves.get_setup_and_moves(game)
    assert (game.get_size(), game.get_komi(), len(played), board.is_empty()) == (9, 6.5, 41, True)
    for colour, move in played[:-1]:
        board.play(*move, colour)
    assert played[-1] == ("b", None)
    stones = {(8 - row, column): "bw".index(colour) + 1 for colour, (row, column) in board.list_occupied_points()}
    assert stones == {place: position.colors[place] for place in zip(*position.colors.nonzero(), strict=True)}

    for name in ("game.sgf", "a game.sgf"):
        (tmp_path / name).write_text(record)
        loaded = talk(
            Scripted(), f"loadsgf {tmp_path / name}", "showboard", "printsgf", f"printsgf {tmp_path / 'out.sgf'}"
        )
        assert loaded == ["= ", answers[-2], answers[-1], "= "]
        assert (tmp_path / "out.sgf").read_text() == record + "\n"


def test_games_are_loaded_up_to_before_a_move(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[9]KM[0.5];B[ee];W[cc];B[];W[gg](;B[aa])(;B[bb]))")
    for number, moves in ((None, 5), (99, 5), (6, 5), (5, 4), (2, 1), (1, 0), (0, 0)):
        player = Scripted()
        line = f"loadsgf {path}" + ("" if number is None else f" {number}")
        assert talk(player, line, "genmove b") == ["= ", "= pass"]
        (view,) = player.seen
        assert (view.size, view.komi, len(view.history)) == (9, 0.5, moves)
    assert [move.point for move in talk_position(path).history][:3] == [
        point_from_gtp(v, 9) for v in ("E5", "C7", "pass")
    ]


def talk_position(path) -> Position:
    player = Scripted()
    talk(player, f"loadsgf {path}", "genmove b")
    return player.seen[0]


def test_set_up_stones_and_turns_of_loaded_games(tmp_path):
    path = tmp_path / "game.sgf"
    for record, turn, black, moves in (
        ("(;SZ[9]HA[2]AB[cc][gg])", "White", 2, 0),
        ("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "Black", 2, 1),
        ("(;SZ[9]AB[cc][gg]PL[B])", "Black", 2, 0),
        ("(;SZ[9]AB[cc]AW[gg])", "Black", 1, 0),
        ("(;SZ[9];B[aa];W[bb];AE[bb]AB[cc:dd];W[ee])", "Black", 5, 1),  # the game starts anew with a set-up
    ):
        path.write_text(record)
        answers = talk(Scripted(), "komi 3", f"loadsgf {path}", "showboard", *["undo"] * moves, "undo")
        assert f"{turn} to move" in answers[2] and answers[2].count("X") == black and "Komi 3." in answers[2]
        assert answers[3:] == ["= "] * moves + ["? cannot undo"]


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"no game",
        b"(;SZ[25];B[aa])",
        b"(;SZ[9]KM[x])",
        b"(;SZ[9];B[aa];W[aa])",
        b"(;SZ[9];B[zz])",
        b"\xff\xfe\x00",
        b"(;SZ[1])",
        b"(;SZ[9]C[" + b"x" * LARGEST + b"])",
    ],
)
def test_what_is_no_sound_game_is_not_loaded(tmp_path, record):
    (tmp_path / "game.sgf").write_bytes(record)
    answers = talk(
        Scripted(), "play b A1", "showboard", f"loadsgf {tmp_path / 'game.sgf'}", f"loadsgf {tmp_path}", "showboard"
    )
    assert answers[2:4] == ["? cannot load file"] * 2 and answers[4] == answers[1]


def test_time_reaches_a_player_that_minds_it():
    cases = [
        ("time_settings 600 30 5", Clock(600, 30, 5, 1, 30, 5)),
        ("time_settings 600 0 0", Clock(600)),
        ("time_settings 0 30 0", None),
        ("time_settings 0 0 0", None),
        ("kgs-time_settings none", None),
        ("kgs-time_settings absolute 300.5", Clock(300.5)),
        ("kgs-time_settings byoyomi 300 30 3", Clock(300, 30, 1, 3, 30, 1)),
        ("kgs-time_settings Canadian 300 60 10", Clock(300, 60, 10, 1, 60, 10)),
    ]
    for line, clock in cases:
        player = Hurried()
        assert talk(player, line) == ["= "] and player.clocks == {BLACK: clock, WHITE: clock}
    assert talk(Scripted(), *(line for line, _ in cases)) == ["= "] * len(cases)  # others are not bothered

    left = [
        ("time_settings 600 30 5", "time_left w 17 0", Clock(17, 30, 5, 1, 30, 5)),
        ("time_settings 600 30 5", "time_left white 17 2", Clock(0, 30, 5, 1, 17, 2)),
        ("kgs-time_settings byoyomi 300 30 3", "time_left w 12 2", Clock(0, 30, 1, 2, 12, 1)),
        ("kgs-time_settings none", "time_left w 12 0", Clock(12)),
        ("kgs-time_settings none", "time_left w 12 4", Clock(0, 12, 4, 1, 12, 4)),
    ]
    for setting, line, clock in left:
        player = Hurried()
        assert talk(player, setting, line) == ["= ", "= "] and player.clocks[WHITE] == clock != player.clocks[BLACK]


def test_the_server_keeps_the_clock_of_its_player():
    class Slow(Hurried):
        def decide(self, position):
            self.before = self.clocks[position.to_move]
            time.sleep(0.02)
            return super().decide(position)

    player = Slow()
    talk(player, "time_settings 60 0 0", "reg_genmove b", "genmove b")
    assert player.before.main == 60 and 50 < player.clocks[BLACK].main < 59.981 and player.clocks[WHITE].main == 60
    talk(player, "time_settings 60 0 0", "genmove b", "clear_board")
    assert player.clocks == {BLACK: Clock(60), WHITE: Clock(60)}


def test_clocks_go_down():
    assert Clock(10).after(4) == Clock(6) and Clock(10).after(40) == Clock(0)
    canadian = Clock.wound(10, 30, 2, 1)
    assert canadian.after(4) == Clock(6, 30, 2, 1, 30, 2)
    assert canadian.after(15) == Clock(0, 30, 2, 1, 25, 1)
    assert canadian.after(15).after(20) == Clock(0, 30, 2, 1, 30, 2)  # both stones played: a whole period again
    japanese = Clock.wound(10, 30, 1, 3)
    assert japanese.after(35) == Clock(0, 30, 1, 3, 30, 1)
    assert japanese.after(45) == Clock(0, 30, 1, 2, 30, 1)
    assert japanese.after(75) == Clock(0, 30, 1, 1, 30, 1) == japanese.after(1e9)


BOARD = ["b B1", "b B2", "b B3", "b B4", "b B5", "w C1", "w C2", "w C3", "w C4", "w C5", "w A3"]


def test_dead_stones_do_not_count():
    score = ["komi 0.5", *plays(BOARD), "final_score"]
    assert talk(Scripted(), *score)[-1] == "= W+11.5"  # 5 points against 16; the rest of column A is nobody's
    judge = Arbiter()
    judge.dead = {point_from_gtp("A3", 5), point_from_gtp("E5", 5), PASS}  # some are no stones at all
    assert talk(judge, *score)[-1] == "= W+5.5"
    assert talk(Arbiter(), *score)[-1] == "= B+24.5"
    answers = talk(judge, *plays(BOARD), *(f"final_status_list {status}" for status in ("dead", "Alive", "seki")))
    assert answers[-3:] == ["= A3", "= B5 B4 B3 B2 B1\nC5 C4 C3 C2 C1", "= "]
    answers = talk(Scripted(), *plays(BOARD), *(f"final_status_list {status}" for status in ("dead", "alive", "seki")))
    assert answers[-3:] == ["= ", "= B5 B4 B3 B2 B1\nC5 C4 C3 C2 C1\nA3", "= "]
    assert (
        "RE[W+5.5]" in talk(judge, *score, "printsgf")[-1] and "RE" not in talk(judge, *score, "undo", "printsgf")[-1]
    )


def test_cleaning_up_captures_dead_stones_and_then_passes():
    judge = Arbiter()
    judge.dead = {point_from_gtp("A3", 5)}
    moves = [talk(judge, *plays(BOARD), *["kgs-genmove_cleanup b"] * count)[-1] for count in (1, 2, 3)]
    assert {moves[0], moves[1]} == {"= A2", "= A4"} and moves[2] == "= pass"
    assert talk(Scripted(), *plays(BOARD), "kgs-genmove_cleanup b")[-1] == "= pass"  # who cannot judge may pass
    assert talk(judge, *plays(BOARD), "genmove b")[-1] == "= pass"
    assert talk(judge, *plays(BOARD), "kgs-genmove_cleanup w")[-1] == "= pass"  # the dead stones are white's own
    judge.moves = ["A1"]
    assert talk(judge, *plays(BOARD), "kgs-genmove_cleanup b")[-1] == "= A1"  # the player's own move, if it has one


def test_maps_for_gogui():
    lines = talk(Painter(), "gogui-analyze_commands")[0].removeprefix("= ").split("\n")
    assert "hstring/Why the last move/prezero-why" in lines
    assert "dboard/Stones, squares/prezero-squares stones" in lines
    assert "cboard/Turn of the board, colours/prezero-colors turn of the board" in lines
    assert not [line for line in talk(Scripted(), "gogui-analyze_commands")[0].split("\n") if "board/" in line]
    assert "plist/Dead stones/final_status_list dead" in talk(Arbiter(), "gogui-analyze_commands")[0]
    shown = [
        "prezero-squares stones",
        "prezero-colors stones",
        "prezero-numbers stones",
        "prezero-numbers turn of the board",
    ]
    answers = talk(Painter(), "play b A2", "play w B1", *shown, "prezero-squares no such map", size=2)
    assert answers[2:] == [
        "= 1.000 0.000\n0.000 -0.500",
        '= #ff0000 ""\n"" #8080ff',
        '= 1 ""\n"" -0.50',
        "= 200 200\n200 200",
        "? syntax error",
    ]


def server_command(player: str) -> str:
    return shlex.join([sys.executable, str(ROOT / "tests" / "gtp_players.py"), player])


def test_our_own_client_plays_a_whole_game_with_it(from_here):
    position = Position(7, komi=3.5)
    with Engine(server_command("random")) as black, Engine(server_command("random")) as white:
        assert black.title() == "Prezero random 1.2"
        players = {BLACK: EnginePlayer(black), WHITE: EnginePlayer(white)}
        ending = play_game(players, position, judges=list(players.values()))
        assert position.is_over and len(position.history) > 30
        assert ending.result == position.result() and ending.how == JUDGED
        with pytest.raises(EngineError, match="refused 'play black Z1': syntax error"):
            black.send("play black Z1")
    assert (black.process.returncode, white.process.returncode) == (0, 0)
    assert b"Error" not in black._stderr and b"Traceback" not in black._stderr


def test_gnu_go_has_the_same_stones_at_the_end_of_a_game_with_it(from_here, gnugo):
    command = f"{gnugo} --mode gtp --level 0 --chinese-rules --positional-superko"
    position = Position(7, komi=3.5)
    with Engine(server_command("random")) as ours, Engine(command) as theirs:
        ending = play_game({BLACK: EnginePlayer(ours), WHITE: EnginePlayer(theirs, seed=1)}, position)
        assert position.is_over and ending.loser is None
        stones = {color: theirs.send(f"list_stones {color}").split() for color in ("black", "white")}
        assert sorted(ours.send("final_status_list alive").split()) == sorted(stones["black"] + stones["white"])
        assert sum(position.captured.values()) > 0


def check_noise(lines: list[bytes]) -> None:
    """See that each command has one answer, whatever it is, and that the server lives to answer `quit`."""
    out = io.StringIO()
    stdin = io.BytesIO(b"".join(line + b"\n" for line in [*lines, b"77 quit"]))
    serve(RandomPlayer(), stdin, out, size=5, log=io.StringIO())
    control = bytes([*range(9), *range(11, 32), 127])
    texts = [line.translate(None, control).partition(b"#")[0].decode("utf-8", "replace") for line in lines]
    commands = [text for text in texts if text.strip()]
    assert ANSWERS.fullmatch(out.getvalue()), out.getvalue()
    answers = re.findall(r"[=?].*?\n\n", out.getvalue(), re.DOTALL)
    is_quit = [re.fullmatch(r"([0-9]+\s+)?quit(\s.*)?", text.strip(), re.DOTALL) is not None for text in commands]
    expected = is_quit.index(True) + 1 if any(is_quit) else len(commands) + 1
    assert len(answers) == expected
    assert any(is_quit) or answers[-1] == "=77 \n\n"


WORDS = [
    *STANDARD,
    "b",
    "w",
    "Black",
    "C3",
    "a1",
    "pass",
    "resign",
    "Z9",
    "0",
    "2",
    "5",
    "19",
    "-1",
    "1e9",
    "nan",
    "x",
    "#",
    "dead",
]
ARGUMENT = st.one_of(st.sampled_from(WORDS), st.text(st.characters(blacklist_characters="/\\"), max_size=4))
LINE = st.builds(
    lambda number, words: f"{number} {' '.join(words)}".encode("utf-8", "surrogatepass").replace(b"\n", b" "),
    st.sampled_from(["", "1", "007"]),
    st.lists(ARGUMENT, max_size=5),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(LINE, st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"").replace(b"/", b""))),
        max_size=20,
    )
)
def test_noise_never_ends_the_server(tmp_path_factory, lines):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.getbasetemp())  # printsgf may be among the noise
        check_noise(lines)


def test_long_noisy_sessions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    usual = [
        "play b",
        "play w",
        "genmove b",
        "genmove w",
        "undo",
        "final_score",
        "printsgf",
        "fixed_handicap",
        "boardsize",
    ]
    for _ in range(5):
        lines = []
        for _ in range(150):
            word = draw.choice([*usual, *(name for name in STANDARD if name != "quit")])
            rest = [draw.choice(WORDS) for _ in range(draw.randrange(3))]
            lines.append(" ".join([word, *rest]).encode())
        check_noise(lines)


def test_a_line_without_end_does_not_fill_the_memory(from_here):
    with Engine(server_command("random")) as engine:
        with pytest.raises(EngineError, match="syntax error"):
            engine.send("name " + "x" * 3_000_000)
        assert engine.send("name") == "Prezero random"
