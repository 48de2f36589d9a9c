"""`Position`: a game of Go for use in Python, on top of the compiled board."""

import math
from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np

from go.board import (
    BLACK,
    COLOR_NAMES,
    EMPTY,
    KO,
    LEGAL,
    OCCUPIED,
    OFF_BOARD,
    SUICIDE,
    SUPERKO,
    WHITE,
    add_stone,
    clear,
    copy_board,
    count_liberties,
    game_legality,
    legal_points,
    new_boards,
    play,
    set_turn,
)
from go.coordinates import (
    EDGE,
    MAX_SIZE,
    PASS,
    POINTS,
    STRIDE,
    check_size,
    gtp_from_point,
    on_board,
    point_from_gtp,
    point_from_rowcol,
)
from go.draw import board_svg
from go.errors import GoError
from go.handicap import handicap_points
from go.history import HISTORY, begin_history, note_move
from go.jit import kernel
from go.score import area_margin, area_owners
from go.text import read_board, write_board

OUTSIDE = -1  # no board has this point


@kernel
def _try_move(boards, past, point, color, hashes, ply, superko):
    """Play a move if it is legal, and note it in the history and the hashes. Return the verdict.

    All in one call, because a call from Python takes longer than the rules do.
    """
    b = boards[0]
    if point != PASS:
        verdict = game_legality(b, point, color, hashes, ply if superko else 0)
        if verdict != LEGAL:
            return verdict
    set_turn(b, color)
    play(b, point)
    note_move(past[0], b, point)
    hashes[ply] = b.hash
    return LEGAL


@kernel
def _replay(boards, past, moves):
    """Play a game again from its first board. `moves` are known to be legal, as rows of colour and point."""
    b = boards[0]
    begin_history(past[0], b)
    for i in range(len(moves)):
        set_turn(b, moves[i, 0])
        play(b, moves[i, 1])
        note_move(past[0], b, moves[i, 1])


@kernel
def _legal_moves(boards, hashes, ply, superko, points):
    b = boards[0]
    return legal_points(b, b.to_move, hashes, ply if superko else 0, points)


class Move(NamedTuple):
    """One move of a game: the colour, and the point or PASS."""

    color: int
    point: int


class Position:
    """A game in progress: the stones, the side to move, and all moves so far.

    A move is given as a point (`go.coordinates`) or as a GTP vertex such as "D4" or "pass". `play` changes the position
    and returns it; a move that the rules refuse raises `GoError` and changes nothing. With `superko` off, only the
    simple ko rule is kept, as in games under Japanese rules.
    """

    def __init__(self, size: int = 19, komi: float = 7.5, superko: bool = True) -> None:
        if not math.isfinite(komi):
            raise GoError(f"Komi {komi} is not a number of points.")
        self.size = check_size(size)
        self.komi = float(komi)
        self.superko = superko
        self.named_points: dict[str, list[int]] = {}
        self.boards = new_boards()
        clear(self.boards[0], self.size, self.size)
        self._begin()

    @classmethod
    def from_text(cls, text: str, to_move: int = BLACK, komi: float = 7.5, superko: bool = True) -> Self:
        """Set up a board drawn as text (`go.text`). `at` looks up its lower-case letters."""
        colors, named_points = read_board(text)
        size = len(colors)
        position = cls(size, komi, superko)
        black, white = (
            [point_from_rowcol(row, column, size) for row, column in np.argwhere(colors == color).tolist()]
            for color in (BLACK, WHITE)
        )
        position.set_up(black, white, to_move=to_move)
        position.named_points = named_points
        return position

    def _begin(self) -> None:
        """Make the current board the start of the game."""
        self._start = _copied(self.boards)
        self._moves: list[Move] = []
        self.past = np.empty(1, HISTORY)  # `go.history.history_of` gives it out
        begin_history(self.past[0], self.board)
        self._hashes = np.zeros(64, np.uint64)
        self._hashes[0] = self.board["hash"]

    @property
    def board(self) -> np.void:
        """The record that the kernels work on. Changing it bypasses the rules."""
        return self.boards[0]

    @property
    def to_move(self) -> int:
        return int(self.board["to_move"])

    @property
    def history(self) -> tuple[Move, ...]:
        """The moves so far, without set-up stones."""
        return tuple(self._moves)

    @property
    def last_move(self) -> int | None:
        return self._moves[-1].point if self._moves else None

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return bool(self.board["passes"] >= 2)

    @property
    def colors(self) -> np.ndarray:
        """The board by row and column: EMPTY, BLACK or WHITE."""
        return self.by_row_and_column(self.board["color"])

    @property
    def captured(self) -> dict[int, int]:
        """How many stones each colour has lost."""
        return {color: int(self.board["captured"][color]) for color in (BLACK, WHITE)}

    @property
    def ko(self) -> int | None:
        """The point that simple ko forbids now, if any."""
        return int(self.board["ko"]) or None

    def at(self, name: str) -> int:
        """Return the one point with this lower-case letter on the text board that the position was made from."""
        points = self.named_points.get(name, [])
        if len(points) != 1:
            raise GoError(f"The text board has {len(points)} points named {name!r}, not one.")
        return points[0]

    def point(self, move: int | str) -> int:
        """Return a move, given as a point or as a GTP vertex, as a point."""
        if isinstance(move, str):
            return point_from_gtp(move, self.size)
        is_number = type(move) is int or (isinstance(move, Integral) and not isinstance(move, bool))
        if not is_number:
            raise GoError(f"{move!r} is no move: moves are points or GTP vertices.")
        return int(move) if 0 <= move < POINTS else OUTSIDE

    def color_at(self, move: int | str) -> int:
        return int(self.board["color"][self._checked(move)])

    def liberties(self, move: int | str) -> int:
        """Count the liberties of the chain on a point; 0 if the point is empty."""
        point = self._checked(move)
        return count_liberties(self.board, self.board["chain"][point]) if self.color_at(point) != EMPTY else 0

    def _checked(self, move: int | str) -> int:
        point = self.point(move)
        if not on_board(point, self.size):
            raise GoError(f"{move!r} is not a point of the {self.size}x{self.size} board.")
        return point

    def set_up(
        self,
        black: Iterable[int | str] = (),
        white: Iterable[int | str] = (),
        empty: Iterable[int | str] = (),
        to_move: int | None = None,
    ) -> Self:
        """Add and remove stones, outside the rules. The game then starts from here."""
        to_move = self._color(to_move)
        colors = {p: int(self.board["color"][p]) for p in range(POINTS) if on_board(p, self.size)}
        edited: set[int] = set()
        for color, moves in ((BLACK, black), (WHITE, white), (EMPTY, empty)):
            for point in map(self._checked, moves):
                if point in edited:
                    raise GoError(f"{gtp_from_point(point, self.size)} is set up twice.")
                edited.add(point)
                colors[point] = color
        boards = new_boards()
        clear(boards[0], self.size, self.size)
        for point, color in colors.items():
            if color != EMPTY:
                add_stone(boards[0], point, color)
        for point, color in colors.items():
            if color != EMPTY and count_liberties(boards[0], boards["chain"][0, point]) == 0:
                raise GoError(f"The set-up leaves {gtp_from_point(point, self.size)} without a liberty.")
        set_turn(boards[0], to_move)
        self.boards = boards
        self._begin()
        return self

    def place_handicap(self, stones: int) -> Self:
        """Put a fixed handicap on an empty board and give white the move."""
        if (self.colors != EMPTY).any():
            raise GoError("Handicap stones go on an empty board.")
        return self.set_up(black=handicap_points(stones, self.size), to_move=WHITE)

    @property
    def hashes(self) -> np.ndarray:
        """Return the Zobrist hashes of all positions of the game so far, including this one. Superko compares them."""
        return self._hashes[: len(self._moves) + 1].copy()

    def follows(self, other: "Position") -> bool:
        """Tell whether this position is the same as another or follows from it by moves alone."""
        same_game = (self.size, self.komi, self.superko) == (other.size, other.komi, other.superko)
        same_start = self._start.tobytes() == other._start.tobytes()
        return same_game and same_start and self._moves[: len(other._moves)] == other._moves

    def legal_moves(self) -> np.ndarray:
        """Return the points where the side to move may play, in board order. Passing is always legal as well."""
        points = np.empty(self.size * self.size, np.int64)
        return points[: _legal_moves(self.boards, self._hashes, len(self._moves) + 1, self.superko, points)]

    def is_legal(self, move: int | str, color: int | None = None) -> bool:
        return self.why_illegal(move, color) is None

    def why_illegal(self, move: int | str, color: int | None = None) -> str | None:
        """Return a sentence that says why a move is against the rules, or None if it is not."""
        point, color = self.point(move), self._color(color)
        if point == PASS:
            return None
        plies = len(self._moves) + 1 if self.superko else 0
        verdict = game_legality(self.board, point, color, self._hashes, plies)
        return None if verdict == LEGAL else self._refusal(verdict, move, color)

    def _color(self, color: int | None) -> int:
        if color is None:
            return self.to_move
        if color not in COLOR_NAMES:
            raise GoError(f"{color!r} is no colour: black is {BLACK}, white is {WHITE}.")
        return int(color)

    def _refusal(self, verdict: int, move: int | str, color: int) -> str:
        point, who = self.point(move), COLOR_NAMES[color].capitalize()
        if verdict == OFF_BOARD:
            return f"{who} cannot play {move}: there is no such point on a {self.size}x{self.size} board."
        reason = {
            OCCUPIED: f"a {COLOR_NAMES.get(self.color_at(point))} stone is there",
            KO: "it would take back a ko at once",
            SUICIDE: "it would be suicide",
            SUPERKO: "it would repeat an earlier position of the game (positional superko)",
        }[verdict]
        return f"{who} cannot play {gtp_from_point(point, self.size)}: {reason}."

    def play(self, move: int | str, color: int | None = None) -> Self:
        """Play a move for the side to move or, as some game records need, for the colour given."""
        point, color = self.point(move), self._color(color)
        ply = len(self._moves) + 1
        if ply == len(self._hashes):
            self._hashes = np.concatenate([self._hashes, np.zeros(ply, np.uint64)])
        verdict = _try_move(self.boards, self.past, point, color, self._hashes, ply, self.superko)
        if verdict != LEGAL:
            raise GoError(self._refusal(verdict, move, color))
        self._moves.append(Move(color, point))
        return self

    def undo(self) -> Self:
        """Take back the last move, by playing the game again up to there."""
        if not self._moves:
            raise GoError("There is no move to take back.")
        self._moves.pop()
        copy_board(self.boards, self._start)
        _replay(self.boards, self.past, np.array(self._moves, np.int64).reshape(-1, 2))
        return self

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.boards = _copied(self.boards)
        twin.past = self.past.copy()
        twin._hashes = self._hashes.copy()
        twin._moves = self._moves.copy()
        twin.named_points = self.named_points.copy()
        return twin

    __copy__ = copy

    def start(self) -> Self:
        """Return the position before the first move, with its set-up stones."""
        first = self.copy()
        copy_board(first.boards, self._start)
        first._begin()
        return first

    def by_row_and_column(self, by_point: np.ndarray) -> np.ndarray:
        """Return the part of an array by point that is on the board, as a copy by row and column."""
        rows = by_point[: (MAX_SIZE + 2 * EDGE) * STRIDE].reshape(-1, STRIDE)
        return rows[EDGE : EDGE + self.size, EDGE : EDGE + self.size].copy()

    def owners(self) -> np.ndarray:
        """Return the owner of each point by Tromp-Taylor counting, by row and column. EMPTY: nobody."""
        owners = np.zeros(POINTS, np.uint8)
        area_owners(self.board, owners)
        return self.by_row_and_column(owners)

    def score(self) -> float:
        """Return black's area minus white's minus komi. Positive: black wins; 0: a draw. All stones count as alive."""
        return area_margin(self.board) - self.komi

    def result(self) -> str:
        """Return the score as game records write it: B+3.5, W+12, or 0 for a draw."""
        score = self.score()
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"

    def to_svg(self, **options: Any) -> str:
        """Draw the position; `options` are those of `go.draw.board_svg`."""
        return board_svg(self.colors, **{"last_move": self.last_move or PASS, **options})

    def _repr_svg_(self) -> str:
        """Let notebooks draw the position."""
        return self.to_svg()

    def __str__(self) -> str:
        lines = [write_board(self.colors, self.last_move or PASS)]
        if self._moves:
            color, point = self._moves[-1]
            lines.append(f"Move {len(self._moves)}: {COLOR_NAMES[color]} {gtp_from_point(point, self.size)}.")
        state = "The game is over" if self.is_over else f"{COLOR_NAMES[self.to_move].capitalize()} to move"
        if self.ko:
            state += f", not at {gtp_from_point(self.ko, self.size)} (ko)"
        lost = self.captured
        lines.append(f"{state}. Komi {self.komi:g}. Stones lost: black {lost[BLACK]}, white {lost[WHITE]}.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        to_move = COLOR_NAMES[self.to_move]
        return f"<Position {self.size}x{self.size}, {len(self._moves)} moves, {to_move} to move>"


def _copied(boards: np.ndarray) -> np.ndarray:
    """Copy a board. Faster than numpy's own copy, which copies field by field."""
    twin = np.empty_like(boards)
    copy_board(twin, boards)
    return twin
