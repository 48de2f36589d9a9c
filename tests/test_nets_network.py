"""Networks from the inside: their sums, their files, what they are given, and what they answer, in 8 and 32 bits."""

import json
import zipfile

import numpy as np
import pytest
import torch
from conftest import ROOT, store_of
from planes_reference import is_eye
from reference import after_move
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from safetensors.torch import save_file as save_torch
from small_networks import calibrated, random_games, random_weights, slow_answers, slow_scores

from data.positions import learnable_moves, positions_at
from features48.encoder import encode
from go import Position
from go.board import BLACK, WHITE
from go.coordinates import PASS, SYMMETRIES, action_from_point, rowcol_from_point
from go.history import histories_of
from nets.actions import actions_of, images_of_actions, points_of, turned, turned_back
from nets.description import Description
from nets.find import find_weights
from nets.inputs import Inputs, ZeroInputs
from nets.module import NetworkModule, module_of, weights_of
from nets.network import ALL_SYMMETRIES, Network, PolicyAndValue, softmax
from nets.runtime import (
    has_int8_instructions,
    inference_precision,
    measure_ranges,
    new_compute,
    onnx_compute,
    torch_compute,
)
from nets.weights import Weights
from pipeline.errors import UserError
from sl_policy.accuracy import find_moves, found_share, held_out, mean_divergence

SUBSETS = (4, 12, 20, 48)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Stores of random games by size: with captures, kos, eyes and set-up stones."""
    made = {}
    for size, plies, games in ((5, 60, 12), (9, 160, 12)):
        folder = tmp_path_factory.mktemp("store")
        sgf = random_games(size, plies, games) + random_games(size, plies // 2, games, with_setup=True)
        made[size] = store_of(folder, sgf, size, shares=(0, 0))
    return made


def some_positions(store, count, symmetries=0, seed=1):
    index = np.random.default_rng(seed).choice(learnable_moves(store, 0), count, replace=False)
    return positions_at(store, np.sort(index), np.full(count, symmetries))


@pytest.mark.parametrize(
    ("description", "published"),
    [
        (Description("policy", 19, 48, 192, 13), 3_882_793),
        (Description("value", 19, 49, 192, 15), 3_980_162),
        (Description("dual", 19, 17, 256, 39), 22_827_877),
        (Description("dual", 19, 17, 256, 79), 46_441_317),
    ],
)
def test_the_networks_of_the_papers_have_the_published_numbers_of_parameters(description, published):
    assert description.parameter_count() == published
    if description.layers < 79:  # torch agrees, without another 200 MB for the largest
        with torch.device("meta"):
            module = NetworkModule(description)
        assert sum(parameter.numel() for parameter in module.parameters()) == published


def test_the_policy_network_of_the_paper_has_the_published_shapes():
    shapes = Description("policy", 19, 48, 192, 13).shapes()
    kernels = [shape for name, shape in shapes.items() if name.endswith(".kernel")]
    assert kernels == [(192, 48, 5, 5), *[(192, 192, 3, 3)] * 11, (1, 192, 1, 1)]
    assert [shape for name, shape in shapes.items() if name.endswith(".bias")] == [*[(192,)] * 12, (361,)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"family": "rnn"}, "net.family=rnn is none of policy, value, dual-res, sep-res, dual-conv, sep-conv, dual."),
        ({"planes": 49}, "net.planes=49 does not fit a policy network, which takes 4, 12, 20, 48."),
        ({"family": "value"}, "net.planes=48 does not fit a value network, which takes 49."),
        ({"layers": 2}, "net.layers=2 is too few: a policy network has at least 3."),
        ({"family": "dual", "planes": 17}, "net.layers=4 is even: a dual network has 1 layer and 2 for each block."),
        ({"filters": 0}, "does not describe a network."),
        ({"size": 20}, "does not describe a network."),
        ({"moves": "all"}, "does not describe a network."),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(changes, sentence):
    usual = {"family": "policy", "size": 9, "planes": 48, "filters": 8, "layers": 4}
    with pytest.raises(UserError) as refused:
        Description(**usual | changes)
    assert sentence in str(refused.value)


NETWORKS = [
    ("policy", 2, 3, 3, 4),
    ("policy", 5, 6, 4, 48),
    ("policy", 7, 1, 5, 12),
    ("policy", 6, 5, 3, 20),
    ("value", 5, 6, 6, 49),
    ("dual", 5, 6, 5, 17),
]


@pytest.mark.parametrize(("family", "size", "filters", "layers", "planes"), NETWORKS)
def test_answers_are_those_of_a_network_whose_every_sum_is_written_out(family, size, filters, layers, planes):
    weights = random_weights(size, filters, layers, planes, family=family)
    given = np.random.default_rng(2).integers(0, 2, (3, planes, size, size)).astype(np.uint8)
    slow = [slow_answers(weights, one) for one in given]
    computed = [onnx_compute(weights)(given), torch_compute(weights, "cpu")(given)]
    for answer in slow[0]:
        expected = np.stack([one[answer] for one in slow])
        assert expected.std() > 0.05  # a rectifier that lets nothing through would agree with anything
        for found in computed:
            assert found[answer].shape == expected.shape and np.allclose(found[answer], expected, atol=1e-4)
    assert all(found.keys() == slow[0].keys() for found in computed)
    assert weights.description.parameter_count() == sum(p.numel() for p in module_of(weights).parameters())


@pytest.mark.parametrize(("family", "planes", "layers"), [("policy", 48, 4), ("value", 49, 6), ("dual", 17, 5)])
def test_a_normalised_network_becomes_a_plain_one_of_the_same_answers(family, planes, layers):
    torch.manual_seed(3)
    network = NetworkModule(Description(family, 5, planes, 8, layers), norm="batch", init="he")
    optimiser = torch.optim.SGD(network.parameters(), lr=0.05)
    untaught = weights_of(network)
    given = (torch.rand(32, planes, 5, 5) < 0.3).float()
    for _ in range(8):
        answers, loss = network(given), 0
        if "scores" in answers:
            loss = loss + torch.nn.functional.cross_entropy(answers["scores"], torch.arange(32) % 25)
        if "values" in answers:
            loss = loss + (answers["values"] - (torch.arange(32) % 2).float()).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    norm = list(network.norms.values())[1]
    assert norm.running_mean.abs().min() > 0 and (norm.running_var - 1).abs().max() > 0.05 and norm.bias.any()
    weights = weights_of(network)
    assert weights.is_sound() and weights.tensors.keys() == untaught.tensors.keys()
    planes_given = given.numpy().astype(np.uint8)
    with torch.inference_mode():
        expected = {name: tensor.numpy() for name, tensor in network.eval()(given).items()}
    for compute in (torch_compute, lambda weights, device: onnx_compute(weights)):
        before, folded = (compute(some, "cpu")(planes_given) for some in (untaught, weights))
        for answer in expected:
            assert np.abs(folded[answer] - expected[answer]).max() < 1e-4
            assert np.abs(before[answer] - expected[answer]).max() > 0.01


def test_a_network_begins_with_nearly_equal_chances_whatever_its_kind(stores):
    positions = some_positions(stores[9], 60)
    for norm, init in (("batch", "he"), ("none", "he"), ("none", "torch")):
        torch.manual_seed(1)
        module = NetworkModule(Description("policy", 9, 48, 16, 6), norm, init)
        chances = Network(weights_of(module)).of_store(stores[9], positions)
        most = chances.max(axis=1) * (chances > 0).sum(axis=1)  # 1 if all moves were equal
        assert 1 < np.median(most) < 3
        assert len(np.unique(chances[0])) > 10  # but not equal: that would teach all filters the same


@pytest.mark.parametrize(("family", "planes"), [("policy", 20), ("value", 49), ("dual", 17)])
def test_weights_come_back_from_their_file_bit_for_bit(tmp_path, family, planes):
    weights = random_weights(9, 5, 7, planes, "legal", family=family)
    weights = calibrated(weights, np.random.default_rng(1).integers(0, 2, (8, planes, 9, 9)).astype(np.uint8))
    weights.card = {"text": "é", "numbers": [1, 2.5]}
    weights.save(tmp_path / "a.safetensors")
    read = Weights.load(tmp_path / "a.safetensors")
    assert read.tensors.keys() == weights.tensors.keys()
    for name, array in weights.tensors.items():
        assert read.tensors[name].dtype == np.float32 and np.array_equal(read.tensors[name], array)
    assert (read.description, read.ranges, read.card) == (weights.description, weights.ranges, weights.card)
    assert read.fingerprint() == weights.fingerprint()


def test_a_fingerprint_names_the_network_and_not_where_it_comes_from():
    weights = random_weights(5)
    first = weights.fingerprint()
    weights.card = {}
    assert weights.fingerprint() == first == random_weights(5).fingerprint()
    for name, array in weights.tensors.items():
        array.flat[-1] = np.nextafter(array.flat[-1], np.float32(9))
        assert weights.fingerprint() != first, name
        array.flat[-1] = np.nextafter(array.flat[-1], np.float32(-9))
    assert weights.fingerprint() == first
    assert random_weights(5, moves="legal").fingerprint() != first
    weights.ranges = {"layer1": (0.0, 1.0)}
    assert weights.fingerprint() != first


def changed(name, change):
    def damage(path, tensors, about):
        tensors[name] = np.ascontiguousarray(change(tensors[name]))
        save_file(tensors, path, about)

    return damage


def dropped(name):
    return lambda path, tensors, about: save_file({n: t for n, t in tensors.items() if n != name}, path, about)


def said(**changes):
    return lambda path, tensors, about: save_file(tensors, path, about | changes)


def with_nan(array):
    array = array.copy()
    array.flat[3] = np.nan
    return array


ABOUT = {"family": "policy", "size": 5, "planes": 48, "filters": 3, "layers": 4, "moves": "sensible"}


def torn(share):
    def tear(path, tensors, about):
        data = path.read_bytes()
        path.write_bytes(data[: int(share * len(data))])

    return tear


def card_nested(path, tensors, about):
    save_file(tensors, path, about | {"card": "[" * 100_000 + "]" * 100_000})


def zeroed(path, tensors, about):
    """As a disk leaves a block that it lost."""
    data = bytearray(path.read_bytes())
    data[-400:-200] = bytes(200)
    path.write_bytes(data)


DAMAGES = {
    **{f"torn at {share}": torn(share) for share in (0, 0.001, 0.5, 0.999)},
    "noise": lambda path, tensors, about: path.write_bytes(np.random.default_rng(1).bytes(5_000)),
    "zeroed bytes": zeroed,
    "other format": said(format="1"),
    "no description": lambda path, tensors, about: save_file(tensors, path, {"format": "2"}),
    "moves unheard of": said(description=json.dumps(ABOUT | {"moves": "all"})),
    "family unheard of": said(description=json.dumps(ABOUT | {"family": "rnn"})),
    "filters as text": said(description=json.dumps(ABOUT | {"filters": "3"})),
    "another board": said(description=json.dumps(ABOUT | {"size": 7})),
    "a setting more": said(description=json.dumps(ABOUT | {"more": 1})),
    "description torn": said(description='{"a": '),
    "description of another kind": said(description="3"),
    "ranges of another kind": said(ranges="[1]"),
    "ranges of other layers": said(ranges='{"layer9": [0, 1]}'),
    "other ranges": said(ranges=json.dumps(dict.fromkeys(("layer1", "layer2", "layer3", "scores"), (0, 1)))),
    "card torn": said(card='{"a": '),
    "card nested": card_nested,
    "no metadata": lambda path, tensors, about: save_file(tensors, path),
    "no head": dropped("scores.kernel"),
    "a bias less": dropped("layer2.bias"),
    "something more": lambda path, tensors, about: save_file({**tensors, "more": np.zeros(2)}, path, about),
    "NaN": changed("layer2.kernel", with_nan),
    "infinite": changed("scores.bias", lambda array: array / np.float32(0)),
    "another number": changed("layer2.kernel", lambda array: array + np.float32(0.001)),
    "kernel of 1x1": changed("layer2.kernel", lambda array: array[:, :, :1, :1]),
    "kernel of one dimension": changed("layer1.kernel", lambda array: array.reshape(-1)),
    "planes unheard of": changed("layer1.kernel", lambda array: array[:, :47]),
    "16 bits": changed("layer1.bias", lambda array: array.astype(np.float16)),
    "bfloat16": lambda path, tensors, about: save_torch(
        {name: torch.from_numpy(array).bfloat16() for name, array in tensors.items()}, path, about
    ),
    "8-bit floats": lambda path, tensors, about: save_torch(
        {name: torch.from_numpy(array).to(torch.float8_e4m3fn) for name, array in tensors.items()}, path, about
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_damaged_or_foreign_file_is_one_sentence(tmp_path, damage):
    path = tmp_path / "network.safetensors"
    random_weights(5, 3, 4).save(path)
    with safe_open(path, "numpy") as file:
        about = file.metadata()
    del about["checksum"]  # which would notice everything
    DAMAGES[damage](path, load_file(path), about)
    with pytest.raises(UserError) as refused:
        Weights.load(path)
    sentence = str(refused.value)
    assert str(path) in sentence and sentence.endswith(".") and "\n" not in sentence


def test_a_flipped_bit_anywhere_is_noticed_or_changes_nothing(tmp_path):
    path, rng = tmp_path / "network.safetensors", np.random.default_rng(5)
    weights = random_weights(3, 2, 3, 4)
    weights.card = {"data": "random numbers", "figures": {"top-1": 0.123456}}
    weights.save(path)
    whole = path.read_bytes()
    refused = 0
    for place in rng.integers(0, 8 * len(whole), 300).tolist():
        data = bytearray(whole)
        data[place // 8] ^= 1 << place % 8
        path.write_bytes(data)
        try:
            read = Weights.load(path)
        except UserError:
            refused += 1
        else:  # in the spaces that fill the header up
            assert (read.fingerprint(), read.card) == (weights.fingerprint(), weights.card)
    assert refused > 200


def test_a_changed_card_is_noticed_and_one_without_a_checksum_is_read(tmp_path):
    path = tmp_path / "network.safetensors"
    weights = random_weights(3, 2, 3, 4)
    weights.card = {"top-1": 0.57}
    weights.save(path)
    with safe_open(path, "numpy") as file:
        about = file.metadata()
    save_file(load_file(path), path, about | {"card": '{"top-1": 0.97}'})
    with pytest.raises(UserError, match="its contents do not agree with its checksum"):
        Weights.load(path)
    del about["checksum"]
    save_file(load_file(path), path, about)  # as earlier versions wrote them
    assert Weights.load(path).card == {"top-1": 0.57}


def test_files_of_other_kinds_are_refused(tmp_path):
    for path, sentence in (
        (ROOT / "weights" / "rollout9.safetensors", "is not a network of format 2."),
        (tmp_path / "none", "There is no network in"),
        (tmp_path, "is not a network, or is damaged: "),
    ):
        with pytest.raises(UserError) as refused:
            Weights.load(path)
        assert sentence in str(refused.value) and str(path) in str(refused.value)


def legal_by_hand(position: Position) -> set[int]:
    """Legal moves found with a board of flood fills, but for ko, which the position itself knows."""
    colors, legal = position.colors, set()
    for point in points_of(position.size).tolist():
        row_column = rowcol_from_point(point, position.size)
        if after_move(colors, *row_column, position.to_move) is not None and point != position.ko:
            legal.add(point)
    return legal


def fills_an_eye(position: Position, point: int) -> bool:
    return is_eye(
        position.size, bytes(position.colors.reshape(-1)), action_from_point(point, position.size), position.to_move
    )


@pytest.mark.parametrize("size", [5, 9])
def test_the_moves_to_choose_from_are_the_legal_or_the_sensible_ones_whatever_the_network_sees(stores, size):
    found = some_positions(stores[size], 150)
    kos = eyes = 0
    expected = {"legal": np.zeros((150, size * size), bool), "sensible": np.zeros((150, size * size), bool)}
    for i, (game, ply) in enumerate(zip(found.games.tolist(), found.plies.tolist(), strict=True)):
        position = stores[size].position(game, ply)
        legal = legal_by_hand(position)
        assert legal == set(position.legal_moves().tolist())
        sensible = {point for point in legal if not fills_an_eye(position, point)}
        for moves, points in (("legal", legal), ("sensible", sensible)):
            expected[moves][i, [action_from_point(point, size) for point in points]] = True
        kos, eyes = kos + (position.ko is not None), eyes + (sensible != legal)
    assert kos > 0 and eyes > 5
    whole = Inputs(48, "sensible").encoder.batch(stores[size], found.games, found.plies, found.symmetries)
    for planes in SUBSETS:
        for moves in ("legal", "sensible"):
            inputs = Inputs(planes, moves, threads=2)
            seen, allowed = inputs.of_store(stores[size], found)
            assert np.array_equal(allowed, expected[moves])
            assert np.array_equal(seen, whole[:, :planes])  # and what it sees is not changed by that


def test_actions_and_points_are_the_same_moves():
    for size in (2, 9, 19):
        points = points_of(size)
        assert actions_of(points, size).tolist() == list(range(size * size))
        assert [action_from_point(point, size) for point in points.tolist()] == list(range(size * size))
    assert actions_of(np.array([PASS, points_of(19)[-1]]), 9).tolist() == [-1, -1]
    assert actions_of(np.array([Position(9).point("A9"), Position(9).point("C8")]), 9).tolist() == [0, 11]


def test_turned_planes_are_those_of_the_turned_game(stores):
    for size, store in stores.items():
        images, inputs = images_of_actions(size), Inputs(48, "sensible")
        upright = some_positions(store, 40)
        planes = inputs.encoder.batch(store, *upright[:3])
        for symmetry in range(SYMMETRIES):
            there = some_positions(store, 40, symmetry)
            shown = turned(planes, np.full(40, symmetry))
            assert np.array_equal(shown, inputs.encoder.batch(store, *there[:3]))
            moves = images[symmetry][actions_of(upright.moves, size)]
            assert np.array_equal(moves, actions_of(there.moves, size))
            for i in (0, 25):
                position = store.position(int(there.games[i]), int(there.plies[i]), symmetry)
                if len(position.history) == there.plies[i]:  # no stones were set up on the way, which end the history
                    assert np.array_equal(shown[i], encode(position))
        assert len({images[symmetry].tobytes() for symmetry in range(SYMMETRIES)}) == SYMMETRIES
    corner = np.zeros((1, 1, 3, 3), np.uint8)
    corner[0, 0, 0, 1] = 1  # above the centre: 4 swaps rows and columns, 2 turns rows, 1 turns columns
    all_ways = turned(np.repeat(corner, SYMMETRIES, axis=0), np.arange(SYMMETRIES))
    places = [np.argwhere(one[0]).tolist()[0] for one in all_ways]
    assert places == [[0, 1], [0, 1], [2, 1], [2, 1], [1, 0], [1, 2], [1, 0], [1, 2]]


@pytest.mark.parametrize("size", [5, 9, 19])
def test_onnx_and_torch_agree_for_any_batch(size):
    for planes, filters in ((48, 16), (4, 7)):
        weights = random_weights(size, filters, 5, planes, seed=size)
        given = (np.random.default_rng(3).random((17, planes, size, size)) < 0.3).astype(np.uint8)
        computes = onnx_compute(weights, 2), torch_compute(weights, "cpu")
        ours, theirs = (lambda planes, compute=compute: compute(planes)["scores"] for compute in computes)
        expected = theirs(given)
        assert expected.std() > 0.3
        for batch in (1, 2, 3, 8, 16, 17):
            assert np.abs(ours(given[:batch]) - expected[:batch]).max() < 1e-4
            assert np.abs(theirs(given[:batch]) - expected[:batch]).max() < 1e-4
        within = np.zeros((17, planes + 3, size, size), np.uint8)
        within[:, :planes] = given  # a part of a larger array, as the encoder gives it
        assert np.abs(ours(within[:, :planes]) - expected).max() < 1e-4


def test_an_unknown_or_missing_device_is_refused():
    for device, sentence in (("abacus", "none of auto, cpu, cuda, mps"), ("cuda", "is not there on this machine")):
        if device == "cuda" and torch.cuda.is_available():
            continue
        with pytest.raises(UserError, match=sentence):
            new_compute(random_weights(5), device)


def test_probabilities_are_shared_by_the_moves_allowed_and_by_no_others():
    rng = np.random.default_rng(4)
    scores, allowed = rng.normal(0, 5, (50, 25)).astype(np.float32), rng.random((50, 25)) < 0.4
    allowed[7], allowed[8], allowed[9] = False, True, np.arange(25) == 3
    scores[10], scores[11], scores[12] = 1e4, -1e4, np.linspace(-3e3, 3e3, 25)  # what would overflow
    with np.errstate(all="raise", under="ignore"):
        chances = softmax(scores, allowed)
    for i in range(50):
        total = sum(np.exp(np.float64(s) - scores[i][allowed[i]].max()) for s in scores[i][allowed[i]])
        for action in range(25):
            wanted = (
                np.exp(np.float64(scores[i, action]) - scores[i][allowed[i]].max()) / total if allowed[i, action] else 0
            )
            assert chances[i, action] == pytest.approx(wanted, abs=1e-6)
        assert (chances[i][~allowed[i]] == 0).all() and chances[i].sum() == pytest.approx(float(i != 7), abs=1e-5)
    assert chances[9, 3] == 1 and not chances[7].any()


def test_averaged_over_all_symmetries_a_turned_position_has_turned_probabilities(stores):
    for size, store in stores.items():
        policy = Network(random_weights(size, 8, 4))
        upright = some_positions(store, 20)
        once, averaged = (policy.of_store(store, upright, used) for used in ((0,), ALL_SYMMETRIES))
        for symmetry in range(1, SYMMETRIES):
            there = some_positions(store, 20, symmetry)
            images = images_of_actions(size)[symmetry]
            assert np.abs(policy.of_store(store, there, ALL_SYMMETRIES)[:, images] - averaged).max() < 1e-5
            assert np.abs(policy.of_store(store, there)[:, images] - once).max() > 0.1
        assert averaged.sum(axis=1) == pytest.approx(np.ones(20), abs=1e-5)
        by_hand = np.zeros_like(once)
        for symmetry in range(SYMMETRIES):  # of the games turned, not of the planes
            of_turned = policy.of_store(store, some_positions(store, 20, symmetry))
            by_hand += of_turned[:, images_of_actions(size)[symmetry]] / SYMMETRIES
        assert np.abs(by_hand - averaged).max() < 1e-5


def test_positions_alone_or_together_or_from_a_store_have_the_same_probabilities(stores):
    policy, found = Network(random_weights(5, planes=20), threads=2), some_positions(stores[5], 30)
    pairs = list(zip(found.games.tolist(), found.plies.tolist(), strict=True))
    whole = [i for i, (game, ply) in enumerate(pairs) if len(stores[5].position(game, ply).history) == ply]
    positions = [stores[5].position(*pairs[i]) for i in whole]
    assert len(positions) > 10
    together = policy.of_positions(positions)
    assert np.abs(together - policy.of_store(stores[5], found)[whole]).max() < 1e-5
    for position, expected in zip(positions[:5], together, strict=False):
        assert np.abs(policy.of_positions([position])[0] - expected).max() < 1e-5
    scores = slow_scores(policy.weights, encode(positions[0], 20))
    allowed = Inputs(20, "sensible").of_positions(positions[:1])[1]
    assert np.abs(softmax(scores[None], allowed)[0] - together[0]).max() < 1e-4
    with pytest.raises(UserError, match="This network plays on 5x5 only"):
        policy.of_positions([Position(9)])


def test_scores_of_turned_positions_are_turned_back_and_the_pass_stays():
    rng = np.random.default_rng(6)
    for has_pass in (False, True):
        scores = rng.normal(0, 1, (SYMMETRIES, 25 + has_pass)).astype(np.float32)
        shown = scores.copy()
        for symmetry in range(SYMMETRIES):
            shown[symmetry, images_of_actions(5)[symmetry]] = scores[symmetry, :25]
        assert np.array_equal(turned_back(shown, np.arange(SYMMETRIES), 5), scores)


def slow_zero_planes(position: Position) -> np.ndarray:
    """The 17 planes of AlphaGo Zero, from positions that are undone move by move."""
    planes = np.zeros((17, position.size, position.size), np.uint8)
    own, there = position.to_move, position.copy()
    for k in range(8):
        planes[2 * k], planes[2 * k + 1] = there.colors == own, there.colors == BLACK + WHITE - own
        if not there.history:
            break  # there is nothing before an empty board
        there.undo()
    planes[16] = own == BLACK
    return planes


def test_the_planes_of_zero_are_the_last_eight_boards_and_the_colour():
    rng, captures = np.random.default_rng(7), 0
    for size, plies in ((5, 60), (9, 40), (9, 3), (19, 12), (5, 0)):
        position = Position(size)
        for _ in range(plies):
            before = (position.colors > 0).sum()
            moves = position.legal_moves()
            position.play(int(rng.choice(moves)) if len(moves) and rng.random() > 0.1 else PASS)
            captures += (position.colors > 0).sum() < before
            if position.is_over:
                break
        expected = slow_zero_planes(position)
        boards, history = np.repeat(position.boards, SYMMETRIES), np.repeat(histories_of([position]), SYMMETRIES)
        found = ZeroInputs().boards(boards, history, np.arange(SYMMETRIES))
        assert np.array_equal(found, turned(np.repeat(expected[None], SYMMETRIES, axis=0), np.arange(SYMMETRIES)))
        planes, allowed = ZeroInputs().of_positions([position])
        assert np.array_equal(planes[0], expected)
        assert set(points_of(size)[allowed[0]].tolist()) == set(position.legal_moves().tolist())
    assert captures >= 2


def test_zero_sees_the_positions_of_a_store_as_if_they_were_played(stores):
    found = some_positions(stores[5], 20, symmetries=5)
    planes, allowed = ZeroInputs().of_store(stores[5], found)
    for i, (game, ply) in enumerate(zip(found.games.tolist(), found.plies.tolist(), strict=True)):
        position = stores[5].position(game, ply, 5)
        assert np.array_equal(planes[i], slow_zero_planes(position))
        assert set(points_of(5)[allowed[i]].tolist()) == set(position.legal_moves().tolist())


def asked(store, count=12):
    """Positions of a store as a search asks about them: boards, histories, symmetries."""
    found = some_positions(store, count)
    positions = [store.position(int(g), int(p)) for g, p in zip(found.games, found.plies, strict=True)]
    boards = np.concatenate([position.boards for position in positions])
    return boards, histories_of(positions), np.arange(count) % SYMMETRIES


@pytest.mark.parametrize(("family", "planes"), [("policy", 12), ("policy", 48), ("value", 49), ("dual", 17)])
def test_a_network_answers_in_any_symmetry_about_the_board_as_it_is(stores, family, planes):
    boards, history, symmetries = asked(stores[5])
    network = Network(random_weights(5, 6, 7, planes, family=family))
    answers = network.answer(boards, history, symmetries)
    assert (answers.scores is None) == (family == "value") and (answers.values is None) == (family == "policy")
    for i in range(len(boards)):
        upright = network.inputs.boards(boards[i : i + 1], history[i : i + 1], np.zeros(1, np.int64))
        slow = slow_answers(network.weights, turned(upright, symmetries[i : i + 1])[0])
        if answers.scores is not None:
            back = slow["scores"].copy()
            back[:25] = slow["scores"][images_of_actions(5)[symmetries[i]]]
            assert len(answers.scores[i]) == 25 + network.has_pass
            assert np.allclose(answers.scores[i], back, atol=1e-4)
        if answers.values is not None:
            assert answers.values[i] == pytest.approx(slow["values"], abs=1e-4)


def test_a_policy_and_a_value_network_answer_as_each_would_and_encode_once(stores, monkeypatch):
    boards, history, symmetries = asked(stores[5])
    policy, value = Network(random_weights(5, planes=20)), Network(random_weights(5, 6, 6, 49, family="value"))
    alone = policy.answer(boards, history, symmetries), value.answer(boards, history, symmetries)
    both = PolicyAndValue(policy, value)
    monkeypatch.setattr(policy.inputs, "boards", None)  # so it cannot be asked to encode
    answers = both.answer(boards, history, symmetries)
    assert np.allclose(answers.scores, alone[0].scores, atol=1e-5)
    assert np.allclose(answers.values, alone[1].values, atol=1e-5)
    wants_scores, wants_values = np.arange(12) % 2 == 0, np.arange(12) % 3 == 0
    some = both.answer(boards, history, symmetries, (wants_scores, wants_values))
    assert np.allclose(some.scores[wants_scores], alone[0].scores[wants_scores], atol=1e-5)
    assert np.allclose(some.values[wants_values], alone[1].values[wants_values], atol=1e-5)
    assert not some.scores[~wants_scores].any() and not some.values[~wants_values].any()
    nothing = np.zeros(12, bool)
    none = both.answer(boards, history, symmetries, (nothing, nothing))
    assert not none.scores.any() and not none.values.any()


def test_networks_that_do_not_go_together_are_refused():
    policy, value = Network(random_weights(5)), Network(random_weights(7, 6, 6, 49, family="value"))
    with pytest.raises(UserError, match="A policy network for 5x5 does not go with a value network for 7x7"):
        PolicyAndValue(policy, value)
    with pytest.raises(UserError, match="A policy and a policy network were given"):
        PolicyAndValue(policy, policy)


@pytest.mark.parametrize(("family", "planes", "layers"), [("policy", 48, 6), ("value", 49, 8), ("dual", 17, 7)])
def test_8_bits_answer_nearly_as_32(stores, family, planes, layers):
    boards, history, symmetries = asked(stores[9], 120)
    weights = random_weights(9, 32, layers, planes, family=family)
    exact = Network(weights, precision="float32")
    seen = exact.inputs.boards(boards, history, symmetries)
    weights = calibrated(weights, seen[:64])
    rounded = Network(weights, precision="int8")
    expected, found = exact.compute(seen), rounded.compute(seen)
    for answer in expected:
        spread, error = expected[answer].std(), np.abs(found[answer] - expected[answer])
        assert error.max() > 0 and np.quantile(error, 0.9) < 0.2 * spread and error.mean() < 0.08 * spread


def test_the_precision_is_chosen_by_the_processor_and_by_what_is_known_of_the_network(monkeypatch):
    weights = random_weights(5)
    assert inference_precision("auto", weights) == inference_precision("float32", weights) == "float32"
    with pytest.raises(UserError, match="precision=int8 needs the output ranges of the layers"):
        inference_precision("int8", weights)
    with pytest.raises(UserError, match="precision=int4 is none of auto, int8, float32"):
        inference_precision("int4", weights)
    weights = calibrated(weights, np.ones((1, 48, 5, 5), np.uint8))
    assert inference_precision("int8", weights) == "int8" and inference_precision("float32", weights) == "float32"
    assert inference_precision("auto", weights) == ("int8" if has_int8_instructions() else "float32")


def test_ranges_are_the_lowest_and_highest_outputs_of_every_layer():
    weights = random_weights(5, 4, 5, 17, family="dual")
    given = np.random.default_rng(8).integers(0, 2, (100, 17, 5, 5)).astype(np.uint8)
    ranges = measure_ranges(weights, given)
    assert list(ranges) == [
        "stem", "block1.first", "block1.second", "block1", "block2.first", "block2.second", "block2",
        "policy", "scores", "map", "hidden", "value",
    ]  # fmt: skip
    slow = [slow_answers(weights, one) for one in given]
    assert ranges["scores"] == pytest.approx(
        (min(one["scores"].min() for one in slow), max(one["scores"].max() for one in slow)), abs=1e-4
    )
    assert ranges["value"] == pytest.approx(
        (min(one["values"] for one in slow), max(one["values"] for one in slow)), abs=1e-4
    )
    assert ranges["stem"][0] >= 0 > ranges["block1.second"][0]  # a rectifier, and none


def test_in_8_bits_the_shipped_network_finds_the_same_moves(tmp_path):
    """Top-1 within 0.3 points, and nearly the same probabilities, on games that it may have seen and on others."""
    if not has_int8_instructions():
        pytest.skip("this processor has no instructions for 8 bits, so players compute in 32")
    with zipfile.ZipFile(ROOT / "data" / "corpus" / "expert9.zip") as corpus:
        games = corpus.read("expert9.sgfs").splitlines()[::18]
    store = store_of(tmp_path, games, 9, shares=(0, 0))
    index = held_out(store, "train", 16_384)
    weights = Weights.load(find_weights("policy", 9))
    exact, rounded = (Network(weights, threads=2, precision=precision) for precision in ("float32", "int8"))
    shares = [found_share(find_moves(network, store, index), 1) for network in (exact, rounded)]
    assert len(index) == 16_384 and abs(shares[0] - shares[1]) < 0.003 and shares[0] > 0.5
    assert 0 < mean_divergence(exact, rounded, store, index[::8]) < 0.005
