"""Analysis that is streamed and interrupted, pondering, and Sabaki's own GTP library as the client."""

import io
import json
import os
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT
from gtp_players import Scripted, Thinker

from go.abilities import Finding, Findings
from go.board import BLACK, WHITE
from go.player import RESIGN
from go.position import Position
from gtp.analysis import Options, as_katago, as_leela_zero, read_options
from gtp.server import serve
from gtp.syntax import Failure

PATIENCE = 20  # seconds for what takes an instant on a machine that is not busy


class Conversation:
    """A server at the other end of two pipes, so that a test can wait between two lines."""

    def __init__(self, player: Scripted, **options) -> None:
        ours, self.to_server = os.pipe()
        from_server, theirs = os.pipe()
        self.answers, self.log = os.fdopen(from_server), io.StringIO()
        self.stdin, self.stdout = os.fdopen(ours), os.fdopen(theirs, "w")
        options = {"size": 5, "log": self.log, **options}
        self.thread = threading.Thread(
            target=serve, args=(player, self.stdin, self.stdout), kwargs=options, daemon=True
        )
        self.thread.start()

    def send(self, text: str) -> None:
        os.write(self.to_server, text.encode())

    def read(self, lines: int) -> list[str]:
        """Read lines, but wait for none of them without end."""
        timer = threading.Timer(PATIENCE, lambda: self.stdout.close())
        timer.start()
        try:
            return [self.answers.readline().rstrip("\n") for _ in range(lines)]
        finally:
            timer.cancel()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.to_server)  # the end of input ends the server
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        for pipe in (self.stdout, self.stdin, self.answers):
            pipe.close()


def test_analysis_goes_on_until_there_is_input_which_is_then_answered():
    player = Thinker()
    with Conversation(player) as server:
        server.send("play b B2\n1 lz-analyze w 2\n")
        assert server.read(3) == ["= ", "", "=1 "]
        for visits in (10, 20, 30):
            assert server.read(1) == [
                f"info move C3 visits {visits} winrate 5123 prior 2500 order 0 pv C3 A1 pass "
                "info move A1 visits 0 winrate 2500 prior 625 order 1 pv A1"
            ]
        assert player.log == ["begin"] and player.position.to_move == WHITE and len(player.position.history) == 1
        server.send("2 name\n")
        while (line := server.read(1)[0]).startswith("info "):  # what had been written before
            pass
        assert line == "" and server.read(2) == ["=2 Prezero scripted", ""]
        assert player.log == ["begin", "end"]


def test_an_empty_line_ends_an_analysis_and_has_no_answer():
    player = Thinker()
    with Conversation(player) as server:
        for _ in range(2):
            server.send("lz-analyze 2\n")
            assert server.read(2)[0] == "= "
            server.send("\n")
            while server.read(1) != [""]:
                pass
        server.send("name\n")
        assert server.read(2) == ["= Prezero scripted", ""]
    assert player.log == ["begin", "end", "begin", "end"]


def test_the_end_of_input_ends_an_analysis():
    player = Thinker()
    with Conversation(player) as server:
        server.send("kata-analyze 2")  # not even a newline
        os.close(server.to_server)
        assert server.read(2) == ["= ", ""]
        server.to_server = os.open(os.devnull, os.O_WRONLY)
    assert player.log == ["begin", "end"]


def test_an_analysis_without_hurry_begins_its_answer_at_once():
    with Conversation(Thinker()) as server:
        server.send("lz-analyze b 100000\n")
        assert server.read(1) == ["= "]
        server.send("stop\n")
        assert server.read(3) == ["", "= ", ""]


def test_kata_analyze_has_scores_and_ownership_for_the_side_to_move():
    for color, ownership in (("b", "ownership 1.000 "), ("w", "ownership -1.000 ")):
        with Conversation(Thinker()) as server:
            server.send(f"kata-analyze {color} interval 2 maxmoves 1 ownership true\n")
            _, line = server.read(2)
            server.send("\n")
        info = "info move C3 visits 10 winrate 0.512340 prior 0.250000 scoreMean 1.500 scoreLead 1.500 order 0 "
        assert line.startswith(info + "pv C3 A1 pass " + ownership)
        shares = [float(word) for word in line.split("ownership ")[1].split()]
        assert len(shares) == 25 and shares[20] == (-0.25 if color == "b" else 0.25)
        assert [abs(share) for share in shares if share] == [1, 0.25]


def test_options_of_analysis():
    position = Position(5).play("A1")

    def points(*names: str) -> frozenset[int]:
        return frozenset(map(position.point, names))

    assert read_options([], position) == Options(WHITE, 1.0)
    assert read_options(["B", "50"], position) == Options(BLACK, 0.5)
    assert read_options(["interval", "7", "minmoves", "3", "pvVisits", "true"], position) == Options(WHITE, 0.07)
    assert read_options(["0"], position).seconds == 0.02
    assert read_options(["ownership", "false", "maxmoves", "3"], position) == Options(WHITE, most_moves=3)
    avoid = ["white", "avoid", "w", "A1,B2", "5", "avoid", "b", "C3", "5", "allow", "w", "C3,pass", "1"]
    assert read_options(avoid, position) == Options(WHITE, avoided=points("A1", "B2"), allowed=points("C3", "pass"))
    for bad in (
        ["interval"],
        ["interval", "x"],
        ["avoid", "b", "A1"],
        ["avoid", "w", "Z9", "1"],
        ["allow", "x", "A1", "1"],
    ):
        with pytest.raises(Failure, match="syntax error"):
            read_options(bad, position)


def test_only_moves_that_are_wanted_are_told():
    names = {name: Position(5).point(name) for name in ("A1", "B2", "C3")}
    found = Findings([Finding(point, 1, 0.5) for point in names.values()])
    for options, told in (
        (Options(BLACK), ["A1", "B2", "C3"]),
        (Options(BLACK, most_moves=2), ["A1", "B2"]),
        (Options(BLACK, avoided=frozenset({names["A1"]})), ["B2", "C3"]),
        (Options(BLACK, allowed=frozenset({names["C3"]})), ["C3"]),
        (Options(BLACK, allowed=frozenset()), []),
    ):
        for form in (as_leela_zero, as_katago):
            words = form(found, 5, options).split()
            assert [words[i + 1] for i, word in enumerate(words) if word == "move"] == told
    assert "score" not in as_katago(found, 5, Options(BLACK, ownership=True))
    assert "ownership" not in as_katago(found, 5, Options(BLACK, ownership=True))


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze"])
def test_a_move_with_analysis(command):
    player = Thinker("B2", RESIGN)
    with Conversation(player, ponder=False) as server:
        server.send(f"3 {command} w 2\nprintsgf\n")  # input does not end it
        lines = server.read(6)
        assert lines[0] == "=3 " and [line[:20] for line in lines[1:3]] == ["info move C3 visits "] * 2
        assert ("0.512340" in lines[1]) == command.startswith("kata")
        assert lines[3:5] == ["play B2", ""] and lines[5].endswith(";W[bd])")
        server.read(1)
        server.send(f"{command} b 2\n")
        assert "play resign" in server.read(4)


def test_failures_of_an_analysis():
    class Failing(Thinker):
        def findings(self, ownership=False):
            raise RuntimeError("out of thoughts")

        def decide(self, position):
            raise RuntimeError("undecided")

    player = Failing()
    with Conversation(player) as server:
        server.send("lz-analyze b x\n")
        assert server.read(2) == ["? syntax error", ""] and player.log == []
        server.send("4 lz-analyze 2\n")
        assert server.read(2) == ["=4 ", ""]  # it had begun, so it can only end
        server.send("5 lz-genmove_analyze b 2\n")
        assert server.read(2) == ["?5 RuntimeError: undecided", ""]
        server.send("name\n")
        assert server.read(2) == ["= Prezero scripted", ""]
    assert player.log == ["begin", "end"] and "out of thoughts" in server.log.getvalue()


def test_pondering_lasts_from_the_own_move_to_the_next_of_the_opponent():
    player = Thinker("B2", "C3", "pass")
    player.twice.wait = lambda seconds: True  # decide at once
    with Conversation(player) as server:
        for line in ("play b A1", "genmove w", "time_left b 10 0", "play b A2", "name", "genmove w", "undo", "name"):
            server.send(f"{line}\n")
            server.read(2)
            time.sleep(0.02)
    assert player.log == [("ponder", BLACK, 2), "stop", ("ponder", BLACK, 2), "stop", ("ponder", BLACK, 4), "stop"]


def test_no_pondering_if_it_is_not_wanted_or_makes_no_sense_or_fails():
    for lines, options in (
        (["genmove b"], {"ponder": False}),
        (["reg_genmove b"], {}),
        (["play b pass", "genmove w"], {}),  # the game is over
    ):
        player = Thinker()
        player.twice.wait = lambda seconds: True
        out = io.StringIO()
        serve(player, io.StringIO("\n".join(lines)), out, size=5, log=io.StringIO(), **options)
        assert "pass" in out.getvalue() and player.log == []

    class Failing(Thinker):
        def ponder(self, position):
            raise RuntimeError("cannot ponder")

    player, out, log = Failing("B2", "C3"), io.StringIO(), io.StringIO()
    player.twice.wait = lambda seconds: True
    serve(player, io.StringIO("genmove b\nname\ngenmove w\n"), out, size=5, log=log)
    assert out.getvalue() == "= B2\n\n= Prezero scripted\n\n= C3\n\n" and log.getvalue().count("cannot ponder") == 2


def test_quitting_ends_the_process_though_its_input_stays_open(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, str(ROOT / "tests" / "gtp_players.py"), "thinker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        process.stdin.write("kata-analyze 2\n")
        process.stdin.flush()
        assert process.stdout.readline() == "= \n" and process.stdout.readline().startswith("info move C3")
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read().endswith("\n= \n\n")
        assert "Error" not in process.stderr.read()


def test_sabaki_is_understood(sabaki):
    tests = ROOT / "tests"
    command = ["node", tests / "sabaki_session.js", sys.executable, tests / "gtp_players.py", "thinker"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=sabaki)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["title"] == ["Prezero scripted", "1.2", "2"] and told["undo"] is True
    assert told["first"].endswith("AB[cg][gc]CA[UTF-8]GM[1]HA[2]KM[0.5]PL[W]SZ[9];W[ee];B[ce];W[gg])")
    assert told["second"].endswith("KM[3]PL[W]SZ[9];W[ee];B[ce];W[cc])")
    assert told["refused"]["error"] is True and told["refused"]["content"] == "illegal move"
    assert len(told["analysis"]) >= 3 and told["analysisIsWhole"] and told["abort"] == "2"
    assert all(len(line.split("ownership ")[1].split()) == 81 for line in told["analysis"])
    assert told["genmove"][0] == "= " and told["genmove"][1].startswith("info move C3 visits 10 winrate 5123 ")
    assert told["genmove"][-2:] == ["play pass", ""]
    assert told["history"] == ["C3 G7", "W E5", "B C5", "W C7", "B PASS"]
    assert told["third"].endswith(";W[cc];B[])")
