"""Playouts by pattern policies: chances kept move by move are those of the softmax, moves are drawn, games end."""

import numpy as np
import pytest
from conftest import store_of
from random_games import random_record

from data.record import to_sgf
from go import BLACK, EMPTY, PASS, WHITE, Position
from go.board import BOARD, LEGAL, is_eye, legality
from go.coordinates import POINTS
from go.jit import kernel
from go.playout import GAME, new_rng, random_games, random_move
from rollout.features import find_candidates, new_candidates
from rollout.flat import FlatPlayer
from rollout.games import Games, new_replay
from rollout.gammas import MOST_GAMMA, UNIT, is_sensible, new_gammas, pack, unpack
from rollout.harvest import harvest
from rollout.model import Model
from rollout.patterns import SQUARE_STEPS, code_around
from rollout.playout import new_policy, new_workspace, policy_games
from rollout.replies import new_replies, recall, remember
from rollout.sampler import SAMPLER, begin_sampling, find_special, play_and_refresh, sample_move
from rollout.softmax import score
from rollout.tracker import TRACKER


def harvested(tmp_path, tree: bool = False, sizes: tuple[int, ...] = (9,)) -> Model:
    """A model with patterns of random games and random weights."""
    games = [to_sgf(random_record(size, 60, seed)) for size in sizes for seed in range(60)]
    store = store_of(tmp_path, games, sizes[0], shares=(0, 0))
    found = harvest(Games(store.games, store.moves, store.setup, store.empty), np.arange(len(store)), new_replay())
    model = Model.untrained(found.squares, found.responses, found.places, found.diamonds if tree else None)
    model.weights[:] = np.random.default_rng(3).normal(0, 0.8, len(model.weights))
    model.weights[:10] = [0.7, 2.0, 1.5, 1.2, 1.4, 1.1, 1.3, 1.0, 1.6, 0.9]
    return model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return harvested(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def gammas(model):
    return new_gammas(model)


@kernel
def _count_differences(boards, trackers, samplers, squares, rng):
    """Play a game; compare what is kept with what is found anew after every move. Return differences and moves."""
    b = boards[0]
    begin_sampling(b, trackers[0], samplers[0], squares)
    differences, moves = 0, 0
    while b.passes < 2 and moves < 1000:
        play_and_refresh(b, trackers[0], samplers[0], squares, random_move(b, rng))
        begin_sampling(b, trackers[1], samplers[1], squares)
        kept, found = samplers[0], samplers[1]
        for side in range(2):
            differences += kept.total[side] != found.total[side]
            differences += kept.n_atari[side] != found.n_atari[side]
            for row in range(b.rows):
                differences += kept.row[side, row] != found.row[side, row]
            for p in range(POINTS):
                differences += kept.gamma[side, p] != found.gamma[side, p]
                differences += (kept.place[side, p] == 0) != (found.place[side, p] == 0)
                if b.color[p] == EMPTY:
                    differences += trackers[0].code[p] != trackers[1].code[p]
        moves += 1
    return differences, moves


@pytest.mark.parametrize(("size", "games"), [(2, 300), (3, 300), (5, 300), (7, 200), (9, 600), (13, 200), (19, 200)])
def test_what_is_kept_is_what_is_found_anew_after_every_move(gammas, size, games):
    trackers, samplers, total = np.zeros(2, TRACKER), np.zeros(2, SAMPLER), 0
    for game in range(games):
        boards = Position(size).boards
        differences, moves = _count_differences(boards, trackers, samplers, gammas.squares, new_rng(size, game))
        assert differences == 0
        total += moves
    assert total > 3 * size * games / 2


def test_the_pattern_alone_tells_what_is_sensible():
    rng = new_rng(5)
    sensible = refused = 0
    for size in (2, 3, 5, 9, 19):
        for _ in range(40):
            position = Position(size, superko=False)
            for _ in range(int(size * size * 0.9)):
                position.play(random_move(position.board, rng))
            b = position.board
            for p in np.flatnonzero(b["color"] == EMPTY).tolist():
                if p == b["ko"]:
                    continue
                code = code_around(b, p, SQUARE_STEPS)
                for color in (BLACK, WHITE):
                    expected = legality(b, p, color) == LEGAL and not is_eye(b, p, color)
                    assert is_sensible(code, color) == expected
                    sensible, refused = sensible + expected, refused + (not expected)
    assert sensible > 1000 and refused > 300


@kernel
def _chances(boards, trackers, samplers, gammas, last, scratch, chances):
    """Write the chance of every point, as the drawing sees it."""
    b, d = boards[0], samplers[0]
    side = np.int64(b.to_move) - 1
    find_special(
        b,
        trackers[0],
        d,
        gammas.response_keys,
        gammas.response_rows,
        gammas.near,
        gammas.save_atari,
        gammas.nakade_codes,
        gammas.nakade,
        last,
        scratch,
    )
    for p in range(POINTS):
        chances[p] = d.gamma[side, p] if d.which[p] == 0 else d.chance[d.which[p] - 1]


@kernel
def _candidates(boards, trackers, tables, last, weights, work, values):
    count = find_candidates(boards[0], trackers[0], tables, last, PASS, work)
    score(weights, work.features, count, values)
    return count


@kernel
def _begin(boards, trackers, samplers, squares):
    begin_sampling(boards[0], trackers[0], samplers[0], squares)


@kernel
def _play(boards, trackers, samplers, squares, move):
    play_and_refresh(boards[0], trackers[0], samplers[0], squares, move)


@kernel
def _draw(boards, trackers, samplers, gammas, last, scratch, rng):
    return sample_move(
        boards[0],
        trackers[0],
        samplers[0],
        gammas.response_keys,
        gammas.response_rows,
        gammas.near,
        gammas.save_atari,
        gammas.nakade_codes,
        gammas.nakade,
        last,
        scratch,
        rng,
    )


def positions_with_chances(model, gammas, size: int, seed: int):
    """Yield the positions of a random game with the chances of the drawing and those of the softmax, by point."""
    tables, weights, work = model.tables(), model.weights.astype(np.float64), new_candidates()
    boards, rng = Position(size).boards, new_rng(9, size, seed)
    trackers, samplers, scratch = np.zeros(1, TRACKER), np.zeros(1, SAMPLER), np.zeros(1, BOARD)
    _begin(boards, trackers, samplers, gammas.squares)
    last = PASS
    while boards[0]["passes"] < 2:
        kept, values = np.zeros(POINTS), np.zeros(361)
        _chances(boards, trackers, samplers, gammas, last, scratch, kept)
        count = _candidates(boards, trackers, tables, last, weights, work, values)
        expected = np.zeros(POINTS)
        expected[work.points[:count]] = values[:count]
        yield boards, trackers, samplers, scratch, last, kept / max(kept.sum(), 1), expected
        last = int(random_move(boards[0], rng))
        _play(boards, trackers, samplers, gammas.squares, last)


@pytest.mark.parametrize("size", [5, 9, 19])
def test_the_chances_are_those_of_the_softmax(model, gammas, size):
    """But for rounding: the table has twelve bits, and a factor is a whole number of 4096ths."""
    compared = 0
    for seed in range(3):
        for *_, kept, expected in positions_with_chances(model, gammas, size, seed):
            assert (kept > 0).tolist() == (expected > 0).tolist()
            assert np.abs(kept - expected).max() < 2e-3
            compared += 1
    assert compared > 10 * size


def test_moves_are_drawn_with_their_chances_and_not_the_best_taken(model, gammas):
    """To take the best move is a common fault. A chi-square test, and no position is always answered alike."""
    tested = 0
    for number, (boards, trackers, samplers, scratch, last, _, expected) in enumerate(
        positions_with_chances(model, gammas, 9, 1)
    ):
        if number % 12 != 5 or (expected > 0).sum() < 5:
            continue
        rng, draws = new_rng(77, number), 20_000
        drawn = np.bincount(
            [_draw(boards, trackers, samplers, gammas, last, scratch, rng) for _ in range(draws)], minlength=POINTS
        )
        assert drawn[expected == 0].sum() == 0
        common = expected * draws >= 10
        chi = ((drawn[common] - expected[common] * draws) ** 2 / (expected[common] * draws)).sum()
        freedom = common.sum() - 1
        assert chi < freedom + 5 * np.sqrt(2 * freedom) + 5
        assert drawn.max() < draws
        tested += 1
    assert tested >= 4


def test_gammas_are_packed_to_twelve_bits():
    values = np.unique(np.concatenate([np.arange(5000), np.random.default_rng(1).integers(0, MOST_GAMMA, 2000)]))
    unpacked = np.array([unpack(value) for value in pack(values)])
    assert (unpacked[values < 4096] == values[values < 4096]).all()
    assert np.abs(unpacked / np.maximum(values, 1) - 1)[1:].max() < 1 / 4096
    assert unpack(pack(np.array([UNIT]))[0]) == UNIT


@pytest.mark.parametrize("kind", ["uniform", "rollout", "tree"])
def test_games_end_by_themselves_and_fill_no_eyes(tmp_path, model, kind):
    policy = new_policy({"uniform": None, "rollout": model, "tree": None}[kind])
    if kind == "tree":
        policy = new_policy(harvested(tmp_path, tree=True))
    living = Position.from_text(
        """
        . X . X . O . O .
        X X X X . O O O O
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    games, owned = policy_games(living, 60, policy, new_rng(4))
    assert (games["moves"] < 800).all() and (games["passes"] >= 2).all()
    assert len(set(games["margin"].tolist())) > 5  # no two games need be alike
    corner = [living.point("A9"), living.point("C9")]
    assert (owned[BLACK, corner] == 60).all() and owned[WHITE, living.point("J9")] == 60


def test_the_uniform_policy_is_the_uniform_playout():
    position = Position(9).play("E5").play("C3")
    ours, _ = policy_games(position, 50, new_policy(None), new_rng(8))
    theirs, _ = random_games(position.boards, 50, new_rng(8))
    assert (ours == theirs).all()


def test_a_stored_reply_is_played_with_its_chance(model):
    position = Position(9).play("E5").play("C3").play("G7")
    work, replies = new_workspace(), new_replies(10)
    work.board[0] = position.board
    _begin(work.board, work.tracker, work.sampler, np.ones((1 << 24, 2), np.uint16))
    last, before, reply = (position.point(vertex) for vertex in ("G7", "C3", "G5"))
    assert _recalled(replies, work.board, work.tracker, last, before) == PASS
    _remember(replies, work.board, work.tracker, last, before, reply)
    assert _recalled(replies, work.board, work.tracker, last, before) == reply
    other = Position(9).play("E5").play("E4").play("G7")  # where the move before has a neighbour
    elsewhere = np.zeros(1, TRACKER)
    _begin(other.boards, elsewhere, work.sampler, np.ones((1 << 24, 2), np.uint16))
    assert _recalled(replies, other.boards, elsewhere, last, other.point("E4")) == PASS
    firsts = {}
    for chance in (0.0, 0.5, 1.0):
        games, _ = policy_games(position, 600, new_policy(model, replies, chance), new_rng(3))
        firsts[chance] = (games["first"] == reply).mean()
    assert firsts[1.0] == 1 and firsts[0.0] < 0.3
    assert abs(firsts[0.5] - 0.5 * (1 + firsts[0.0])) < 0.08


@kernel
def _remember(replies, boards, trackers, last, before, move):
    remember(replies, boards[0], trackers[0], last, before, move)


@kernel
def _recalled(replies, boards, trackers, last, before):
    return recall(replies, boards[0], trackers[0], last, before)


@pytest.mark.parametrize(("color", "best"), [(BLACK, "C4"), (WHITE, "E2")])
def test_flat_monte_carlo_shares_out_its_playouts_and_takes_the_most_wins(monkeypatch, color, best):
    """With made-up games: black wins three of four after C4, one of four after E2, half of them elsewhere."""
    asked = []

    def made_up(position, count, policy, rng, work):
        asked.append(count)
        last = position.history[-1].point
        period = {position.point("C4"): (9, 9, 9, -9), position.point("E2"): (9, -9, -9, -9)}.get(last, (9, -9))
        games = np.zeros(count, GAME)
        games["margin"] = np.resize(period, count)
        return games, None

    monkeypatch.setattr("rollout.flat.policy_games", made_up)
    position = Position(5, komi=0.5).play("A1", color=BLACK + WHITE - color)
    decision = FlatPlayer(None, 1000, new_rng(1)).decide(position)
    assert decision.move == decision.candidates[0].point == position.point(best)
    assert decision.why.endswith("the most of 24 moves") and len(decision.candidates) == 24
    assert sum(asked) == 1000 and len(asked) == 24 and max(asked) - min(asked) <= 1
    full = Position.from_text("X . X\nX X X\nX X .\n", to_move=BLACK)
    assert FlatPlayer(None, 10, new_rng(1)).decide(full).move == PASS
