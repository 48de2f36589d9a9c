"""Which networks a search asks, and in how many symmetries: other files, the RL policy network, explicit averages."""

import dataclasses

import numpy as np
import pytest
from small_networks import random_weights
from small_searches import MadeUp, network, random_position

from apv_mcts.assemble import Source, load_networks, networks_of, new_search, sizes_of
from apv_mcts.evaluator import Evaluator
from apv_mcts.settings import SearchSettings
from arena.player_text import read_player
from arena.players import new_player, preset
from arena.weights_used import fingerprint, weights_used
from go.board import BOARD
from go.history import HISTORY
from nets.actions import points_of
from nets.network import ALL_SYMMETRIES, Network
from pipeline.errors import UserError

SIZE = 5
PLAIN = {"rollouts": "uniform", "priors": "uniform", "threads": 1, "nodes": 50, "precision": "float32"}


def by_symmetry(boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
    return 2.0**symmetries / 256


def positions(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    found = [random_position(SIZE, 4 + number, rng) for number in range(count)]
    boards, history = np.zeros(count, BOARD), np.zeros(count, HISTORY)
    for number, position in enumerate(found):
        boards[number], history[number] = position.boards[0], position.past[0]
    return boards, history


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_answers_are_averaged_over_as_many_different_symmetries_as_asked_for(count):
    answers = MadeUp(network(SIZE), by_symmetry)
    evaluator = Evaluator(answers, symmetries=count)
    boards, history = positions(3)
    first = np.array([0, 3, 6])
    all_asked = np.ones(3, bool), np.ones(3, bool)
    scores, values = evaluator._answers(boards, history, first, all_asked)
    for number in range(3):
        one = boards[number : number + 1], history[number : number + 1]
        used = [s for s in ALL_SYMMETRIES if round(values[number] * count * 256) & 2**s]  # told by the bits
        assert len(used) == count and first[number] in used
        slow = sum(network(SIZE).answer(*one, np.array([s])).scores[0].astype(float) for s in used) / count
        assert scores[number] == pytest.approx(slow, abs=1e-4)


def test_all_symmetries_make_the_priors_independent_of_the_seed():
    def priors(symmetries: int, seed: int) -> list[tuple[int, float]]:
        settings = SearchSettings(**PLAIN, symmetries=symmetries)
        search = new_search(settings, SIZE, seed=seed, network=network(SIZE))
        search.set_position(random_position(SIZE, 6, np.random.default_rng(1)))
        search.prepare()
        return sorted((edge.move, edge.prior) for edge in search.statistics())

    one, other = priors(8, 1), priors(8, 2)
    assert [move for move, _ in one] == [move for move, _ in other]
    assert [prior for _, prior in one] == pytest.approx([prior for _, prior in other], abs=1e-5)
    assert any(priors(1, 1) != priors(1, seed) for seed in range(2, 6))


def test_the_network_alone_averages_probabilities(tmp_path, monkeypatch):
    weights = random_weights(SIZE)
    (tmp_path / "small" / "sl_policy.train").mkdir(parents=True)
    weights.save(tmp_path / "small" / "sl_policy.train" / "policy.safetensors")
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    position = random_position(SIZE, 5, np.random.default_rng(2))
    for count in (1, 2, 8):
        player = new_player(read_player(f"sl run=small symmetries={count} precision=float32"))
        candidates = player.decide(position).candidates
        exact = Network(weights, precision="float32")
        slow = sum(exact.of_positions([position], (s,))[0] for s in range(count)) / count
        by_point = dict(zip(points_of(SIZE).tolist(), slow.tolist(), strict=True))
        assert candidates and {c.point: c.probability for c in candidates} == pytest.approx(
            {c.point: by_point[c.point] for c in candidates}, abs=1e-6
        )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with different SL, RL and value networks."""
    for seed, (stage, name, family) in enumerate(
        (
            ("sl_policy.train", "policy", "policy"),
            ("rl_policy.train", "rl", "policy"),
            ("value_net.train", "value", "value"),
        )
    ):
        (tmp_path / "small" / stage).mkdir(parents=True)
        weights = random_weights(SIZE, 4, 5, 49 if family == "value" else 48, seed=seed, family=family)
        weights.save(tmp_path / "small" / stage / f"{name}.safetensors")
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    return tmp_path / "small"


def test_a_search_asks_the_network_that_its_settings_name(run):
    other = run / "other.safetensors"
    random_weights(SIZE, seed=9).save(other)
    files = {"sl": run / "sl_policy.train/policy.safetensors", "rl": run / "rl_policy.train/rl.safetensors"}
    boards, history = positions(2)
    seen = []
    for name, file in (files | {str(other): other}).items():
        settings = SearchSettings(**PLAIN, policy_from=name)
        expected = Network.load(file, precision="float32").answer(boards, history, np.zeros(2, int)).scores
        found = load_networks(settings, SIZE, "small").answer(boards, history, np.zeros(2, int)).scores
        assert np.array_equal(found, expected) and sizes_of(settings, "small") == (SIZE,)
        seen.append(found.tobytes())
    assert len(set(seen)) == 3
    values = run / "values.safetensors"
    random_weights(SIZE, 4, 5, 49, seed=11, family="value").save(values)
    settings = SearchSettings(**PLAIN, value=True, value_from=str(values))
    found = load_networks(settings, SIZE, "small").answer(boards, history, np.zeros(2, int)).values
    assert np.array_equal(
        found, Network.load(values, precision="float32").answer(boards, history, np.zeros(2, int)).values
    )
    text = f"alpha_rvp rollouts=uniform priors=uniform run=small policy_from=rl value_from={values}"
    assert weights_used(read_player(text), SIZE) == {"rl": fingerprint(files["rl"]), "value": fingerprint(values)}


def test_the_networks_of_the_presets_are_as_before():
    assert networks_of(preset("alpha_rvp").search) == {"policy": Source("policy"), "value": Source("value")}
    assert networks_of(preset("alpha_rp").search) == {"policy": Source("policy")}
    assert networks_of(preset("alpha_rv").search) == {"value": Source("value")} and not networks_of(
        preset("uct").search
    )


def test_a_network_that_does_not_fit_is_refused(run):
    def refused(**changes) -> str:
        settings = dataclasses.replace(SearchSettings(**PLAIN), **changes)
        with pytest.raises(UserError) as error:
            sizes_of(settings, "small")
            load_networks(settings, SIZE, "small")
        return str(error.value)

    value = str(run / "value_net.train" / "value.safetensors")
    assert refused(policy_from=value) == "A value network was given for a policy network."
    assert refused(policy_from="nowhere") == "There is no network in nowhere."
    other = run / "other.safetensors"
    random_weights(9).save(other)
    assert refused(policy_from=str(other)) == f"The policy network of {other} plays on 9x9, not on 5x5."
    with pytest.raises(UserError, match=r"search\.symmetries=3 is none of 1, 2, 4, 8"):
        read_player("sl symmetries=3")
