"""The softmax trainer: its gradient, what it recovers, what it counts; and the file of a model."""

import json
import math
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import rollout_reference as reference
from conftest import store_of
from safetensors.numpy import load_file
from safetensors.numpy import save as safetensors_save
from test_features_reference import STYLES
from test_rollout_features import feature_names, harvested

from data.record import to_sgf
from data.replay import decode_move, encode_move
from data.store import GAME, GameStore
from go.board import BLACK, WHITE
from go.coordinates import PASS, action_from_point, point_from_gtp
from go.playout import new_rng, random_move
from go.position import Position
from pipeline.errors import UserError
from pipeline.tensors import CHECKSUM, checksum_of
from rollout.features import Tables, find_candidates, new_candidates
from rollout.games import Games, games_of, new_replay
from rollout.lookup import FREE
from rollout.model import Model, read_card
from rollout.softmax import STATISTICS, Learner, SoftmaxTrainer, evaluate, go_through
from rollout.tracker import begin, new_tracker, play_tracked
from rollout.train import Settings

SIZE = 7
BOTH = BLACK + WHITE


def games_with(records: list[list[int]], learn: int = BOTH, setup: list[tuple] = ()) -> Games:
    """Make the arrays of a store from lists of moves; the stones of `setup` stand on all boards."""
    games = np.zeros(len(records), GAME)
    games["n_moves"] = [len(moves) for moves in records]
    games["first_move"] = np.cumsum([0, *games["n_moves"][:-1]])
    games["n_setup"], games["learn"], games["size"] = len(setup), learn, SIZE
    arrays = games, np.concatenate(records).astype(np.int16), np.array(setup, np.int16).reshape(-1, 3)
    for array in arrays:
        array.setflags(write=False)  # as those of a store are
    return Games(*arrays, Position(SIZE).boards)


def learner_of(weights: np.ndarray, squares: float = 1.0) -> Learner:
    return Learner(weights.astype(np.float64), np.full(len(weights), squares))


def pass_through(games: Games, tables: Tables, learner: Learner, rate: float = 0.0, every: int = 1) -> np.void:
    """Go through all games; return the statistics."""
    statistics = np.zeros(1, STATISTICS)
    order = np.arange(len(games.games))
    go_through(games, order, tables, learner, rate, new_replay(), new_candidates(), statistics, every)
    return statistics[0]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> GameStore:
    """Random games with passes, moves out of turn and stones set up in mid-game."""
    games = [STYLES[number % len(STYLES)](SIZE, random.Random(f"learn {number}")) for number in range(20)]
    return store_of(tmp_path_factory.mktemp("random"), map(to_sgf, games), SIZE)


@pytest.fixture(scope="module")
def tree(store) -> tuple[Model, Tables]:
    model = harvested(store, 2, tree=True)
    return model, model.tables()


@pytest.fixture(scope="module")
def rollout(store) -> tuple[Model, Tables]:
    """A policy of few features: each of them is met often in games of a few hundred moves."""
    model = Model.untrained(harvested(store, 2, tree=False).squares[:16], *np.empty((2, 0), np.int64))
    return model, model.tables()


class Choice:
    """A position as an observation: the features of all candidates, and which one was played."""

    def __init__(self, rows: np.ndarray, chosen: int | None) -> None:
        self.rows, self.chosen = rows, chosen

    def scores(self, weights: np.ndarray) -> np.ndarray:
        return np.append(weights.astype(np.float64), 0)[self.rows].sum(axis=1)  # FREE is -1: the last, which is 0

    def log_likelihood(self, weights: np.ndarray) -> float:
        scores = self.scores(weights)
        return scores[self.chosen] - math.log(sum(math.exp(score) for score in scores))


def choices(store: GameStore, model: Model, learn: np.ndarray) -> Iterator[Choice]:
    """Find the observations of a store with the reference."""
    names = feature_names(model)
    numbers = {name: number for number, name in enumerate(names)}
    for game, sides in enumerate(learn.tolist()):
        record = store.record(game)
        seen_before = reference.of_record(record.size, record.moves, record.setup)
        for code, seen in zip(record.moves, seen_before, strict=False):
            color, point = decode_move(code)
            if point == PASS or not color & sides:
                continue
            candidates = reference.known(reference.features(seen), numbers.keys())
            rows = np.full((len(candidates), 10), FREE)
            for row, fires in zip(rows, candidates.values(), strict=True):
                row[: len(fires)] = [numbers[name] for name in fires]
            played = action_from_point(point, record.size)
            yield Choice(rows, list(candidates).index(played) if played in candidates else None)


def shared(better: int, equal: int, places: int) -> float:
    """Return the chance to be among the first few, if equals are put in order by lot."""
    return min(max(places - better, 0), equal) / equal


def test_statistics_agree_with_slow_counting(store, tree):
    """With both sides or one to learn from, set-up in mid-game, passes, moves into own eyes, and many ties."""
    model, tables = tree
    weights = np.random.default_rng(1).integers(-3, 4, len(model.weights)) / 2
    games = np.array(store.games)
    games["learn"] = np.resize([BOTH, BLACK, WHITE], len(games))
    games.setflags(write=False)
    learner = learner_of(weights)
    found = pass_through(games_of(store)._replace(games=games), tables, learner)
    observed = list(choices(store, model, games["learn"]))
    positions = [choice for choice in observed if choice.chosen is not None]
    assert found["positions"] == len(positions) > 300
    assert found["left_out"] == len(observed) - len(positions) > 10
    assert found["candidates"] == sum(len(choice.rows) for choice in positions)
    top1 = top5 = ties = 0
    for choice in positions:
        scores = choice.scores(weights)
        better, equal = (scores > scores[choice.chosen]).sum(), (scores == scores[choice.chosen]).sum()
        top1, top5, ties = top1 + shared(better, equal, 1), top5 + shared(better, equal, 5), ties + (equal > 1)
    assert ties > 50 and 0 < top1 < top5 < len(positions)
    assert found["top1"] == pytest.approx(top1) and found["top5"] == pytest.approx(top5)
    slow = sum(choice.log_likelihood(weights) for choice in positions)
    assert found["log_likelihood"] == pytest.approx(slow, rel=1e-9)
    assert (learner.weights == weights).all() and (learner.squares == 1).all()  # a rate of 0 learns nothing


def test_without_weights_all_candidates_share_the_top(store, rollout):
    model, tables = rollout
    found = pass_through(games_of(store), tables, learner_of(model.weights))
    expected = [1 / len(c.rows) for c in choices(store, model, store.games["learn"]) if c.chosen is not None]
    assert found["top1"] == pytest.approx(sum(expected))
    assert found["log_likelihood"] == pytest.approx(sum(map(math.log, expected)))


def test_moves_into_own_eyes_and_passes_are_not_learnt():
    eye = [(0, BLACK, point_from_gtp(vertex, SIZE)) for vertex in ("A2", "B2", "B1")]
    moves = [("B", "D4"), ("W", "E5"), ("B", "A1"), ("W", "pass"), ("B", "D5"), ("W", "E6")]
    codes = [encode_move({"B": BLACK, "W": WHITE}[side], point_from_gtp(vertex, SIZE)) for side, vertex in moves]
    model = Model.untrained(*np.empty((3, 0), np.int64))
    tables = model.tables()
    for learn, positions, left_out in ((BOTH, 4, 1), (BLACK, 2, 1), (WHITE, 2, 0), (0, 0, 0)):
        found = pass_through(games_with([codes], learn, eye), tables, learner_of(model.weights))
        assert (found["positions"], found["left_out"]) == (positions, left_out)


def test_only_moves_of_the_sides_to_learn_from_change_weights():
    """Black answers where white has just played, white never does: the weights of neighbours tell who was learnt."""
    near, far = ["B2", "B4", "B6"], ["F2", "F4", "F6"]
    vertices = ["D4", "A2", *(vertex for pair in zip(near, far, strict=True) for vertex in pair)]
    codes = [encode_move(1 + ply % 2, point_from_gtp(vertex, SIZE)) for ply, vertex in enumerate(vertices)]
    codes[3::2] = [encode_move(WHITE, point_from_gtp(vertex, SIZE)) for vertex in ("A4", "A6", "G7")]
    model = Model.untrained(*np.empty((3, 0), np.int64))
    right = model.first("neighbour") + reference.SQUARE.index((0, 1))
    learnt = {}
    for learn in (BLACK, WHITE):
        learner = learner_of(model.weights)
        pass_through(games_with([codes], learn), model.tables(), learner, rate=0.1)
        learnt[learn] = learner.weights[right]
    assert learnt[BLACK] > 0 > learnt[WHITE]


def played_alternately(store: GameStore, game: int, plies: int) -> list[int]:
    """Return the beginning of a game, without stones that are set up."""
    assert store.games["n_setup"][game] == 0
    return store.record(game).moves[:plies].tolist()


@pytest.mark.parametrize("plies", [6, 15, 24])
def test_a_step_goes_along_the_gradient_of_the_log_likelihood(store, tree, plies):
    """With large sums of squares the step is the gradient times a constant; finite differences tell the gradient."""
    model, tables = tree
    weights = np.random.default_rng(plies).normal(0, 0.5, len(model.weights))
    learner = learner_of(weights, squares=1e8)
    moves = played_alternately(store, 0, plies)
    pass_through(games_with([moves]), tables, learner, rate=100.0, every=plies)
    step = (learner.weights - weights) / (100.0 / math.sqrt(1e8))

    choice = list(choices(store, model, store.games["learn"][:1]))[plies - 1]
    active = np.unique(choice.rows[choice.rows != FREE])
    assert len(active) > 20
    for feature in active:
        sides = []
        for change in (-1e-4, 1e-4):
            moved = weights.copy()
            moved[feature] += change
            sides.append(choice.log_likelihood(moved))
        assert step[feature] == pytest.approx((sides[1] - sides[0]) / 2e-4, abs=2e-5)
    assert np.abs(step[active]).max() > 0.1
    assert (np.delete(step, active) == 0).all()


def test_steps_are_scaled_by_the_gradients_that_a_weight_has_seen(store, tree):
    model, tables = tree
    choice = list(choices(store, model, store.games["learn"][:1]))[14]
    learner = learner_of(model.weights, squares=0.5)
    pass_through(games_with([played_alternately(store, 0, 15)]), tables, learner, rate=0.1, every=15)
    features, times = np.unique(choice.rows[choice.rows != FREE], return_counts=True)
    checked = 0
    for feature in features[times == 1]:
        (row,) = np.flatnonzero((choice.rows == feature).any(axis=1))
        gradient = float(row == choice.chosen) - 1 / len(choice.rows)
        assert learner.squares[feature] == pytest.approx(0.5 + gradient**2)
        assert learner.weights[feature] == pytest.approx(0.1 * gradient / math.sqrt(0.5 + gradient**2))
        checked += 1
    assert checked > 5


def planted_games(count: int, tables: Tables, weights: np.ndarray, seed: int) -> tuple[Games, list[Choice]]:
    """Have an expert play black who samples from a softmax with these weights; white plays anywhere."""
    rng, state, work = np.random.default_rng(seed), new_rng(seed), new_candidates()
    records, observed = [], []
    for _ in range(count):
        board, tracker, moves = Position(SIZE).boards, new_tracker(), []
        begin(board[0], tracker[0])
        earlier = [PASS, PASS]
        while len(moves) < 40:
            if len(moves) % 2:
                point = int(random_move(board[0], state))
            else:
                number = find_candidates(board[0], tracker[0], tables, earlier[-1], earlier[-2], work)
                if number == 0:
                    break
                choice = Choice(work.features[:number].copy(), None)
                scores = choice.scores(weights)
                choice.chosen = int(np.argmax(scores + rng.gumbel(size=number)))
                observed.append(choice)
                point = int(work.points[choice.chosen])
            moves.append(encode_move(1 + len(moves) % 2, point))
            earlier.append(point)
            play_tracked(board[0], tracker[0], point)
        records.append(moves)
    return games_with(records, learn=BLACK), observed


def information(observed: list[Choice], weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Return Fisher's information: the variance of the features under the policy, over all positions."""
    total = np.zeros((len(features), len(features)))
    for choice in observed:
        scores = np.exp(choice.scores(weights))
        has = (choice.rows[:, :, None] == features).any(axis=1).astype(np.float64)
        chances = scores / scores.sum()
        mean = chances @ has
        total += has.T * chances @ has - np.outer(mean, mean)
    return total


class Planted(NamedTuple):
    """Games of an expert whose weights are known, and how well they can be known from the games."""

    truth: np.ndarray
    games: Games
    fresh: Games
    features: np.ndarray  # those with a weight
    fisher: np.ndarray


@pytest.fixture(scope="module")
def planted(rollout) -> Planted:
    """A move may have none of the features, so the weights have no common shift that the softmax leaves free."""
    model, tables = rollout
    neighbours, squares = model.first("neighbour"), model.first("non-response pattern")
    features = np.array([model.first("save atari"), *range(neighbours, neighbours + 8), *range(squares, squares + 16)])
    truth = np.zeros(len(model.weights))
    truth[features] = np.random.default_rng(3).normal(0, 1, len(features))
    truth[features[0]] = 2.0
    games, observed = planted_games(1800, tables, truth, seed=4)
    fresh, _ = planted_games(200, tables, truth, seed=5)
    known = pass_through(games, tables, learner_of(truth))
    assert known["log_likelihood"] == pytest.approx(sum(choice.log_likelihood(truth) for choice in observed))
    assert known["positions"] == len(observed) > 30_000 and known["left_out"] == 0
    return Planted(truth, games, fresh, features, information(observed, truth, features))


def fitted_step_by_step(planted: Planted, tables: Tables) -> np.ndarray:
    learner = learner_of(0 * planted.truth)
    for rate in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005):
        pass_through(planted.games, tables, learner, rate)
    return learner.weights


def fitted_in_threads(planted: Planted, tables: Tables) -> np.ndarray:
    """Fit as the command does if nothing is set."""
    games, usual = np.arange(len(planted.games.games)), Settings()
    with ThreadPoolExecutor(2) as pool:
        trainer = SoftmaxTrainer(
            planted.games, games, tables, len(planted.truth), usual.epochs, usual.learning_rate, 1, pool
        )
        for number in range(trainer.steps):
            trainer.step(number)
    return trainer.weights


@pytest.mark.parametrize("fit", [fitted_step_by_step, fitted_in_threads])
def test_the_trainer_recovers_planted_weights(rollout, planted, fit):
    """Within the error that the number of positions leaves; and the games are as likely as by the truth."""
    _, tables = rollout
    truth, fisher = planted.truth[planted.features], planted.fisher
    weights = fit(planted, tables)
    errors = np.sqrt(np.diag(np.linalg.inv(fisher)))
    assert np.median(errors) < 0.08
    off = weights[planted.features] - truth
    assert np.abs(off / errors).max() < 4, np.round(off / errors, 1)
    assert off @ fisher @ off < 60  # chi-square with 25 degrees of freedom: above 52.6 in one case of a thousand
    assert truth @ fisher @ truth > 10_000  # no weights at all are far from passing

    def log_likelihood(games: Games, weights: np.ndarray) -> float:
        return float(pass_through(games, tables, learner_of(weights))["log_likelihood"])

    known = log_likelihood(planted.games, planted.truth)
    assert known < log_likelihood(planted.games, weights) < known + 60  # the best fit gains half of chi-square
    known = log_likelihood(planted.fresh, planted.truth)
    assert log_likelihood(planted.fresh, weights) > known - 30
    assert log_likelihood(planted.fresh, 0 * weights) < known - 500


def test_evaluation_in_threads_is_the_same(rollout, planted):
    _, tables = rollout
    weights = planted.truth.astype(np.float32)
    with ThreadPoolExecutor(2) as pool:
        found = evaluate(planted.fresh, np.arange(len(planted.fresh.games)), tables, weights, pool)
    expected = pass_through(planted.fresh, tables, learner_of(weights))
    for name in STATISTICS.names:
        assert found[name] == pytest.approx(expected[name], rel=1e-12)


def test_counts_and_first_agree_with_the_layout(store):
    for is_tree in (False, True):
        model = harvested(store, 2, tree=is_tree)
        kinds = [kind_of(name) for name in feature_names(model)]
        counts = model.counts()
        assert sum(counts.values()) == len(model.weights) == len(kinds)
        assert model.is_tree == is_tree == ("diamond pattern" in counts)
        for kind, count in counts.items():
            first = model.first(kind)
            assert kinds[first : first + count] == [kind] * count == [k for k in kinds if k == kind]
        tables = model.tables()
        assert (tables.response, tables.save_atari) == (model.first("response"), model.first("save atari"))
        assert (tables.neighbours, tables.nakade) == (model.first("neighbour"), model.first("nakade"))
        for kind, table in (("response pattern", tables.responses), ("non-response pattern", tables.squares)):
            numbers = np.unique(table[table != FREE])
            assert numbers.tolist() == list(range(model.first(kind), model.first(kind) + counts[kind]))
        diamonds = np.unique(tables.diamonds[tables.diamonds != FREE])
        if is_tree:
            assert (tables.self_atari, tables.distances) == (
                model.first("self-atari"),
                model.first("last move distance"),
            )
            first = model.first("diamond pattern")
            assert diamonds.tolist() == list(range(first, first + counts["diamond pattern"]))
        else:
            assert tables.self_atari == tables.distances == FREE and not len(diamonds)


def kind_of(name: reference.Feature) -> str:
    kind = name if isinstance(name, str) else {"response": "response pattern"}.get(name[0], name[0])
    longer = {"square": "non-response pattern", "diamond": "diamond pattern", "distance": "last move distance"}
    return longer.get(kind, kind)


@pytest.fixture
def saved(store, tmp_path) -> tuple[Model, Path]:
    model = harvested(store, 3, tree=True)
    model.weights = np.random.default_rng(6).normal(0, 2, len(model.weights)).astype(np.float32)
    path = tmp_path / "policy.safetensors"
    model.save(path, {"data": "random games", "accuracy": 0.25})
    return model, path


def test_a_model_comes_back_from_its_file(store, saved, tmp_path):
    model, path = saved
    loaded = Model.load(path)
    for name in ("squares", "responses", "places", "diamonds"):
        assert (getattr(loaded, name) == getattr(model, name)).all()
    assert loaded.weights.dtype == np.float32
    assert (loaded.weights == model.weights.astype(np.float16)).all()
    assert np.abs(loaded.weights - model.weights).max() < 0.01
    assert read_card(path) == {"data": "random games", "accuracy": 0.25}
    found, expected = (
        pass_through(games_of(store), m.tables(), learner_of(m.weights.astype(np.float16))) for m in (loaded, model)
    )
    assert found == expected and found["positions"] > 300

    small = Model.untrained(model.squares, model.responses, model.places)
    small.save(tmp_path / "small.safetensors", {})
    assert not Model.load(tmp_path / "small.safetensors").is_tree


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as error:
        Model.load(path)
    text = str(error.value)
    assert str(path) in text and "\n" not in text and text.endswith(".") and len(text) < 300
    return text


def test_damaged_and_foreign_files_are_refused_in_one_sentence(saved, tmp_path):
    _, path = saved
    whole = path.read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    assert "rollout.train" in refusal(tmp_path / "missing.safetensors")
    for contents in (b"", b"hello", whole[: len(whole) // 2], whole[:100], whole[:-1], whole + b"x", b"\xff" * 1000):
        damaged.write_bytes(contents)
        assert "is not a pattern policy" in refusal(damaged)
    refusal(tmp_path)  # a folder


def changed_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield files that safetensors can read, but that are no policies."""
    tensors = load_file(path)
    about = {"format": "2", "card": json.dumps({})}

    def save(tensors: dict[str, np.ndarray], about: dict[str, str]) -> bytes:
        return safetensors_save(tensors, about | {CHECKSUM: checksum_of(about, tensors)})

    yield "no metadata", safetensors_save(tensors)
    yield "no format", save(tensors, {"card": json.dumps({})})
    yield "another format", save(tensors, about | {"format": "1"})
    yield "no checksum", safetensors_save(tensors, about)
    yield "no card", save(tensors, {"format": "2"})
    yield "a card torn", save(tensors, about | {"card": '{"a": '})
    yield "a card nested", save(tensors, about | {"card": "[" * 100_000 + "]" * 100_000})
    for name in ("squares", "responses", "places", "weights"):
        yield f"without {name}", save({key: value for key, value in tensors.items() if key != name}, about)
    yield "a weight too few", save(tensors | {"weights": tensors["weights"][1:]}, about)
    yield "a pattern too many", save(tensors | {"squares": np.append(tensors["squares"], np.uint32(1))}, about)
    yield "a place too few", save(tensors | {"places": tensors["places"][1:]}, about)
    yield "places off the diamond", save(tensors | {"places": tensors["places"] + np.uint8(12)}, about)
    yield "patterns of too many bits", save(tensors | {"squares": tensors["squares"] | np.uint32(1 << 24)}, about)
    yield "negative diamonds", save(tensors | {"diamonds": -1 - tensors["diamonds"]}, about)
    yield "negative responses", save(tensors | {"responses": -1 - tensors["responses"]}, about)
    yield "weights that are no numbers", save(tensors | {"weights": tensors["weights"] * np.float16("nan")}, about)
    yield "weights as a table", save(tensors | {"weights": tensors["weights"][:, None]}, about)


def test_files_that_make_no_sense_are_refused_in_one_sentence(saved):
    _, path = saved
    accepted = []
    for what, contents in changed_files(path):
        path.write_bytes(contents)
        try:
            refusal(path)
        except pytest.fail.Exception:
            accepted.append(what)
    assert accepted == []


def test_a_flipped_byte_anywhere_is_noticed(saved):
    _, path = saved
    card, whole, rng = read_card(path), path.read_bytes(), np.random.default_rng(7)
    fingerprint = Model.load(path).fingerprint()  # the file has 16 bits for a weight
    places = [*range(8, 400), *rng.integers(0, len(whole), 300).tolist()]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            read = Model.load(path).fingerprint(), read_card(path)
        except UserError as error:
            assert str(path) in str(error) and "\n" not in str(error)
        else:  # in the spaces that fill the header up
            assert read == (fingerprint, card)
