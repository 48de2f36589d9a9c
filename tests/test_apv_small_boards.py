"""Boards that are solved: the search finds who wins, and the opening, by rollouts and the ends of games alone.

With best play and area scoring black wins by 1 on 2x2, by 9 on 3x3 (centre), by 2 on 4x4 and by 25 on 5x5 (centre).
The first two are proved here by trying everything (`tiny_boards`); the others are known (van der Werf and others 2003).
"""

import numpy as np
import pytest
from small_searches import check_at_rest, small_search
from tiny_boards import area, black_wins

from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.player import sensible_moves
from go.position import Position

CENTRE, SIDE, CORNER = 4, 1, 0  # of 3x3


def searched(name, position, simulations, **changes):
    """Search on one thread; return what is known of the moves by their names, the most visited first."""
    search = small_search(name, position.size, nodes=100_000, **{"n_thr": 1, **changes})
    search.set_position(position)
    assert search.run(simulations=simulations) == simulations
    return {gtp_from_point(edge.move, position.size): edge for edge in search.statistics()}


def best(edges):
    name = next(iter(edges))
    return name, edges[name].q


def test_who_wins_on_the_tiniest_boards_is_proved_by_trying_everything():
    assert black_wins(2, 0.5, None, 16, False) and not black_wins(2, 1.5, None, 24, True)
    assert black_wins(3, 8.5, CENTRE, 16, False)  # there are no more than 9 points to win
    assert black_wins(3, 2.5, SIDE, 16, False)


def test_the_slow_board_counts_as_the_board_does():
    rng = np.random.default_rng(1)
    for _ in range(200):
        position = Position(3, komi=0)
        for _ in range(int(rng.integers(0, 20))):
            moves = sensible_moves(position)
            position.play(int(rng.choice(moves)) if moves else PASS)
        text = "".join({0: ".", BLACK: "X", WHITE: "O"}[color] for color in position.colors.ravel().tolist())
        assert area(text, 3) == position.score()


@pytest.mark.parametrize(("name", "simulations", "sure"), [("uct", 100_000, 0.7), ("alpha_r", 3_000, 0.9)])
def test_on_3x3_the_centre_takes_all(name, simulations, sure):
    move, q = best(searched(name, Position(3, komi=8.5), simulations))
    assert move == "B2" and q > sure
    move, q = best(searched(name, Position(3, komi=9.5), simulations))
    assert q == -1  # there are only nine points


@pytest.mark.parametrize(("opening", "komi", "wins"), [("B3", 2.5, True), ("B2", 8.5, True), ("A3", -8.0, False)])
def test_other_openings_on_3x3_are_worth_less(opening, komi, wins):
    """The side wins by 3, the corner loses all."""
    _, q = best(searched("alpha_r", Position(3, komi).play(opening), 30_000, c_puct=1.0))
    assert q < -0.7 if wins else q > 0.7  # as white sees it


def test_on_4x4_black_wins_by_two_points():
    """Nothing but komi tells these two searches apart."""
    won = searched("alpha_r", Position(4, komi=1.5), 100_000, c_puct=1.0)
    lost = searched("alpha_r", Position(4, komi=2.5), 100_000, c_puct=1.0)
    assert best(won)[0] in ("B2", "B3", "C2", "C3") and best(won)[1] > 0.7
    assert best(lost)[1] < 0.1
    drawn = searched("alpha_r", Position(4, komi=2.0), 100_000, c_puct=1.0)
    assert best(lost)[1] < best(drawn)[1] < best(won)[1]


def test_on_5x5_the_centre_is_the_opening():
    edges = searched("alpha_r", Position(5, komi=24.5), 30_000, c_puct=1.0)
    assert best(edges)[0] == "C3" and best(edges)[1] > 0.4
    others = [edge for name, edge in edges.items() if name != "C3"]
    assert edges["C3"].visits > 2 * max(edge.visits for edge in others)


@pytest.mark.parametrize("size", range(2, 20))
def test_every_board_from_2x2_to_19x19_is_searched(size):
    """With whole komi there are draws, and all is well with them."""
    for name, threads in (("uct", 1), ("alpha_r", 2)):
        for komi in (0.0, 7.0):
            search = small_search(name, size, threads=threads)
            search.set_position(Position(size, komi))
            assert search.run(simulations=40) == 40
            check_at_rest(search, 40)


def test_draws_are_worth_nothing_to_either_side():
    """Neither side can do anything but pass, and the komi is what black is ahead."""
    position = Position.from_text(". X X O .\nX X X O O\n. X X O .\nX X X O O\n. X X O .\n", komi=5.0)
    assert position.score() == 0 and not sensible_moves(position)
    edges = searched("alpha_r", position, 300)
    assert list(edges) == ["pass"] and edges["pass"].visits == 300 and edges["pass"].q == 0
