"""How the value network learns, how its errors are counted, and its commands, on small boards."""

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from conftest import ROOT, prezero, store_of
from small_networks import InProcess, random_weights
from small_samples import KOMI, SIZE, policies, small_samples

from data.fields import NO_WINNER
from go.board import BLACK, EMPTY, WHITE
from nets.description import VALUES, Description
from nets.module import module_of, weights_of
from nets.network import Network
from nets.settings import OptimiserSettings
from nets.weights import Weights
from pipeline.artefact import read_manifest
from pipeline.errors import UserError
from pipeline.launch import compose
from pipeline.training import train as run_training
from rollout.playout import new_policy
from value_net import sample, table, train
from value_net.accuracy import by_move_number, predict, reliability, summary
from value_net.lessons import Lessons, lessons_of, outcomes_for, positions_of_games, winners_at
from value_net.rollouts import errors_of, network_rollouts, pattern_rollouts, positions_of
from value_net.samples import open_samples
from value_net.settings import LearnSettings, ValueNetSettings
from value_net.trainer import OWNERS, ValueTrainer

NET = ValueNetSettings(8, 6)
MODERN = OptimiserSettings(kind="adamw", learning_rate=0.003, momentum=0.9, weight_decay=0.05, batch_size=32)
CPU = torch.device("cpu")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    return small_samples(tmp_path_factory.mktemp("samples"))


def new_trainer(samples, positions: int = 640, ownership: float = 1.0, optimiser: OptimiserSettings = MODERN):
    settings = LearnSettings(NET, optimiser, ownership, positions)
    return ValueTrainer(lessons_of(samples, "train"), settings, CPU, torch.float32, 1)


def test_the_paper_s_network_has_as_many_parameters_as_published():
    settings = compose(train.COMMAND, ["scale=paper"])
    net = ValueNetSettings(settings.net.filters, settings.net.layers)
    assert net.description(19).parameter_count() == 3_980_162
    assert (settings.optimiser.kind, settings.optimiser.batch_size, settings.optimiser.momentum) == ("sgd", 32, 0)
    assert (settings.ownership, settings.positions / settings.optimiser.batch_size) == (0, 50_000_000)


def test_a_step_of_plain_sgd_goes_down_the_gradient_of_the_squared_error(samples):
    paper = OptimiserSettings("sgd", 0.003, 0, 0, 16, "halving", 80_000_000, 0, "torch", "none")
    trainer = new_trainer(samples, ownership=0.0, optimiser=paper)
    batch = trainer.batch(0, 16)
    before = {name: value.detach().clone() for name, value in trainer.network.named_parameters()}
    values = trainer.network(torch.from_numpy(batch.planes).float())[VALUES]
    errors = (torch.from_numpy(batch.outcomes) - values) ** 2
    gradients = torch.autograd.grad(errors.sum() / 16, list(trainer.network.parameters()))
    shown = trainer.step(0)
    assert shown["train MSE"] == pytest.approx(float(errors.detach().mean()), rel=1e-5)
    for (name, after), gradient in zip(trainer.network.named_parameters(), gradients, strict=True):
        assert torch.allclose(after, before[name] - 0.003 * gradient, atol=1e-7), name
    assert OWNERS not in trainer.answers(batch.planes)


def test_the_error_of_owners_is_a_second_part_of_the_loss_and_is_dropped_at_the_end(samples):
    plain, both = new_trainer(samples, ownership=0.0), new_trainer(samples, ownership=2.0)
    both.network.load_state_dict(plain.network.state_dict(), strict=False)
    batch = both.batch(0, 32)
    answers = both.answers(batch.planes)
    assert answers[OWNERS].shape == (32, SIZE, SIZE) and float(answers[OWNERS].detach().abs().max()) < 1
    shown = both.learn(batch, 0.0)
    assert set(shown) == {"positions", "train MSE", "train MSE of owners"} and shown["train MSE of owners"] > 0
    saved = weights_of(both.network)
    assert {name: array.shape for name, array in saved.tensors.items()} == Description("value", SIZE, 49, 8, 6).shapes()


@pytest.mark.parametrize("norm", ["batch", "none"])
def test_learning_starts_with_what_the_tower_of_a_policy_network_computes(samples, norm):
    policy = random_weights(SIZE, filters=8, layers=4, planes=48)
    settings = LearnSettings(NET, dataclasses.replace(MODERN, norm=norm), 1.0, 640)
    trainer = ValueTrainer(lessons_of(samples, "train"), settings, CPU, torch.float32, 1, policy)
    planes = trainer.batch(0, 256).planes
    expected = module_of(policy).outputs_of_layers(torch.from_numpy(planes[:, :48].copy()).float())
    given = torch.from_numpy(planes).float()
    for network in (trainer.network.train(), trainer.network.eval(), module_of(weights_of(trainer.network))):
        made = network.outputs_of_layers(given)
        for name in ("layer1", "layer2", "layer3"):
            assert torch.allclose(made[name], expected[name], atol=1e-3), name
    with pytest.raises(UserError, match="has 6 filters in 3 layers on 5x5, and this tower has 8 in 3 on 5x5"):
        ValueTrainer(lessons_of(samples, "train"), settings, CPU, torch.float32, 1, random_weights(SIZE))


@pytest.mark.parametrize("norm", ["batch", "none"])
def test_learning_goes_on_from_the_answers_of_a_value_network(samples, norm):
    learnt = new_trainer(samples)
    for number in range(10):
        learnt.step(number)
    start = weights_of(learnt.network)
    settings = LearnSettings(NET, dataclasses.replace(MODERN, norm=norm), 1.0, 640)
    trainer = ValueTrainer(lessons_of(samples, "train"), settings, CPU, torch.float32, 1, start)
    given = torch.from_numpy(trainer.batch(0, 256).planes).float()
    expected = module_of(start)(given)[VALUES]
    assert expected.std() > 0.01
    assert torch.allclose(module_of(weights_of(trainer.network))(given)[VALUES], expected, atol=1e-3)
    other = random_weights(SIZE, layers=3, planes=17, family="dual-res")
    with pytest.raises(UserError, match="Learning can start from a policy or a value network, not from a dual-res"):
        ValueTrainer(lessons_of(samples, "train"), settings, CPU, torch.float32, 1, other)


def test_later_positions_are_of_the_same_games_with_outcomes_of_whoever_is_to_move_there(samples):
    lessons, lengths = lessons_of(samples, "train"), samples.store.games["n_moves"]
    drawn = [lessons.later(6, np.random.default_rng(seed)) for seed in range(60)]
    for later in drawn:
        moves = later.plies - lessons.plies
        assert (later.games == lessons.games).all() and (moves >= 0).all() and (moves <= 6).all()
        assert (later.plies < lengths[later.games]).all()
        same = moves % 2 == 0  # in these games the players alternate
        assert (later.outcomes == np.where(same, lessons.outcomes, -lessons.outcomes)).all()
        at = zip(later.games, later.plies, strict=True)
        assert (later.to_move == [samples.store.position(game, ply).to_move for game, ply in at]).all()
    far = lengths[lessons.games] - 1 - lessons.plies >= 6
    counts = np.bincount(np.concatenate([later.plies[far] - lessons.plies[far] for later in drawn]), minlength=7)
    expected = counts.sum() / 7
    assert far.sum() > 20 and ((counts - expected) ** 2 / expected).sum() < 22.5  # chi-square, 6 degrees: 0.1%
    settings = LearnSettings(NET, MODERN, 1.0, 640, later=6)
    first, second = (ValueTrainer(lessons, settings, CPU, torch.float32, 1) for _ in range(2))
    second.batch(3, 32)
    assert (first.batch(5, 32).planes == second.batch(5, 32).planes).all()
    plain = new_trainer(samples).batch(5, 32).planes
    assert (first.batch(5, 32).planes != plain).any()


def test_learning_brings_the_error_below_that_of_a_constant(samples):
    trainer = new_trainer(samples, positions=6_400)
    first = np.mean([trainer.step(number)["train MSE"] for number in range(5)])
    last = np.mean([trainer.step(number)["train MSE"] for number in range(5, trainer.steps)][-20:])
    assert last < 0.8 * first
    network = Network(weights_of(trainer.network.eval()))
    lessons = lessons_of(samples, "train")
    assert summary(predict(network, lessons), lessons.outcomes)["MSE"] < 0.8


def test_a_training_that_was_interrupted_ends_with_the_same_weights(samples, tmp_path):
    class KilledError(Exception):
        pass

    def learnt(path, stop_at: int = -1):
        trainer = new_trainer(samples, positions=512)
        step = trainer.step

        def watched(number):
            if number == stop_at:
                raise KilledError
            return step(number)

        trainer.step = watched
        run_training(trainer, "learning", path, {"key": 1}, lambda: {}, every=4)
        return weights_of(trainer.network)

    whole = learnt(tmp_path / "whole")
    with pytest.raises(KilledError):
        learnt(tmp_path / "parts", stop_at=10)
    resumed = learnt(tmp_path / "parts")
    assert resumed.fingerprint() == whole.fingerprint()


def test_errors_are_those_of_a_slow_count():
    values, outcomes = np.array([0.5, -0.25, 0.0, 1.0], np.float32), np.array([1, 1, -1, 0], np.float32)
    found = summary(values, outcomes)
    assert found["MSE"] == pytest.approx((0.25 + 1.5625 + 1 + 1) / 4) and found["winner"] == pytest.approx(1 / 3)
    assert summary(np.zeros(4), np.array([1, -1, 1, -1]))["MSE"] == 1.0  # a constant


def test_win_rates_are_compared_within_bins():
    rows = reliability(np.array([-1, -0.9, 0.1, 0.15, 1.0]), np.array([-1, 1, 1, -1, 1]))
    assert [(row["from"], row["positions"]) for row in rows] == [(0.0, 2), (0.5, 2), (0.9, 1)]
    assert [row["observed"] for row in rows] == [0.5, 0.5, 1.0]
    assert rows[1]["predicted"] == pytest.approx(0.5625)


def test_predictions_are_the_network_s_and_errors_by_move_number_cover_all(samples):
    network, lessons = Network(random_weights(SIZE, planes=49, layers=6, family="value")), lessons_of(samples, "test")
    values = predict(network, lessons)
    for place in range(0, len(lessons), 7):
        position = samples.store.position(int(lessons.games[place]), int(lessons.plies[place]))
        answer = network.answer(position.boards, position.past, np.zeros(1, np.int64))
        assert values[place] == pytest.approx(float(answer.values[0]), abs=1e-5)
    rows = by_move_number(values, lessons)
    assert sum(row["positions"] for row in rows) == len(lessons)
    whole = sum(row["positions"] * row["MSE"] for row in rows) / len(lessons)
    assert whole == pytest.approx(summary(values, lessons.outcomes)["MSE"])


def test_positions_of_a_game_are_all_or_some_of_it(samples):
    games = samples.part("test")
    everything = positions_of_games(samples.store, games)
    assert len(everything) == samples.store.games["n_moves"][games].sum()
    one_game = everything.games == games[3]
    assert everything.plies[one_game].tolist() == list(range(samples.store.games["n_moves"][games[3]]))
    some = positions_of_games(samples.store, games, 5)
    assert (np.bincount(some.games)[games] == 5).all()
    assert outcomes_for(np.array([1, 2, 0]), np.array([1, 1, 2])).tolist() == [1, -1, 0]


def test_games_at_another_komi_are_counted_anew(tmp_path):
    """White wins by 1.5 at komi 5.5, so black leads by 4 on the board. Resigned games keep their winner."""
    games = {
        ("KM[5.5]RE[W+1.5]", 3.5): BLACK,
        ("KM[5.5]RE[W+1.5]", 4.0): EMPTY,
        ("KM[5.5]RE[B+3.5]", 7.5): BLACK,
        ("KM[7]RE[B+0.5]", 7.5): EMPTY,
        ("KM[7]RE[0]", 7.5): WHITE,
        ("KM[6.5]RE[B+R]", 7.5): BLACK,
        ("KM[0.5]RE[B+R]", 7.5): NO_WINNER,
        ("KM[7.5]RE[B+T]", 7.5): NO_WINNER,
        ("KM[7.5]HA[2]AB[bb][cc]RE[W+R]", 7.5): NO_WINNER,
        ("KM[7.5]", 7.5): NO_WINNER,
    }
    for number, ((header, komi), winner) in enumerate(games.items()):
        sgf = f"(;GM[1]SZ[5]{header};W[dd];B[aa];W[ab])" if "AB" in header else f"(;GM[1]SZ[5]{header};B[dd];W[aa])"
        store = store_of(tmp_path / str(number), [sgf.encode()], 5)
        assert winners_at(store, komi).tolist() == [winner], header
    lessons = Lessons(store, np.zeros(2, np.int64), np.arange(2), winners=np.array([WHITE], np.int8))
    assert lessons.outcomes.tolist() == [-1, 1]  # for black, then for white


def test_rollouts_of_a_finished_position_have_the_outcome_of_its_board(samples):
    """The board before the last two passes has nothing left to play, so all rollouts agree with the game."""
    games = samples.part("test")
    plies = np.asarray(samples.store.games["n_moves"][games], np.int64) - 2
    lessons = Lessons(samples.store, games, plies)
    positions = positions_of(lessons, KOMI)
    made = {"network": network_rollouts(positions, Network(policies()[0]), 3, 1)}
    for name, found in errors_of(made, lessons).items():
        assert found["k"] == 3 and found["MSE"] == found["single MSE"] == 0, name
    early = lessons_of(samples, "test")
    uniform = pattern_rollouts(positions_of(early, KOMI), new_policy(None), 8, 1)
    found = errors_of({"uniform": uniform}, early)["uniform"]
    assert 0 < found["MSE"] < found["single MSE"] and uniform.microseconds > 0


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """A run with samples of small games."""
    runs = tmp_path_factory.mktemp("runs")
    files = [runs / f"{name}.safetensors" for name in ("sigma", "rho")]
    for path, weights in zip(files, policies(), strict=True):
        weights.save(path)
    usual = [f"sl={files[0]}", f"rl={files[1]}", "komi=0.5", "shard_games=32", "together=16", "validation=0.2"]
    done = prezero("value_net.sample", *usual, "test=0.2", "games=96", "run=small", runs=runs)
    assert done.returncode == 0, done.stderr
    return runs, [*usual, "test=0.2"], done.stdout


@pytest.fixture
def command(monkeypatch, capsys, sampled):
    return InProcess(monkeypatch, capsys, sampled[0])


def test_samples_are_played_once_and_can_be_extended(command, sampled, monkeypatch):
    runs, usual, out = sampled
    assert "games, one position each" in out and "96" in out
    monkeypatch.setenv("PREZERO_RUNS", str(runs))
    before = open_samples("small")
    assert "Done earlier" in command(sample, *usual, "games=96", "run=small").out
    done = command(sample, *usual, "games=100", "run=small")
    assert done.code == 0, done.err
    after = open_samples("small")
    assert len(after.store) == 128 and after.komi == KOMI
    assert (after.store.games["split"][:96] == before.store.games["split"]).all()
    assert (after.plies[:96] == before.plies).all() and (after.owners[:96] == before.owners).all()
    assert [path.name for path in (runs / "small" / "value_net.sample").glob("*-games")] == ["128-games"]


def test_after_a_kill_the_samples_are_those_of_an_unbroken_run(command, sampled):
    runs, usual, _ = sampled
    arguments = ["value_net.sample", *usual, "games=256", "run=killed", "threads=1"]
    environment = {**os.environ, "PREZERO_RUNS": str(runs), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-m", "pipeline", *arguments], env=environment, cwd=ROOT)
    folder = runs / "killed" / "value_net.sample"
    while process.poll() is None and not list(folder.glob("shards/000001*")):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "manifest.json").exists()
    assert 2 <= len(list(folder.glob("shards/0*"))) < 8
    assert command(sample, *arguments[1:]).code == 0
    assert command(sample, *usual, "games=256", "run=unbroken").code == 0
    found = [read_manifest(runs / run / "value_net.sample") for run in ("killed", "unbroken")]
    assert found[0]["metrics"]["fingerprint"] == found[1]["metrics"]["fingerprint"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rl=VALUE"], "is a value network, not a policy."),
        (["rl=OTHER"], "p_sigma plays on 5x5 and p_rho on 4x4; they must play on the same board."),
        (["most_u=100"], "most_u=100 is not below the move limit, which is 100."),
        (["validation=0.5", "test=0.5"], "validation=0.5 and test=0.5 leave no games to learn from."),
        (
            ["run=nothing", "sl=run"],
            "There is no .*policy.safetensors; ./prezero sl_policy.train run=nothing makes it.",
        ),
        (["games=0"], "games=0 is not at least 1."),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(command, sampled, arguments, sentence):
    runs, usual, _ = sampled
    random_weights(SIZE, planes=49, layers=6, family="value").save(runs / "VALUE")
    random_weights(4, planes=4).save(runs / "OTHER")
    chosen = [a.replace("VALUE", str(runs / "VALUE")).replace("OTHER", str(runs / "OTHER")) for a in arguments]
    done = command(sample, *usual, "run=bad", *chosen)
    assert done.code == 2 and len(done.err.strip().splitlines()) == 1
    assert re.search(sentence, done.err)


def test_damaged_samples_are_refused(command, sampled):
    runs, usual, _ = sampled
    assert command(sample, *usual, "games=32", "run=damaged").code == 0
    path = runs / "damaged" / "value_net.sample" / "32-games" / "samples.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    done = command(train, "run=damaged")
    assert done.code == 2 and "are damaged; remove the folder, and make them anew." in done.err
    done = command(train, "run=not-there")
    assert done.code == 2 and "./prezero value_net.sample run=not-there makes them." in done.err


def test_a_network_is_learnt_with_a_card_ranges_and_figures(command, sampled):
    runs, usual, _ = sampled
    small = ["net.filters=8", "net.layers=6", "positions=640", "optimiser.batch_size=32", "threads=1", "evaluations=2"]
    assert command(sample, *usual, "games=96", "run=learnt").code == 0
    done = command(train, "run=learnt", *small)
    assert done.code == 2 and "change net.filters and net.layers, or set start=none." in done.err
    small = [*small, "start=none"]
    done = command(train, "run=learnt", *small, "precision=float32")
    assert done.code == 0, done.err
    assert "| test " in done.out and "0.234" in done.out and "komi 0.5" in done.out
    weights = Weights.load(runs / "learnt" / "value_net.train" / "value.safetensors")
    assert weights.card["komi"] == KOMI and weights.ranges and weights.description.family == "value"
    metrics = read_manifest(runs / "learnt" / "value_net.train")["metrics"]
    assert metrics["games"] == metrics["samples"] < 96
    assert metrics["results"]["test"]["constant MSE"] == pytest.approx(1, abs=0.2)
    assert (runs / "learnt" / "value_net.train" / "curve.svg").stat().st_size > 1000
    done = command(
        *(table, "run=learnt", *small, "parts=errors,games,overfitting,reliability", "halvings=1", "many=4"),
        "epochs=2",
    )
    assert done.code == 0, done.err
    text = (runs / "learnt" / "value_net.table" / "table.md").read_text()
    assert all(f"## {part}" in text for part in ("errors", "games", "overfitting", "reliability"))
    done = command(table, "run=learnt", "parts=nonsense")
    assert done.code == 2 and "parts=nonsense is not made of errors, games" in done.err
    assert command(table, "run=learnt", "parts=sl_games").code == 2
    done = command(train, "run=early", "samples=learnt", *small, "precision=float32", "most_u=6", "later=3")
    assert done.code == 0, done.err
    plies = lessons_of(open_samples("learnt"), "train").plies
    early = read_manifest(runs / "early" / "value_net.train")["metrics"]
    assert early["samples"] == (plies <= 6).sum() < len(plies)


def test_settings_of_learning_are_plain_data():
    assert dataclasses.asdict(LearnSettings())["net"] == {"filters": 64, "layers": 11}
