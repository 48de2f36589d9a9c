"""Playing and showing work where torch is not installed; a command that needs it says what to run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

# One process for all commands, because most of their time goes into imports.
PLAYING = """
import sys
from pipeline.catalogue import load

for name, *arguments in (
    ("go.show", "moves=E5", "playouts=10"),
    ("rollout.show", "moves=E5"),
    ("sl_policy.show", "moves=E5"),
    ("apv_mcts.show", "moves=E5", "player.simulations=50", "player.seconds=0"),
    ("gtp", "player.simulations=50", "player.seconds=0"),
):
    print(f"== {name}", flush=True)
    sys.argv = [name, *arguments]
    load(name)(arguments)
assert "torch" not in sys.modules
"""


@pytest.fixture
def without_torch(tmp_path) -> dict[str, str]:
    """An environment in which torch cannot be imported."""
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    return {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PREZERO_RUNS": str(tmp_path / "runs")}


def python(*arguments: str, folder: Path, env: dict[str, str], input: str = "") -> subprocess.CompletedProcess:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, input=input, timeout=300)


def test_playing_needs_no_torch(without_torch, tmp_path):
    done = python("-c", PLAYING, folder=tmp_path, env=without_torch, input="genmove b\nshowboard\nquit\n")
    assert done.returncode == 0, done.stderr
    _, *shown = done.stdout.split("== ")
    assert [text.split("\n", 1)[0] for text in shown] == [
        "go.show", "rollout.show", "sl_policy.show", "apv_mcts.show", "gtp"
    ]  # fmt: skip
    for text in shown[:-1]:
        assert "A B C D E F G H J" in text, text
    answers = shown[-1].split("\n", 1)[1].split("\n\n")
    assert answers[0][:2] == "= " and answers[0][2:] != "" and answers[1].startswith("=")


def test_training_without_torch_is_one_sentence(without_torch, tmp_path):
    for command in (("data.prepare", "scale=tiny"), ("sl_policy.train", "scale=tiny")):
        done = python("-m", "pipeline", *command, folder=tmp_path, env=without_torch)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("prezero: This needs PyTorch, which playing does not; install it with ")
    assert f"-m pip install -c {ROOT}/constraints.txt -e '{ROOT}[train]'" in last and "Traceback" not in done.stderr
