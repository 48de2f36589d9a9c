"""How the policy network learns and how well it is said to find moves, beside slow computations of the same."""

import dataclasses
import threading
import time
import zipfile

import numpy as np
import pytest
import torch
from conftest import ROOT, store_of
from small_networks import random_games, random_weights

from data.identity import TEST
from data.positions import PositionSampler, learnable_moves, positions_at
from features48.encoder import Encoder
from go import Position
from go.coordinates import SYMMETRIES, action_from_point, symmetry_table
from go.player import sensible_moves
from nets.batches import Prefetched, make_batch
from nets.inputs import Inputs
from nets.learning import learning_rate
from nets.module import weights_of
from nets.network import ALL_SYMMETRIES, Network, softmax
from nets.settings import NetSettings, OptimiserSettings
from pipeline.errors import UserError
from pipeline.training import Checkpoint, read_checkpoint, write_checkpoint
from sl_policy.accuracy import by_move_number, find_moves, found_share, held_out, summary, unseen
from sl_policy.trainer import PolicyTrainer

PAPER = OptimiserSettings(
    kind="sgd",
    learning_rate=0.003,
    momentum=0,
    weight_decay=0,
    batch_size=16,
    schedule="halving",
    warm_up=0,
    init="torch",
    norm="none",
)
NET = NetSettings(8, 4)
MODERN = OptimiserSettings(kind="adamw", learning_rate=0.003, momentum=0.9, weight_decay=0.05, batch_size=32)
INTO_EYES = b"(;SZ[5]GM[1];B[ba];W[dd];B[ab];W[de];B[bb];W[ed];B[aa];W[dc];B[cc];W[ee])"  # black fills A5, white E1


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Random games on 5x5, and some in which own eyes are filled."""
    eyes = [INTO_EYES, INTO_EYES.replace(b"B[cc]", b"B[cd]"), INTO_EYES.replace(b"W[dc]", b"W[cb]")]
    return store_of(tmp_path_factory.mktemp("small"), [*eyes, *random_games(5, 40, 40)], 5, shares=(0.2, 0.3))


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Games of strong players, in which there is something to learn."""
    with zipfile.ZipFile(ROOT / "data" / "corpus" / "expert9.zip") as archive:
        games = archive.read("expert9.sgfs").splitlines()[:200]
    return store_of(tmp_path_factory.mktemp("real"), games, 9, shares=(0.1, 0.1))


def trainer_of(store, optimiser=MODERN, net=NET, positions=1_000, precision=torch.float32, seed=1, **changes):
    sampler, changed = PositionSampler(store, "train", seed), dataclasses.replace(optimiser, **changes)
    return PolicyTrainer(sampler, net, changed, positions, torch.device("cpu"), precision, seed)


def parameters(trainer):
    return {name: tensor.detach().numpy().copy() for name, tensor in trainer.network.named_parameters()}


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def upright(store, index):
    return positions_at(store, np.asarray(index), np.zeros(len(index), np.int64))


def moments(store, index):
    """The position before each of some moves, and the point that was played."""
    games, plies, _, moves = (part.tolist() for part in upright(store, index))
    return [(store.position(game, ply), move) for game, ply, move in zip(games, plies, moves, strict=True)]


def batch_at(store, index):
    return make_batch(store, Inputs(NET.planes, NET.moves), upright(store, index))


def eye_fillers(store):
    """Where the moves stand that fill an own eye."""
    index = np.concatenate([learnable_moves(store, split) for split in range(3)])
    return index[[move not in sensible_moves(position) for position, move in moments(store, index)]]


def test_a_batch_is_the_same_whether_it_was_made_ahead_or_not(small):
    sampler, inputs = PositionSampler(small, "train", 5), Inputs(12, "sensible")
    batches = Prefetched(lambda number: make_batch(small, inputs, sampler.batch(number, 64)))
    later = len(sampler) // 64  # the batch in which an epoch ends
    for number in [0, 1, 2, later, later + 1, 3, 4, 4, 2 * later, 0, 1]:
        fresh = make_batch(small, Inputs(12, "sensible"), PositionSampler(small, "train", 5).batch(number, 64))
        for ours, expected in zip(batches[number], fresh, strict=True):
            assert np.array_equal(ours, expected)


def test_no_two_batches_are_drawn_at_the_same_time(small):
    """The order of an epoch is shared, so the batch that is made ahead must not cross another one."""
    sampler, busy, draw = PositionSampler(small, "train"), threading.Lock(), PositionSampler.batch
    clashes = []

    def slow_batch(number, size):
        alone = busy.acquire(blocking=False)
        clashes.extend([] if alone else [number])
        time.sleep(0.01)
        if alone:
            busy.release()
        return draw(sampler, number, size)

    sampler.batch = slow_batch
    inputs = Inputs(4, "sensible")
    batches = Prefetched(lambda number: make_batch(small, inputs, sampler.batch(number, 8)))
    for number in (0, 1, 7, 3, 4, 20, 0):
        assert len(batches[number].actions) == 8
    batches.pool.shutdown()
    assert clashes == []


def test_training_sees_every_symmetry_of_training_positions_and_nothing_else(small):
    """The move must be turned as its position is, and no position set aside may come in, turned or not."""
    contents, encoder = {}, Encoder(12)
    for split in ("train", "validation", "test"):
        contents[split] = {}
        for game, ply, _, move in zip(*upright(small, held_out(small, split)), strict=True):
            for symmetry in range(SYMMETRIES):
                position = small.position(game, ply, symmetry)
                action = action_from_point(int(symmetry_table(5)[symmetry, move]), 5)
                contents[split].setdefault((encoder.position(position).tobytes(), action), set()).add(symmetry)
    apart = (contents["validation"].keys() | contents["test"].keys()) - contents["train"].keys()
    assert len(apart) > 1_000
    trainer = trainer_of(small, net=NetSettings(4, 3, 12), batch_size=64)
    drawn, symmetries = 0, np.zeros(SYMMETRIES)
    for number in range(30):
        batch = trainer.batches[number]
        for planes, action in zip(batch.planes, batch.actions.tolist(), strict=True):
            of = contents["train"][planes.tobytes(), action]  # a KeyError is a position that is not for training
            if len(of) == 1:
                symmetries[next(iter(of))] += 1
            drawn += 1
    assert drawn == 30 * 64 and symmetries.min() > 0.07 * symmetries.sum()
    assert not small.games["split"][trainer.sampler.batch(0, 5_000).games].any()


def slow_records(policy, store, index):
    """For each position: how many moves are better than the expert's, how many as good, and its log-probability."""
    found = []
    for position, move in moments(store, index):
        chances, ply = policy.of_positions([position])[0], len(position.history)
        moves = {point: chances[action_from_point(point, store.size)] for point in sensible_moves(position)}
        if move not in moves:
            found.append((ply, None, None, None))
        else:
            better, equal = sum(c > moves[move] for c in moves.values()), sum(c == moves[move] for c in moves.values())
            found.append((ply, better, equal, np.log(moves[move])))
    return found


def slow_summary(records):
    """What is found if moves of one probability are put in an order by lot."""
    shares = {}
    for most in (1, 5):
        found = [
            0 if equal is None else np.mean([p < most for p in range(better, better + equal)])
            for _, better, equal, _ in records
        ]
        shares[f"top{most}"] = np.mean(found)
    losses = [-log_p for *_, log_p in records if log_p is not None]
    missing = 1 - len(losses) / len(records)
    return {**shares, "log_loss": np.mean(losses), "no candidate": missing, "moves": len(records)}


@pytest.mark.parametrize("zero", [False, True])
def test_what_a_network_finds_is_what_a_slow_count_finds(small, zero):
    weights = random_weights(5)
    for array in weights.tensors.values() if zero else ():
        array[:] = 0
    policy = Network(weights)
    index = np.sort(np.concatenate([held_out(small, "test", 150), eye_fillers(small)]))
    advanced = []
    records = find_moves(policy, small, index, advance=advanced.append)
    expected = slow_records(policy, small, index)
    shown = summary(records)
    assert shown == pytest.approx(slow_summary(expected), abs=1e-5)
    assert shown["no candidate"] > 0.01 and sum(advanced) == len(index) > 64
    assert found_share(records, 1) == shown["top1"] and found_share(records, 25) == 1 - shown["no candidate"]
    assert records["index"].tolist() == index.tolist()
    rows = by_move_number(records, 5)
    assert [(row["from"], row["to"]) for row in rows] == [(1, 10), (11, 20), (21, 30), (31, 40)]
    for row in rows:
        of_row = [record for record in expected if row["from"] <= record[0] + 1 <= row["to"]]
        assert {n: v for n, v in row.items() if n not in ("from", "to")} == pytest.approx(
            slow_summary(of_row), abs=1e-5
        )
    if zero:  # by no means all: equal moves share a hit
        counts = np.array([1 / equal if equal else 0 for _, _, equal, _ in expected])
        assert shown["top1"] == pytest.approx(counts.mean()) and 0.03 < shown["top1"] < 0.3
        candidates = 1 / counts[counts > 0]
        assert shown["log_loss"] == pytest.approx(np.log(candidates).mean(), abs=1e-5)


def test_more_symmetries_are_averaged_before_moves_are_compared(small):
    policy, index = Network(random_weights(5)), held_out(small, "test", 100)
    records = find_moves(policy, small, index, ALL_SYMMETRIES)
    positions = upright(small, index)
    chances = policy.of_store(small, positions, ALL_SYMMETRIES)
    for record, of_move, move in zip(records, chances, positions.moves.tolist(), strict=True):
        expert = of_move[action_from_point(move, 5)]
        assert np.exp(record["log_p"]) == pytest.approx(expert, rel=1e-4)
        assert record["better"] == (of_move > expert * 1.0001).sum()
    empty = records[records["ply"] == 0]
    assert len(empty) > 1 and set(empty["equal"].tolist()) <= {1, 4, 8}  # images of a move, in spite of rounding
    assert summary(records) != summary(find_moves(policy, small, index))
    with pytest.raises(UserError, match=r"The network plays on 9x9, but the games in .* are of 5x5"):
        find_moves(Network(random_weights(9)), small, index)


def test_a_move_that_may_not_be_chosen_is_not_found_beside_moves_whose_chance_is_rounded_to_nothing(small):
    weights = random_weights(5)
    weights.tensors["scores.kernel"] *= 1_000
    policy = Network(weights)
    batch = batch_at(small, eye_fillers(small))
    assert (policy.probabilities(batch.planes, batch.allowed) == 0)[batch.allowed].any()
    shown = summary(find_moves(policy, small, eye_fillers(small)))
    assert shown["top5"] == 0 and shown["no candidate"] == 1


def seen_by_mover(position: Position) -> bytes:
    colors = position.colors.astype(np.int8)
    mine = np.where(colors == 0, 0, np.where(colors == position.to_move, 1, 2)).astype(np.int8)
    images = [np.rot90(board, turns) for board in (mine, mine.T) for turns in range(4)]
    return min(np.ascontiguousarray(image).tobytes() for image in images)


def test_positions_that_stand_in_training_are_told_from_those_that_do_not(small):
    def views(index):
        return [seen_by_mover(position) for position, _ in moments(small, index)]

    trained = set(views(held_out(small, "train")))
    for part in ("test", "validation"):
        index = held_out(small, part, 200)
        assert unseen(small, part, index).tolist() == [view not in trained for view in views(index)]
    assert 0.05 < unseen(small, "test", index := held_out(small, "test")).mean() < 1 and len(index) > 200


def test_positions_set_aside_are_drawn_once_and_in_their_order(small):
    every = held_out(small, "test")
    assert np.array_equal(every, learnable_moves(small, TEST)) and np.array_equal(held_out(small, "test", 10**6), every)
    some = held_out(small, "test", 50, seed=3)
    assert len(set(some.tolist())) == 50 and set(some.tolist()) <= set(every.tolist()) and (np.diff(some) > 0).all()
    assert np.array_equal(some, held_out(small, "test", 50, seed=3))
    assert not np.array_equal(some, held_out(small, "test", 50, seed=4))


def test_a_step_of_the_paper_is_plain_gradient_descent_on_the_likelihood(small):
    trainer = trainer_of(small, PAPER)
    batch, before = trainer.batches[0], parameters(trainer)
    with torch.inference_mode():
        scores = trainer.network(torch.from_numpy(batch.planes).float())["scores"].numpy()
    chances = softmax(scores, batch.allowed)
    of_expert = chances[np.arange(16), batch.actions]
    assert batch.counts.all() and (of_expert > 0).all()
    shown = trainer.step(0)
    assert shown["positions"] == 16 and shown["train log-loss"] == pytest.approx(-np.log(of_expert).mean(), rel=1e-5)
    assert shown["train top-1"] == (chances.argmax(1) == batch.actions).mean()
    wanted = np.zeros((16, 25))
    wanted[np.arange(16), batch.actions] = 1
    gradients = {name: tensor.grad.numpy() for name, tensor in trainer.network.named_parameters()}
    assert np.allclose(gradients["point_bias.scores"], (chances - wanted).mean(axis=0), atol=1e-6)
    for name, now in parameters(trainer).items():
        rate, whole = np.float32(0.003), before[name].astype(np.float64)
        in_one, in_two = (
            (whole - np.float64(rate) * gradients[name]).astype(np.float32),
            before[name] - rate * gradients[name],
        )
        assert ((now == in_one) | (now == in_two)).all(), name  # rounded once or twice, as the processor likes
        assert gradients[name].any(), name


@pytest.mark.parametrize("norm", ["none", "batch"])
def test_gradients_reach_every_parameter(small, norm):
    trainer = trainer_of(small, norm=norm)
    trainer.step(0)
    for name, tensor in trainer.network.named_parameters():
        size = tensor.grad.abs().amax()
        if norm == "batch" and name.startswith("layers") and name.endswith("bias"):
            assert size < 1e-6  # the normalisation takes it away at once
        else:
            assert size > 1e-6, name
    assert (trainer.network.point_bias["scores"].grad != 0).all()


def test_learning_finds_far_more_than_chance(real):
    trainer = trainer_of(real, net=NetSettings(16, 4), positions=10_000, batch_size=64)
    index = held_out(real, "validation")
    untaught = summary(find_moves(Network(weights_of(trainer.network)), real, index))
    shown = [trainer.step(number) for number in range(trainer.steps)]
    assert trainer.steps == 156
    losses = [entry["train log-loss"] for entry in shown]
    taught = summary(find_moves(Network(weights_of(trainer.network)), real, index))
    uniform = np.mean([np.log(len(sensible_moves(position))) for position, _ in moments(real, index)])
    assert uniform - 0.2 < untaught["log_loss"] < uniform + 0.5 and untaught["top1"] < 0.06
    assert np.mean(losses[-20:]) < uniform - 0.8 and taught["log_loss"] < uniform - 0.8
    assert taught["top1"] > 0.15 and taught["top5"] > 0.4


@pytest.mark.parametrize("changes", [{"norm": "batch"}, {"norm": "none", "kind": "sgd", "learning_rate": 0.05}])
def test_a_handful_of_positions_is_learnt_by_heart(real, changes):
    trainer = trainer_of(real, net=NetSettings(16, 4), init="he", **changes)
    batch = batch_at(real, held_out(real, "train", 12))
    trainer.network.train()
    for _ in range(120):
        shown = trainer.learn(batch, trainer.settings.learning_rate)
    assert shown["train top-1"] == 1 and shown["train log-loss"] < 0.3
    chances = Network(weights_of(trainer.network)).probabilities(batch.planes, batch.allowed)
    assert (chances.argmax(axis=1) == batch.actions).all() and chances.max(axis=1).mean() > 0.6


def test_step_sizes_follow_their_schedule():
    for step, expected in ((0, 0.003), (79_999_999, 0.003), (80_000_000, 0.0015), (339_999_999, 0.003 / 16)):
        assert learning_rate(PAPER, step, 340_000_000) == expected
    cosine = dataclasses.replace(MODERN, learning_rate=0.2, warm_up=0.1)
    sizes = [learning_rate(cosine, step, 200) for step in range(200)]
    for step, found in enumerate(sizes):
        grown = min(1, (step + 1) / 20)
        assert found == pytest.approx(0.2 * grown * np.cos(np.pi * step / 400) ** 2)  # (1 + cos 2x) / 2
    assert sizes[0] == pytest.approx(0.01, rel=1e-3) and sizes[-1] < 0.2 * 1e-4 and np.argmax(sizes) == 19
    halving = dataclasses.replace(PAPER, learning_rate=1, halve_every=3, warm_up=0.5)
    assert [learning_rate(halving, step, 8) for step in range(8)] == [0.25, 0.5, 0.75, 0.5, 0.5, 0.5, 0.25, 0.25]
    assert learning_rate(dataclasses.replace(cosine, warm_up=0), 0, 1) == 0.2


def test_a_step_uses_the_size_of_its_number(small, monkeypatch):
    trainer, used = trainer_of(small), []
    assert trainer.steps == 31 and trainer_of(small, positions=1).steps == 1
    monkeypatch.setattr(trainer, "learn", lambda batch, rate: used.append((batch.actions.tolist(), rate)))
    for number in (4, 5, 30):
        trainer.step(number)
        assert used[-1] == (trainer.batches[number].actions.tolist(), learning_rate(MODERN, number, 31))


@pytest.mark.parametrize("kind", ["sgd", "adamw"])
@pytest.mark.parametrize("norm", ["none", "batch"])
def test_moves_that_may_not_be_played_teach_nothing(small, kind, norm):
    fillers = eye_fillers(small)
    assert len(fillers) == 6
    trainer = trainer_of(small, kind=kind, norm=norm, weight_decay=0, learning_rate=1)
    forbidden, before = batch_at(small, fillers), parameters(trainer)
    assert not forbidden.counts.any()
    trainer.network.train()
    shown = trainer.learn(forbidden, 1)
    assert shown == {"positions": 6, "train log-loss": 0, "train top-1": 0}
    assert same(parameters(trainer), before)
    if norm == "none":  # beside others, too; with batch norm, the others see them
        index = held_out(small, "train", 8)
        index = index[~np.isin(index, fillers)]
        mixed, plain = trainer_of(small, PAPER, learning_rate=1), trainer_of(small, PAPER, learning_rate=1)
        mixed.learn(batch_at(small, [*index, *fillers]), 1)
        plain.learn(batch_at(small, index), 1)
        ours, theirs = parameters(mixed), parameters(plain)
        assert all(np.allclose(ours[name], theirs[name], atol=1e-5) for name in ours) and not same(ours, before)


def test_only_kernels_are_pulled_towards_zero(small):
    for kind in ("sgd", "adamw"):
        trainer = trainer_of(small, kind=kind, norm="batch", weight_decay=0.5, momentum=0.0)
        before = parameters(trainer)
        trainer.learn(batch_at(small, eye_fillers(small)), 0.1)
        for name, now in parameters(trainer).items():
            is_kernel = name.startswith("layers.") and name.endswith("weight")
            assert np.allclose(now, (0.95 if is_kernel else 1) * before[name], atol=1e-7), name


RESUMED = [
    {"kind": "sgd", "norm": "none", "learning_rate": 0.05},
    {"kind": "sgd", "norm": "batch", "learning_rate": 0.05},
    {"kind": "adamw", "norm": "none"},
    {"kind": "adamw", "norm": "batch"},
]


@pytest.mark.parametrize("changes", RESUMED, ids=lambda changes: f"{changes['kind']} {changes['norm']}")
def test_a_training_goes_on_from_a_checkpoint_as_if_there_had_been_none(small, tmp_path, changes):
    whole, cut, again = (trainer_of(small, positions=320, **changes) for _ in range(3))
    shown = [whole.step(number) for number in range(10)]
    for number in range(4):
        cut.step(number)
    write_checkpoint(tmp_path / "c", "key", Checkpoint(cut.state(), 4, {}, 0, []))
    again.restore(read_checkpoint(tmp_path / "c", "key").state)
    assert [again.step(number) for number in range(4, 10)] == shown[4:]
    assert same(again.state(), whole.state())
    assert weights_of(again.network).fingerprint() == weights_of(whole.network).fingerprint()
    half = trainer_of(small, positions=320, **changes)
    half.network.load_state_dict(cut.network.state_dict())  # the weights alone are not enough
    for number in range(4, 10):
        half.step(number)
    assert not same(half.state(), whole.state())


def test_a_state_stays_as_it_was_while_learning_goes_on(small):
    trainer, other = trainer_of(small), trainer_of(small)
    trainer.step(0)
    state = trainer.state()
    kept = {name: array.copy() for name, array in state.items()}
    other.restore(state)
    for number in (1, 2):
        trainer.step(number)
    assert same(state, kept) and not same(trainer.state(), kept)
    other.step(1)
    other.step(2)
    assert same(other.state(), trainer.state()) and same(state, kept)


def test_seeds_make_other_networks_and_other_batches(small):
    one, two = trainer_of(small), trainer_of(small, seed=2)
    assert not same(parameters(one), parameters(two))
    assert not np.array_equal(one.batches[0].actions, two.batches[0].actions)
    assert same(parameters(one), parameters(trainer_of(small)))


def test_half_precision_learns_much_the_same(small):
    full, half = (trainer_of(small, precision=kind) for kind in (torch.float32, torch.bfloat16))
    for number in range(8):
        losses = [trainer.step(number)["train log-loss"] for trainer in (full, half)]
        assert losses[0] == pytest.approx(losses[1], rel=0.03) and losses[0] != losses[1]
    assert all(tensor.dtype == torch.float32 for tensor in half.network.parameters())


def test_learning_that_goes_astray_is_told_and_not_kept(small):
    trainer = trainer_of(small, PAPER, learning_rate=100, init="he")
    with pytest.raises(UserError, match=r"optimiser\.learning_rate"):
        for number in range(40):
            trainer.step(number)
