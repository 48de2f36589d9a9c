"""The samples of the value network are those of the paper's recipe: U, who moves, one position a game, the outcome."""

import numpy as np
import pytest
from scipy.stats import chisquare
from small_networks import random_weights
from small_samples import GAMES, KOMI, SIZE, moves_of, policies, sgfmill_board, slow_owners, small_samples, small_shard

from data.identity import SPLITS
from go.board import BLACK, WHITE, is_eye
from go.coordinates import PASS
from go.position import Position
from nets.actions import actions_of, points_of
from nets.inputs import Inputs
from pipeline.errors import UserError
from value_net.lessons import lessons_of, positions_of_games
from value_net.recipe import Recipe, StoppedError, play_shard, scaled_most_u
from value_net.samples import read_shard, write_shard


def likes(points: list[tuple[int, int]], seed: int):
    """A policy network that nearly always plays one of some points, if it can. The points are a symmetric set."""
    weights = random_weights(SIZE, planes=4, seed=seed)
    weights.tensors["scores.bias"][:] = 0
    for row, column in points:
        weights.tensors["scores.bias"][row * SIZE + column] = 1_000
    return weights


def test_u_goes_to_450_on_19x19_and_is_scaled_by_the_area():
    assert [scaled_most_u(size) for size in (19, 13, 9, 5)] == [450, 211, 101, 31]


def test_u_is_uniform_and_every_sample_has_one_of_its_own():
    """U drawn once a batch, or off by one. The kept U are uniform although long games are rare."""
    shards = [small_shard(number, games=600, most_u=12) for number in range(2)]
    u = np.concatenate([shard.u for shard in shards])
    assert u.min() == 1 and u.max() == 12
    assert chisquare(np.bincount(u, minlength=13)[1:]).pvalue > 0.001
    assert chisquare(np.bincount(u % 2)).pvalue > 0.001  # white is to move after an odd number of moves
    for shard in shards:
        for row in np.split(shard.u[:592], 37):  # those that were played side by side
            assert len(np.unique(row)) > 4


def test_the_move_at_u_is_uniform_over_the_board():
    shard = small_shard(games=600, most_u=1)
    first = actions_of(np.array([moves_of(shard, game)[0] for game in range(600)]), SIZE)
    assert (shard.u == 1).all() and chisquare(np.bincount(first, minlength=SIZE**2)).pvalue > 0.001


def test_the_move_at_u_may_be_any_legal_one_and_the_others_are_sensible():
    """Own eyes are filled at U, and only there."""
    filled = 0
    for number in range(2):
        shard = small_shard(number)
        for game in range(GAMES):
            moves, position = moves_of(shard, game), Position(SIZE, KOMI)
            for ply, move in enumerate(moves):
                fills = move != PASS and is_eye(position.board, int(move), position.to_move)
                assert move == PASS or position.is_legal(int(move))
                assert not fills or ply == shard.u[game] - 1
                assert move != PASS or ply != shard.u[game] - 1
                filled += bool(fills)
                position.play(int(move))
            assert position.is_over and len(moves) > shard.u[game]
    assert filled > 0


def test_the_sl_policy_plays_before_u_and_the_rl_policy_after_it():
    corners, centre = [(0, 0), (0, 4), (4, 0), (4, 4)], [(2, 2)]
    recipe = Recipe(KOMI, games=60, most_u=4, together=8, precision="float32")
    shard = play_shard(likes(corners, 1), likes(centre, 2), recipe, 1, 0)
    points = points_of(SIZE)
    is_corner = np.isin(np.arange(SIZE**2), [row * SIZE + column for row, column in corners])
    assert set(shard.u) == {1, 2, 3, 4}
    for game in range(60):
        moves, u = moves_of(shard, game), int(shard.u[game])
        assert is_corner[actions_of(moves[: u - 1], SIZE)].all()
        middle = points[12]
        assert moves[u - 1] == middle or moves[u] == middle  # the first move of the RL policy, if the centre is free


def test_results_and_owners_are_those_of_sgfmills_board():
    owners_seen = set()
    for number in range(2):
        shard = small_shard(number)
        for game in range(GAMES):
            board = sgfmill_board(moves_of(shard, game))
            assert board.area_score() == shard.margins[game]
            owners = slow_owners(board)
            assert (owners.reshape(-1) == shard.owners[game]).all()
            owners_seen |= set(owners.reshape(-1).tolist())
    assert {BLACK, WHITE} <= owners_seen


def test_a_shard_depends_on_the_seed_and_its_number_alone():
    recipe = Recipe(KOMI, games=40, together=16, precision="float32")
    first, again = (play_shard(*policies(), recipe, 5, 3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    for other in (play_shard(*policies(), recipe, 5, 4), play_shard(*policies(), recipe, 6, 3)):
        assert len(other.moves) != len(first.moves) or (other.moves != first.moves).any()
        assert (other.u != first.u).any() and not set(other.keys) & set(first.keys)


def test_games_that_end_before_u_are_counted_and_played_anew():
    shard = small_shard()
    assert scaled_most_u(SIZE) == shard.u.max() == 31
    assert shard.played_anew.sum() > 0 and shard.cut.sum() == 0
    assert shard.played_anew[shard.u > 25].mean() > shard.played_anew[shard.u < 10].mean() == 0
    short = small_shard(games=40, move_limit=40)
    assert short.cut.sum() > 0 and (short.lengths <= 40).all()


def test_work_on_a_shard_can_be_stopped():
    with pytest.raises(StoppedError):
        play_shard(*policies(), Recipe(KOMI, games=40), 1, 0, stop=lambda: True)


def test_a_shard_is_read_as_it_was_written_and_not_with_another_key(tmp_path):
    path, shard = tmp_path / "shards" / "0.safetensors", small_shard()
    assert read_shard(path, "key") is None
    write_shard(path, "key", shard)
    again = read_shard(path, "key")
    assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(shard, again, strict=True))
    assert read_shard(path, "another key") is None
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match="is damaged"):
        read_shard(path, "key")


def test_positions_of_one_game_are_never_in_two_parts(tmp_path):
    samples = small_samples(tmp_path)
    parts = {name: set(samples.part(name).tolist()) for name in SPLITS}
    assert sum(map(len, parts.values())) == len(set().union(*parts.values())) == 2 * GAMES
    assert all(30 < len(parts[name]) < 100 for name in ("validation", "test"))
    many = {name: positions_of_games(samples.store, samples.part(name), 3) for name in SPLITS}
    assert not set(many["train"].games.tolist()) & set(many["test"].games.tolist())
    assert all(len(np.unique(found.games)) * 3 == len(found) for found in many.values())


def test_the_outcome_is_that_of_the_player_to_move_at_the_stored_position(tmp_path):
    """Seen from the player before the random move. `Position` replays the game and counts it."""
    samples = small_samples(tmp_path)
    shards, seen = [small_shard(0), small_shard(1)], set()
    for part in SPLITS:
        lessons = lessons_of(samples, part)
        for place, game in enumerate(lessons.games):
            shard, number = shards[game // GAMES], game % GAMES
            moves, position = moves_of(shard, number), Position(SIZE, KOMI)
            for move in moves[: shard.u[number]]:
                position.play(int(move))
            to_move = position.to_move
            for move in moves[shard.u[number] :]:
                position.play(int(move))
            won = 1 if (position.score() > 0) == (to_move == BLACK) else -1
            assert lessons.plies[place] == shard.u[number] and lessons.to_move[place] == to_move
            assert lessons.outcomes[place] == won
            seen.add((to_move, won))
    assert len(seen) == 4


@pytest.mark.parametrize("symmetry", range(8))
def test_on_finished_boards_owners_and_outcomes_agree_with_the_planes(tmp_path, symmetry):
    """Both colours, all symmetries: own stones stand on own points, and whoever owns more by komi has won."""
    samples = small_samples(tmp_path)
    lessons = lessons_of(samples, "train")
    lessons.plies = np.asarray(samples.store.games["n_moves"][lessons.games], np.int64)
    ended = type(lessons)(samples.store, lessons.games, lessons.plies, samples.owners)
    batch = ended.batch(Inputs(49), np.arange(len(ended)), np.full(len(ended), symmetry))
    own, other, black = batch.planes[:, 0], batch.planes[:, 1], batch.planes[:, 48]
    assert (batch.owners[own == 1] == 1).all() and (batch.owners[other == 1] == -1).all()
    assert (black == (ended.to_move == BLACK)[:, None, None]).all() and 0 < black.mean() < 1
    ahead = batch.owners.sum(axis=(1, 2)) + np.where(ended.to_move == BLACK, -KOMI, KOMI)
    assert (np.sign(ahead) == batch.outcomes).all() and len(np.unique(batch.outcomes)) == 2
