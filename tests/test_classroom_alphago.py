"""Chapter 5: traces are those of the real search, and every number of the slides comes out."""

import itertools
import math

import numpy as np
import pytest
from conftest import ROOT
from small_networks import random_weights
from small_searches import by_hash, check_at_rest, network, random_position, small_search

from apv_mcts.queue import WAITING
from apv_mcts.search import win_rate
from apv_mcts.settings import SearchSettings
from apv_mcts.simulation import DONE, STARTED
from apv_mcts.tree import NODES
from classroom.exercises import check, exercises_of
from classroom.lost_update import (
    atomic_steps,
    count_together,
    interleavings,
    lost_update_data,
    play_interleaving,
)
from classroom.mixing import LAMBDAS, best_by_lambda, mixed, record_mixtures, views_data, why_no_value_network
from classroom.policy_costs import SLIDES, Cost, expert_moves_found, measured_network, measured_rollouts
from classroom.queue_load import SlowedNetwork, record_load, watched_search
from classroom.simulations import record_simulations
from classroom.solutions.chapter5 import MISTAKES, SOLUTIONS
from classroom.threads_trace import distinct_leaves, grown_search, record_two_threads, record_with_and_without
from classroom.variants import PAPER, Rated, paper_gap, read_results, table_rows
from go.coordinates import gtp_from_point
from nets.network import Network, PolicyAndValue
from pipeline.errors import UserError


@pytest.fixture
def position():
    return random_position(5, 6, np.random.default_rng(3), passes=0)


@pytest.mark.parametrize("name", ["alpha_rp", "alpha_rvp", "alpha_vp"])
def test_a_search_step_by_step_is_the_search(name, position):
    stepped, whole = (small_search(name, 5, batch_size=1, n_thr=2) for _ in range(2))
    recorded = record_simulations(stepped, position, 60)
    whole.set_position(position)
    whole.run(simulations=60)
    expected = {gtp_from_point(edge.move, 5): edge for edge in whole.statistics()}
    last = recorded["steps"][-1]["root"]
    assert {move["move"]: move["N"] for move in last} == {move: edge.visits for move, edge in expected.items()}
    for move in last:
        assert move["Q"] == pytest.approx(expected[move["move"]].q, abs=1e-4)
        assert move["P"] == pytest.approx(expected[move["move"]].prior, abs=1e-4)
    simulations = [step for step in recorded["steps"] if step["what"] == "simulation"]
    assert [step["number"] for step in simulations] == list(range(1, 61))
    assert sum(step["made_node"] for step in simulations) == stepped.tree.counters[NODES] - 1 > 0
    assert max(len(step["path"]) for step in simulations) > 1


@pytest.mark.parametrize("name", ["alpha_rp", "alpha_rvp_paper"])
def test_each_simulation_follows_the_largest_sum_and_adds_its_outcome(name, position):
    search = small_search(name, 5, batch_size=1, n_thr=2)
    recorded = record_simulations(search, position, 50)
    assert [step["what"] for step in recorded["steps"][:3]] == ["tree policy", "policy network", "simulation"]
    assert recorded["steps"][0]["root"][0]["P"] != recorded["steps"][1]["root"][0]["P"]
    for before, step in itertools.pairwise(recorded["steps"][1:]):
        total = max(sum(move["N"] for move in before["root"]), 1)
        sums = {
            move["move"]: move["Q"] + recorded["c_puct"] * move["P"] * math.sqrt(total) / (1 + move["N"])
            for move in before["root"]
        }
        chosen = step["path"][0]["move"]
        assert sums[chosen] >= max(sums.values()) - 0.01  # numbers are rounded
        was, now = ({move["move"]: move for move in one["root"]}[chosen] for one in (before, step))
        assert step["path"][0] == was
        assert now["N"] == was["N"] + 1 and now["W"] == was["W"] + step["z"] and abs(step["z"]) == 1
        assert now["N_v"] == was["N_v"] + (step["v"] is not None)
        if step["v"] is not None:
            assert now["W_v"] == pytest.approx(was["W_v"] + step["v"], abs=2e-4)
        others = [move for move in step["root"] if move["move"] != chosen]
        assert [move["N"] for move in others] == [move["N"] for move in before["root"] if move["move"] != chosen]
    assert any(step.get("v") is not None for step in recorded["steps"]) == (name == "alpha_rvp_paper")


def test_only_a_search_that_waits_for_each_answer_can_be_recorded(position):
    with pytest.raises(ValueError, match="threads=1 and batch_size=1"):
        record_simulations(small_search("alpha_rp", 5), position, 3)


@pytest.mark.parametrize("n_vl", [0, 1, 3])
def test_virtual_losses_come_and_go(n_vl, position):
    """The slides' example has n_vl = 1: a rollout under way counts as one loss, which is removed at its end."""
    search = grown_search(position, n_vl, 80, network(5))
    recorded = record_two_threads(search, 12)
    steps = recorded["steps"]
    assert [(step["what"], step["thread"]) for step in steps[1:5]] == [
        ("select", "A"), ("select", "B"), ("finish", "A"), ("finish", "B"),
    ]  # fmt: skip
    for before, step in itertools.pairwise(steps):
        name = step["thread"]
        first = (step["paths"].get(name) or before["paths"][name])[0]
        was, now = ({move["move"]: move for move in one["root"]}.get(first) for one in (before, step))
        if was is None:  # a move that is too unlikely to be shown before it was tried
            continue
        visits, wins = (n_vl, -n_vl) if step["what"] == "select" else (1 - n_vl, n_vl + step["z"])
        assert now["N"] == was["N"] + visits and now["W"] == was["W"] + wins
    assert not steps[-1]["paths"]
    search.control[[STARTED, DONE]] = 80 + 24
    check_at_rest(search, 80 + 24)  # nothing is lost and nothing is left behind


def test_without_virtual_loss_all_threads_take_the_same_leaf(position):
    data = record_with_and_without(position, 10, 80, network=network(5))
    without, with_three = data["runs"]
    assert (without["n_vl"], with_three["n_vl"]) == (0, 3)
    assert without["same"] == 10 and with_three["same"] < 5
    for step in without["steps"]:
        if len(step["paths"]) == 2:
            assert step["paths"]["A"] == step["paths"]["B"]
    spread = [distinct_leaves(grown_search(position, n_vl, 80, network(5)), 8, 4) for n_vl in (0, 1, 3)]
    assert spread[0] == 1 and spread[1] > 3 and spread[2] > 3
    assert max(move["N"] for run in data["runs"] for step in run["steps"] for move in step["root"]) == without["most"]


def test_two_of_twenty_orders_lose_nothing():
    orders = interleavings()
    assert len(set(orders)) == len(orders) == 20 and all(order.count("A") == order.count("B") == 3 for order in orders)
    found = {order: play_interleaving(order, 7)[-1]["memory"] for order in orders}
    assert {order for order, memory in found.items() if memory == 9} == {"AAABBB", "BBBAAA"}
    assert all(memory == 8 for order, memory in found.items() if order not in ("AAABBB", "BBBAAA"))
    steps = play_interleaving("ABABAB", 7)
    assert [step["what"] for step in steps] == ["load", "load", "add", "add", "store", "store"]
    assert [(step["A"], step["B"], step["memory"]) for step in steps] == [
        (7, None, 7), (7, 7, 7), (8, 7, 7), (8, 8, 7), (8, 8, 8), (8, 8, 8),
    ]  # fmt: skip
    assert atomic_steps(7)[-1]["memory"] == 9
    assert set(lost_update_data()["orders"]) == set(orders)
    loads_first = [order for order in interleavings(2) if order not in ("AABB", "BBAA")]  # both load before one stores
    assert len(interleavings(2)) == 6 and len(loads_first) == SOLUTIONS["5.interleavings"]


def test_real_threads_lose_nothing_with_atomics():
    counted = count_together(200_000, is_atomic=True)
    assert counted == (400_000, 400_000) and counted.lost == 0
    torn = count_together(200_000, is_atomic=False)  # how much is lost depends on the machine
    assert torn.expected == 400_000 and 2 <= torn.found <= 400_000
    assert count_together(1_000, is_atomic=False, threads=1).lost == 0


def test_n_thr_rises_with_the_queue_and_falls_with_an_idle_network(position):
    search = watched_search(SearchSettings(threads=2, nodes=500), 5, network=network(5))
    search.set_position(position)
    search.watch(((0.0, 0.0),))
    for waiting, busy, expected in (
        (30, 1.0, 44),
        (17, 1.0, 48),
        (16, 1.0, 48),
        (3, 0.9, 48),
        (0, 0.1, 44),
        (0, 0.0, 40),
    ):
        search.queue.counters[WAITING] = waiting
        search.adapt(busy)
        assert search.n_thr == expected == search.looks[-1]["n_thr"]
        assert (search.looks[-1]["waiting"], search.looks[-1]["busy"]) == (waiting, busy)
    assert [look["change"] for look in search.looks] == [4, 4, 0, 0, -4, -4]
    assert search.looks[0]["n_thr"] == SOLUTIONS["5.threshold"]


def test_the_load_of_a_real_search_is_recorded(position):
    recorded = record_load(position, 0.05, 0.002, network=network(5))
    looks = recorded["looks"]
    assert looks and recorded["simulations"] > 0 and recorded["start"] == 40
    assert all(one["seconds"] < two["seconds"] for one, two in itertools.pairwise(looks))
    assert looks[0]["n_thr"] - looks[0]["change"] == 40
    assert {look["pause"] for look in looks} <= {0.0, 0.002}
    slowed = SlowedNetwork(network(5), 0.0)
    boards, past, turns = position.boards, position.past, np.zeros(1, np.int64)
    assert np.array_equal(slowed.answer(boards, past, turns).scores, network(5).answer(boards, past, turns).scores)


@pytest.fixture
def both():
    return PolicyAndValue(network_of_all_planes(), Network(random_weights(5, planes=49, family="value", layers=5)))


def network_of_all_planes() -> Network:
    return Network(random_weights(5))


def test_the_mixture_in_the_page_is_that_of_the_search(position, both):
    recorded = record_mixtures(position, 60, both)
    assert [search["lambda"] for search in recorded["searches"]] == list(LAMBDAS)
    search = small_search("alpha_rvp", 5, values=by_hash, lambda_mix=0.25)
    search.set_position(position)
    search.run(simulations=80)
    data = views_data(search)
    known = 0
    for edge, move in zip(search.statistics(), data["moves"], strict=True):
        assert (move["move"], move["N"]) == (gtp_from_point(edge.move, 5), edge.visits)
        if edge.q_rollouts is not None and edge.q_value is not None:
            known += 1
            assert mixed(move, 0.25) == pytest.approx(win_rate(edge.q), abs=2e-4)
            assert mixed(move, 0) == move["Q_v"] and mixed(move, 1) == move["Q_r"]
    assert known > 3
    assert mixed({"Q_r": None, "Q_v": 0.3}, 0.9) == 0.3 and mixed({"Q_r": 0.2, "Q_v": None}, 0.1) == 0.2
    assert mixed({"Q_r": None, "Q_v": None}, 0.5) is None
    assert data["variation"][0] == data["moves"][0]["move"]
    for (mix, visited, by_value), found in zip(best_by_lambda(recorded), recorded["searches"], strict=True):
        assert mix == found["lambda"] and visited == max(found["moves"], key=lambda move: move["N"])["move"]
        assert by_value in {move["move"] for move in found["moves"]}


def test_a_missing_value_network_is_said():
    assert "No value network for 5x5 comes with Prezero" in why_no_value_network(5)


def test_the_prices_of_the_slides():
    rollouts, answers = SLIDES["rollout policy"], SLIDES["policy network"]
    assert 1e3 * rollouts.rollout == pytest.approx(0.4) and rollouts.rollouts_a_second == pytest.approx(2_500)
    assert answers.rollout == pytest.approx(1.0) and answers.rollouts_a_second == pytest.approx(1)
    assert Cost(0.005, 400).rollout * 128 * 10_000 / 86_400 == pytest.approx(29.6, abs=0.05)


def test_our_prices_are_measured(position):
    cost = measured_rollouts(position, 20)
    assert 5 < cost.moves < 100 and cost.seconds > 0
    assert measured_network(network(5), position, 3, cost.moves).moves == cost.moves
    shares = expert_moves_found(9)
    assert f"{100 * shares['rollout']:.2f}%" in (ROOT / "weights" / "README.md").read_text()
    assert 0.5 < shares["policy"] < 0.6


def test_table_7_is_the_papers_until_there_are_games_of_ours(tmp_path):
    assert read_results(tmp_path / "none.csv") == {}
    gaps = {player: paper_gap(player) for player in PAPER}
    assert [gaps[name] for name in ("alpha_rp", "alpha_vp", "alpha_rv")] == [-474, -713, -813]
    assert sorted(PAPER, key=lambda player: -PAPER[player][3]) == list(PAPER)
    rows = table_rows({})
    assert rows[0][:3] == ("alpha_rvp", "not measured yet", "+0 (2890)")
    path = tmp_path / "variants.csv"
    path.write_text("player,elo,low,high,games,points\nalpha_rvp,100,90.5,110,20,15\nalpha_r,-50,-80,-20,20,5\n")
    found = read_results(path)
    assert found == {"alpha_rvp": Rated(0, -9.5, 10, 20), "alpha_r": Rated(-150, -180, -120, 20)}
    assert table_rows(found)[-1] == ("alpha_r", "-150 [-180; -120]", "-1433 (1457)", "rollouts")
    for text in ("player,elo\nalpha_r,3\n", "player,elo,low,high,games\nalpha_r,x,1,2,3\n", ""):
        path.write_text(text)
        with pytest.raises(UserError, match=r"arena\.ablation writes it"):
            read_results(path)


@pytest.mark.parametrize("name", exercises_of(5))
def test_solutions_are_accepted_and_mistakes_are_not(name, capsys):
    assert check(name, SOLUTIONS[name])
    assert len(MISTAKES[name]) >= 3
    for mistake in MISTAKES[name]:
        assert not check(name, mistake)
    assert set(SOLUTIONS) == set(MISTAKES) == set(exercises_of(5))
