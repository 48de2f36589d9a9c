"""Uniform random play: the published statistics, exact uniformity, repeatability, and threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from go import BLACK, EMPTY, PASS, WHITE, Position
from go.board import is_eye, legality
from go.coordinates import POINTS
from go.playout import new_rng, next_random, playout, random_below, random_games, random_move


def play_many(size: int, count: int, seed: int) -> np.ndarray:
    """Play random games on two threads; return their records."""
    start = Position(size).boards
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda part: random_games(start, count // 2, new_rng(seed, part))[0], range(2))
        return np.concatenate(list(parts))


@pytest.fixture(scope="module")
def games9() -> np.ndarray:
    return play_many(9, 400_000, seed=2008)


def is_within(ours: np.ndarray, published: float, published_error: float) -> bool:
    """Tell if a mean agrees with a published one within three standard errors of their difference."""
    error = np.hypot(ours.std() / np.sqrt(len(ours)), published_error)
    return abs(ours.mean() - published) < 3 * error


def test_published_length_of_9x9_games(games9):
    """Dailey 2008: 111.03 to 111.07 moves with passes in a million games; 107.3 to 107.4 without (Lew 2006)."""
    per_million = games9["moves"].std() / 1000
    assert is_within(games9["moves"], 111.05, per_million + 0.01)
    assert is_within(games9["moves"] - games9["passes"], 107.35, 0.05)


@pytest.mark.parametrize(
    ("komi", "published"),
    [(0, 0.5245), (0.5, 0.5245), (5.5, 0.4457), (6, 0.4467), (6.5, 0.4471), (7, 0.4334), (7.5, 0.4213)],
)
def test_published_win_rates_of_9x9_games(games9, komi, published):
    """Dailey 2008, with a standard error of 0.0005."""
    assert is_within(0.5 * (1 + np.sign(games9["margin"] - komi)), published, 0.0005)


@pytest.mark.parametrize(
    ("size", "count", "moves", "stones", "black"),
    [(5, 100_000, 42.40, None, 0.540), (13, 30_000, 219.4, 215.5, 0.516), (19, 10_000, 455.3, 451.0, 0.512)],
)
def test_other_sizes(size, count, moves, stones, black):
    """An independent program's figures, given to one decimal or three; nothing is published for these sizes."""
    games = play_many(size, count, seed=1)
    assert is_within(games["moves"], moves, 0.05)
    if stones:
        assert is_within(games["moves"] - games["passes"], stones, 0.05)
    assert is_within(games["margin"] > 0.5, black, 0.0015)


def test_the_margin_is_odd_because_the_board_fills_up(games9):
    """Which is why komi 5.5, 6 and 6.5 are the same to random players; only a rare seki is an exception."""
    assert (games9["margin"] % 2 == 1).mean() > 0.999


def test_a_random_move_is_uniform_over_what_the_rules_allow():
    position = Position.from_text("""
        . X . . .
        X X O O .
        . X O . O
        X X O O O
        . . . . .
    """)
    for color in (BLACK, WHITE):
        position.board["to_move"] = color
        allowed = [
            point
            for point in range(POINTS)
            if position.board["color"][point] == EMPTY
            and legality(position.board, point, color) == 0
            and not is_eye(position.board, point, color)
        ]
        rng, draws = new_rng(7, color), 60_000
        counts = np.bincount([random_move(position.board, rng) for _ in range(draws)], minlength=POINTS)
        assert np.flatnonzero(counts).tolist() == allowed
        expected = draws / len(allowed)
        chi_square = ((counts[allowed] - expected) ** 2 / expected).sum()
        assert chi_square < len(allowed) - 1 + 5 * np.sqrt(2 * (len(allowed) - 1))


def test_no_move_is_left_but_to_pass():
    position = Position.from_text("""
        . X O .
        X X O O
        . X O .
        X X O O
    """)
    before = position.colors
    assert playout(position.board, new_rng(1)) == (PASS, 2, 2)
    assert (position.colors == before).all()
    assert playout(position.board, new_rng(1)) == (PASS, 0, 0)  # the game is over


def test_a_playout_plays_by_the_rules():
    """The same random numbers, played through Position with its checks, lead to the same game."""
    for size in (3, 9, 19):
        boards = Position(size).boards
        first, moves, passes = playout(boards[0], new_rng(5, size))
        checked, rng = Position(size, superko=False), new_rng(5, size)
        while not checked.is_over:
            color, move = checked.to_move, random_move(checked.board, rng)
            assert move == PASS or not is_eye(checked.board, move, color)
            checked.play(move)
        assert checked.history[0].point == first
        assert len(checked.history) == moves
        assert sum(move.point == PASS for move in checked.history) == passes
        assert checked.board["hash"] == boards["hash"][0]


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads():
    start = Position(9).boards
    alone, owned_alone = random_games(start, 500, new_rng(3))
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: random_games(start, 500, new_rng(3)), range(4)))
    for games, owned in together:
        assert (games == alone).all() and (owned == owned_alone).all()
    assert (random_games(start, 500, new_rng(4))[0] != alone).any()
    assert owned_alone.sum(axis=0)[Position(9).point("E5")] == 500
    assert (owned_alone[BLACK] - owned_alone[WHITE]).sum() == alone["margin"].sum()


def test_random_numbers_are_splitmix64():
    rng = np.zeros(1, np.uint64)
    assert [int(next_random(rng)) for _ in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    rng = new_rng(1)
    draws = np.bincount([random_below(rng, 7) for _ in range(70_000)], minlength=7)
    assert len(draws) == 7 and ((draws - 10_000) ** 2 / 10_000).sum() < 30
