"""GNU Go as an oracle over GTP: legal moves, liberties and final scores on random positions, and handicap points."""

import numpy as np
import pytest

from go import BLACK, EMPTY, PASS, WHITE, Position
from go.coordinates import gtp_from_point, point_from_gtp, point_from_rowcol
from go.handicap import handicap_points, most_handicap_stones
from go.playout import new_rng, random_move
from gtp.client import Engine, EngineError


class GnuGo(Engine):
    """GNU Go, which can be brought to a position."""

    def set_to(self, position: Position) -> None:
        self.boardsize(position.size)
        self.clear_board()
        self.komi(position.komi)
        for color, point in position.history:
            self.play(color, point)


@pytest.fixture(scope="module")
def engine(gnugo):
    with GnuGo(f"{gnugo} --mode gtp --chinese-rules --positional-superko --forbid-suicide --level 1") as engine:
        yield engine


def random_position(size: int, plies: int, seed: int) -> Position:
    position, rng = Position(size, komi=7), new_rng(size, plies, seed)
    for _ in range(plies):
        if position.is_over:
            break
        move = random_move(position.board, rng)
        position.play(move if position.is_legal(move) else PASS)  # superko refuses a move now and then
    return position


@pytest.mark.parametrize(("size", "plies"), [(5, 25), (5, 60), (9, 60), (9, 100), (13, 180), (19, 300), (19, 430)])
def test_legal_moves_and_liberties(engine, size, plies):
    for seed in range(20):
        position = random_position(size, plies, seed)
        engine.set_to(position)
        theirs = {point_from_gtp(vertex, size) for vertex in engine.send(f"all_legal {name(position)}").split()}
        assert set(position.legal_moves().tolist()) == theirs
        for row, column in np.argwhere(position.colors != EMPTY)[::7].tolist():
            point = point_from_rowcol(row, column, size)
            assert position.liberties(point) == int(engine.send(f"countlib {gtp_from_point(point, size)}"))
        assert int(engine.send("captures black")) == position.captured[WHITE]
        assert int(engine.send("captures white")) == position.captured[BLACK]


def name(position: Position) -> str:
    return "black" if position.to_move == BLACK else "white"


def test_superko_is_the_same(engine):
    """On 3x3, random play that fills eyes runs into superko all the time."""
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(150):
        position = Position(3)
        for _ in range(30):
            moves = position.legal_moves()
            position.play(int(rng.choice(moves)) if len(moves) else PASS)
        engine.set_to(position)
        theirs = {point_from_gtp(vertex, 3) for vertex in engine.send(f"all_legal {name(position)}").split()}
        ours = set(position.legal_moves().tolist())
        assert ours == theirs
        position.superko = False
        refused += len(set(position.legal_moves().tolist()) - ours)
    assert refused > 10


@pytest.mark.parametrize(("size", "games"), [(5, 50), (9, 50), (13, 10), (19, 2)])
def test_final_scores(engine, size, games):
    """Random games to the end, where no stone can be taken any more, are scored alike by both."""
    for seed in range(games):
        position = Position(size, komi=7)
        rng = new_rng(4, size, seed)
        while not position.is_over:
            move = random_move(position.board, rng)
            position.play(move if position.is_legal(move) else PASS)
        engine.set_to(position)
        theirs = engine.send("final_score")
        ours = position.result()
        assert (ours if "." in ours or ours == "0" else ours + ".0") == theirs, str(position)


@pytest.mark.parametrize("size", range(5, 20))
def test_handicap_points(engine, size):
    most = most_handicap_stones(size)
    for stones in range(2, most + 1):
        engine.send(f"boardsize {size}")
        engine.send("clear_board")
        theirs = {point_from_gtp(vertex, size) for vertex in engine.send(f"fixed_handicap {stones}").split()}
        assert set(handicap_points(stones, size)) == theirs
    engine.send(f"boardsize {size}")
    engine.send("clear_board")
    with pytest.raises(EngineError, match="refused 'fixed_handicap"):
        engine.send(f"fixed_handicap {most + 1 if most else 2}")
