"""The rules on drawn boards: captures, ko, multi-stone ko fights, snapback, suicide and superko."""

import numpy as np
import pytest
import reference

from go import BLACK, EMPTY, PASS, WHITE, GoError, Position
from go.coordinates import point_from_rowcol


def stones(text: str) -> list[list[int]]:
    return Position.from_text(text).colors.tolist()


def test_one_move_captures_three_chains():
    position = Position.from_text("""
        . X X . .
        X O O X .
        X O a O X
        . X O X .
        . . X . .
    """)
    assert position.liberties("B4") == 1 and position.liberties("C2") == 1
    position.play(position.at("a"))
    assert position.colors.tolist() == stones("""
        . X X . .
        X . . X .
        X . X . X
        . X . X .
        . . X . .
    """)
    assert position.captured == {BLACK: 0, WHITE: 5}
    assert position.liberties("C3") == 4
    assert position.ko is None


def test_capture_in_the_corner_and_on_the_edge():
    position = Position.from_text("""
        O X . X O
        a . . . b
        . . . . .
        X . . . .
        O c . . .
    """)
    for name in "abc":
        position.play(position.at(name), BLACK)
    assert position.colors.tolist() == stones("""
        . X . X .
        X . . . X
        . . . . .
        X . . . .
        . X . . .
    """)


def test_ko_forbids_the_recapture_until_something_else_is_played():
    position = Position.from_text("""
        . X O . .
        X O a O .
        . X O . .
        . . . . .
        . . . . .
    """)
    captured = position.point("B4")
    position.play(position.at("a"))
    assert position.ko == captured
    for superko in (True, False):
        position.superko = superko
        assert captured not in position.legal_moves()
        with pytest.raises(GoError, match="White cannot play B4: it would take back a ko at once"):
            position.play(captured)
    position.play("E1").play("E2")
    assert position.ko is None and position.is_legal(captured)
    position.play(captured)
    assert position.ko == position.at("a")


def test_a_pass_lifts_simple_ko_but_not_superko():
    drawn = """
        . X O .
        X O a O
        . X O .
        . . . .
    """
    for superko in (False, True):
        position = Position.from_text(drawn, superko=superko)
        position.play(position.at("a")).play(PASS).play(PASS)
        assert position.is_legal("B3") == (not superko)


def test_taking_two_stones_with_one_is_no_ko():
    position = Position.from_text("""
        . X X O .
        X O O a O
        . X X O .
        . . . . .
        . . . . .
    """)
    position.play(position.at("a"))
    assert position.captured[WHITE] == 2 and position.ko is None
    position.play("C4")
    assert position.captured[BLACK] == 1 and position.ko is None


def test_snapback():
    """Black throws in a stone, white takes it, and black takes back five: one stone was taken, but it is no ko."""
    position = Position.from_text("""
        O a b X .
        O O O X .
        X X X X .
        . . . . .
        . . . . .
    """)
    position.play(position.at("a"))
    assert position.liberties(position.at("a")) == 1 and position.liberties("A5") == 1
    position.play(position.at("b"))
    assert position.captured[BLACK] == 1 and position.ko is None and position.liberties("A5") == 1
    position.play(position.at("a"))
    assert position.captured == {BLACK: 1, WHITE: 5}
    assert position.colors.tolist() == stones("""
        . X . X .
        . . . X .
        X X X X .
        . . . . .
        . . . . .
    """)


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_suicide_of_one_and_of_several_stones_is_illegal(color):
    text = """
        a O . . .
        O . . O O
        . . O X b
        . . O X O
        . . . O O
    """
    if color == WHITE:
        text = text.translate(str.maketrans("XO", "OX"))
    position = Position.from_text(text, to_move=color)
    who = {BLACK: "Black", WHITE: "White"}[color]
    for name, vertex in (("a", "A5"), ("b", "E3")):
        with pytest.raises(GoError, match=f"{who} cannot play {vertex}: it would be suicide."):
            position.play(position.at(name))
        assert position.is_legal(position.at(name), BLACK + WHITE - color)


def test_a_move_that_fills_its_last_liberty_but_captures_is_legal():
    position = Position.from_text(
        """
        a X O .
        X X O .
        O O O .
        . . . .
    """,
        to_move=WHITE,
    )
    position.play(position.at("a"))
    assert position.captured[BLACK] == 3
    assert position.color_at("A4") == WHITE


def test_superko_send_two_return_one():
    """White makes one stone two, black takes both, white takes one back: the whole board would repeat."""
    drawn = """
        a O b O .
        X X O O .
        . . . . .
        . . . . .
        . . . . .
    """
    for superko in (True, False):
        position = Position.from_text(drawn, to_move=WHITE, superko=superko)
        position.play(position.at("a")).play(position.at("b"))
        assert position.captured[WHITE] == 2 and position.ko is None
        if superko:
            with pytest.raises(GoError, match="White cannot play B5: it would repeat an earlier position of the game"):
                position.play("B5")
        else:
            assert position.play("B5").colors.tolist() == stones(drawn)


def test_superko_forbids_the_sixth_move_of_a_triple_ko():
    """Three kos taken in turn: each capture is fine by simple ko, but the sixth would bring the first position back."""
    position = Position.from_text(
        """
        . X O . . . X O .
        X . X O . X O a O
        . X O . . . X O .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . X O . . . . . .
        X O b O . . . . .
        . X O . . . . . .
    """,
        to_move=BLACK,
    )
    # left above: black's stone at C8 took B8 before, so white may take back at B8; right and below: black may take
    start = position.colors.copy()
    takes = [position.at("a"), position.point("B8"), position.at("b"), position.point("G8"), position.point("C8")]
    for take in takes:
        assert position.is_legal(take)
        position.play(take)
    last = position.point("B2")
    assert (reference.after_move(position.colors, 7, 1, WHITE) == start).all()
    with pytest.raises(GoError, match=r"White cannot play B2: it would repeat an earlier position of the game"):
        position.play(last)
    assert last not in position.legal_moves()
    simple = Position.from_text(str(position), to_move=WHITE, superko=False)
    assert simple.is_legal(last)
    position.play("E5").play("E6")
    assert position.is_legal(last)


def test_superko_looks_back_to_the_set_up_position():
    """Taking a ko, passing, passing and taking back would restore the drawn position itself."""
    position = Position.from_text("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    position.play(position.at("a")).play("A1").play(PASS)
    assert position.is_legal("B3")  # the stone at A1 makes it a new position
    position.undo().undo().play(PASS).play(PASS)
    assert not position.is_legal("B3")


@pytest.mark.parametrize("size", [2, 3])
def test_random_games_under_superko_never_repeat_and_offer_every_other_move(size):
    rng = np.random.default_rng(5)
    for _ in range(60):
        position = Position(size)
        seen = [position.colors.tolist()]
        for _ in range(60):
            allowed = []
            for row, column in np.ndindex(size, size):
                after = reference.after_move(position.colors, row, column, position.to_move)
                if after is not None and after.tolist() not in seen:
                    allowed.append(point_from_rowcol(row, column, size))
            assert position.legal_moves().tolist() == allowed
            position.play(int(rng.choice(allowed)) if allowed else PASS)
            seen.append(position.colors.tolist())
        if size == 2:
            assert position.captured[BLACK] + position.captured[WHITE] > 0


@pytest.mark.parametrize(
    ("drawn", "margin"),
    [
        (". . . \n . . . \n . . .", 0),
        (". . . \n . X . \n . . .", 9),
        (". X . \n X O O \n . O .", -1),
        ("X X . \n . O O \n O O .", -3),
        (". X . O . \n X X . O O \n . X . O . \n X X . O O \n . X . O .", 0),
        (". X X O . \n X X O O O \n . X O . O \n X X O O O \n . X O O .", -3),
    ],
)
def test_area_score(drawn, margin):
    for komi in (0, 0.5, 6, 7.5):
        position = Position.from_text(drawn, komi=komi)
        assert position.score() == margin - komi == reference.area_margin(position.colors) - komi


def test_result_and_owners():
    position = Position.from_text(
        """
        . X . O
        X X O O
        . X O .
        X X O O
    """,
        komi=0,
    )
    assert position.result() == "B+1"
    assert position.owners().tolist() == [
        [BLACK, BLACK, EMPTY, WHITE],
        [BLACK, BLACK, WHITE, WHITE],
        [BLACK, BLACK, WHITE, WHITE],
        [BLACK, BLACK, WHITE, WHITE],
    ]
    for komi, result in ((1, "0"), (1.5, "W+0.5"), (0.5, "B+0.5"), (-2, "B+3"), (13, "W+12")):
        position.komi = komi
        assert position.result() == result
