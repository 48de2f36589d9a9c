"""`rollout.train` as a user meets it, and its two trainers: what they learn, and that a kill changes nothing."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT, prezero, store_of
from random_games import random_record
from safetensors.numpy import load_file

from data.positions import learnable_moves
from data.record import to_sgf
from data.store import GameStore
from go import Position
from nets.find import find_weights
from pipeline.errors import UserError
from pipeline.settings import validate
from pipeline.training import train
from rollout import softmax
from rollout.choices import choices
from rollout.features import DISTANCES, PLACES
from rollout.games import games_of
from rollout.logistic import LogisticTrainer, rows_of
from rollout.model import Model, read_card
from rollout.policies import Thresholds, find_patterns, learnable_counts, untrained
from rollout.softmax import SoftmaxTrainer, evaluate
from rollout.train import Parts, Settings, accuracy_table, centre_distances, feature_table, shares
from rollout.weights_drawn import MET, sheet_svg
from rollout.weights_drawn import rows_of as drawn_rows

GAMES = 150


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of runs; the run `tiny` has a store of real games, in which there is something to learn."""
    folder = tmp_path_factory.mktemp("runs")
    with zipfile.ZipFile(ROOT / "data" / "corpus" / "expert9.zip") as archive:
        games = archive.read("expert9.sgfs").splitlines()[:GAMES]
    store_of(folder / "tiny" / "data.prepare", games, 9)
    return folder


@pytest.fixture(scope="module")
def store(runs):
    return GameStore(runs / "tiny" / "data.prepare")


@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(2) as made:
        yield made


@pytest.fixture(scope="module")
def patterns(store, pool, tmp_path_factory):
    path = tmp_path_factory.mktemp("patterns") / "patterns.safetensors"
    return find_patterns(store, np.arange(len(store)), Thresholds(9, 3, 3), pool, path, "key")


def test_patterns_are_harvested_once_whatever_the_chunks_and_threads(store, patterns, tmp_path, pool, monkeypatch):
    monkeypatch.setattr("rollout.policies.CHUNK", 7)
    path = tmp_path / "patterns.safetensors"
    again = find_patterns(store, np.arange(len(store)), Thresholds(9, 3, 3), pool, path, "key")
    for ours, theirs in zip(again, patterns, strict=True):
        assert np.array_equal(ours, theirs)
    assert patterns.square_counts.min() >= 9 and patterns.response_counts.min() >= 3
    every = find_patterns(
        store, np.arange(len(store)), Thresholds(1, 1, 1), pool, path, "other key"
    )  # not the old file
    assert len(every.squares) > len(patterns.squares) and every.square_counts.min() == 1
    assert every.diamond_counts.sum() == sum(len(learnable_moves(store, split)) for split in range(3))
    before = path.read_bytes()
    kept = find_patterns(store, np.arange(3), Thresholds(9, 9, 9), pool, path, "other key")  # the file is believed
    assert len(kept.squares) == len(every.squares) and path.read_bytes() == before
    damaged = bytearray(before)
    damaged[-1] ^= 1
    for torn in (b"torn", bytes(damaged)):
        path.write_bytes(torn)
        found = find_patterns(store, np.arange(3), Thresholds(1, 1, 1), pool, path, "other key")
        assert 0 < len(found.squares) < len(every.squares)


def test_games_are_chosen_by_part_and_bound(store):
    counts = learnable_counts(store)
    for split in range(3):
        assert counts[store.games["split"] == split].sum() == len(learnable_moves(store, split))
    parts = Parts(store, Settings(positions=600, harvest_games=4))
    assert 450 < parts.positions == counts[parts.learnt].sum() <= 600
    assert len(parts.harvested) == 4 and set(parts.harvested) <= set(np.flatnonzero(store.games["split"] == 0))
    everything = Parts(store, Settings())
    assert sorted(everything.learnt) == np.flatnonzero(store.games["split"] == 0).tolist()
    assert set(everything.harvested) == set(everything.learnt)
    assert (store.games["split"][everything.held_out["test"]] == 2).all()
    assert len(Parts(store, Settings(positions=1)).learnt) == 1  # one game at least
    assert Parts(store, Settings(seed=2)).learnt.tolist() != everything.learnt.tolist()


def test_a_part_without_games_is_refused(tmp_path):
    with_all_in_train = store_of(tmp_path, [to_sgf(random_record(5, 10, 1))], 5, shares=(0, 0))
    with pytest.raises(UserError, match=r"The validation part of the store in .* has no positions"):
        Parts(with_all_in_train, Settings())


def softmax_trainer(store, model, pool):
    return SoftmaxTrainer(store, np.arange(len(store)), model.tables(), len(model.weights), 2, 0.4, seed=1, pool=pool)


def without_seconds(history):
    return [{name: value for name, value in entry.items() if name != "seconds"} for entry in history]


@pytest.mark.parametrize("policy", ["rollout", "tree"])
def test_softmax_learns_the_same_on_any_number_of_threads_and_after_a_stop(
    store, patterns, tmp_path, monkeypatch, policy
):
    monkeypatch.setattr(softmax, "BLOCK", 31)  # no whole number of batches
    model = untrained(patterns, policy)
    weights, histories = [], []
    for number, threads in enumerate((1, 3)):
        with ThreadPoolExecutor(threads) as pool:
            trainer = softmax_trainer(store, model, pool)
            path = tmp_path / f"{number}"
            history = train(trainer, "learning", path, {"key": 1}, lambda t=trainer: {"w": float(t.weights[0])})
            weights.append(trainer.learner.weights)
            histories.append(without_seconds(history))
            assert len(history) == trainer.steps == 10
    assert np.array_equal(*weights) and histories[0] == histories[1]
    assert histories[0][-1]["positions"] == 2 * learnable_counts(store).sum() - 2 * left_out(store, model)

    def die() -> dict:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(1)
        return {}

    seen = []
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(KeyboardInterrupt):
            train(softmax_trainer(store, model, pool), "learning", tmp_path / "cut", {"key": 1}, die)
        again = softmax_trainer(store, model, pool)
        later = without_seconds(
            train(again, "learning", tmp_path / "cut", {"key": 1}, lambda: {"w": float(again.weights[0])})
        )
        assert len(later) == 10 and "w" not in later[1] and later[-1] == histories[0][-1]
        assert np.array_equal(again.learner.weights, weights[0])
        done = softmax_trainer(store, model, pool)
        with pytest.raises(UserError, match="holds an unfinished run of other settings"):
            train(done, "learning", tmp_path / "cut", {"key": 2}, lambda: {})
        (tmp_path / "cut").write_bytes(b"torn")
        with pytest.raises(UserError, match="is not what we wrote; remove it to begin anew"):
            train(done, "learning", tmp_path / "cut", {"key": 1}, lambda: {})


def left_out(store, model):
    with ThreadPoolExecutor(1) as pool:
        return evaluate(store, np.arange(len(store)), model.tables(), model.weights, pool)["left_out"]


def test_shares_together_learn_what_one_game_after_another_teaches(store, patterns, pool):
    model, games = untrained(patterns, "rollout"), np.arange(len(store))
    tables, found = model.tables(), []
    for together in (True, False):
        trainer = SoftmaxTrainer(store, games, tables, len(model.weights), passes=3, rate=0.4, seed=1, pool=pool)
        assert (trainer.shares, trainer.batch) == (2, 2)
        trainer.shares, trainer.batch = (2, 2) if together else (1, 1)
        for number in range(trainer.steps):
            trainer.step(number)
        found.append(shares(evaluate(store, games, tables, trainer.weights, pool))["log_likelihood"])
    untaught = shares(evaluate(store, games, tables, model.weights, pool))["log_likelihood"]
    assert found[1] > untaught + 1 and abs(found[0] - found[1]) < 0.02


def test_equal_moves_share_a_hit(store, patterns, pool):
    model = untrained(patterns, "rollout")
    shown = evaluate(store, np.arange(len(store)), model.tables(), model.weights, pool)
    candidates = shown["candidates"] / shown["positions"]
    assert 1 / candidates < shown["top1"] / shown["positions"] < 2 / candidates  # not 1: all moves are equally good
    assert shown["top5"] == pytest.approx(5 * shown["top1"], rel=0.01)
    found = shares(shown)
    assert found["moves"] == shown["positions"] + shown["left_out"] == learnable_counts(store).sum()
    assert found["top1"] == shown["top1"] / found["moves"]


def test_rows_are_the_played_move_and_sampled_rivals(store, patterns):
    model, games = untrained(patterns, "tree"), np.arange(len(store))
    tables, arrays = model.tables(), games_of(store)
    every, played = rows_of(arrays, games, tables, len(model.weights), 0, 1, 0)
    some, some_played = rows_of(arrays, games, tables, len(model.weights), 3, 1, 0)
    assert every.shape[1] == some.shape[1] == len(model.weights)
    assert played.sum() == some_played.sum() > 0.9 * learnable_counts(store).sum()
    starts = np.append(np.flatnonzero(some_played), len(some_played))
    assert set(np.diff(starts)) <= {1, 2, 3, 4} and 4 in np.diff(starts)
    all_starts = np.append(np.flatnonzero(played), len(played))
    assert np.array_equal(np.minimum(np.diff(all_starts), 4), np.diff(starts))
    assert (every.data == 1).all() and every.has_canonical_format and np.diff(every.indptr).max() <= PLACES
    for position in (0, 5, 40):  # sampled rivals are among those of the position, none twice, the played move first
        whole = [tuple(row.indices) for row in every[all_starts[position] : all_starts[position + 1]]]
        sample = [tuple(row.indices) for row in some[starts[position] : starts[position + 1]]]
        assert sample[0] == whole[0] and all(sample.count(row) <= whole.count(row) for row in sample)
    again, _ = rows_of(arrays, games, tables, len(model.weights), 3, 1, 0)
    other, _ = rows_of(arrays, games, tables, len(model.weights), 3, 2, 0)
    assert np.array_equal(again.indices, some.indices) and not np.array_equal(other.indices, some.indices)


def test_logistic_learns_and_goes_on_after_a_stop(store, patterns, pool, monkeypatch):
    monkeypatch.setattr("rollout.logistic.ITERATIONS", 4)
    model, games = untrained(patterns, "rollout"), np.arange(len(store))
    tables = model.tables()

    def new() -> LogisticTrainer:
        return LogisticTrainer(store, games, tables, len(model.weights), 5, 10, seed=1, pool=pool)

    whole = new()
    assert whole.steps == 3
    assert [whole.step(number)["iterations"] for number in range(3)] == [4, 4, 2]
    first, second = new(), new()
    first.step(0)
    second.restore(first.state())
    second.step(1)
    second.step(2)
    assert np.array_equal(second.weights, whole.weights)
    untaught, taught = (
        shares(evaluate(store, games, tables, weights, pool)) for weights in (model.weights, whole.weights)
    )
    assert taught["log_likelihood"] > untaught["log_likelihood"] + 1 and taught["top1"] > 10 * untaught["top1"]
    monkeypatch.setattr("rollout.logistic.MOST_ROWS", 100)
    with pytest.raises(UserError, match="more than 100 rows: set fewer positions or negatives"):
        new()


def test_centred_distances_change_no_probability(patterns):
    model = untrained(patterns, "tree")
    model.weights = np.random.default_rng(1).normal(size=len(model.weights)).astype(np.float32)
    first, position = model.first("last move distance"), Position(9).play("E5").play("C3").play("D3")
    model.weights[first + 16] = 0  # as is everything that was never met
    before = {choice.point: choice.probability for choice in choices(position, model)}
    mean = model.weights[first : first + 16].mean()
    expected = model.weights[first + 3] - mean
    centre_distances(model)
    assert model.weights[first + 3] == pytest.approx(expected) and model.weights[first + 16] == 0
    assert abs(model.weights[first + DISTANCES : first + 2 * DISTANCES].sum()) < 1e-4
    after = {choice.point: choice.probability for choice in choices(position, model)}
    assert after == pytest.approx(before, rel=1e-4) and len(before) == 78


def test_the_sheet_shows_both_ends_of_the_scale(patterns):
    model = untrained(patterns, "tree")
    model.weights = np.random.default_rng(1).normal(size=len(model.weights)).astype(np.float32)
    rows = drawn_rows(model, patterns)
    liked, disliked = rows[:2]
    first = model.first("non-response pattern")
    often = model.weights[first : first + len(patterns.squares)][patterns.square_counts >= MET]
    assert liked.weights == sorted(often, reverse=True)[: len(liked.weights)] and len(liked.weights) == 10
    assert disliked.weights == sorted(often)[: len(disliked.weights)]
    assert [row.title.split(",")[0] for row in rows[::2]] == [
        *("3x3 patterns around the move", "Answers to the last move", "Diamonds around the move")
    ]
    drawn = ET.fromstring(sheet_svg({"tree": rows}))
    texts = ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("Tree policy: 3x3 patterns around the move, most liked") for text in texts)
    assert f"{liked.weights[0]:+.2f}" in texts and f"met {liked.counts[0]:,}" in texts
    assert len(drawn.findall(".//{*}rect[@fill='#c4161c']")) == sum(len(row.codes) for row in rows)


def test_tables_lay_ours_beside_the_papers(patterns):
    counts = {policy: untrained(patterns, policy).counts() for policy in ("rollout", "tree")}
    lines = feature_table(counts).splitlines()
    assert lines[-1].endswith("109,747 and 141,989 |") and f"{sum(counts['tree'].values()):,}" in lines[-1]
    assert any("nakade" in line and "8,192" in line and "234" in line for line in lines)
    assert "self-atari" not in feature_table({"rollout": counts["rollout"]})
    shown = {
        "top1": 0.3,
        "top5": 0.5,
        "log_likelihood": -3.0,
        "candidates": 250.0,
        "no candidate": 0.001,
        "moves": 1000,
    }
    row = accuracy_table({"rollout": {"test": shown}}).splitlines()[-1]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        *("rollout", "test", "1,000", "30.00%", "24.2%", "50.00%", "-3.0000", "250.0", "0.100%")
    ]


ARGUMENTS = ("scale=tiny", "epochs=2", "positions=0")


def test_the_stage_writes_policies_with_cards_and_can_be_killed(runs, tmp_path):
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "data.prepare").symlink_to(runs / "tiny" / "data.prepare")
    done = prezero("rollout.train", *ARGUMENTS, runs=runs)
    assert done.returncode == 0, done.stderr
    folder = runs / "tiny" / "rollout.train"
    assert {path.name for path in folder.iterdir()} == {
        *("rollout.safetensors", "tree.safetensors", "patterns.safetensors"),
        *("manifest.json", "metrics.jsonl", "curve.svg", "patterns.svg"),
    }
    manifest = json.loads((folder / "manifest.json").read_text())
    held_out = {policy: shown["test"] for policy, shown in manifest["metrics"]["held out"].items()}
    assert held_out["tree"]["top1"] > held_out["rollout"]["top1"] > 0.25 > 0.05 > held_out["uniform"]["top1"]
    assert f"{100 * held_out['rollout']['top1']:.2f}%" in done.stdout
    card = read_card(folder / "rollout.safetensors")
    assert card["results"]["test"] == held_out["rollout"] and card["size"] == 9
    assert card["store"] == manifest["settings"]["data.prepare"] and card["settings"] == manifest["settings"]
    assert manifest["inputs"] == [
        {"stage": "data.prepare", "folder": str(runs / "tiny" / "data.prepare"), "fingerprint": card["store"]}
    ]
    assert manifest["result"] == (
        f"rollout policy {100 * held_out['rollout']['top1']:.1f}%, tree policy {100 * held_out['tree']['top1']:.1f}% "
        "of the moves of held-out games"
    )
    for policy, fingerprint in manifest["metrics"]["fingerprint"].items():
        assert Model.load(folder / f"{policy}.safetensors").fingerprint() == fingerprint
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["of"] for line in metrics] == ["rollout"] * (len(metrics) // 2) + ["tree"] * (len(metrics) // 2)
    assert metrics[-1]["positions"] == pytest.approx(2 * manifest["metrics"]["positions"], rel=0.01)
    again = prezero("rollout.train", *ARGUMENTS, runs=runs)
    assert again.stdout.startswith("Done earlier") and again.stdout.endswith(done.stdout)
    other = prezero("rollout.train", *ARGUMENTS, "seed=2", runs=runs)
    assert other.returncode == 2 and "holds the results of other settings" in other.stderr

    command = [sys.executable, "-m", "pipeline", "rollout.train", *ARGUMENTS, "run=killed", "threads=1"]
    checkpoint = tmp_path / "killed" / "rollout.train" / "rollout.checkpoint.safetensors"
    process = subprocess.Popen(command, env={**os.environ, "PREZERO_RUNS": str(tmp_path)}, cwd=ROOT)
    deadline = time.monotonic() + 120
    while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and checkpoint.exists()
    resumed = prezero("rollout.train", *ARGUMENTS, "run=killed", runs=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    for policy in ("rollout", "tree"):
        ours, theirs = (load_file(path / f"{policy}.safetensors") for path in (folder, checkpoint.parent))
        assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    again = [json.loads(line) for line in (checkpoint.parent / "metrics.jsonl").read_text().splitlines()]
    assert without_seconds(again) == without_seconds(metrics)
    assert not checkpoint.exists()
    checkpoint.write_bytes(b"left by a kill after the manifest")
    prezero("rollout.train", *ARGUMENTS, "run=killed", runs=tmp_path)
    assert not checkpoint.exists()


def test_a_policy_of_a_run_is_loaded_by_name(runs, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(runs))
    with pytest.raises(UserError, match=r"There is no .*; ./prezero rollout.train run=nothing makes it"):
        find_weights("rollout", 9, "run", "nothing")
    with pytest.raises(UserError, match="There are no weights named forest; there are rollout, tree"):
        find_weights("forest", 9, "run", "tiny")
    folder = runs / "loaded" / "rollout.train"
    folder.mkdir(parents=True)
    Model.untrained(np.array([5]), np.array([9]), np.array([3])).save(folder / "rollout.safetensors", {})
    assert Model.load(find_weights("rollout", 9, "run", "loaded")).squares.tolist() == [5]


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("policies=forest", "policies=forest is none of both, rollout, tree."),
        ("trainer=magic", "trainer=magic is none of softmax, logistic."),
        ("positions=-1", "positions=-1 is not at least 0."),
        ("epochs=0", "epochs=0 is not at least 1."),
        ("min_squares=0", "min_squares=0 is not at least 1."),
        ("learning_rate=0", "learning_rate=0 is not above 0 and at most 10."),
        ("threads=-1", "threads=-1 is not between 0 and 256."),
    ],
)
def test_bad_settings_are_one_sentence(argument, sentence):
    name, value = argument.split("=")
    kind = type(getattr(Settings(), name))
    with pytest.raises(UserError) as refused:
        validate(Settings(**{name: kind(value)}))
    assert str(refused.value) == sentence


def test_a_store_is_needed(tmp_path):
    missing = prezero("rollout.train", "scale=tiny", runs=tmp_path)
    assert missing.returncode == 2 and "./prezero data.prepare run=tiny scale=tiny makes one" in missing.stderr
