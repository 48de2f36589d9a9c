"""The commands of the RL policy as a user meets them: `rl_policy.train`, `match` and `show`, and the player."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import ROOT, prezero
from safetensors.numpy import load_file
from small_networks import InProcess, random_weights

from arena.players import preset, ready_player
from go.player import RandomPlayer
from go.position import Position
from nets.actions import points_of
from nets.network import ALL_SYMMETRIES, Network
from nets.weights import Weights
from pipeline import training
from pipeline.artefact import read_json
from pipeline.errors import UserError
from pipeline.lineage import handed_on
from pipeline.shares import interval95, share_text
from rl_policy import match, show, train
from rl_policy.reinforce import ReinforceTrainer
from rl_policy.self_play import GameSettings, play_games
from rl_policy.show import divergence

TINY = (
    *("scale=tiny", "run=small", "komi=2.5", "learn.games=6", "learn.learning_rate=0.002", "iterations=6"),
    *("pool_every=2", "evaluation_games=6", "test_games=8", "precision=float32", "threads=1"),
)
FILES = {"rl.safetensors", "manifest.json", "metrics.jsonl", "curve.svg", "pool"}
SVG = "{http://www.w3.org/2000/svg}"
ENGINE = f"{sys.executable} {ROOT / 'tests' / 'fake_engine.py'}"


@pytest.fixture(autouse=True)
def one_thread():
    """Commands set the number of threads of torch for the whole process."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def new_runs(runs):
    """Fill a folder of runs: `small` has an SL policy for 5x5, and there are files of other networks."""
    folder = runs / "small" / "sl_policy.train"
    folder.mkdir(parents=True)
    small = {"filters": 4, "layers": 3}
    random_weights(5, **small).save(folder / "policy.safetensors")
    random_weights(5, **small, seed=7).save(runs / "rl.safetensors")
    random_weights(9, **small).save(runs / "nine.safetensors")
    random_weights(5, **small, planes=12).save(runs / "few.safetensors")
    random_weights(5, filters=3, layers=5, planes=49, family="value").save(runs / "value.safetensors")
    return runs


@pytest.fixture
def runs(tmp_path):
    return new_runs(tmp_path)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """A folder of runs, of which `small` has learnt an RL policy, and what the command said."""
    runs = new_runs(tmp_path_factory.mktemp("runs"))
    return runs, prezero("rl_policy.train", *TINY, runs=runs)


@pytest.fixture
def whole(learnt):
    """What a training leaves that nothing interrupts."""
    return learnt[0] / "small" / "rl_policy.train"


@pytest.fixture
def no_curves(monkeypatch):
    """To draw the curves takes more time than all the learning."""
    monkeypatch.setattr(train, "draw_learning", lambda history, path: path.touch())


@pytest.fixture
def command(monkeypatch, capsys, runs):
    return InProcess(monkeypatch, capsys, runs)


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text())


def texts_of(path):
    return ["".join(node.itertext()) for node in ET.parse(path).iter(f"{SVG}text")]


def without_seconds(folder):
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert all(line.pop("seconds") >= 0 for line in lines)
    return lines


def assert_same_results(ours, theirs):
    """Two runs of the same settings have the same weights, pool and metrics."""
    files = sorted(path.name for path in (ours / "pool").iterdir())
    assert files == sorted(path.name for path in (theirs / "pool").iterdir())
    for name in ["rl.safetensors", *(f"pool/{file}" for file in files if file.endswith(".safetensors"))]:
        one, other = load_file(ours / name), load_file(theirs / name)
        assert one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one), name
        assert Weights.load(ours / name).ranges == Weights.load(theirs / name).ranges
    assert (ours / "pool" / "pool.json").read_text() == (theirs / "pool" / "pool.json").read_text()
    assert without_seconds(ours) == without_seconds(theirs)
    assert manifest_of(ours)["metrics"]["match"] == manifest_of(theirs)["metrics"]["match"]


# Training


def test_a_policy_is_learnt_once_and_says_all_about_itself(learnt, monkeypatch, capsys):
    runs, done = learnt
    assert done.returncode == 0, done.stderr
    command = InProcess(monkeypatch, capsys, runs)
    folder, parent = runs / "small" / "rl_policy.train", runs / "small" / "sl_policy.train" / "policy.safetensors"
    assert {path.name for path in folder.iterdir()} == FILES
    manifest, weights, sl = manifest_of(folder), Weights.load(folder / "rl.safetensors"), Weights.load(parent)
    settings, metrics, found = manifest["settings"], manifest["metrics"], manifest["metrics"]["match"]
    assert settings["sl_policy.train"] == sl.fingerprint() and settings["learn"]["games"] == 6
    assert metrics["fingerprint"] == weights.fingerprint() != sl.fingerprint() and metrics["games"] == 36
    assert weights.card["settings"] == settings and weights.card["komi"] == 2.5 and weights.ranges
    assert weights.card["data"] == f"36 games of self-play, from the SL policy {sl.fingerprint()}"
    assert not np.array_equal(weights.tensors["layer1.kernel"], sl.tensors["layer1.kernel"])
    lines = without_seconds(folder)
    assert [line["games"] for line in lines] == [12, 24, 36] and {line["of"] for line in lines} == {"RL policy"}
    for line in lines:
        won = 6 * line["won against SL"]
        assert (line["won against SL, low"], line["won against SL, high"]) == pytest.approx(interval95(won, 6))
        assert line["entropy"] > 0.5 and line["gradient norm"] > 0 and 0 <= line["KL to the SL policy"] < 1
        assert line["length"] > 10 and {"won against the pool", "cut by the limit", "forced self-atari"} <= set(line)
    assert lines[-1]["KL to the SL policy"] > lines[0]["KL to the SL policy"]
    pool = json.loads((folder / "pool" / "pool.json").read_text())
    assert [member["iteration"] for member in pool] == [0, 2, 4, 6] == [m["iteration"] for m in metrics["pool"]]
    assert sum(member["games"] for member in pool) == 36 and pool[0]["elo"] == 0
    won = sum(member["won"] for member in pool) / 36
    assert won == pytest.approx(np.mean([line["won against the pool"] for line in lines]))
    for member, line in zip(pool[1:], lines, strict=True):
        share = (6 * line["won against SL"] + 0.5) / 7
        assert member["elo"] == pytest.approx(400 * np.log10(share / (1 - share)))
    start, last = (Weights.load(folder / "pool" / f"{n:06}.safetensors") for n in (0, 6))
    assert last.fingerprint() == weights.fingerprint()
    played = play_games(weights, start, 8, (1, 4), GameSettings(2.5))  # the final match: seed, and stream 4
    assert found["won"] == played.won and found["length"] == played.lengths.mean()
    assert f"wins {share_text(found['won'], 8)} against the SL policy" in manifest["result"]
    assert re.search(rf"won against the SL policy +\| +{re.escape(share_text(found['won'], 8))}", done.stdout)
    assert {"Games won", "Nats", "Gradient norm", "Moves of a game"} <= set(texts_of(folder / "curve.svg"))
    again = command(train, *TINY)
    assert again.out == f"Done earlier, by version {manifest['code']}; remove {folder} to do it anew.\n\n{done.stdout}"
    for other in ("seed=2", "learn.kl=0.1", "komi=3.5", "iterations=7", f"parent={runs}/rl.safetensors"):
        refused = command(train, *TINY, other)
        assert refused.code == 2 and "holds the results of other settings; name this run with run=NAME" in refused.err


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("run=none", "There is no "),
        ("parent=nothing", "There is no network in nothing."),
        ("parent=shipped size=7", "No policy network for 7x7 comes with Prezero; ./prezero sl_policy.train makes"),
        ("parent=VALUE", "VALUE is a value network, not a policy network."),
        ("learn.games=1", "learn.games=1 is not at least 2."),
        ("learn.optimiser=x", "learn.optimiser=x is none of sgd, adam."),
        ("learn.learning_rate=0", "learn.learning_rate=0 is not above 0 and at most 100."),
        ("learn.decay=2", "learn.decay=2 is not between 0 and 1."),
        ("learn.baseline=x", "learn.baseline=x is none of zero, mean, value."),
        ("learn.entropy=-1", "learn.entropy=-1 is not between 0 and 100."),
        ("learn.kl=nan", "learn.kl=nan is not between 0 and 100."),
        ("learn.random_moves=-1", "learn.random_moves=-1 is not between 0 and 361."),
        ("iterations=0", "iterations=0 is not at least 1."),
        ("pool_every=0", "pool_every=0 is not at least 1."),
        ("evaluation_games=1", "evaluation_games=1 is not at least 2."),
        ("test_games=1", "test_games=1 is not at least 2."),
        ("komi=nan", "komi=nan is not between -1,000 and 1,000."),
        ("move_limit=-1", "move_limit=-1 is not at least 0."),
        ("device=x", "device=x is none of auto, cpu, cuda, mps."),
        ("size=1", "size=1 is not between 2 and 19."),
        ("board=9x9", "rl_policy.train has no setting 'board'; ./prezero rl_policy.train --help lists them."),
    ],
)
def test_bad_settings_are_one_sentence(command, runs, argument, sentence):
    argument, sentence = (text.replace("VALUE", f"{runs}/value.safetensors") for text in (argument, sentence))
    done = command(train, *TINY, *argument.split())
    assert done.code == 2 and done.err.startswith(f"prezero: {sentence}") and done.err.count("\n") == 1, done.err
    assert not (runs / "small" / "rl_policy.train" / "manifest.json").exists()


def test_games_without_a_move_of_the_policy_are_one_sentence(command, runs):
    done = command(train, *TINY, "move_limit=1", "learn.random_moves=361", "learn.games=2")
    assert done.code == 2 and done.err.splitlines()[-1].startswith("prezero: The policy chose no move in any game; set")


def test_the_value_network_is_a_baseline(command, runs, no_curves):
    refused = command(train, *TINY, "learn.baseline=value")
    missing = runs / "small" / "value_net.train" / "value.safetensors"
    assert (
        refused.code == 2
        and refused.err == f"prezero: There is no {missing}; ./prezero value_net.train run=small makes it.\n"
    )
    arguments = (*TINY, "learn.baseline=value", "iterations=2")
    for wrong, sentence in (
        (["value=none"], "There is no network in none."),
        ([f"value={runs}/rl.safetensors"], f"{runs}/rl.safetensors is not a value network for 5x5."),
        (
            [f"value={runs}/value.safetensors", f"parent={runs}/few.safetensors"],
            "learn.baseline=value needs a policy with 48 planes.",
        ),
        (
            [f"value={runs}/value.safetensors", f"parent={runs}/nine.safetensors"],
            f"{runs}/value.safetensors is not a value network for 9x9.",
        ),
    ):
        refused = command(train, *arguments, *wrong)
        assert refused.code == 2 and refused.err == f"prezero: {sentence}\n"
    done = command(train, *arguments, f"value={runs}/value.safetensors")
    assert done.code == 0, done.err
    settings = manifest_of(runs / "small" / "rl_policy.train")["settings"]
    assert settings["value_net.train"] == Weights.load(runs / "value.safetensors").fingerprint()


def test_the_lineage_hands_on_what_the_training_takes():
    """The board is that of the SL policy; `board` was a setting once, and a preset such as 5x5 did not fit it."""
    given = ["board=5x5", "scale=tiny", "run=small", "seed=3"]
    assert handed_on("rl_policy.train", given) == ["scale=tiny", "run=small", "seed=3"]


# Interruptions


def test_interruptions_change_nothing(command, runs, whole, monkeypatch, no_curves):
    """Ctrl-C, which waits for the step under way, and ends without warning: before, at and after an evaluation."""
    begun, steps = [], []

    def step(trainer, number, step=ReinforceTrainer.step):
        steps.append(number)
        if number in (1, 2) and number not in begun:
            begun.append(number)
            os.kill(os.getpid(), signal.SIGINT)
        if number in (3, 5) and number not in begun:
            begun.append(number)
            raise KeyboardInterrupt
        return step(trainer, number)

    monkeypatch.setattr(ReinforceTrainer, "step", step)
    folder = runs / "small" / "rl_policy.train"
    for _ in range(4):
        stopped = command(train, *TINY)
        assert stopped.code == 130 and "run the same command again to go on" in stopped.err
        assert (folder / "checkpoint.safetensors").exists()
    done = command(train, *TINY)
    assert done.code == 0, done.err
    assert begun == [1, 2, 3, 5] and steps == [0, 1, 2, 3, 3, 4, 5, 4, 5]  # what is lost is done again
    assert_same_results(folder, whole)
    assert {path.name for path in folder.iterdir()} == FILES


def test_a_stop_between_the_pool_and_the_checkpoint_changes_nothing(command, runs, whole, monkeypatch, no_curves):
    """The new member is on disk then, but not in the checkpoint."""
    write, written = training.write_checkpoint, []

    def stop(*arguments):
        written.append(arguments)
        if len(written) == 2:
            raise KeyboardInterrupt
        write(*arguments)

    monkeypatch.setattr(training, "write_checkpoint", stop)
    assert command(train, *TINY).code == 130
    folder = runs / "small" / "rl_policy.train"
    assert (folder / "pool" / "000004.safetensors").exists()
    assert command(train, *TINY).code == 0
    assert_same_results(folder, whole)


def test_a_kill_changes_nothing(command, runs, from_here, no_curves):
    arguments = (*TINY, "iterations=20", "learn.games=4", "pool_every=8")
    parent = f"parent={runs}/small/sl_policy.train/policy.safetensors"
    done = command(train, *arguments, "run=whole", parent)
    assert done.code == 0, done.err
    folder = runs / "small" / "rl_policy.train"
    checkpoint = folder / "checkpoint.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "rl_policy.train", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(runs)},
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 240
    while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and checkpoint.exists() and not (folder / "manifest.json").exists()
    resumed = command(train, *arguments)
    assert resumed.code == 0, resumed.err
    assert_same_results(folder, runs / "whole" / "rl_policy.train")


def test_a_pool_that_has_lost_a_member_is_one_sentence(command, runs, monkeypatch, no_curves):
    def stop(trainer, number, step=ReinforceTrainer.step):
        if number == 4:
            raise KeyboardInterrupt
        return step(trainer, number)

    with monkeypatch.context() as patch:
        patch.setattr(ReinforceTrainer, "step", stop)
        assert command(train, *TINY).code == 130
    folder = runs / "small" / "rl_policy.train"
    lost = folder / "pool" / "000002.safetensors"
    lost.unlink()
    refused = command(train, *TINY)
    assert refused.code == 2
    last = refused.err.splitlines()[-1]
    assert last == f"prezero: The opponent pool has lost {lost}; remove {folder} to begin anew."


def test_a_policy_that_collapses_ends_the_training_at_once(command, runs, monkeypatch, no_curves):
    """At the first evaluation after it, and after a restart as well, and no result is left."""

    def collapse(trainer, number, step=ReinforceTrainer.step):
        return step(trainer, number) | ({"entropy": 0.001} if number >= 4 else {})

    monkeypatch.setattr(ReinforceTrainer, "step", collapse)
    folder = runs / "small" / "rl_policy.train"
    for _ in range(2):
        done = command(train, *TINY)
        assert done.code == 2 and "prezero: The policy has collapsed: its entropy is 0.001 nats a move" in done.err
        assert not (folder / "rl.safetensors").exists() and not (folder / "manifest.json").exists()
    assert [line["games"] for line in without_seconds(folder)] == [12, 24, 36]  # the curve shows what happened


def test_the_scale_of_the_paper_is_that_of_the_paper(command, runs):
    helped = command(train, "scale=paper", "--help").out
    published = {
        "learn.games": "128",
        "learn.optimiser": "sgd",
        "learn.baseline": "zero",
        "iterations": "10000",
        "pool_every": "500",
        "learn.entropy": "0.0",
        "learn.kl": "0.0",
        "learn.random_moves": "0",
        "learn.decay": "0.0",
    }
    for name, value in published.items():
        assert re.search(rf"^  {re.escape(name)}={re.escape(value)} ", helped, re.MULTILINE), name
    parent = f"parent={runs}/rl.safetensors"
    few = ("learn.games=4", "iterations=1", "evaluation_games=2", "test_games=2", "komi=2.5", "threads=1")
    done = command(train, "scale=paper", parent, *few, "precision=float32")
    assert done.code == 0, done.err
    folder = runs / "paper" / "rl_policy.train"
    settings = manifest_of(folder)["settings"]
    assert settings["learn"]["optimiser"] == "sgd" and settings["learn"]["baseline"] == "zero"
    assert without_seconds(folder)[0]["games"] == 4
    sl, rl = Weights.load(runs / "rl.safetensors"), Weights.load(folder / "rl.safetensors")
    moved = {name: np.abs(rl.tensors[name] - sl.tensors[name]).max() for name in sl.tensors}
    assert all(0 < distance < 0.1 for distance in moved.values())


# Matches


def match_arguments(runs, *more):
    sl = runs / "small" / "sl_policy.train" / "policy.safetensors"
    return (
        *("run=small", f"weights={runs}/rl.safetensors", f"sl_weights={sl}", "size=5", "komi=2.5"),
        *("games=8", "other_games=4", "threads=1", *more),
    )


def test_a_match_against_all_comers(command, runs):
    arguments = match_arguments(runs, "opponents=sl,sl_greedy,random,rollout,gnugo", f"engine={ENGINE} sound")
    done = command(match, *arguments)
    assert done.code == 0, done.err
    folder = runs / "small" / "rl_policy.match"
    results = manifest_of(folder)["metrics"]
    assert list(results) == ["sl", "sl_greedy", "random", "rollout", "gnugo"]
    assert {name: len(found) for name, found in results.items()} == dict(zip(results, (8, 8, 4, 4, 4), strict=True))
    assert all(set(found) <= {0, 0.5, 1} for found in results.values())
    rl, sl = Weights.load(runs / "rl.safetensors"), Weights.load(runs / "small/sl_policy.train/policy.safetensors")
    for name, stream, temperature in (("sl", 0, 1.0), ("sl_greedy", 1, 0.001)):
        settings = GameSettings(2.5, temperatures=(1.0, temperature))
        assert results[name] == ((play_games(rl, sl, 8, (1, stream), settings).outcomes + 1) / 2).tolist()
    for name, found in results.items():
        shares = f"{share_text(sum(found), len(found))} | {100 * np.mean(found[::2]):.1f}% | "
        row = next(line for line in done.out.splitlines() if line.startswith(f"| {name} "))
        assert shares + f"{100 * np.mean(found[1::2]):.1f}% |" in re.sub(" +", " ", row)
    assert "more than 80%" in done.out and "85% against Pachi" in done.out
    again = command(match, *arguments)
    assert again.out.startswith("Done earlier") and again.out.endswith(done.out)
    assert {path.name for path in folder.iterdir()} == {"manifest.json"}


def test_games_are_counted_for_the_seat_of_the_rl_policy(command, runs):
    """With 100 points of komi for one side, the colour decides every game, against networks and others alike."""
    for komi, expected in (("-100", [1, 0]), ("100", [0, 1])):
        arguments = match_arguments(runs, "opponents=sl,random", f"komi={komi}", "games=4", f"run=komi{komi}")
        assert command(match, *arguments).code == 0
        results = manifest_of(runs / f"komi{komi}" / "rl_policy.match")["metrics"]
        assert results == {"sl": expected * 2, "random": expected * 2}


def test_a_killed_match_goes_on_without_losing_games(command, runs, from_here, monkeypatch):
    arguments = match_arguments(runs, "opponents=sl,random", "other_games=64")
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "rl_policy.match", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(runs)},
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    folder = runs / "small" / "rl_policy.match"

    def noted():
        saved = read_json(folder / "progress.json") or {"results": {}}
        return saved["results"]

    deadline = time.monotonic() + 240
    while not noted().get("random") and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    saved = noted()
    assert len(saved["sl"]) == 8 and len(saved["random"]) in (16, 32, 48)
    numbers, play_one = [], match.play_one

    def count(settings, network, name, number):
        numbers.append(number)
        return play_one(settings, network, name, number)

    monkeypatch.setattr(match, "play_one", count)
    monkeypatch.setattr(match, "network_games", lambda *given: pytest.fail("these games were done"))
    done = command(match, *arguments)
    assert done.code == 0, done.err
    assert numbers == list(range(len(saved["random"]), 64)) and not (folder / "progress.json").exists()
    results = manifest_of(folder)["metrics"]
    assert results["sl"] == saved["sl"] and results["random"][: len(saved["random"])] == saved["random"]
    settings, rl = match.Settings(size=5, komi=2.5), Network.load(runs / "rl.safetensors")
    for number in (0, 7, 63):  # a game depends on its number alone
        assert results["random"][number] == play_one(settings, rl, "random", number)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["opponents=sl,katago"], "opponents=katago is none of sl, sl_greedy, rollout, random, gnugo."),
        (["opponents="], "opponents= is none of sl, sl_greedy, rollout, random, gnugo."),
        (["weights=none"], "There is no network in none."),
        (["weights=RUNS/nine.safetensors"], "This network is not a policy network for 5x5."),
        (["weights=RUNS/value.safetensors"], "This network is not a policy network for 5x5."),
        (["weights=run", "run=other"], "There is no RUNS/other/rl_policy.train/rl.safetensors; ./prezero rl_policy"),
        (["games=1"], "games=1 is not at least 2."),
        (["size=1"], "size=1 is not between 2 and 19."),
    ],
)
def test_bad_matches_are_one_sentence(command, runs, arguments, sentence):
    arguments, sentence = [text.replace("RUNS", str(runs)) for text in arguments], sentence.replace("RUNS", str(runs))
    done = command(match, *match_arguments(runs, *arguments))
    assert done.code == 2 and done.err.startswith(f"prezero: {sentence}") and done.err.count("\n") == 1, done.err


def test_an_engine_that_fails_is_one_sentence(command, runs):
    arguments = match_arguments(runs, "opponents=gnugo", "other_games=2", f"engine={ENGINE} crash --after 2")
    done = command(match, *arguments)
    assert done.code == 2 and done.err.splitlines()[-1].startswith("prezero: A game against gnugo ended with an error:")
    assert not (runs / "small" / "rl_policy.match" / "manifest.json").exists()


# Show and player


def test_where_the_policies_differ_is_printed_and_drawn(command, runs):
    sl = runs / "small" / "sl_policy.train" / "policy.safetensors"
    arguments = ("size=5", "komi=2.5", "games=6", "positions=3", "threads=1", f"sl_weights={sl}")
    done = command(show, *arguments, f"weights={runs}/rl.safetensors", f"svg={runs}/differ.svg")
    assert done.code == 0, done.err
    rows = re.findall(
        r"^\| +(\d+) +\| +(\d+) \| +([A-E]\d) (\d+)% +\| +([A-E]\d) (\d+)% +\| +([\d.]+) \|", done.out, re.MULTILINE
    )
    assert len(rows) == 3 and len({row[0] for row in rows}) == 3
    weights = {"RL": Weights.load(runs / "rl.safetensors"), "SL": Weights.load(sl)}
    played = play_games(weights["RL"], weights["SL"], 6, (1,), GameSettings(2.5))
    nats = []
    for game, move, sl_move, sl_share, rl_move, rl_share, shown in rows:
        position = Position(5, 2.5)
        for point in played.moves[int(game) - 1, : int(move) - 1]:
            position.play(int(point))
        p, q = (Network(weights[name]).of_positions([position], ALL_SYMMETRIES)[0] for name in ("RL", "SL"))
        for chances, vertex, share in ((p, rl_move, rl_share), (q, sl_move, sl_share)):
            assert points_of(5)[chances.argmax()] == position.point(vertex)
            assert float(share) == pytest.approx(100 * chances.max(), abs=0.51)
        nats.append(sum(a * np.log(a / b) for a, b in zip(p, q, strict=True) if a > 0))
        assert float(shown) == pytest.approx(nats[-1], abs=0.006) == pytest.approx(float(divergence(p, q)), abs=0.006)
    assert nats == sorted(nats, reverse=True)
    texts = texts_of(runs / "differ.svg")
    assert (
        "Where the RL and the SL policy differ most" in texts
        and len(ET.parse(runs / "differ.svg").findall(f"{SVG}svg")) == 6
    )
    assert any(f"{rows[0][4]} {rows[0][5]}%" in text for text in texts)
    same = command(show, *arguments, f"weights={sl}")
    assert "Mean divergence of the RL policy from the SL policy in 6 games: 0.000 nats." in same.out
    for wrong, sentence in (
        ([f"weights={runs}/nine.safetensors"], "The RL network is not a policy network for 5x5."),
        ([f"weights={runs}/value.safetensors"], "The RL network is not a policy network for 5x5."),
        ([f"weights={runs}/few.safetensors"], "The SL and the RL network see different planes"),
        ([f"weights={runs}/rl.safetensors", "size=9"], "The SL network is not a policy network for 9x9."),
        (["weights=none"], "There is no network in none."),
        ([f"weights={sl}", "positions=0"], "positions=0 is not between 1 and 60."),
    ):
        refused = command(show, *arguments, *wrong)
        assert refused.code == 2 and refused.err.startswith(f"prezero: {sentence}"), refused.err
        assert refused.err.count("\n") == 1


def test_the_player_rl_plays_the_network_of_a_run(runs, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(runs))
    settings = dataclasses.replace(preset("rl"), greedy=True, run="small")
    with pytest.raises(UserError, match=r"rl_policy\.train/rl\.safetensors; \./prezero rl_policy\.train run=small"):
        ready_player(settings, 5)
    folder = runs / "small" / "rl_policy.train"
    folder.mkdir()
    (runs / "rl.safetensors").rename(folder / "rl.safetensors")
    player, network = ready_player(settings, 5), Network.load(folder / "rl.safetensors")
    other, position = RandomPlayer(3), Position(5, 2.5)
    for _ in range(8):
        chances = network.of_positions([position])[0]
        decision = player.decide(position)
        assert decision.move == points_of(5)[chances.argmax()] and "policy network" in decision.why
        position.play(decision.move)
        position.play(other.decide(position).move)
    assert player.name == "rl, greedy" and player.sizes == (5,)
    sampled = dataclasses.replace(settings, greedy=False)
    moves = {ready_player(dataclasses.replace(sampled, seed=seed), 5).decide(Position(5)).move for seed in range(8)}
    assert len(moves) > 2
