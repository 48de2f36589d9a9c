"""The commands of the policy network as a user meets them: `sl_policy.train`, `evaluate`, `show` and `table`."""

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
from conftest import ROOT, prezero, store_of
from safetensors.numpy import load_file
from small_networks import InProcess, random_games, random_weights

from data.store import GameStore
from go import Position
from nets.find import find_weights, shipped_sizes
from nets.module import weights_of
from nets.network import ALL_SYMMETRIES, Network
from nets.weights import Weights
from pipeline import training
from pipeline.errors import UserError
from sl_policy import evaluate, show, table, train
from sl_policy.accuracy import find_moves, held_out, summary
from sl_policy.mistakes import draw_mistakes, mistakes
from sl_policy.trainer import PolicyTrainer

TINY = (
    "scale=tiny",
    "run=small",
    "net.filters=4",
    "net.layers=3",
    "net.planes=20",
    "optimiser.batch_size=32",
)
TINY = (
    *TINY,
    "positions=640",
    "evaluations=4",
    "validation_positions=60",
    "test_positions=100",
    "precision=float32",
    "threads=1",
)
FILES = {"policy.safetensors", "manifest.json", "metrics.jsonl", "curve.svg", "by_move_number.svg", "mistakes.svg"}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Random games on 5x5, where a network learns in no time."""
    folder = tmp_path_factory.mktemp("games")
    store_of(folder, random_games(5, 40, 60), 5)
    return folder


@pytest.fixture
def runs(games, tmp_path):
    """A folder of runs, of which `small` has games."""
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "data.prepare").symlink_to(games)
    return tmp_path


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


def test_a_network_is_learnt_once_and_says_all_about_itself(command, runs):
    done = command(train, *TINY)
    assert done.code == 0, done.err
    folder, store = runs / "small" / "sl_policy.train", GameStore(runs / "small" / "data.prepare")
    assert {path.name for path in folder.iterdir()} == FILES
    manifest, weights = manifest_of(folder), Weights.load(folder / "policy.safetensors")
    settings, metrics = manifest["settings"], manifest["metrics"]
    assert settings["net"] == {"filters": 4, "layers": 3, "planes": 20, "moves": "sensible"}
    assert settings["precision"] == "float32" and settings["data.prepare"] == store.about["fingerprint"]
    assert settings["optimiser"]["kind"] == "adamw" and settings["positions"] == 640
    count = 25 * 20 * 4 + 9 * 16 + 2 * 4 + 4 + 25
    assert (
        metrics["parameters"] == count == weights.description.parameter_count()
        and metrics["size"] == 5
        and metrics["positions"] == 640
    )
    assert metrics["fingerprint"] == weights.fingerprint() and weights.card["settings"] == settings
    index = held_out(store, "test", 100)
    shown = summary(find_moves(Network(weights), store, index))
    assert metrics["results"]["test"] == pytest.approx(shown) == weights.card["figures"]["results"]["test"]
    assert sum(row["moves"] for row in metrics["results"]["by move number"]) == 100
    assert manifest["result"] == f"4 filters, 3 layers: {100 * shown['top1']:.1f}% of test moves found"
    assert f"{100 * shown['top1']:.2f}% | {100 * shown['top5']:.2f}%" in re.sub(" +", " ", done.out)
    assert f"20 planes, {count:,} parameters; 640 positions" in done.out
    lines = without_seconds(folder)
    assert [line["positions"] for line in lines] == [160, 320, 480, 640] and {line["of"] for line in lines} == {
        "policy"
    }
    exact = Network(weights, precision="float32")  # as while learning
    watched = summary(find_moves(exact, store, held_out(store, "validation", 60)))
    assert lines[-1]["log-loss"] == pytest.approx(watched["log_loss"]) and lines[-1]["top-1"] == watched["top1"]
    assert {"Moves found", "Log-loss of a move", "validation games"} <= set(texts_of(folder / "curve.svg"))
    assert "number of the move" in texts_of(folder / "by_move_number.svg")
    assert any(text.startswith("Where the network is wrong") for text in texts_of(folder / "mistakes.svg"))
    again = command(train, *TINY)
    assert again.out == f"Done earlier, by version {manifest['code']}; remove {folder} to do it anew.\n\n{done.out}"
    before = (folder / "policy.safetensors").read_bytes()
    for other in ("seed=2", "net.filters=5", "optimiser.learning_rate=0.001", "positions=320"):
        refused = command(train, *TINY, other)
        assert refused.code == 2 and "holds the results of other settings; name this run with run=NAME" in refused.err
    assert (folder / "policy.safetensors").read_bytes() == before
    elsewhere = command(train, *TINY, "run=other", "games=small")
    assert elsewhere.code == 0, elsewhere.err
    assert manifest_of(runs / "other" / "sl_policy.train")["metrics"]["fingerprint"] == metrics["fingerprint"]


def test_games_are_needed_and_give_the_board(command, runs):
    missing = command(train, "scale=tiny", "run=none")
    assert missing.code == 2 and missing.err.startswith("prezero: There is no game store in")
    assert "; ./prezero data.prepare run=none makes one." in missing.err
    assert "; ./prezero data.prepare run=tiny scale=tiny makes one." in command(train, "scale=tiny").err
    assert "sl_policy.train has no setting 'board'" in command(train, *TINY, "board=9x9").err


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("net.filters=0", "net.filters=0 is not at least 1."),
        ("net.filters=1000000", "There is not enough memory for these settings (learning this network takes 100,"),
        ("net.layers=2", "net.layers=2 is not at least 3."),
        ("net.planes=7", "net.planes=7 is none of 4, 12, 20, 48."),
        ("net.planes=49", "net.planes=49 is none of 4, 12, 20, 48."),
        ("net.moves=x", "net.moves=x is none of sensible, legal."),
        ("net=huge", "net=huge does not exist; there are paper, small, tiny, "),
        ("optimiser.kind=x", "optimiser.kind=x is none of sgd, adamw."),
        ("optimiser.schedule=x", "optimiser.schedule=x is none of cosine, halving."),
        ("optimiser.init=x", "optimiser.init=x is none of he, torch."),
        ("optimiser.norm=x", "optimiser.norm=x is none of batch, none."),
        ("optimiser.batch_size=0", "optimiser.batch_size=0 is not at least 1."),
        ("optimiser.halve_every=0", "optimiser.halve_every=0 is not at least 1."),
        ("optimiser.momentum=1", "optimiser.momentum=1 is not at least 0 and below 1."),
        ("optimiser.weight_decay=-1", "optimiser.weight_decay=-1 is not at least 0 and below 100."),
        ("optimiser.learning_rate=0", "optimiser.learning_rate=0 is not above 0 and at most 100."),
        ("optimiser.learning_rate=nan", "optimiser.learning_rate=nan is not above 0 and at most 100."),
        ("positions=0", "positions=0 is not at least 1."),
        ("evaluations=0", "evaluations=0 is not at least 1."),
        ("test_positions=-1", "test_positions=-1 is not at least 0."),
        ("threads=257", "threads=257 is not between 0 and 256."),
        ("precision=x", "precision=x is none of auto, float32, bfloat16."),
        ("device=x", "device=x is none of auto, cpu, cuda, mps."),
        ("device=cuda", "device=cuda is not there on this machine; device=auto takes what is."),
        ("run=a/b", "run='a/b' is not a name for a folder in"),
        ("filters=3", "sl_policy.train has no setting 'filters'; did you mean net.filters?"),
    ],
)
def test_bad_settings_are_one_sentence(command, runs, argument, sentence):
    if argument == "device=cuda":
        torch = pytest.importorskip("torch")
        if torch.cuda.is_available():
            pytest.skip("this machine has a GPU")
    done = command(train, *TINY, "games=small", argument)
    assert done.code == 2 and done.err.startswith(f"prezero: {sentence}") and done.err.count("\n") == 1
    assert not (runs / "small" / "sl_policy.train" / "manifest.json").exists()


def test_a_real_process_ends_with_code_2(runs):
    done = prezero("sl_policy.train", *TINY, "net.filters=0", runs=runs)
    assert done.returncode == 2 and done.stderr.startswith("prezero: net.filters=0 is") and not done.stdout


def test_a_kill_at_any_moment_changes_nothing(command, runs):
    arguments = (*TINY, "positions=12800", "evaluations=8")
    whole = command(train, *arguments, "run=whole", "games=small")
    assert whole.code == 0, whole.err
    folder = runs / "small" / "sl_policy.train"
    checkpoint = folder / "checkpoint.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", "sl_policy.train", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(runs)},
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and checkpoint.exists() and not (folder / "manifest.json").exists()
    with_key = json.dumps(manifest_of(runs / "whole" / "sl_policy.train")["settings"])
    assert 0 < training.read_checkpoint(checkpoint, with_key).steps < 400
    resumed = prezero("sl_policy.train", *arguments, runs=runs)
    assert resumed.returncode == 0, resumed.stderr
    ours, theirs = (load_file(path / "policy.safetensors") for path in (folder, runs / "whole" / "sl_policy.train"))
    assert ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert without_seconds(folder) == without_seconds(runs / "whole" / "sl_policy.train")
    assert {path.name for path in folder.iterdir()} == FILES


def test_the_scale_of_the_paper_learns_and_resumes(command, runs, monkeypatch):
    """Every number as published (Methods); only the number of steps is ours: 340 million took three weeks."""
    store_of(runs / "paper" / "data.prepare", random_games(19, 24, 16), 19, shares=(0.2, 0.2))
    learnt = []

    def die_after_two(trainer, number, step=PolicyTrainer.step):
        if number == 2 and not learnt:
            learnt.append(weights_of(trainer.network).fingerprint())
            raise KeyboardInterrupt
        return step(trainer, number)

    monkeypatch.setattr(PolicyTrainer, "step", die_after_two)
    arguments = (
        "scale=paper",
        "net=paper",
        "optimiser=paper",
        "validation_positions=2",
        "test_positions=2",
        "threads=1",
        "positions=48",
    )
    stopped = command(train, *arguments, "evaluations=3")
    assert stopped.code == 130 and "run the same command again to go on" in stopped.err
    folder = runs / "paper" / "sl_policy.train"
    assert (folder / "checkpoint.safetensors").exists() and len(without_seconds(folder)) == 2
    done = command(train, *arguments, "evaluations=3")
    assert done.code == 0, done.err
    manifest = manifest_of(folder)
    settings, metrics = manifest["settings"], manifest["metrics"]
    assert settings["net"] == {"filters": 192, "layers": 13, "planes": 48, "moves": "sensible"}
    of_paper = {"kind": "sgd", "learning_rate": 0.003, "momentum": 0, "weight_decay": 0, "schedule": "halving"}
    assert settings["optimiser"] == of_paper | {
        **{"batch_size": 16, "halve_every": 80_000_000, "warm_up": 0, "init": "torch", "norm": "none"}
    }
    assert metrics["parameters"] == 3_882_793 and metrics["size"] == 19 and metrics["positions"] == 48
    assert [line["positions"] for line in without_seconds(folder)] == [16, 32, 48]
    assert metrics["fingerprint"] not in learnt and len(learnt) == 1
    whole = command(train, *arguments, "evaluations=3", "run=whole", "games=paper")
    assert whole.code == 0, whole.err
    of_whole = manifest_of(runs / "whole" / "sl_policy.train")["metrics"]
    assert of_whole["fingerprint"] == metrics["fingerprint"] and of_whole["results"] == metrics["results"]
    helped = command(train, "scale=paper", "--help")
    assert "positions=5440000000" in helped.out  # 340 million steps of 16


def test_learning_that_diverges_leaves_no_result(command, runs, monkeypatch):
    step = PolicyTrainer.step

    def explode(trainer, number):
        shown = step(trainer, number)
        if number == trainer.steps - 1:  # after the last loss has been looked at
            trainer.network.point_bias["scores"].data[3] = np.inf
        return shown

    monkeypatch.setattr(PolicyTrainer, "step", explode)
    done = command(train, *TINY)
    assert done.code == 2 and done.err.splitlines()[-1].startswith("prezero: Learning has diverged")
    assert not (runs / "small" / "sl_policy.train" / "policy.safetensors").exists()


def test_a_network_is_tested_on_any_games(command, runs):
    assert command(train, *TINY).code == 0
    store = GameStore(runs / "small" / "data.prepare")
    path = runs / "small" / "sl_policy.train" / "policy.safetensors"
    sheet = runs / "wrong.svg"
    done = command(
        *(evaluate, "scale=tiny", "run=small", "weights=run", "positions=200", "threads=1", f"mistakes={sheet}")
    )
    assert done.code == 0, done.err
    index, policy = held_out(store, "test", 200), Network.load(path)
    rows = dict(re.findall(r"^\| +([18]) +\| +([\d.]+%) +\|", done.out, re.MULTILINE))
    for count in (1, 8):
        shown = summary(find_moves(policy, store, index, ALL_SYMMETRIES[:count]))
        assert rows[str(count)] == f"{100 * shown['top1']:.2f}%"
        assert f"{shown['log_loss']:.4f}" in done.out
    assert "policy.safetensors on 200 positions of the test part" in done.out and "| 1 to 10" in done.out
    assert "| top-1, not in the training part |" in done.out and "By the number of the move, 8 symmetries:" in done.out
    assert "The network learnt from the training part of this store, going by its card." in done.out
    assert f"Mistakes are drawn in {sheet}." in done.out and len(ET.parse(sheet).findall(f"{SVG}svg")) == 12
    learnt = command(evaluate, "scale=tiny", "run=small", f"weights={path}", "part=train", "symmetries=2", "threads=1")
    assert "of the train part" in learnt.out and "not in the training part" not in learnt.out
    everything = command(
        evaluate, "scale=tiny", "run=small", f"weights={path}", "part=all", "positions=0", "symmetries=1", "threads=1"
    )
    index = held_out(store, "all")
    parts = [held_out(store, part) for part in ("train", "validation", "test")]
    assert np.array_equal(index, np.sort(np.concatenate(parts)))
    assert f"on {len(index):,} positions of all games of {store.folder}" in everything.out
    assert f"{100 * summary(find_moves(policy, store, index))['top1']:.2f}%" in everything.out
    assert (
        "not in the training part" not in everything.out and "By the number of the move, 1 symmetry:" in everything.out
    )
    assert re.search(r"^This will take about \d+ s\.$", everything.err, re.MULTILINE)
    random_weights(5).save(runs / "other.safetensors")
    other = command(
        evaluate, "scale=tiny", "run=small", f"weights={runs}/other.safetensors", "positions=9", "threads=1"
    )
    assert (
        "The card of the network does not say what it learnt from. It may have seen some of these games." in other.out
    )
    random_weights(9).save(runs / "nine.safetensors")
    for wrong, sentence in (
        ("symmetries=3", "symmetries=3 is not made of 1, 2, 4 and 8, with commas between."),
        ("symmetries=", "symmetries= is not made of 1, 2, 4 and 8"),
        ("part=every", "part=every is none of train, validation, test, all."),
        ("positions=-1", "positions=-1 is not at least 0."),
        ("weights=none", "There is no network in none."),
        ("weights=shipped", "No policy network for 5x5 comes with Prezero; ./prezero sl_policy.train"),
        (f"weights={runs}/nine.safetensors", "The network plays on 9x9, but the games in"),
        ("run=none", "There is no game store in"),
        ("device=x", "device=x is none of auto, cpu, cuda, mps."),
    ):
        refused = command(evaluate, "scale=tiny", "run=small", "weights=run", wrong)
        assert refused.code == 2 and refused.err.splitlines()[-1].startswith(f"prezero: {sentence}"), wrong


def test_mistakes_run_from_the_most_surprising_to_the_least(games, tmp_path):
    store, policy = GameStore(games), Network(random_weights(5))
    records = find_moves(policy, store, held_out(store, "test"), ALL_SYMMETRIES)
    chosen = mistakes(records, 12)
    wrong = records[(records["better"] > 0) & (records["equal"] > 0) & (records["ply"] >= 8)]
    assert len(chosen) == 12 and (np.diff(chosen["log_p"]) >= 0).all() and chosen["ply"].min() >= 8
    assert chosen["log_p"][[0, -1]].tolist() == [wrong["log_p"].min(), wrong["log_p"].max()]
    draw_mistakes(policy, store, records, tmp_path / "a.svg", ALL_SYMMETRIES)
    titles = [text for text in texts_of(tmp_path / "a.svg") if text.startswith("Move ")]
    for record, title in zip(chosen, titles, strict=True):
        found = re.fullmatch(r"Move (\d+), (black|white): (\w+) ([\d.]+)%, network (\w+) (\d+)%", title)
        assert int(found[1]) == record["ply"] + 1 and float(found[4]) == pytest.approx(
            100 * np.exp(record["log_p"]), abs=0.06
        )
        assert found[3] != found[5] and float(found[6]) >= float(found[4]) - 0.6
    draw_mistakes(policy, store, records[:0], tmp_path / "none.svg")
    assert not [text for text in texts_of(tmp_path / "none.svg") if text.startswith("Move ")]


def test_the_moves_of_a_position_are_shown_and_drawn(command, runs):
    weights = random_weights(9, planes=12)
    weights.save(runs / "network.safetensors")
    arguments = (f"weights={runs}/network.safetensors", "moves=E5 C3 G7", f"svg={runs}/moves.svg", "top=3")
    done = prezero("sl_policy.show", *arguments, "symmetries=8", runs=runs)
    assert done.returncode == 0, done.stderr
    position = Position(9).play("E5").play("C3").play("G7")
    chances = np.sort(Network(weights).of_positions([position], ALL_SYMMETRIES)[0])[::-1]
    shown = re.findall(r"^\| +([A-J]\d) +\| +([\d.]+)% \|", done.stdout, re.MULTILINE)
    assert [float(share) for _, share in shown] == pytest.approx(100 * chances[:3], abs=0.006)
    assert "network.safetensors: 4 layers, 6 filters, 12 planes." in done.stdout
    assert f"75 more moves have {100 * chances[3:].sum():.2f}% together." in done.stdout
    texts = texts_of(runs / "moves.svg")
    assert f"{100 * chances[0]:.0f}" in texts and "Position after 3 moves: policy network, percent" in texts
    refused = prezero("sl_policy.show", arguments[0], "moves=E5 E5", runs=runs)
    assert refused.returncode == 2 and refused.stderr == "prezero: White cannot play E5: a black stone is there.\n"
    for wrong, sentence in (
        (["board=5x5"], "This network plays on 9x9 only."),
        (["board=13x13", "weights=shipped"], "No policy network for 13x13 comes with Prezero"),
        (["symmetries=3"], "symmetries=3 is none of 1, 2, 4, 8."),
        (["top=0"], "top=0 is not at least 1."),
    ):
        refused = command(show, arguments[0], *wrong)
        assert refused.code == 2 and refused.err.startswith(f"prezero: {sentence}"), refused.err


def test_the_table_of_the_paper_is_filled_row_by_row(command, runs, monkeypatch):
    arguments = (*TINY, "net.filters=3", "positions=64", "evaluations=1")
    one = command(table, *arguments, "row=7")
    folder = runs / "small" / "sl_policy.table"
    assert one.code == 0, one.err
    lines = (folder / "table.md").read_text().splitlines()
    cells = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    rows = json.loads((folder / "rows.json").read_text())["rows"]
    assert len(lines) == 3 and rows.keys() == {"7"}
    assert cells[:3] == ["3 (192)", "1", "4"] and cells[4::2] == ["47.6", "51.4", "4.8"]
    assert cells[3] == f"{100 * rows['7']['test']:.1f}" and cells[3] in one.out
    network = folder / "3-filters-4-planes" / "policy.safetensors"
    description = Weights.load(network).description
    assert description.planes == 4 and description.moves == "sensible"
    policy, store = Network.load(network), GameStore(runs / "small" / "data.prepare")
    assert rows["7"]["test"] == summary(find_moves(policy, store, held_out(store, "test", 100)))["top1"]

    measured, measure = [], table.measure
    monkeypatch.setattr(table, "measure", lambda *given: measured.append(given[-1]) or measure(*given))
    several = command(table, *arguments, "row=7,10,1")  # 10 needs the network of 7
    assert several.code == 0, several.err
    assert measured == [8, 1]  # row 7 is not measured again
    rows = json.loads((folder / "rows.json").read_text())["rows"]
    assert rows["1"]["filters"] == 2 and rows["10"]["key"][0] == rows["7"]["key"][0] != rows["1"]["key"][0]
    written = (folder / "table.md").read_text().splitlines()
    assert [line.split("|")[1].strip() for line in written[2:]] == ["2 (128)", "3 (192)", "3 (192)"]
    assert re.search(r"^\| +10 +\| +3 \| +8 \| +4 \|", several.out, re.MULTILINE)  # the sweep ends in a table
    wider = command(table, *arguments, "net.filters=6", "row=7")
    assert wider.code == 0 and "(192)" in (folder / "table.md").read_text()
    assert "3 (192)" not in (folder / "table.md").read_text()  # rows of other networks are not mixed in
    saved = folder / "rows.json"
    saved.write_text(saved.read_text().replace('"filters": 6', '"filters": 5'))
    damaged = command(table, *arguments, "net.filters=6", "row=7")
    assert damaged.code == 2 and "rows.json is damaged" in damaged.err
    refused = command(table, *arguments, "row=13")
    assert refused.code == 2 and "row=13 is not between 1 and 12." in refused.err
    assert "holds the results of other settings" in command(table, *arguments, "positions=96", "row=7").err


def test_the_rows_are_those_of_extended_data_table_3():
    assert len(table.PAPER) == 12
    match = table.PAPER[1]
    assert match == (192, 1, 48, 55.4, 58.0, 4.8) and max(table.PAPER, key=lambda row: row.test) == table.PAPER[5]
    settings = table.Settings(net=train.NetSettings(filters=48))
    filters = [table.network_settings(settings, row).net.filters for row in table.PAPER]
    assert filters == [32, 48, 64, 64, 64, 64, 48, 48, 48, 48, 48, 48]
    assert [row.planes for row in table.PAPER] == [48] * 6 + [4, 12, 20] * 2
    assert [row.symmetries for row in table.PAPER] == [1, 1, 1, 2, 4, 8, 1, 1, 1, 8, 8, 8]


def test_a_network_is_named_by_run_or_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    learnt = tmp_path / "mine" / "sl_policy.train" / "policy.safetensors"
    with pytest.raises(UserError, match=rf"There is no {learnt}; ./prezero sl_policy.train run=mine makes it."):
        find_weights("policy", 9, "run", "mine")
    learnt.parent.mkdir(parents=True)
    learnt.touch()
    assert find_weights("policy", 9, "run", "mine") == learnt
    assert str(find_weights("policy", 9, "a/b.safetensors", "mine")) == "a/b.safetensors"
    assert find_weights("policy", 19) == ROOT / "weights" / "policy19.safetensors"
    with pytest.raises(UserError, match="No policy network for 7x7 comes with Prezero"):
        find_weights("policy", 7)
    with pytest.raises(UserError, match="There are no weights named joseki; there are rollout, tree, policy"):
        find_weights("joseki", 9)


@pytest.mark.parametrize("size", [9, 19])
def test_the_shipped_networks_are_there_and_say_where_they_come_from(size):
    assert shipped_sizes("policy") == (9, 19)
    path = find_weights("policy", size)
    weights = Weights.load(path)
    description, card = weights.description, weights.card
    assert (description.size, description.planes, description.moves) == (size, 48, "sensible")
    assert (card["family"], card["board"], card["planes"]) == ("policy", size, 48)
    assert card["figures"]["parameters"] == description.parameter_count() and card["data"] and card["version"]
    found = card["figures"]["results"]["test"]
    assert found["top1"] > 0.4 and found["moves"] >= 10_000
    assert path.name in (ROOT / "weights" / "README.md").read_text()
    position = Position(size).play("D4" if size == 19 else "E5")
    chances = Network(weights).of_positions([position], ALL_SYMMETRIES)[0].reshape(size, size)
    edge = np.concatenate([chances[0], chances[-1], chances[1:-1, 0], chances[1:-1, -1]])
    assert chances.sum() == pytest.approx(1, abs=1e-4) and edge.sum() < 0.02  # it has learnt not to open on the edge
