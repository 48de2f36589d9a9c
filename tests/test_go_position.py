"""Position: what it refuses and how it says so, undo, set-up, handicap, history, and that errors change nothing."""

import copy

import numpy as np
import pytest

from go import BLACK, EMPTY, PASS, WHITE, GoError, Position
from go.coordinates import on_board, rowcol_from_point
from go.handicap import handicap_points, star_points
from go.playout import new_rng, random_move
from go.position import Move


def state(position: Position) -> tuple:
    """Everything about a position that a refused move must leave alone."""
    return position.boards.tobytes(), position.history, position.komi, position.legal_moves().tolist()


def outline(position: Position) -> tuple:
    """What a person sees of a position."""
    return position.colors.tolist(), position.ko, position.to_move, position.captured, position.is_over


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("C4", "White cannot play C4: a black stone is there."),
        ("A5", "White cannot play A5: it would be suicide."),
        ("F1", "'F1' is not a point of the 5x5 board."),
        ("I3", "'I3' is not a point of the 5x5 board."),
        ("", "'' is not a point of the 5x5 board."),
        (999, "White cannot play 999: there is no such point on a 5x5 board."),
        (-3, "White cannot play -3: there is no such point on a 5x5 board."),
        (43, "White cannot play 43: there is no such point on a 5x5 board."),
    ],
)
def test_refused_moves_name_the_move_and_the_reason(move, sentence):
    position = Position.from_text("""
        . X . . .
        X . X . .
        . . . . .
        . . . O .
        . . . . .
    """)
    position.play("E1")
    before = state(position)
    with pytest.raises(GoError) as error:
        position.play(move)
    assert str(error.value) == sentence
    assert state(position) == before


@pytest.mark.parametrize("size", [0, 1, 20, 25, -9, 9.0, True, "9", None])
def test_sizes_out_of_range(size):
    with pytest.raises(GoError, match=f"Board size {size} is out of range: sizes go from 2 to 19."):
        Position(size)


def test_other_refusals():
    position = Position(9).play("E5")
    before = state(position)
    for attempt, sentence in (
        (lambda: position.play("C3", 3), "3 is no colour: black is 1, white is 2."),
        (lambda: position.play(45.5), "45.5 is no move: moves are points or GTP vertices."),
        (lambda: position.play(False), "False is no move: moves are points or GTP vertices."),
        (lambda: position.play(2**63), f"White cannot play {2**63}: there is no such point on a 9x9 board."),
        (lambda: position.play(None), "None is no move: moves are points or GTP vertices."),
        (lambda: Position(9, komi=float("nan")), "Komi nan is not a number of points."),
        (lambda: Position(9, komi=float("inf")), "Komi inf is not a number of points."),
        (lambda: position.set_up(black=["C3"], white=["C3"]), "C3 is set up twice."),
        (lambda: position.set_up(black=["A1"], white=["A2", "B1"]), "The set-up leaves A1 without a liberty."),
        (lambda: position.set_up(black=["K1"]), "'K1' is not a point of the 9x9 board."),
        (lambda: position.set_up(black=["pass"]), "'pass' is not a point of the 9x9 board."),
        (lambda: position.set_up(to_move=0), "0 is no colour: black is 1, white is 2."),
        (lambda: position.place_handicap(2), "Handicap stones go on an empty board."),
        (lambda: Position(9).place_handicap(10), "10 handicap stones do not fit a 9x9 board: it takes from 2 to 9."),
        (lambda: Position(8).place_handicap(5), "5 handicap stones do not fit a 8x8 board: it takes from 2 to 4."),
        (
            lambda: Position(5).place_handicap(2),
            "There are no fixed handicap points on a 5x5 board; the smallest is 7x7.",
        ),
        (lambda: Position(5).undo(), "There is no move to take back."),
        (lambda: position.at("a"), "The text board has 0 points named 'a', not one."),
        (lambda: position.liberties("Z1"), "'Z1' is not a point of the 9x9 board."),
        (lambda: position.color_at(0), "0 is not a point of the 9x9 board."),
    ):
        with pytest.raises(GoError) as error:
            attempt()
        assert str(error.value) == sentence
        assert state(position) == before


def test_undo_goes_back_through_a_whole_game():
    for game in range(5):
        position, rng = Position(9), new_rng(11, game)
        before = []
        for _ in range(120):
            move = random_move(position.board, rng)
            before.append(outline(position))
            position.play(move if position.is_legal(move) else PASS)
        for earlier in reversed(before[-40:]):
            assert outline(position.undo()) == earlier
        fresh = Position(9)
        for move in position.history:
            fresh.play(move.point, move.color)
        assert fresh.legal_moves().tolist() == position.legal_moves().tolist()


def test_undo_keeps_set_up_stones_and_superko_forgets_the_undone_move():
    position = Position.from_text("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    position.play(position.at("a")).play(PASS).undo().undo()
    assert position.history == () and position.color_at("B3") == WHITE
    assert position.is_legal(position.at("a"))


def test_undo_does_not_judge_moves_again():
    position = Position.from_text(
        """
        . X O .
        X O a O
        . X O .
        . . . .
    """,
        superko=False,
    )
    position.play(position.at("a")).play(PASS).play(PASS).play("B3").play("A1")
    position.superko = True
    assert len(position.undo().history) == 4 and position.color_at("B3") == WHITE


def test_a_copy_goes_its_own_way():
    position = Position.from_text("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    for twin in (position.copy(), copy.copy(position), copy.deepcopy(position)):
        twin.play(twin.at("a")).play("A1").play("D1")
        assert position.history == () and position.colors[1, 1] == WHITE and position.is_legal(position.at("a"))
        twin.named_points.clear()
        assert position.at("a")
    twin = position.copy()
    for game in (twin, position):  # each has a superko history of its own
        game.play(game.at("a"))
    twin.play("A1").play(PASS)
    position.play(PASS).play(PASS)
    assert twin.is_legal("B3") and not position.is_legal("B3")


def test_history_turns_and_passes():
    position = Position(5).play("C3").play("pass").play("D3")
    assert position.history == (Move(BLACK, position.point("C3")), Move(WHITE, PASS), Move(BLACK, position.point("D3")))
    assert position.last_move == position.point("D3") and position.to_move == WHITE and not position.is_over
    assert not position.play(PASS).is_over and position.play(PASS).is_over
    assert position.play("A1").is_over is False  # games resume, as when players disagree


def test_the_same_colour_may_play_twice_if_a_record_says_so():
    position = Position(5).play("C3", BLACK).play("D3", BLACK)
    assert position.to_move == WHITE
    assert [move.color for move in position.history] == [BLACK, BLACK]
    ko = Position.from_text(
        """
        . X O .
        X O a O
        . X O .
        . . . .
    """,
        superko=False,
    )
    ko.play(ko.at("a"))
    assert not ko.is_legal("B3", WHITE) and ko.is_legal("B3", BLACK)
    ko.play("A1", BLACK)
    assert ko.is_legal("B3", WHITE)


def test_set_up_and_handicap():
    position = Position(9).play("E5").set_up(black=["C3", "D3"], white=["G7"], empty=["E5"], to_move=WHITE)
    assert position.history == () and position.to_move == WHITE
    assert position.color_at("E5") == EMPTY and position.color_at("G7") == WHITE
    assert position.liberties("C3") == position.liberties("D3") == 6
    handicap = Position(19, komi=0.5).place_handicap(4)
    assert handicap.to_move == WHITE and handicap.history == ()
    assert {handicap.color_at(v) for v in ("D4", "Q16", "D16", "Q4")} == {BLACK}
    assert (handicap.colors != EMPTY).sum() == 4


def test_star_points_lie_on_the_board_and_are_symmetric():
    for size in range(2, 20):
        stars = star_points(size)
        assert all(on_board(point, size) for point in stars)
        assert len(stars) == {9: 5, 11: 5}.get(size, 0 if size < 7 else 9 if size % 2 and size > 7 else 4)
        places = {rowcol_from_point(point, size) for point in stars}
        assert {(size - 1 - row, column) for row, column in places} == places
        assert {(column, row) for row, column in places} == places
    assert set(handicap_points(5, 9)) == set(star_points(9))


def test_text_shows_last_move_ko_and_losses():
    position = Position.from_text("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    position.play(position.at("a"))
    assert str(position) == "\n".join(
        [
            "   A B C D",
            " 4 . X O .  4",
            " 3 X .(X)O  3",
            " 2 . X O .  2",
            " 1 . . . .  1",
            "   A B C D",
            "Move 1: black C3.",
            "White to move, not at B3 (ko). Komi 7.5. Stones lost: black 0, white 1.",
        ]
    )
    assert repr(position) == "<Position 4x4, 1 moves, white to move>"
    assert str(Position(2).play(PASS).play(PASS)).endswith(
        "Move 2: white pass.\nThe game is over. Komi 7.5. Stones lost: black 0, white 0."
    )


def test_a_long_game_keeps_its_whole_history_for_superko():
    """More moves than the first block of hashes holds."""
    position, rng = Position(5), np.random.default_rng(1)
    seen = {position.colors.tobytes()}
    for _ in range(300):
        moves = position.legal_moves()
        if len(moves) == 0:
            position.play(PASS)
            continue
        position.play(int(rng.choice(moves)))
        assert position.colors.tobytes() not in seen
        seen.add(position.colors.tobytes())
    assert len(seen) > 250


def test_the_start_of_a_game_is_a_fresh_position():
    position = Position(5, komi=0.5).set_up(black=["C3"], white=["D3"], to_move=WHITE)
    fresh = position.copy()
    position.play("A1").play("B1").play("E5")
    start = position.start()
    assert start.history == () and start.to_move == WHITE and start.hashes.tolist() == fresh.hashes.tolist()
    assert start.boards.tobytes() == fresh.boards.tobytes() and start.past.tobytes() == fresh.past.tobytes()
    assert len(position.history) == 3 and position.follows(start.play("A1"))
