"""Games as SGF: written so that sgfmill reads the same game, and read within bounds."""

import os
import random

import pytest
from sgfmill import sgf

from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, point_from_gtp
from go.errors import GoError
from go.match import play_game
from go.player import RandomPlayer
from go.position import Position
from go.sgf import LARGEST, MOST_NODES, position_sgf, read_sgf, write_sgf

SETUP = """
. O X . .
O O X . .
X X X . .
. . . . O
. . . O .
"""


def test_a_game_comes_back_with_its_set_up_and_moves(tmp_path):
    for seed, start in enumerate((Position(5, 6.5), Position.from_text(SETUP, WHITE, 0.5), Position(9, 0).set_up())):
        start.superko = False
        position = start.copy()
        play_game({BLACK: RandomPlayer(seed), WHITE: RandomPlayer(seed + 10)}, position)
        (tmp_path / "game.sgf").write_bytes(position_sgf(position, {"PB": "[a]\\b", "C": "1\n2", "RE": ""}))
        again = read_sgf(tmp_path / "game.sgf", komi=99)
        assert again.history == position.history and again.boards.tobytes() == position.boards.tobytes()
        assert again.komi == position.komi and again.start().boards.tobytes() == start.boards.tobytes()
        root = sgf.Sgf_game.from_bytes((tmp_path / "game.sgf").read_bytes()).get_root()
        assert root.get("PB") == "[a]\\b" and root.get("C") == "1\n2" and not root.has_property("RE")


def test_stones_are_set_up_where_they_are_in_the_game():
    a, b, c = (point_from_gtp(name, 5) for name in ("A1", "B2", "C3"))
    moves = [(BLACK, a), (WHITE, PASS)]
    setup = [(0, WHITE, b), (0, BLACK, c), (1, EMPTY, b), (2, WHITE, b)]
    written = write_sgf(5, moves, {"KM": "6"}, setup)
    assert written == b"(;FF[4]AB[cc]AW[bd]CA[UTF-8]GM[1]KM[6]SZ[5];B[ae];AE[bd];W[];AW[bd])\n"
    handicap = Position(9).place_handicap(2)
    assert position_sgf(handicap) == b"(;FF[4]AB[cg][gc]CA[UTF-8]GM[1]HA[2]KM[7.5]PL[W]SZ[9])\n"


def test_long_games_are_written_move_by_move(monkeypatch):
    """No move is ever taken back for it: with undo, the time grew with the square of the moves."""
    position, rng = Position(9, superko=False), random.Random(1)
    while len(position.history) < 5_000:
        legal = position.legal_moves().tolist()
        position.play(rng.choice(legal) if legal else PASS)
    monkeypatch.setattr(Position, "undo", lambda self: pytest.fail("a move was taken back"))
    monkeypatch.setattr(sgf.Sgf_game, "extend_main_sequence", lambda self: pytest.fail("it walks along all nodes"))
    assert len(sgf.Sgf_game.from_bytes(position_sgf(position)).get_main_sequence()) == 5_001


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"(;SZ[9]C[" + b"x" * LARGEST + b"])", "is too large for a game record"),
        (b"(;SZ[9]" + b";C[]" * 250_000 + b")", "is too large for a game record"),
        (b"(;SZ[9]" + b";AE[aa]" * (MOST_NODES + 1) + b")", f"has more than {MOST_NODES:,} nodes"),
    ],
)
def test_files_without_measure_are_refused(tmp_path, content, sentence):
    (tmp_path / "game.sgf").write_bytes(content)
    with pytest.raises(GoError, match=sentence):
        read_sgf(tmp_path / "game.sgf", 7.5)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(GoError, match="is not a file"):
            read_sgf(path, 7.5)
    with pytest.raises(FileNotFoundError):
        read_sgf(tmp_path / "nothing", 7.5)


def test_nesting_does_not_matter(tmp_path):
    (tmp_path / "game.sgf").write_bytes(b"(;SZ[9]" + b"(;B[ee](;W[cc]" + b"(;B[]" * 5_000 + b")" * 5_003)
    assert len(read_sgf(tmp_path / "game.sgf", 7.5).history) == 5_002
