"""What every stage shares: that it is done once, with its inputs named; progress; learning curves."""

import dataclasses
import io
import json
import os
import re
import xml.etree.ElementTree as ET

import pytest

from pipeline import progress as progress_module
from pipeline.artefact import alone_in, read_json
from pipeline.errors import UserError
from pipeline.plots import Panel, draw_curves
from pipeline.progress import Progress, duration
from pipeline.settings import setting, threads_setting
from pipeline.stage import Input, Outcome, done_once, key_of

STORE = Input("data.prepare", "somewhere", "abc")


@dataclasses.dataclass
class Settings:
    seed: int = setting(1, "seed")
    sizes: tuple = setting((1, 2), "sizes")
    threads: int = threads_setting()


SETTINGS = Settings()


def test_a_stage_is_done_once_and_names_what_it_read(tmp_path, capsys):
    calls, draft = [], tmp_path / "checkpoint"

    def work(key) -> Outcome:
        calls.append(1)
        draft.write_text("x")
        return Outcome("all is well", {"found": 1, "fingerprint": "f"})

    for number in range(2):
        manifest = done_once(tmp_path, "a.stage", Settings(threads=number), [STORE], work, drafts=[draft])
        assert manifest["metrics"] == {"found": 1, "fingerprint": "f"} and not draft.exists()
    assert len(calls) == 1
    assert (
        capsys.readouterr().out == f"Done earlier, by version {manifest['code']}; remove {tmp_path} to do it anew.\n\n"
    )
    assert manifest == read_json(tmp_path / "manifest.json")
    assert manifest["stage"] == "a.stage" and manifest["result"] == "all is well"
    assert manifest["settings"] == {"seed": 1, "sizes": [1, 2], "data.prepare": "abc"}
    assert manifest["inputs"] == [{"stage": "data.prepare", "folder": "somewhere", "fingerprint": "abc"}]
    for settings, inputs in ((Settings(seed=2), [STORE]), (SETTINGS, [])):
        with pytest.raises(UserError, match="holds the results of other settings"):
            done_once(tmp_path, "a.stage", settings, inputs, work)
    assert len(calls) == 1


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    (tmp_path / "pool").mkdir()
    for name in (".manifest.json.123", "pool/.1.safetensors.4567", ".games.npy", "result.12", ".hidden", "pool/1"):
        (tmp_path / name).write_text("x")
    done_once(tmp_path, "a.stage", SETTINGS, [], lambda key: Outcome("", {}))
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {".games.npy", "result.12", ".hidden", "pool/1", "manifest.json"}


def test_drafts_stay_until_the_manifest_is_there(tmp_path, monkeypatch):
    draft = tmp_path / "checkpoint"

    def work(key) -> Outcome:
        draft.write_text("x")
        return Outcome("done", {})

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("pipeline.stage.write_manifest", killed)
        done_once(tmp_path, "a.stage", SETTINGS, [], work, drafts=[draft])
    assert draft.exists() and not (tmp_path / "manifest.json").exists()
    done_once(tmp_path, "a.stage", SETTINGS, [], work, drafts=[draft])
    assert not draft.exists()
    draft.write_text("left by a kill after the manifest")
    done_once(tmp_path, "a.stage", SETTINGS, [], work, drafts=[draft])
    assert not draft.exists()


def test_more_of_a_result_can_be_asked_for(tmp_path):
    for games, expected in ((2, 2), (5, 5), (3, 5)):
        manifest = done_once(
            tmp_path,
            "a.stage",
            SETTINGS,
            [],
            lambda key, games=games: Outcome("", {"games": games}),
            is_enough=lambda done, games=games: done["metrics"]["games"] >= games,
        )
        assert manifest["metrics"]["games"] == expected


def test_a_stage_at_work_keeps_others_out(tmp_path):
    with alone_in(tmp_path), pytest.raises(UserError, match="Another command is at work"):
        done_once(tmp_path, "a.stage", SETTINGS, [], lambda key: Outcome("", {}))


def test_two_inputs_of_one_stage_are_both_part_of_the_key():
    both = [Input("rollout.train", "f", "one"), Input("rollout.train", "f", "two")]
    assert key_of(SETTINGS, [*both, STORE]) == {
        **{"seed": 1, "sizes": [1, 2], "rollout.train": ["one", "two"], "data.prepare": "abc"}
    }


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.4, "59 s"), (59.6, "0:01:00"), (62, "0:01:02"), (3_723, "1:02:03")]
)
def test_times_are_easy_to_read(seconds, text):
    assert duration(seconds) == text


class Screen(io.StringIO):
    encoding = "utf-8"

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.isatty = lambda: terminal


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [0.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    return now


def test_a_log_has_fewer_and_fewer_lines(monkeypatch, clock):
    screen = Screen(terminal=False)
    monkeypatch.setattr("sys.stderr", screen)
    with Progress("games", 3_600) as progress:
        for second in range(3_600):
            clock[0] = float(second + 1)
            progress.update(1)
            if second == 0:
                progress.note = "top1 0.45"
    lines = screen.getvalue().splitlines()
    assert lines[0] == "games: 5 of 3,600 (0%), 60.0/min, 0:59:55 left, top1 0.45"
    assert lines[1].startswith("games: 10 of 3,600 ") and 40 < len(lines) < 60
    shown = [int(line.split()[1].replace(",", "")) for line in lines]
    assert shown[:3] == [5, 10, 15] and shown[-1] - shown[-2] == 120


def test_a_terminal_shows_a_bar_that_fits_and_goes(monkeypatch, clock):
    screen = Screen(terminal=True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "90")
    with Progress("games", 400, 100) as progress:
        clock[0] = 50.0
        progress.note = "a note that is too long for what is left of the line"
        progress.update(100)
        clock[0] = 50.05
        progress.update(1)  # too soon to be shown
    first, last = screen.getvalue().split("\r\x1b[K")[1:]
    assert first.startswith(f"games  {12 * '━'}{12 * '─'}  200 of 400 (50%), 120.0/min, 0:01:40 left, a note")
    assert len(first) == 89 and last == "" and "\n" not in screen.getvalue()


def texts_of(path) -> list[str]:
    return ["".join(node.itertext()) for node in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_curves_have_a_panel_for_each_measure_and_lines_to_compare_with(tmp_path):
    history = [{"positions": 1_000 * n, "top1": 0.1 * n, "train": 0.2, "loss": 3.0 / n} for n in range(1, 6)]
    del history[0]["train"]  # an entry may lack a measure
    panels = [
        Panel("Moves found", {"top1": "validation", "train": "training"}, percent=True, lines={"paper: 55.4%": 0.554}),
        Panel("Loss", {"loss": "validation"}),
    ]
    draw_curves(tmp_path / "a.svg", {"one": history, "two": history[:2]}, "positions", panels, "A title")
    texts = texts_of(tmp_path / "a.svg")
    for text in ("A title", "Moves found", "Loss", "one", "two", "validation", "training", "paper: 55.4%", "50%", "4k"):
        assert text in texts, text
    assert texts.count("positions") == 2
    draw_curves(tmp_path / "b.svg", {"one": history}, "positions", [Panel("Loss", {"loss": "validation"})])
    assert "one" not in texts_of(tmp_path / "b.svg")  # one curve needs no legend
    again = (tmp_path / "b.svg").read_bytes()
    draw_curves(tmp_path / "b.svg", {"one": history}, "positions", [Panel("Loss", {"loss": "validation"})])
    assert (tmp_path / "b.svg").read_bytes() == again
    points = re.search(r'<path d="([^"]+)" clip-path[^>]*stroke: #0072b2', again.decode())
    assert points and len(re.findall(r"[ML] ", points[1])) == 5


def test_labels_of_lines_that_are_close_do_not_cover_each_other(tmp_path):
    history = [{"positions": 1, "top1": 0.1}, {"positions": 2, "top1": 0.5}]
    lines = {"first": 0.570, "second": 0.569, "third": 0.3}
    draw_curves(tmp_path / "a.svg", {"x": history}, "positions", [Panel("T", {"top1": "v"}, True, lines)])
    places = {}
    for node in ET.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text"):
        found = re.search(r"translate\(\S+ (\S+?)\)", node.get("transform", "")) or re.match(r"(.*)", node.get("y", ""))
        places["".join(node.itertext())] = float(found[1] or 0)
    assert places["first"] + 8 < places["second"] < places["third"] - 40  # in points, from the top


def test_metrics_are_json(tmp_path):
    done_once(tmp_path, "a.stage", SETTINGS, [], lambda key: Outcome("é", {"x": [1, 2.5, None]}))
    assert json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["result"] == "é"


def test_a_table_stands_above_the_bar_and_is_erased_with_it(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("pipeline.progress.RENEWED", 0.0)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 5)))
    with Progress("games", 2) as progress:
        progress.above = "one\ntwo " + 50 * "x" + "\nthree\nfour"
        progress.update(1)
        progress.update(1)
    first, second, end = screen.getvalue().split("\r\x1b[")[1:]
    assert first.startswith("Kone\ntwo xxx") and "three\n" in first and "four" not in first  # as many lines as fit
    assert all(len(line) < 45 for line in first.splitlines())  # with the letters that move the cursor
    assert first.endswith("\x1b[3A") and second.startswith("Jone\ntwo") and second.endswith("\x1b[3A") and end == "J"
