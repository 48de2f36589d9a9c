"""`./prezero status` in all states that a stage can be in."""

import json

import pytest
from conftest import prezero

from pipeline.artefact import write_manifest
from pipeline.catalogue import COMMANDS, call
from pipeline.stage import Input
from pipeline.status import Stage, look_at, next_step, others

STAGES = [name for name, command in COMMANDS.items() if command.is_stage]


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    return tmp_path


def make(runs, run, stage, fingerprint="", inputs=(), result="fine"):
    folder = runs / run / stage
    folder.mkdir(parents=True, exist_ok=True)
    metrics = {"fingerprint": fingerprint} if fingerprint else {}
    write_manifest(folder, stage, {}, metrics, [made._asdict() for made in inputs], result)
    return folder


def rows_of(text: str) -> dict[str, list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: rest for name, *rest in cells}


def test_the_command_shows_every_stage_in_order_and_what_comes_next(tmp_path):
    (tmp_path / "r" / "go.random_play").mkdir(parents=True)
    (tmp_path / "r" / "go.random_play" / "progress.json").write_text("{}")
    done = prezero("status", "run=r", "scale=tiny", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    assert list(rows) == ["stage", *STAGES]
    assert rows["go.random_play"] == ["under way", "", ""] and rows["data.prepare"] == ["not begun", "", ""]
    assert "    ./prezero go.random_play run=r scale=tiny\n" in done.stdout
    assert done.stdout.endswith("    ./prezero lineage run=r scale=tiny\n")
    make(tmp_path, "r", "go.random_play", result="111 moves | a game")
    later = prezero("status", "run=r", "board=13x13", runs=tmp_path).stdout
    assert "| go.random_play    | done      | 111 moves \\| a game |" in later
    assert "    ./prezero data.prepare run=r board=13x13\n" in later


def test_a_run_that_is_not_there_is_one_sentence(tmp_path):
    none = prezero("status", runs=tmp_path)
    assert none.returncode == 2
    assert none.stderr == (
        f"prezero: There is no run laptop in {tmp_path}; there is none yet, and ./prezero lineage makes one.\n"
    )
    for run in ("zen", "a", ".sweep"):
        (tmp_path / run).mkdir()
    other = prezero("status", "run=b", runs=tmp_path)
    assert other.returncode == 2 and other.stderr == f"prezero: There is no run b in {tmp_path}; there are a, zen.\n"


def test_a_stage_is_out_of_date_when_what_it_read_has_changed(runs):
    store = make(runs, "r", "data.prepare", "1111111122222222")
    made = Input("data.prepare", str(store), "1111111122222222")
    make(runs, "r", "features48.census", inputs=[made], result="49 of 49 planes")
    assert look_at("r", "features48.census") == Stage(
        "features48.census", "done", "49 of 49 planes", "data.prepare 11111111"
    )
    make(runs, "r", "data.prepare", "3333333322222222")
    stale = look_at("r", "features48.census")
    assert stale.state == "out of date" and stale.made_from == "data.prepare 11111111, now 33333333"
    said = next_step("r", [look_at("r", "data.prepare"), stale], [])
    assert f"remove {runs}/r/features48.census, then run it anew:\n\n    ./prezero features48.census run=r\n" in said


def test_an_input_may_be_one_of_several_or_of_another_run_or_gone(runs):
    policies = make(runs, "other", "rollout.train", {"rollout": "aaaa", "tree": "bbbb"})
    for fingerprint, state in (("bbbb", "done"), ("aaaa", "done"), ("cccc", "out of date")):
        make(runs, "r", "rollout.match", inputs=[Input("rollout.train", str(policies), fingerprint)])
        assert look_at("r", "rollout.match").state == state
    make(runs, "r", "rollout.match", inputs=[Input("rollout.train", "/nowhere", "aaaa")])
    assert look_at("r", "rollout.match").made_from == "rollout.train aaaa, which cannot be checked"
    assert look_at("r", "rollout.match").state == "done"
    make(runs, "r", "rollout.train", {"rollout": "aaaa"})  # a run that was moved finds its own
    assert look_at("r", "rollout.match").made_from == "rollout.train aaaa"


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("{", "manifest.json cannot be read"),
        ("[]", "manifest.json is not a manifest; remove it to begin anew."),
        ('{"format": 2, "code": "", "settings": {}, "metrics": {}}', "manifest.json is not a manifest"),
        ('{"format": 1, "code": "", "settings": {}, "metrics": {}}', "manifest.json has format 1, not 2; remove it"),
        (
            json.dumps(
                dict.fromkeys(("code", "settings", "metrics", "stage", "result"), "x") | {"format": 2, "inputs": [1]}
            ),
            "manifest.json is not a manifest; remove it to begin anew.",
        ),
    ],
)
def test_a_damaged_manifest_is_a_row_that_says_so(runs, damage, sentence):
    store = make(runs, "r", "data.prepare", "1111")
    make(runs, "r", "features48.census", inputs=[Input("data.prepare", str(store), "1111")])
    (store / "manifest.json").write_text(damage)
    stage = look_at("r", "data.prepare")
    assert stage.state == "damaged" and stage.result.startswith(sentence)
    assert look_at("r", "features48.census").state == "done"  # nothing is known against it
    assert f"remove {store}/manifest.json, then run it anew:\n\n    ./prezero data.prepare run=r\n" in next_step(
        "r", [stage], []
    )


def test_other_folders_of_a_run_are_listed(runs):
    make(runs, "r", "data.prepare")
    make(runs, "r", "rollout.match", result="first against second: 60%")
    (runs / "r" / "data.inspect").mkdir()
    (runs / "r" / "data.inspect" / "report.md").touch()
    (runs / "r" / "notes.txt").touch()
    assert others("r") == [
        Stage("data.inspect", "no manifest"),
        Stage("rollout.match", "done", "first against second: 60%"),
    ]


def test_when_all_is_done_it_says_so():
    assert next_step("r", [Stage("a", "done"), Stage("b", "done")], []) == "All stages are done."


@pytest.mark.parametrize(
    ("run", "settings", "text"),
    [
        ("laptop", (), "./prezero data.prepare run=laptop"),
        ("mine", (), "./prezero data.prepare run=mine"),
        ("paper", (), "./prezero data.prepare run=paper scale=paper"),
        ("paper", ("scale=tiny",), "./prezero data.prepare run=paper scale=tiny"),
        ("été, 2016", ("board=9x9",), "./prezero data.prepare 'run=été, 2016' board=9x9"),
    ],
)
def test_commands_are_written_to_be_copied(run, settings, text):
    assert call("data.prepare", run, *settings) == text
