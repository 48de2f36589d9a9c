"""The history record of a position against games that sgfmill's board replays: captures, kos, passes, undo, set-up."""

import itertools

import numpy as np
import pytest
from conftest import ROOT
from sgfmill.boards import Board

from data.record import Refusal, read_records
from data.replay import decode_move
from data.sources import Item, Reading
from data.store import position_of
from go import BLACK, EMPTY, PASS, WHITE, Position
from go.board import new_boards, play
from go.coordinates import rowcol_from_point
from go.handicap import handicap_points
from go.history import BOARDS, HISTORY, RECENT, begin_history, histories_of, history_of, note_move
from go.playout import new_rng, random_move

COLORS = {None: EMPTY, "b": BLACK, "w": WHITE}
LETTERS = {BLACK: "b", WHITE: "w"}


class SlowHistory:
    """Every board of a game since its set-up, as sgfmill plays it, and every move."""

    def __init__(self, size: int) -> None:
        self.size, self.boards, self.moves = size, [Board(size)], []

    def place(self, point: int) -> tuple[int, int]:
        row, column = rowcol_from_point(point, self.size)
        return self.size - 1 - row, column  # rows count from below there

    def play(self, color: int, point: int) -> None:
        board = self.boards[-1].copy()
        if point != PASS:
            board.play(*self.place(point), LETTERS[color])
        self.boards.append(board)
        self.moves.append(point)

    def undo(self) -> None:
        self.boards.pop()
        self.moves.pop()

    def set_up(self, black=(), white=(), empty=()) -> None:
        board = self.boards[-1].copy()
        assert board.apply_setup(*([self.place(point) for point in points] for points in (black, white, empty)))
        self.boards, self.moves = [board], []

    def check(self, history: np.void) -> None:
        position = Position(self.size)
        shown = [position.by_row_and_column(stones) for stones in history["stones"]]
        last = self.boards[: -BOARDS - 1 : -1]
        past = [[[COLORS[letter] for letter in line] for line in board.board[::-1]] for board in last]
        empty = [[EMPTY] * self.size] * self.size
        assert np.array_equal(shown, [*past, *[empty] * (BOARDS - len(past))])
        recent = self.moves[::-1][:RECENT]
        assert history["recent"].tolist() == recent + [PASS] * (RECENT - len(recent))


@pytest.mark.parametrize(("size", "games"), [(4, 30), (5, 30), (9, 10), (19, 2)])
def test_random_games_with_passes_undo_and_moves_out_of_turn(size, games):
    captures = kos = undone = out_of_turn = 0
    for game in range(games):
        ours, theirs, rng = Position(size, superko=False), SlowHistory(size), new_rng(13, size, game)
        dice = np.random.default_rng((size, game))
        for _ in range(2 * size * size):
            chance = dice.random()
            if chance < 0.1 and ours.history:
                ours.undo()
                theirs.undo()
                undone += 1
            else:
                lost = sum(ours.captured.values())
                color, move = ours.to_move, PASS if chance > 0.95 else random_move(ours.board, rng)
                if 0.9 < chance < 0.95 and ours.is_legal(move, BLACK + WHITE - color):
                    color = BLACK + WHITE - color
                    out_of_turn += 1
                ours.play(move, color)
                theirs.play(color, move)
                captures += sum(ours.captured.values()) - lost
                kos += ours.ko is not None
            theirs.check(history_of(ours))
    assert captures > games and kos and undone > games and out_of_turn > games / 2


def test_real_games():
    """Games of the embedded corpus, handicap stones among them, and each position on its own."""
    records = Reading([ROOT / "data" / "corpus" / "expert9.zip"])
    games = [read_records(item.data)[0] for item in itertools.islice(records, 12) if isinstance(item, Item)]
    checked = 0
    for game in games:
        assert not isinstance(game, Refusal)
        theirs = SlowHistory(game.size)
        if len(game.setup):
            of = {color: game.setup[game.setup[:, 1] == color, 2].tolist() for color in (BLACK, WHITE)}
            theirs.set_up(of[BLACK], of[WHITE])
        for ply, code in enumerate(game.moves):
            theirs.check(history_of(position_of(game, ply)))
            theirs.play(*decode_move(code))
            checked += 1
    assert checked > 300


def test_a_set_up_begins_a_new_game():
    """Handicap stones and other stones that are set up stand on the first board; the boards before it are empty."""
    ours, theirs = Position(9).place_handicap(4), SlowHistory(9)
    theirs.set_up(black=handicap_points(4, 9))
    theirs.check(history_of(ours))
    for vertex in ("E5", "D5", "pass", "F5"):
        theirs.play(ours.to_move, ours.point(vertex))
        ours.play(vertex)
        theirs.check(history_of(ours))
    stones = {"black": ["E6", "E4"], "white": ["A1"], "empty": ["D5"]}
    ours.set_up(**stones)
    theirs.set_up(*([ours.point(vertex) for vertex in vertices] for vertices in stones.values()))
    theirs.check(history_of(ours))
    assert ours.play("D5").undo() and ours.history == ()
    theirs.check(history_of(ours))


def test_a_copy_goes_its_own_way_and_a_refused_move_leaves_no_trace():
    position = Position(5).play("C3")
    before, twin = history_of(position), position.copy().play("B2")
    assert not position.is_legal("C3")
    with pytest.raises(ValueError, match="a black stone is there"):
        position.play("C3")
    assert history_of(position) == before and history_of(twin) != before
    assert histories_of([position, twin]).tobytes() == before.tobytes() + history_of(twin).tobytes()
    assert histories_of([]).dtype == HISTORY and len(histories_of([])) == 0
    position.play("D4")
    assert before["recent"][0] == position.point("C3")  # it was a copy


def test_kernels_keep_the_history_of_games_in_lockstep():
    """Boards that are played on in kernels have the histories of the positions that play the same moves."""
    positions = [Position(size, superko=False) for size in (5, 9, 19)]
    boards, histories = new_boards(len(positions)), np.zeros(len(positions), HISTORY)
    for i, position in enumerate(positions):
        boards[i] = position.board
        begin_history(histories[i], boards[i])
    rng = new_rng(7)
    for _ in range(60):
        for i, position in enumerate(positions):
            move = random_move(boards[i], rng)
            play(boards[i], move)
            note_move(histories[i], boards[i], move)
            position.play(move)
        assert histories.tobytes() == histories_of(positions).tobytes()
