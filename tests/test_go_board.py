"""The board kernel against a slow reference: stones, liberties, chains, hashes and legality, move by move."""

import numpy as np
import pytest
import reference

from go import BLACK, EMPTY, PASS, WHITE, Position
from go.board import (
    LIBERTY_BITS,
    ZOBRIST,
    adjacent_chains,
    count_liberties,
    hash_after,
    is_eye,
    last_liberty,
    legality,
    new_boards,
)
from go.coordinates import POINTS, point_from_rowcol
from go.playout import new_rng, random_move


def check_whole_board(position: Position) -> None:
    """Compare everything that the kernel keeps up to date with what it should be, from the stones alone."""
    board, colors, size = position.board, position.colors, position.size
    empties = set(board["empties"][: board["n_empty"]].tolist())
    key = np.uint64(0)
    seen: set[int] = set()
    for row, column in np.ndindex(colors.shape):
        point = point_from_rowcol(row, column, size)
        assert (point in empties) == (colors[row, column] == EMPTY)
        if colors[row, column] == EMPTY:
            assert board["empties"][board["where"][point]] == point
            assert board["chain"][point] == 0
            continue
        key ^= ZOBRIST[colors[row, column], point]
        if point in seen:
            continue
        stones = {point_from_rowcol(*place, size) for place in reference.region(colors, row, column)[0]}
        free = {point_from_rowcol(*place, size) for place in reference.liberties(colors, row, column)}
        head = board["chain"][point]
        assert head in stones and {int(board["chain"][stone]) for stone in stones} == {head}
        ring, stone = {point}, int(board["next"][point])
        while stone != point:
            ring.add(stone)
            stone = int(board["next"][stone])
        assert ring == stones
        assert board["stones"][head] == len(stones)
        assert count_liberties(board, head) == len(free) > 0
        assert board["libs"][head] == sum(free) + (len(free) << LIBERTY_BITS)
        if len(free) == 1:
            assert {last_liberty(board, head)} == free
        seen |= stones
    assert board["hash"] == key


@pytest.mark.parametrize(("size", "games"), [(2, 30), (3, 30), (5, 30), (7, 15), (9, 8), (13, 2), (19, 1)])
def test_random_games_move_by_move(size, games):
    for game in range(games):
        position, rng = Position(size, superko=False), new_rng(size, game)
        for _ in range(3 * size * size):
            check_whole_board(position)
            if position.is_over:
                break
            move = random_move(position.board, rng)
            if move == PASS:
                position.play(PASS)
                continue
            row, column = np.argwhere(position.by_row_and_column(np.arange(POINTS)) == move)[0]
            expected = reference.after_move(position.colors, row, column, position.to_move)
            foreseen = hash_after(position.board, move, position.to_move)
            position.play(move)
            assert (position.colors == expected).all()
            assert position.board["hash"] == foreseen
        assert position.score() == reference.area_margin(position.colors) - position.komi


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_legality_of_every_point_in_random_games(size):
    for game in range(20):
        position, rng = Position(size, superko=False), new_rng(99, size, game)
        before = None
        while not position.is_over and len(position.history) < 3 * size * size:
            colors, to_move = position.colors, position.to_move
            allowed = []
            for row, column in np.ndindex(colors.shape):
                after = reference.after_move(colors, row, column, to_move)
                retakes_ko = (
                    after is not None
                    and before is not None
                    and (after == before).all()
                    and (colors != EMPTY).any()
                    and position.last_move != PASS
                )
                if after is not None and not retakes_ko:
                    allowed.append(point_from_rowcol(row, column, size))
            assert position.legal_moves().tolist() == allowed
            before = colors
            position.play(random_move(position.board, rng))


def test_adjacent_chains_names_each_chain_once():
    position = Position.from_text("""
        . X . . .
        X a X O .
        X X b O .
        . . O O .
        . . . . .
    """)
    board = position.board
    chain_of = board["chain"]
    black, white = BLACK, WHITE
    at_a = [head for head in adjacent_chains(board, position.at("a"), black) if head]
    assert sorted(at_a) == sorted({int(chain_of[position.point(v)]) for v in ("B5", "A4", "C4")})
    at_b = [head for head in adjacent_chains(board, position.at("b"), white) if head]
    assert at_b == [chain_of[position.point("D3")]]
    assert not any(adjacent_chains(board, position.at("a"), white))


CENTRE = """
    . . . . .
    . {} X {} .
    . X a X .
    . {} X {} .
    . . . . .
"""
EDGE = """
    . . . . .
    X {} . . .
    a X . . .
    X {} . . .
    . . . . .
"""
CORNER = """
    . . . . .
    . . . . .
    . . . . .
    X {} . . .
    a X . . .
"""


@pytest.mark.parametrize(
    ("drawn", "diagonals", "eye"),
    [
        (CENTRE, "....", True),
        (CENTRE, "XXXX", True),
        (CENTRE, "O...", True),
        (CENTRE, "...O", True),
        (CENTRE, "O..O", False),
        (CENTRE, "OO..", False),
        (CENTRE, "OOOO", False),
        (EDGE, "..", True),
        (EDGE, "O.", False),
        (EDGE, ".O", False),
        (CORNER, ".", True),
        (CORNER, "X", True),
        (CORNER, "O", False),
        (CENTRE.replace(". X a X .", ". X a . ."), "....", False),
        (CENTRE.replace(". X a X .", ". X a O ."), "....", False),
    ],
)
def test_eyes(drawn, diagonals, eye):
    text = drawn.format(*diagonals)
    for color in (BLACK, WHITE):
        if color == WHITE:
            text = text.translate(str.maketrans("XO", "OX"))
        position = Position.from_text(text)
        assert is_eye(position.board, position.at("a"), color) == eye
        assert not is_eye(position.board, position.at("a"), BLACK + WHITE - color)


def test_points_that_are_not_on_the_board_are_refused_by_the_kernel():
    position = Position(5)
    for point in (-1, 0, 43, 49, 64, 149, POINTS - 1, POINTS, 10_000):
        assert legality(position.board, point, BLACK) == 1


def test_a_copy_shares_nothing():
    boards = new_boards(3)
    assert len(boards) == 3
    position = Position(5).play("C3")
    twin = position.copy()
    twin.play("C2")
    twin.board["libs"][:] = 9
    assert position.liberties("C3") == 4 and position.to_move == WHITE
    assert len(position.history) == 1 and len(twin.history) == 2


def test_zobrist_keys_are_distinct_and_fixed():
    assert len(np.unique(ZOBRIST)) == ZOBRIST.size
    assert int(ZOBRIST[0, 0]) == 0xE220A8397B1DCDAF  # the first output of splitmix64 with seed 0
