"""`./prezero arena.problems`: answers are counted right, noted one by one, and not asked for twice."""

import json
import re

import pytest
from conftest import prezero

from arena import problems as command
from arena.problem_set import KINDS, problems
from go.coordinates import gtp_from_point
from pipeline.artefact import sealed
from pipeline.errors import UserError


def right_answer(problem):
    return gtp_from_point(min(problem.right), problem.position.size)


def test_the_report_counts_right_answers_by_kind_and_names_the_wrong_ones():
    perfect = [right_answer(problem) for problem in problems()]
    worse = list(perfect)
    worse[0], worse[-1] = "pass", "A9"
    assert problems()[-1].position.point("A9") not in problems()[-1].right
    solved, missed = command.report({"good, 10": perfect, "bad": worse}).split("\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in solved.splitlines()]
    assert rows[2] == ["good, 10", "40 of 40 (100%)", *["5"] * len(KINDS)]
    assert rows[3] == ["bad", "38 of 40 (95%)", "4", *["5"] * (len(KINDS) - 2), "4"]
    lines = missed.splitlines()
    assert "bad: pass" in lines[2] and "bad: A9" in lines[-1]
    assert all(line.rstrip(" |").endswith("-") for line in lines[3:-1])


def test_a_player_without_a_search_tries_once():
    settings = command.Settings(players="uct,alpha_p,tree", simulations="10,20")
    assert command.trials(settings) == [("uct", 10), ("uct", 20), ("alpha_p", 0), ("tree", 0)]


def test_the_command_goes_on_where_it_was_and_draws(tmp_path, monkeypatch):
    arguments = ["arena.problems", "players=uct,tree", "simulations=400", "run=here"]
    first = prezero(*arguments, runs=tmp_path)
    assert first.returncode == 0, first.stderr
    folder = tmp_path / "here" / "arena.problems"
    manifest = json.loads((folder / "manifest.json").read_text())
    answers = manifest["metrics"]["answers"]
    assert list(answers) == ["uct, 400", "tree"] and all(len(given) == 40 for given in answers.values())
    solved = sum(
        problem.position.point(answer) in problem.right
        for problem, answer in zip(problems(), answers["uct, 400"], strict=True)
    )
    assert f"{solved} of 40" in first.stdout and solved > 15
    again = prezero(*arguments, f"svg={tmp_path / 'all.svg'}", runs=tmp_path)
    assert again.returncode == 0 and "Done earlier" in again.stdout
    drawing = (tmp_path / "all.svg").read_text()
    assert len(re.findall(r"komi -?\d+\.5", drawing)) == 40 and "life and death 4" in drawing
    settings = command.Settings(players="uct,tree", simulations="400", run="here")
    key = {"some": "key"}
    saved = sealed({"key": key, "answers": {"uct, 400": ["A1"] * 39}})
    (folder / command.PROGRESS).write_text(json.dumps(saved | {"answers": {"uct, 400": ["A2"] * 39}}))
    with pytest.raises(UserError, match=r"progress.json is damaged"):
        command.solve_all(settings, folder, key)
    (folder / command.PROGRESS).write_text(json.dumps(saved))
    asked = []
    monkeypatch.setattr(
        command, "answers", lambda name, count, seed, todo: iter([asked.append(name) or "B2" for _ in todo])
    )
    found = command.solve_all(settings, folder, key)
    assert found == {"uct, 400": ["A1"] * 39 + ["B2"], "tree": ["B2"] * 40} and asked == ["uct", *["tree"] * 40]


def test_other_weights_are_other_results(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "WEIGHTS", tmp_path)
    found = [command._files()]
    for content in (b"one", b"two"):
        (tmp_path / "tree9.safetensors").write_bytes(content)
        found.append(command._files())
    assert len(set(found)) == 3 and found[-1] == command._files()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("players=nobody", "player=nobody does not exist"),
        ("simulations=many", "simulations=many must be numbers of at least 1, separated by commas."),
        ("simulations=0", "simulations=0 must be numbers of at least 1, separated by commas."),
    ],
)
def test_bad_settings_are_one_sentence(tmp_path, setting, sentence):
    done = prezero("arena.problems", setting, runs=tmp_path)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(f"prezero: {sentence}")
