"""Chapter 6: the arithmetic of Zero, its planes and blocks, and a loop that really learns."""

import itertools
import json

import numpy as np
import pytest

from classroom.exercises import check, exercises_of
from classroom.residual import change_of, deepened, random_network, scores_of
from classroom.solutions.chapter6 import MISTAKES, SOLUTIONS
from classroom.zero_diagram import loop_svg
from classroom.zero_learning import (
    RawNetwork,
    defect_wins,
    first_network,
    flaws_of,
    learn_from_nothing,
    learning_data,
    search_against_raw,
    settings_of,
)
from classroom.zero_numbers import (
    ELO_OF_ZERO_PAPER,
    cross_entropy,
    divergence,
    exploration_bias,
    exploration_bias_as_printed,
    least_wins,
    search_policy,
    self_play_compute,
    updated_rates,
    visits_before,
    win_probability,
    win_probability_as_printed,
)
from classroom.zero_planes import record_planes
from go import Position
from go.coordinates import PASS
from nets.description import Description
from nets.inputs import ZeroInputs
from nets.network import Network
from nets.runtime import measure_ranges
from pipeline.arrays import read_arrays
from zero.loop import random_positions
from zero.train import learn

SMALL = (
    "net.filters=4", "net.layers=3", "play.games=16", "play.places=8", "search.simulations=4", "learn.batch_size=16",
    "evaluation_games=4", "play_precision=float32",
)  # fmt: skip


def test_the_compute_of_the_slides():
    compute = self_play_compute()
    assert compute.seconds == pytest.approx(2.94e8) and round(compute.days) == 3_403
    assert round(compute.years, 1) == 9.3 and compute.nodes_a_second == 4_000
    assert 1_000 <= compute.machines <= 1_200  # the slides say about 1,000 for 3 days
    assert 4_900_000 / 25_000 == 196 and 4_900_000 / 700 == 7_000


def test_the_backup_of_the_slides():
    """A leaf of 70% moves 60 to 65% and 50 to 55%, which fixes the visits before at 1 and 3."""
    assert visits_before(0.60, 0.65, 0.70) == pytest.approx(1) and visits_before(0.50, 0.55, 0.70) == pytest.approx(3)
    assert updated_rates((0.50, 0.60), (3, 1), 0.70) == pytest.approx([0.55, 0.65])
    assert updated_rates((0.60, 0.50), (1, 3), 0.70) == pytest.approx([0.65, 0.55])
    assert updated_rates((0.50, 0.60, 0.20), (3, 1, 9), 0.70) == pytest.approx([0.55, 0.65, 0.25])


def test_the_gate_and_the_temperature():
    assert least_wins(400, 0.55) == 220 and least_wins(200, 0.55) == 110 and least_wins(3, 0.5) == 2
    assert search_policy(np.array([10, 30, 60]), 1) == pytest.approx([0.1, 0.3, 0.6])
    assert search_policy(np.array([1, 2]), 0.5) == pytest.approx([0.2, 0.8])
    assert search_policy(np.array([1, 4]), 2) == pytest.approx([1 / 3, 2 / 3])
    assert search_policy(np.array([5, 9, 1]), 0).tolist() == [0, 1, 0]
    assert search_policy(np.array([1_600, 1_500]), 0.01).sum() == pytest.approx(1)  # nothing overflows


def test_slips_of_the_sources_are_shown_beside_the_right_numbers():
    assert exploration_bias(100, 24) == pytest.approx(0.4) and exploration_bias_as_printed(100, 24) == pytest.approx(2)
    assert exploration_bias(100, 0) == exploration_bias_as_printed(100, 0) == 10
    assert round(100 * win_probability(230)) == 79 and round(100 * win_probability_as_printed(230), 1) == 64.0
    assert round(100 * win_probability(200), 1) == 76.0 and round(100 * win_probability_as_printed(200), 1) == 62.2
    assert ELO_OF_ZERO_PAPER["AlphaGo Zero, 40 blocks"] - ELO_OF_ZERO_PAPER["AlphaGo Master"] == 327


def test_divergence_is_cross_entropy_less_a_constant():
    rng = np.random.default_rng(1)
    target = np.array([0.5, 0.3, 0.2, 0.0])
    policies = rng.dirichlet(np.ones(4), 5)
    gaps = [cross_entropy(target, policy) - divergence(target, policy) for policy in policies]
    assert gaps == pytest.approx([-(0.5 * np.log(0.5) + 0.3 * np.log(0.3) + 0.2 * np.log(0.2))] * 5)
    assert divergence(np.array([0.5, 0.5]), np.array([0.5, 0.5])) == pytest.approx(0)


def test_planes_grow_older_and_change_sides():
    data = record_planes(["B2", "A1", "C3"], 3)
    at = {(row, column): 3 * row + column for row in range(3) for column in range(3)}
    steps = [step["planes"] for step in data["steps"]]
    assert [len(planes) for planes in steps] == [17] * 4
    assert all(plane == "0" * 9 for plane in steps[0][:16])  # no history before the first move
    assert [planes[16] for planes in steps] == ["1" * 9, "0" * 9, "1" * 9, "0" * 9]
    ones = [{i for i, bit in enumerate(plane) if bit == "1"} for plane in steps[3]]
    black, white = {at[1, 1], at[0, 2]}, {at[2, 0]}
    assert ones[:8] == [white, black, white, {at[1, 1]}, set(), {at[1, 1]}, set(), set()]  # white is to move
    for before, after in itertools.pairwise(steps):  # older planes are those of before, with sides changed
        for k in range(7):
            assert (after[2 * k + 2], after[2 * k + 3]) == (before[2 * k + 1], before[2 * k])
    assert SOLUTIONS["6.plane"] == 7


def test_silent_blocks_change_nothing_and_silent_layers_everything():
    positions = [Position(5).play("C3"), Position(5).play("A1").play("B2"), Position(5)]
    change, spread = change_of("dual-res", positions)
    assert change < 1e-5 and spread > 0.1
    change, spread = change_of("dual-conv", positions)
    assert change > 0.1 and spread < 1e-5
    weights = random_network("dual-res", 5)
    assert deepened(weights).description.blocks == weights.description.blocks + 1
    assert scores_of(weights, positions).shape == (3, 26)


def test_the_published_numbers_of_parameters():
    counts = [Description("dual-res", 19, 17, 256, layers, "legal").parameter_count() for layers in (39, 79)]
    assert counts == [22_827_877, 46_441_317]


@pytest.fixture(scope="module")
def learnt():
    return learn_from_nothing(3, 3, 1, *SMALL)


def test_a_run_leaves_its_versions_and_games(learnt):
    assert [version.games for version in learnt.versions] == [0, 16, 32, 48]
    assert learnt.window.games == 32 and learnt.komi == 3.5  # the latest
    for version in learnt.versions:
        assert sum(version.chances.values()) == pytest.approx(1) and len(version.chances) == 10
        assert -1 <= version.value <= 1
        symmetric = [version.chances[corner] for corner in ("A1", "A3", "C1", "C3")]
        assert symmetric == pytest.approx([symmetric[0]] * 4, abs=1e-5)  # averaged over the symmetries
    assert len({version.weights.fingerprint() for version in learnt.versions}) == 4
    steps = learning_data(learnt)["steps"]
    assert [step["games"] for step in steps] == [0, 16, 32, 48]
    assert steps[0]["elo"] is None and all(isinstance(step["elo"], int) for step in steps[1:])


def test_the_first_version_is_the_network_that_played_the_first_games(tmp_path):
    settings = settings_of(3, 1, 1, *SMALL)
    key = {"test": 1}
    expected = first_network(settings)
    planes, _ = ZeroInputs(settings.net.planes).of_positions(random_positions(3, settings.seed))
    expected.ranges = measure_ranges(expected, planes)
    learn(settings, tmp_path, key)
    about, _ = read_arrays(tmp_path / "window" / "000000-0000.safetensors", json.dumps(key))
    assert json.loads(about["made by"])["network"] == expected.fingerprint()


def test_the_search_improves_a_network_that_knows_nothing(learnt):
    first = learnt.versions[0].weights
    result = search_against_raw(first, 20, learnt.komi)
    assert result.games == 20 and result.share > 0.6


def test_the_bare_network_samples_its_moves(learnt):
    network = Network(learnt.weights, precision="float32")
    player, position = RawNetwork(network, 1), Position(3, 3.5).play("B2")
    assert player.plays_on(3) and not player.plays_on(9)
    moves = {player.decide(position).move for _ in range(60)}
    assert len(moves) > 4 and moves <= {*position.legal_moves().tolist(), PASS}
    chances = [candidate.probability for candidate in player.decide(position).candidates]
    assert 0 < sum(chances) <= 1 + 1e-6 and len(chances) == 8


def test_defects_cost_games(learnt):
    won = defect_wins(learnt.versions[0].weights, 16, learnt.komi, simulations=20)
    assert list(won) == ["inverted sign", "finished games seen from the root"]
    assert won["inverted sign"] < 8 and won["finished games seen from the root"] < 8
    flaws = flaws_of(learnt)
    assert flaws.games == 32 and flaws.other_winner <= flaws.other_margin <= flaws.counted <= 32
    assert flaws.games_with_wrong_ko <= flaws.wrong_kos


def test_the_drawing_of_the_loop_names_both_loops():
    drawing = loop_svg()
    assert drawing.startswith("<svg") and "1  p learns π" in drawing and "2  v learns z" in drawing


@pytest.mark.parametrize("name", exercises_of(6))
def test_solutions_are_accepted_and_mistakes_are_not(name, capsys):
    assert check(name, SOLUTIONS[name])
    assert len(MISTAKES[name]) >= 3
    for mistake in MISTAKES[name]:
        assert not check(name, mistake)
    assert set(SOLUTIONS) == set(MISTAKES) == set(exercises_of(6))
