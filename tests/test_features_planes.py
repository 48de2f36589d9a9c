"""The planes of positions that a person can check, and what must hold of the planes of every position."""

import itertools

import numpy as np
import planes_reference as reference
import pytest
from conftest import ROOT, store_of
from random_games import random_record

from data.record import to_sgf
from data.sources import Item, Reading
from features48.encoder import Encoder
from features48.groups import GROUPS, SUBSETS
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import gtp_from_point, point_from_rowcol
from go.history import histories_of
from go.position import Position
from nets.actions import turned

OF_LEGAL_MOVES = ("capture_size", "self_atari_size", "liberties_after", "ladder_capture", "ladder_escape")


def planes_of(position: Position, group: str) -> np.ndarray:
    """Return the planes of a group; the reference must find the same, so that a drawn board checks both."""
    found = Encoder(49).position(position)
    assert (found == reference.planes(reference.of_position(position))).all()
    first = reference.FIRST[group]
    return found[first : first + GROUPS[group].planes]


def counts(position: Position, group: str) -> dict[str, int]:
    """Return the number of the plane that each point is marked in, by GTP vertex; no point is in two."""
    size, found = position.size, planes_of(position, group)
    assert found.max(initial=0) <= 1 and found.sum(axis=0, dtype=int).max() <= 1
    return {
        gtp_from_point(point_from_rowcol(row, column, size), size): plane + 1
        for plane, row, column in np.argwhere(found).tolist()
    }


def points(position: Position, group: str) -> set[str]:
    """Return the points of a group of one plane."""
    assert GROUPS[group].planes == 1
    return set(counts(position, group))


def vertices(position: Position, letters: str) -> set[str]:
    """Return the points of some letters of the text board."""
    return {gtp_from_point(point, position.size) for letter in letters for point in position.named_points[letter]}


def board(text: str, to_move: int = BLACK) -> Position:
    return Position.from_text(text, to_move, superko=False)


# The 9x9 position of the lecture slides (FACTS E.6), black to move. The last eight moves were 1 to 8 turns ago:
LAST_EIGHT = ("F3", "G5", "H4", "G6", "E8", "D4", "B5", "C4")
SLIDES = """
   A B C D E F G H J
 9 . . . . . . . . .  9
 8 . . O X . . . . .  8
 7 . . O X O O . . .  7
 6 . X X O X . . . .  6
 5 . . O O X . . . .  5
 4 . X . . . . . . .  4
 3 . . . . . . . . .  3
 2 . . . . . . . . .  2
 1 . . . . . . . . .  1
   A B C D E F G H J
"""


@pytest.fixture(scope="module")
def slides() -> Position:
    position = board(SLIDES)
    for vertex in reversed(LAST_EIGHT):
        position.play(vertex)
    assert (position.colors == BLACK).sum() == (position.colors == WHITE).sum() == 11
    assert position.to_move == BLACK and position.captured == {BLACK: 0, WHITE: 0}
    return position


def test_slides_stone_colors(slides):
    assert counts(slides, "stone_color") == {
        **dict.fromkeys(["D8", "D7", "B6", "C6", "E6", "G6", "E5", "G5", "B4", "C4", "D4"], 1),
        **dict.fromkeys(["C8", "E8", "C7", "E7", "F7", "D6", "B5", "C5", "D5", "H4", "F3"], 2),
        **dict.fromkeys(vertices(board(EMPTY_POINTS), "e"), 3),
    }


EMPTY_POINTS = """
e e e e e e e e e
e e O X O e e e e
e e O X O O e e e
e X X O X e X e e
e O O O X e X e e
e X X X e e e O e
e e e e e O e e e
e e e e e e e e e
e e e e e e e e e
"""


def test_slides_turns_since(slides):
    """The source prints nothing for the older stones; by its own words they belong to the plane of 8 or more."""
    older = ["C8", "D8", "C7", "D7", "E7", "F7", "B6", "C6", "D6", "E6", "C5", "D5", "E5", "B4"]
    ages = {vertex: min(ago, 8) for ago, vertex in enumerate(LAST_EIGHT, 1)}
    assert ages["C4"] == 8
    assert counts(slides, "turns_since") == {**ages, **dict.fromkeys(older, 8)}


def test_slides_liberties(slides):
    """The source prints 2 for the white chain of four, which has A5 alone: its own table of captures says so."""
    chains = {
        ("C8", "C7"): 3,
        ("D8", "D7"): 1,
        ("E8", "E7", "F7"): 4,
        ("B6", "C6"): 2,
        ("E6", "E5"): 3,
        ("G6", "G5"): 6,
        ("B4", "C4", "D4"): 5,
        ("H4",): 4,
        ("F3",): 4,
        ("D6", "B5", "C5", "D5"): 1,
    }
    assert counts(slides, "liberties") == {vertex: k for chain, k in chains.items() for vertex in chain}


def test_slides_moves(slides):
    """Black's A5 is the only capture, of four stones; it also saves D8 and D7 from atari, as extending at D9 does."""
    assert counts(slides, "capture_size") == {"A5": 4}
    assert counts(slides, "self_atari_size") == {}
    after = counts(slides, "liberties_after")
    assert set(after) == points(slides, "sensibleness") == vertices(board(EMPTY_POINTS), "e")
    by_hand = {"A5": 3, "D9": 2, "A6": 3, "J1": 2, "J2": 3, "F6": 6, "F5": 7, "E4": 8, "A4": 6, "C9": 2, "H8": 4}
    assert {vertex: after[vertex] for vertex in by_hand} == by_hand
    assert points(slides, "ladder_capture") == set()
    assert points(slides, "ladder_escape") == {"A5", "D9"}


def test_slides_constant_planes(slides):
    assert planes_of(slides, "ones").all() and not planes_of(slides, "zeros").any()
    assert planes_of(slides, "color").all()
    assert not planes_of(slides.copy().play("A5"), "color").any()


@pytest.mark.parametrize("size", range(1, 12))
def test_capture_size(size):
    """A white chain along the edge with one liberty at its end."""
    rows = ["O" * size + "a", "X" * size] + [""] * 11
    position = board("\n".join(row.ljust(13, ".") for row in rows))
    assert counts(position, "capture_size") == {gtp_from_point(position.at("a"), 13): min(size, 8)}
    assert set(counts(position, "liberties").values()) == {1, min(size + 1, 8)}


def test_several_chains_are_captured_at_once_and_leave_liberties():
    position = board("""
        O O a O X
        X X O X .
        . X O X .
        . . X . .
        . . . . .
    """)
    assert counts(position, "capture_size") == {"C5": 5}
    assert counts(position, "liberties_after")["C5"] == 3
    assert counts(position, "self_atari_size") == {}


def test_captured_stones_count_as_liberties():
    """Black a takes three stones and gets the two of their points that it touches, and nothing else."""
    position = board("""
        . X X X . .
        X O O O X .
        . X a X . .
        . O X O . .
        . . O . . .
        . . . . . .
    """)
    assert counts(position, "capture_size") == {"C4": 3}
    # the chain of the stone: C4 with B4, D4 and C3; its liberties: C5, A4, B5, D5, E4
    assert counts(position, "liberties_after")["C4"] == 5


@pytest.mark.parametrize("size", range(1, 11))
def test_self_atari_size(size):
    """Black a makes a chain along the edge that has only the next point left."""
    rows = ["X" * (size - 1) + "a.O", "O" * size] + [""] * 13
    position = board("\n".join(row.ljust(15, ".") for row in rows))
    vertex = gtp_from_point(position.at("a"), 15)
    assert counts(position, "self_atari_size") == {vertex: min(size, 8)}
    assert counts(position, "liberties_after")[vertex] == 1


def test_a_throw_in_that_captures_is_capture_and_self_atari_in_one():
    position = board("""
        . X O . .
        X O a O .
        . X O . .
        . . . . .
        . . . . .
    """)
    assert counts(position, "capture_size") == {"C4": 1}
    assert counts(position, "self_atari_size")["C4"] == 1 and counts(position, "liberties_after")["C4"] == 1


def test_liberties_after_of_chains_that_are_joined():
    """Black a joins two chains; a liberty that both have counts once."""
    position = board("""
        . . . . .
        . X a X .
        . . . . .
        . O O O .
        . . . . .
    """)
    assert counts(position, "liberties_after")["C4"] == 8
    assert {v: k for v, k in counts(position, "liberties").items() if v in ("B4", "D4", "B2", "C2", "D2")} == {
        "B4": 4,
        "D4": 4,
        **dict.fromkeys(("B2", "C2", "D2"), 8),
    }


def test_ko_forbids_a_point_for_one_turn():
    position = board("""
        . X O .
        X O a O
        . X O .
        . . . .
    """).play("C3")
    for group in OF_LEGAL_MOVES:
        assert "B3" not in counts(position, group)
    assert "B3" not in points(position, "sensibleness")
    assert counts(position, "stone_color")["B3"] == 3
    position.play("A1").play("D1")
    assert counts(position, "capture_size")["B3"] == counts(position, "self_atari_size")["B3"] == 1
    assert "B3" in points(position, "sensibleness")


def test_suicide_is_illegal_unless_it_captures():
    """Nobody but white may play a; b is suicide for white, but black captures there."""
    text = """
        a O . . . .
        O O . . . .
        . . . . . .
        . X X . . .
        X O O X . .
        X O b O X .
    """
    black, white = board(text, BLACK), board(text, WHITE)
    assert counts(black, "capture_size") == {"C1": 4}
    assert "C1" in points(black, "sensibleness")
    for position, vertex in ((black, "A6"), (white, "C1")):
        for group in (*OF_LEGAL_MOVES, "sensibleness"):
            assert vertex not in counts(position, group)
    assert counts(white, "liberties_after")["A6"] == 4
    assert counts(white, "capture_size") == {"A3": 2} and counts(white, "self_atari_size") == {"F1": 1}


def test_own_eyes_are_not_sensible_and_false_eyes_are():
    """Eyes are a (corner), b (edge), c (centre, one enemy aslant); false are d (edge), e (corner), f (centre)."""
    position = board("""
        a X X b X d X X e
        X X X X . X O O X
        . . . . . . . . X
        . . . . . . . . .
        . O X . . . O X .
        . X c X . . X f X
        . . X . . . . X O
        . . . . . . . . .
        . . . . . . . . .
    """)
    empty = {vertex for vertex, plane in counts(position, "stone_color").items() if plane == 3}
    assert vertices(position, "def") <= empty
    assert points(position, "sensibleness") == empty - vertices(position, "abc")
    assert vertices(position, "abc") <= set(counts(position, "liberties_after"))


def test_set_up_stones_count_as_eight_turns_old_and_a_pass_is_a_turn():
    position = board("""
        X . . . .
        . . . . .
        . . O . .
        . . . . .
        . . . . .
    """)
    assert counts(position, "turns_since") == {"A5": 8, "C3": 8}
    position.play("E5").play("pass").play("E1").play("pass").play("pass")
    assert counts(position, "turns_since") == {"A5": 8, "C3": 8, "E5": 5, "E1": 3}
    for _ in range(4):
        position.play("pass")
    assert counts(position, "turns_since") == {"A5": 8, "C3": 8, "E5": 8, "E1": 7}


def test_a_stone_on_a_point_played_before_has_the_age_of_the_last_move():
    position = board("""
        . X O . .
        X O a O .
        . X O . .
        . . . . .
        . . . . .
    """)
    for vertex in ("C4", "A1", "B1", "B4", "C1", "D1", "C4"):
        position.play(vertex)
    ages = counts(position, "turns_since")
    assert position.color_at("C4") == BLACK and position.color_at("B4") == EMPTY
    assert ages["C4"] == 1 and "B4" not in ages
    assert {vertex: ages[vertex] for vertex in ("D1", "C1", "B1", "A1")} == {"D1": 2, "C1": 3, "B1": 5, "A1": 6}


def test_stones_set_up_in_mid_game_have_no_age_and_the_others_keep_theirs(tmp_path):
    """B5 is played, taken off and played again, C3 is played and then set up in the other colour."""
    game = b"(;SZ[5];B[aa];W[ba];B[cc];W[dd];AB[ee]AW[cc]AE[ba];B[dc];W[ba])"
    store = store_of(tmp_path, [game], 5)
    planes = Encoder(12).batch(store, [0, 0], [4, 6], [0, 0])[:, 4:]
    found = [{(row, column): plane + 1 for plane, row, column in np.argwhere(part).tolist()} for part in planes]
    assert found[0] == {(0, 0): 4, (2, 2): 8, (3, 3): 1, (4, 4): 8}
    assert found[1] == {(0, 0): 6, (2, 2): 8, (3, 3): 3, (4, 4): 8, (2, 3): 2, (0, 1): 1}


def test_a_ladder_is_read_to_the_edge_and_a_stone_in_its_way_breaks_it():
    """Black a starts a ladder to the lower right; black b would drive white into the open."""
    text = """
        . . . . . . . . .
        . . . X . . . . .
        . . X O a . . . .
        . . X b . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . {} . .
        . . . . . . . . .
        . . . . . . . . .
    """
    assert points(board(text.format(".")), "ladder_capture") == {"E7"}
    assert points(board(text.format("O")), "ladder_capture") == set()
    for stone, escapes in ((".", set()), ("O", {"D6"})):
        position = board(text.format(stone)).play("E7")
        assert points(position, "ladder_escape") == escapes
        assert points(position, "ladder_capture") == set()


def test_a_ladder_without_end_counts_for_neither_side():
    """From a game of the corpus: after white a, two kos keep the chase going for ever; white b captures."""
    position = board(
        """
        . . X X X O O . .
        . X . . X X O O .
        . . X . X O O X a
        X X X X O O X b X
        O X O O O O O X X
        O O O O X O O X .
        X X O X X O . O X
        . X X X X O . . O
        . X . X O O O O .
        """,
        WHITE,
    )
    assert points(position, "ladder_capture") == vertices(position, "b")
    at = reference.of_position(position)
    move = reference.after(9, at.stones, at.ko, 2 * 9 + 8, WHITE)
    prey = reference.LadderReader(9, 2 * 9 + 7, BLACK)
    assert prey.answer(move.stones, move.ko, hunter_to_move=False) == reference.ENDLESS
    encoder = Encoder(48)
    encoder.position(position)
    assert encoder.ladders_given_up == 1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Some games of the embedded corpus."""
    records = Reading([ROOT / "data" / "corpus" / "expert9.zip"])
    games = (item.data for item in itertools.islice(records, 400) if isinstance(item, Item))
    return store_of(tmp_path_factory.mktemp("corpus"), games, 9)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Random games with passes, half of them after set-up stones."""
    games = [to_sgf(random_record(7, 90, seed, with_setup=seed % 2 == 0)) for seed in range(40)]
    return store_of(tmp_path_factory.mktemp("mixed"), games, 7)


def drawn(store, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw random positions of a store, in random symmetries."""
    rng = np.random.default_rng(count)
    games = rng.integers(0, len(store), count)
    return games, rng.integers(0, store.games["n_moves"][games] + 1), rng.integers(0, 8, count)


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_all_symmetries_commute_with_the_encoder(name, request):
    store, encoder = request.getfixturevalue(name), Encoder(49)
    games, plies, _ = drawn(store, 300)
    straight = encoder.batch(store, games, plies, np.zeros(300, np.int64))
    turned = {0: straight}
    turned[4] = straight.swapaxes(2, 3)
    for first in (0, 4):
        turned[first + 1] = turned[first][:, :, :, ::-1]
        turned[first + 2] = turned[first][:, :, ::-1]
        turned[first + 3] = turned[first][:, :, ::-1, ::-1]
    for symmetry, expected in turned.items():
        found = encoder.batch(store, games, plies, np.full(300, symmetry))
        assert (found == expected).all(), f"symmetry {symmetry}"


def swapped(position: Position, start: np.ndarray) -> Position:
    """Return the same game with the colours of all stones and moves swapped; `start` is the board it began with."""
    stones = {
        color: [point_from_rowcol(*place, position.size) for place in np.argwhere(start == color).tolist()]
        for color in (BLACK, WHITE)
    }
    twin = Position(position.size, superko=False)
    twin.set_up(black=stones[WHITE], white=stones[BLACK], to_move=WHITE)
    for color, point in position.history:
        twin.play(point, BLACK + WHITE - color)
    return twin


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_swapping_the_colors_changes_the_color_plane_alone(name, request):
    store, encoder = request.getfixturevalue(name), Encoder(49)
    sides = set()
    for game, ply, symmetry in zip(*drawn(store, 150), strict=True):
        position = store.position(game, ply, symmetry)
        twin = swapped(position, store.position(game, 0, symmetry).colors)
        assert twin.to_move == BLACK + WHITE - position.to_move
        mine, theirs = encoder.position(position), encoder.position(twin)
        assert (mine[:48] == theirs[:48]).all()
        assert (mine[48] == (position.to_move == BLACK)).all() and (mine[48] == 1 - theirs[48]).all()
        sides.add(position.to_move)
    assert sides == {BLACK, WHITE}


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_smaller_inputs_are_the_first_planes_of_larger_ones(name, request):
    store = request.getfixturevalue(name)
    where = drawn(store, 200)
    whole = Encoder(49).batch(store, *where)
    assert whole.shape == (200, 49, store.size, store.size) and whole.dtype == np.uint8
    for planes in (4, 12, 20, 48):
        assert sum(GROUPS[group].planes for group in SUBSETS[planes]) == planes
        part = Encoder(planes).batch(store, *where)
        assert part.shape[1] == planes and (part == whole[:, :planes]).all()
    black = store.boards(*where)["to_move"] == BLACK
    assert (whole[:, 48] == black[:, None, None]).all() and 0 < black.sum() < 200


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_a_batch_is_the_single_positions_whatever_the_threads(name, request):
    store = request.getfixturevalue(name)
    where = drawn(store, 151)
    batch = Encoder(49).batch(store, *where)
    for i, (game, ply, symmetry) in enumerate(zip(*where, strict=True)):
        single = Encoder(49).position(store.position(game, ply, symmetry))
        assert (batch[i] == single).all(), f"game {game}, ply {ply}, symmetry {symmetry}"
    for threads in (2, 3, 200):
        assert (Encoder(49, threads).batch(store, *where) == batch).all()
    nothing = np.zeros(0, np.int64)
    assert Encoder(49, 2).batch(store, nothing, nothing, nothing).shape == (0, 49, store.size, store.size)


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_boards_are_turned_and_split_over_threads_without_a_trace(name, request):
    """Whatever the threads, boards give the planes of their positions, turned as the network's answers are."""
    store, encoder = request.getfixturevalue(name), Encoder(49)
    games, plies, symmetries = drawn(store, 151)
    positions = [store.position(game, ply) for game, ply in zip(games, plies, strict=True)]
    boards, history = np.concatenate([position.boards for position in positions]), histories_of(positions)
    plain = encoder.boards(boards, history)
    assert (plain == encoder.batch(store, games, plies, np.zeros(151, int))).all()
    expected = turned(plain, symmetries)
    assert (expected != plain).any(axis=(1, 2, 3)).sum() > 100  # most positions do look different
    out = np.empty_like(plain)
    for threads in (1, 2, 3, 200):
        assert Encoder(49, threads).boards(boards, history, symmetries, out) is out
        assert (out == expected).all()
        out[:] = 2
    for count in (1, 2, 8, 40):
        some = slice(0, count)
        assert (Encoder(49, 2).boards(boards[some], history[some], symmetries[some]) == expected[some]).all()
    assert (Encoder(12, 2).boards(boards, history, symmetries) == expected[:, :12]).all()
    assert (encoder.boards(boards[::2], history[::2], symmetries[::2]) == expected[::2]).all()


def test_boards_that_do_not_fit_are_refused():
    nine, five = Position(9), Position(5)
    boards, history = np.concatenate([nine.boards, five.boards]), histories_of([nine, five])
    encoder, one = Encoder(4), slice(0, 1)
    for wrong, sentence in (
        ((boards, history), "not of one size"),
        ((boards[:0], history[:0]), "at least one board"),
        ((boards[one], history), "one history of type HISTORY for each board"),
        ((boards[one], history["recent"][one]), "one history of type HISTORY for each board"),
        ((boards[one], history[one], [8]), "symmetries are not 1 numbers from 0 to 7"),
        ((boards[one], history[one], [0, 1]), "symmetries are not 1 numbers from 0 to 7"),
        ((boards[one], history[one], None, np.zeros((1, 4, 9, 9))), "to write to"),
    ):
        with pytest.raises(ValueError, match=sentence):
            encoder.boards(*wrong)


@pytest.mark.parametrize("name", ["corpus", "mixed"])
def test_no_plane_is_silently_empty(name, request):
    """Every plane but the zeros fires, on the embedded corpus alone and on random games alone."""
    store = request.getfixturevalue(name)
    found = Encoder(49).batch(store, *drawn(store, 5000))
    fires = found.any(axis=(2, 3)).sum(axis=0)
    names = [f"{group.name} {plane}" for group in GROUPS.values() for plane in range(1, group.planes + 1)]
    assert [name for name, number in zip(names, fires, strict=True) if number == 0] == ["zeros 1"]
    assert found.max() == 1


def test_every_point_has_one_color_and_every_stone_one_age_and_one_number_of_liberties(corpus):
    found = Encoder(49).batch(corpus, *drawn(corpus, 1000))
    stones = found[:, 0] + found[:, 1]
    assert (found[:, :3].sum(axis=1) == 1).all()
    assert (found[:, 4:12].sum(axis=1) == stones).all() and (found[:, 12:20].sum(axis=1) == stones).all()
    legal = found[:, 36:44].sum(axis=1)
    assert legal.max() == 1 and not (legal & stones).any()
    for planes in (slice(20, 28), slice(28, 36), slice(44, 45), slice(45, 46), slice(46, 47)):
        assert (found[:, planes].sum(axis=1) <= legal).all()
    assert (found[:, 28:36].sum(axis=1) == found[:, 36]).all()  # one liberty after the move is self-atari
