"""`rollout.evaluate` and `rollout.match` as a user meets them, and the policies that come with Prezero."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import ROOT, prezero

from nets.find import find_weights, shipped_sizes
from rollout.match import statistics
from rollout.model import Model, read_card


@pytest.mark.parametrize("size", [9, 19])
@pytest.mark.parametrize("policy", ["rollout", "tree"])
def test_the_shipped_policies_are_small_and_say_where_they_come_from(policy, size):
    assert shipped_sizes(policy) == (9, 19)
    path = find_weights(policy, size)
    model, card = Model.load(path), read_card(path)
    assert path.stat().st_size < 2_000_000 and model.is_tree == (policy == "tree")
    assert card["results"]["test"]["top1"] > {("rollout", 19): 0.242, ("tree", 19): 0.242}.get((policy, size), 0.2)
    assert (ROOT / "weights" / "README.md").read_text().count(path.name) >= 1
    assert model.weights[1] > 0.5  # to save stones from atari is a good idea
    if policy == "rollout":
        assert (model.weights[2:10] > 0.5).all()  # and so is to answer; the tree policy says so by the distance


def test_boards_without_a_policy_of_their_own_take_the_nearest():
    assert find_weights("rollout", 7).name == "rollout9.safetensors"
    assert find_weights("tree", 17).name == "tree19.safetensors"


def test_the_shipped_policy_is_tested_on_any_store(tmp_path):
    assert prezero("data.prepare", "scale=tiny", runs=tmp_path).returncode == 0
    done = prezero("rollout.evaluate", "scale=tiny", "positions=3000", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r"\| (\w+)9\.safetensors +\| +([\d.]+)% \|", done.stdout))
    assert 25 < float(found["rollout"]) < float(found["tree"]) < 60
    for wrong, sentence in (
        ("part=all", "part=all is none of train, validation, test."),
        ("positions=-1", "positions=-1 is not at least 0."),
        (
            "weights=none.safetensors",
            "There is no pattern policy in none.safetensors; ./prezero rollout.train makes one.",
        ),
        (
            "run=none",
            f"There is no game store in {tmp_path}/none/data.prepare; ./prezero data.prepare run=none makes one.",
        ),
    ):
        refused = prezero("rollout.evaluate", "scale=tiny", wrong, runs=tmp_path)
        assert refused.returncode == 2 and sentence in refused.stderr


MATCH = ("rollout.match", "board=5x5", "playouts=40", "run=m")


def test_a_match_goes_on_after_a_kill_and_ends_with_the_same_numbers(tmp_path):
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path)}
    command = [sys.executable, "-m", "pipeline", *MATCH, "games=200"]
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    progress = tmp_path / "m" / "rollout.match" / "progress.json"
    while process.poll() is None and (not progress.exists() or len(json.loads(progress.read_text())["results"]) < 10):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 10 <= len(json.loads(progress.read_text())["results"]) < 200
    saved = progress.read_text()
    progress.write_text(saved.replace("1.0", "0.0", 1))
    damaged = prezero(*MATCH, "games=200", runs=tmp_path)
    assert damaged.returncode == 2 and "progress.json is damaged" in damaged.stderr
    progress.write_text(saved)
    done = prezero(*MATCH, "games=200", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    whole = prezero(*MATCH[:-1], "run=whole", "games=200", "threads=1", runs=tmp_path)
    assert done.stdout == whole.stdout and "of 200 games" in done.stdout
    assert not progress.exists()
    manifest = json.loads((tmp_path / "m" / "rollout.match" / "manifest.json").read_text())
    assert manifest["metrics"]["games"] == 200 and manifest["metrics"]["won"] > 0.5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["games=0"], "games=0 is not at least 1."),
        (["threads=-1"], "threads=-1 is not between 0 and 256."),
        (["first=nothing.bin"], "There is no pattern policy in nothing.bin; ./prezero rollout.train makes one."),
        (["second=rollout"], "rollout.safetensors; ./prezero rollout.train run=m makes it."),
        (["board.size=1"], "board.size=1 is not between 2 and 19."),
    ],
)
def test_bad_input_to_a_match_is_one_sentence(tmp_path, arguments, sentence):
    done = prezero(*MATCH, *arguments, runs=tmp_path)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


def test_wins_are_counted_by_colour():
    found = statistics([1.0, 0.0, 1.0, 0.5])
    assert found == {
        "games": 4,
        "won": 0.625,
        "error": np.sqrt(0.625 * 0.375 / 4),
        "won as black": 1,
        "won as white": 0.25,
    }
