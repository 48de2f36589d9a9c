"""The figures of random play, from tallies made by hand, and the drawings that go with them."""

from xml.etree import ElementTree

import numpy as np
import pytest

from go import BLACK, PASS, WHITE, Position
from go.coordinates import MAX_SIZE, POINTS
from go.random_play import (
    MARGINS,
    Settings,
    Tally,
    black_win_rate,
    draw,
    mean_and_error,
    play_chunk,
    report,
    statistics,
)
from go.settings import BoardSettings, position_from
from go.show import Settings as ShowSettings
from go.show import expected_owners, numbered


def margins_of(*margins: int) -> np.ndarray:
    return np.bincount(np.array(margins) + MAX_SIZE**2, minlength=MARGINS)


def test_win_rates_count_a_tie_as_half():
    margins = margins_of(-3, 7, 7, 9)
    assert black_win_rate(margins, 0) == (0.75, pytest.approx(np.sqrt(0.75 * 0.25 / 4)))
    assert black_win_rate(margins, 7)[0] == 0.5
    assert black_win_rate(margins, 8)[0] == 0.25
    assert black_win_rate(margins, 9.5) == (0, 0)


def test_mean_and_standard_error():
    values = np.array([1, 2, 3, 6])
    mean, error = mean_and_error(int(values.sum()), int((values**2).sum()), 4)
    assert mean == 3 and error == pytest.approx(values.std() / 2)


def test_a_tally_is_the_sum_of_its_chunks_and_survives_being_written():
    board = BoardSettings(5, 0.5)
    whole = Tally.empty()
    for chunk in range(3):
        whole.add(play_chunk(board, 100, 9, chunk))
    assert whole.games == 300 == whole.margins.sum() == whole.tried.sum()
    assert whole.tried[PASS] == 0 and whole.half_wins.sum() == 2 * whole.margins[MAX_SIZE**2 + 1 :].sum()
    again = Tally.from_plain(whole.to_plain())
    assert again.to_plain() == whole.to_plain()
    table = statistics(whole, 5, 0.5)
    assert table["moves, with passes"][0] == whole.moves / 300
    assert table["moves, without passes"][0] == whole.stones / 300 < table["moves, with passes"][0] - 2
    assert list(table) == ["moves, with passes", "moves, without passes", "black wins, komi 0.5", "cut off"]
    assert table["cut off"] == (0, 0)
    assert "| black wins, komi 0.5 |" in report(5, 300, table) and "| 0.540 |" in report(5, 300, table)


def test_games_that_do_not_end_are_counted():
    tally = play_chunk(BoardSettings(2, 0.5), 1000, 1, 0)
    share, error = statistics(tally, 2, 0.5)["cut off"]
    assert share == tally.cut_off / 1000 and 0.05 < share < 0.13
    assert error == pytest.approx(np.sqrt(share * (1 - share) / 1000))


def test_the_drawings_show_what_was_counted(tmp_path):
    tally = Tally.empty()
    tally.games = 10
    centre, corner = Position(5).point("C3"), Position(5).point("A1")
    tally.tried[[centre, corner]] = 8, 2
    tally.half_wins[[centre, corner]] = 12, 1  # six wins of eight; half a win of two
    draw(Settings(board=BoardSettings(5, 7.5), playouts=10, seed=1, run="x"), tally, tmp_path)
    texts = [e.text for e in ElementTree.parse(tmp_path / "first_move.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "75" in texts and "25" in texts and len(texts) == 4 * 5 + 2 + 1
    assert "A random game after" in (tmp_path / "game.svg").read_text()


def test_show_numbers_stones_by_move_and_leaves_out_what_was_captured():
    position = position_from(ShowSettings(board=BoardSettings(5, 7.5), moves="B1 A1 A2 pass E5"))
    assert {position.point(v): n for v, n in (("B1", 1), ("A2", 3), ("E5", 5))} == numbered(position)


def test_show_gives_the_turn_to_whom_it_is_told():
    board = BoardSettings(9, 7.5)
    assert position_from(ShowSettings(board=board)).to_move == BLACK
    assert position_from(ShowSettings(board=board, to_move="white")).to_move == WHITE
    assert position_from(ShowSettings(board=board, handicap=2)).to_move == WHITE
    assert position_from(ShowSettings(board=board, handicap=2, to_move="black")).to_move == BLACK


def test_expected_owners_are_positive_for_black():
    position = Position.from_text(
        """
        . X O .
        X X O O
        . X O .
        X X O O
    """,
        komi=0.5,
    )
    owners, wins, score = expected_owners(position, 20, seed=1)
    assert (owners[:, :2] == 1).all() and (owners[:, 2:] == -1).all()
    assert (wins, score) == (0, -0.5)
    assert owners.shape == (4, 4) and owners.size < POINTS
