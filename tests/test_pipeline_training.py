"""The loop of everything that learns: means, checkpoints, and that neither a kill nor Ctrl-C changes what is learnt."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from pipeline import training
from pipeline.errors import UserError
from pipeline.training import Checkpoint, read_checkpoint, train, write_checkpoint, write_history

STEPS = 60


class Toy:
    """A walk whose every step depends on all before it: by its weights and by the state of its random numbers."""

    unit = "games"

    def __init__(self, pause: float = 0, steps: int = STEPS) -> None:
        self.steps, self.pause = steps, pause
        self.weights, self.rng = np.zeros(3), np.array([1], np.int64)

    def step(self, number: int) -> dict[str, float]:
        time.sleep(self.pause)
        self.rng = self.rng * 6364136223846793005 + 1442695040888963407
        self.weights = 0.9 * self.weights + (self.rng >> 40) / (1 + number)
        return {"games": 1 + number % 3, "loss": float(self.weights[0]), "number": number}

    def state(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights, "rng": self.rng}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.weights, self.rng = state["weights"], state["rng"]


PROGRAM = """
import os, sys
sys.path.insert(0, os.environ["TESTS"])
from pathlib import Path
from go.show import Settings
from pipeline import launch, training
from test_pipeline_training import Toy, run_toy
training.CHECKPOINT_SECONDS = 0.02
main = lambda settings: run_toy(Path(os.environ["FOLDER"]), float(os.environ["PAUSE"]))
launch.Command("go.show", Settings, main)([])
"""


def run_toy(folder: Path, pause: float = 0) -> None:
    """Train, and leave the weights, the history and the steps that were done this time."""
    toy = Toy(pause)
    history = train(toy, "toy", folder / "checkpoint", {"seed": 1}, lambda: {"w": float(toy.weights[1])}, every=7)
    np.save(folder / "weights.npy", toy.weights)
    write_history(folder / "metrics.jsonl", {"toy": history})


def start(folder: Path, pause: float) -> subprocess.Popen:
    environment = {**os.environ, "TESTS": str(ROOT / "tests"), "FOLDER": str(folder), "PAUSE": str(pause)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(path: Path, process: subprocess.Popen) -> None:
    while not path.exists() and process.poll() is None:
        time.sleep(0.01)


def learnt(folder: Path) -> tuple[bytes, list[dict]]:
    history = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert all(entry.pop("seconds") >= 0 for entry in history)
    return (folder / "weights.npy").read_bytes(), history


@pytest.fixture
def whole(tmp_path):
    """What a training that nobody stopped has learnt."""
    (tmp_path / "whole").mkdir()
    run_toy(tmp_path / "whole")
    return learnt(tmp_path / "whole")


def test_a_kill_at_any_moment_changes_nothing(tmp_path, whole):
    chance, reached = random.Random(), []
    for _ in range(2):  # killed twice, and then left to end
        process = start(tmp_path, 0.02)
        if not reached:
            wait_for(tmp_path / "checkpoint", process)
        time.sleep(chance.uniform(0, 0.5))
        process.kill()
        process.communicate()
        reached.append(read_checkpoint(tmp_path / "checkpoint", '{"seed": 1}').steps)
    assert 0 < reached[0] <= reached[1]
    process = start(tmp_path, 0)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert learnt(tmp_path) == whole


def test_ctrl_c_finishes_the_step_and_leaves_a_checkpoint(tmp_path, whole):
    process = start(tmp_path, 0.05)
    wait_for(tmp_path / "checkpoint", process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in said
    assert "Finishing the step under way; Ctrl-C once more does not wait for it.\n" in said
    assert said.splitlines()[-1] == "prezero: stopped; run the same command again to go on."
    saved = read_checkpoint(tmp_path / "checkpoint", '{"seed": 1}')
    assert 0 < saved.steps < STEPS and not (tmp_path / "weights.npy").exists()
    expected = Toy()
    for number in range(saved.steps):
        expected.step(number)
    assert np.array_equal(saved.state["weights"], expected.weights)  # of a whole number of steps
    process = start(tmp_path, 0)
    process.communicate(timeout=60)
    assert process.returncode == 0 and learnt(tmp_path) == whole


def test_a_second_ctrl_c_does_not_wait_for_the_step(tmp_path):
    program = PROGRAM.replace("run_toy(", "once_and_long(").replace("import Toy, run_toy", "import once_and_long")
    environment = {**os.environ, "TESTS": str(ROOT / "tests"), "FOLDER": str(tmp_path), "PAUSE": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for(tmp_path / "begun", process)
    for _ in range(2):
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130 and not (tmp_path / "checkpoint").exists()


def once_and_long(folder: Path, pause: float) -> None:
    toy, step = Toy(pause), Toy.step

    def noted(number: int) -> dict[str, float]:
        (folder / "begun").touch()
        return step(toy, number)

    toy.step = noted
    train(toy, "toy", folder / "checkpoint", {}, dict)


def test_an_entry_has_sums_means_and_what_validation_finds(tmp_path):
    class Given(Toy):
        shown = ((2, 1.0), (6, 3.0), (4, 0.5), (1, 2.0), (5, 8.0))

        def step(self, number: int) -> dict[str, float]:
            games, loss = self.shown[number]
            return {"games": games, "loss": loss}

    found, reports = iter((0.25, 0.5)), []
    history = train(
        Given(steps=5),
        "toy",
        tmp_path / "checkpoint",
        {},
        lambda: {"top1": next(found)},
        every=2,
        report=lambda entries: reports.append(len(entries)),
    )
    assert [entry.pop("seconds") for entry in history] == pytest.approx([0, 0], abs=0.5)
    assert history == [
        {"games": 8, "loss": (2 * 1.0 + 6 * 3.0) / 8, "top1": 0.25},
        {"games": 18, "loss": (4 * 0.5 + 1 * 2.0 + 5 * 8.0) / 10, "top1": 0.5},  # one step alone is no entry
    ]
    assert reports == [1, 2]


def test_steps_since_the_last_entry_count_after_a_stop(tmp_path, monkeypatch):
    """A stop between two entries must not lose the sums of the first of them."""
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
    whole = train(Toy(steps=10), "toy", tmp_path / "whole", {}, dict, every=5)

    class Dies(Toy):
        def step(self, number: int) -> dict[str, float]:
            if number == 8:
                raise KeyboardInterrupt
            return super().step(number)

    with pytest.raises(KeyboardInterrupt):
        train(Dies(steps=10), "toy", tmp_path / "cut", {}, dict, every=5)
    assert read_checkpoint(tmp_path / "cut", "{}").steps == 8
    again = train(Toy(steps=10), "toy", tmp_path / "cut", {}, dict, every=5)
    for ours, theirs in zip(again, whole, strict=True):
        assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_a_checkpoint_of_another_key_is_neither_used_nor_lost(tmp_path):
    path = tmp_path / "checkpoint"
    write_checkpoint(path, '{"seed": 2}', Checkpoint({"weights": np.full(3, 99.0)}, STEPS, {}, 1.0, []))
    before = path.read_bytes()
    with pytest.raises(UserError, match="holds an unfinished run of other settings; name this run with run=NAME"):
        train(Toy(), "toy", path, {"seed": 1}, dict)
    assert path.read_bytes() == before and read_checkpoint(tmp_path / "none", "") is None


def test_a_checkpoint_comes_back_as_it_was(tmp_path):
    state = {"a": np.arange(6, dtype=np.float32).reshape(2, 3).T, "n": np.array(7)}
    written = Checkpoint(state, 3, {"games": 2, "loss": 0.1}, 4.5, [{"games": 5, "top1": 1 / 3}])
    write_checkpoint(tmp_path / "c", "key", written)
    read = read_checkpoint(tmp_path / "c", "key")
    assert read[1:] == written[1:]
    assert np.array_equal(read.state["a"], state["a"]) and read.state["n"] == 7


@pytest.mark.parametrize("part", [0, 5, 0.5, 0.99])
def test_a_torn_checkpoint_is_refused(tmp_path, part):
    path = tmp_path / "checkpoint"
    train(Toy(), "toy", path, {}, dict)
    data = path.read_bytes()
    path.write_bytes(data[: part if isinstance(part, int) else int(part * len(data))])
    with pytest.raises(UserError, match="checkpoint is damaged or is not what we wrote; remove it to begin anew"):
        train(Toy(), "toy", path, {}, dict)


def test_no_flipped_bit_of_a_checkpoint_goes_unnoticed(tmp_path):
    """Names, types, shapes, numbers and the key: a bit that is wrong anywhere is one sentence, or changes nothing."""
    path = tmp_path / "checkpoint"
    state = {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array(7)}
    written = Checkpoint(state, 3, {"loss": 0.5}, 4.5, [{"games": 5}])
    write_checkpoint(path, "key", written)
    whole, refused = path.read_bytes(), 0
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            read = read_checkpoint(path, "key")
        except UserError as error:
            assert str(error) == f"{path} is damaged or is not what we wrote; remove it to begin anew."
            refused += 1
        else:
            assert read[1:] == written[1:]
            assert read.state.keys() == state.keys()
            assert all(np.array_equal(read.state[name], state[name]) for name in state)
    assert refused > 0.95 * 8 * len(whole)  # the others are in white space


def test_a_history_is_written_as_lines_with_names(tmp_path):
    write_history(tmp_path / "m.jsonl", {"a": [{"x": 1}, {"x": 2}], "b": [{"x": 3.5}]})
    assert (tmp_path / "m.jsonl").read_text() == '{"of": "a", "x": 1}\n{"of": "a", "x": 2}\n{"of": "b", "x": 3.5}\n'
