"""The stones that the last move captured are known however a position was reached: nakade goes by them.

Training goes through a game move by move, a player sees a `Position`, a search sets its root, plays down its tree and
begins rollouts there. All of them must see the same features.
"""

import itertools

import numpy as np
import pytest
from conftest import ROOT, store_of
from random_games import random_record
from small_searches import small_search

from data.record import to_sgf
from data.sources import Item, Reading
from go import BLACK, PASS, WHITE, Position
from go.board import BOARD, LEAST_TAKEN, MOST_TAKEN, set_turn
from go.coordinates import POINTS
from go.jit import kernel
from go.playout import new_rng
from nets.find import find_weights
from rollout.choices import choices
from rollout.features import NAKADE, find_candidates, new_candidates
from rollout.games import begin_game, earlier_point, games_of, new_replay, play_ply, prepare_ply
from rollout.gammas import new_gammas
from rollout.lookup import FREE
from rollout.model import Model
from rollout.playout import new_policy, policy_games
from rollout.sampler import SAMPLER, begin_sampling, find_special, play_and_refresh
from rollout.tracker import TRACKER, begin, new_tracker

# White takes three stones in a row at `a`, and lives if black does not play in their middle, C9. All else is settled.
THREE = """
O X X X a X . X X
O O O O O X X X X
X X X X X X X X .
X X X X X X X X X
X . X X X X X X X
O O O O O O O O O
O O O O O O O O O
O . O . O O O O O
O O O O O O O O O
"""
VITAL = "C9"
ROLLOUTS = 4_000


@pytest.fixture(scope="module")
def models():
    return {name: Model.load(find_weights(name, 9)) for name in ("rollout", "tree")}


def captured() -> Position:
    position = Position.from_text(THREE, to_move=WHITE)
    return position.play(position.at("a"))


def forgotten() -> Position:
    """The same stones, set up: nothing has been captured."""
    position = captured()
    return Position.from_text(str_of(position), to_move=BLACK)


def str_of(position: Position) -> str:
    return "\n".join(" ".join(".XO"[color] for color in row) for row in position.colors)


def chance(found, point) -> float:
    return next(choice.probability for choice in found if choice.point == point)


def priors(search, node: int = 0) -> dict[int, float]:
    return {edge.move: edge.prior for edge in search.statistics(node)}


def forced_node(search, move: int) -> int:
    """Make the search visit a move of the root once, and return the node behind it."""
    edge = next(edge.edge for edge in search.statistics() if edge.move == move)
    search.tree.prior[:] = 0
    search.tree.prior[edge] = 1
    search.run(simulations=1)
    return int(search.tree.child[edge])


def test_the_vital_point_of_three_is_as_probable_at_the_root_as_in_the_tree(models):
    before, after = Position.from_text(THREE, to_move=WHITE), captured()
    vital = after.point(VITAL)
    expected = chance(choices(after, models["tree"]), vital)
    assert expected > chance(choices(forgotten(), models["tree"]), vital) + 0.2
    search = small_search("alpha_r", 9, n_thr=0)
    search.set_position(after)
    kept = 1 - search.rule.pass_prior
    assert priors(search)[vital] == pytest.approx(kept * expected, rel=1e-5)
    search.set_position(before)
    assert priors(search, forced_node(search, before.at("a")))[vital] == pytest.approx(kept * expected, rel=1e-5)


def test_the_first_move_of_a_rollout_is_the_vital_point_as_often_as_the_policy_says(models):
    after = captured()
    for name in ("rollout", "tree"):
        policy, expected = new_policy(models[name]), chance(choices(after, models[name]), after.point(VITAL))
        first = policy_games(after, ROLLOUTS, policy, new_rng(1))[0]["first"]
        assert np.mean(first == after.point(VITAL)) == pytest.approx(expected, abs=0.04)
        first = policy_games(forgotten(), ROLLOUTS, policy, new_rng(1))[0]["first"]
        assert np.mean(first == after.point(VITAL)) < expected - 0.2


@pytest.mark.parametrize("prior", ["tree", "uniform"])
def test_rollouts_behind_a_leaf_know_what_the_move_to_it_captured(models, prior):
    """The white stones in the corner live or die by the first move, and with them the game."""
    before, after, policy = Position.from_text(THREE, WHITE), captured(), new_policy(models["rollout"])
    margins = [policy_games(position, ROLLOUTS, policy, new_rng(2))[0]["margin"] for position in (after, forgotten())]
    known, unknown = (2 * np.mean(margin < 0.5) - 1 for margin in margins)
    assert unknown - known > 0.5
    before.komi = 0.5
    search = small_search("alpha_r", 9, n_thr=10**9, priors=prior)
    search.set_position(before)
    edge = next(edge.edge for edge in search.statistics() if edge.move == before.at("a"))
    search.tree.prior[:] = 0
    search.tree.prior[edge] = 1
    search.run(simulations=ROLLOUTS)
    found = next(edge for edge in search.statistics() if edge.move == before.at("a"))
    assert found.visits > 0.9 * ROLLOUTS and found.q == pytest.approx(known, abs=0.06)


def test_a_pass_a_second_move_or_a_set_up_stone_leaves_nothing_just_captured():
    after = captured()
    assert after.board["n_taken"] == 3
    assert {int(p) for p in after.board["taken"][:3]} == {after.point(vertex) for vertex in ("B9", "C9", "D9")}
    again, passed = after.copy(), after.copy().play(PASS)
    set_turn(again.board, BLACK)
    assert again.board["n_taken"] == 3  # black it was
    set_turn(again.board, WHITE)
    assert again.board["n_taken"] == passed.board["n_taken"] == forgotten().board["n_taken"] == 0
    assert after.copy().play("B5").undo().board["n_taken"] == 3


@kernel
def _chances(boards, trackers, samplers, gammas, last, scratch, chances):
    """Write the chance of every point as the sampler sees it."""
    b, d = boards[0], samplers[0]
    side = np.int64(b.to_move) - 1
    keys, rows, near, save_atari = gammas.response_keys, gammas.response_rows, gammas.near, gammas.save_atari
    find_special(b, trackers[0], d, keys, rows, near, save_atari, gammas.nakade_codes, gammas.nakade, last, scratch)
    for p in range(POINTS):
        chances[p] = d.gamma[side, p] if d.which[p] == 0 else d.chance[d.which[p] - 1]


@kernel
def _begin(boards, trackers, samplers, squares):
    begin_sampling(boards[0], trackers[0], samplers[0], squares)


@kernel
def _play(boards, trackers, samplers, squares, color, move):
    set_turn(boards[0], color)
    play_and_refresh(boards[0], trackers[0], samplers[0], squares, move)


def features_of(board, tracker, tables, last, before) -> dict[int, tuple[int, ...]]:
    work = new_candidates()
    count = find_candidates(board, tracker, tables, last, before, work)
    return {int(work.points[i]): tuple(work.features[i].tolist()) for i in range(count)}


def training_features(store, number, tables):
    """Yield the features of all positions of a game, as those who learn from it find them."""
    games, replay = games_of(store), new_replay()
    game = games.games[number]
    begin_game(games, replay)
    for ply in range(int(game["n_moves"])):
        _, point = prepare_ply(games, replay, game, ply)
        earlier = (earlier_point(games, game, ply, back) for back in (1, 2))
        yield features_of(replay.board[0], replay.tracker[0], tables, *earlier)
        play_ply(replay, point)


class Comparer:
    """Compares what is known of each position of a game by the different ways to get there."""

    def __init__(self, model_tree, model_rollout, size):
        self.tree, self.gammas = model_tree, new_gammas(model_rollout)
        self.tables = model_tree.tables()
        self.search = small_search("alpha_r", size, n_thr=0)
        self.trackers, self.samplers, self.scratch = np.zeros(2, TRACKER), np.zeros(2, SAMPLER), np.zeros(1, BOARD)
        self.nakade = self.nodes = 0

    def sampled(self, boards, number, last) -> np.ndarray:
        found = np.zeros(POINTS)
        part = slice(number, number + 1)
        _chances(boards, self.trackers[part], self.samplers[part], self.gammas, last, self.scratch, found)
        return found

    def compare(self, store, number, every) -> None:
        before, live = None, store.position(number, 0)
        boards = live.boards.copy()
        _begin(boards, self.trackers[:1], self.samplers[:1], self.gammas.squares)
        for ply, trained in enumerate(training_features(store, number, self.tables)):
            position = store.position(number, ply)
            taken = LEAST_TAKEN <= position.board["n_taken"] <= MOST_TAKEN
            if taken or ply % every == 0:
                self.check(position, before, trained)
                last = position.last_move if position.history else PASS
                kept = self.sampled(boards, 0, last)
                _begin(position.boards, self.trackers[1:], self.samplers[1:], self.gammas.squares)
                assert np.array_equal(self.sampled(position.boards, 1, last), kept)
            before = position
            color, point = position.to_move, int(store.record(number).moves[ply]) & 511
            _play(boards, self.trackers[:1], self.samplers[:1], self.gammas.squares, color, point)

    def check(self, position, before, trained) -> None:
        tracker = new_tracker()
        begin(position.board, tracker[0])
        last, second = ([PASS, PASS] + [move.point for move in position.history])[:-3:-1]
        assert features_of(position.board, tracker[0], self.tables, last, second) == trained
        self.nakade += any(row[NAKADE] != FREE for row in trained.values())
        chances = {choice.point: choice.probability for choice in choices(position, self.tree, self.tables)}
        self.search.set_position(position)
        root = priors(self.search)
        scale = (1 - root[PASS]) / max(sum(chances[move] for move in root if move != PASS), 1e-9)
        expected = {move: scale * chances[move] for move in root if move != PASS}
        assert {move: p for move, p in root.items() if move != PASS} == pytest.approx(expected, rel=1e-4, abs=1e-9)
        if before is None or before.to_move == position.to_move or position.is_over:
            return
        self.search.set_position(before)
        if last in priors(self.search):
            self.nodes += 1
            assert priors(self.search, forced_node(self.search, last)) == root


SOURCES = {"expert9": (9, 60), "cgos9": (9, 60), "kgs19": (19, 6), "random": (9, 40)}


@pytest.mark.parametrize("source", SOURCES)
def test_a_position_has_the_same_features_in_training_at_the_root_in_the_tree_and_in_rollouts(
    source, tmp_path, request
):
    size, count = SOURCES[source]
    if source == "random":
        games = [to_sgf(random_record(size, 150, seed)) for seed in range(count)]
    else:
        folder = ROOT / "data" / "corpus" if source == "expert9" else request.getfixturevalue("games_folder")
        found = sorted(folder.glob(f"{source}*"))
        if not found:
            pytest.skip(f"no games of {source} in {folder}")
        records = (item.data for item in Reading([found[0]]) if isinstance(item, Item))
        games = list(itertools.islice(records, count))
    store = store_of(tmp_path, games, size, shares=(0, 0))
    comparer = Comparer(*(Model.load(find_weights(name, size)) for name in ("tree", "rollout")), size)
    for number in range(len(store)):
        comparer.compare(store, number, every=40)
    print(source, len(store), "games", comparer.nakade, "nakade", comparer.nodes, "nodes")
    assert comparer.nakade > 0 and comparer.nodes > len(store)
