"""Minimax, alpha-beta, their evaluations and the moves scored by hand-made features."""

import dataclasses

import numpy as np
import pytest
from small_networks import random_weights

from arena.players import new_player, preset, ready_player
from benchmarks.classics import pure_python
from classics.cgs import Cgs
from classics.evaluation import area, asked, evaluate, influence, uniform_playouts, value_network
from classics.feature_weights import scored_moves
from classics.growth import perfect_leaves
from classics.lookahead import Lookahead
from classics.player import FeaturePlayer
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.player import sensible_moves
from go.position import Position
from go.score import area_margin
from nets.network import Network
from pipeline.errors import UserError

EVALUATIONS = {"area": area, "influence": influence, "uniform": lambda: uniform_playouts(3)}


def random_position(size, plies, seed, komi=7.5):
    rng = np.random.default_rng((size, plies, seed))
    position = Position(size, komi)
    while len(position.history) < plies:
        moves = sensible_moves(position)
        position.play(int(rng.choice(moves)) if moves and rng.random() > 0.05 else PASS)
        if position.is_over:
            return random_position(size, plies, seed + 1000, komi)
    return position


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("ordered", [False, True])
def test_alpha_beta_finds_the_value_and_the_move_of_minimax_with_fewer_nodes(evaluation, ordered):
    saved = 0
    for seed in range(8):
        position = random_position(5, 4 + seed, seed)
        depth = 2 if evaluation == "uniform" else 3
        plain, pruned = (
            Lookahead(5, EVALUATIONS[evaluation](), depth, prunes, ordered).search(position) for prunes in (False, True)
        )
        assert pruned.value == plain.value and pruned.move == plain.move
        assert pruned.nodes < plain.nodes and pruned.evaluated < plain.evaluated
        saved += plain.nodes / pruned.nodes > 2
        best = (max if position.to_move == BLACK else min)(plain.moves, key=lambda move: move[1])
        assert best[1] == plain.value and len(plain.moves) == len(sensible_moves(position)) + 1
    assert saved >= 6


def test_both_visit_the_same_nodes_as_pure_python_on_the_board_of_sgfmill():
    for seed in range(5):
        position = random_position(4, 3 + 2 * seed, seed)
        found = Lookahead(4, area(), 3, ordered=False).search(position)
        assert (found.value, found.nodes) == pure_python(position, 3)


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("prunes", [False, True])
def test_an_evaluation_that_is_asked_is_as_good_as_one_that_is_compiled(batch_size, prunes):
    def ask(boards, history, komi):
        assert all((history["stones"][i, 0] == boards[i]["color"]).all() for i in range(len(boards)))
        return np.array([area_margin(board) - komi for board in boards], float)

    for seed in range(4):
        position = random_position(4, 5 + seed, seed)
        asks = Lookahead(4, asked("area", ask, in_points=True), 3, prunes, batch_size=batch_size).search(position)
        compiled = Lookahead(4, area(), 3, prunes).search(position)
        assert (asks.value, asks.move) == (compiled.value, compiled.move)
        if batch_size == 1 or not prunes:
            assert (asks.nodes, asks.evaluated) == (compiled.nodes, compiled.evaluated)
        else:
            assert asks.nodes >= compiled.nodes  # leaves of a batch that a cut-off made superfluous


def test_a_capture_is_seen_by_whoever_can_make_it():
    """With the sign of one ply wrong, white would leave its stones in atari."""
    drawing = """
        . . . . .
        . X X . .
        X O O a .
        . X X . .
        . . . . .
        """
    for to_move in (BLACK, WHITE):
        position = Position.from_text(drawing, to_move=to_move, komi=0)
        for depth in (1, 2, 3):
            assert Lookahead(5, area(), depth).search(position).move in (position.at("a"), PASS) or depth == 1
        assert Lookahead(5, influence(), 2).search(position).move == position.at("a")
    black = Position.from_text(drawing, to_move=BLACK, komi=0)
    assert Lookahead(5, area(), 1).search(black).move == black.at("a")


def test_the_end_of_the_game_is_counted_and_repetitions_are_left_out():
    finished = Position.from_text(". X X O .\nX X X O O\n. X X O .\nX X X O O\n. X X O .", komi=4.5).play(PASS)
    found = Lookahead(5, influence(), 3).search(finished)
    assert found.move == PASS and found.value == pytest.approx(finished.score())
    ko = Position.from_text(". X O .\nX a X O\n. X O .\n. . . .", to_move=WHITE, komi=0)
    ko.play(ko.at("a"))  # takes the ko
    moves = [move for move, _ in Lookahead(4, area(), 2, False).search(ko).moves]
    assert set(moves) - {PASS} == set(sensible_moves(ko)) and ko.point("C3") not in moves


def test_influence_is_the_difference_of_pm_and_playouts_are_those_of_the_stones():
    for seed in range(4):
        position = random_position(7, 10 + seed, seed)
        found = Cgs(7).analyse(position)
        assert evaluate(influence(), position) == pytest.approx(found.pm_black - found.pm_white - 7.5)
    won = Position.from_text("X X X .\nX . X X\nX X . X\n. X X X", komi=0.5)
    assert evaluate(uniform_playouts(20), won) == 1.0 and evaluate(uniform_playouts(20), other_komi(won)) == -1.0
    open_board = random_position(7, 10, 1, komi=0.0)
    first, again, more = (evaluate(uniform_playouts(n), open_board) for n in (50, 50, 60))
    assert first == again != more


def other_komi(position):
    twin = position.copy()
    twin.komi = 17.0
    return twin


@pytest.mark.parametrize(("family", "planes"), [("value", 49), ("dual", 17)])
def test_a_value_network_is_asked_about_the_positions_after_each_move(family, planes):
    network = Network(random_weights(5, planes=planes, family=family, layers=5))
    position = random_position(5, 9, 3)
    found = Lookahead(5, value_network(network), 1, False).search(position)
    slow = {}
    for move in [*sensible_moves(position), PASS]:
        after = position.copy().play(move)
        value = float(network.answer(after.boards, after.past, np.zeros(1, np.int64)).values[0])
        slow[move] = value if after.to_move == BLACK else -value
    assert dict(found.moves) == pytest.approx(slow, abs=1e-5)
    assert len({round(value, 4) for value in slow.values()}) > 3
    assert slow[found.move] == pytest.approx(min(slow.values()) if position.to_move == WHITE else max(slow.values()))


def test_a_network_without_values_and_a_network_that_is_not_there_are_refused():
    with pytest.raises(UserError, match="no value head"):
        Lookahead(5, value_network(Network(random_weights(5))), 1).search(Position(5))
    settings = preset("alphabeta")
    settings.lookahead.evaluation = "value"
    with pytest.raises(UserError, match=r"(?i)no value network"):
        ready_player(settings, 5)


@pytest.mark.parametrize("name", ["minimax", "alphabeta"])
@pytest.mark.parametrize("evaluation", ["influence", "area", "uniform", "rollout"])
def test_players_look_ahead_with_every_evaluation(name, evaluation):
    settings = preset(name)
    settings.lookahead = dataclasses.replace(settings.lookahead, evaluation=evaluation, playouts=3)
    player, position = new_player(settings), Position(5, komi=0).play("C3")
    first, again = player.decide(position), player.decide(position)
    assert first == again and position.is_legal(first.move) and "at depth 2" in first.why and "nodes" in first.why
    assert first.candidates[0].point == first.move


def test_w_to_the_d_and_the_best_possible_alpha_beta():
    assert [perfect_leaves(26, d) for d in (1, 2, 3, 4)] == [26, 51, 701, 1351]
    position = Position(5)
    for depth, leaves in ((1, 26), (2, 26 * 25)):  # two passes end the game and are not evaluated, but counted
        found = Lookahead(5, area(), depth, False).search(position)
        assert leaves - 1 <= found.evaluated <= leaves
    pruned = Lookahead(5, area(), 2).search(position)
    assert perfect_leaves(25, 2) <= pruned.evaluated < 26 * 25


def test_feature_weights_add_up_as_in_the_slides():
    """Capture 3, escape 2, neighbour 1: the moves a, b and c of the slides have 5, 3 and 1."""
    position = Position.from_text(
        """
        . O X . . . .
        O X O a . . .
        . . X . O . .
        . . . O X . .
        . . . . b . c
        . . . . . . .
        . . . . . . .
        """,
        to_move=WHITE,
    ).play("F4")  # puts E4 in atari
    scored = {move.point: move for move in scored_moves(position)}
    told = {name: scored[position.point(vertex)] for name, vertex in zip("abc", ("D6", "E3", "G3"), strict=True)}
    assert {name: (move.features, move.total) for name, move in told.items()} == {
        "a": (("capture", "escape"), 5),
        "b": (("escape", "neighbour"), 3),
        "c": (("neighbour",), 1),
    }
    after = Position(7).play("D4").play("C5")
    near = {gtp_from_point(move.point, 7) for move in scored_moves(after) if move.features == ("neighbour",)}
    assert near == {"B6", "C6", "D6", "B5", "D5", "B4", "C4"}


@pytest.mark.parametrize(
    ("drawing", "features", "total"),
    [
        (". O X . .\nO X O a .\n. . X . .\n. . . . .\n. . . . .", ("capture", "escape"), 5),
        (". . . . .\n. O . . .\nO X a . .\n. O . . .\n. . . . .", ("escape",), 2),
        (". X . . .\nX O a . .\n. X . . .\n. . . . .\n. . . . .", ("capture",), 3),
        ("O . . . .\n. O . . .\nO . a . .\n. . . X .\n. . . . .", (), 0),
    ],
)
def test_features_fire_where_they_should(drawing, features, total):
    position = Position.from_text(drawing)
    found = [move for move in scored_moves(position) if move.point == position.at("a")]
    if not features:
        assert not found or found[0].total == 0
        return
    assert found[0].features == features and found[0].total == total
    assert found[0].why.endswith(f"= {total}")


def test_an_escape_that_leaves_one_liberty_is_none():
    position = Position.from_text("X O . .\na O . .\nO . . .\n. . . .")
    assert all("escape" not in move.features for move in scored_moves(position) if move.point == position.at("a"))


def test_the_feature_player_takes_the_highest_score_and_draws_among_equals():
    position = Position.from_text(". X . . .\nX O a . .\n. X . . .\n. . . . .\n. . . . .")
    decision = FeaturePlayer(seed=1).decide(position)
    assert decision.move == position.at("a") and decision.why == "capture 3 = 3"
    drawn = {FeaturePlayer(seed=seed).decide(Position(5)).move for seed in range(12)}
    assert len(drawn) > 4
    sampled = FeaturePlayer(greedy=False, seed=1).decide(position)
    assert sum(candidate.probability for candidate in sampled.candidates) == pytest.approx(1)
    assert max(sampled.candidates, key=lambda c: c.probability).point == position.at("a")


@pytest.mark.parametrize("name", ["minimax", "alphabeta"])
def test_a_game_that_is_over_is_passed_on(name):
    position = Position(5, komi=0).play("C3").play(PASS).play(PASS)
    decision = new_player(preset(name)).decide(position)
    assert (decision.move, decision.candidates) == (PASS, [])
