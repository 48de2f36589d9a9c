"""Everything that plays keeps to one protocol: legal moves to the end of the game, drawn by chance, with reasons."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from scipy.stats import chisquare
from small_networks import random_weights

from go import BLACK, WHITE, Position
from go.board import is_eye, set_turn
from go.coordinates import PASS
from go.match import play_game
from go.player import Candidate, Decision, RandomPlayer, decided, ends_well, sensible_moves
from nets.actions import points_of
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network
from pipeline.errors import UserError
from rollout.model import Model
from rollout.player import RolloutPlayer
from sl_policy.player import PolicyPlayer, candidates_of

DRAWS = 400
KO = """
. X O . .
X O . O .
. X O . .
. . . . .
. . . . .
"""  # black to play at C4 takes a stone, and white may not take it back at once
EYES_ONLY = """
. X X X X
X X X X X
X X . X X
X X X X X
X X X X .
"""


@pytest.fixture(scope="module")
def policy():
    return Network(random_weights(5, 8, 4))


@pytest.fixture(scope="module")
def models():
    return {kind: Model.load(find_weights(kind, 9)) for kind in ("rollout", "tree")}


@pytest.fixture(scope="module")
def new_player(policy, models):
    """Make any of the players by its name."""
    return {
        "random": lambda seed=1, **options: RandomPlayer(seed),
        "rollout": lambda seed=1, **options: RolloutPlayer(models["rollout"], seed=seed, **options),
        "tree": lambda seed=1, **options: RolloutPlayer(models["tree"], seed=seed, **options),
        "sl": lambda seed=1, **options: PolicyPlayer(policy, seed=seed, **options),
    }


PLAYERS = ("random", "rollout", "tree", "sl")


def check_decision(position, decision):
    """What every decision has to be."""
    points = [candidate.point for candidate in decision.candidates]
    chances = [candidate.probability for candidate in decision.candidates]
    assert decision.why and all(candidate.why for candidate in decision.candidates)
    assert type(decision.move) is int and all(type(point) is int for point in points)
    assert set(points) <= set(sensible_moves(position)) and len(set(points)) == len(points)
    assert chances == sorted(chances, reverse=True) and all(0 < chance <= 1 for chance in chances)
    assert decision.move == PASS or decision.move in points


def may_repeat(position):
    """Tell if superko forbids a move that would be legal otherwise."""
    free = position.copy()
    free.superko = False
    return len(free.legal_moves()) > len(position.legal_moves())


@pytest.mark.parametrize("name", PLAYERS)
def test_whole_games_are_played_by_the_rules(new_player, name):
    for seed in range(4):
        black, white = new_player[name](seed), new_player[name](seed + 100)
        assert black.name == name
        position = Position(5, komi=0.5)

        def check_move(after, decision, seconds):
            before = after.copy().undo()
            check_decision(before, decision)
            total = sum(candidate.probability for candidate in decision.candidates)
            assert total == pytest.approx(1, abs=1e-4) or not decision.candidates or may_repeat(before)
            if decision.move != PASS:
                assert not is_eye(before.board, decision.move, before.to_move)
            elif decision.candidates:
                assert ends_well(before)

        ending = play_game({BLACK: black, WHITE: white}, position, move_limit=400, on_move=check_move)
        assert ending.loser is None and position.is_over and len(position.history) > 20


def test_only_a_pass_of_the_opponent_ends_a_game_well():
    position = Position.from_text(EYES_ONLY, komi=7.5)
    assert not ends_well(position)
    assert ends_well(position.copy().play(PASS, WHITE))
    own = position.copy().play(PASS, BLACK)
    set_turn(own.board, BLACK)  # as if one colour moved twice
    assert not ends_well(own)
    position.komi = 30.0
    assert not ends_well(position.copy().play(PASS, WHITE))


@pytest.mark.parametrize("name", PLAYERS)
def test_a_decision_leaves_the_position_as_it_was(new_player, name):
    position = Position(5).play("C3").play("C4").play("D4")
    before = position.copy()
    new_player[name]().decide(position)
    assert position.history == before.history and position.boards.tobytes() == before.boards.tobytes()


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_seed_plays_the_same_game_and_another_another(new_player, name):
    def game(seed):
        player, position = new_player[name](seed), Position(5)
        play_game({BLACK: player, WHITE: player}, position, move_limit=15)
        return position.history

    assert game(1) == game(1) != game(2)


@pytest.mark.parametrize("name", PLAYERS)
def test_moves_are_drawn_by_their_probabilities(new_player, name):
    position, player = Position(5).play("C3").play("C4").play("D4"), new_player[name]()
    candidates = player.decide(position).candidates
    drawn = {candidate.point: 0 for candidate in candidates}
    for _ in range(DRAWS):
        drawn[player.decide(position).move] += 1
    expected = {candidate.point: candidate.probability for candidate in candidates}
    often = [point for point, chance in expected.items() if chance * DRAWS >= 5]
    rest = [point for point in expected if point not in often]
    observed = [drawn[point] for point in often] + [sum(drawn[point] for point in rest)] * bool(rest)
    wanted = np.array([expected[point] for point in often] + [sum(expected[p] for p in rest)] * bool(rest))
    assert len(observed) > 3 and chisquare(observed, DRAWS * wanted / wanted.sum()).pvalue > 0.001
    assert sum(count > 0 for count in drawn.values()) > 3


@pytest.mark.parametrize("name", ["rollout", "tree", "sl"])
def test_the_greedy_take_the_most_probable_move(new_player, name):
    position, player = Position(5).play("C3").play("C4").play("D4"), new_player[name](greedy=True)
    decisions = [player.decide(position) for _ in range(20)]
    assert {decision.move for decision in decisions} == {decisions[0].candidates[0].point}
    assert decisions[0].why == decisions[0].candidates[0].why


@pytest.mark.parametrize("name", PLAYERS)
def test_players_pass_when_only_eyes_are_left(new_player, name):
    position = Position.from_text(EYES_ONLY, to_move=BLACK)
    assert len(position.legal_moves()) == 3
    decision = new_player[name]().decide(position)
    assert decision == Decision(PASS, "no sensible move is left", [])
    assert new_player[name]().decide(Position.from_text(EYES_ONLY, to_move=WHITE)).move == PASS  # suicide only


@pytest.mark.parametrize("name", PLAYERS)
def test_players_pass_after_a_pass_if_that_wins(new_player, name):
    ahead = Position(5, komi=0.5).play("C3").play("pass")
    decision = new_player[name]().decide(ahead)
    assert decision.move == PASS and "the opponent passed" in decision.why and len(decision.candidates) > 10
    for komi in (30, 25):  # behind, and drawn: black has the whole board
        behind = Position(5, komi=komi).play("C3").play("pass")
        assert new_player[name]().decide(behind).move != PASS
    for komi, wins in ((30, True), (-30, False)):  # the same for white
        position = Position(5, komi=komi).play("C3").play("D3").play("pass")
        assert (new_player[name]().decide(position).move == PASS) == wins
    not_passed = Position(5, komi=0.5).play("C3").play("A1")
    assert new_player[name]().decide(not_passed).move != PASS


@pytest.mark.parametrize("name", PLAYERS)
def test_no_move_that_ko_or_superko_forbids_is_a_candidate(new_player, name):
    position = Position.from_text(KO).play("C4")
    retake = position.point("B4")
    assert position.ko == retake
    assert retake not in [candidate.point for candidate in new_player[name]().decide(position).candidates]
    position.play("E1").play("A1")
    assert position.ko is None
    assert retake in [candidate.point for candidate in new_player[name]().decide(position).candidates]


@pytest.mark.parametrize("name", PLAYERS)
def test_no_position_is_repeated_after_passes_that_lift_the_ko(new_player, name, policy):
    position = Position.from_text(KO).play("C4").play("pass").play("pass")
    retake = position.point("B4")
    assert position.ko is None and "superko" in position.why_illegal(retake)
    candidates = new_player[name]().decide(position).candidates
    assert retake not in [candidate.point for candidate in candidates] and len(candidates) > 10
    if name == "sl":  # the network knows nothing of superko, so what it gives to that move is missing
        missing = policy.of_positions([position])[0][points_of(5).tolist().index(retake)]
        assert 0 < missing == pytest.approx(1 - sum(candidate.probability for candidate in candidates), abs=1e-5)
    position.superko = False
    assert retake in [candidate.point for candidate in new_player[name]().decide(position).candidates]


def test_the_random_player_has_no_favourites():
    decision = RandomPlayer().decide(Position(5).play("C3"))
    assert {candidate.probability for candidate in decision.candidates} == {1 / 24}
    assert decision.why == "by lot among 24"
    assert sorted(candidate.point for candidate in decision.candidates) == sensible_moves(Position(5).play("C3"))


def test_the_reasons_of_the_rollout_player_are_features_with_their_weights(models):
    decision = RolloutPlayer(models["rollout"], greedy=True).decide(Position(9).play("E5").play("E4"))
    assert any("neighbour" in candidate.why for candidate in decision.candidates)
    assert all(len(candidate.why.split(", ")) <= 3 for candidate in decision.candidates)
    weight = models["rollout"].weights[models["rollout"].first("save atari")]
    saving = RolloutPlayer(models["rollout"]).decide(
        Position(9).play("E5").play("E4").play("A1").play("D5").play("A2").play("F5")
    )
    assert any(f"save atari {weight:+.2f}" in candidate.why for candidate in saving.candidates)


def test_the_candidates_of_the_network_have_its_probabilities(policy):
    position = Position(5).play("C3").play("C4").play("D4")
    for symmetries in ((0,), ALL_SYMMETRIES):
        chances = dict(zip(points_of(5).tolist(), policy.of_positions([position], symmetries)[0].tolist(), strict=True))
        found = candidates_of(policy, position, symmetries)
        assert {c.point: c.probability for c in found} == pytest.approx({p: c for p, c in chances.items() if c > 0})
        player = PolicyPlayer(policy, symmetries=symmetries)
        assert player.decide(position).candidates == found
        assert found[0].why == f"policy network {100 * max(chances.values()):.1f}%"
    assert PolicyPlayer(policy, greedy=True).name == "sl, greedy"
    with pytest.raises(UserError, match="This network plays on 5x5 only"):
        PolicyPlayer(policy).decide(Position(9))


def test_a_network_of_all_legal_moves_may_fill_its_eyes():
    position = Position.from_text(EYES_ONLY, to_move=BLACK)
    player = PolicyPlayer(Network(random_weights(5, moves="legal")))
    assert len(player.decide(position).candidates) == 3 and player.decide(position).move != PASS


def test_probabilities_that_do_not_add_up_are_shared_out():
    position, rng = Position(5), np.random.default_rng(1)
    first, second = position.point("A1"), position.point("B1")
    candidates = [Candidate(first, 0.06, "often"), Candidate(second, 0.02, "seldom")]
    moves = [decided(position, candidates, rng).move for _ in range(DRAWS)]
    assert 0.65 < moves.count(first) / DRAWS < 0.85 and moves.count(first) + moves.count(second) == DRAWS
    assert decided(position, candidates, rng, greedy=True) == Decision(first, "often", candidates)


def test_a_player_starts_without_torch(tmp_path):
    random_weights(5).save(tmp_path / "network.safetensors")
    program = (
        "import sys; from pathlib import Path; from go import Position; from nets import Network; "
        "from sl_policy.player import PolicyPlayer; player = PolicyPlayer(Network.load(Path(sys.argv[1]))); "
        "print(player.decide(Position(5)).move > 0, 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "network.safetensors")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True False\n", done.stderr
