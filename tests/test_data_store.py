"""The game store gives back what went in: any position in any symmetry, whole games, and a clear word if damaged."""

import contextlib
import json

import numpy as np
import pytest
from conftest import store_of
from random_games import random_record
from sgfmill.boards import Board

from data.draft import Draft, draft_paths, is_there, pack, skipped_rows
from data.identity import image_of
from data.record import Record, read_records, to_sgf
from data.replay import decode_move
from data.store import GAME, GameStore, store_of_run
from go import BLACK, EMPTY, WHITE
from go.coordinates import SYMMETRIES, rowcol_from_point
from pipeline.errors import UserError

NAMES = {BLACK: "b", WHITE: "w"}


def sgfmill_boards(record: Record) -> list[tuple[np.ndarray, int]]:
    """Every position of a game by sgfmill's board, from row and column 0 at the top, and whose turn it is."""
    board, following, found = Board(record.size), 0, []
    for ply in range(len(record.moves) + 1):
        rows = [
            (color, rowcol_from_point(point, record.size)) for at, color, point in record.setup.tolist() if at == ply
        ]
        board.apply_setup(*([place for color, place in rows if color == kind] for kind in (BLACK, WHITE, EMPTY)))
        following = decode_move(record.moves[ply])[0] if ply < len(record.moves) else BLACK + WHITE - following
        colors = np.array([[{None: EMPTY, "b": BLACK, "w": WHITE}[stone] for stone in row] for row in board.board])
        found.append((colors, following))
        if ply < len(record.moves):
            color, point = decode_move(record.moves[ply])
            if point:
                board.play(*rowcol_from_point(point, record.size), NAMES[color])
    return found


def cut_out(board: np.void, size: int) -> np.ndarray:
    return board["color"][: 23 * 21].reshape(23, 21)[2 : 2 + size, 2 : 2 + size]


def turned(colors: np.ndarray, symmetry: int) -> np.ndarray:
    """Turn a board as `coordinates.symmetry_table` says it in words."""
    colors = colors.T if symmetry & 4 else colors
    colors = colors[::-1] if symmetry & 2 else colors
    return colors[:, ::-1] if symmetry & 1 else colors


@pytest.mark.parametrize("size", [2, 5, 9, 13, 19])
def test_every_position_is_that_of_sgfmills_board(tmp_path, size):
    records = [
        random_record(size, 3 * size * size // 2, seed, with_setup=size > 4 and seed % 2 == 0) for seed in range(4)
    ]
    store = store_of(tmp_path, map(to_sgf, records), size)
    assert len(store) == len(records) or size == 2  # where games are alike by chance
    for game in range(len(store)):
        expected = sgfmill_boards(store.record(game))
        plies = np.arange(len(expected))
        for symmetry in range(SYMMETRIES):
            boards = store.boards(np.full(len(plies), game), plies, np.full(len(plies), symmetry))
            for board, (colors, to_move) in zip(boards, expected, strict=True):
                assert (cut_out(board, size) == turned(colors, symmetry)).all()
                assert board["to_move"] == to_move


def test_set_up_in_the_middle_of_a_game_and_one_side_moving_twice(tmp_path):
    sgf = b"(;SZ[5]AB[aa][ba]AW[ee];W[cc];W[cd];AE[aa]AW[ab]AB[ed];B[dd];B[];W[ba])"
    [record] = read_records(sgf)
    assert record.flaw == "illegal move" and len(record.moves) == 4  # the last is on a stone
    store = store_of(tmp_path, [sgf], 5)
    position = store.position(0, 4)
    assert [line[3:12] for line in str(position).splitlines()[1:6]] == [
        ". X . . .",
        "O . . . .",
        ". . O . .",
        ". . O X X",
        ". . . . O",
    ]
    expected = sgfmill_boards(store.record(0))
    assert (position.colors == expected[4][0]).all()


@pytest.mark.parametrize("symmetry", range(SYMMETRIES))
def test_the_friendly_position_is_the_board_of_the_kernel(tmp_path, symmetry):
    records = [random_record(9, 120, seed, with_setup=seed == 1) for seed in range(2)]
    store = store_of(tmp_path, map(to_sgf, records), 9)
    for game in range(2):
        for ply in range(0, 121, 6):
            position = store.position(game, ply, symmetry)
            [board] = store.boards([game], [ply], [symmetry])
            assert (position.colors == cut_out(board, 9)).all()
            for name in ("to_move", "ko", "ply", "hash"):
                assert position.board[name] == board[name], name
            assert position.captured[BLACK] == board["captured"][BLACK]


def test_a_store_becomes_sgf_and_a_store_again(tmp_path):
    header = b"(;SZ[9]PB[\xe7\xa5\x9e]PW[a \\] b (2271)]BR[7d]KM[6.5]RE[W+T]DT[2015-03-01]HA[2]AB[cc][gg]"
    games = [to_sgf(random_record(9, 60, seed, with_setup=seed % 2 == 0)) for seed in range(10)]
    games += [header + b";W[ee];B[ce];AW[aa];W[];B[cg])", b"(;SZ[9]KM[0]RE[0]PB[x]BR[9p];B[aa];W[ab];B[ba];W[aa])"]
    first = store_of(tmp_path / "first", games, 9)
    again = store_of(tmp_path / "again", [to_sgf(first.record(game)) for game in range(len(first))], 9)
    for name in GAME.names:
        if name not in ("n_text", "first_text", "flaw"):  # the name of the source differs; what was cut off is gone
            assert np.array_equal(first.games[name], again.games[name], equal_nan=name in ("komi", "margin")), name
    assert (first.moves == again.moves).all() and (first.setup == again.setup).all()
    record = again.record(10)
    assert record.names == ("神", "a ] b") and record.ranks == (7, 2271) and record.date == "2015-03-01"
    assert first.source(10) == "game 10" and first.games["handicap"][10] == 2


def test_the_same_games_have_the_same_fingerprint(tmp_path):
    games = [to_sgf(random_record(9, 40, seed)) for seed in range(5)]
    prints = [
        store_of(tmp_path / name, part, 9).about["fingerprint"]
        for name, part in (("a", games), ("b", games), ("c", games[:4]), ("d", games[::-1]))
    ]
    assert prints[0] == prints[1] and len(set(prints)) == 3


def test_many_games_in_blocks_are_the_same_as_at_once(tmp_path, monkeypatch):
    games = [to_sgf(random_record(5, 20, seed % 23, with_setup=seed % 3 == 0)) for seed in range(40)]
    whole = store_of(tmp_path / "whole", games, 5)
    monkeypatch.setattr("data.draft.BLOCK", 3)
    blocks = store_of(tmp_path / "blocks", games, 5)
    assert len(whole) < 40 and whole.about == blocks.about


def test_what_is_not_there_is_refused(tmp_path):
    store = store_of(tmp_path, [to_sgf(random_record(9, 40, 1))], 9)
    for wrong in (([1], [0], [0]), ([-1], [0], [0]), ([0], [0], [8]), ([0], [0], [-1])):
        with pytest.raises(UserError, match="has no such game or symmetry"):
            store.boards(*wrong)
    for ply in (-1, 41):
        with pytest.raises(UserError, match="A game has no such ply"):
            store.boards([0], [ply], [0])
    assert store.boards([0], [40], [0])["ply"] == 40
    for wrong in ((1, 0, 0), (-1, 0, 0), (0, 41, 0), (0, -5, 0), (0, 0, 8)):
        with pytest.raises(UserError, match="no such"):
            store.position(*wrong)


def test_the_store_of_a_run_is_opened_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    folder = tmp_path / "mine" / "data.prepare"
    with pytest.raises(UserError) as refused:
        store_of_run("mine")
    assert str(refused.value) == f"There is no game store in {folder}; ./prezero data.prepare run=mine makes one."
    made = store_of(folder, [to_sgf(random_record(9, 40, 1))], 9)
    assert store_of_run("mine").about == made.about
    assert made.as_input() == ("data.prepare", str(folder), made.about["fingerprint"])


def test_a_damaged_store_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match=r"There is no game store in .*; ./prezero data.prepare makes one"):
        GameStore(tmp_path / "none")
    store_of(tmp_path, [to_sgf(random_record(9, 40, 1))], 9)
    moves, about = tmp_path / "moves.npy", tmp_path / "store.json"
    whole, json_text = moves.read_bytes(), about.read_text()
    for damage in (whole[:-2], whole[:100], b"", b"junk" * 500):
        moves.write_bytes(damage)
        with pytest.raises(UserError, match=r"is damaged .*; remove the folder, and make it anew"):
            GameStore(tmp_path)
    moves.unlink()
    with pytest.raises(UserError, match=r"is damaged .*; remove the folder, and make it anew"):
        GameStore(tmp_path)
    moves.write_bytes(whole)
    moves.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(UserError, match="its files have changed"):
        GameStore(tmp_path)
    moves.write_bytes(whole)
    about.write_text(json.dumps(json.loads(json_text) | {"format": 99}))
    with pytest.raises(UserError, match="is not of format"):
        GameStore(tmp_path)
    for text in ("[]", '{"format": 1}'):
        about.write_text(text)
        with pytest.raises(UserError):
            GameStore(tmp_path)
    about.write_text(json_text)
    assert len(GameStore(tmp_path)) == 1


def test_no_flipped_bit_of_a_store_goes_unnoticed(tmp_path):
    """A wrong bit in a header, in the games or in `store.json` is one sentence, never a traceback or another game."""
    store_of(tmp_path, [to_sgf(random_record(9, 40, seed, with_setup=True)) for seed in (1, 2)], 9)
    random = np.random.default_rng(1)
    for path in [*sorted(tmp_path.glob("*.npy")), tmp_path / "store.json"]:
        whole = path.read_bytes()
        header = min(len(whole), 300)
        for bit in [*random.choice(8 * header, 200, replace=False).tolist(), 8 * len(whole) - 1]:
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            with contextlib.suppress(json.JSONDecodeError, UnicodeDecodeError):
                if path.suffix == ".json" and json.loads(damaged) == json.loads(whole):
                    continue  # white space
            with pytest.raises(UserError, match=r"is damaged|cannot be read|is not of format"):
                GameStore(tmp_path)
        path.write_bytes(whole)
    assert len(GameStore(tmp_path)) == 2


def test_a_draft_that_changed_after_its_checkpoint_is_not_gone_on_with(tmp_path):
    draft = Draft(tmp_path)
    draft.append(
        pack([("a", random_record(9, 40, 1, with_setup=True), BLACK)])._replace(skipped=skipped_rows([("b",) * 3]))
    )
    saved = json.loads(json.dumps(draft.checkpoint()))
    draft.append(pack([("c", random_record(9, 40, 2), BLACK)]))  # after the checkpoint: dropped
    draft.close()
    assert is_there(tmp_path, saved)
    for path in draft_paths(tmp_path).values():
        whole = path.read_bytes()
        for damage in (bytes([whole[0] ^ 1]) + whole[1:], whole[: saved[path.stem][0] - 1], b""):
            path.write_bytes(damage)
            assert not is_there(tmp_path, saved)
        path.write_bytes(whole)
    again = Draft(tmp_path, saved)
    assert again.checkpoint() == saved
    again.close()


def test_an_image_of_a_record_replays_to_the_image_of_its_board(tmp_path):
    record = random_record(9, 70, 8, with_setup=True)
    for symmetry in range(SYMMETRIES):
        image = Record(9, *image_of(record, symmetry))
        ours, theirs = sgfmill_boards(image)[-1][0], turned(sgfmill_boards(record)[-1][0], symmetry)
        assert (ours == theirs).all()
