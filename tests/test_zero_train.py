"""The loop as a command: real iterations of every preset, a kill and a resumption, a board that is learnt."""

import json

import numpy as np
import pytest
from small_networks import InProcess

import zero.train
from go import Position
from nets.network import ALL_SYMMETRIES, Network
from nets.weights import Weights
from pipeline.artefact import read_manifest
from pipeline.launch import compose
from zero.games import NEVER
from zero.loop import ZeroTrainer
from zero.window import Window

SMALL = (
    "scale=tiny", "size=3", "threads=1", "precision=float32", "play_precision=float32", "opponents=random",
    "evaluation_games=4", "net.filters=4", "net.layers=3", "play.games=8", "play.places=2", "search.simulations=4",
    "learn.batch_size=16", "learn.window=20", "iterations=4", "evaluate_every=2", "device=cpu",
)  # fmt: skip


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    return InProcess(monkeypatch, capsys, tmp_path)


def weights_in(runs, name):
    return Weights.load(runs / name / "zero.train" / "zero.safetensors")


@pytest.mark.parametrize("preset", ["agz", "mini_alphago", "katago", "gumbel"])
def test_every_preset_runs_real_iterations(run, tmp_path, preset):
    more = "gate_games=4", "iterations=8", "evaluate_every=4"
    done = run(zero.train, f"preset={preset}", f"run={preset}", *SMALL, *more)
    assert done.code == 0, done.err
    folder = tmp_path / preset / "zero.train"
    entries = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [entry["games"] for entry in entries] == [32, 64]
    assert all(np.isfinite(list(entry.values())[1:]).all() for entry in entries)
    assert ("won at the gate" in entries[0]) == (preset == "agz")
    weights, description = weights_in(tmp_path, preset), weights_in(tmp_path, preset).description
    expected = {"agz": 17, "mini_alphago": 7, "katago": 21, "gumbel": 21}[preset]
    assert description.planes == expected and description.outcome == ("chances" if expected == 21 else "value")
    assert weights.card["komi"] == 0.5 and weights.card["figures"]["games"] == 64
    manifest = read_manifest(folder)
    assert manifest["metrics"]["fingerprint"] == weights.fingerprint()
    assert f"Zero ({preset}) for 3x3: 64 games of self-play in" in done.out
    assert (folder / "curve.svg").is_file()
    kept = sorted({int(path.name[:6]) for path in (folder / "window").glob("*")})
    assert kept[-1] == 7 and kept[0] > 0  # bounded on disk as well


class Killed(BaseException):
    """As a kill ends a process: nothing is written any more."""


@pytest.mark.parametrize("where", ["a game is written", "learning", "the gate", "evaluation"])
def test_a_killed_run_ends_with_the_same_weights(run, tmp_path, monkeypatch, where):
    settings = ("preset=agz", *SMALL, "play.games=6", "play.places=1", "gate=0.3", "gate_games=4")
    run(zero.train, *settings, "run=whole")
    owner, name = {
        "a game is written": (Window, "write"),
        "learning": (ZeroTrainer, "learn"),
        "the gate": (ZeroTrainer, "choose_best"),
        "evaluation": (ZeroTrainer, "evaluate"),
    }[where]
    calls, usual = [0], getattr(owner, name)

    def killed(*arguments):
        calls[0] += 1
        if calls[0] == {"a game is written": 11, "evaluation": 2}.get(where, 4):  # in the last iteration
            raise Killed
        return usual(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises(Killed):
            run(zero.train, *settings, "run=broken")
    assert not (tmp_path / "broken" / "zero.train" / "manifest.json").exists()
    done = run(zero.train, *settings, "run=broken")
    assert done.code == 0, done.err
    one, other = weights_in(tmp_path, "whole"), weights_in(tmp_path, "broken")
    assert one.fingerprint() == other.fingerprint()
    entries = [
        [json.loads(line) for line in (tmp_path / name / "zero.train" / "metrics.jsonl").read_text().splitlines()]
        for name in ("whole", "broken")
    ]
    for first, second in zip(*entries, strict=True):
        assert {k: v for k, v in first.items() if k != "seconds"} == {k: v for k, v in second.items() if k != "seconds"}


def test_a_run_that_is_done_goes_on_if_more_iterations_are_asked_for(run, tmp_path, monkeypatch):
    settings = ("preset=mini_alphago", *SMALL)  # its learning rate is constant, so it does not depend on the end
    run(zero.train, *settings, "run=whole")
    first = run(zero.train, *settings, "run=more", "iterations=2")
    early = weights_in(tmp_path, "more")
    assert first.code == 0 and early.card["figures"]["games"] == 16
    assert run(zero.train, *settings, "run=more").code == 0
    one, other = weights_in(tmp_path, "whole"), weights_in(tmp_path, "more")
    assert one.fingerprint() == other.fingerprint() != early.fingerprint() and other.card["figures"]["games"] == 32
    fewer = run(zero.train, *settings, "run=more", "iterations=3")
    assert fewer.code == 0 and "Done earlier" in fewer.out

    usual = zero.train.run_stage

    def killed_at_the_end(*given):
        usual(*given)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(zero.train, "run_stage", killed_at_the_end)
        with pytest.raises(Killed):
            run(zero.train, *settings, "run=killed")
    fewer = run(zero.train, *settings, "run=killed", "iterations=3")
    assert fewer.code == 2 and "This run has done 4 iterations: ask for more" in fewer.err


def test_games_that_were_played_before_a_kill_are_not_played_again(run, tmp_path, monkeypatch):
    settings = ("preset=gumbel", *SMALL, "play.games=6", "play.places=1", "iterations=2", "evaluate_every=2", "run=a")
    usual, written = Window.write, []

    def write(self, iteration, chunk, *rest):
        if len(written) == 5:
            raise Killed
        written.append((iteration, chunk))
        usual(self, iteration, chunk, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Window, "write", write)
        with pytest.raises(Killed):
            run(zero.train, *settings)
        assert written == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
        written.clear()
        assert run(zero.train, *settings).code == 0
    assert written == [(1, 2)]  # nothing was checkpointed, but all chunks were whole


def test_3x3_is_learnt_from_nothing_to_the_known_result(run, tmp_path):
    """Black takes the centre and wins the whole board; in 30 iterations nearly for certain."""
    settings = ("preset=gumbel", "scale=tiny", "size=3", "threads=1", "precision=float32", "play.komi=3.5")
    done = run(zero.train, *settings, "iterations=16", "evaluate_every=16", "evaluation_games=10", "opponents=random")
    assert done.code == 0, done.err
    network = Network(weights_in(tmp_path, "tiny"), precision="float32")
    position = Position(3, 3.5)
    chances = network.of_positions([position], ALL_SYMMETRIES)[0]
    assert chances[4] > 0.6
    values = [
        network.answer(position.boards, position.past, np.array([symmetry])).values[0] for symmetry in ALL_SYMMETRIES
    ]
    assert np.mean(values) > 0.5
    position.play("B2")
    assert network.answer(position.boards, position.past, np.array([0])).values[0] < -0.5  # of white


@pytest.mark.parametrize("preset", ["agz", "mini_alphago", "katago", "gumbel"])
@pytest.mark.parametrize("scale", ["tiny", "laptop", "workstation", "paper"])
def test_every_scale_of_every_preset_makes_sense(preset, scale):
    from omegaconf import OmegaConf

    settings = OmegaConf.to_object(compose(zero.train.COMMAND, [f"preset={preset}", f"scale={scale}"]))
    settings.check()
    assert settings.preset == preset and settings.run == scale
    if (preset, scale) == ("agz", "paper"):
        assert settings.net.description(19).parameter_count() == 22_827_877
        assert settings.search.simulations == 1_600 and settings.play.sampled(19) == 30 and settings.gate == 0.55
    if preset == "mini_alphago" and scale in ("laptop", "workstation", "paper"):
        grown = {"laptop": (4, 64, 100, 50), "workstation": (8, 128, 400, 200), "paper": (16, 256, 800, 1_000)}[scale]
        found = (
            settings.net.description(9).blocks,
            settings.net.filters,
            settings.search.simulations,
            settings.play.games,
        )
        assert found == grown and settings.play.komi == 5.5


def run_until_killed(run, monkeypatch, iteration, *settings):
    """Run the command until it begins to learn in an iteration."""
    usual = ZeroTrainer.learn

    def killed(self, number, *rest):
        if number == iteration:
            raise Killed
        return usual(self, number, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(ZeroTrainer, "learn", killed)
        with pytest.raises(Killed):
            run(zero.train, *settings)


@pytest.fixture
def first(run, tmp_path):
    """The file of a network that has learnt from 16 games."""
    assert run(zero.train, *SMALL, "run=first", "iterations=2").code == 0
    return tmp_path / "first" / "zero.train" / "zero.safetensors"


def test_learning_starts_from_a_given_network(run, tmp_path, first):
    """It plays the first games and is met in the first evaluation; its games and seconds are part of the card."""
    assert run(zero.train, *SMALL, f"start={first}", "run=second", "iterations=2").code == 0
    given, folder = Weights.load(first), tmp_path / "second" / "zero.train"
    assert Weights.load(folder / "networks" / "000000.safetensors").fingerprint() == given.fingerprint()
    window = Window(folder / "window", 20, json.dumps(read_manifest(folder)["settings"]))
    made_by = {"network": given.fingerprint(), "resign": NEVER}
    assert window.read(0, 0, made_by) is not None and window.read(0, 0, made_by | {"network": "other"}) is None
    entry = json.loads((folder / "metrics.jsonl").read_text().splitlines()[0])
    assert entry["version"] == 2 and "won against the previous" in entry
    card, before = weights_in(tmp_path, "second").card, given.card["figures"]
    assert card["data"] == "16 games of self-play, after the 16 of the network that it started from"
    assert card["figures"]["games"] == 32 and card["figures"]["seconds"] == pytest.approx(
        before["seconds"] + entry["seconds"]
    )
    metrics = read_manifest(folder)["metrics"]
    assert metrics["games"] == 16 and metrics["before"] == {"games": 16, "seconds": before["seconds"]}


@pytest.mark.parametrize("iteration", [0, 1])
def test_a_killed_run_with_a_given_network_ends_with_the_same_weights(run, tmp_path, monkeypatch, first, iteration):
    settings = (*SMALL, f"start={first}", "iterations=2")
    assert run(zero.train, *settings, "run=whole").code == 0
    run_until_killed(run, monkeypatch, iteration, *settings, "run=broken")
    assert run(zero.train, *settings, "run=broken").code == 0
    assert weights_in(tmp_path, "whole").fingerprint() == weights_in(tmp_path, "broken").fingerprint()


def test_a_given_network_that_stays_the_best_is_counted_once(run, tmp_path, first, monkeypatch):
    monkeypatch.setattr(ZeroTrainer, "choose_best", lambda self, number: {"passed the gate": 0.0})
    assert run(zero.train, *SMALL, f"start={first}", "run=second", "evaluate_every=1").code == 0
    given, found = Weights.load(first), weights_in(tmp_path, "second")
    assert found.fingerprint() == given.fingerprint() and found.card["figures"]["games"] == 16 + 32


def test_an_unfinished_run_is_not_begun_anew_with_other_settings(run, tmp_path, monkeypatch):
    run_until_killed(run, monkeypatch, 2, *SMALL, "run=cut")
    checkpoint = tmp_path / "cut" / "zero.train" / "checkpoint.safetensors"
    before = checkpoint.read_bytes()
    refused = run(zero.train, *SMALL, "run=cut", "learn.average=0.5")
    assert refused.code == 2 and "holds an unfinished run of other settings; name this run with run=NAME" in refused.err
    assert checkpoint.read_bytes() == before
    assert run(zero.train, *SMALL, "run=cut").code == 0


def test_a_given_network_must_be_of_the_same_kind(run, first):
    for other, says in (
        ("net.filters=5", f"The network of start={first} is not the one that these settings describe: it has "),
        ("play.komi=3.5", f"The network of start={first} has learnt with komi 0.5, and play.komi is 3.5."),
        ("start=shipped", "No zero network for 3x3 comes with Prezero"),
    ):
        refused = run(zero.train, *SMALL, "run=other", f"start={first}", other)
        assert refused.code == 2 and says in refused.err, refused.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("opponents=gnugo",), "opponents=gnugo is not a list of random, rollout, each once."),
        (("preset=agz", "net.layers=4"), "net.layers=4 is even"),
        (("net.pooled=9",), "net.pooled=9 is not between 0 and the 2 residual blocks."),
        (("search.kind=best",), "search.kind=best is none of puct, gumbel."),
        (("learn.average=1",), "learn.average=1 is not"),
        (("preset=alphazero",), "preset=alphazero"),
    ],
)
def test_bad_settings_are_one_sentence(run, arguments, sentence):
    done = run(zero.train, "scale=tiny", *arguments)
    assert done.code == 2 and sentence in done.err and "Traceback" not in done.err
