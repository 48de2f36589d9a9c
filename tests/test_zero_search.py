"""Searches in lockstep: against a slow search of the same game, closed forms, and trees made by hand."""

import math

import numpy as np
import pytest
from zero_reference import FormulaNetwork, SlowGame, softmax

from go import Position
from go.board import BLACK, WHITE
from go.coordinates import PASS
from go.player import RESIGN, Decision
from go.playout import new_rng
from nets.actions import points_of
from nets.network import Answers
from zero.games import CUT, NEVER, PASSED, RESIGNED, Terms
from zero.noise import gumbel, log_gamma_variate, mix_dirichlet, normal, uniform
from zero.rules import (
    GUMBEL,
    INVERTED_SIGN,
    NO_DEFECT,
    PUCT,
    Rule,
    best_improved,
    best_puct,
    mixed_value,
    policy_target,
    root_value,
    visit_plan,
)
from zero.self_play import CHECKED, NEARLY_LOST, Lockstep, is_check_game, resign_threshold
from zero.tree import NONE, back_up, keep_subtree, new_trees, tree_of

PUCT_RULE = Rule(PUCT, simulations=24, c_puct=1.5, noise=0.25, reuse=True)
RULES = {
    "agz": PUCT_RULE,
    "mini_alphago": Rule(PUCT, simulations=20, c_puct=1.5, noise=0.25, noise_alpha=0.3),
    "gumbel": Rule(GUMBEL, simulations=16, considered=6, c_visit=5.0),
    "gumbel, as in the paper": Rule(GUMBEL, simulations=8, considered=16),
    "gumbel with quick searches": Rule(GUMBEL, simulations=16, considered=6, c_visit=5.0, fast=3, full_share=0.4),
    "puct with quick searches": PUCT_RULE._replace(fast=4, full_share=0.4),
}


def played(network, rule, size=3, count=4, places=2, seed=(7,), **terms):
    games = Lockstep(size, rule, Terms(**{"komi": 0.5, "limit": 2 * size**2, "sampled_moves": 4} | terms), places)
    records = games.play(range(count), seed, lambda number: (network, network))
    return sorted(records, key=lambda record: record.number)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("size", [3, 4])
def test_games_are_those_of_a_slow_search(name, size):
    """Moves, policy targets and values of whole games: priors, legality, selection, backup, reuse, ends of games."""
    network, rule = FormulaNetwork(size, seed=size), RULES[name]
    endings, full, spread = set(), [], 0.0
    for record in played(network, rule, size):
        slow = SlowGame(network, rule, size, 0.5, 2 * size**2, 4, 7, record.number)
        slow.play()
        assert record.moves.tolist() == slow.moves
        assert np.allclose(record.targets, slow.targets, atol=2e-3)
        assert np.allclose(record.values, slow.values, atol=2e-3)
        assert record.outcome == np.sign(slow.position.score()) and record.margin == slow.position.score()
        assert record.ending == (PASSED if slow.position.is_over else CUT)
        owners = slow.position.owners().reshape(-1)
        assert np.array_equal(record.owners, (owners == BLACK).astype(int) - (owners == WHITE))
        endings.add(record.ending)
        full += record.targets.any(axis=1).tolist()
        spread = max(spread, np.ptp(record.targets, axis=1).max())
    assert endings <= {PASSED, CUT} and spread > 0.1
    assert 0.2 < np.mean(full) < 0.6 if rule.fast else all(full)


def test_a_game_depends_neither_on_the_others_nor_on_their_number():
    network = FormulaNetwork(3)
    alone = played(network, PUCT_RULE, count=5, places=1)
    for places in (2, 5, 8):
        for one, other in zip(alone, played(network, PUCT_RULE, count=5, places=places), strict=True):
            assert np.array_equal(one.moves, other.moves) and np.array_equal(one.targets, other.targets)
    assert len({record.moves.tobytes() for record in alone}) == 5


def test_superko_holds_in_self_play():
    """On 2x2, nearly every capture would repeat a position sooner or later."""
    network = FormulaNetwork(2, spread=0.1)
    network.bias[-1] = -6  # passes little
    captures = 0
    for record in played(network, Rule(PUCT, simulations=8), size=2, count=12, limit=30, sampled_moves=30):
        position = Position(2, 0.5)  # refuses moves against superko
        for move in record.moves.tolist():
            before = (position.colors > 0).sum()
            position.play(move)
            captures += (position.colors > 0).sum() < before
    assert captures > 10


class Bandit:
    """A network that says what each first move is worth, and has the same scores everywhere."""

    has_pass = True

    def __init__(self, scores, worth, root):
        self.scores, self.worth, self.root = np.asarray(scores, np.float32), worth, root

    def answer(self, boards, history, symmetries, wants=None):
        values = [self.root if board["ply"] == 0 else -self.worth[self.first(past)] for board, past in
                  zip(boards, history, strict=True)]  # fmt: skip
        return Answers(np.repeat(self.scores[None], len(boards), 0), np.array(values, np.float32))

    def first(self, past):
        move = int(past["recent"][0])
        return 9 if move == PASS else int(np.flatnonzero(points_of(3) == move)[0])


SCORES = np.array([0.3, -1, 2, 0, 1, -0.5, 0.1, 0.9, -2, -0.3])
WORTH = np.array([0.1, 0.9, -0.2, 0.4, -0.9, 0.0, 0.3, -0.1, 0.8, -0.4])


def bandit_targets(rule, count=1, sampled=10):
    games = Lockstep(3, rule, Terms(0.5, 2, sampled), min(count, 50))
    network = Bandit(SCORES, WORTH, 0.25)
    return list(games.play(range(count), (3,), lambda number: (network, network)))


def test_the_improved_policy_of_a_bandit_is_its_closed_form():
    """Every move is tried once, so its value is known: pi' = softmax(logits + (c_visit + 1) c_scale q)."""
    for c_visit, c_scale in ((50.0, 1.0), (3.0, 0.5)):
        rule = Rule(GUMBEL, simulations=10, considered=10, c_visit=c_visit, c_scale=c_scale)
        record = bandit_targets(rule)[0]
        expected = softmax(SCORES + (c_visit + 1) * c_scale * (WORTH + 1) / 2)
        assert np.allclose(record.targets[0], expected, atol=1e-3)
        assert record.values[0] == pytest.approx((0.25 + WORTH.sum()) / 11, abs=1e-3)


def test_moves_that_were_not_tried_get_the_mixed_value():
    rule = Rule(GUMBEL, simulations=4, considered=4, c_visit=6.0)
    record = bandit_targets(rule, sampled=0)[0]  # without noise, the four moves with the highest scores are tried
    prior, tried = softmax(SCORES), np.argsort(-SCORES)[:4]
    mean = (prior[tried] * WORTH[tried]).sum() / prior[tried].sum()
    completed = np.full(10, (0.25 + 4 * mean) / 5)
    completed[tried] = WORTH[tried]
    assert np.allclose(record.targets[0], softmax(SCORES + 7 * (completed + 1) / 2), atol=1e-3)
    best = tried[(SCORES + 7 * (WORTH + 1) / 2)[tried].argmax()]
    assert record.moves[0] == points_of(3)[best]


def test_with_one_simulation_gumbel_samples_from_the_policy():
    records = bandit_targets(Rule(GUMBEL, simulations=1), 3_000)
    actions = [9 if record.moves[0] == PASS else int(np.flatnonzero(points_of(3) == record.moves[0])[0])
               for record in records]  # fmt: skip
    shares, expected = np.bincount(actions, minlength=10) / 3_000, softmax(SCORES)
    assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / 3_000)
    surprise = 3_000 * ((shares - expected) ** 2 / expected).sum()
    assert surprise < 33.7  # chi-squared with 9 degrees of freedom: one in ten thousand is above


def test_sequential_halving_finds_the_best_move_more_often_than_the_policy_would():
    """The improvement that Danihelka et al. prove: the value of the chosen move is above that of the policy."""
    rule = Rule(GUMBEL, simulations=16, considered=8, c_visit=50)
    chosen = [WORTH[9 if r.moves[0] == PASS else int(np.flatnonzero(points_of(3) == r.moves[0])[0])]
              for r in bandit_targets(rule, 300)]  # fmt: skip
    assert np.mean(chosen) > 0.5 > (softmax(SCORES) * WORTH).sum() + 0.3


def test_the_plan_of_sequential_halving_shares_out_the_simulations():
    assert visit_plan(4, 16) == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert visit_plan(8, 24) == [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]
    assert visit_plan(1, 5) == [0, 1, 2, 3, 4] and visit_plan(2, 5) == [0, 0, 1, 1, 2] and visit_plan(5, 3) == [0] * 3
    for candidates in range(1, 20):
        for simulations in range(1, 40):
            plan = visit_plan(candidates, simulations)
            assert len(plan) == simulations and plan == sorted(plan)
            counts = np.bincount(plan)
            assert counts[0] == min(candidates, simulations) and (np.diff(counts) <= 0).all()


def hand_made(actions=3, nodes=6):
    trees = new_trees(1, nodes, actions)
    t = tree_of(trees, 0)
    t.child[:] = NONE
    t.logit[:] = np.log(1 / actions)
    t.prior[:] = 1 / actions
    return t


@pytest.mark.parametrize(("defect", "sign"), [(NO_DEFECT, 1), (INVERTED_SIGN, -1)])
def test_values_change_sign_from_move_to_move(defect, sign):
    """A leaf that is good for its side to move is bad for whoever moved there."""
    t = hand_made()
    nodes, actions = np.array([0, 1, 2], np.int32), np.array([2, 0, 1], np.int32)
    back_up(t, nodes, actions, 3, 0.75, defect)
    back_up(t, nodes, actions, 1, 0.5, defect)
    assert [t.w[0, 2], t.w[1, 0], t.w[2, 1]] == [sign * (-0.75 - 0.5), sign * 0.75, sign * -0.75]
    assert t.n.sum() == 4 and t.n[0, 2] == 2


def test_puct_by_hand():
    t = hand_made()
    t.prior[0], t.n[0], t.w[0] = (0.5, 0.3, 0.2), (4, 1, 0), (1.0, 0.9, 0.0)
    u = 1.5 * np.array([0.5, 0.3, 0.2]) * math.sqrt(5) / (1 + np.array([4, 1, 0]))
    assert best_puct(t, 0, 1.5) == (np.array([0.25, 0.9, 0.0]) + u).argmax() == 1
    t.logit[0, 1] = -np.inf  # not legal
    assert best_puct(t, 0, 1.5) == 2
    t.value[0] = 0.5
    assert root_value(t) == pytest.approx((0.5 + 1.9) / 6)
    target = np.zeros(3)
    policy_target(t, Rule(PUCT), target)
    assert target.tolist() == [0.8, 0.2, 0.0]


def test_gumbel_below_the_root_follows_the_improved_policy_without_chance():
    t = hand_made()
    t.value[1], t.n[1], t.w[1] = 0.2, (2, 0, 1), (0.8, 0.0, -0.5)
    mixed = (0.2 + 3 * (0.4 - 0.5) / 2) / 4
    assert mixed_value(t, 1) == pytest.approx(mixed)
    completed = np.array([0.4, mixed, -0.5])
    improved = softmax(np.log([1 / 3] * 3) + (1 + 2) * 2 * (completed + 1) / 2)
    behind = improved - np.array([2, 0, 1]) / 4
    assert best_improved(t, 1, 1.0, 2.0, np.zeros(3)) == behind.argmax() == 1


def test_what_is_kept_of_a_tree_is_the_subtree_and_nothing_else():
    t = hand_made(nodes=8)
    links = {1: (0, 0), 2: (0, 1), 3: (1, 2), 4: (2, 0), 5: (2, 2), 6: (4, 1)}
    t.parent[0] = NONE
    for node, (parent, action) in links.items():
        t.child[parent, action], t.parent[node] = node, parent
    for node in range(7):
        t.value[node], t.n[node], t.w[node] = node / 10, node, -node
    t.used[0] = 7
    keep_subtree(t, 2)
    assert t.used[0] == 4  # 2, 4, 5, 6 become 0, 1, 2, 3
    assert [round(10 * float(value)) for value in t.value[:4]] == [2, 4, 5, 6]
    assert t.child[0].tolist() == [1, NONE, 2] and t.child[1].tolist() == [NONE, 3, NONE]
    assert t.parent[:4].tolist() == [NONE, 0, 0, 1] and t.n[:4, 0].tolist() == [2, 4, 5, 6]


def test_noise_has_the_distributions_that_it_is_named_after():
    rng, count = new_rng(5), 20_000
    assert np.mean([uniform(rng) for _ in range(count)]) == pytest.approx(0.5, abs=0.01)
    normals = np.array([normal(rng) for _ in range(count)])
    assert normals.mean() == pytest.approx(0, abs=0.04) and normals.std() == pytest.approx(1, abs=0.03)
    gumbels = np.array([gumbel(rng) for _ in range(count)])
    assert gumbels.mean() == pytest.approx(0.5772, abs=0.05) and gumbels.var() == pytest.approx(math.pi**2 / 6, abs=0.1)
    for alpha in (0.1, 0.5, 3.0):  # the mean of a gamma variate is alpha, and so is its variance
        drawn = np.exp([log_gamma_variate(alpha, rng) for _ in range(count)])
        assert drawn.mean() == pytest.approx(alpha, rel=0.1) and drawn.var() == pytest.approx(alpha, rel=0.2)


def test_dirichlet_noise_is_shared_among_the_legal_moves():
    rng, logit = new_rng(6), np.array([-1.0, -np.inf, -1.0, -1.0, -1.0])
    drawn = []
    for _ in range(4_000):
        prior = np.array([0.4, 0.0, 0.3, 0.2, 0.1])
        mix_dirichlet(prior, logit, 0.25, 0.3, rng)
        assert prior.sum() == pytest.approx(1) and prior[1] == 0
        drawn.append((prior - 0.75 * np.array([0.4, 0.0, 0.3, 0.2, 0.1])) / 0.25)
    eta = np.array(drawn)[:, [0, 2, 3, 4]]
    assert np.allclose(eta.mean(0), 0.25, atol=0.02)  # Dir(0.3): mean 1/4, variance (1/4)(3/4) / (4 * 0.3 + 1)
    assert np.allclose(eta.var(0), 0.1875 / 2.2, atol=0.01)


class Scripted:
    """A player with a list of moves; then it resigns."""

    name = "scripted"

    def __init__(self, *moves):
        self.moves = list(moves)

    def decide(self, position):
        return Decision(position.point(self.moves.pop(0)) if self.moves else RESIGN, "", [])


def test_other_players_move_where_they_are_asked():
    network, player = FormulaNetwork(3), Scripted("B2", "A1")
    games = Lockstep(3, Rule(PUCT, simulations=8), Terms(0.5, 18, 0), 1)
    record = next(games.play([0], (1,), lambda number: (player, network)))
    position = Position(3)
    assert record.moves[0] == position.point("B2") and record.moves[2] == position.point("A1")
    assert record.ending == RESIGNED and record.outcome == -1 and len(record.moves) == 4
    assert not record.targets[0].any() and record.targets[1].sum() == pytest.approx(1, abs=1e-3)


def test_a_lost_game_is_resigned_unless_it_is_played_on_to_check_that():
    class Hopeless(FormulaNetwork):
        def answer(self, boards, history, symmetries, wants=None):
            scores = super().answer(boards, history, symmetries).scores
            return Answers(scores, np.where(boards["to_move"] == BLACK, -0.9, 0.9).astype(np.float32))

    network = Hopeless(3)
    for threshold, may, ending in (
        (-0.8, True, RESIGNED),
        (-0.8, False, None),
        (-0.95, True, None),
        (NEVER, True, None),
    ):
        games = Lockstep(3, Rule(PUCT, simulations=2), Terms(0.5, 18, 18, threshold), 2)
        for record in games.play(range(4), (1,), lambda number: (network, network), lambda number, may=may: may):
            assert record.could_resign == may and record.lowest[0] < -0.8 < record.lowest[1]
            if ending == RESIGNED:
                assert record.ending == RESIGNED and record.outcome == -1 and len(record.moves) == 0
            else:
                assert record.ending in (PASSED, CUT)


def test_the_threshold_lets_through_the_share_of_wrong_resignations_that_it_is_told():
    lowest = np.linspace(-1, -0.81, 100)
    for share in (0.0, 0.05, 0.2):
        threshold = resign_threshold(lowest, share, 40)
        assert (lowest < threshold).mean() <= share < (lowest <= threshold).mean()
    assert resign_threshold(lowest[:39], 0.05, 40) == NEVER
    assert resign_threshold(np.full(50, -0.1), 0.05, 40) == NEARLY_LOST  # as after the first games, which know nothing
    older, newer = np.full(CHECKED, -0.1), np.full(CHECKED, -0.9)
    assert resign_threshold(np.concatenate([older, newer]), 0.05, 40) == -0.9


def test_the_games_that_are_played_on_are_evenly_spread():
    checked = [number for number in range(1_000) if is_check_game(number, 0.1)]
    assert len(checked) == 100 and set(np.diff(checked).tolist()) == {10}
    assert not any(is_check_game(number, 0) for number in range(50))
    assert all(is_check_game(number, 1) for number in range(50))
