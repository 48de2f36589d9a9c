"""Drawing positions to learn from: each once an epoch, in any symmetry, with the move that was played there."""

import numpy as np
import pytest
from conftest import store_of
from random_games import random_record

from data.identity import SPLITS, TEST, TRAIN
from data.positions import PositionSampler, learnable_moves
from data.record import to_sgf
from data.replay import decode_move
from go.board import BLACK, WHITE
from go.coordinates import PASS, symmetry_table
from pipeline.errors import UserError


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store whose random games hold passes, too."""
    games = [to_sgf(random_record(5, 60, seed)) for seed in range(40)]
    return store_of(tmp_path_factory.mktemp("store"), games, 5)


def test_every_move_but_a_pass_is_drawn_once_an_epoch(store):
    for split, number in SPLITS.items():
        expected = {
            (game, ply)
            for game in range(len(store))
            if store.games["split"][game] == number
            for ply, code in enumerate(store.record(game).moves)
            if decode_move(code)[1] != PASS
        }
        sampler = PositionSampler(store, split, seed=3)
        assert len(sampler) == len(expected) > 0
        batches = [sampler.batch(n, 7) for n in range(-(-len(sampler) // 7))]
        drawn = [pair for batch in batches for pair in zip(batch.games.tolist(), batch.plies.tolist(), strict=True)]
        assert set(drawn[: len(sampler)]) == expected and len(set(drawn[: len(sampler)])) == len(sampler)


def test_the_move_is_turned_with_the_board_and_legal_there(store):
    drawn = PositionSampler(store, "train", seed=1).batch(0, 300)
    boards = store.boards(drawn.games, drawn.plies, drawn.symmetries)
    assert set(drawn.symmetries.tolist()) == set(range(8))
    for game, ply, symmetry, move, board in zip(*drawn, boards, strict=True):
        color, point = decode_move(store.record(game).moves[ply])
        assert move == symmetry_table(5)[symmetry, point]
        assert board["color"][move] == 0 and board["to_move"] == color
        after = store.boards([game], [ply + 1], [symmetry])[0]
        assert after["color"][move] == color


def test_batches_depend_on_seed_and_number_alone(store):
    sampler = PositionSampler(store, "train", seed=5)
    later = [sampler.batch(number, 64) for number in (40, 3, 0)]
    fresh = [PositionSampler(store, "train", seed=5).batch(number, 64) for number in (40, 3, 0)]
    for one, other in zip(later, fresh, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert (PositionSampler(store, "train", seed=6).batch(0, 64).games != later[2].games).any()
    assert not PositionSampler(store, "train", symmetric=False).batch(0, 64).symmetries.any()


def test_a_batch_may_be_larger_than_the_part(store):
    sampler = PositionSampler(store, "test")
    drawn = sampler.batch(1, 2 * len(sampler) + 3)
    counts = np.unique(np.stack([drawn.games, drawn.plies]), axis=1, return_counts=True)[1]
    assert len(drawn.games) == 2 * len(sampler) + 3 and counts.min() >= 1 and counts.max() <= 4


def test_only_the_sides_to_learn_from_are_drawn(tmp_path):
    games = [
        b"(;SZ[5]BR[3d]WR[9k];B[aa];W[bb];B[cc];W[];B[dd])",
        b"(;SZ[5]BR[9k]WR[3d];B[aa];W[bb];B[cd];W[de];B[ae])",
        b"(;SZ[5]BR[3d]WR[3d];B[ab];W[bb];B[cd];W[de];B[ae])",
    ]
    store = store_of(tmp_path, games, 5, shares=(0, 0), learn="stronger")
    assert store.games["learn"].tolist() == [BLACK, WHITE, BLACK + WHITE]
    assert learnable_moves(store, TRAIN).tolist() == [0, 2, 4, 6, 8, *range(10, 15)]
    with pytest.raises(UserError, match=r"The test part of the store in .* has no positions"):
        PositionSampler(store, "test")
    assert len(learnable_moves(store, TEST)) == 0
    for number, size in ((-1, 5), (0, 0), (0, -1)):
        with pytest.raises(UserError, match="There is no batch"):
            PositionSampler(store, "train").batch(number, size)
    with pytest.raises(UserError, match="split=all is none of train, validation, test"):
        PositionSampler(store, "all")
