"""The value network as a player and in the search: signs, all four players with it by hand, komi, runs and GTP."""

import dataclasses
import math
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from small_networks import InProcess, random_weights
from small_searches import check_at_rest, small_search

from apv_mcts import show
from apv_mcts.assemble import new_search
from apv_mcts.rules import NODE, PUCT, ZERO, Rule, best_puct
from apv_mcts.search import Search
from apv_mcts.simulation import N_THR
from apv_mcts.tree import ANSWERED, NODES, NOT_ASKED, UNIT
from arena.players import new_player, preset
from go import BLACK, WHITE, Position
from go.coordinates import PASS, symmetry_table
from go.player import sensible_moves
from nets.description import VALUES, Description
from nets.find import find_weights, shipped_sizes
from nets.network import ALL_SYMMETRIES, Network, PolicyAndValue
from nets.runtime import onnx_compute
from nets.weights import Weights
from value_net.player import ValuePlayer, values_of

SIZE, SCALE = 5, 0.05
PLAYERS = ("alpha_v", "alpha_vp", "alpha_rv", "alpha_rvp")
ATARI = """
. . . . .
. X O O .
. . X X O
. X O O X
. . . . .
"""  # black can capture


def counts_stones(size: int = SIZE, komi: float = 0.5) -> Weights:
    """A value network made by hand: tanh of the own stones less the opponent's, times `SCALE`."""
    description = Description("value", size, 49, 2, 5)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in description.shapes().items()}
    for channel in range(2):
        tensors["layer1.kernel"][channel, channel, 2, 2] = 1  # the planes of own and of the opponent's stones
        tensors["layer2.kernel"][channel, channel, 1, 1] = 1
    tensors["map.kernel"][0, :, 0, 0] = 1, -1
    tensors["hidden.kernel"][0], tensors["hidden.kernel"][1] = 1, -1
    tensors["value.kernel"][0, :2] = SCALE, -SCALE
    return Weights(description, tensors, card={"komi": komi})


def stones(position: Position, color: int) -> int:
    """Return how many stones a colour has more than the other."""
    other = BLACK + WHITE - color
    return int((position.colors == color).sum() - (position.colors == other).sum())


def fight(to_move: int = BLACK) -> Position:
    position = Position.from_text(ATARI, komi=-100.5)
    return position if to_move == BLACK else position.set_up(to_move=to_move)


def test_the_network_made_by_hand_counts_stones_for_both_colours_and_in_all_symmetries():
    network = Network(counts_stones())
    position = Position(SIZE, 0.5)
    for move in ("C3", "B2", "D4", "pass", "A1", "A5", "E5", "pass"):
        position.play(move)
        for symmetry in ALL_SYMMETRIES:
            value = network.answer(position.boards, position.past, np.full(1, symmetry)).values[0]
            assert value == pytest.approx(math.tanh(SCALE * stones(position, position.to_move)), abs=1e-6)
    assert position.to_move == BLACK and stones(position, BLACK) != 0


def test_the_player_takes_the_move_after_which_the_opponent_has_least():
    player, position = ValuePlayer(Network(counts_stones(komi=-100.5))), fight()
    decision = player.decide(position)
    gained = {move: stones(position.copy().play(move), BLACK) for move in sensible_moves(position)}
    assert gained[decision.move] == max(gained.values()) > min(gained.values())
    best = decision.candidates[0]
    assert best.point == decision.move and sum(c.probability for c in decision.candidates) == pytest.approx(1)
    assert f"wins {50 + 50 * math.tanh(SCALE * gained[best.point]):.1f}%" in best.why


def test_two_passes_are_counted_and_not_estimated():
    over = Position(SIZE, 0.5).play("C3").play("pass").play("pass")
    values = values_of(Network(counts_stones()), [over])
    assert over.is_over and values.tolist() == [-1.0 if over.to_move == WHITE else 1.0]


def slow_visits(search: Search, settings, simulations: int, q_of: dict[int, float]) -> dict[int, int]:
    """PUCT at the root alone, one simulation at a time: Q of a move is known once it was tried."""
    priors = {edge.move: edge.prior for edge in search.statistics()}
    visits = dict.fromkeys(sorted(priors, key=lambda move: [e.edge for e in search.statistics() if e.move == move]), 0)
    for _ in range(simulations):
        total = sum(visits.values())
        untried = 0.0
        if settings.first_play == "node" and total:
            untried = max(sum(n * q_of[m] for m, n in visits.items() if n) / total - settings.first_play_loss, -1)
        scale = settings.c_puct * math.sqrt(max(total, 1))
        chosen = max(visits, key=lambda m: (q_of[m] if visits[m] else untried) + scale * priors[m] / (1 + visits[m]))
        visits[chosen] += 1
    return visits


@pytest.mark.parametrize("color", [BLACK, WHITE])
@pytest.mark.parametrize("name", PLAYERS)
def test_each_player_chooses_as_computed_by_hand(name, color):
    """No node but the root, one request at a time, and a komi at which black wins every rollout."""
    settings = dataclasses.replace(
        preset(name).search, n_thr=10**9, adapt=False, threads=1, batch_size=1, nodes=10, precision="float32"
    )
    value, position = Network(counts_stones(komi=-100.5)), fight(color)
    policy = Network(random_weights(SIZE, planes=4))
    search = new_search(settings, SIZE, network=PolicyAndValue(policy, value) if settings.policy else value)
    search.set_position(position)
    search.prepare()
    rollout = 1.0 if color == BLACK else -1.0
    q_of = {}
    for edge in search.statistics():
        of_value = math.tanh(SCALE * stones(position.copy().play(edge.move), color))
        mixed = (1 - settings.lambda_mix) * of_value + settings.lambda_mix * rollout
        q_of[edge.move] = of_value if settings.rollouts == "none" else mixed
    expected = slow_visits(search, settings, 80, q_of)
    search.run(simulations=80)
    found = {edge.move: edge for edge in search.statistics()}
    assert {move: edge.visits for move, edge in found.items()} == expected
    for move, edge in found.items():
        if edge.visits:
            assert edge.value == pytest.approx(math.tanh(SCALE * stones(position.copy().play(move), color)), abs=1e-5)
            assert edge.q == pytest.approx(q_of[move], abs=1e-4)
    best = max(expected, key=lambda move: (expected[move], move != PASS, found[move].prior))
    assert search.statistics()[0].move == best


def test_untried_moves_are_worth_what_the_node_is_if_asked_for():
    rule = Rule(PUCT, 0.0, 1.0, 1, False, True, True, True, False, 0.01, 7.5)
    prior, n = np.array([0.4, 0.3, 0.3], np.float32), np.array([3, 1, 0], np.int32)
    w = np.array([-1.8, -0.1, 0.0]) * UNIT
    arrays = prior, n, np.zeros(3, np.int64), n, w.astype(np.int64)
    # u = 2 c_puct P / (1 + N): 0.2, 0.3, 0.6 times c_puct; Q: -0.6, -0.1, and for the last 0, or -1.9 / 4 less the loss
    assert best_puct(rule, 0, 3, *arrays) == 2
    assert best_puct(rule._replace(first_play=NODE), 0, 3, *arrays) == 1  # 0.2 beats -0.475 + 0.6
    curious = rule._replace(first_play=NODE, c_puct=2.0)
    assert best_puct(curious, 0, 3, *arrays) == 2  # -0.475 + 1.2 beats -0.1 + 0.6
    assert best_puct(curious._replace(first_play_loss=0.3), 0, 3, *arrays) == 1


def test_a_value_that_is_awaited_counts_as_that_of_the_node():
    """With rollouts and values, and lambda 0.25: a move whose value is not there yet has lost its only rollout."""
    rule = Rule(PUCT, 0.25, 1.0, 1, True, True, True, True, False, 0.01, 7.5, first_play=NODE)
    prior, n_r, n_v = (
        np.array([0.4, 0.3, 0.3], np.float32),
        np.array([3, 1, 0], np.int32),
        np.array([3, 0, 0], np.int32),
    )
    w_r, w_v = (np.array(w, np.float64) * UNIT for w in ([1.0, -1.0, 0.0], [0.6, 0.0, 0.0]))
    arrays = prior, n_r, w_r.astype(np.int64), n_v, w_v.astype(np.int64)
    # of the first 0.75 * 0.2 + 0.25 / 3 = 0.233, so the node has that, and the second 0.75 * 0.233 - 0.25 = -0.075
    # u = 2 P / (1 + N): 0.2, 0.3, 0.6 times c_puct
    assert best_puct(rule, 0, 3, *arrays) == 2  # 0.233 + 0.6
    assert best_puct(rule, 0, 2, *arrays) == 0  # 0.433 beats -0.075 + 0.3
    assert best_puct(rule._replace(c_puct=4.0), 0, 2, *arrays) == 1  # -0.075 + 1.2 beats 0.233 + 0.8
    assert best_puct(rule._replace(c_puct=4.0, first_play=ZERO), 0, 2, *arrays) == 0  # -1 + 1.2 does not


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("name", ["alpha_rv", "alpha_rvp"])
def test_every_leaf_has_its_value_and_every_node_its_priors(name, threads):
    """The queue never overflows, so no request is refused."""
    search = small_search(name, SIZE, threads=threads)
    search.set_position(Position(SIZE, 0.5))
    search.run(simulations=4000)
    check_at_rest(search, 4000)
    tree, nodes = search.tree, int(search.tree.counters[NODES])
    visited = np.flatnonzero(tree.n_r > 0)
    unasked = visited[tree.asked_value[visited] != ANSWERED]  # of games that are over
    assert (tree.n_v[unasked] == tree.n_r[unasked]).all()
    assert (np.abs(tree.w_v[unasked]) == UNIT * tree.n_v[unasked].astype(np.int64)).all()
    assert nodes > 500 and (tree.asked_policy[:nodes] == (ANSWERED if search.rule.has_policy else NOT_ASKED)).all()


def test_n_thr_follows_the_queue_of_values_too():
    settings = dataclasses.replace(preset("alpha_rv").search, n_thr=40, nodes=100)
    search = new_search(settings, SIZE, network=Network(counts_stones()))
    search.set_position(Position(SIZE, 0.5))
    before = search.n_thr
    search.queue.counters[1] = 3 * settings.batch_size  # more than two batches wait
    search.adapt(1.0)
    assert search.n_thr > before
    search.queue.counters[1] = 0
    search.control[N_THR] = before
    search.adapt(0.1)
    assert search.n_thr < before


def test_another_komi_is_warned_of_once(capsys):
    network = Network(counts_stones(komi=7.5))
    settings = dataclasses.replace(preset("alpha_v").search, nodes=100, threads=1)
    search = new_search(settings, SIZE, network=network)
    search.set_position(Position(SIZE, 7.5))
    assert capsys.readouterr().err == ""
    for komi in (6.5, 5.5):
        search.set_position(Position(SIZE, komi))
    ValuePlayer(network).decide(Position(SIZE, 0.5))
    err = capsys.readouterr().err
    assert err == (
        "prezero: the value network has learnt results at komi 7.5 and does not know of komi 6.5: its values are off.\n"
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run on 5x5 with all policies and networks."""
    runs = tmp_path_factory.mktemp("runs")
    for stage in ("sl_policy.train", "rollout.train", "value_net.train"):
        (runs / "small" / stage).mkdir(parents=True)
    random_weights(SIZE).save(runs / "small" / "sl_policy.train" / "policy.safetensors")
    counts_stones().save(runs / "small" / "value_net.train" / "value.safetensors")
    for kind in ("rollout", "tree"):
        shutil.copy(find_weights(kind, 9), runs / "small" / "rollout.train" / f"{kind}.safetensors")
    return runs


def test_the_six_boards_are_filled_with_what_a_run_has_learnt(run, monkeypatch, capsys, tmp_path):
    command = InProcess(monkeypatch, capsys, run)
    usual = ["player.run=small", "board.size=5", "board.komi=0.5", "moves=C3 B2", "player.search.nodes=500"]
    done = command(
        *(show, "player=alpha_rvp", "player.simulations=200", "player.search.threads=1", f"svg={tmp_path / 'six.svg'}"),
        *usual,
    )
    assert done.code == 0, done.err
    assert "missing" not in (text := (tmp_path / "six.svg").read_text()) and "no value network" not in text
    assert "Q by the value network" in text and "Q by rollouts" in text
    for name in ("alpha_v", "alpha_vp", "alpha_rv"):
        done = command(show, f"player={name}", "player.simulations=50", "player.search.threads=1", *usual)
        assert done.code == 0, done.err
    done = command(show, "player=alpha_rvp", "player.run=small")
    assert done.code == 2 and "plays on 5x5 only" in done.err


def test_a_run_s_players_answer_over_gtp(run, monkeypatch):
    spoken = "boardsize 5\nclear_board\nkomi 0.5\ngenmove b\ngenmove w\nquit\n"
    arguments = ["player=alpha_rvp", "player.run=small", "board=5x5", "player.simulations=50", "player.seconds=0"]
    environment = {**os.environ, "PREZERO_RUNS": str(run)}
    command = [sys.executable, "-m", "pipeline", "gtp", *arguments, "player.search.nodes=500"]
    done = subprocess.run(command, input=spoken, capture_output=True, text=True, cwd=ROOT, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    answers = [answer.strip() for answer in done.stdout.strip().split("\n\n")]
    assert answers[:3] == ["=", "=", "="] and answers[3].startswith("= ") and answers[4].startswith("= ")
    monkeypatch.setenv("PREZERO_RUNS", str(run))
    player = new_player(dataclasses.replace(preset("value"), run="small"))
    assert player.sizes == (5,) and player.decide(Position(5, 0.5)).candidates


BLACK_HAS_WON = """
X X X X X X . X .
. X X X X X X X X
X X X X X X X . X
X X X X X X X X X
X X X X X X X X X
O O O O X X X X X
. O . O O O X X X
O O O O . O X X X
. O O O O O X X X
"""


@pytest.mark.skipif(9 not in shipped_sizes("value"), reason="no value network for 9x9 comes with Prezero yet")
@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_the_shipped_network_knows_who_has_won_finished_games(precision):
    """Both colours, each side to move, all eight symmetries."""
    weights = Weights.load(find_weights("value", 9))
    network = Network(weights, precision=precision)
    plain = Position.from_text(BLACK_HAS_WON, komi=weights.card["komi"])
    colors = plain.board["color"].copy()
    for swap in (False, True):
        for to_move in (BLACK, WHITE):
            for table in symmetry_table(9):
                points = {color: [] for color in (BLACK, WHITE)}
                for point in np.flatnonzero((colors == BLACK) | (colors == WHITE)):
                    color = int(colors[point])
                    points[BLACK + WHITE - color if swap else color].append(int(table[point]))
                position = Position(9, weights.card["komi"]).set_up(points[BLACK], points[WHITE], to_move=to_move)
                winner = BLACK if position.score() > 0 else WHITE
                value = float(network.answer(position.boards, position.past, np.zeros(1, np.int64)).values[0])
                assert (value > 0.5) == (winner == to_move), f"{value}\n{position}"
                assert abs(value) > 0.5


def test_values_in_8_bits_are_close_to_those_in_32():
    if 9 not in shipped_sizes("value"):
        pytest.skip("no value network for 9x9 comes with Prezero yet")
    weights = Weights.load(find_weights("value", 9))
    network = Network(weights, precision="float32")
    position, planes = Position(9, 7.5), []
    rng = np.random.default_rng(3)
    for _ in range(60):
        position.play(int(rng.choice(sensible_moves(position))))
        planes.append(network.inputs.of_positions([position])[0])
    planes = np.concatenate(planes)
    exact, rough = (onnx_compute(weights, 1, precision)(planes)[VALUES].ravel() for precision in ("float32", "int8"))
    assert np.abs(exact - rough).mean() < 0.05 and np.corrcoef(exact, rough)[0, 1] > 0.98
