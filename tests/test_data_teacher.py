"""A corpus that engines play: fair colours, varied openings, engines that fail, kills and Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT
from sgfmill import sgf
from test_gtp_client import fake, wait_until_gone

from data.engine_game import opening_of
from data.fields import result_name
from data.openings import draw_opening, longest_opening
from data.record import Record, read_records
from data.replay import decode_move
from data.teacher import Settings, main
from go.board import BLACK, WHITE
from go.coordinates import PASS, point_from_gtp, rowcol_from_point
from go.position import Position
from go.settings import BoardSettings
from pipeline.errors import UserError
from pipeline.settings import validate

GNU_GO = "gnugo --mode gtp --level 0 --chinese-rules --positional-superko"


@pytest.fixture
def runs(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def settings(first: str, second: str = "", **others) -> Settings:
    board = BoardSettings(others.pop("size", 5), others.pop("komi", 0.5))
    return Settings(**{"run": "r", "board": board, "first": first, "second": second, "parallel": 2, **others})


def record_of(runs: Path, number: int) -> Record:
    (record,) = read_records((runs / "r" / "data.teacher" / f"{number:06}.sgf").read_bytes())
    return record


def points_of(record: Record) -> list[int]:
    return [decode_move(code)[1] for code in record.moves]


def result_of(record: Record) -> str:
    return result_name(record.winner, record.ending, record.margin)


def comment_of(runs: Path, number: int) -> str:
    path = runs / "r" / "data.teacher" / f"{number:06}.sgf"
    return sgf.Sgf_game.from_bytes(path.read_bytes()).get_root().get("C")


def metrics_of(runs: Path) -> dict:
    return json.loads((runs / "r" / "data.teacher" / "manifest.json").read_text())["metrics"]


def processes_in(log: Path) -> list[int]:
    return [int(line) for line in log.read_text().split()]


def test_openings_are_drawn_by_seed_off_the_first_line_and_legal():
    openings = [tuple(draw_opening(9, 6, 1, number)) for number in range(200)]
    assert openings == [tuple(draw_opening(9, 6, 1, number)) for number in range(200)]
    assert len(set(openings)) == 200 and openings[0] != tuple(draw_opening(9, 6, 2, 0))
    used = {point for opening in openings for point in opening}
    assert {line for point in used for line in rowcol_from_point(point, 9)} == set(range(1, 8))
    assert len(used) == 49  # every point inside
    for opening in openings:
        position = Position(9)
        for point in opening:
            position.play(point)
        assert PASS not in opening
    assert [longest_opening(size) for size in (2, 3, 4, 5, 9)] == [2, 4, 8, 4, 24]
    for size in (2, 3, 4, 5, 9):
        assert len(draw_opening(size, longest_opening(size), 1)) == longest_opening(size)


def test_colours_alternate_and_pairs_share_their_opening(runs, capsys):
    main(settings(fake("fine", "--score", "B+3"), fake("slow", "--score", "B+3.0"), games=6, opening=3))
    records = [record_of(runs, number) for number in range(1, 7)]
    black = ["Fake fine (first)", "Fake slow (second)"] * 3
    assert [record.names[0] for record in records] == black
    assert [record.names[1] for record in records] == [*black[1:], black[0]]
    openings = [points_of(record)[:3] for record in records]
    assert openings[0::2] == openings[1::2] and len(set(map(tuple, openings))) == 3
    for record, opening in zip(records, openings, strict=True):
        assert opening == draw_opening(5, 3, 1, openings.index(opening) // 2 + 1)
        assert [decode_move(code)[0] for code in record.moves[:5]] == [BLACK, WHITE] * 2 + [BLACK]
        assert points_of(record)[-2:] == [PASS, PASS] and record.flaw == ""
        assert (record.size, record.komi, result_of(record)) == (5, 0.5, "B+3")
    assert "Opening moves not chosen by the engines: 3\n" in comment_of(runs, 4)
    assert f"Black: {fake('slow', '--score', 'B+3.0')}\n" in comment_of(runs, 4)
    said = capsys.readouterr().out
    assert re.search(r"first +\| +Fake fine \(first\) +\| +3 of 3 +\| +0 of 3 +\|", said)
    assert re.search(r"second +\| +Fake slow \(second\) \| +3 of 3 \| +0 of 3 \|", said)
    assert metrics_of(runs)["endings"]["score of the engines"]["games"] == 6


def test_an_engine_against_itself_plays_no_opening_twice():
    openings = [tuple(opening_of(settings("x", opening=5, size=9), number)) for number in range(1, 41)]
    assert len(set(openings)) == 40


def test_the_moves_are_those_of_the_engines(runs):
    main(settings(fake("fine"), games=1, opening=0, parallel=1, score="area"))
    rows = [[f"{column}{row}" for column in "ABCDE"] for row in range(1, 6)]
    names = [name for row in rows for name in row]
    assert points_of(record_of(runs, 1))[:10] == [point_from_gtp(name, 5) for name in names[:10]]
    position = Position(5, komi=0.5)
    for point in points_of(record_of(runs, 1)):
        position.play(point)
    assert position.is_over and result_of(record_of(runs, 1)) == position.result()
    assert "Ended by: area count\n" in comment_of(runs, 1)


@pytest.mark.parametrize(
    ("mode", "letter", "how"),
    [
        ("occupied", "F", "illegal move"),
        ("nonsense", "F", "senseless answer"),
        ("crash", "F", "crash"),
        ("flood", "F", "senseless answer"),
        ("refuse", "F", "refusal"),
        ("hang", "T", "no answer in time"),
        ("resign", "R", "resignation"),
    ],
)
def test_who_misbehaves_loses_is_restarted_and_the_run_goes_on(runs, tmp_path, capsys, mode, letter, how):
    games, parallel, timeout = (2, 2, 4) if mode == "hang" else (4, 1, 60)
    bad = fake(mode, "--after", 2, "--log", tmp_path / "bad")
    good = fake("fine", "--log", tmp_path / "good")
    main(settings(bad, good, games=games, parallel=parallel, timeout=timeout))
    results = [result_of(record_of(runs, number)) for number in range(1, games + 1)]
    assert results == [f"W+{letter}", f"B+{letter}"] * (games // 2)
    assert all(6 <= len(record_of(runs, number).moves) <= 10 for number in range(1, games + 1))
    metrics = metrics_of(runs)
    assert metrics["endings"][how]["games"] == games
    assert metrics["forfeits"] == (0 if mode == "resign" else games)
    assert metrics["engines"]["second"]["black"] == {"played": games // 2, "won": games // 2}
    assert metrics["engines"]["first"]["black"] == {"played": games // 2, "won": 0}
    assert f"000001: {comment_of(runs, 1).splitlines()[-1]}" in capsys.readouterr().out
    assert len(processes_in(tmp_path / "bad")) == (1 if mode == "resign" else games)
    assert len(processes_in(tmp_path / "good")) == parallel
    wait_until_gone(processes_in(tmp_path / "bad") + processes_in(tmp_path / "good"))


def test_noise_and_odd_answers_are_no_reason_to_lose(runs):
    main(settings(fake("stderr"), fake("odd"), games=2, score="area"))
    for number in (1, 2):
        assert points_of(record_of(runs, number))[-2:] == [PASS, PASS]
    assert metrics_of(runs)["endings"] == {
        "area count": {"games": 2, "example": "000001: All stones on the board were counted as alive."}
    }


def test_an_engine_that_fails_at_counting_loses_nothing_but_its_say(runs, tmp_path):
    main(settings(fake("crash-at-score", "--log", tmp_path / "log"), fake("pass"), games=2, parallel=1))
    assert [result_of(record_of(runs, number)) for number in (1, 2)] == [
        Position(5, komi=0.5).play(a).play(b).play(c).play(d).result()
        for a, b, c, d in [points_of(record_of(runs, 1))[:4]] * 2
    ]
    assert metrics_of(runs)["endings"]["area count"]["example"].endswith("the scores were: black none and white none.")
    assert len(processes_in(tmp_path / "log")) == 2


@pytest.mark.parametrize(("superko", "result", "moves"), [(True, "W+F", 6), (False, "B+3.5", 9)])
def test_superko_is_kept_unless_it_is_turned_off(runs, superko, result, moves):
    """Black's fourth move takes three stones and repeats the position after the first one."""
    black, white = fake("pass", "--moves", "A1,A2,A1,A1"), fake("pass", "--moves", "B2,B1,A2")
    main(settings(black, white, size=2, games=1, opening=0, superko=superko))
    assert len(record_of(runs, 1).moves) == moves and result_of(record_of(runs, 1)) == result


def test_a_game_without_end_has_no_result(runs):
    main(settings(fake("fine"), games=1, move_limit=6))
    assert len(record_of(runs, 1).moves) == 6 and result_of(record_of(runs, 1)) == ""
    assert b"RE[Void]" in (runs / "r" / "data.teacher" / "000001.sgf").read_bytes()
    assert metrics_of(runs)["no result"] == 1


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("crash-at-start", "ended with exit code 1 at 'name', saying 'no weights found'."),
        ("crash", "ended with exit code 7 at 'genmove white', saying 'out of luck'."),
    ],
)
def test_an_engine_that_never_gets_going_stops_the_run_and_leaves_no_games(runs, tmp_path, mode, sentence):
    with pytest.raises(UserError, match=r"The second engine does not get to its first move: ") as stopped:
        main(settings(fake("fine"), fake(mode, "--log", tmp_path / "log"), games=40, opening=4, parallel=1))
    assert str(stopped.value).endswith(sentence)
    assert [path.name for path in (runs / "r" / "data.teacher").iterdir()] == ["settings.json"]
    main(settings(fake("pass"), games=1))  # other settings are welcome as long as there are no games
    assert metrics_of(runs)["games"] == 1
    wait_until_gone(processes_in(tmp_path / "log"))


def test_a_run_is_not_done_twice_and_never_mixed(runs, capsys):
    main(settings(fake("pass"), games=2))
    first = capsys.readouterr().out
    folder = runs / "r" / "data.teacher"
    files = ["000001.sgf", "000002.sgf", "manifest.json", "settings.json"]
    assert sorted(path.name for path in folder.iterdir()) == files
    main(settings(fake("pass"), games=2, timeout=5, parallel=1))
    again = capsys.readouterr().out
    assert again.startswith("Done earlier, by version ") and again.endswith(first)
    with pytest.raises(UserError, match="holds the results of other settings; name this run with run=NAME"):
        main(settings(fake("pass"), games=2, seed=2))
    kept = (folder / "000001.sgf").stat().st_mtime_ns
    main(settings(fake("pass"), games=3))
    assert metrics_of(runs)["games"] == 3 and (folder / "000001.sgf").stat().st_mtime_ns == kept
    (folder / "manifest.json").unlink()
    main(settings(fake("pass"), games=3))
    assert metrics_of(runs)["games"] == 3
    (folder / "manifest.json").unlink()
    for damage in (None, {"seed": 2}):
        (folder / "settings.json").unlink(missing_ok=True)
        if damage:
            (folder / "settings.json").write_text(json.dumps(damage))
        with pytest.raises(UserError, match="holds the games of other settings; name this run with run=NAME"):
            main(settings(fake("pass"), games=2))


def test_a_damaged_game_is_named(runs):
    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pipeline.stage.write_manifest", interrupted)
        main(settings(fake("pass"), games=2))
    path = runs / "r" / "data.teacher" / "000002.sgf"
    path.write_text("(;SZ[5];B[aa])")
    with pytest.raises(UserError, match=r"000002.sgf is not a game as we wrote it; remove it to have it played anew"):
        main(settings(fake("pass"), games=2))
    path.unlink()
    main(settings(fake("pass"), games=2))
    assert metrics_of(runs)["games"] == 2


def start(runs: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", "data.teacher", "board=5x5", "run=r", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(runs)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for_games(runs: Path, count: int, process: subprocess.Popen) -> dict[str, bytes]:
    folder = runs / "r" / "data.teacher"
    while len(list(folder.glob("*.sgf"))) < count and process.poll() is None:
        time.sleep(0.02)
    return {path.name: path.read_bytes() for path in folder.glob("*.sgf")}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_goes_on(tmp_path, how):
    log = tmp_path / "log"
    arguments = [f"first={fake('slow', '--log', log)}", f"second={fake('fine', '--log', log)}", "games=8"]
    process = start(tmp_path, *arguments, "parallel=2")
    before = wait_for_games(tmp_path, 3, process)
    os.kill(process.pid, how)
    _, said = process.communicate(timeout=60)
    folder = tmp_path / "r" / "data.teacher"
    assert 3 <= len(before) < 8 and not (folder / "manifest.json").exists()
    if how == signal.SIGINT:
        assert process.returncode == 130 and "prezero: stopped; run the same command again to go on." in said
        assert "Traceback" not in said
    wait_until_gone(processes_in(log))
    (folder / ".000008.sgf.1").write_text("what a kill may leave")
    process = start(tmp_path, *arguments)
    shown, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "8 games of " in shown
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert sorted(after) == [*(f"{number:06}.sgf" for number in range(1, 9)), "manifest.json", "settings.json"]
    assert before.items() <= after.items()
    for number in range(1, 9):
        moves = points_of(read_records(after[f"{number:06}.sgf"])[0])
        assert moves[:4] == draw_opening(5, 4, 1, (number + 1) // 2)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"games": 0}, "games=0 is not at least 1."),
        ({"seed": -1}, "seed=-1 is not between 0 and 2,147,483,648."),
        ({"opening": 5}, "opening=5 is not between 0 and 4, the longest on 5x5."),
        ({"score": "mine"}, "score=mine is none of agreed, first, second, area."),
        ({"move_limit": 4}, "move_limit=4 leaves no move after an opening of 4."),
        ({"timeout": 0}, "timeout=0 is not above 0 and at most 86,400."),
        ({"parallel": -1}, "parallel=-1 is not between 0 and 256."),
        ({"second": "'x"}, "The engine ''x' cannot be started: no closing quotation."),
    ],
)
def test_bad_settings_are_one_sentence(runs, values, sentence):
    with pytest.raises(UserError) as refused:
        given = settings(**{"first": fake("fine"), **values})
        validate(given)
        main(given)
    assert str(refused.value) == sentence and not runs.exists()


def test_a_missing_engine_is_one_sentence_with_exit_code_2(tmp_path):
    process = start(tmp_path, "first=no-such-engine -x")
    _, said = process.communicate(timeout=60)
    sentence = "The engine 'no-such-engine -x' cannot be started: there is no program no-such-engine."
    assert process.returncode == 2 and list(tmp_path.iterdir()) == []
    assert [line for line in said.splitlines() if not line.startswith("compiling ")] == [f"prezero: {sentence}"]


def test_how_to_install_gnu_go_is_said(runs, monkeypatch):
    monkeypatch.setattr("gtp.client.GAMES", "")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match=r"there is no program gnugo; GNU Go is installed with apt install gnugo"):
        main(Settings(run="r"))


def test_gnu_go_plays_a_corpus_that_is_the_same_again(gnugo, runs, tmp_path, monkeypatch):
    weak, strong = GNU_GO.replace("gnugo", gnugo), GNU_GO.replace("gnugo", gnugo).replace("level 0", "level 1")
    main(settings(weak, strong, games=6, size=7, komi=7.5))
    records = [record_of(runs, number) for number in range(1, 7)]
    for number, record in enumerate(records, 1):
        position = Position(7)
        for point in points_of(record):
            position.play(point)
        assert record.names[number % 2 == 0].endswith("(first)") and record.names[0].startswith("GNU Go ")
        assert record.komi == 7.5 and re.fullmatch(r"[BW]\+(\d+\.5|R)", result_of(record))
        assert position.is_over or result_of(record).endswith("R")
    assert metrics_of(runs)["forfeits"] == 0
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path / "again"))
    main(settings(weak, strong, games=6, size=7, komi=7.5, parallel=1))
    for number, record in enumerate(records, 1):
        assert points_of(record_of(tmp_path / "again", number)) == points_of(record)
