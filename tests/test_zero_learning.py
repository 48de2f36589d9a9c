"""What is learnt from: the window, the lessons, the loss, and ratings."""

import numpy as np
import pytest
import torch
from zero_reference import FormulaNetwork, softmax

from go import Position
from go.board import BLACK, WHITE
from go.coordinates import SYMMETRIES
from nets.actions import images_of_actions, turned
from nets.description import Description
from nets.inputs import ZeroInputs
from nets.module import module_of, weights_of
from nets.runtime import onnx_compute
from pipeline.errors import UserError
from zero.games import PASSED, RESIGNED, Terms
from zero.learner import Learner, learning_rate, losses_of
from zero.lessons import draw_lesson, draw_lessons, lesson_of
from zero.match import MatchResult, opening_moves, play_match
from zero.ratings import ratings
from zero.rules import PUCT, Rule
from zero.self_play import Lockstep
from zero.settings import LearnSettings, PlaySettings
from zero.window import Shard, Window, shard_of, shard_of_games

SIZE = 4


@pytest.fixture(scope="module")
def records():
    """Games with captures, some of them resigned."""
    network = FormulaNetwork(SIZE, seed=3)
    games = Lockstep(SIZE, Rule(PUCT, simulations=8), Terms(0.5, 40, 40, -0.7), 4)
    return list(games.play(range(12), (5,), lambda n: (network, network), lambda n: n % 3 > 0))


def with_numbers(records, first):
    return shard_of([record._replace(number=first + i) for i, record in enumerate(records)])


def test_a_learner_that_starts_from_a_network_computes_what_it_did(records):
    """Also while it learns, when normalisation takes the means and deviations of the batch."""
    cpu = torch.device("cpu")
    pooled = {"planes": 21, "filters": 6, "layers": 5, "pooled": 1, "heads": "pooled", "outcome": "chances"}
    description = Description("dual-res", SIZE, moves="legal", hidden=8, **pooled)
    settings = LearnSettings(optimiser="adamw", learning_rate=0.05, average=0.9)
    inputs, shard = ZeroInputs(21), shard_of(records)
    games = np.repeat(np.arange(shard.games), np.diff(shard.starts))
    lesson = lesson_of(shard, games, np.arange(shard.plies) - shard.starts[games], games % SYMMETRIES, inputs)
    learnt = Learner(description, settings, cpu, torch.float32)
    for _ in range(5):
        learnt.learn(lesson, 0.0)
    given = weights_of(learnt.student.network)
    learner = Learner(description, settings, cpu, torch.float32)
    learner.start_from(given, lesson.planes)
    for kept in (learner.weights(), weights_of(learner.student.network)):
        assert all(np.allclose(kept.tensors[name], given.tensors[name], atol=1e-5) for name in given.tensors)
    planes = torch.from_numpy(lesson.planes).float()
    expected = module_of(given).eval()(planes)
    learner.student.train()
    with torch.no_grad():
        found = learner.student(planes)
    for name, answer in expected.items():
        assert torch.allclose(found[name], answer, atol=1e-4)
        assert answer.std() > 0.01  # not all alike
    name, average = next(item for item in learner.average.named_parameters() if item[1].ndim == 4)
    before = average.detach().clone()
    learner.learn(lesson, 0.0)
    stepped = dict(learner.student.network.named_parameters())[name]
    assert not torch.equal(stepped, before)
    assert torch.allclose(average, 0.9 * before + 0.1 * stepped, atol=1e-6)  # of its full length from the first step on


def test_targets_of_a_replayed_game_equal_a_recomputation(records):
    """Planes, pi, z, owners and score of every position of every game, each in its own symmetry."""
    shard, inputs = shard_of(records), ZeroInputs(21)
    assert {record.ending for record in records} >= {PASSED, RESIGNED}
    by_number = {record.number: record for record in records}
    games = np.repeat(np.arange(shard.games), np.diff(shard.starts))
    plies = np.arange(shard.plies) - shard.starts[games]
    symmetries = np.arange(shard.plies) % SYMMETRIES
    lesson = lesson_of(shard, games, plies, symmetries, inputs, search_value=0.25)
    images = images_of_actions(SIZE, has_pass=True)
    for i, (game, ply, symmetry) in enumerate(zip(games.tolist(), plies.tolist(), symmetries.tolist(), strict=True)):
        record = by_number[int(shard.numbers[game])]
        position = Position(SIZE, 0.5)
        for move in record.moves[:ply].tolist():
            position.play(move)
        own = 1 if position.to_move == BLACK else -1
        planes = inputs.of_positions([position])[0]
        assert np.array_equal(lesson.planes[i], turned(planes, np.array([symmetry]))[0])
        target = record.targets[ply].astype(np.float32)
        assert np.allclose(lesson.policy[i][images[symmetry]], target / target.sum(), atol=1e-6)
        assert lesson.outcome[i] == own * record.outcome
        mixed = 0.75 * own * record.outcome + 0.25 * float(record.values[ply])
        assert lesson.value[i] == pytest.approx(mixed, abs=1e-5)
        assert lesson.is_counted[i] == (record.ending != RESIGNED)
        if record.ending != RESIGNED:
            final = Position(SIZE, 0.5)
            for move in record.moves.tolist():
                final.play(move)
            owners = final.owners().reshape(-1)
            seen = np.where(owners == BLACK, own, 0) + np.where(owners == WHITE, -own, 0)
            assert np.array_equal(lesson.owners[i][images[symmetry][:-1]], seen)
            assert lesson.score[i] == pytest.approx(own * final.score() / SIZE**2)
    assert len(set(lesson.outcome.tolist())) == 2 and lesson.value.std() > 0.1


def test_positions_are_drawn_evenly_from_the_whole_window(records, tmp_path):
    window = Window(tmp_path, 100)
    for iteration in range(3):
        window.add(iteration, with_numbers(records[4 * iteration :][:4], 4 * iteration))
    lesson = draw_lesson(window, 6_000, np.random.default_rng(1), ZeroInputs())
    targets = np.concatenate([shard.targets for _, shard in window.shards]).astype(np.float32)
    targets = np.sort(targets / targets.sum(1, keepdims=True), axis=1).round(4)
    drawn = {row.tobytes() for row in np.sort(lesson.policy, axis=1).round(4)}
    known = {row.tobytes() for row in targets}
    assert len(drawn & known) > 0.97 * len(known) and len(drawn - known) < 0.05 * len(known)
    assert window.learnable == len(targets)


def test_positions_after_quick_searches_are_not_drawn(tmp_path):
    network, rule = FormulaNetwork(SIZE, seed=3), Rule(PUCT, simulations=8, fast=2, full_share=0.3)
    games = Lockstep(SIZE, rule, Terms(0.5, 40, 40), 4)
    records = list(games.play(range(8), (5,), lambda n: (network, network)))
    window, shard = Window(tmp_path, 100), shard_of(records)
    window.add(0, shard)
    full = shard.targets.any(axis=1)
    assert np.array_equal(np.flatnonzero(full), shard.learnable) and 0.15 < full.mean() < 0.5
    assert window.learnable == full.sum() < shard.plies
    lesson = draw_lesson(window, 2_000, np.random.default_rng(1), ZeroInputs())
    rows = np.sort(shard.targets[full].astype(np.float32), axis=1)
    known = {row.tobytes() for row in (rows / rows.sum(1, keepdims=True)).round(4)}
    drawn = {row.tobytes() for row in np.sort(lesson.policy, axis=1).round(4)}
    assert len(drawn & known) > 0.97 * len(known) and len(drawn - known) < 0.05 * len(known)
    some = shard_of_games(shard, np.array([5, 2]))
    assert np.array_equal(some.learnable, np.flatnonzero(some.targets.any(axis=1))) and len(some.learnable)


def test_batches_that_are_drawn_together_are_the_same_positions_in_another_order(records, tmp_path):
    window = Window(tmp_path, 100)
    for iteration in range(2):
        window.add(iteration, with_numbers(records[4 * iteration :][:4], 4 * iteration))
    whole = draw_lesson(window, 64, np.random.default_rng(1), ZeroInputs())
    batches = list(draw_lessons(window, 4, 16, np.random.default_rng(1), ZeroInputs()))
    assert [len(batch.outcome) for batch in batches] == 4 * [16]

    def rows_of(lesson):
        return [b"".join(array[row].tobytes() for array in lesson) for row in range(len(lesson.outcome))]

    together = [row for batch in batches for row in rows_of(batch)]
    assert together != rows_of(whole) and sorted(together) == sorted(rows_of(whole))


def test_no_game_is_in_the_window_twice_and_the_window_is_bounded(records, tmp_path):
    window = Window(tmp_path, 10)
    for iteration in range(6):
        window.add(iteration, with_numbers(records[:4], 4 * iteration))
        numbers = [number for _, shard in window.shards for number in shard.numbers.tolist()]
        assert len(set(numbers)) == len(numbers) == window.games <= 10
    assert window.oldest == 4 and numbers == list(range(16, 24))
    for twice in (with_numbers(records[:4], 20), with_numbers(records[:4], 23)):
        with pytest.raises(ValueError, match="twice"):
            window.add(6, twice)
    with pytest.raises(ValueError, match="twice"):
        window.add(6, shard_of([records[0], records[0]]))
    window.add(6, with_numbers(records, 100))  # an iteration that is larger than the window is kept whole
    assert window.games == 12 and window.oldest == 6


def test_the_window_has_a_share_of_all_games_so_far_and_comes_back_alike(records, tmp_path):
    window = Window(tmp_path, 24, share=0.5)
    oldest = []
    for iteration in range(16):
        shard = with_numbers(records[:4], 4 * iteration)
        window.write(iteration, 0, {}, shard)
        window.add(iteration, shard)
        oldest.append(window.oldest)
        again = Window(tmp_path, 24, share=0.5)
        again.restore(window.oldest, iteration + 1)
        assert again.numbers == window.numbers and again.games <= 24
    # the latest iteration, then half of all games, then 24 games
    assert oldest == [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10]
    later = Window(tmp_path, 24, share=0.5, before=16)  # learning started from a network that had played 16 games
    for iteration in range(8):
        later.add(iteration, with_numbers(records[:4], 4 * iteration))
    assert later.games == 24 and later.oldest == 2
    few = Window(tmp_path, 24, share=0.5, before=16)
    few.add(0, with_numbers(records[:4], 0))
    few.add(1, with_numbers(records[:4], 4))
    assert few.games == 8  # of 24 games, half would be 12


def test_the_window_comes_back_from_its_files(records, tmp_path):
    window, made_by = Window(tmp_path, 10, "key"), {"network": "a"}
    for iteration in range(4):
        for chunk in range(2):
            shard = with_numbers(records[:2], 4 * iteration + 2 * chunk)
            window.write(iteration, chunk, made_by, shard)
            window.add(iteration, shard)
    again = Window(tmp_path, 10, "key")
    again.restore(window.oldest, 4)
    assert [i for i, _ in again.shards] == [i for i, _ in window.shards]
    for (_, one), (_, other) in zip(window.shards, again.shards, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert isinstance(again.read(3, 1, made_by), Shard) and again.read(3, 1, {"network": "b"}) is None
    assert again.read(3, 2, made_by) is None and Window(tmp_path, 10, "other").read(3, 1, made_by) is None
    window.remove_files_before(window.oldest)
    assert sorted(path.name[:6] for path in tmp_path.glob("*.safetensors")) == ["000002"] * 2 + ["000003"] * 2
    with pytest.raises(UserError, match=r"The games of iteration 1 are gone from .*; remove .* to begin anew\."):
        Window(tmp_path, 10, "key").restore(1, 4)
    again.key = "other"
    again.write(3, 1, made_by, shard)
    with pytest.raises(UserError, match=r"The games of iteration 3 are gone from .*; remove .* to begin anew\."):
        Window(tmp_path, 10, "key").restore(2, 4)


def lesson_in_torch(lesson):
    return {name: torch.from_numpy(array) for name, array in lesson._asdict().items()}


@pytest.mark.parametrize("outcome", ["value", "chances"])
def test_the_loss_is_that_of_the_paper(records, outcome):
    shard, rng = shard_of(records), np.random.default_rng(2)
    count = 20
    lesson = lesson_of(shard, np.arange(count) % 6, np.zeros(count, int), np.zeros(count, int), ZeroInputs(), 0.3)
    answers = {
        "scores": rng.normal(size=(count, 17)),
        "values": rng.uniform(-1, 1, count),
        "owners": rng.uniform(-1, 1, (count, 16)),
        "score": rng.normal(size=count),
    } | ({"chances": rng.normal(size=(count, 3))} if outcome == "chances" else {})
    found = losses_of({name: torch.from_numpy(array) for name, array in answers.items()}, lesson_in_torch(lesson))
    policy = [-(pi * np.log(softmax(s))).sum() for pi, s in zip(lesson.policy, answers["scores"], strict=True)]
    assert float(found["policy loss"]) == pytest.approx(np.mean(policy), rel=1e-5)
    squares = np.mean((lesson.value - answers["values"]) ** 2)
    assert float(found["value error"]) == pytest.approx(squares, rel=1e-5)
    if outcome == "value":
        assert found["value loss"] is found["value error"]
    else:
        logs = np.log([softmax(row) for row in answers["chances"]])
        expected = -((1 + lesson.value) / 2 * logs[:, 0] + (1 - lesson.value) / 2 * logs[:, 1]).mean()
        assert float(found["value loss"]) == pytest.approx(expected, rel=1e-5)
    counted = lesson.is_counted == 1
    assert 0 < counted.sum() < count
    owners = ((lesson.owners - answers["owners"]) ** 2)[counted].mean()
    assert float(found["owner loss"]) == pytest.approx(owners, rel=1e-5)


def small_learner(**changes):
    torch.manual_seed(1)
    options = {"pooled": 1, "heads": "pooled", "outcome": "chances", "hidden": 16}
    description = Description("dual-res", SIZE, 21, 8, 5, "legal", **options)
    settings = LearnSettings(**{"optimiser": "adam", "learning_rate": 0.01} | changes)
    return Learner(description, settings, torch.device("cpu"), torch.float32)


def test_a_network_learns_what_it_is_shown_and_plays_with_the_average(records):
    shard = shard_of(records)
    everything = np.repeat(np.arange(shard.games), np.diff(shard.starts))
    plies = np.arange(shard.plies) - shard.starts[everything]
    lesson = lesson_of(shard, everything, plies, np.zeros(shard.plies, int), ZeroInputs(21))
    learner = small_learner(average=0.9, owner_weight=1.0, score_weight=1.0)
    losses = [learner.learn(lesson, 0.0) for _ in range(40)]
    for name in ("policy loss", "value loss", "owner loss", "score loss"):
        assert losses[-1][name] < 0.9 * losses[0][name], name
    played = onnx_compute(learner.weights())(lesson.planes)
    assert not any("owners" in name for name in learner.weights().tensors)  # that head only teaches
    chances = np.array([softmax(row) for row in played["scores"]])
    loss = -(lesson.policy * np.log(chances)).sum(1).mean()
    assert loss < 0.95 * losses[0]["policy loss"]
    # the average lags behind: after a step it is between what it was and the present weights
    before = {name: tensor.clone() for name, tensor in learner.average.state_dict().items()}
    learner.learn(lesson, 0.0)
    mine = learner.student.network.state_dict()
    share = 41 / (41 + 9)  # after 41 steps; 0.9 is its full length
    for name, tensor in learner.average.state_dict().items():
        if tensor.is_floating_point():
            assert torch.allclose(tensor, share * before[name] + (1 - share) * mine[name], atol=1e-6)


@pytest.mark.parametrize("optimiser", ["sgd", "adam", "adamw"])
def test_a_learner_continues_from_its_state_bit_for_bit(records, optimiser):
    shard, rng = shard_of(records), np.random.default_rng(4)
    lessons = [
        lesson_of(shard, rng.integers(0, 6, 16), np.zeros(16, int), rng.integers(0, 8, 16), ZeroInputs(21))
        for _ in range(6)
    ]
    whole, first = small_learner(optimiser=optimiser, average=0.8), small_learner(optimiser=optimiser, average=0.8)
    for lesson in lessons:
        whole.learn(lesson, 0.1)
    for lesson in lessons[:3]:
        first.learn(lesson, 0.1)
    second = small_learner(optimiser=optimiser, average=0.8)
    second.restore({name: array.copy() for name, array in first.state().items()})
    for lesson in lessons[3:]:
        second.learn(lesson, 0.1)
    assert second.weights().fingerprint() == whole.weights().fingerprint() != first.weights().fingerprint()


def test_the_step_size_falls_as_in_the_paper():
    settings = LearnSettings(schedule="paper", learning_rate=0.01)
    for thousands, expected in ((0, 0.01), (399, 0.01), (401, 0.001), (599, 0.001), (601, 0.0001), (700, 0.0001)):
        assert learning_rate(settings, thousands / 700) == pytest.approx(expected)
    assert learning_rate(LearnSettings(learning_rate=0.2), 0.9) == 0.2
    assert learning_rate(LearnSettings(schedule="cosine", learning_rate=1.0), 1.0) == pytest.approx(0.1)
    rising = LearnSettings(learning_rate=0.2, warm_up=0.1)
    assert [learning_rate(rising, share) for share in (0, 0.05, 0.1, 0.5)] == pytest.approx([0, 0.1, 0.2, 0.2])


def test_weight_decay_is_the_gradient_of_c_times_the_square():
    learner = small_learner(optimiser="sgd", weight_decay=0.01, momentum=0.0, learning_rate=0.1)
    kernel = learner.student.network.layers["stem"].weight
    before = kernel.detach().clone()
    for parameter in learner.student.parameters():
        parameter.grad = torch.zeros_like(parameter)
    learner.optimiser.step()
    assert torch.allclose(kernel, before * (1 - 0.1 * 2 * 0.01))


def test_sampled_moves_and_the_limit_scale_with_the_board():
    assert [PlaySettings().sampled(size) for size in (19, 9, 5, 2)] == [30, 7, 2, 1]
    assert [PlaySettings().limit(size) for size in (19, 9)] == [722, 162]
    assert PlaySettings(sampled_moves=-1, move_limit=200).sampled(9) == 200
    assert PlaySettings(sampled_moves=12).sampled(9) == 12
    with pytest.raises(UserError, match=r"play\.resign=true needs play\.check_share above 0"):
        PlaySettings(check_share=0.0).check()


def test_ratings_are_those_of_two_players_by_hand_and_of_three_in_a_row():
    """A tenth of a drawn game is added: 2 of 10 become 2.05 of 10.1, and Elo is 400 log10 of the odds."""
    elo = ratings(["a", "b"], [("a", "b", 2.0, 10.0)], "a")
    assert elo["a"] == 0 and elo["b"] == pytest.approx(400 * np.log10(8.05 / 2.05), abs=0.01)
    chain = ratings(["a", "b", "c"], [("b", "a", 75.0, 99.0), ("c", "b", 75.0, 99.0)], "a")
    assert chain["b"] == pytest.approx(400 * np.log10(75.05 / 24.05), abs=0.1)
    assert chain["c"] == pytest.approx(2 * chain["b"], abs=0.1)
    assert ratings(["a", "b"], [("a", "b", 0.0, 20.0)], "a")["b"] > 300  # finite, though it won all


def test_a_match_alternates_colours_and_counts_both():
    strong, weak = FormulaNetwork(3, seed=2), FormulaNetwork(3, seed=2)
    strong.bias[:] = (0, 1, 0, 1, 9, 1, 0, 1, 0, -9)  # likes the centre
    weak.bias[:] = (-9,) * 9 + (9,)  # only passes
    result = play_match(strong, weak, 10, (1,), 3, Rule(PUCT, simulations=4), Terms(0.5, 18, 0))
    assert isinstance(result, MatchResult) and result.games == 10 and result.won == 10 and result.won_as_black == 5
    assert play_match(weak, strong, 10, (1,), 3, Rule(PUCT, simulations=4), Terms(0.5, 18, 0)).won == 0
    assert [opening_moves(size) for size in (3, 9, 19)] == [1, 9, 37]
