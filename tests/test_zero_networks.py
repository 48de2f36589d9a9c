"""The networks of the Zero family: their sums, their parameters, their planes, and their files."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from planes_reference import chain_of
from small_networks import calibrated, random_weights, slow_answers

from go import Position
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, SYMMETRIES, rowcol_from_point
from go.history import histories_of
from nets.actions import turned
from nets.description import Description, layers_of, pooled_blocks
from nets.inputs import ZeroInputs
from nets.module import NetworkModule, module_of, weights_of
from nets.network import Network
from nets.runtime import onnx_compute, torch_compute
from nets.weights import Weights
from pipeline.errors import UserError

POOLING = {"pooled": 1, "heads": "pooled", "outcome": "chances", "hidden": 12}
NETWORKS = [
    ("dual-res", 5, 6, 5, 17, {}),
    ("sep-res", 5, 6, 5, 17, {}),
    ("dual-conv", 5, 6, 4, 17, {}),
    ("sep-conv", 4, 6, 1, 17, {}),
    ("dual-res", 5, 8, 7, 21, POOLING),
    ("sep-res", 3, 5, 3, 21, POOLING),
    ("dual-res", 5, 6, 3, 7, {"hidden": 64}),
    ("dual-conv", 5, 6, 3, 7, {"heads": "pooled"}),
    ("dual-res", 5, 6, 3, 17, {"outcome": "chances"}),
]


def zero_weights(size, filters, layers, planes, **options):
    """Random weights whose values are neither all near 1 nor near -1."""
    weights = random_weights(size, filters, layers, planes, **options)
    for name in ("value", "chances"):
        if f"{name}.kernel" in weights.tensors:
            weights.tensors[f"{name}.kernel"] *= 0.1
    return weights


def some_planes(planes, size, count=3, seed=2):
    return np.random.default_rng(seed).integers(0, 2, (count, planes, size, size)).astype(np.uint8)


@pytest.mark.parametrize(("family", "size", "filters", "layers", "planes", "options"), NETWORKS)
def test_answers_are_those_of_a_network_whose_every_sum_is_written_out(family, size, filters, layers, planes, options):
    weights = zero_weights(size, filters, layers, planes, family=family, **options)
    given = some_planes(planes, size, 4)
    slow = [slow_answers(weights, one) for one in given]
    for found in (onnx_compute(weights)(given), torch_compute(weights, "cpu")(given)):
        assert found.keys() == {"scores", "values"}
        for answer, numbers in found.items():
            expected = np.stack([one[answer] for one in slow])
            assert expected.std() > 0.005  # a rectifier that lets nothing through would agree with anything
            assert numbers.shape == expected.shape and np.allclose(numbers, expected, rtol=1e-5, atol=2e-5)
    assert weights.description.parameter_count() == sum(p.numel() for p in module_of(weights).parameters())


@pytest.mark.parametrize(("layers", "published"), [(39, 22_827_877), (79, 46_441_317)])
def test_zero_has_the_published_numbers_of_parameters(layers, published):
    for family in ("dual-res", "dual"):
        assert Description(family, 19, 17, 256, layers).parameter_count() == published


def test_the_other_networks_of_figure_4_have_the_parameters_of_their_parts():
    """A tower is counted by hand: kernels, and a scale and a shift for each normalised filter."""
    size, filters = 19, 256
    stem = 17 * filters * 9 + 2 * filters
    inner = filters * filters * 9 + 2 * filters
    policy = 2 * filters + 2 * 2 + 2 * size**2 * (size**2 + 1) + size**2 + 1
    value = filters + 2 + size**2 * 256 + 256 + 256 + 1
    towers = {"res": (39, stem + 38 * inner), "conv": (12, stem + 11 * inner)}
    for kind, (layers, tower) in towers.items():
        dual = Description(f"dual-{kind}", size, 17, filters, layers).parameter_count()
        separate = Description(f"sep-{kind}", size, 17, filters, layers).parameter_count()
        assert dual == tower + policy + value and separate == 2 * tower + policy + value
    with torch.device("meta"):
        module = NetworkModule(Description("sep-conv", size, 17, filters, 12))
    assert sum(parameter.numel() for parameter in module.parameters()) == 2 * towers["conv"][1] + policy + value


def test_blocks_that_pool_are_spread_evenly():
    usual = Description("dual-res", 9, 17, 8, 11)
    for layers, pooled, expected in ((11, 1, {3}), (11, 0, set()), (13, 2, {2, 5}), (41, 4, {3, 8, 13, 18})):
        assert pooled_blocks(dataclasses.replace(usual, layers=layers, pooled=pooled)) == expected
    names = [layer.name for layer in layers_of(dataclasses.replace(usual, pooled=1))]
    assert "block3.pool" in names and "block2.pool" not in names


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"family": "dual-conv", "layers": 0}, "net.layers=0 is too few: a dual-conv network has at least 1."),
        ({"layers": 6}, "net.layers=6 is even: a sep-res network has 1 layer and 2 for each block."),
        ({"planes": 48}, "net.planes=48 does not fit a sep-res network, which takes 7, 17, 21."),
        ({"pooled": 3}, "net.pooled=3 is not between 0 and the 2 residual blocks."),
        ({"family": "dual-conv", "pooled": 1}, "net.pooled=1 is not between 0 and the 0 residual blocks."),
        ({"heads": "many"}, "does not describe a network."),
        ({"hidden": 0}, "does not describe a network."),
        ({"family": "value", "planes": 49, "outcome": "chances"}, "are for Zero's networks, not for a value network."),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(changes, sentence):
    usual = {"family": "sep-res", "size": 9, "planes": 17, "filters": 8, "layers": 5}
    with pytest.raises(UserError) as refused:
        Description(**usual | changes)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(("family", "size", "filters", "layers", "planes", "options"), NETWORKS)
def test_a_normalised_network_becomes_a_plain_one_of_the_same_answers(family, size, filters, layers, planes, options):
    torch.manual_seed(3)
    network = NetworkModule(Description(family, size, planes, filters, layers, **options), init="he")
    optimiser = torch.optim.SGD(network.parameters(), lr=0.05)
    given = torch.from_numpy(some_planes(planes, size, 32)).float()
    for _ in range(8):
        answers = network(given)
        loss = torch.nn.functional.cross_entropy(answers["scores"], torch.arange(32) % (size**2 + 1))
        loss = loss + (answers["values"] - (torch.arange(32) % 2).float()).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    weights = weights_of(network)
    assert weights.is_sound()
    with torch.inference_mode():
        expected = {name: tensor.numpy() for name, tensor in network.eval()(given).items()}
    for found in (onnx_compute(weights)(given.numpy().astype(np.uint8)), module_of(weights).eval()(given)):
        for answer in expected:
            assert np.abs(np.asarray(torch.as_tensor(found[answer]).detach()) - expected[answer]).max() < 1e-4


@pytest.mark.parametrize(("family", "layers", "planes", "options"), [
    ("dual-res", 7, 21, POOLING), ("sep-res", 5, 17, {}), ("dual-conv", 5, 17, {"heads": "pooled"}),
])  # fmt: skip
def test_8_bits_answer_nearly_as_32(family, layers, planes, options):
    weights = zero_weights(9, 32, layers, planes, family=family, **options)
    given = some_planes(planes, 9, 96)
    weights = calibrated(weights, given[:64])
    expected, found = (onnx_compute(weights, 1, precision)(given) for precision in ("float32", "int8"))
    for answer in expected:
        spread, error = expected[answer].std(), np.abs(found[answer] - expected[answer])
        assert error.max() > 0 and np.quantile(error, 0.9) < 0.2 * spread and error.mean() < 0.08 * spread


def test_files_have_options_only_where_they_are_on(tmp_path):
    """So files of earlier versions keep their fingerprints, and `dual` is still read."""
    for options in ({}, POOLING):
        weights = random_weights(5, 6, 5, 17, family="dual", **options)
        weights.save(tmp_path / "network")
        read = Weights.load(tmp_path / "network")
        assert read.description == weights.description and read.fingerprint() == weights.fingerprint()
        assert set(json.loads(json.dumps(read.description.as_dict()))) - set(POOLING) == {
            "family", "size", "planes", "filters", "layers", "moves"
        }  # fmt: skip
        assert (set(read.description.as_dict()) & set(POOLING)) == set(options)
    assert random_weights(5, 6, 5, 17, family="dual").fingerprint() != weights.fingerprint()


def played_position(size, plies, seed):
    rng, position = np.random.default_rng(seed), Position(size, superko=False)  # planes do not know of superko
    for _ in range(plies):
        moves = position.legal_moves()
        position.play(int(rng.choice(moves)) if len(moves) and rng.random() > 0.05 else PASS)
        if position.is_over:
            break
    return position


def slow_planes(position, planes):
    """The 7 planes, or the last four of the 21, from the friendly face of a position and a flood fill."""
    size, colors, own = position.size, position.colors, position.to_move
    board = bytes(colors.reshape(-1))
    if planes == 7:
        found = np.zeros((7, size, size), np.uint8)
        found[0], found[1], found[2] = colors == own, colors == BLACK + WHITE - own, colors == EMPTY
        for plane, move in zip((3, 4), position.history[::-1], strict=False):
            if move.point != PASS:
                found[plane][rowcol_from_point(move.point, size)] = 1
        for move in position.legal_moves():
            found[5][rowcol_from_point(int(move), size)] = 1
        found[6] = own == BLACK
        return found
    found = np.zeros((4, size, size), np.uint8)
    for action in range(size * size):
        row, column = divmod(action, size)
        if colors[row, column] != EMPTY:
            count = len(chain_of(size, board, action)[1])
            if count <= 3:
                found[count - 1, row, column] = 1
    if position.ko:
        found[3][rowcol_from_point(position.ko, size)] = 1
    return found


@pytest.mark.parametrize("planes", [7, 21])
def test_the_planes_of_the_relatives_are_what_their_table_says(planes):
    kos = 0
    for size, plies, seed in ((5, 0, 1), (5, 9, 2), (5, 40, 3), (9, 90, 4), (9, 61, 5), (7, 55, 6), (6, 47, 8)):
        position = played_position(size, plies, seed)
        kos += position.ko is not None
        expected = slow_planes(position, planes)
        if planes == 21:
            expected = np.concatenate([ZeroInputs(17).of_positions([position])[0][0], expected])
        boards, history = np.repeat(position.boards, SYMMETRIES), np.repeat(histories_of([position]), SYMMETRIES)
        found = ZeroInputs(planes).boards(boards, history, np.arange(SYMMETRIES))
        assert np.array_equal(found, turned(np.repeat(expected[None], SYMMETRIES, axis=0), np.arange(SYMMETRIES)))
    for size in (5, 9):  # and one with a ko for certain
        position = Position(size)
        for move in ("B2", "C2", "A3", "D3", "B4", "C4", "C3", "B3"):
            position.play(move)
        assert position.ko == position.point("C3")
        row, column = rowcol_from_point(position.ko, size)
        found = ZeroInputs(planes).of_positions([position])[0][0]
        assert found[5, row, column] == 0 if planes == 7 else found[20].sum() == found[20, row, column] == 1


def test_a_network_is_given_the_planes_that_it_was_made_for():
    for planes in (7, 17, 21):
        network = Network(random_weights(5, 4, 3, planes, family="dual-res"))
        position = played_position(5, 12, 3)
        answers = network.answer(position.boards, histories_of([position]), np.array([0]))
        slow = slow_answers(network.weights, ZeroInputs(planes).of_positions([position])[0][0])
        assert np.allclose(answers.scores[0], slow["scores"], atol=1e-4)
        assert answers.values[0] == pytest.approx(slow["values"], abs=1e-4)
