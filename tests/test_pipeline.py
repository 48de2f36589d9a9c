"""Commands as a user meets them: help, bad input, results on disk, resuming after a kill, the lineage."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, prezero, prezero_process

from pipeline.artefact import alone_in, finished, read_json, stage_folder, write_atomic, write_manifest
from pipeline.catalogue import COMMANDS
from pipeline.errors import UserError
from pipeline.process import prepare_process
from pipeline.tables import table


def test_the_overview_names_every_command(tmp_path):
    for arguments in ((), ("--help",)):
        done = prezero_process(*arguments, runs=tmp_path)
        assert done.returncode == 0
        for name, command in COMMANDS.items():
            assert re.search(rf"^  {re.escape(name)} +{re.escape(command.summary)}$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", ["lineage", "go.show", "go.random_play"])
def test_help_lists_each_setting_with_its_meaning_on_one_line(tmp_path, name):
    done = prezero(name, "--help", runs=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == f"{name}: {COMMANDS[name].summary}."
    assert all(re.match(r"  [\w.]+=\S* +\S.*", line) for line in lines[2:]) and len(lines) > 4
    assert any(line.startswith("  board=5x5|9x9|13x13|19x19 ") for line in lines)


def test_help_shows_the_values_that_presets_bring(tmp_path):
    assert "  playouts=20000 " in prezero("go.random_play", "--help", "scale=tiny", runs=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["go.sow"], "there is no command 'go.sow'; did you mean go.show?"),
        (["nothing"], "there is no command 'nothing'; ./prezero alone lists the commands."),
        (["go.random_play", "playots=3"], "go.random_play has no setting 'playots'; did you mean playouts?"),
        (["go.random_play", "x=3"], "go.random_play has no setting 'x'; ./prezero go.random_play --help lists them."),
        (
            ["go.random_play", "playouts=many"],
            "playouts=many does not fit: Value 'many' of type 'str' could not be converted to Integer.",
        ),
        (["go.random_play", "playouts=0"], "playouts=0 is not at least 1."),
        (["go.random_play", "threads=-1"], "threads=-1 is not between 0 and 256."),
        (["go.random_play", "seed=-1"], "seed=-1 is not between 0 and 2,147,483,648."),
        (["go.random_play", "scale=huge"], "scale=huge does not exist; there are laptop, paper, tiny, workstation."),
        (["go.random_play", "board=7"], "board=7 does not exist; there are 5x5, 9x9, 13x13, 19x19."),
        (["go.random_play", "board.size=20"], "board.size=20 is not between 2 and 19."),
        (["go.random_play", "board.komi=nan"], "board.komi=nan is not between -1,000 and 1,000."),
        (["go.random_play", "--fast"], "go.random_play has no option --fast; settings are written name=value."),
        (["go.random_play", "fast"], "'fast' is not a setting; settings are written name=value."),
        (["go.show", "moves=E5 E5"], "White cannot play E5: a black stone is there."),
        (["go.show", "moves=E5 K9"], "'K9' is not a point of the 9x9 board."),
        (["go.show", "handicap=10"], "10 handicap stones do not fit a 9x9 board: it takes from 2 to 9."),
        (["go.show", "to_move=red"], "to_move=red is none of black, white."),
        (["go.show", "playouts=-1"], "playouts=-1 is not between 0 and 10,000,000."),
        (["go.show", "text=missing.txt"], "There is no text board in missing.txt: No such file or directory."),
        (["go.show", "svg=missing/board.svg"], "Cannot write missing/board.svg: No such file or directory."),
        (["go.show", "moves=E5,C3"], "'E5,C3' is not a point of the 9x9 board."),
        (["go.show", "moves='E5 K3'"], "'K3' is not a point of the 9x9 board."),
        (["go.show", "text=(é, \\'$"], "There is no text board in (é, \\'$: No such file or directory."),
        (["go.random_play", "+x=1"], "go.random_play has no setting '+x'; ./prezero go.random_play --help lists them."),
        (["go.random_play", "++seed=1"], "go.random_play has no setting '++seed'; did you mean seed?"),
        (["go.random_play", "~seed"], "'~seed' is not a setting; settings are written name=value."),
        (["go.random_play", "seed=null"], "seed=null does not fit: field 'seed' is not Optional."),
        (["go.random_play", "=3"], "go.random_play has no setting ''; ./prezero go.random_play --help lists them."),
        (
            ["go.random_play", "seed=[1"],
            "The settings of go.random_play cannot be read: no viable alternative at input '[1'.",
        ),
        (["go.random_play", "--resolve"], "go.random_play has no option --resolve; settings are written name=value."),
        (
            ["go.random_play", "--help", "x=1"],
            "go.random_play has no setting 'x'; ./prezero go.random_play --help lists them.",
        ),
    ],
)
def test_bad_input_is_answered_in_one_sentence_with_exit_code_2(tmp_path, arguments, sentence):
    done = prezero(*arguments, runs=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling ")]
    assert said == [f"prezero: {sentence}"]


@pytest.mark.parametrize("name", ["lint", "pin", "setup"])
def test_commands_without_arguments_have_help_and_refuse_settings(tmp_path, name):
    done = prezero(name, "--help", runs=tmp_path)
    assert done.returncode == 0 and done.stdout == f"{name}: {COMMANDS[name].summary}. It takes no arguments.\n"
    refused = prezero(name, "player=sl", runs=tmp_path)
    assert refused.returncode == 2 and refused.stderr == f"prezero: {name} takes no arguments, but got 'player=sl'.\n"


def test_kernels_that_are_not_compiled_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    for command in ("pipeline", "go.show"), ("go.show",):
        done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr == (
            "prezero: NUMBA_DISABLE_JIT is set, but Prezero's kernels only run compiled; unset it.\n"
        )
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert prezero_process("status", "--help", runs=tmp_path).returncode == 0


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&- <&-"])
def test_closed_streams_are_as_good_as_the_null_device(tmp_path, closed):
    shown = tmp_path / "board.svg"
    for arguments in ("status --help", f"go.show moves=E5 svg={shown}", "gtp player=random board=9x9", ""):
        line = f"exec {sys.executable} -m pipeline {arguments} {closed}"
        done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=ROOT, input="genmove b\nquit\n")
        said = [line for line in done.stderr.splitlines() if not line.startswith("compiling ")]
        assert done.returncode == 0 and said == [], done.stderr
    assert shown.read_text().startswith("<svg")
    refused = f"{sys.executable} -m pipeline status run=none >&-"
    done = subprocess.run(refused, shell=True, capture_output=True, cwd=ROOT)
    assert done.returncode == 2 and done.stderr.startswith(b"prezero: There is no run none")


def test_an_ascii_terminal_gets_question_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    write_manifest(stage_folder("r", "go.random_play"), "go.random_play", {}, {}, [], "93 ± 2 moves")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = prezero_process("status", "run=r", runs=tmp_path)
    assert done.returncode == 0 and done.stderr == "" and "| 93 ? 2 moves |" in done.stdout


def test_a_run_name_cannot_leave_the_folder_of_runs(tmp_path):
    for run in ("../x", "..", "a/b", ""):
        done = prezero("go.random_play", f"run={run}", runs=tmp_path / "runs")
        assert done.returncode == 2 and "is not a name for a folder in" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_show_draws_a_text_board_from_anywhere(tmp_path):
    (tmp_path / "go").mkdir()
    (tmp_path / "go" / "__init__.py").write_text("raise SystemExit('a folder of the user was imported')\n")
    (tmp_path / "board.txt").write_text(". X O .\nX O . O\n. X O .\n. . . .\n")
    done = prezero("go.show", "text=board.txt", "moves=C3", "svg=board.svg", "playouts=50", runs=tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " 3 X .(X)O  3\n" in done.stdout and "White to move, not at B3 (ko)." in done.stdout
    assert re.search(r"50 random games from here: black wins \d+\.\d%, mean score [+-]\d+\.\d\.", done.stdout)
    assert (tmp_path / "board.svg").read_text().startswith("<svg ")


def test_random_play_writes_its_artefact_and_is_not_done_twice(tmp_path):
    arguments = ("go.random_play", "scale=tiny", "playouts=5000", "run=r")
    first = prezero(*arguments, runs=tmp_path)
    assert first.returncode == 0, first.stderr
    folder = tmp_path / "r" / "go.random_play"
    assert sorted(path.name for path in folder.iterdir()) == ["first_move.svg", "game.svg", "manifest.json"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"] == {"board": {"size": 9, "komi": 7.5}, "playouts": 5000, "seed": 1}
    assert manifest["inputs"] == []
    assert re.fullmatch(
        r"11\d\.\d\d ± 0\.\d\d moves a game, black wins 0\.4\d+ ± 0\.007\d with komi 7\.5", manifest["result"]
    )
    moves, error = manifest["metrics"]["moves, with passes"]
    assert abs(moves - 111.05) < 5 * error < 2
    assert re.search(r"\| black wins, komi 7.5 \| 0\.4\d+ ± 0\.007\d \| 0\.4213 \| 0\.4212 \|", first.stdout)
    written = (folder / "manifest.json").stat().st_mtime_ns
    again = prezero(*arguments, "threads=1", runs=tmp_path)
    assert again.stdout.startswith(f"Done earlier, by version {manifest['code']}; ")
    assert again.stdout.endswith(first.stdout) and (folder / "manifest.json").stat().st_mtime_ns == written
    other = prezero(*arguments, "seed=2", runs=tmp_path)
    assert other.returncode == 2 and (folder / "manifest.json").stat().st_mtime_ns == written
    assert other.stderr == (
        f"prezero: {folder} holds the results of other settings; name this run with run=NAME, or remove them.\n"
    )


def test_random_play_goes_on_after_a_kill_and_ends_with_the_same_numbers(tmp_path):
    arguments = ["go.random_play", "board=19x19", "playouts=80000", "threads=1", "run=killed"]
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path)}
    progress = tmp_path / "killed" / "go.random_play" / "progress.json"
    process = subprocess.Popen([sys.executable, "-m", "pipeline", *arguments], env=environment, cwd=ROOT)
    deadline = time.monotonic() + 120
    while not progress.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    saved = json.loads(progress.read_text())
    assert 0 < saved["tally"]["games"] < 80000
    assert saved["tally"]["games"] == 1000 * saved["chunks"]
    progress.write_text(json.dumps(saved | {"chunks": saved["chunks"] + 1}))
    damaged = prezero(*arguments, runs=tmp_path)
    assert damaged.returncode == 2 and "progress.json is damaged" in damaged.stderr
    progress.write_text(json.dumps(saved))
    prezero(*arguments, "threads=2", runs=tmp_path)
    prezero(*arguments, "threads=2", "run=whole", runs=tmp_path)
    metrics = [read_json(tmp_path / run / "go.random_play" / "manifest.json")["metrics"] for run in ("killed", "whole")]
    assert metrics[0] == metrics[1]
    assert not progress.exists()


def test_the_lineage_runs_every_stage_and_hands_on_its_settings(tmp_path):
    done = prezero_process("lineage", "scale=tiny", "seed=3", "run=été, 2016", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    stages = [name for name, command in COMMANDS.items() if command.is_stage]
    manifests = {}
    for number, stage in enumerate(stages, 1):
        assert f"[{number}/{len(stages)}] {stage}: " in done.stdout
        manifests[stage] = read_json(tmp_path / "été, 2016" / stage / "manifest.json")
    assert manifests["go.random_play"]["settings"]["seed"] == 3
    assert manifests["data.prepare"]["metrics"]["games"] == 5065
    order = ["Uniform random play on 9x9", "5,068 records read, 5,065 games kept.", "Done in"]
    assert sorted(order, key=done.stdout.index) == order
    shown = done.stdout[done.stdout.rindex("stage ") :].splitlines()[1 : len(stages) + 1]
    for stage, line in zip(stages, shown, strict=True):
        assert re.fullmatch(rf"{stage} +done +[\d:]+( s)?  {re.escape(manifests[stage]['result'])}", line)
    assert list(read_json(tmp_path / "été, 2016" / "lineage.json")["seconds"]) == stages
    page = (tmp_path / "été, 2016" / "arena.report" / "report.html").read_text(encoding="utf-8")
    ratings = manifests["arena.ladder"]["metrics"]["ratings"]
    assert {"random", "cgs", "rollout", "sl", "rl", "value", "uct"} <= {row["player"] for row in ratings}
    assert {"alpha_r", "alpha_p", "alpha_rp", "alpha_vp", "alpha_rvp"} <= {row["player"] for row in ratings}
    elo = re.findall(r'<div class="name">([^<]+)</div>.*?<div class="elo"><b>(-?\d+)</b>', page)
    assert elo == [(row["player"], f"{row['elo']:.0f}") for row in ratings]
    found = manifests["sl_policy.train"]["metrics"]["results"]["test"]["top1"]
    error = manifests["value_net.train"]["metrics"]["results"]["test"]["MSE"]
    assert f"<b>{100 * found:.1f}%</b>" in page and f"<b>{error:.3f}</b>" in page and "été, 2016" in page
    assert page.count('<div class="plot"><svg') == 7


def test_the_lineage_stops_where_a_stage_fails(tmp_path):
    done = prezero_process("lineage", "scale=tiny", "board.size=1", runs=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        "prezero: The lineage stopped at go.random_play; run it again to go on from there."
    )


def test_a_sweep_runs_each_value_and_litters_nothing(tmp_path):
    done = prezero(
        "go.random_play", "scale=tiny", "-m", "playouts=100", "run=a,b", runs=tmp_path / "runs", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "a").is_dir() and (tmp_path / "runs" / "b").is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_broken_pipe_is_no_error(tmp_path):
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path)}
    command = f"{sys.executable} -m pipeline go.show | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.stdout == "   A B C D E F G H J\n" and "Error" not in done.stderr


def test_atomic_writes_leave_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "result.txt"
    write_atomic(path, "old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / "link.txt").symlink_to("result.txt")
    write_atomic(tmp_path / "link.txt", "older")
    assert path.read_text() == "older" and (tmp_path / "link.txt").is_symlink()
    (tmp_path / "link.txt").unlink()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match=r"Cannot write .*pipe: it is not a file"):
        write_atomic(tmp_path / "pipe", "x")
    (tmp_path / "pipe").unlink()
    write_atomic(path, "old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match=r"Cannot write .*result.txt: No space left on device"):
        write_atomic(path, "new")
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["result.txt"]


def test_a_damaged_manifest_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    folder = stage_folder("r", "stage")
    settings = {"a": 1}
    assert finished(folder, settings) is None
    write_manifest(folder, "stage", settings, {"x": 2}, [], "two")
    manifest = finished(folder, settings)
    assert manifest["metrics"] == {"x": 2} and manifest["result"] == "two" and manifest["inputs"] == []
    with pytest.raises(UserError, match="holds the results of other settings; name this run with run=NAME"):
        finished(folder, {"a": 2})
    damages = [("{", "cannot be read"), ("[1]", "is not a manifest"), ('{"a": 1}', "is not a manifest")]
    damages.append((json.dumps({**manifest, "format": 1}), "has format 1, not 2"))
    damages.append((json.dumps({k: v for k, v in manifest.items() if k != "result"}), "is not a manifest"))
    damages.append((json.dumps({**manifest, "metrics": {"x": 3}}), "is damaged"))
    damages.append((json.dumps({**manifest, "result": "twp"}), "is damaged"))
    damages.append(('{"a":' * 100_000 + "1" + "}" * 100_000, "cannot be read"))
    for damage, sentence in damages:
        (folder / "manifest.json").write_text(damage)
        with pytest.raises(UserError, match=f"{sentence}.*; remove it to begin anew"):
            finished(folder, settings)


def test_ctrl_c_is_answered_with_a_sentence(tmp_path):
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "lineage", "board=19x19", "scale=workstation"],
        env=environment,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    progress = tmp_path / "workstation" / "go.random_play" / "progress.json"
    while not progress.exists() and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and progress.exists()
    assert said.count("prezero: stopped; run the same command again to go on.") == 1 and "Traceback" not in said


@pytest.mark.parametrize("arguments", ["", "--help", "go.show", "go.show --help"])
def test_a_reader_that_goes_away_is_no_error(tmp_path, arguments):
    command = f"{sys.executable} -m pipeline {arguments} | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert [line for line in done.stderr.splitlines() if not line.startswith("compiling ")] == []


def test_tables_stand_in_line_with_numbers_at_the_right():
    assert table(["a", "bb", "c"], [["12", "3.5%", "x"], ["e", "-", "y|z"]]).splitlines() == [
        "| a   |   bb | c    |",
        "| --- | ---: | ---- |",
        "| 12  | 3.5% | x    |",
        "| e   |    - | y\\|z |",
    ]


def test_two_commands_do_not_work_in_one_folder_at_once(tmp_path):
    with alone_in(tmp_path):
        with pytest.raises(UserError, match=r"Another command is at work in .*; wait for it"), alone_in(tmp_path):
            pass
        (tmp_path / "other").mkdir()
        with alone_in(tmp_path / "other"):
            pass
    with alone_in(tmp_path):  # free again
        pass


def test_a_full_disk_is_one_sentence(tmp_path):
    """A device that is always full stands for the disk."""
    program = (
        "from pipeline.launch import Command\n"
        "def main(settings):\n    with open('/dev/full', 'w') as file:\n        file.write('x')\n"
        "from go.show import Settings\nCommand('go.show', Settings, main)([])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr == (
        "prezero: There is no space left on the disk (No space left on device); make room and run the same again.\n"
    )


@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        ("import torch; torch.empty(1 << 50)", "prezero: There is not enough memory for these settings ("),
        ("import torch; raise torch.OutOfMemoryError('the GPU is full')", "settings (the GPU is full)."),
        ("raise MemoryError", "settings (none is left)."),
    ],
)
def test_memory_that_torch_does_not_get_is_one_sentence(raised, sentence):
    program = (
        "from pipeline.launch import Command\n"
        f"def main(settings):\n    {raised}\n"
        "from go.show import Settings\nCommand('go.show', Settings, main)([])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2 and sentence in done.stderr and done.stderr.count("\n") == 1


def test_threads_that_wait_leave_the_cores_to_others_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    prepare_process()
    assert os.environ["OMP_WAIT_POLICY"] == "active"
    monkeypatch.delenv("OMP_WAIT_POLICY")
    prepare_process()
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
