"""The problem set: forty drawn problems whose letters are exactly the winning moves, and the solver that says so."""

import functools
import random
from collections import Counter

import numpy as np
import pytest
from problem_solver import LOSS, UNKNOWN, WIN, Solver, settled_points

from arena.problem_set import KINDS, problems, read_problems
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, POINTS, gtp_from_point, symmetry_table
from go.match import play_game
from go.position import Position
from gtp.client import Engine
from gtp.engine_player import EnginePlayer

PROBLEMS = problems()
EACH = pytest.mark.parametrize("problem", PROBLEMS, ids=[problem.name.replace(" ", "_") for problem in PROBLEMS])
FIRSTS = [problem for problem in PROBLEMS if problem.name.endswith(" 1")]


def names(points):
    return sorted(gtp_from_point(point, 9) for point in points)


def test_there_are_five_problems_of_each_kind():
    assert [problem.name for problem in PROBLEMS] == [f"{kind} {number}" for kind in KINDS for number in range(1, 6)]
    assert Counter(problem.kind for problem in PROBLEMS) == dict.fromkeys(KINDS, 5)
    assert min(Counter(problem.position.to_move for problem in PROBLEMS).values()) >= 15


@EACH
def test_a_problem_is_a_legal_position_with_a_sentence(problem):
    position = problem.position
    assert position.size == 9 and position.komi % 1 == 0.5 and position.superko
    stones = [point for point in range(POINTS) if position.board["color"][point] in (BLACK, WHITE)]
    assert all(position.liberties(point) > 0 for point in stones)
    assert all(position.color_at(point) == EMPTY and position.is_legal(point) for point in problem.right)
    assert 1 <= len(problem.right) <= 2
    assert problem.why[0].isupper() and problem.why.endswith(".") and 40 < len(problem.why) < 130


def all_looks(position):
    """Return the stones as every symmetry and swap of the colours shows them."""
    table = symmetry_table(9)
    colors = position.board["color"]
    points = [point for point in range(POINTS) if table[0][point]]
    return {
        tuple(sorted((int(turn[p]), (int(colors[p]) * swap) % 3) for p in points if colors[p] in (BLACK, WHITE)))
        for turn in table
        for swap in (1, 2)
    }


def test_no_two_problems_are_the_same_up_to_symmetry_and_colours():
    seen = [all_looks(problem.position) for problem in PROBLEMS]
    assert all(len(looks) > 1 for looks in seen)
    turned = Position.from_text("O O .\n. . .\n. . .")
    assert len(all_looks(turned)) == 16
    for i, looks in enumerate(seen):
        for other in seen[:i]:
            assert not looks & other


@functools.cache
def solved(name: str) -> dict[int, int]:
    problem = next(problem for problem in PROBLEMS if problem.name == name)
    return Solver(problem.position.komi).moves(problem.position)


@EACH
def test_the_letters_are_exactly_the_winning_moves(problem):
    """All forty are within the reach of the exact solver: none is left to other engines alone."""
    found = solved(problem.name)
    assert names(m for m, result in found.items() if result == UNKNOWN) == []
    assert names(m for m, result in found.items() if result == WIN) == names(problem.right)
    assert found[PASS] == LOSS


@EACH
def test_a_move_where_nothing_is_at_stake_loses_too(problem):
    """The solver leaves such moves out; they differ from a pass in that the other side cannot end the game at once."""
    position = problem.position.copy()
    position.set_up(to_move=BLACK + WHITE - position.to_move)
    assert Solver(position.komi).outcome(position) == WIN


@pytest.mark.parametrize("problem", FIRSTS, ids=[problem.kind for problem in FIRSTS])
def test_with_a_komi_too_high_or_too_low_all_moves_are_alike(problem):
    """So the komi is part of the problem, and the solver does count."""
    for margin, expected in ((81, LOSS), (-81, WIN)):
        komi = margin + 0.5 if problem.position.to_move == BLACK else -margin - 0.5
        assert set(Solver(komi).moves(problem.position).values()) == {expected}


WRONG = """capture 1, black to move, komi {komi}
The letter stands where it should not.
{board}"""


def test_a_wrong_letter_is_found_out():
    """The three white stones can be captured at a; b, on the other side, is too late."""
    board = """\
    . . . O X . . . X
    O O O O X X X X X
    . . O O X . . . .
    O O O O X . . . .
    . . . O X X X . .
    . . . O O X X X X
    . O . O O O O X .
    O O O O X X O X .
    O b X X . X a X ."""
    results = []
    for letter, other in ("ab", "ba"):
        drawn = board.replace(other, ".").replace(letter, "a")
        (problem,) = read_problems(WRONG.format(komi=-4.5, board=drawn).replace("black to", "white to"))
        found = Solver(-4.5).moves(problem.position)
        results.append(frozenset(m for m, result in found.items() if result == WIN) == problem.right)
    assert results == [True, False]


@pytest.mark.parametrize(
    "change",
    [
        ("capture 1", "captures 1"),
        ("black to move", "Black to move"),
        ("komi 0.5", "komi 1"),
        ("a .", ". ."),
        ("a .", "a b"),
    ],
)
def test_a_block_that_is_not_a_problem_is_refused(change):
    good = "capture 1, black to move, komi 0.5\nA sentence.\nX O .\na . O\n. O ."
    (problem,) = read_problems(good)
    assert problem[:2] == ("capture 1", "capture") and problem.why == "A sentence."
    assert problem.right == {problem.position.at("a")}
    with pytest.raises(ValueError):
        read_problems(good.replace(*change))


def settled(board):
    """Return the board with b and w on the points that are black's and white's whatever happens."""
    position = Position.from_text(board)
    marks = np.zeros(POINTS, np.uint8)
    for color in (BLACK, WHITE):
        settled_points(position.boards[0], color, marks)
    rows = position.by_row_and_column(marks)
    return "\n".join(" ".join(".bw"[mark] for mark in row) for row in rows)


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        (  # two eyes; a white stone in a hopeless place; an open side
            """. X . X O
               X X X X .
               O . X X .
               . X X . O
               X X . O .""",
            """b b b b .
               b b b b .
               b b b b .
               b b b . .
               b b . . .""",
        ),
        (  # white stones with one eye and no room for another are dead
            """. O X . X
               O O X X X
               X X X . X
               X . X X X
               X X X X .""",
            "\n".join(["b b b b b"] * 5),
        ),
        (  # alive with two eyes on the right; on the left there is room for two eyes of white's
            """. . . X .
               . . . X X
               . . . X .
               . . . X X
               . . . X .""",
            """. . . b b
               . . . b b
               . . . b b
               . . . b b
               . . . b b""",
        ),
        (  # a corner of two by three has no such room
            """. . X . X
               . . X X X
               . . X . X
               X X X X X
               X X X X X""",
            "\n".join(["b b b b b"] * 5),
        ),
        (  # one large eye is no two
            """. . X . .
               X X X . .
               . . . . .
               . . . . .
               . . . . .""",
            "\n".join([". . . . ."] * 5),
        ),
    ],
)
def test_settled_points(board, expected):
    assert settled(board) == "\n".join(line.strip() for line in expected.splitlines())
    swapped = settled(board.translate(str.maketrans("XO", "OX")))
    assert swapped.translate(str.maketrans("bw", "wb")) == settled(board)


def play_out(problem, seed):
    """Play a problem to its end by the rules: one side by the solver, the other at random; return the score."""
    position, rng = problem.position.copy(), random.Random(seed)
    me, solver = position.to_move, Solver(position.komi)
    position.play(min(problem.right))
    while not position.is_over and len(position.history) < 150:
        if position.to_move != me:
            legal = position.legal_moves().tolist()
            position.play(rng.choice(legal) if legal and rng.random() < 0.9 else PASS)
            continue
        found = solver.moves(position)
        winning = [move for move, result in found.items() if result == WIN and position.is_legal(move)]
        assert winning, position
        ahead = (position.score() > 0) == (me == BLACK)
        position.play(winning[0] if winning[0] != PASS or ahead else removal(position, me))
    return position.score() if me == BLACK else -position.score()


def removal(position, me):
    """Return a move next to enemy stones in one's own settled region, or a pass."""
    marks = np.zeros(POINTS, np.uint8)
    settled_points(position.boards[0], me, marks)
    colors = position.board["color"]
    for point in position.legal_moves().tolist():
        near = [colors[point + step] for step in (-21, -1, 1, 21)]
        if marks[point] == me and BLACK + WHITE - me in near:
            return point
    return PASS


@pytest.mark.parametrize("problem", FIRSTS, ids=[problem.kind for problem in FIRSTS])
def test_whoever_follows_the_solver_wins_by_the_rules(problem):
    """Superko included, and with every stone that was proved dead really taken off."""
    for seed in range(2):
        assert play_out(problem, seed) > 0


def gnugo_finishes(engine, problem, first):
    """Have GNU Go play both sides after a first move; return who it says has won, dead stones taken off."""
    position, player = problem.position.copy().play(first), EnginePlayer(engine)
    play_game({BLACK: player, WHITE: player}, position, move_limit=150)
    return {"B": BLACK, "W": WHITE}[player.final_score(position)[0]]


def test_gnu_go_wins_with_the_right_moves_and_loses_after_a_pass(gnugo):
    """A second opinion; and as GNU Go agrees on dead stones, no pass is wrong only because the game ended with it."""
    command = f"{gnugo} --mode gtp --level 10 --chinese-rules --positional-superko --never-resign"
    with Engine(command) as engine:
        for problem in PROBLEMS:
            me = problem.position.to_move
            for move in (*sorted(problem.right), PASS):
                won = gnugo_finishes(engine, problem, move) == me
                assert won == (move in problem.right), (problem.name, move)
