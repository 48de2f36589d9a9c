"""Searches of many games at once: each is as if it were alone, and their questions make one batch."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from small_searches import MadeUp, by_hash, check_at_rest, network, random_position, root_visits, small_search

from apv_mcts.evaluator import Evaluator
from apv_mcts.lockstep import search_many
from apv_mcts.search import Search
from go.coordinates import PASS
from go.player import sensible_moves
from go.position import Position

WALLS = ". X X O .\nX X X O O\n. X X O .\nX X X O O\n. X X O .\n"  # nothing is left to do


def together(name, games, size=5, batch=8, seed=1, **changes):
    """Make searches that share an evaluator."""
    shared = Evaluator(MadeUp(network(size), by_hash), 0.67, seed, batch)
    searches = [small_search(name, size, seed=seed + number, batch_size=batch, **changes) for number in range(games)]
    for search in searches:
        search.evaluator = shared if search.evaluator is not None else None
    return searches


def parts_of(search):
    return [part.copy() for part in search.tree]


def same(one, two):
    return all(np.array_equal(a, b) for a, b in zip(parts_of(one), parts_of(two), strict=True))


@pytest.mark.parametrize("name", ["uct", "alpha_r", "alpha_rp", "alpha_rvp", "alpha_vp", "zero"])
def test_one_game_among_many_of_one_is_searched_as_if_alone_bit_for_bit(name):
    noise = {"noise": 0.25} if name == "zero" else {}
    alone, one = small_search(name, 5, seed=3, **noise), small_search(name, 5, seed=3, **noise)
    position = Position(5, 0.5)
    for _ in range(5):  # with the tree that is kept
        for search in (alone, one):
            search.set_position(position)
        alone.run(simulations=70)
        search_many([one], 70)
        assert same(alone, one)
        position.play(alone.statistics()[0].move)


@pytest.mark.parametrize("name", ["uct", "alpha_rvp", "alpha_vp", "zero"])
@pytest.mark.parametrize("batch", [1, 8])
def test_every_game_gets_its_simulations_and_nothing_is_left_behind(name, batch):
    rng, searches = np.random.default_rng(1), together(name, 12, batch=batch)
    for turn in range(3):
        for number, search in enumerate(searches):
            search.position = None
            search.set_position(random_position(5, number + 3 * turn, rng, komi=number / 2))
        search_many(searches, 60)
        for search in searches:
            check_at_rest(search, 60)
            assert {edge.move for edge in search.statistics()} == {*sensible_moves(search.position), PASS}


@pytest.mark.parametrize(("name", "threads"), [("zero", 3), ("alpha_rp", 2)])
def test_a_pool_of_threads_makes_no_difference(name, threads):
    plain, pooled = together(name, 8), together(name, 8)
    for one, two in zip(plain, pooled, strict=True):
        for search in (one, two):
            search.set_position(Position(5, 0.5))
    search_many(plain, 80)
    with ThreadPoolExecutor(threads) as pool:
        search_many(pooled, 80, pool)
    for one, two in zip(plain, pooled, strict=True):
        assert same(one, two)
    assert not same(plain[0], plain[1])  # each has a seed of its own


def test_the_questions_of_all_games_make_one_batch():
    searches = together("zero", 16, batch=1)
    evaluator = searches[0].evaluator
    sizes = []

    def values(boards, history, symmetries):
        sizes.append(len(boards))
        return by_hash(boards, history, symmetries)

    evaluator.network.values = values
    for number, search in enumerate(searches):
        search.set_position(Position(5, 0.5 + number))
    search_many(searches, 40)
    assert np.mean(sizes) > 12 and max(sizes) == 16
    assert evaluator.answered / evaluator.batches > 12
    assert sum(sizes) <= 16 * 40  # ends of games are not asked about


def test_each_game_hears_its_own_answers():
    """Whoever has the stone in the centre is ahead: black in one game, white in the other."""
    centre = Position(5).point("C3")

    def values(boards, history, symmetries):
        return np.where(boards["color"][:, centre] == boards["to_move"], 0.5, -0.5)

    black, white = together("alpha_vp", 2, batch=4)
    black.evaluator.network.values = values
    black.set_position(Position(5, 0.5).set_up(black=["C3"]))
    white.set_position(Position(5, 0.5).set_up(white=["C3"]))
    search_many([black, white], 60)
    for search, value in ((black, 0.5), (white, -0.5)):
        tried = [edge for edge in search.statistics() if edge.visits and edge.move != PASS]
        assert len(tried) > 1 and all(edge.value == value for edge in tried)
        assert all(edge.q == pytest.approx(value, abs=0.1) for edge in tried[:1])


def test_games_that_are_done_drop_out(monkeypatch):
    """A game in which only a pass is left never waits for the network; another one does, and takes more turns.

    Without virtual losses all simulations of a turn meet at one leaf, and only one of them goes on.
    """
    turns = {}
    simulate = Search.simulate_some

    def counted(search, budget):
        turns[id(search)] = turns.get(id(search), 0) + 1
        simulate(search, budget)

    monkeypatch.setattr(Search, "simulate_some", counted)
    over, begun = together("alpha_vp", 2, batch=8, n_vl=0, nodes=1)
    over.set_position(Position.from_text(WALLS, komi=0.5).play(PASS))
    begun.set_position(Position(5, 0.5))
    search_many([over, begun], 64)
    assert turns[id(over)] == 8 < turns[id(begun)]
    assert root_visits(over) == root_visits(begun) == 64


def test_searches_without_networks_or_without_games_are_no_trouble_and_strangers_are_refused():
    search_many([], 10)
    searches = [small_search("uct", 4, seed=number) for number in range(3)]
    for search in searches:
        search.set_position(Position(4))
    search_many(searches, 100)
    assert [root_visits(search) for search in searches] == [100] * 3
    with pytest.raises(ValueError, match="share one evaluator"):
        search_many([small_search("alpha_rp", 4), small_search("alpha_rp", 4)], 1)
