"""2,000 random games, move by move, against the board of sgfmill: stones, captures, ko and the final area."""

import numpy as np
import pytest
from sgfmill.boards import Board

from go import BLACK, PASS, WHITE, Position
from go.coordinates import point_from_rowcol, rowcol_from_point
from go.playout import new_rng, random_move

GAMES = 500  # on each of four sizes
LETTERS = np.array([None, "b", "w"], dtype=object)


@pytest.mark.parametrize("size", [5, 9, 13, 19])
def test_random_games(size):
    captures = kos = 0
    for game in range(GAMES):
        ours, theirs, rng = Position(size, komi=7, superko=False), Board(size), new_rng(2000, size, game)
        while not ours.is_over and len(ours.history) < 3 * size * size:
            color, move = ours.to_move, random_move(ours.board, rng)
            ours.play(move)
            if move == PASS:
                assert ours.ko is None
                continue
            row, column = rowcol_from_point(move, size)
            before = [line[:] for line in theirs.board]
            ko = theirs.play(size - 1 - row, column, LETTERS[color])
            assert ours.ko == (None if ko is None else point_from_rowcol(size - 1 - ko[0], ko[1], size))
            # rows count from below there
            assert LETTERS[ours.colors[::-1]].tolist() == theirs.board
            kos += ko is not None
            captures += sum(
                old is not None and new is None
                for old_line, new_line in zip(before, theirs.board, strict=True)
                for old, new in zip(old_line, new_line, strict=True)
            )
            if len(ours.history) % 50 == 0:
                stones = sum(letter is not None for line in theirs.board for letter in line)
                played = sum(m.point != PASS for m in ours.history)
                assert ours.captured[BLACK] + ours.captured[WHITE] == played - stones
        assert ours.score() == theirs.area_score() - 7
    assert captures > 15 * GAMES and kos > GAMES / 4  # the games were worth comparing
