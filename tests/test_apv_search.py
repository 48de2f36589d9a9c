"""Whole searches: traps, what nodes and requests hold, tree reuse, budgets, settings that are refused."""

import threading
import time

import numpy as np
import pytest
from small_searches import check_at_rest, small_search

from apv_mcts.lockstep import search_many
from apv_mcts.queue import WAITING
from features48.encoder import Encoder
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.player import sensible_moves
from go.position import Position
from pipeline.errors import UserError


def two_ply_trap(boards, history, symmetries):
    """After black A1 all looks well for black, but white B2 is the end of it; any other move is a little good."""
    values = []
    for board in boards:
        position = {int(p): int(c) for p, c in enumerate(board["color"]) if c in (BLACK, WHITE)}
        names = {gtp_from_point(p, 3): c for p, c in position.items()}
        trapped = -1.0 if names.get("B2") == WHITE else 0.9
        black = trapped if names.get("A1") == BLACK else 0.2
        values.append(black if board["to_move"] == BLACK else -black)
    return np.array(values)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_move_that_is_refuted_in_two_plies_is_not_played(threads):
    """Without the change of sign, A1 would be worth 0.9 for ever."""
    search = small_search("alpha_v", 3, two_ply_trap, threads=threads, priors="uniform", c_puct=1.0)
    search.set_position(Position(3, komi=0))
    search.run(simulations=30)
    early = {gtp_from_point(edge.move, 3): edge for edge in search.statistics()}
    assert early["A1"].value == pytest.approx(0.9)
    search.run(simulations=2000)
    found = {gtp_from_point(edge.move, 3): edge for edge in search.statistics()}
    best = search.statistics()[0]
    assert best.move != Position(3).point("A1") and found["A1"].q < 0.1 < best.q
    assert gtp_from_point(search.principal_variation(found["A1"])[1], 3) == "B2"


def test_values_keep_their_range_and_their_side():
    """Values are from -1 to 1, seen by the player of the move."""
    always = small_search(
        "alpha_v", 5, lambda boards, history, symmetries: np.where(boards["to_move"] == BLACK, 3.0, -3.0)
    )
    always.set_position(Position(5))
    always.run(simulations=100)
    visited = [edge for edge in always.statistics() if edge.visits]
    assert all(edge.q == pytest.approx(1) and edge.value == 1 for edge in visited if edge.move != PASS)
    always.set_position(Position(5).play("C3"))
    always.run(simulations=100)
    visited = [edge for edge in always.statistics() if edge.visits]
    assert all(edge.q == pytest.approx(-1) for edge in visited if edge.move != PASS)


def check_moves(search, position, node=0):
    """Compare the moves of all nodes with those of positions played to them; return how many superko forbids."""
    edges = range(search.tree.first[node], search.tree.first[node] + search.tree.count[node])
    assert {int(search.tree.move[e]) for e in edges} == {*sensible_moves(position), PASS}
    lenient = position.copy()
    lenient.superko = False
    forbidden = len(sensible_moves(lenient)) - len(sensible_moves(position))
    for e in edges:
        if search.tree.child[e] >= 0:
            forbidden += check_moves(search, position.copy().play(int(search.tree.move[e])), int(search.tree.child[e]))
    return forbidden


@pytest.mark.parametrize("name", ["uct", "alpha_r"])
def test_moves_of_all_nodes_are_the_sensible_ones_without_superko_and_a_pass(name):
    forbidden = 0
    for seed in range(16):
        rng, position = np.random.default_rng(seed), Position(3, komi=0)
        for _ in range(seed % 8):
            moves = sensible_moves(position)
            position.play(int(rng.choice(moves)) if moves else PASS)
            if position.is_over:
                break
        if not position.is_over:
            search = small_search(name, 3, n_thr=1)
            search.set_position(position)
            search.run(simulations=1500)
            forbidden += check_moves(search, position)
    assert forbidden > 10  # superko did matter


def test_an_answer_that_is_no_number_is_an_error_and_not_a_value():
    def nothing(boards, history, symmetries):
        return np.full(len(boards), np.nan)

    search = small_search("alpha_v", 5, nothing)
    search.set_position(Position(5))
    with pytest.raises(FloatingPointError, match="no number"):
        search.run(simulations=10)
    assert not search.tree.w_v.any()


def test_a_flat_search_goes_by_the_value_of_moves_because_all_have_as_many_visits():
    """Black saves or loses five stones; every other move is as good as any."""
    position = Position.from_text(". O O . .\nO X X O .\nO X X a .\nO X O O .\n. O . . .\n".replace("a", "."), komi=-20)
    search = small_search("flat", 5)
    search.set_position(position)
    search.run(simulations=3000)
    edges = search.statistics()
    assert max(edge.visits for edge in edges) - min(edge.visits for edge in edges) <= 1
    assert [edge.q for edge in edges] == sorted((edge.q for edge in edges), reverse=True)
    assert edges[0].q > edges[-1].q and search.principal_variation() == [edges[0].move]


def test_the_tree_below_the_moves_that_were_played_is_kept():
    """The search hears of both players' moves."""
    search = small_search("uct", 5)
    position = Position(5)
    search.set_position(position)
    search.run(simulations=2000)
    first = search.statistics()[0]
    reply = search.statistics(int(search.tree.child[first.edge]))[0]
    position.play(first.move).play(reply.move)
    below = search.statistics(int(search.tree.child[reply.edge]))
    search.set_position(position)
    kept = search.statistics()
    assert [edge[:-1] for edge in kept] == [edge[:-1] for edge in below]
    before = sum(edge.visits for edge in kept)
    assert before > 0
    search.run(simulations=100)
    assert sum(edge.visits for edge in search.statistics()) == before + 100
    search.set_position(Position(5).play("A1").play("E5"))  # another game
    assert sum(edge.visits for edge in search.statistics()) == 0
    search.set_position(Position(5, komi=0.5).play("A1").play("E5"))
    assert search.rule.komi == 0.5


def test_a_game_that_is_over_behind_two_passes_is_counted_exactly():
    """White has passed; black wins by passing, and every visit of the pass is a win."""
    position = Position.from_text(". X . O .\nX X . O O\n. X . O .\nX X . O O\n. X . O .\n", komi=0.5)
    position.play("C3").play(PASS)
    search = small_search("alpha_r", 5)
    search.set_position(position)
    search.run(simulations=3000)
    passing = next(edge for edge in search.statistics() if edge.move == PASS)
    assert position.score() > 0 and passing.visits > 0 and passing.q == 1


def test_time_ends_a_search_and_so_does_stop():
    search = small_search("alpha_r", 9, threads=2)
    search.set_position(Position(9))
    began = time.monotonic()
    assert search.run(seconds=0.3) > 10
    assert 0.25 < time.monotonic() - began < 5
    threading.Timer(0.2, search.stop).start()
    assert search.run() > 0


def test_the_threshold_stays_as_set_when_search_and_network_take_turns():
    """Each request is answered before the search goes on, so no queue can tell how fast the network is."""
    search = small_search("alpha_rp", 5, n_thr=30)
    search.set_position(Position(5))
    search.run(simulations=600)
    assert search.n_thr == 30
    search_many([search], 900)
    assert search.n_thr == 30 and search.evaluator.answered > 1


def test_the_threshold_follows_the_load_of_the_network():
    """When requests pile up, n_thr rises; when the network could answer more, it falls; by a tenth at most."""
    search = small_search("alpha_rp", 5, n_thr=40)
    search.set_position(Position(5))
    for waiting, busy, expected in ((100, 1.0, 44), (16, 0.9, 44), (0, 0.9, 44), (16, 0.2, 40), (0, 0.0, 36)):
        search.queue.counters[WAITING] = waiting
        search.adapt(busy)
        assert search.n_thr == expected
    for _ in range(40):
        search.adapt(0.0)
    assert search.n_thr == 1
    search.queue.counters[WAITING] = 100
    search.adapt(1.0)
    assert search.n_thr == 2


@pytest.mark.parametrize("name", ["alpha_rvp", "alpha_vp"])
def test_every_thread_answers_for_the_networks_when_the_threshold_stays(name, monkeypatch):
    """Three threads wait for each other inside a batch: they can go on only if all of them answer at the same time."""
    search = small_search(name, 9, threads=3, adapt=False, nodes=20_000)
    search.set_position(Position(9))
    search.prepare()
    meeting, answering, serve = threading.Barrier(3), set(), search.evaluator._answers
    this = threading.get_ident()

    def met(*request):
        if threading.get_ident() not in answering | {this}:
            answering.add(threading.get_ident())
            meeting.wait(60)
        return serve(*request)

    monkeypatch.setattr(search.evaluator, "_answers", met)
    before = search.n_thr
    assert search._run(3_000, 0.0) == 3_000
    assert len(answering) == 3 and search.n_thr == before
    check_at_rest(search, 3_000)


@pytest.mark.parametrize(("delay", "before"), [(0.0, 40), (0.1, 1)])
def test_on_two_threads_the_threshold_moves_towards_what_the_network_can_answer(delay, before, monkeypatch):
    search = small_search("alpha_rp", 9, n_thr=before, threads=2)
    serve = search.evaluator.serve

    def slow(askers):
        if search.queue.counters[WAITING]:
            time.sleep(delay)
        return serve(askers)

    monkeypatch.setattr(search.evaluator, "serve", slow)
    search.set_position(Position(9))
    until = time.monotonic() + 60
    while search.n_thr == before and time.monotonic() < until:
        search.run(seconds=0.5)
    assert search.n_thr > before if delay else search.n_thr < before


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"rule": "best"}, "player.search.rule=best is none of puct, ucb1, flat."),
        ({"c_puct": -1.0}, "player.search.c_puct=-1 is not between 0 and 1,000."),
        ({"rollouts": "none"}, "A search without rollouts and without a value network has nothing to go by."),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, sentence):
    with pytest.raises(UserError) as refused:
        small_search("alpha_r", 5, **settings)
    assert str(refused.value) == sentence


def test_the_networks_are_shown_the_planes_of_the_position():
    """A board with its last moves, as it stands in the queue, gives the same planes as the position itself."""
    encoder, rng = Encoder(48), np.random.default_rng(5)
    for size in (5, 9):
        search, position = small_search("alpha_r", size), Position(size)
        for _ in range(40):
            moves = sensible_moves(position)
            position.play(int(rng.choice(moves)) if moves else PASS)
            if position.is_over:
                break
            search.set_position(position)
            shown = encoder.boards(search.root.board, search.root.history)[0]
            assert np.array_equal(shown, encoder.position(position)) and shown[4].sum() == (position.last_move != PASS)
