"""Which records are the same game, in which part of the data a game belongs, and what the parts share."""

import hashlib

import numpy as np
import pytest
from conftest import store_of
from random_games import random_record

from data.identity import OPENING, SPLITS, TEST, TRAIN, VALIDATION, game_keys, image_of, split_of
from data.overlap import position_hashes, seen_in_training
from data.positions import learnable_moves
from data.record import Record, read_records, to_sgf
from data.replay import encode_move
from go import BLACK, PASS, WHITE
from go.coordinates import SYMMETRIES


def images(record: Record) -> list[Record]:
    """All sixteen images of a game."""
    return [
        Record(record.size, *image_of(record, symmetry, swap))
        for symmetry in range(SYMMETRIES)
        for swap in (False, True)
    ]


def with_moves(record: Record, moves: np.ndarray) -> Record:
    return Record(record.size, np.asarray(moves, np.int16), record.setup)


@pytest.mark.parametrize("with_setup", [False, True])
@pytest.mark.parametrize("size", [5, 9, 19])
def test_all_sixteen_images_of_a_game_have_its_keys(size, with_setup):
    for seed in range(20):
        record = random_record(size, 40, seed, with_setup)
        assert {game_keys(image) for image in images(record)} == {game_keys(record)}
        changed = [image.moves.tobytes() for image in images(record)]
        assert len(set(changed)) == 16  # they are really different records


def test_games_that_differ_in_one_thing_have_different_keys():
    record = random_record(9, 50, 1)
    keys = {game_keys(record)[0]}
    for ply in range(0, 50, 7):
        other = record.moves.copy()
        other[ply] = encode_move(other[ply] >> 9, 52 if other[ply] & 511 != 52 else 53)
        keys.add(game_keys(with_moves(record, other))[0])
    keys.add(game_keys(with_moves(record, record.moves[:-1]))[0])
    keys.add(game_keys(Record(9, record.moves, np.array([(0, BLACK, 44)], np.int16)))[0])
    keys.add(game_keys(Record(9, record.moves, np.array([(0, WHITE, 44)], np.int16)))[0])
    keys.add(game_keys(Record(10, record.moves, record.setup))[0])
    assert len(keys) == 1 + 8 + 4


def test_passes_at_the_end_do_not_make_another_game():
    record = random_record(9, 50, 2)
    passes = [encode_move(BLACK, PASS), encode_move(WHITE, PASS)]
    assert game_keys(with_moves(record, [*record.moves, *passes])) == game_keys(record)
    assert game_keys(with_moves(record, [*passes, *record.moves])) != game_keys(record)


def test_the_keys_are_the_same_in_every_version():
    """They decide what is in the test set, so a change would mix new test games with old training games."""
    [record] = read_records(b"(;SZ[9];B[ee];W[])")
    bytes_of_it = b"|" + (BLACK << 9 | 132).to_bytes(2, "big")  # the centre is its own image; the pass does not count
    digest = hashlib.blake2b(bytes_of_it, digest_size=8, person=b"size 9").digest()
    assert game_keys(record) == (int.from_bytes(digest, "big"),) * 2


def test_a_torn_copy_and_a_changed_order_have_the_same_opening():
    record = random_record(9, 60, 3)
    key, opening = game_keys(record)
    torn = game_keys(with_moves(record, record.moves[:40]))
    assert torn[0] != key and torn[1] == opening
    swapped = record.moves.copy()
    swapped[[4, 6]] = swapped[[6, 4]]
    assert game_keys(with_moves(record, swapped))[0] != key and game_keys(with_moves(record, swapped))[1] == opening
    assert game_keys(with_moves(record, record.moves[: OPENING - 1]))[1] != opening


def test_the_parts_have_their_shares_and_games_stay_where_they_are():
    openings = np.random.default_rng(4).integers(0, 2**64, 100_000, dtype=np.uint64)
    parts = split_of(openings, 0.05, 0.1)
    counts = np.bincount(parts, minlength=3) / len(parts)
    assert np.abs(counts - [0.85, 0.05, 0.1]).max() < 0.004
    assert (split_of(openings[:100], 0.05, 0.1) == parts[:100]).all()
    larger = split_of(openings, 0.2, 0.1)  # more validation games come from the training games only
    assert set(larger[parts == TEST]) == {TEST} and set(larger[parts == VALIDATION]) == {VALIDATION}
    assert set(split_of(openings, 0, 0)) == {TRAIN}


def test_no_image_of_a_game_is_in_another_part_and_each_game_is_kept_once(tmp_path):
    games = [random_record(9, 45, seed, with_setup=seed % 5 == 0) for seed in range(60)]
    alone = store_of(tmp_path / "alone", map(to_sgf, games), 9)
    assert len(alone) == 60 and set(alone.games["split"]) == {TRAIN, VALIDATION, TEST}
    everything = [to_sgf(image) for game in games[::-1] for image in images(game)]
    store = store_of(tmp_path / "images", everything, 9)
    assert len(store) == 60
    assert dict(zip(store.games["key"], store.games["split"], strict=True)) == dict(
        zip(alone.games["key"], alone.games["split"], strict=True)
    )


def canonical(colors: np.ndarray, to_move: int) -> bytes:
    """The smallest image of a board as the side to move sees it; written without the kernels."""
    seen = np.where(colors == 0, 0, np.where(colors == to_move, 1, 2)).astype(np.uint8)
    turned = [np.rot90(board, quarter) for board in (seen, seen.T) for quarter in range(4)]
    return min(board.tobytes() for board in turned)


def test_positions_seen_in_training_are_those_whose_image_stands_there(tmp_path):
    """Games that share their first moves in different symmetries and colours, against a slow count."""
    trunk = random_record(5, 10, 0)
    games = [to_sgf(random_record(5, 14, seed, with_setup=seed % 4 == 0)) for seed in range(20)]
    for seed, image in enumerate(images(trunk)):
        tail = random_record(5, 14, 100 + seed).moves
        games.append(to_sgf(with_moves(image, np.concatenate([image.moves, tail]))))
    store = store_of(tmp_path, games, 5)
    boards = {}
    for game in range(len(store)):
        for ply in range(store.games["n_moves"][game]):
            position = store.position(game, ply)
            where = int(store.games["first_move"][game]) + ply
            boards[where] = canonical(position.colors, position.to_move)
    hashes = position_hashes(store)
    assert len(set(hashes.tolist())) == len(set(boards.values()))
    train = {boards[int(where)] for where in learnable_moves(store, TRAIN)}
    seen = 0
    for split in ("validation", "test"):
        expected = [boards[int(where)] in train for where in learnable_moves(store, SPLITS[split])]
        assert seen_in_training(store, split, hashes).tolist() == expected
        seen += sum(expected)
    assert seen > 20  # besides the empty boards
