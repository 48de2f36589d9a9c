"""Thousands of small searches: nothing is lost or left behind, whoever searches, however many, whenever it ends."""

import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import ROOT
from small_searches import SEARCHES, by_hash, check_at_rest, random_position, root_visits, small_search

import apv_mcts.search
from apv_mcts.settings import SearchSettings
from apv_mcts.simulation import DONE, MOST_DEPTH
from apv_mcts.tree import EDGES, NODES
from go.coordinates import PASS
from go.player import sensible_moves
from go.position import Position
from pipeline.errors import UserError
from pipeline.settings import validate

THREADS = (1, 2, 4, 8)


def anew(search, position):
    """Set a position and forget the tree."""
    search.position = None
    search.set_position(position)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", SEARCHES)
def test_nothing_is_lost_and_nothing_is_left_behind(name, threads):
    rng, size = np.random.default_rng(threads), 3 + 2 * (threads % 4 == 2)
    search = small_search(name, size, threads=threads)
    for number in range(40):
        position = random_position(size, number % 14, rng, komi=number % 4 / 2)
        anew(search, position)
        simulations = int(rng.integers(1, 90))
        assert search.run(simulations=simulations) == simulations
        check_at_rest(search, simulations)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["uct", "alpha_rp", "alpha_rvp", "alpha_vp"])
def test_pools_that_fill_up_stop_growth_and_nothing_else(name, threads):
    rng = np.random.default_rng(threads)
    for nodes in (1, 2, 3, 7, 20):
        search = small_search(name, 4, threads=threads, nodes=nodes, n_thr=0)
        for number in range(5):
            anew(search, random_position(4, 2 * number, rng))
            assert search.run(simulations=80) == 80
            check_at_rest(search, 80)
            assert 1 <= search.tree.counters[NODES] <= nodes
            assert search.tree.counters[EDGES] <= len(search.tree.move)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", ["uct", "alpha_r", "alpha_rvp", "alpha_vp", "zero"])
def test_whole_games_with_the_tree_that_is_kept(name, threads):
    rng = np.random.default_rng(3)
    search, position, kept = small_search(name, 4, threads=threads, nodes=300, n_thr=1), Position(4, 0.5), 0
    while not position.is_over and len(position.history) < 60:
        search.set_position(position)
        before = root_visits(search)
        kept += before
        assert search.run(simulations=40) == 40
        check_at_rest(search, 40, before)
        edges = search.statistics()
        assert {edge.move for edge in edges} == {*sensible_moves(position), PASS}
        first = edges[0].move
        after = position.copy().play(first)
        if rng.random() < 0.5 and not after.is_over:  # the search sees both moves at once, or each for itself
            replies = [*sensible_moves(after), PASS]
            after.play(int(rng.choice(replies)))
        position = after
    assert kept > 0


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["uct", "alpha_r", "alpha_rvp", "alpha_vp"])
def test_searches_that_are_stopped_at_any_moment_leave_nothing_behind(name, threads):
    rng, lot = np.random.default_rng(threads), random.Random(threads)
    search = small_search(name, 4, threads=threads)
    for number in range(24):
        search.set_position(random_position(4, 6, rng))
        before = root_visits(search)
        if number % 3 == 0:
            search.start()
            threading.Event().wait(lot.uniform(0, 0.004))
            search.finish()
        elif number % 3 == 1:
            search.prepare()
            timer = threading.Timer(lot.uniform(0, 0.004), search.stop)
            timer.start()
            search._run(0, 0.0)  # `run` would prepare anew, and not see a stop from before
            timer.join()
        else:
            search.run(seconds=lot.uniform(0.0001, 0.004))
        check_at_rest(search, int(search.control[DONE]), before)


def test_a_search_that_is_begun_and_ended_two_hundred_times_hears_every_stop():
    search, total = small_search("alpha_rp", 4, threads=2), 0
    search.set_position(Position(4))
    for _ in range(200):
        search.start()
        search.finish()
        assert search.background is None
        total += int(search.control[DONE])
        check_at_rest(search, int(search.control[DONE]), total - int(search.control[DONE]))


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("name", ["alpha_rvp", "alpha_vp", "zero"])
def test_a_network_that_fails_now_and_then_does_no_lasting_harm(name, threads):
    """Requests that were never answered must not fill the queue, nor their virtual losses stay in the tree."""
    failing = random.Random(threads)

    def values(boards, history, symmetries):
        if failing.random() < 0.2:
            raise RuntimeError("out of memory")
        return by_hash(boards, history, symmetries)

    search, position, ends = small_search(name, 4, values, threads=threads, batch_size=2), Position(4, 0.5), []
    for _ in range(40):
        search.set_position(position)
        before = root_visits(search)
        try:
            ends.append(search.run(simulations=30))
        except RuntimeError:
            ends.append(0)
        else:
            check_at_rest(search, 30, before)
    assert set(ends) <= {0, 30} and ends.count(0) > 5
    search.evaluator.network.values = by_hash
    search.set_position(position)
    before = root_visits(search)
    assert search.run(simulations=30) == 30
    check_at_rest(search, 30, before)


def test_visits_never_outgrow_their_31_bits(monkeypatch):
    """An analysis that nobody ends for hours comes to its end; the next move begins with room again."""
    monkeypatch.setattr(apv_mcts.search, "MOST_VISITS", 500)
    for threads in (1, 4):
        search = small_search("uct", 3, threads=threads)
        search.set_position(Position(3))
        assert search.run() == 500 and search.run(simulations=10) == search.run() == 0
        check_at_rest(search, 0, 500)
        best = search.statistics()[0]
        search.set_position(Position(3).play(best.move))
        kept = root_visits(search)
        assert 0 < kept < 500 and search.run(simulations=10) == 10 and search.run() == 490 - kept


def test_the_pool_has_room_for_the_root_of_any_board_and_edges_have_numbers_of_31_bits():
    for size in (2, 9, 15, 19):
        search = small_search("alpha_r", size, nodes=1)
        search.set_position(Position(size))
        assert search.run(simulations=5) == 5
        check_at_rest(search, 5)
        assert len(search.statistics()) == size * size + 1
    assert apv_mcts.settings.MOST_NODES * apv_mcts.search.EDGES_A_NODE < 1 << 31
    with pytest.raises(UserError, match=r"search\.nodes=100000000 is not between"):
        validate(SearchSettings(nodes=100_000_000), "player.search.")


def test_noise_is_mixed_into_the_priors_of_a_root_once():
    """Who looks at a position twice must not see ever more of the noise."""
    search = small_search("zero", 5, noise=0.25, noise_alpha=0.3)
    plain = small_search("zero", 5)
    for twin in (search, plain):
        twin.set_position(Position(5))
        twin.prepare()
    clean, noisy = (np.array([edge.prior for edge in _by_move(twin)]) for twin in (plain, search))
    assert np.abs(noisy - clean).max() > 0.01 and noisy.sum() == pytest.approx(1)
    assert (noisy[1:] >= 0.75 * clean[1:] - 1e-6).all() and noisy[0] == pytest.approx(
        clean[0]
    )  # the pass keeps its own
    search.set_position(Position(5))
    search.run(simulations=60)
    assert [edge.prior for edge in _by_move(search)] == noisy.tolist()
    best = search.statistics()[0]
    below = {edge.move: edge.prior for edge in search.statistics(int(search.tree.child[best.edge]))}
    search.set_position(Position(5).play(best.move))
    search.prepare()
    assert {edge.move: edge.prior for edge in search.statistics()} != below  # another root, other noise


def _by_move(search):
    return sorted(search.statistics(), key=lambda edge: edge.move)


def test_paths_that_are_longer_than_memory_end_there():
    """When every position is lost for the side to move, a search that does not explore goes on with one line."""
    search = small_search("alpha_v", 17, _lost, priors="uniform", c_puct=0.0, batch_size=1)
    search.set_position(Position(17))
    search.run(simulations=1_200)
    check_at_rest(search, 1_200)
    depths, todo = {0: 0}, [0]
    for node in todo:
        for e in search._edges(node):
            if search.tree.child[e] >= 0:
                depths[int(search.tree.child[e])] = depths[node] + 1
                todo.append(int(search.tree.child[e]))
    assert max(depths.values()) == MOST_DEPTH


def _lost(boards, history, symmetries):
    return np.full(len(boards), -1.0)


def test_a_game_that_is_longer_than_usual_gets_more_memory(monkeypatch):
    monkeypatch.setattr(apv_mcts.search, "USUAL_MOVES", 10)
    rng = np.random.default_rng(1)
    search, position = small_search("alpha_rp", 3), Position(3, 0.5)
    lengths = set()
    for _ in range(150):  # with a pass between, so that the game does not end; superko remembers all of it
        moves = sensible_moves(position)
        position.play(int(rng.choice(moves)) if moves and position.last_move == PASS else PASS)
        if position.is_over:
            position = Position(3, 0.5)
        search.set_position(position)
        search.run(simulations=10)
        lengths.add(len(search.workers[0].hashes))
        assert len(search.workers[0].hashes) >= len(position.history) + 1 + MOST_DEPTH
        assert {edge.move for edge in search.statistics()} == {*sensible_moves(position), PASS}
    assert len(lengths) > 1


GAME = """
import hashlib, sys
sys.path.insert(0, {tests!r})
from small_searches import small_search
from go.position import Position
search, position, digest = small_search({name!r}, 5, seed={seed}, replies={replies}), Position(5, 0.5), hashlib.sha256()
for _ in range(12):
    search.set_position(position)
    search.run(simulations=60)
    for part in search.tree:
        digest.update(part.tobytes())
    position.play(search.statistics()[0].move)
    if position.is_over:
        break
print(len(position.history), digest.hexdigest())
"""


def played(name, seed, hash_seed, replies=0.0):
    """Play a game in a process of its own; return a digest of all its trees."""
    program = GAME.format(tests=str(ROOT / "tests"), name=name, seed=seed, replies=replies)
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("name", "replies"), [("alpha_rvp", 0.7), ("zero", 0.0)])
def test_a_game_on_one_thread_is_the_same_bit_for_bit_in_any_process(name, replies):
    assert played(name, 5, 0, replies) == played(name, 5, 4321, replies)


@pytest.mark.parametrize("name", SEARCHES)
def test_one_thread_and_a_seed_are_the_same_game_twice_and_another_seed_is_another(name):
    def game(seed):
        replies = 0.5 if name in ("alpha_r", "alpha_rp", "alpha_rv", "alpha_rvp") else 0.0
        search, position, seen = small_search(name, 4, seed=seed, replies=replies), Position(4, 0.5), []
        for _ in range(10):
            search.set_position(position)
            search.run(simulations=50)
            seen.append([part.copy() for part in search.tree])
            position.play(search.statistics()[0].move)
            if position.is_over:
                break
        return seen

    def equal(one, two):
        pairs = ((a, b) for x, y in zip(one, two, strict=False) for a, b in zip(x, y, strict=True))
        return len(one) == len(two) and all(np.array_equal(a, b) for a, b in pairs)

    assert equal(game(3), game(3))
    if name != "alpha_v":  # whose search has no chance in it
        assert not equal(game(3), game(4))
