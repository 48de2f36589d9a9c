"""The policy network from the inside: its sums, its file, what it is given, and the probabilities that it answers."""

import numpy as np
import pytest
import torch
from conftest import ROOT, store_of
from planes_reference import is_eye
from reference import after_move
from safetensors.numpy import load_file, save_file
from small_networks import random_games, random_weights, slow_scores

from data.positions import learnable_moves, positions_at
from features48.encoder import encode
from go import Position
from go.coordinates import PASS, SYMMETRIES, action_from_point, rowcol_from_point
from pipeline.errors import UserError
from sl_policy.inference import ALL_SYMMETRIES, Policy, new_scorer, onnx_scorer, softmax, torch_scorer
from sl_policy.inputs import Inputs, actions_of, images_of_actions, points_of, turned
from sl_policy.network import PolicyNetwork
from sl_policy.settings import NetSettings
from sl_policy.weights import PolicyWeights

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


def test_the_network_of_the_paper_has_the_published_shapes():
    network = PolicyNetwork(19, NetSettings(192, 13, 48))
    counted = 5 * 5 * 48 * 192 + 11 * 9 * 192**2 + 12 * 192 + 192 + 361
    assert counted == 3_882_793
    assert sum(parameter.numel() for parameter in network.parameters()) == network.weights().count() == counted
    kernels = [tuple(convolution.weight.shape) for convolution in network.convolutions]
    assert kernels == [(192, 48, 5, 5), *[(192, 192, 3, 3)] * 11]
    assert tuple(network.head.weight.shape) == (1, 192, 1, 1) and network.head.bias is None


@pytest.mark.parametrize(
    ("size", "filters", "layers", "planes"), [(2, 3, 3, 4), (5, 6, 4, 48), (7, 1, 5, 12), (6, 5, 3, 20)]
)
def test_scores_are_those_of_a_network_whose_every_sum_is_written_out(size, filters, layers, planes):
    weights = random_weights(size, filters, layers, planes)
    network = PolicyNetwork.from_weights(weights)
    given = np.random.default_rng(2).integers(0, 2, (3, planes, size, size)).astype(np.uint8)
    expected = np.stack([slow_scores(weights, one) for one in given])
    assert expected.std() > 0.3  # a rectifier that lets nothing through would agree with anything
    with torch.inference_mode():
        assert np.allclose(network(torch.from_numpy(given).float()).numpy(), expected, atol=1e-4)
    assert np.allclose(onnx_scorer(weights, 1)(given), expected, atol=1e-4)
    assert (weights.size, weights.filters, weights.layers, weights.planes) == (size, filters, layers, planes)
    count = 25 * planes * filters + (layers - 2) * 9 * filters**2 + (layers - 1) * filters + filters + size**2
    assert weights.count() == count == sum(parameter.numel() for parameter in network.parameters())


def test_a_normalised_network_becomes_a_plain_one_of_the_same_scores():
    torch.manual_seed(3)
    network = PolicyNetwork(5, NetSettings(8, 4, 48), norm="batch", init="he")
    optimiser = torch.optim.SGD(network.parameters(), lr=0.1)
    untaught = network.weights()
    given = (torch.rand(32, 48, 5, 5) < 0.3).float()
    for _ in range(8):
        loss = torch.nn.functional.cross_entropy(network(given), torch.arange(32) % 25)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    norm = network.norms[1]
    assert norm.running_mean.abs().min() > 0 and (norm.running_var - 1).abs().max() > 0.05 and norm.bias.any()
    weights = network.weights()
    assert weights.count() == untaught.count() == 25 * 48 * 8 + 2 * 9 * 64 + 3 * 8 + 8 + 25  # the paper's layers alone
    with torch.inference_mode():
        expected = network.eval()(given).numpy()
        before = PolicyNetwork.from_weights(untaught)(given).numpy()
        folded = PolicyNetwork.from_weights(weights)(given).numpy()
    assert np.abs(folded - expected).max() < 1e-4 < 0.01 < np.abs(before - expected).max()


def test_a_network_begins_with_nearly_equal_chances_whatever_its_kind(stores):
    positions = some_positions(stores[9], 60)
    for norm, init in (("batch", "he"), ("none", "he"), ("none", "torch")):
        torch.manual_seed(1)
        chances = Policy(PolicyNetwork(9, NetSettings(16, 6), norm, init).weights()).of_store(stores[9], positions)
        most = chances.max(axis=1) * (chances > 0).sum(axis=1)  # 1 if all moves were equal
        assert 1 < np.median(most) < 3
        assert len(np.unique(chances[0])) > 10  # but not equal: that would teach all filters the same


def test_weights_come_back_from_their_file_bit_for_bit(tmp_path):
    weights = random_weights(9, 5, 6, 20, "legal")
    weights.card = {"text": "é", "numbers": [1, 2.5]}
    weights.save(tmp_path / "a.safetensors")
    read = PolicyWeights.load(tmp_path / "a.safetensors")
    assert read.tensors().keys() == weights.tensors().keys()
    for name, array in weights.tensors().items():
        assert read.tensors()[name].dtype == np.float32 and np.array_equal(read.tensors()[name], array)
    assert read.card == weights.card and read.moves == "legal" and read.fingerprint() == weights.fingerprint()


def test_a_fingerprint_names_the_network_and_not_where_it_comes_from():
    weights = random_weights(5)
    first = weights.fingerprint()
    weights.card = {}
    assert weights.fingerprint() == first == random_weights(5).fingerprint()
    for name, array in weights.tensors().items():
        array.flat[-1] = np.nextafter(array.flat[-1], np.float32(9))
        assert weights.fingerprint() != first, name
        array.flat[-1] = np.nextafter(array.flat[-1], np.float32(-9))
    assert weights.fingerprint() == first
    weights.moves = "legal"
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


def torn(share):
    def tear(path, tensors, about):
        data = path.read_bytes()
        path.write_bytes(data[: int(share * len(data))])

    return tear


ONLY_ENDS = {"head": np.zeros(2, np.float32), "point_bias": np.zeros(25, np.float32)}
DAMAGES = {
    **{f"torn at {share}": torn(share) for share in (0, 0.001, 0.5, 0.999)},
    "noise": lambda path, tensors, about: path.write_bytes(np.random.default_rng(1).bytes(5_000)),
    "other format": said(format="2"),
    "no moves": lambda path, tensors, about: save_file(tensors, path, {"format": "1"}),
    "moves unheard of": said(moves="all"),
    "no card": lambda path, tensors, about: save_file(tensors, path, {"format": "1", "moves": "legal"}),
    "card torn": said(card='{"a": '),
    "no metadata": lambda path, tensors, about: save_file(tensors, path),
    "no head": dropped("head"),
    "a layer less": lambda path, tensors, about: save_file(
        {name: tensor for name, tensor in tensors.items() if not name.startswith("layer2")}, path, about
    ),
    "a bias less": dropped("layer2.bias"),
    "no layers": lambda path, tensors, about: save_file(ONLY_ENDS, path, about),
    "something more": lambda path, tensors, about: save_file({**tensors, "more": np.zeros(2)}, path, about),
    "NaN": changed("layer2.kernel", with_nan),
    "infinite": changed("point_bias", lambda array: array / np.float32(0)),
    "kernel of 1x1": changed("layer2.kernel", lambda array: array[:, :, :1, :1]),
    "kernel of one dimension": changed("layer1.kernel", lambda array: array.reshape(-1)),
    "kernel of other depth": changed("layer3.kernel", lambda array: array[:, :2]),
    "planes unheard of": changed("layer1.kernel", lambda array: array[:, :47]),
    "filters without bias": changed("layer1.bias", lambda array: array[:2]),
    "head of a layer": changed("head", lambda array: array.reshape(1, -1, 1, 1)),
    "head of one number": changed("head", lambda array: np.float32(1).reshape(())),
    "points without a board": changed("point_bias", lambda array: array[:24]),
    "points of two boards": changed("point_bias", lambda array: np.stack([array, array], 1)),
    "a board of one point": changed("point_bias", lambda array: array[:1]),
    "a board of 20x20": changed("point_bias", lambda array: np.zeros(400, np.float32)),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_damaged_or_foreign_file_is_one_sentence(tmp_path, damage):
    path = tmp_path / "network.safetensors"
    random_weights(5, 3, 4).save(path)
    about = {"format": "1", "moves": "sensible", "card": "{}"}
    DAMAGES[damage](path, load_file(path), about)
    with pytest.raises(UserError) as refused:
        PolicyWeights.load(path)
    sentence = str(refused.value)
    assert str(path) in sentence and sentence.endswith(".") and "\n" not in sentence


def test_files_of_other_kinds_are_refused(tmp_path):
    for path, sentence in (
        (ROOT / "weights" / "rollout9.safetensors", "is not a policy network of format 1."),
        (tmp_path / "none", "; ./prezero sl_policy.train makes one."),
        (tmp_path, "is not a policy network"),
    ):
        with pytest.raises(UserError) as refused:
            PolicyWeights.load(path)
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
            seen, allowed = inputs.split(inputs.encoder.batch(stores[size], *found[:3]))
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
            assert np.array_equal(turned(planes, images[symmetry]), inputs.encoder.batch(store, *there[:3]))
            moves = images[symmetry][actions_of(upright.moves, size)]
            assert np.array_equal(moves, actions_of(there.moves, size))
            for i in (0, 25):
                position = store.position(int(there.games[i]), int(there.plies[i]), symmetry)
                if len(position.history) == there.plies[i]:  # no stones were set up on the way, which end the history
                    assert np.array_equal(turned(planes, images[symmetry])[i], encode(position))
        assert len({images[symmetry].tobytes() for symmetry in range(SYMMETRIES)}) == SYMMETRIES
    corner = np.zeros((1, 1, 3, 3), np.uint8)
    corner[0, 0, 0, 1] = 1  # above the centre: 4 swaps rows and columns, 2 turns rows, 1 turns columns
    places = [np.argwhere(turned(corner, images_of_actions(3)[s])[0, 0]).tolist()[0] for s in range(SYMMETRIES)]
    assert places == [[0, 1], [0, 1], [2, 1], [2, 1], [1, 0], [1, 2], [1, 0], [1, 2]]


@pytest.mark.parametrize("size", [5, 9, 19])
def test_onnx_and_torch_agree_for_any_batch(size):
    for planes, filters in ((48, 16), (4, 7)):
        weights = random_weights(size, filters, 5, planes, seed=size)
        given = (np.random.default_rng(3).random((17, planes, size, size)) < 0.3).astype(np.uint8)
        ours, theirs = onnx_scorer(weights, 2), torch_scorer(weights, "cpu")
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
            new_scorer(random_weights(5), device)


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
        policy = Policy(random_weights(size, 8, 4))
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
    policy, found = Policy(random_weights(5, planes=20), threads=2), some_positions(stores[5], 30)
    pairs = list(zip(found.games.tolist(), found.plies.tolist(), strict=True))
    whole = [i for i, (game, ply) in enumerate(pairs) if len(stores[5].position(game, ply).history) == ply]
    positions = [stores[5].position(*pairs[i]) for i in whole]
    assert len(positions) > 10
    together = policy.of_positions(positions)
    assert np.abs(together - policy.of_store(stores[5], found)[whole]).max() < 1e-5
    for position, expected in zip(positions[:5], together, strict=False):
        assert np.abs(policy.of_positions([position])[0] - expected).max() < 1e-5
    scores = slow_scores(policy.weights, encode(positions[0], 20))
    allowed = Inputs(20, "sensible").split(Inputs(20, "sensible").encoder.position(positions[0])[None])[1]
    assert np.abs(softmax(scores[None], allowed)[0] - together[0]).max() < 1e-4
    with pytest.raises(UserError, match="This network plays on 5x5 only"):
        policy.of_positions([Position(9)])
