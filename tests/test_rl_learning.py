"""What REINFORCE learns: the gradient against exact expectations, seats and rewards, baselines, the pool, collapses."""

import dataclasses
import json
from collections import Counter

import numpy as np
import pytest
from rl_reference import rigged
from scipy.stats import chisquare
from small_networks import random_weights, slow_answers

torch = pytest.importorskip("torch")
from game_tree import GameTree  # noqa: E402, because it needs torch

from features48.groups import GROUPS  # noqa: E402
from go.board import BLACK  # noqa: E402
from go.coordinates import SYMMETRIES  # noqa: E402
from go.position import Position  # noqa: E402
from nets.actions import actions_of, images_of_actions, turned  # noqa: E402
from nets.description import SCORES  # noqa: E402
from nets.module import module_of  # noqa: E402
from nets.network import Network, softmax  # noqa: E402
from nets.weights import Weights  # noqa: E402
from pipeline.errors import UserError  # noqa: E402
from rl_policy.lockstep import NO_ACTION  # noqa: E402
from rl_policy.pool import Pool  # noqa: E402
from rl_policy.reinforce import Lesson, ReinforceTrainer, advantages_of, lesson_of  # noqa: E402
from rl_policy.self_play import GameSettings, Played, play_games  # noqa: E402
from rl_policy.settings import ReinforceSettings  # noqa: E402
from rl_policy.train import check_health, statistics  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of torch cost more than they gain with such small networks."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def trainer_of(tmp_path):
    """Makes a trainer that computes in 32 bits."""

    def make(weights: Weights, game: GameSettings, value=None, **settings) -> ReinforceTrainer:
        chosen = ReinforceSettings(**{"games": 32, "optimiser": "sgd", "baseline": "zero", **settings})
        game = game._replace(precision="float32")
        return ReinforceTrainer(weights, chosen, game, 10, tmp_path / "pool", CPU, torch.float32, 1, value)

    return make


def vector_of(network: torch.nn.Module) -> np.ndarray:
    """All weights as one vector."""
    return np.concatenate([parameter.detach().numpy().ravel() for parameter in network.parameters()])


def set_vector(network: torch.nn.Module, vector: np.ndarray) -> None:
    """Set all weights from one vector."""
    start = 0
    with torch.no_grad():
        for parameter in network.parameters():
            part = vector[start : start + parameter.numel()].reshape(parameter.shape)
            parameter.copy_(torch.from_numpy(part))
            start += parameter.numel()


def gradient_of(trainer: ReinforceTrainer, lesson: Lesson) -> np.ndarray:
    """The direction in which the weights would change, as one vector."""
    trainer.network.zero_grad()
    trainer.add_gradients(lesson)
    return np.concatenate([-parameter.grad.numpy().ravel() for parameter in trainer.network.parameters()]).astype(float)


def log_chances(trainer: ReinforceTrainer, lesson: Lesson) -> np.ndarray:
    with torch.no_grad():
        return trainer.log_probabilities(lesson).numpy()[np.arange(len(lesson.actions)), lesson.actions]


# The gradient


@pytest.fixture(scope="module")
def exact():
    """All games on 2x2 between two networks: the tree, the modules, and the gradient of the expected outcome."""
    tree = GameTree(2, komi=0.5, limit=12)
    assert sum(node.superko for node in tree.nodes) > 10 and len(tree.nodes) > 100  # it is worth comparing
    learner, opponent = (random_weights(2, filters=3, layers=3, seed=seed) for seed in (1, 2))
    modules = module_of(learner).double(), module_of(opponent).double()
    tree.expected_outcome(*modules).backward()
    slope = np.concatenate([parameter.grad.numpy().ravel() for parameter in modules[0].parameters()])
    return tree, (learner, opponent), modules, slope


def finite_difference(tree, modules, direction: np.ndarray, step: float = 1e-4) -> float:
    """The slope of the expected outcome along a direction of the learner's weights."""
    values, start = [], vector_of(modules[0])
    for sign in (1, -1):
        set_vector(modules[0], start + sign * step * direction)
        with torch.no_grad():
            values.append(float(tree.expected_outcome(*modules)))
    set_vector(modules[0], start)
    return (values[0] - values[1]) / (2 * step)


def test_the_expected_gradient_is_that_of_the_expected_outcome(exact, trainer_of):
    tree, (learner, opponent), modules, slope = exact
    games, batches, settings = 128, 40, GameSettings(0.5, 12, precision="float32")
    trainer = trainer_of(learner, settings, games=games)
    sampled: dict[str, list[np.ndarray]] = {"zero": [], "mean": []}
    outcomes = []
    for batch in range(batches):
        played = play_games(learner, opponent, games, (9, batch), settings, record=True)
        outcomes.append(played.outcomes.mean())
        for baseline, gradients in sampled.items():
            gradients.append(gradient_of(trainer, lesson_of(played, baseline)))
    expected = float(tree.expected_outcome(*modules).detach())
    assert abs(np.mean(outcomes) - expected) < 4.5 / np.sqrt(games * batches)  # z is 1 or -1
    rng = np.random.default_rng(3)
    moved = slope != 0
    others = [rng.normal(size=len(slope)) * moved for _ in range(4)]
    signals = []
    for direction in [slope, *others]:
        direction = direction / np.linalg.norm(direction)
        along = finite_difference(tree, modules, direction)
        assert along == pytest.approx(direction @ slope, rel=1e-4, abs=1e-7)
        for gradients in sampled.values():
            shadows = np.array(gradients) @ direction
            error = shadows.std(ddof=1) / np.sqrt(batches)
            assert abs(shadows.mean() - along) < 4.5 * error
            signals.append(along / error)
    assert min(signals[:2]) > 12  # so a wrong sign, half or twice the gradient would have failed
    spread = {name: np.var(np.array(gradients) @ slope) for name, gradients in sampled.items()}
    assert spread["mean"] < 1.1 * spread["zero"]


def test_games_divide_the_gradient_and_parts_do_not(exact, trainer_of, monkeypatch):
    """The sum over all positions is divided by the number of games, however many are computed at once."""
    _, (learner, opponent), _, _ = exact
    settings = GameSettings(0.5, 12, precision="float32")
    played = play_games(learner, opponent, 32, (1,), settings, record=True)
    lesson = lesson_of(played, "zero")
    whole = gradient_of(trainer_of(learner, settings), lesson)
    halved = gradient_of(trainer_of(learner, settings, games=64), lesson)
    assert np.abs(whole).max() > 0.01 and np.allclose(halved, whole / 2, atol=1e-7)
    monkeypatch.setattr("rl_policy.reinforce.MICRO_BATCH", 7)
    assert np.allclose(gradient_of(trainer_of(learner, settings), lesson), whole, atol=1e-5)


# Seats and rewards


def seats_of(played: Played) -> tuple[np.ndarray, np.ndarray]:
    """For each move of the lesson: the game that it belongs to, and its ply."""
    chosen = [turn.actions != NO_ACTION for turn in played.turns]
    return tuple(
        np.concatenate([getattr(turn, name)[mask] for turn, mask in zip(played.turns, chosen, strict=True)])
        for name in ("games", "plies")
    )


def symmetries_of(network: Network, played: Played, game: int, ply: int, planes: np.ndarray) -> tuple[Position, list]:
    """The position of a game before a move, and the symmetries in which it looks like some planes."""
    position = Position(network.size)
    for move in played.moves[game, :ply]:
        position.play(int(move))
    shown, _ = network.inputs.of_positions([position])
    return position, [s for s in range(SYMMETRIES) if (turned(shown, np.array([s]))[0] == planes).all()]


def test_the_learner_is_rewarded_for_its_own_seat(trainer_of):
    """With 100 points of komi for black, the learner wins every game as black and loses every game as white."""
    learner, opponent = random_weights(5, seed=1), random_weights(5, seed=2)
    settings = GameSettings(-100.0, precision="float32", move_limit=30)
    played = play_games(learner, opponent, 32, (1,), settings, record=True)
    is_black = np.arange(32) % 2 == 0
    assert played.is_black.tolist() == is_black.tolist() and (played.margins > 0).all()
    assert played.outcomes.tolist() == np.where(is_black, 1, -1).tolist() and played.won == 16
    lesson = lesson_of(played, "zero")
    games, plies = seats_of(played)
    assert (plies % 2 == games % 2).all() and set(games.tolist()) == set(range(32))  # even plies are black's
    assert lesson.advantages.tolist() == np.where(games % 2 == 0, 1, -1).tolist()
    network = Network(learner)
    for k in range(0, len(games), 7):  # they are positions of the game, seen from the learner's side, and its moves
        position, found = symmetries_of(network, played, games[k], plies[k], lesson.planes[k])
        assert found and (position.to_move == BLACK) == (games[k] % 2 == 0)
        action = actions_of(played.moves[games[k], plies[k]], 5)
        assert lesson.actions[k] in images_of_actions(5)[found, action]
    counts = Counter(games.tolist())
    lengths = {n: int(played.lengths[n]) for n in range(32)}
    passes = {n: (played.moves[n, n % 2 : lengths[n] : 2] == 0).sum() for n in range(32)}
    assert counts == {n: len(range(n % 2, lengths[n], 2)) - passes[n] for n in range(32)}
    trainer = trainer_of(learner, settings, learning_rate=0.02)
    before = log_chances(trainer, lesson)
    gradient_of(trainer, lesson)
    trainer.optimiser.step()
    gained = log_chances(trainer, lesson) - before
    assert gained[games % 2 == 0].mean() > 0.001 and gained[games % 2 == 1].mean() < -0.001
    assert (lesson_of(played, "mean").advantages == 0).all()  # nothing is left to learn if the colour decides


def test_a_policy_that_throws_its_games_away_as_white():
    """It opens on a side, answers with a stone in atari in the corner, and captures what it can.

    After three moves, black has taken white's only stone and owns the 3x3 board. So the policy wins against itself as
    black, loses as white, and must be told so, whichever of the two learns.
    """
    firsts, count = {}, 0
    for name, group in GROUPS.items():
        firsts[name], count = count, count + group.planes
    sides = np.array([0, 20, 0, 20, 0, 20, 0, 20, 0])
    planes = {firsts["capture_size"]: 100.0, firsts["self_atari_size"]: 50.0}
    rash = rigged(3, planes, sides)
    settings = GameSettings(7.5, move_limit=3, precision="float32")
    played = play_games(rash, rash, 40, (1,), settings, record=True)
    assert (played.margins == 9 - 7.5).all() and played.is_cut.all()
    assert played.outcomes.tolist() == [1, -1] * 20
    games, plies = seats_of(played)
    lesson = lesson_of(played, "zero")
    assert sorted(zip(games.tolist(), plies.tolist(), strict=True)) == [
        (n, ply) for n in range(40) for ply in ((0, 2) if n % 2 == 0 else (1,))
    ]
    assert lesson.advantages.tolist() == np.where(plies % 2 == 0, 1, -1).tolist()
    calm = rigged(3, {}, np.array([0, 0, 0, 0, 50, 0, 0, 0, 0]))  # takes the middle
    against = play_games(rash, calm, 40, (1,), settings)
    assert against.outcomes.tolist() == [-1, 1] * 20  # nothing is captured, so komi decides: seats the other way round
    assert play_games(calm, rash, 40, (1,), settings).outcomes.tolist() == [-1, 1] * 20


def test_draws_teach_nothing():
    """Of games on 3x3 that are cut after six moves, many are drawn without komi."""
    learner, opponent = (random_weights(3, filters=3, layers=3, seed=seed) for seed in (1, 2))
    played = play_games(learner, opponent, 64, (2,), GameSettings(0.0, 6, precision="float32"), record=True)
    assert set(played.outcomes.tolist()) == {-1, 0, 1}
    assert played.won == (played.outcomes == 1).sum() + (played.outcomes == 0).sum() / 2
    lesson, (games, _) = lesson_of(played, "zero"), seats_of(played)
    drawn = played.outcomes[games] == 0
    assert drawn.any() and (lesson.advantages[drawn] == 0).all() and (lesson.advantages[~drawn] != 0).all()


# Baselines


def played_by_hand(margins: list[float]) -> Played:
    count = len(margins)
    nothing = np.zeros(count, bool)
    is_black = np.arange(count) % 2 == 0
    return Played(np.array(margins), np.full(count, 9), is_black, nothing, nothing, nothing, np.zeros((count, 9)), [])


def test_the_mean_of_the_other_games_of_the_same_colour_is_subtracted():
    played = played_by_hand(
        [2.5, 3.5, -1.5, 0.5, 4.5, -2.5, 0.0]
    )  # black: win, loss, win, draw; white: loss, loss, win
    assert played.outcomes.tolist() == [1, -1, -1, -1, 1, 1, 0]
    assert advantages_of(played, "zero").tolist() == played.outcomes.tolist()
    assert advantages_of(played, "value").tolist() == played.outcomes.tolist()
    expected = [1 - 0, -1 - 0, -1 - 2 / 3, -1 - 0, 1 - 0, 1 + 1, 0 - 1 / 3]
    assert advantages_of(played, "mean").tolist() == pytest.approx(expected)
    assert advantages_of(played_by_hand([1.0, 1.0]), "mean").tolist() == [1, -1]  # there are no others


def test_the_value_network_is_asked_from_the_side_of_the_learner():
    learner, opponent = random_weights(5, seed=1), random_weights(5, seed=2)
    value = random_weights(5, family="value", planes=49, layers=5, seed=3)
    judge = Network(value, precision="float32")
    played = play_games(learner, opponent, 8, (4,), GameSettings(2.5, precision="float32"), record=True)
    lesson, plain = (lesson_of(played, "value", judge), lesson_of(played, "zero"))
    values = plain.advantages - lesson.advantages
    games, plies = seats_of(played)
    assert values.std() > 0.01 and np.abs(values).max() <= 1
    flipped = 0
    for k in range(0, len(games), 5):
        position, found = symmetries_of(Network(learner), played, games[k], plies[k], lesson.planes[k])
        shown, _ = judge.inputs.of_positions([position])  # with the colour plane of its own
        assert (shown[0, -1] == (position.to_move == BLACK)).all()
        expected = slow_answers(value, turned(shown, np.array(found[:1]))[0])["values"]
        assert values[k] == pytest.approx(expected, abs=1e-4)
        shown[0, -1] = 1 - shown[0, -1]
        flipped += abs(slow_answers(value, turned(shown, np.array(found[:1]))[0])["values"] - values[k]) > 1e-3
    assert flipped > 3  # the colour makes a difference


def test_a_lesson_without_a_move_is_one_sentence():
    weights = random_weights(3)
    played = play_games(weights, weights, 4, (1,), GameSettings(0.5, precision="float32"), record=True)
    passes = [turn._replace(actions=np.full(len(turn.games), NO_ACTION)) for turn in played.turns]
    for turns in ([], passes):
        with pytest.raises(UserError, match=r"^The policy chose no move in any game; set a larger move_limit or fewer"):
            lesson_of(played._replace(turns=turns), "zero")


# Stabilisers


def some_lesson(weights: Weights, opponent: Weights) -> Lesson:
    """Positions of games from which nothing is to be learnt, because their advantages are zero."""
    played = play_games(weights, opponent, 16, (1,), GameSettings(0.5, precision="float32"), record=True)
    lesson = lesson_of(played, "zero")
    return lesson._replace(advantages=np.zeros_like(lesson.advantages))


def divergence_of(trainer: ReinforceTrainer, sl: Network, lesson: Lesson) -> tuple[float, float]:
    """The mean entropy, and the mean divergence KL(RL, SL), written out."""
    with torch.no_grad():
        scores = trainer.network(torch.from_numpy(lesson.planes).float())[SCORES].numpy()
    p, q = softmax(scores.astype(float), lesson.allowed), softmax(sl.compute(lesson.planes)[SCORES], lesson.allowed)
    entropies, divergences = np.zeros(p.shape), np.zeros(p.shape)
    some = lesson.allowed
    entropies[some] = -p[some] * np.log(p[some])
    divergences[some] = p[some] * np.log(p[some] / q[some])
    return entropies.sum(1).mean(), divergences.sum(1).mean()


def learn(trainer: ReinforceTrainer, lesson: Lesson, steps: int) -> None:
    for _ in range(steps):
        gradient_of(trainer, lesson)
        trainer.optimiser.step()


def test_the_entropy_bonus_raises_entropy_and_the_divergence_holds_the_policy_back(trainer_of):
    weights = random_weights(4, seed=1)
    lesson, sl = some_lesson(weights, random_weights(4, seed=2)), Network(weights, precision="float32")
    game = GameSettings(0.5)
    plain = trainer_of(weights, game, learning_rate=0.05)
    learn(plain, lesson, 3)
    assert divergence_of(plain, sl, lesson)[1] == pytest.approx(0, abs=1e-6)  # nothing was learnt
    bold = trainer_of(weights, game, learning_rate=0.05, entropy=0.2)
    first = divergence_of(bold, sl, lesson)
    learn(bold, lesson, 10)
    second = divergence_of(bold, sl, lesson)
    assert second[0] > first[0] + 0.05 and second[1] > first[1] + 0.01
    tied = trainer_of(weights, game, learning_rate=0.05, kl=0.2)
    tied.network.load_state_dict(bold.network.state_dict())
    learn(tied, lesson, 10)
    third = divergence_of(tied, sl, lesson)
    assert third[1] < 0.7 * second[1]
    assert len(lesson.actions) < 256
    assert tied.add_gradients(lesson) == pytest.approx(third, rel=1e-3)  # what is reported


def test_the_bonuses_have_the_gradients_of_what_they_add(trainer_of):
    """Along a direction: the sum over positions, divided by the number of games, times the weight."""
    weights, other = random_weights(4, seed=1), random_weights(4, seed=2)
    lesson, sl = some_lesson(weights, other), Network(weights, precision="float32")
    scale = len(lesson.actions) / 32
    for settings, sign, which in (({"entropy": 0.3}, 0.3, 0), ({"kl": 0.3}, -0.3, 1)):
        trainer = trainer_of(weights, GameSettings(0.5), **settings)
        trainer.network.load_state_dict(module_of(other).state_dict())
        gradient = gradient_of(trainer, lesson)
        direction = gradient / np.linalg.norm(gradient)
        start = vector_of(trainer.network)
        ends = []
        for step in (3e-3, -3e-3):
            set_vector(trainer.network, (start + step * direction).astype(np.float32))
            ends.append(divergence_of(trainer, sl, lesson)[which])
        slope = sign * scale * (ends[0] - ends[1]) / 6e-3
        assert gradient @ direction == pytest.approx(slope, rel=0.02) and slope > 0.01


# A step of the trainer


def test_a_step_is_one_of_stochastic_gradient_ascent(trainer_of):
    """Games against a member of the pool, their gradient, and the learning rate that is left."""
    weights = random_weights(4, seed=1)
    game = GameSettings(2.5)
    trainer = trainer_of(weights, game, learning_rate=0.01, decay=0.5, baseline="mean")
    trainer.pool.add(7, random_weights(4, seed=5), 12.0)
    before = vector_of(trainer.network)
    shown = trainer.step(4)
    after = vector_of(trainer.network)
    member = next(member for member in trainer.pool.members if member.games)
    opponent = weights if member.iteration == 0 else random_weights(4, seed=5)
    played = play_games(
        weights, opponent, 32, (1, 1, 4), game._replace(precision="float32"), record=True
    )  # seed, training, number
    fresh = trainer_of(weights, game, baseline="mean")
    gradient = gradient_of(fresh, lesson_of(played, "mean"))
    rate = 0.01 * (1 - 0.5 * 4 / 10)
    assert np.allclose(after - before, rate * gradient, atol=1e-6) and np.abs(gradient).max() > 0.01
    assert shown["gradient norm"] == pytest.approx(np.linalg.norm(gradient), rel=1e-4)
    assert (shown["games"], shown["won against the pool"]) == (32, played.won / 32)
    assert shown["length"] == played.lengths.mean() and shown["cut by the limit"] == played.is_cut.mean()
    assert shown["forced self-atari"] == played.is_forced.mean() and trainer.iteration == 5
    assert (member.games, member.won) == (32, played.won)


def test_the_random_moves_of_openings_teach_nothing(trainer_of, monkeypatch):
    given = []

    def note(*arguments, **named):
        given.append(play_games(*arguments, **named))
        return given[-1]

    trainer = trainer_of(random_weights(4), GameSettings(2.5), random_moves=8)
    monkeypatch.setattr("rl_policy.reinforce.play_games", note)
    trainer.step(0)
    games, plies = seats_of(given[0])
    first = {int(n): int(plies[games == n].min()) for n in set(games.tolist())}
    assert len(set(first.values())) > 4 and max(first.values()) <= 9
    trainer.evaluate(8)
    assert len({tuple(moves[:1]) for moves in given[1].moves.tolist()}) > 1 and given[1].turns == []


def test_the_parent_is_left_as_it_was(trainer_of):
    """The ranges for 8 bits are measured anew for a copy, so the parent keeps its fingerprint."""
    weights = random_weights(4)
    before = weights.fingerprint()
    trainer = trainer_of(weights, GameSettings(0.5))
    assert weights.fingerprint() == before and weights.ranges == {}
    assert trainer.parent.ranges and trainer.weights().fingerprint() == trainer.parent.fingerprint()


def test_learning_that_diverges_is_one_sentence(trainer_of):
    trainer = trainer_of(random_weights(4), GameSettings(0.5), learning_rate=1e20)
    with pytest.raises(
        UserError, match=r"^The scores of the policy network are not numbers: its weights are too large"
    ):
        for number in range(3):
            trainer.step(number)


# The pool


def test_opponents_are_drawn_uniformly_and_loaded_from_their_files(tmp_path):
    networks = [random_weights(3, seed=seed) for seed in range(4)]
    pool = Pool(tmp_path / "pool", networks[0])
    for number, weights in enumerate(networks[1:], 1):
        pool.add(10 * number, weights, 25.0 * number)
    rng, found = np.random.default_rng(1), Counter()
    for _ in range(400):
        member, weights = pool.draw(rng)
        found[member.iteration] += 1
        assert weights.fingerprint() == networks[member.iteration // 10].fingerprint()
    assert chisquare([found[10 * k] for k in range(4)]).pvalue > 1e-3
    listed = json.loads((tmp_path / "pool" / "pool.json").read_text())
    assert [(row["iteration"], row["elo"], row["file"]) for row in listed] == [
        (10 * k, 25.0 * k, f"{10 * k:06}.safetensors") for k in range(4)
    ]


def test_the_pool_survives_a_restart(tmp_path):
    networks = [random_weights(3, seed=seed) for seed in range(3)]
    pool = Pool(tmp_path / "pool", networks[0])
    pool.add(5, networks[1], 33.25)
    member, _ = pool.draw(np.random.default_rng(0))
    member.games, member.won = 128.0, 70.5
    state = pool.state()
    pool.add(10, networks[2], 60.0)  # after the checkpoint; a restart does it again
    again = Pool(tmp_path / "pool", networks[0])
    again.restore(state.copy())
    assert [dataclasses.astuple(m) for m in again.members] == [dataclasses.astuple(m) for m in pool.members[:2]]
    assert sum(m.won for m in again.members) == 70.5 and again.members[1].elo == 33.25
    assert len(json.loads((tmp_path / "pool" / "pool.json").read_text())) == 2
    rng, other = np.random.default_rng(7), np.random.default_rng(7)
    pool.members.pop()
    for _ in range(20):
        assert pool.draw(rng)[1].fingerprint() == again.draw(other)[1].fingerprint()


def test_a_pool_with_a_hole_or_a_damaged_file_is_one_sentence(tmp_path):
    pool = Pool(tmp_path / "pool", random_weights(3))
    pool.add(5, random_weights(3, seed=2), 0.0)
    state, file = pool.state(), tmp_path / "pool" / "000005.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[:-8] + bytes(8))
    pool.loaded = None
    rng = np.random.default_rng(1)
    with pytest.raises(UserError, match=rf"^{file} is damaged: its contents do not agree with its checksum\.$"):
        for _ in range(50):
            pool.draw(rng)
    file.unlink()
    with pytest.raises(UserError, match=rf"^The opponent pool has lost {file}; remove {tmp_path} to begin anew\.$"):
        Pool(tmp_path / "pool", random_weights(3)).restore(state)


def test_members_are_rated_by_their_games_against_the_sl_policy(trainer_of):
    trainer = trainer_of(random_weights(4), GameSettings(0.5))
    trainer.iteration = 20
    trainer.join_pool(79.0, 100)
    trainer.iteration = 40
    trainer.join_pool(100.0, 100)
    assert [member.iteration for member in trainer.pool.members] == [0, 20, 40]
    elos = [member.elo for member in trainer.pool.members]
    assert elos[:2] == pytest.approx([0, 400 * np.log10(79.5 / 21.5)]) and 600 < elos[2] < 1000


# Health

HEALTHY = {
    "won against SL": 0.55,
    "won against SL, low": 0.48,
    "won against SL, high": 0.62,
    "entropy": 1.5,
    "cut by the limit": 0.01,
}


@pytest.mark.parametrize(
    ("ill", "sentence"),
    [
        (
            {"won against SL": 0.1, "won against SL, high": 0.15},
            "The policy has collapsed: it wins only 10.0% of games against the SL policy; set a smaller",
        ),
        ({"entropy": 0.004}, "The policy has collapsed: its entropy is 0.004 nats a move; set a smaller"),
        ({"cut by the limit": 0.75}, "The policy has collapsed: 75% of its games do not end; set a smaller"),
    ],
)
def test_each_collapse_is_one_sentence(ill, sentence):
    check_health(HEALTHY)
    with pytest.raises(UserError) as refusal:
        check_health(HEALTHY | ill)
    assert str(refusal.value).startswith(sentence) and str(refusal.value).count(".\n") == 0


def test_few_games_are_not_taken_for_a_collapse():
    """One win in six has an interval that reaches far up."""
    found = statistics(played_by_hand([1.0, 1.0, -1.0, 1.0, -1.0, 1.0]))
    assert found["won against SL"] == 1 / 6 and found["won against SL, high"] > 0.5
    check_health(HEALTHY | found)
    lost = statistics(played_by_hand([-1.0, 1.0] * 30))
    with pytest.raises(UserError, match=r"it wins only 0\.0% of games"):
        check_health(HEALTHY | lost)
