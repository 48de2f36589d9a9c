"""The lineage as its user sees it: a live table in a terminal, times over several attempts, and what fails."""

import os
import pty
import re
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from pipeline import lineage
from pipeline.artefact import read_json, stage_folder, write_manifest
from pipeline.catalogue import COMMANDS
from pipeline.lineage import Clock, read_times
from pipeline.stage_table import DONE, RUNNING, StageTable

TWO_STAGES = (
    "import sys, pipeline.lineage as lineage\n"
    "lineage.COMMANDS = {name: lineage.COMMANDS[name] for name in ('go.random_play', 'features48.census')}\n"
    "from pipeline.__main__ import main\nmain()\n"
)


def test_a_table_of_stages_stands_in_line():
    table = StageTable(["a.stage", "another.stage", "c"])
    row = table.row("a.stage")
    row.state, row.seconds, row.text = DONE, 75.2, "found 3"
    row = table.row("another.stage")
    row.state, row.seconds = RUNNING, 4.0
    assert table.lines() == [
        "stage                      time  result",
        "a.stage        done     0:01:15  found 3",
        "another.stage  running      4 s",
        "c",
    ]


def test_the_table_is_drawn_over_itself_and_cut_to_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("LINES", "24")
    table = StageTable(["a", "b"])
    table.row("a").text = "x" * 100
    table.draw()
    table.row("b").state = RUNNING
    table.draw()
    first, second = capsys.readouterr().out.split("\x1b[3A\r")
    assert first.count("\n") == second.count("\n") == 3
    assert max(len(line.replace("\x1b[K", "")) for line in second.splitlines()) == 29 and re.search(
        r"b +running", second
    )


def test_times_add_up_over_attempts_and_outlast_a_finished_stage(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    clock = Clock("r", "stage")
    clock.note(at_once=True)
    assert read_times("r") == {}  # a stage that was refused leaves nothing
    folder = stage_folder("r", "stage")
    now[0] += 20
    clock.note()
    assert read_times("r") == {"stage": 20.0}
    now[0] += 5
    clock.note()  # too soon to be noted, and then it is killed
    again = Clock("r", "stage")
    now[0] += 40
    assert again.seconds == 60
    again.note(at_once=True)
    write_manifest(folder, "stage", {}, {}, [], "found")
    done = Clock("r", "stage")
    now[0] += 3
    done.note(at_once=True)
    assert done.seconds == 60 and read_times("r") == {"stage": 60.0}
    write_manifest(folder, "stage", {}, {"games": 2}, [], "more")  # a ladder, to which games were added
    done.note(at_once=True)
    assert done.seconds == 63 and read_times("r") == {"stage": 63.0}
    (folder / "manifest.json").unlink()
    folder.rmdir()
    assert Clock("r", "stage").seconds == 0
    (tmp_path / "r" / "lineage.json").write_text("[]")
    assert read_times("r") == {}


@pytest.fixture
def in_terminal(tmp_path):
    """Run a lineage of two stages in a terminal; return its exit code and what was on the screen."""

    def run(*arguments: str) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "PREZERO_RUNS": str(tmp_path), "COLUMNS": "160", "LINES": "40", "TERM": "xterm"}
        command = [sys.executable, "-c", TWO_STAGES, "lineage", "scale=tiny", *arguments]
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=ROOT)
        os.close(theirs)
        said = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not data:
                break
            said += data
        os.close(ours)
        return process.wait(), said.decode()

    return run


def test_a_lineage_in_a_terminal_shows_a_table_and_why_a_stage_failed(in_terminal, tmp_path):
    code, said = in_terminal()
    assert code == 2
    result = read_json(tmp_path / "tiny" / "go.random_play" / "manifest.json")["result"]
    last = said[said.rindex("\x1b[3A") :]  # the table as it was drawn last
    assert re.search(rf"go.random_play +done +\d+ s  {re.escape(result)}", last)
    assert re.search(r"features48.census +stopped", last)
    assert re.search(r"go.random_play +running", said) and "Uniform random play on 9x9" not in said
    assert "The run tiny has no" in said or "data.prepare" in said
    assert said.rstrip().endswith(
        "prezero: The lineage stopped at features48.census; run it again to go on from there."
    )
    assert "Uniform random play on 9x9" in (tmp_path / "tiny" / "lineage.log").read_text()
    seconds = read_times_of(tmp_path)["go.random_play"]
    code, said = in_terminal("verbose=true")  # done earlier; the output of the stages is passed on
    assert code == 2 and "Done earlier" in said and "\x1b[3A" not in said
    assert read_times_of(tmp_path)["go.random_play"] == seconds


def read_times_of(runs) -> dict[str, float]:
    return read_json(runs / "tiny" / "lineage.json")["seconds"]


def test_the_lineage_ends_in_the_ladder_and_the_report():
    stages = [name for name, command in COMMANDS.items() if command.is_stage]
    assert stages[-2:] == ["arena.ladder", "arena.report"] and lineage.handed_on("arena.report", ["open=true"])
    assert lineage.handed_on("arena.ladder", ["open=true", "seed=3", "board=9x9"]) == ["seed=3", "board=9x9"]
