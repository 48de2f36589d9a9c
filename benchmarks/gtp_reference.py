"""A GTP session that is kept on sgfmill's board: what a server must answer, and which stones it must have.

It is written after the specification of GTP 2, without the code of `gtp`. A command must succeed (`YES`), must fail
(`NO`), or may do either (`EITHER`) where the specification does not decide, such as with characters beyond ASCII. What
an answer says is checked as far as it follows from the position: moves must be legal with superko, scores must be those
of the board without the stones that the engine calls dead, and a printed game must lead to the board.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sgfmill import sgf
from sgfmill.boards import Board

YES, NO, EITHER = "=", "?", ""
COLORS = {"b": "b", "black": "b", "w": "w", "white": "w"}
COLUMNS = "ABCDEFGHJKLMNOPQRST"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
VERTEX = re.compile(r"([A-HJ-T])([1-9]\d?)", re.ASCII)
RESULT = re.compile(r"([BW])\+(\d+(?:\.\d+)?(?:e\+\d+)?)|0")
INFO = re.compile(
    r"info move (\S+) visits \d+ winrate [\d.]+ prior [\d.]+ (?:scoreMean \S+ scoreLead \S+ )?order \d+ pv (.+)"
)
Stones = tuple[tuple[str | None, ...], ...]
Place = tuple[int, int]  # row from below, column
PASS: Place = (-1, -1)


class Before(NamedTuple):
    """What `undo` goes back to."""

    stones: Stones
    ko: tuple[Place, str] | None
    to_move: str


class Facts(NamedTuple):
    """What a server says of itself at the beginning: its name, commands, maps, and the boards of its player."""

    name: str
    version: str
    commands: tuple[str, ...]
    maps: tuple[str, ...]
    sizes: tuple[int, ...]


def read_words(line: bytes) -> list[str]:
    """Return the words of a line: the id first, if there is one. Empty for a line without a command."""
    text = line.decode("utf-8", "replace")
    text = "".join(" " if letter == "\t" else letter for letter in text if letter == "\t" or ord(letter) not in CONTROL)
    return text.partition("#")[0].split()


CONTROL = {*range(32), 127}


class Reference:
    """The position of a session, and what each command may do to it."""

    def __init__(self, facts: Facts, size: int, komi: float, folder: Path) -> None:
        self.facts, self.folder, self.komi = facts, folder, komi
        self.begin(Board(size))

    def begin(self, board: Board, ko: tuple[Place, str] | None = None) -> None:
        """Start a game from a board."""
        self.board, self.ko = board, ko
        self.befores: list[Before] = []
        self.to_move = "b"

    @property
    def size(self) -> int:
        return self.board.side

    def stones(self) -> Stones:
        return tuple(tuple(row) for row in self.board.board)

    def is_empty(self) -> bool:
        return not any(stone for row in self.board.board for stone in row)

    def place(self, word: str) -> Place | None:
        """Return the place of a vertex, PASS, or None if it is no vertex of the board."""
        if word.lower() == "pass":
            return PASS
        found = VERTEX.fullmatch(word.upper()) if word.isascii() else None
        if not found or COLUMNS.index(found[1]) >= self.size or int(found[2]) > self.size:
            return None
        return int(found[2]) - 1, COLUMNS.index(found[1])

    def after(self, color: str, place: Place) -> tuple[Board, tuple[Place, str] | None] | None:
        """Return board and ko after a move, or None if it is illegal by occupation, suicide or simple ko."""
        if self.board.get(*place) is not None or self.ko == (place, color):
            return None
        board = self.board.copy()
        ko = board.play(*place, color)
        if board.get(*place) is None:  # sgfmill removes stones that take their own last liberty
            return None
        return board, (None if ko is None else (ko, "w" if color == "b" else "b"))

    def play(self, color: str, place: Place, superko: bool = False) -> bool:
        """Play a move. Return False if it is illegal."""
        after = (self.board.copy(), None) if place == PASS else self.after(color, place)
        if after is None:
            return False
        new = tuple(tuple(row) for row in after[0].board)
        if superko and place != PASS and (new == self.stones() or any(new == old.stones for old in self.befores)):
            return False
        self.befores.append(Before(self.stones(), self.ko, self.to_move))
        self.board, self.ko = after
        self.to_move = "w" if color == "b" else "b"
        return True

    def expected(self, words: list[str]) -> str:
        """Return whether a command must succeed, by its words without the id. Nothing is changed yet."""
        if not words or words[0] not in self.facts.commands:
            return NO if not words or words[0].isascii() else EITHER
        if not all(word.isascii() for word in words):
            return EITHER
        name, arguments = words[0], words[1:]
        return VERDICTS[name](self, arguments) if name in VERDICTS else EITHER

    def take(self, words: list[str], answer: str) -> str:
        """Do what a successful command does. Return what is wrong with its answer, or nothing."""
        name, arguments = words[0], words[1:]
        return EFFECTS[name](self, arguments, answer) if name in EFFECTS else ""

    def generated(self, color: str, word: str) -> str:
        """Play a move that the engine chose."""
        if word == "resign":
            return ""
        place = self.place(word)
        if place is None:
            return f"{word!r} is no move"
        return "" if self.play(color, place, superko=True) else f"{word} is illegal"


def counted(least: int, most: int | None = None) -> Callable[[Reference, list[str]], str]:
    return lambda session, given: YES if least <= len(given) <= (least if most is None else most) else NO


def is_whole(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 9


def is_number(word: str) -> bool:
    return bool(NUMBER.fullmatch(word)) and math.isfinite(float(word))


def may_resize(session: Reference, given: list[str]) -> str:
    return YES if len(given) == 1 and is_whole(given[0]) and int(given[0]) in session.facts.sizes else NO


def may_set_komi(session: Reference, given: list[str]) -> str:
    return YES if len(given) == 1 and is_number(given[0]) else NO


def may_play(session: Reference, given: list[str]) -> str:
    if len(given) != 2 or given[0].lower() not in COLORS:
        return NO
    if re.fullmatch(r"[A-Za-z]0+\d*", given[1]):
        return EITHER  # a number with zeros in front
    place = session.place(given[1])
    if place is None:
        return NO
    return YES if place == PASS or session.after(COLORS[given[0].lower()], place) else NO


def may_move(session: Reference, given: list[str]) -> str:
    return YES if len(given) == 1 and given[0].lower() in COLORS else NO


def may_undo(session: Reference, given: list[str]) -> str:
    return YES if not given and session.befores else NO


def may_place(session: Reference, given: list[str]) -> str:
    """The fixed handicap of the specification: none below 7x7, four stones on 7x7 and even boards, else nine."""
    most = 0 if session.size < 7 else 9 if session.size % 2 and session.size > 7 else 4
    is_sound = len(given) == 1 and is_whole(given[0]) and session.is_empty()
    return YES if is_sound and 2 <= int(given[0]) <= most else NO


def may_place_freely(session: Reference, given: list[str]) -> str:
    if len(given) != 1 or not is_whole(given[0]) or not session.is_empty() or int(given[0]) < 2:
        return NO
    return EITHER if session.size < 7 or int(given[0]) >= session.size**2 else YES


def may_set_freely(session: Reference, given: list[str]) -> str:
    places = [session.place(word) for word in given]
    if len(given) < 2 or None in places or PASS in places or not session.is_empty():
        return NO
    if len(set(places)) == session.size**2:
        return NO  # no stone would have a liberty
    return YES if len(set(places)) == len(places) else EITHER


def may_list(session: Reference, given: list[str]) -> str:
    return YES if len(given) == 1 and given[0].lower() in ("alive", "dead", "seki") else NO


def may_show_map(session: Reference, given: list[str]) -> str:
    return YES if " ".join(given) in session.facts.maps else NO


def may_load(session: Reference, given: list[str]) -> str:
    if not given:
        return NO
    is_cut = len(given) > 1 and given[-1].isdecimal()
    path = session.folder / " ".join(given[:-1] if is_cut else given)
    if is_cut and not is_whole(given[-1]):
        return NO
    return YES if (loaded := load(path)) and loaded.size in session.facts.sizes else NO


def load(path: Path) -> "Reference | None":
    """Read a game with sgfmill."""
    try:
        return read_game(path.read_bytes(), path.parent, None)
    except (OSError, ValueError):
        return None


def read_game(data: bytes, folder: Path, before: int | None) -> Reference:
    """Play the main line of a game, or the part of it before a move."""
    game = sgf.Sgf_game.from_bytes(data)
    session = Reference(Facts("", "", (), (), ()), game.get_size(), game.get_komi(), folder)
    for moves, node in enumerate(game.get_main_sequence()):
        if node.has_setup_stones():
            board = session.board.copy()
            black, white, empty = node.get_setup_stones()
            board.apply_setup(black, white, empty)
            session.begin(board)
            session.to_move = "w" if len(black) > 1 and not white else "b"
        color, place = node.get_move()
        if color is not None:
            if before is not None and moves >= max(before, 1):
                break
            if not session.play(color, place or PASS):
                raise ValueError("an illegal move")
    return session


def resize(session: Reference, given: list[str], answer: str) -> str:
    session.begin(Board(int(given[0])))
    return ""


def clear(session: Reference, given: list[str], answer: str) -> str:
    session.begin(Board(session.size))
    return ""


def set_komi(session: Reference, given: list[str], answer: str) -> str:
    session.komi = float(given[0])
    return ""


def play(session: Reference, given: list[str], answer: str) -> str:
    word = given[1] if given[1].lower() == "pass" else f"{given[1][0]}{int(given[1][1:])}"
    place = session.place(word)
    is_legal = place is not None and session.play(COLORS[given[0].lower()], place)
    return "" if is_legal else "an illegal move was accepted"


def generate(session: Reference, given: list[str], answer: str) -> str:
    return session.generated(COLORS[given[0].lower()], answer)


def suggest(session: Reference, given: list[str], answer: str) -> str:
    befores, board, ko, to_move = [*session.befores], session.board, session.ko, session.to_move
    fault = session.generated(COLORS[given[0].lower()], answer)
    session.befores, session.board, session.ko, session.to_move = befores, board, ko, to_move
    return fault


def undo(session: Reference, given: list[str], answer: str) -> str:
    before = session.befores.pop()
    board = Board(session.size)
    board.board = [list(row) for row in before.stones]
    board._is_empty = False
    session.board, session.ko, session.to_move = board, before.ko, before.to_move
    return ""


def handicap(session: Reference, words: list[str], most: int) -> str:
    places = {session.place(word) for word in words}
    if None in places or PASS in places or not 2 <= len(places) <= most:
        return f"{' '.join(words)!r} is no handicap"
    board = Board(session.size)
    board.apply_setup(places, [], [])
    session.begin(board)
    session.to_move = "w"
    return ""


def place_handicap(session: Reference, given: list[str], answer: str) -> str:
    return handicap(session, answer.split(), int(given[0]))


def set_handicap(session: Reference, given: list[str], answer: str) -> str:
    return handicap(session, given, len(given))


def load_game(session: Reference, given: list[str], answer: str) -> str:
    is_cut = len(given) > 1 and given[-1].isdecimal()
    path = session.folder / " ".join(given[:-1] if is_cut else given)
    data = path.read_bytes()
    loaded = read_game(data, session.folder, int(given[-1]) if is_cut else None)
    session.begin(loaded.board, loaded.ko)
    session.befores, session.to_move = loaded.befores, loaded.to_move
    if b"KM[" in data:
        session.komi = loaded.komi
    return ""


def check_printed(session: Reference, given: list[str], answer: str) -> str:
    if given and given != ["-"]:
        answer = (session.folder / " ".join(given)).read_text(encoding="utf-8")
    printed = read_game(answer.encode(), session.folder, None)
    return "" if printed.stones() == session.stones() else "the printed game leads to another board"


def check_board(session: Reference, given: list[str], answer: str) -> str:
    rows = [line.replace("(", " ").replace(")", " ").split() for line in answer.splitlines()]
    shown = {
        int(cells[0]): cells[1 : 1 + session.size]
        for cells in rows
        if len(cells) > session.size and cells[0].isdigit() and set(cells[1 : 1 + session.size]) <= set("XO.+")
    }
    letters = {"X": "b", "O": "w", ".": None, "+": None}
    found = tuple(tuple(letters[cell] for cell in shown.get(row + 1, ())) for row in range(session.size))
    return "" if found == session.stones() else "the board is another one"


def check_status(session: Reference, given: list[str], answer: str) -> str:
    for word in answer.split():
        place = session.place(word)
        if place in (None, PASS) or session.board.get(*place) is None:
            return f"{word} is no stone"
    return ""


def check_score(session: Reference, given: list[str], answer: str) -> str:
    return "" if RESULT.fullmatch(answer) else f"{answer!r} is no score"


def score_without(session: Reference, dead: str) -> float:
    """Return the score of the board without some stones, given by a list of vertices."""
    board = session.board.copy()
    board.apply_setup([], [], [session.place(word) for word in dead.split()])
    return board.area_score() - session.komi


def score_of(answer: str) -> float:
    found = RESULT.fullmatch(answer)
    return 0.0 if found is None or found[1] is None else float(found[2]) * (1 if found[1] == "B" else -1)


def check_map(session: Reference, given: list[str], answer: str) -> str:
    rows = [line.split() for line in answer.splitlines()]
    is_square = len(rows) == session.size and all(len(row) == session.size for row in rows)
    return "" if is_square else "the map is not of the size of the board"


def check_reports(session: Reference, given: list[str], answer: str) -> str:
    for line in answer.splitlines():
        for part in line.strip().partition(" ownership ")[0].split(" info "):
            if not part.strip():
                continue
            found = INFO.fullmatch(f"info {part.removeprefix('info ')}")
            moves = [found[1], *found[2].split()] if found else []
            if not found or any(session.place(word) is None for word in moves):
                return f"{part!r} is no report"
    return ""


def check_reported_move(session: Reference, given: list[str], answer: str) -> str:
    *reports, last = answer.strip().splitlines() or [""]
    color = COLORS[given[0].lower()] if given and given[0].lower() in COLORS else session.to_move
    if not last.startswith("play "):
        return "there is no move"
    fault = check_reports(session, given, "\n".join(reports))
    return fault or session.generated(color, last.removeprefix("play ").strip())


def says(text: Callable[[Reference, list[str]], str]) -> Callable[[Reference, list[str], str], str]:
    def check(session: Reference, given: list[str], answer: str) -> str:
        right = text(session, given)
        return "" if answer == right else f"{answer!r} should be {right!r}"

    return check


VERDICTS: dict[str, Callable[[Reference, list[str]], str]] = {
    **dict.fromkeys(("protocol_version", "name", "version", "list_commands", "clear_board", "showboard"), counted(0)),
    **dict.fromkeys(("final_score", "gogui-analyze_commands", "prezero-why"), counted(0)),
    **dict.fromkeys(("genmove", "reg_genmove", "kgs-genmove_cleanup"), may_move),
    **dict.fromkeys(("prezero-colors", "prezero-squares", "prezero-numbers"), may_show_map),
    "known_command": counted(1),
    "boardsize": may_resize,
    "komi": may_set_komi,
    "play": may_play,
    "undo": may_undo,
    "fixed_handicap": may_place,
    "place_free_handicap": may_place_freely,
    "set_free_handicap": may_set_freely,
    "final_status_list": may_list,
    "loadsgf": may_load,
    "stop": lambda session, given: YES,
    "quit": lambda session, given: YES,
}
EFFECTS: dict[str, Callable[[Reference, list[str], str], str]] = {
    "protocol_version": says(lambda session, given: "2"),
    "name": says(lambda session, given: session.facts.name),
    "version": says(lambda session, given: session.facts.version),
    "list_commands": says(lambda session, given: "\n".join(session.facts.commands)),
    "known_command": says(lambda session, given: "true" if given[0] in session.facts.commands else "false"),
    **dict.fromkeys(("genmove", "kgs-genmove_cleanup"), generate),
    **dict.fromkeys(("prezero-colors", "prezero-squares", "prezero-numbers"), check_map),
    **dict.fromkeys(("lz-analyze", "kata-analyze"), check_reports),
    **dict.fromkeys(("lz-genmove_analyze", "kata-genmove_analyze"), check_reported_move),
    **dict.fromkeys(("fixed_handicap", "place_free_handicap"), place_handicap),
    "set_free_handicap": set_handicap,
    "boardsize": resize,
    "clear_board": clear,
    "komi": set_komi,
    "play": play,
    "reg_genmove": suggest,
    "undo": undo,
    "loadsgf": load_game,
    "printsgf": check_printed,
    "showboard": check_board,
    "final_status_list": check_status,
    "final_score": check_score,
}
CHANGES = {
    *("boardsize", "clear_board", "play", "undo", "genmove", "kgs-genmove_cleanup", "reg_genmove", "loadsgf"),
    *("fixed_handicap", "place_free_handicap", "set_free_handicap", "lz-genmove_analyze", "kata-genmove_analyze"),
}
