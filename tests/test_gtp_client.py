"""The GTP client: answers as engines really write them, and engines that crash, hang, flood and lie."""

import os
import shlex
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT

from go.board import BLACK, WHITE
from go.coordinates import PASS, point_from_gtp
from go.match import COUNTED, ENDLESS, ILLEGAL, JUDGED, RESIGNED, Ending, play_game
from go.position import Position
from gtp.client import MOST_OUTPUT, MOST_STDERR, RESIGN, Engine, EngineError, Fault
from gtp.engine_player import EnginePlayer

SOON = 0.3  # seconds to wait for an answer that never comes


def fake(*arguments: object) -> str:
    return shlex.join([sys.executable, "-S", str(ROOT / "tests" / "fake_engine.py"), *map(str, arguments)])


def is_running(pid: int) -> bool:
    """Tell if a process is there; zombies count if they are ours to wait for."""
    try:
        os.kill(pid, 0)
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z" or int(parent) == os.getpid()


def wait_until_gone(pids: list[int]) -> None:
    """See processes end that have been killed, which may take a moment."""
    deadline = time.monotonic() + 20
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in pids if is_running(pid)] == []


@pytest.mark.parametrize("mode", ["fine", "odd", "no-ids", "slow", "stderr"])
def test_moves_go_to_and_fro(mode):
    with Engine(fake(mode)) as engine:
        assert engine.title().lower() == "fake " + mode
        engine.boardsize(9)
        engine.clear_board()
        engine.komi(7.5)
        engine.play(BLACK, point_from_gtp("A1", 9))
        engine.play(BLACK, PASS)
        assert engine.genmove(WHITE) == point_from_gtp("B1", 9)
        assert engine.genmove(WHITE) == point_from_gtp("C1", 9)
        assert engine.is_well
    assert engine.process.returncode == 0 and not engine.is_well


def test_passes_resignations_and_answers_of_several_lines():
    with Engine(fake("pass")) as engine:
        assert engine.genmove(BLACK) == PASS
        assert engine.send("lines") == "one\n  two # not a comment\nthree"
    with Engine(fake("resign", "--after", 1)) as engine:
        assert [engine.genmove(BLACK), engine.genmove(BLACK)] == [point_from_gtp("A1", 19), RESIGN]


def test_a_refusal_is_an_error_after_which_the_engine_goes_on():
    with Engine(fake("fine")) as engine:
        with pytest.raises(EngineError, match="refused 'version': illegal or unknown") as refused:
            engine.send("version")
        assert refused.value.fault == Fault.REFUSAL
        assert not engine.knows("set_random_seed")
        assert engine.send("name") == "Fake fine" and engine.is_well


@pytest.mark.parametrize(
    ("mode", "fault", "sentence"),
    [
        ("hang", Fault.HANG, f"did not answer 'genmove black' within {SOON:g} seconds."),
        ("half", Fault.HANG, f"did not answer 'genmove black' within {SOON:g} seconds, but wrote '= D'."),
        ("flood", Fault.ANSWER, f"answered 'genmove black' with more than {MOST_OUTPUT:,} bytes."),
        ("flood-lines", Fault.ANSWER, f"answered 'genmove black' with more than {MOST_OUTPUT:,} bytes."),
        ("crash", Fault.CRASH, "ended with exit code 7 at 'genmove black', saying 'out of luck'."),
        ("nonsense", Fault.ANSWER, "answered genmove with 'banana', which is no move on 19x19."),
        ("off-board", Fault.ANSWER, "answered genmove with 'Z99', which is no move on 19x19."),
    ],
)
def test_a_failure_is_one_sentence_and_leaves_no_process(mode, fault, sentence):
    engine = Engine(fake(mode))
    engine.send("name")
    engine.timeout = SOON if fault == Fault.HANG else 60
    with pytest.raises(EngineError) as failed:
        engine.genmove(BLACK)
    assert failed.value.fault == fault and not engine.is_well
    assert str(failed.value).startswith("The engine '") and str(failed.value).endswith(f"' {sentence}")
    engine.close()
    engine.close()
    assert not is_running(engine.process.pid)


def test_an_engine_that_writes_no_answer_at_all_is_quoted():
    with Engine("sh -c 'echo error: no model; sleep 1000'") as engine, pytest.raises(EngineError) as failed:
        engine.send("name", SOON)
    assert str(failed.value).endswith("did not answer 'name' within 0.3 seconds, but wrote 'error: no model'.")


def test_an_engine_that_does_not_read_cannot_block_us():
    with Engine(fake("deaf")) as engine, pytest.raises(EngineError, match="does not read its commands") as failed:
        engine.send("name " + "x" * 1_000_000, SOON)
    assert failed.value.fault == Fault.HANG and not is_running(engine.process.pid)


def test_what_is_kept_of_stderr_is_bounded():
    with Engine(fake("stderr")) as engine:
        for _ in range(3):
            engine.genmove(BLACK)
        assert 0 < len(engine._stderr) <= MOST_STDERR


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("/no/such/engine --x", "cannot be started: there is no program /no/such/engine."),
        ("", "cannot be started: the command line is empty."),
        ("'engine", "cannot be started: no closing quotation."),
        (str(ROOT / "README.md"), f"cannot be started: there is no program {ROOT / 'README.md'}."),
    ],
)
def test_an_engine_that_cannot_be_started(command, sentence):
    with pytest.raises(EngineError) as failed:
        Engine(command)
    assert failed.value.fault == Fault.START and str(failed.value).endswith(sentence)


def test_a_program_in_a_format_that_cannot_be_run(tmp_path):
    program = tmp_path / "engine"
    program.write_text("no program\n")
    program.chmod(0o755)
    with pytest.raises(EngineError, match="cannot be started: Exec format error"):
        Engine(str(program))


def test_an_engine_that_ends_at_once_says_why():
    with Engine(fake("crash-at-start")) as engine, pytest.raises(EngineError) as failed:
        engine.send("name")
    assert str(failed.value).endswith("ended with exit code 1 at 'name', saying 'no weights found'.")


@pytest.mark.parametrize("mode", ["child", "stubborn"])
def test_closing_ends_what_an_engine_started(tmp_path, mode):
    """One engine quits but leaves a child behind, the other does not quit."""
    with Engine(fake(mode, "--log", tmp_path / "log")) as engine:
        engine.send("name")
        pids = [int(line) for line in (tmp_path / "log").read_text().split()]
        assert len(pids) == 2 and all(map(is_running, pids))
    assert engine.process.returncode == (0 if mode == "child" else -9)
    wait_until_gone(pids)


def test_what_is_not_one_command_is_not_sent():
    with Engine(fake("fine")) as engine:
        for command in ("", "name\nquit", "name # comment"):
            with pytest.raises(ValueError, match="is not one GTP command"):
                engine.send(command)
        assert engine.send("name") == "Fake fine"


def game(
    black: str, white: str, size: int = 5, seed: int | None = None, judges: tuple[int, ...] = (BLACK, WHITE), **options
) -> tuple[Position, Ending]:
    position = Position(size, komi=0.5)
    with Engine(black) as first, Engine(white) as second:
        players = {BLACK: EnginePlayer(first, seed), WHITE: EnginePlayer(second, seed)}
        return position, play_game(players, position, judges=[players[color] for color in judges], **options)


@pytest.mark.parametrize(
    ("mode", "result", "how", "why"),
    [
        ("occupied", "W+F", ILLEGAL, "Black cannot play D1: a white stone is there."),
        ("resign", "W+R", RESIGNED, "Black resigned."),
        ("crash", "W+F", Fault.CRASH, "saying 'out of luck'."),
        ("nonsense", "W+F", Fault.ANSWER, "'banana', which is no move on 5x5."),
        ("refuse", "W+F", Fault.REFUSAL, "refused 'play white B1': illegal or unknown."),
    ],
)
def test_who_misbehaves_loses(mode, result, how, why):
    position, ending = game(fake(mode, "--after", 2), fake("fine"))
    assert (ending.result, ending.how) == (result, how) and ending.why.endswith(why)
    assert ending.loser == (None if mode == "resign" else BLACK)
    names = ["A1", "B1", "C1", "D1"][: 2 if mode == "refuse" else 4]
    assert [move.point for move in position.history] == [point_from_gtp(name, 5) for name in names]


def test_the_engines_count_if_they_agree_and_else_we_do():
    for scores, result, how in (
        (("B+3.0", "b+3"), "B+3", JUDGED),
        (("0", "W+0"), "0", JUDGED),
        (("B+3", "B+4"), "W+0.5", COUNTED),
        (("B+3", "B+R"), "W+0.5", COUNTED),
        (("B+999", "B+999"), "W+0.5", COUNTED),
        (("B+3", ""), "W+0.5", COUNTED),
    ):
        black, white = (fake("pass", *(("--score", score) if score else ())) for score in scores)
        _, ending = game(black, white)
        assert (ending.result, ending.how) == (result, how)
    assert ending.why == "All stones were counted as alive, because the scores were: black B+3 and white none."
    assert game(fake("pass", "--score", "B+3"), fake("pass"), judges=[BLACK])[1].result == "B+3"
    assert game(fake("pass", "--score", "B+3"), fake("pass"), judges=[])[1].result == "W+0.5"


def test_a_game_without_end_is_stopped():
    position, ending = game(fake("fine"), fake("fine"), move_limit=7)
    assert ending == Ending("Void", ENDLESS, "The game was stopped after 7 moves.") and len(position.history) == 7


def test_gnu_go_plays_by_our_rules(gnugo):
    command = f"{gnugo} --mode gtp --level 0 --chinese-rules --positional-superko"
    position, ending = game(command, command, size=7, seed=5)
    assert position.is_over and ending.how in (JUDGED, RESIGNED)
    assert ending.result[:2] in ("B+", "W+")
    again, same = game(command, command, size=7, seed=5)
    assert again.history == position.history and same == ending


def test_gnu_go_is_found_where_debian_puts_it(gnugo, monkeypatch):
    if not gnugo.startswith("/usr/games/"):
        pytest.skip("GNU Go is installed elsewhere")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with Engine("gnugo --mode gtp") as engine:
        assert engine.title().startswith("GNU Go ")
    assert not is_running(engine.process.pid)
