"""Snapshots of a training: the networks of its curve, after a kill as without one, and none that was not asked for."""

import json

import numpy as np
import pytest
from conftest import store_of
from small_networks import InProcess, random_games, random_weights
from test_sl_commands import TINY

from nets.weights import Weights
from pipeline.errors import UserError
from sl_policy import train
from sl_policy.snapshots import Snapshot, read_snapshots, spread, write_snapshot
from sl_policy.trainer import PolicyTrainer


@pytest.fixture
def runs(tmp_path):
    """A folder of runs, of which `small` has random games on 5x5."""
    store_of(tmp_path / "small" / "data.prepare", random_games(5, 40, 60), 5)
    return tmp_path


@pytest.fixture
def command(monkeypatch, capsys, runs):
    return InProcess(monkeypatch, capsys, runs)


def curve(folder) -> list[tuple[int, float]]:
    lines = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [(line["positions"], line["top-1"]) for line in lines]


def test_every_point_of_the_curve_has_its_network(command, runs, monkeypatch):
    folder = runs / "small" / "sl_policy.train"
    stale = random_weights(5)
    write_snapshot(folder, stale, {"positions": 7, "top-1": 0.5})  # of another training that was killed
    step = PolicyTrainer.step

    def die_once(trainer, number):
        if number == 12:
            raise MemoryError
        return step(trainer, number)

    monkeypatch.setattr(PolicyTrainer, "step", die_once)
    assert command(train, *TINY, "snapshots=true").code == 2 and len(read_snapshots("small")) == 2
    early = {shot.path.name: shot.path.read_bytes() for shot in read_snapshots("small")}
    monkeypatch.setattr(PolicyTrainer, "step", step)
    done = command(train, *TINY, "snapshots=true")
    assert done.code == 0, done.err
    found = read_snapshots("small")
    assert [(shot.positions, shot.accuracy) for shot in found] == curve(folder) and len(found) == 4
    assert early.items() <= {shot.path.name: shot.path.read_bytes() for shot in found}.items()
    networks = [Weights.load(shot.path) for shot in found]
    final = Weights.load(folder / "policy.safetensors")
    assert networks[-1].fingerprint() == final.fingerprint()  # with the ranges for 8 bits
    assert len({network.fingerprint() for network in networks}) == 4
    first = next(iter(final.tensors))
    assert not np.array_equal(networks[0].tensors[first], final.tensors[first])
    plain = command(train, *TINY, "run=plain", "games=small")
    assert plain.code == 0 and not (runs / "plain" / "sl_policy.train" / "snapshots").exists()
    assert Weights.load(runs / "plain" / "sl_policy.train" / "policy.safetensors").fingerprint() == final.fingerprint()
    refused = command(train, *TINY, "run=plain", "games=small", "snapshots=true")
    assert refused.code == 2 and "was learnt without snapshots; learn another one with run=NAME." in refused.err
    with pytest.raises(UserError, match="The run plain has no snapshots; "):
        read_snapshots("plain")


def test_snapshots_are_chosen_by_accuracy():
    shots = [Snapshot(None, n, accuracy) for n, accuracy in enumerate((0.1, 0.3, 0.45, 0.5, 0.52, 0.51, 0.53))]
    assert [shot.positions for shot in spread(shots, 3)] == [0, 1, 6]
    assert [shot.positions for shot in spread(shots, 2)] == [0, 6]
    assert [shot.positions for shot in spread(shots, 100)] == [0, 1, 2, 3, 5, 4, 6]
    assert spread(shots[:1], 5) == shots[:1]
