"""Ladders on drawn boards, seen from all sides, against answers found by hand and against GNU Go."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pytest
import reference
from ladder_problems import MAPS, PROBLEMS, Problem

from go import EMPTY, Position
from go.coordinates import POINTS, SYMMETRIES, gtp_from_point, point_from_action, point_from_rowcol
from go.ladders import HITS, _mark_ladders, ladder_captures, ladder_escapes, new_scratch
from gtp.client import Engine

# Where a chain escapes from the ladder, but GNU Go, which reads more than ladders, catches it all the same.
DIFFERENCES = {
    ("a short one on 5x5", "b"): "it comes out with three liberties, but C3 and D3 shut it in on the small board",
    ("a short one on 5x5, broken", "b"): "the same; the breaker of the other path is not on this one",
    ("a breaker for one of the two paths", "a"): "after two ataris, F5 is a net",
    ("a net at n would catch it, but no atari does", "a"): "after two ataris, F5 is a net",
    ("a net at n would catch it, but no atari does", "b"): "after one atari, F6 is a net",
    ("turned by a stone, it runs into the next breaker", "a"): "after one atari, K9 is a net",
    ("crawling round the corner behind two friends to a third", "a"): "after one atari, E6 is a net",
    ("the hunter may not retake", "k"): "GNU Go retakes the ko after a threat elsewhere, which no ladder has",
    ("one point for both: the prey connects", "a"): "it has three liberties, but F5, no atari, shuts it in",
    (
        "one atari on two chains catches the one at the edge",
        "b",
    ): "it comes out with three liberties, but C3 shuts it in",
}

each_problem = pytest.mark.parametrize(
    "problem", [pytest.param(problem, id=f"{problem.category}: {problem.name}") for problem in PROBLEMS]
)


def points_of(problem: Problem, position: Position, answer: str) -> set[int]:
    return {position.at(letter) for letter in problem.answers[answer]}


def test_the_collection_is_whole():
    """Names are unique, every open letter has an answer, and no answer is about a stone."""
    names = Counter(problem.name for problem in PROBLEMS)
    assert len(PROBLEMS) >= 40 and max(names.values()) == 1
    assert {problem.position().size for problem in PROBLEMS} == {5, 7, 9, 11, 13, 19}
    for problem in PROBLEMS:
        position = problem.position()
        open_letters = {name for name in position.named_points if position.color_at(position.at(name)) == EMPTY}
        assert set("".join(problem.answers.values())) == open_letters, problem.name


@each_problem
def test_each_lettered_point(problem):
    position = problem.position()
    captures, escapes = ladder_captures(position), ladder_escapes(position)
    for answer, letters in problem.answers.items():
        for letter in letters:
            point = position.at(letter)
            assert (point in captures) == (letter in problem.answers["captures"]), f"{answer} {letter}"
            assert (point in escapes) == (letter in problem.answers["escapes"]), f"{answer} {letter}"


@each_problem
def test_no_other_point_from_any_side_and_in_either_colour(problem):
    for swapped in (False, True):
        for symmetry in range(SYMMETRIES):
            position = problem.position(symmetry, swapped)
            before = str(position)
            assert ladder_captures(position) == points_of(problem, position, "captures")
            assert ladder_escapes(position) == points_of(problem, position, "escapes")
            assert str(position) == before


class Chain(NamedTuple):
    stones: set[int]
    color: int
    liberties: set[int]
    ways_out: set[int]  # if it is in atari: its last liberty, and those of hunters in atari that touch it


def chains(position: Position) -> list[Chain]:
    """Find all chains on the board, in a slow way that is obviously right."""
    colors, found, seen = position.colors, [], set()

    def points(places: Iterable[tuple[int, int]]) -> set[int]:
        return {point_from_rowcol(*place, position.size) for place in places}

    for place in map(tuple, np.argwhere(colors != EMPTY).tolist()):
        if place not in seen:
            stones, around = reference.region(colors, *place)
            seen |= stones
            liberties = reference.liberties(colors, *place)
            hunters = [reference.liberties(colors, *other) for other in around if colors[other] != EMPTY]
            ways_out = liberties.union(*(last for last in hunters if len(last) == 1))
            found.append(Chain(points(stones), int(colors[place]), points(liberties), points(ways_out)))
    return found


def concerned(position: Position, point: int, answer: str) -> list[Chain]:
    """Return the chains that a move gives atari to or, if the answer is about an escape, those that it may save."""
    if answer in ("captures", "misses"):
        preys = [chain for chain in chains(position) if chain.color != position.to_move and len(chain.liberties) == 2]
        return [chain for chain in preys if point in chain.liberties]
    preys = [chain for chain in chains(position) if chain.color == position.to_move and len(chain.liberties) == 1]
    return [chain for chain in preys if point in chain.ways_out]


def is_lost(position: Position, stone: int) -> bool:
    """Tell from the planes whether the chain with this stone, after a move that concerns it, is lost in a ladder."""
    chain = next(chain for chain in chains(position) if stone in chain.stones)
    if chain.color == position.to_move:
        return not chain.ways_out & ladder_escapes(position)
    if len(chain.liberties) == 1:
        return position.is_legal(min(chain.liberties))
    return len(chain.liberties) == 2 and bool(chain.liberties & ladder_captures(position))


def questions(problem: Problem) -> Iterator[tuple[str, str, list[int], Position]]:
    """Go through the moves asked about: the answer, the letter, a stone of each chain concerned, the position after."""
    for answer in ("captures", "misses", "escapes", "caught"):
        for letter in problem.answers[answer]:
            position = problem.position()
            position.superko = False
            point = position.at(letter)
            preys = concerned(position, point, answer)
            assert preys, f"{letter} concerns no chain"
            yield answer, letter, [min(prey.stones) for prey in preys], position.play(point)


@each_problem
def test_one_move_later_the_other_plane_says_the_same(problem):
    for answer, letter, stones, position in questions(problem):
        lost = [is_lost(position, stone) for stone in stones]
        expected = {"captures": any(lost), "misses": not any(lost), "escapes": not all(lost), "caught": all(lost)}
        assert expected[answer], f"{answer} {letter}"


def map_positions(drawing: str) -> Iterator[tuple[Position, bool]]:
    """Put a stone of the prey on each empty point of a map in turn; tell whether it should break the ladder."""
    plain = drawing.replace("#", ".")
    marks = [cell for cell in drawing if not cell.isspace()]
    size = math.isqrt(len(marks))
    for action, mark in enumerate(marks):
        if mark in ".#":
            position = Position.from_text(plain)
            yield position.set_up(white=[point_from_action(action, size)]), mark == "#"


@pytest.mark.parametrize("drawing", MAPS, ids=["9x9", "13x13"])
def test_map_of_breakers(drawing):
    positions = list(map_positions(drawing))
    assert len(positions) in (9 * 9 - 5, 13 * 13 - 5)
    for position, broken in positions:
        assert (position.at("a") not in ladder_captures(position)) == broken, str(position)


@pytest.fixture(scope="module")
def engine(gnugo):
    with Engine(f"{gnugo} --mode gtp --chinese-rules --forbid-suicide --level 10") as engine:
        yield engine


def set_to(engine: Engine, position: Position) -> None:
    """Bring GNU Go to a position, set-up stones first and then the moves, so that it knows of a ko."""
    start = position.copy()
    while start.history:
        start.undo()
    engine.boardsize(position.size)
    engine.clear_board()
    engine.send("clear_cache")  # or it takes the same stones on a board of another size for the same position
    for row, column in np.argwhere(start.colors != EMPTY).tolist():
        engine.play(int(start.colors[row, column]), point_from_rowcol(row, column, position.size))
    for color, point in position.history:
        engine.play(color, point)


def gnugo_says_lost(engine: Engine, position: Position, stone: int) -> bool:
    """Ask whether the chain falls, whoever is to move; what depends on a ko goes to the side to move."""
    command = "defend" if position.color_at(stone) == position.to_move else "attack"
    succeeds = not engine.send(f"{command} {gtp_from_point(stone, position.size)}").startswith("0")
    return succeeds == (command == "attack")


def test_gnu_go_agrees_but_for_what_it_catches_without_a_ladder(engine):
    differences = set()
    for problem in PROBLEMS:
        for answer, letter, stones, position in questions(problem):
            set_to(engine, position)
            lost = [gnugo_says_lost(engine, position, stone) for stone in stones]
            if answer in ("captures", "caught"):
                assert any(lost) if answer == "captures" else all(lost), f"{problem.name}: {answer} {letter}"
            elif any(lost) if answer == "misses" else all(lost):
                differences.add((problem.name, letter))
    assert differences == DIFFERENCES.keys()


def test_gnu_go_agrees_with_the_map_of_breakers(engine):
    for drawing in MAPS:
        for position, broken in map_positions(drawing):
            prey = position.point("D7" if position.size == 9 else "D11")
            set_to(engine, position.play(position.at("a")))
            assert gnugo_says_lost(engine, position, prey) != broken, str(position)


def test_a_chain_with_too_many_answers_is_counted_and_nothing_is_claimed():
    """A black chain in atari touches twenty white chains in atari, any of which it may capture: more than are read."""
    outer, inner = " ".join(". O" for _ in range(9)) + " .", " ".join("O X" for _ in range(9)) + " O"
    empty = " ".join("." * 19)
    with_liberty = ". ." + outer[3:]
    rows = [empty, with_liberty, inner, " ".join("X" * 19), inner, outer, *[empty] * 13]
    position = Position.from_text("\n".join(rows))
    assert position.liberties("A16") == 1
    scratch, captures, escapes = new_scratch(), np.zeros(POINTS, np.uint8), np.zeros(POINTS, np.uint8)
    _mark_ladders(position.boards, scratch, captures, escapes)
    assert not escapes.any() and scratch.counts[HITS] == 1
