"""The features of the rollout and the tree policy: on drawn boards, and against the reference on real and random games.

PREZERO_POSITIONS says how many positions are compared with the reference, for all sources together.
"""

import functools
import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import planes_reference as rules
import pytest
import rollout_reference as reference
from conftest import ROOT, store_of
from test_features_reference import STYLES

from data.record import Record, to_sgf
from data.replay import decode_move, encode_move
from data.sources import Item, Reading
from data.store import GameStore
from go.board import BLACK, BORDER, EMPTY, LEAST_TAKEN, LIBERTY_BITS, MOST_TAKEN, WHITE
from go.coordinates import (
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    POINTS,
    STRIDE,
    action_from_point,
    gtp_from_point,
    point_from_action,
    point_from_gtp,
)
from go.playout import new_rng, random_move
from go.position import Position
from rollout import patterns
from rollout.features import Tables, find_candidates, new_candidates
from rollout.games import begin_game, earlier_point, games_of, new_replay, play_ply, prepare_ply
from rollout.harvest import harvest
from rollout.lookup import FREE, diamond_table, find, response_table, square_table
from rollout.model import Model
from rollout.nakade import shape_table
from rollout.tracker import begin, new_tracker, play_tracked

POSITIONS = int(os.environ.get("PREZERO_POSITIONS", "2000"))
SHARES = {"kgs19": 0.1, "tygem9d": 0.1, "expert9": 0.3, "random": 0.5}
SIZES = {"kgs19": 19, "tygem9d": 19, "expert9": 9}
GAMES = {"kgs19": 60, "tygem9d": 60, "expert9": 300}
WORK = new_candidates()


@functools.cache
def nakade_names() -> list[reference.Feature]:
    """Name the nakade features in the order of their numbers."""
    codes, points, count = shape_table()
    names = {}
    for code, row in zip(codes.tolist(), points.tolist(), strict=True):
        cells = [divmod(bit, 6) for bit in range(36) if code >> bit & 1]
        for cell, number in zip(cells, row, strict=False):
            name = ("nakade", *reference.canonical_shape(frozenset(cells), cell))
            assert names.setdefault(number, name) == name
    assert sorted(names) == list(range(count)) and len(set(names.values())) == count
    return [names[number] for number in range(count)]


def feature_names(model: Model) -> list[reference.Feature]:
    """Name the features of a model in the order of its weights."""
    names = [
        "response",
        "save atari",
        *(("neighbour", direction) for direction in range(8)),
        *nakade_names(),
        *(("response", *pair) for pair in zip(model.responses.tolist(), model.places.tolist(), strict=True)),
        *(("square", code) for code in model.squares.tolist()),
    ]
    if model.is_tree:
        names += ["self-atari", *(("distance", back, d) for back in (1, 2) for d in range(1, 18))]
        names += [("diamond", code) for code in model.diamonds.tolist()]
    assert len(names) == len(model.weights) == len(set(names))
    return names


def found_by_kernel(board, tracker, tables: Tables, last: int, before: int, names: list) -> dict[int, set]:
    """Return the features of each candidate as the kernel finds them."""
    count = find_candidates(board, tracker, tables, last, before, WORK)
    found = {}
    for point, row in zip(WORK.points[:count].tolist(), WORK.features[:count].tolist(), strict=True):
        fires = [names[number] for number in row if number != FREE]
        assert len(set(fires)) == len(fires)
        found[action_from_point(point, int(board["rows"]))] = set(fires)
    assert len(found) == count
    return found


def difference(seen: reference.Seen, found: dict[int, set], expected: dict[int, set]) -> str:
    """Say where the kernel and the reference differ."""
    lines = [str(np.frombuffer(seen.at.stones, np.uint8).reshape(seen.at.size, -1)), str(seen)]
    for point in sorted(found.keys() | expected.keys()):
        kernel, slow = found.get(point, {"no candidate"}), expected.get(point, {"no candidate"})
        if kernel != slow:
            lines.append(f"{divmod(point, seen.at.size)}: kernel only {kernel - slow}, reference only {slow - kernel}")
    return "\n".join(lines)


@functools.lru_cache(maxsize=1)  # the table of 3x3 patterns is large
def drawn_policy(*knows: reference.Feature) -> tuple[Tables, list]:
    """Make a tree policy that knows these patterns and no others."""

    def codes(kind: str, part: int = 1) -> np.ndarray:
        return np.array([feature[part] for feature in knows if feature[0] == kind], np.int64)

    model = Model.untrained(codes("square"), codes("response"), codes("response", 2), codes("diamond"))
    return model.tables(), feature_names(model)


def turned_back(feature: reference.Feature, symmetry: int) -> reference.Feature:
    """Return a feature of a turned board as it was before; only directions turn along."""
    if feature[0] != "neighbour":
        return feature
    return "neighbour", patterns.SQUARE_IMAGES[symmetry].tolist().index(feature[1])


def where(text: str, kind: str, moves: str = "", knows: tuple = ()) -> dict[str, set]:
    """Return at which points of a drawn board features of a kind fire, and which; black is to move after the moves.

    `moves` are letters of the board and `-` for a pass. Points without a letter are called by their vertex. The same is
    tried with the colours swapped and in all symmetries, and all features are compared with the reference.
    """
    tables, names = drawn_policy(*knows)
    grid = np.array([line.split() for line in text.strip().splitlines()])
    size = len(grid)
    vertices = np.array([gtp_from_point(point_from_action(a, size), size) for a in range(size * size)])
    called = np.where(np.char.islower(grid), grid, vertices.reshape(size, size))
    results = []
    for color, symmetry in itertools.product((BLACK, WHITE), range(8)):
        turned, calls = (turn(part, symmetry) for part in (grid, called))
        drawing = "\n".join(" ".join(row) for row in turned)
        if color == WHITE:
            drawing = drawing.translate(str.maketrans("XO", "OX"))
        other = BLACK + WHITE - color
        position = Position.from_text(drawing, to_move=color if len(moves) % 2 == 0 else other)
        found = {}
        for point, fires in play_and_look(position, moves, tables, names).items():
            chosen = {turned_back(f, symmetry) for f in fires if kind == (f if isinstance(f, str) else f[0])}
            if chosen:
                found[str(calls.reshape(-1)[point])] = chosen
        results.append(found)
    assert all(result == results[0] for result in results), results
    return results[0]


def turn(grid: np.ndarray, symmetry: int) -> np.ndarray:
    grid = grid.T if symmetry & 4 else grid
    grid = grid[::-1] if symmetry & 2 else grid
    return grid[:, ::-1] if symmetry & 1 else grid


def play_and_look(position: Position, moves: str, tables: Tables, names: list) -> dict[int, set]:
    """Play moves on a drawn position and return the features of all candidates."""
    tracker, at = new_tracker(), rules.of_position(position)
    begin(position.board, tracker[0])
    points, taken = [PASS, PASS], set()
    for name in moves:
        point = PASS if name == "-" else position.at(name)
        play_tracked(position.board, tracker[0], point)
        points.append(point)
        move = (
            None
            if point == PASS
            else rules.after(at.size, at.stones, at.ko, action_from_point(point, at.size), at.to_move)
        )
        taken = move.captured if move else set()
        stones, ko = (move.stones, move.ko) if move else (at.stones, None)
        at = rules.Situation(at.size, stones, ko, rules.other(at.to_move), {})
    earlier = [None if point == PASS else action_from_point(point, at.size) for point in points]
    seen = reference.Seen(at, earlier[-1], earlier[-2], frozenset(taken))
    found = found_by_kernel(position.board, tracker[0], tables, points[-1], points[-2], names)
    expected = reference.known(reference.features(seen), set(names))
    assert found == expected, difference(seen, found, expected)
    return found


def named(found: dict[str, set]) -> str:
    return "".join(sorted(found))


def square(text: str) -> tuple[str, int]:
    """Name the 3x3 pattern with these states: 0 empty, 1 to 3 own, 4 to 6 the enemy's, 7 border."""
    return "square", reference.canonical(tuple(map(int, text.split())), reference.SQUARE)[0]


def diamond(text: str) -> tuple[str, int]:
    return "diamond", reference.canonical(tuple(map(int, text.split())), reference.DIAMOND)[0]


STONE = """
    . . . . . . .
    . . . . . . .
    . . a b c . .
    . . d X e . .
    . . f g h . .
    . . . . . . .
    . . . . . . .
"""


def test_3x3_patterns_see_stones_by_their_place_and_colour():
    assert square("0 3 0 0 0 0 0 0") == square("0 0 0 3 0 0 0 0") == ("square", 3 * 8)
    for stone, state in (("X", 3), ("O", 6)):
        drawn = STONE.replace("X", stone)
        beside, corner = ("square", 8 * state), ("square", state)
        assert named(where(drawn, "square", knows=(beside,))) == "bdeg"
        assert named(where(drawn, "square", knows=(corner,))) == "acfh"
        assert where(drawn, "square", knows=(("square", 8 * (9 - state)),)) == {}


def test_3x3_patterns_see_liberties():
    two = """
        . . . . . . .
        . . . O . . .
        . . a X b . .
        . . . O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    one, third = (
        two.replace("a", "O"),
        two.replace(" O . . .\n        . . . . . . .", " . . . .\n        . . . . . . ."),
    )
    assert third.count("O") == 1
    assert named(where(two, "square", knows=(square("6 0 0  2 0  6 0 0"),))) == "ab"
    assert named(where(one, "square", knows=(square("6 0 0  1 0  6 0 0"),))) == "b"
    assert named(where(third, "square", knows=(square("6 0 0  3 0  0 0 0"),))) == "ab"
    assert where(one, "square", knows=(square("6 0 0  2 0  6 0 0"),)) == {}
    assert where(two, "square", knows=(square("6 0 0  3 0  6 0 0"),)) == {}


def test_3x3_patterns_see_the_border():
    drawn = """
        a b c d e
        f . . . g
        h . . . i
        j . . . k
        l m n p q
    """
    assert named(where(drawn, "square", knows=(("square", 0o707777),))) == "aelq"
    assert named(where(drawn, "square", knows=(("square", 0o777),))) == "bcdfghijkmnp"
    assert len(where(drawn, "square", knows=(("square", 0),))) == 9


def test_a_pattern_that_is_not_in_the_table_fires_nothing():
    for kind in ("square", "diamond", "response"):
        assert where(STONE, kind, moves="a") == {}


def test_neighbours_by_direction():
    drawn = """
        . . . . . . .
        . a b c . . .
        . d m e . . .
        . f g h . . .
        . . . . . . .
        . . . . . . .
        . . . . . n .
    """
    assert where(drawn, "neighbour", "m") == {name: {("neighbour", k)} for k, name in enumerate("abcdefgh")}
    assert where(drawn, "neighbour", "mn-") == {} == where(drawn, "neighbour")
    edge = where(drawn, "neighbour", "n")
    assert edge == {"E2": {("neighbour", 0)}, "F2": {("neighbour", 1)}, "G2": {("neighbour", 2)}} | {
        "E1": {("neighbour", 3)},
        "G1": {("neighbour", 4)},
    }


RESPONSE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . a . . . .
    . . . b c d . . .
    . . e f m g h . .
    . . . i j k . . .
    . . . . l . . . .
    . . . . . . . . .
    . . . . . . . . n
"""


def test_response_patterns_name_the_diamond_and_the_point_in_it():
    jump, corner, contact = (("response", 0, place) for place in (0, 1, 2))
    everything = where(RESPONSE, "response", "m", (jump, corner, contact))
    assert {name: fires - {"response"} for name, fires in everything.items()} == {
        name: {feature} for names, feature in (("aehl", jump), ("bdik", corner), ("cfgj", contact)) for name in names
    }
    assert all("response" in fires for fires in everything.values())
    assert named(where(RESPONSE, "response", "m", (corner,))) == "bdik"
    assert where(RESPONSE, "response", "mn-", (jump, corner, contact)) == {}
    assert where(RESPONSE, "response", "n", (jump, corner, contact)) == {}


def test_response_patterns_see_liberties_and_tell_points_apart():
    """An own stone that the previous move has put into atari: only one of the points around is the answer."""
    drawn = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . a . . . .
        . . . b O d . . .
        . . e O X m h . .
        . . . i c k . . .
        . . . . l . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    states = (0, 6, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0)  # seen from the previous move
    below = ("response", *reference.canonical(states, reference.DIAMOND, 8))
    assert named(where(drawn, "response", "m", (below,))) == "c"
    two = ("response", *reference.canonical((0, 6, 0, 0, 6, 2, 0, 0, 0, 0, 0, 0), reference.DIAMOND, 8))
    assert where(drawn, "response", "m", (two,)) == {}


def test_diamond_patterns_around_the_move():
    lone = tuple(diamond(" ".join("3" if k == place else "0" for k in range(12))) for place in (0, 1, 2))
    assert [code for _, code in lone] == [3, 3 * 8, 3 * 64]
    drawn = RESPONSE.replace("m", "X")
    assert named(where(drawn, "diamond", knows=lone[:1])) == "aehl"
    assert named(where(drawn, "diamond", knows=lone[1:2])) == "bdik"
    assert named(where(drawn, "diamond", knows=lone[2:])) == "cfgj"
    assert where(drawn.replace("X", "O"), "diamond", knows=lone) == {}


SAVES = {
    "extension to three liberties": (
        """
        . . . . .
        . . O . .
        . O X O .
        . . a . .
        . . . . .
        """,
        "a",
    ),
    "extension that stays in atari": (
        """
        . . . . .
        . . . . .
        . . . . .
        O O b . .
        O X a O .
        """,
        "",
    ),
    "connection to a strong chain": (
        """
        . . . . .
        O O . . .
        X a X . .
        O O . . .
        . . . . .
        """,
        "a",
    ),
    "connection of two chains that share their last liberty": (
        """
        . O b O .
        O X a X O
        . O O O .
        . . . . .
        . . . . .
        """,
        "",
    ),
    "connection to a chain whose other liberty is the point's own": (
        """
        . O O O .
        O X a X O
        . O c X O
        . . O O .
        . . . . .
        """,
        "",
    ),
    "connection to a chain with a liberty of its own": (
        """
        . O O O . .
        O X a X O .
        . O c X . .
        . . O O . .
        . . . . . .
        . . . . . .
        """,
        "a",
    ),
    "capture of the attacker next to it": (
        """
        . . X . .
        . X O a .
        . O X O .
        . . d . .
        . . . . .
        """,
        "ad",
    ),
    "capture of the attacker far along its chain": (
        """
        X X X X X X .
        X O O O O a .
        O X O X X . .
        O d X . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
        "ad",
    ),
    "capture that leaves the chain in atari": (
        """
        . . . . . .
        . X O O . .
        X O a X O .
        . X O O . .
        . . . . . .
        . . . . . .
        """,
        "",
    ),
    "capture that gives the chain two liberties": (
        """
        . . . . . .
        . X O . . .
        X O a O . .
        X O X O . .
        . X O . . .
        . . . . . .
        """,
        "a",
    ),
    "the enemy's stones in atari are not saved": (
        """
        . . . . .
        . . X . .
        . X O X .
        . . a . .
        . . . . .
        """,
        "",
    ),
    "own stones in one corner, the enemy's in another": (
        """
        O X . . . . .
        a . . . . . .
        . . . . . . .
        . . . . O . .
        . . . O X b .
        . . . . O . .
        . . . . . . .
        """,
        "b",
    ),
}


@pytest.mark.parametrize("case", SAVES)
def test_save_atari(case):
    drawn, expected = SAVES[case]
    assert named(where(drawn, "save atari")) == expected


def test_save_atari_by_a_capture_that_ko_forbids():
    drawn = """
        . O . . . .
        e X O . . .
        X m X O . .
        . X O . . .
        . . . . . .
        . . q . . p
    """
    assert sorted(where(drawn, "save atari", "m")) == ["e"]
    assert sorted(where(drawn, "save atari", "mpq")) == ["C4", "e"]


def test_self_atari():
    drawn = """
        a X . . . . .
        O O . O . . .
        . . . i O . .
        . . . O X e O
        . . . j O f O
        . . . O g O h
        d O . . . . .
    """
    assert named(where(drawn, "self-atari")) == "adfghij"


NAKADE = {
    "straight three": ("X X X", 2),
    "bent three": ("X X / X .", 2),
    "straight four": ("X X X X", 2),
    "square four": ("X X / X X", 1),
    "T four": ("X X X / . X .", 3),
    "bent four": ("X X X / X . .", 4),
    "bulky five": ("X X . / X X X", 5),
    "cross five": (". X . / X X X / . X .", 2),
    "rabbity six": (". X . / X X X / . X X", 4),
    "two by three": ("X X X / X X X", 2),
    "straight six": ("X X X X X X", 3),
    "stairs of six": ("X X . . / . X X . / . . X X", 3),
}


def captured_shape(shape: str) -> str:
    """Draw stones in the middle of a board that white captures with a move at m."""
    cells = {(r + 4, c + 3) for r, row in enumerate(shape.split("/")) for c, x in enumerate(row.split()) if x == "X"}
    around = {(r + y, c + x) for r, c in cells for y, x in ((-1, 0), (0, -1), (0, 1), (1, 0))} - cells
    last = max(around)
    letters = {**dict.fromkeys(cells, "X"), **dict.fromkeys(around, "O"), last: "m"}
    return "\n".join(" ".join(letters.get((row, column), ".") for column in range(11)) for row in range(11))


def stones_of(drawn: str) -> set[str]:
    return {
        f"{'ABCDEFGHJKL'[c]}{11 - r}"
        for r, line in enumerate(drawn.splitlines())
        for c, x in enumerate(line.split())
        if x == "X"
    }


@pytest.mark.parametrize("name", NAKADE)
def test_nakade_of_each_shape(name):
    shape, different = NAKADE[name]
    drawn = captured_shape(shape)
    found = where(drawn, "nakade", "m")
    assert set(found) == stones_of(drawn)
    assert all(len(fires) == 1 for fires in found.values())
    assert len(set().union(*found.values())) == different
    assert where(drawn, "nakade", "m--") == {} and where(drawn, "nakade") == {}


def test_nakade_of_three_to_six_stones_in_one_piece_only():
    for shape in ("X", "X X", "X X X X / X X X .", "X X X X X X X", "X X X X / X X X X"):
        assert where(captured_shape(shape), "nakade", "m") == {}
    pieces = """
        . . . . . . . . .
        . O O O . O . . .
        O X X X m X O . .
        . O O O . O . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    assert where(pieces, "nakade", "m") == {}
    assert named(where(pieces.replace("m X O", "m . O"), "nakade", "m")) == "B7C7D7"


def test_nakade_is_for_the_side_that_lost_the_stones(tmp_path):
    """White takes three stones and moves again, as records sometimes have it: the space is no nakade for white."""
    drawn = captured_shape("X X X")
    position = Position.from_text(drawn, to_move=WHITE)
    stones = [(0, int(position.board["color"][p]), p) for p in range(POINTS) if position.board["color"][p] in (1, 2)]
    for color in (BLACK, WHITE):
        moves = [encode_move(WHITE, position.at("m")), encode_move(color, point_from_gtp("A1", 11))]
        record = Record(11, np.array(moves, np.int16), np.array(stones, np.int16))
        store = store_of(tmp_path / str(color), [to_sgf(record)], 11)
        fired = compare(store, [drawn_policy()], 2, seed=1)
        assert fired["positions"] == 2 and fired["nakade"] == (3 if color == BLACK else 0)


def test_the_vital_points_of_the_classical_shapes():
    """Spelt out: the shape in its smallest image, and the point."""
    t_four = ((0, 0), (0, 1), (0, 2), (1, 1))
    bulky = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))
    cross = ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1))
    for name, vital, feature in (
        ("T four", "E7", (t_four, (0, 1))),
        ("bulky five", "E6", (bulky, (0, 1))),
        ("cross five", "E6", (cross, (1, 1))),
    ):
        found = where(captured_shape(NAKADE[name][0]), "nakade", "m")
        assert [point for point, fires in found.items() if ("nakade", *feature) in fires] == [vital]


def test_there_are_54_shapes_and_234_nakade_features():
    names = nakade_names()
    sizes = Counter(len(shape) for shape in {shape for _, shape, _ in names})
    assert sizes == {3: 2, 4: 5, 5: 12, 6: 35} and len(names) == 234


def test_distances_to_the_last_two_moves():
    drawn = """
        . . . . .
        . b . . .
        . . . . .
        . . . m .
        . . . . .
    """
    found = where(drawn, "distance", "bm")
    assert found["A5"] == {("distance", 1, 6), ("distance", 2, 2)}
    assert found["D3"] == {("distance", 1, 1), ("distance", 2, 3)}
    assert found["E1"] == {("distance", 1, 2), ("distance", 2, 6)}
    assert len(found) == 23
    assert where(drawn, "distance", "b-")["D3"] == {("distance", 2, 3)}
    assert where(drawn, "distance", "-m")["D3"] == {("distance", 1, 1)}
    assert where(drawn, "distance", "--") == {}


def test_distances_above_16_are_one_class():
    grid = [["."] * 19 for _ in range(19)]
    grid[0][0] = "m"
    found = where("\n".join(map(" ".join, grid)), "distance", "m")
    assert len(found) == 19 * 19 - 1
    for vertex, distance in (("B19", 1), ("T19", 17), ("S19", 17), ("R19", 16), ("J11", 16), ("J10", 17), ("T1", 17)):
        assert found[vertex] == {("distance", 1, distance)}


def test_a_move_onto_an_earlier_one_that_was_captured_has_no_distance_to_it():
    snapback = """
        O b m X .
        O O O X .
        X X X X .
        . . . . .
        . . . . .
    """
    found = where(snapback, "distance", "bm")
    assert found["b"] == {("distance", 1, 1)} and found["E5"] == {("distance", 1, 2), ("distance", 2, 3)}


@pytest.fixture(scope="module")
def expert9(tmp_path_factory) -> GameStore:
    return real_games("expert9", ROOT / "data" / "corpus", tmp_path_factory.mktemp("expert9"))


def real_games(source: str, folder: Path, target: Path) -> GameStore:
    archive = next(folder.glob(f"{source}.*"))
    records = (item.data for item in Reading([archive]) if isinstance(item, Item))
    return store_of(target, itertools.islice(records, GAMES[source]), SIZES[source])


def random_games(size: int, count: int, target: Path) -> GameStore:
    games = (STYLES[i % len(STYLES)](size, random.Random(f"{size} {i}")) for i in range(count))
    return store_of(target, map(to_sgf, games), size)


def harvested(store: GameStore, least: int, tree: bool) -> Model:
    """Make a policy of the patterns that were met so often."""
    found = harvest(games_of(store), np.arange(len(store)), new_replay())
    often = found.response_counts >= least
    return Model.untrained(
        found.squares[found.square_counts >= 10 * least],
        found.responses[often],
        found.places[often],
        found.diamonds[found.diamond_counts >= least] if tree else None,
    )


def policy(model: Model) -> tuple[Tables, list]:
    return model.tables(), feature_names(model)


def compare(store: GameStore, policies: list[tuple[Tables, list]], count: int, seed: int) -> Counter:
    """Compare the kernel with the reference on positions of a store; return how often each kind of feature fired."""
    rng = np.random.default_rng(seed)
    per_game = max(4, -(-count // len(store)))
    fired = Counter()
    for number in rng.permutation(len(store))[: -(-count // per_game)].tolist():
        record = store.record(number)
        plies = rng.permutation(len(record.moves))[:per_game].tolist()
        situations = list(reference.of_record(record.size, record.moves, record.setup))
        for ply, board, tracker, last, before in walk(store, number):
            if ply in plies:
                everything = reference.features(situations[ply])
                for tables, names in policies:
                    found = found_by_kernel(board, tracker, tables, last, before, names)
                    expected = reference.known(everything, set(names))
                    assert found == expected, (
                        f"game {number}, ply {ply}\n{difference(situations[ply], found, expected)}"
                    )
                fired.update(f if isinstance(f, str) else f[0] for fires in expected.values() for f in fires)
                fired["candidates"] += len(expected)
                fired["positions"] += 1
    return fired


def walk(store: GameStore, number: int) -> Iterator[tuple]:
    """Go through a game with the kernels; yield ply, board, tracker and the last two moves before each move."""
    games, replay = games_of(store), new_replay()
    game = games.games[number]
    begin_game(games, replay)
    for ply in range(int(game["n_moves"])):
        _, point = prepare_ply(games, replay, game, ply)
        earlier = (earlier_point(games, game, ply, back) for back in (1, 2))
        yield ply, replay.board[0], replay.tracker[0], *earlier
        play_ply(replay, point)


@pytest.mark.parametrize("source", SIZES)
def test_the_kernel_agrees_with_the_reference_on_games(source, expert9, tmp_path, request):
    count = round(POSITIONS * SHARES[source])
    folder = None if source == "expert9" else request.getfixturevalue("games_folder")
    store = real_games(source, folder, tmp_path) if folder else expert9
    policies = [policy(harvested(store, 3, tree)) for tree in (False, True)]
    fired = compare(store, policies, count, seed=len(source))
    print(source, dict(fired))
    assert fired["positions"] >= 0.9 * count
    for kind in ("square", "response", "diamond"):
        assert 0 < fired[kind] < fired["candidates"]
    assert fired["save atari"] and fired["self-atari"] and fired["neighbour"] and fired["distance"]


def test_the_kernel_agrees_with_the_reference_on_random_games(tmp_path):
    """On all sizes of board; with passes, moves out of turn and stones that are set up in mid-game."""
    tree = harvested(random_games(9, 20, tmp_path / "harvest"), 2, tree=True)
    policies, fired = [policy(tree)], Counter()
    count = round(POSITIONS * SHARES["random"] / (MAX_SIZE + 1 - MIN_SIZE))
    for size in range(MIN_SIZE, MAX_SIZE + 1):
        store = random_games(size, len(STYLES), tmp_path / str(size))
        fired += compare(store, policies, count, seed=size)
    print(dict(fired))
    assert all(fired[kind] for kind in ("nakade", "save atari", "self-atari", "response", "square", "diamond"))


def by_board(array: np.ndarray, size: int) -> np.ndarray:
    """Cut the board out of an array by point, two points of border round it."""
    rows = np.append(array, array[:2])[: (size + 4) * STRIDE + 4]
    return np.stack([rows[row * STRIDE : row * STRIDE + size + 4] for row in range(size + 4)])


def codes_from_scratch(board: np.void, size: int) -> np.ndarray:
    """Return the 3x3 pattern around each point, by row and column."""
    color, liberties = by_board(board["color"], size), by_board(board["libs"][board["chain"]] >> LIBERTY_BITS, size)
    states = np.where(color == BORDER, 7, np.where(color == EMPTY, 0, np.minimum(liberties, 3) + 3 * (color == WHITE)))
    return sum(
        states[2 + down : 2 + down + size, 2 + right : 2 + right + size].astype(np.int64) << 3 * place
        for place, (down, right) in enumerate(reference.SQUARE)
    )


@pytest.mark.parametrize(("size", "games"), [(2, 200), (3, 250), (5, 300), (7, 150), (9, 80), (13, 15), (19, 5)])
def test_the_tracker_keeps_every_pattern_up_to_date(size, games):
    """Codes as from scratch after every move; empty points with a new pattern and changed stones are dirty, once."""
    rng, state = random.Random(size), new_rng(size)
    for number in range(games):
        position, tracker = Position(size, superko=False), new_tracker()
        board, t = position.board, tracker[0]
        begin(board, t)
        codes, stones = codes_from_scratch(board, size), position.colors
        for _ in range(3 * size * size):
            legal = position.legal_moves() if number % 2 else ()  # fills eyes and puts whole groups into atari
            move = int(rng.choice(legal)) if len(legal) else int(random_move(board, state))
            before = board["color"].copy()
            play_tracked(board, t, move)
            old_codes, old_stones = codes, stones
            codes, stones = codes_from_scratch(board, size), position.colors
            assert (by_board(t["code"], size)[2:-2, 2:-2] == codes).all()
            is_dirty = np.zeros(POINTS, bool)
            is_dirty[t["dirty"][: t["n_dirty"]]] = True
            assert is_dirty.sum() == t["n_dirty"] and (t["is_dirty"].astype(bool) == is_dirty).all()
            changed = (codes != old_codes) & (stones == EMPTY) | (stones != old_stones)
            assert not (changed & ~by_board(is_dirty, size)[2:-2, 2:-2]).any()
            gone = np.flatnonzero((before != EMPTY) & (board["color"] == EMPTY))
            assert board["n_taken"] == len(gone)
            if LEAST_TAKEN <= len(gone) <= MOST_TAKEN:
                assert sorted(board["taken"][: len(gone)].tolist()) == gone.tolist()
            if board["passes"] == 2:
                break


SHAPES = {"square": (reference.SQUARE, patterns.SQUARE_IMAGES), "diamond": (reference.DIAMOND, patterns.DIAMOND_IMAGES)}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_images_of_a_pattern_have_one_canonical_code(shape):
    steps, images = SHAPES[shape]
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 8 ** len(steps), 2000)
    codes[::2] &= rng.integers(0, 8 ** len(steps), 1000) & rng.integers(0, 8 ** len(steps), 1000)  # with symmetries
    smallest, symmetry = patterns.canonical(codes, images)
    turned = patterns.turned_codes(codes, images)
    assert (patterns.canonical(turned, images)[0] == smallest).all()
    assert (turned[symmetry, np.arange(len(codes))] == smallest).all() and (smallest <= codes).all()
    for code, least in zip(codes[:500].tolist(), smallest.tolist(), strict=False):
        around = tuple(reference.states(code, len(steps)))
        assert reference.canonical(around, steps)[0] == least
        assert {
            reference.code(around[places.index(k)] for k in range(len(steps))) for places in reference.images(steps)
        } == {int(image) for image in patterns.turned_codes(np.array([code]), images)[:, 0]}
    swapped = patterns.swapped_codes(codes, len(steps))
    assert (patterns.swapped_codes(swapped, len(steps)) == codes).all() and (swapped != codes).any()
    for code, other in zip(codes[:100].tolist(), swapped.tolist(), strict=False):
        swap = {0: 0, 1: 4, 2: 5, 3: 6, 4: 1, 5: 2, 6: 3, 7: 7}
        assert reference.code(swap[state] for state in reference.states(code, len(steps))) == other
        assert patterns.swapped_code(code, len(steps)) == other == patterns.seen_by(code, len(steps), WHITE)
        assert patterns.seen_by(code, len(steps), BLACK) == code


def test_tables_find_every_image_and_nothing_else(expert9):
    model = harvested(expert9, 2, tree=True)
    squares = square_table(model.squares, 1000)
    numbers = 1000 + np.arange(len(model.squares))
    for image in patterns.turned_codes(model.squares, patterns.SQUARE_IMAGES):
        assert (squares[0, image] == numbers).all()
        assert (squares[1, patterns.swapped_codes(image, 8)] == numbers).all()
    all_images = np.unique(patterns.turned_codes(model.squares, patterns.SQUARE_IMAGES))
    assert (squares != FREE).sum(axis=1).tolist() == [len(all_images)] * 2

    known = dict(zip(model.diamonds.tolist(), range(7, 7 + len(model.diamonds)), strict=True))
    keys, values = diamond_table(model.diamonds, 7)
    assert 2 * np.count_nonzero(keys != FREE) <= len(keys)
    rng = np.random.default_rng(2)
    for code in [*list(known)[:1000], *rng.integers(0, 8**12, 500).tolist()]:
        number = known.get(int(patterns.canonical(np.array([code]), patterns.DIAMOND_IMAGES)[0][0]), FREE)
        for image in patterns.turned_codes(np.array([code]), patterns.DIAMOND_IMAGES)[:, 0].tolist():
            assert values[find(keys, image)] == number


def test_the_table_of_responses_finds_every_image_of_the_point(expert9):
    model = harvested(expert9, 2, tree=False)
    pairs = list(zip(model.responses.tolist(), model.places.tolist(), strict=True))
    numbers = {pair: 5 + number for number, pair in enumerate(pairs)}
    (keys, rows), features = response_table(model.responses, model.places, 5)
    for code in {code for code, _ in pairs[:400]} | {0, 3, 8**11}:
        around = tuple(reference.states(code, 12))
        for places in reference.images(reference.DIAMOND):
            turned = tuple(around[places.index(k)] for k in range(12))
            row = rows[find(keys, reference.code(turned))]
            for place in range(12):
                number = numbers.get(reference.canonical(turned, reference.DIAMOND, place), FREE)
                assert (features[row, place] if row != FREE else FREE) == number


def test_harvest_counts_as_slow_counting_does(tmp_path):
    games = [style(7, random.Random(number)) for number, style in enumerate(STYLES * 3)]
    store = store_of(tmp_path, map(to_sgf, games), 7)
    sides = np.array(store.games)
    sides["learn"][::3], sides["learn"][1::3] = BLACK, WHITE
    sides.setflags(write=False)  # as those of a store are
    squares, responses, diamonds = Counter(), Counter(), Counter()
    for number, learn in enumerate(sides["learn"].tolist()):
        record = store.record(number)
        for code, seen in zip(record.moves, reference.of_record(7, record.moves, record.setup), strict=False):
            color, point = decode_move(code)
            if point == PASS or not color & learn:
                continue
            played, by_point = action_from_point(point, 7), reference.point_states(seen.at)
            for fires in reference.features(seen).values():
                squares.update(f[1] for f in fires if f[0] == "square")
            around = reference.pattern(by_point, 7, played, reference.DIAMOND)
            diamonds[reference.canonical(around, reference.DIAMOND)[0]] += 1
            if seen.last is not None and (step := reference.step_between(7, seen.last, played)) in reference.DIAMOND:
                around = reference.pattern(by_point, 7, seen.last, reference.DIAMOND)
                responses[reference.canonical(around, reference.DIAMOND, reference.DIAMOND.index(step))] += 1
    found = harvest(games_of(store)._replace(games=sides), np.arange(len(store)), new_replay())
    assert dict(zip(found.squares.tolist(), found.square_counts.tolist(), strict=True)) == squares
    pairs = zip(found.responses.tolist(), found.places.tolist(), strict=True)
    assert dict(zip(pairs, found.response_counts.tolist(), strict=True)) == responses
    assert dict(zip(found.diamonds.tolist(), found.diamond_counts.tolist(), strict=True)) == diamonds
    for counts in (found.square_counts, found.response_counts, found.diamond_counts):
        assert (np.diff(counts) <= 0).all() and counts[0] > 1
