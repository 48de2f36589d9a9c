"""The commands of GTP 2, and those of KGS that go with them.

A command takes the session and its arguments, and returns the text of its answer or raises `Failure`; errors are in the
words of the specification. Commands whose answers go on for a while, line by line, are in `analysis`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from go.board import WHITE
from go.coordinates import MAX_SIZE, MIN_SIZE, PASS
from go.dead_stones import capture_of_dead, dead_stones
from go.errors import GoError
from go.handicap import handicap_points, most_handicap_stones
from go.position import Position
from go.sgf import position_sgf, read_sgf
from gtp.scoring import final_score, final_status_list
from gtp.session import Session
from gtp.syntax import Failure, check_count, read_color, read_number, read_point, read_whole, write_move
from gtp.time_commands import read_kgs_time_settings, read_time_left, read_time_settings

Command = Callable[[Session, list[str]], str | Iterator[str]]


def protocol_version(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    return "2"


def name(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    return session.name


def version(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    return session.version


def known_command(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 1)
    return str(arguments[0] in session.commands).lower()


def list_commands(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    return "\n".join(session.commands)


def close(session: Session, arguments: list[str]) -> str:
    session.is_closed = True
    return ""


def boardsize(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 1)
    size = read_whole(arguments[0])
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise Failure("unacceptable size")
    if not session.accepts(size):
        raise Failure("unacceptable size", f"The player does not play on {size}x{size}.")
    session.get_ready(size)
    session.start(Position(size, session.position.komi))
    return ""


def clear_board(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    session.start(Position(session.position.size, session.position.komi))
    return ""


def komi(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 1)
    session.position.komi = read_number(arguments[0])
    session.result = ""
    return ""


def fixed_handicap(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 1)
    return _place_handicap(session, read_whole(arguments[0]))


def place_free_handicap(session: Session, arguments: list[str]) -> str:
    """Place a handicap on the points of the fixed one. GTP lets an engine place fewer stones than asked for."""
    check_count(arguments, 1)
    asked, size = read_whole(arguments[0]), session.position.size
    return _place_handicap(session, min(asked, most_handicap_stones(size)) if asked < size * size else asked)


def _place_handicap(session: Session, stones: int) -> str:
    try:
        points = handicap_points(stones, session.position.size)
    except GoError as error:
        raise Failure("invalid number of stones", str(error)) from None
    _set_up_handicap(session, points)
    return " ".join(write_move(point, session.position.size) for point in points)


def set_free_handicap(session: Session, arguments: list[str]) -> str:
    points = [read_point(argument, session.position.size) for argument in arguments]
    if len(points) < 2:
        raise Failure("bad vertex list", "A handicap has at least two stones.")
    _set_up_handicap(session, points)
    return ""


def _set_up_handicap(session: Session, points: list[int]) -> None:
    if session.position.colors.any():
        raise Failure("board not empty")
    try:
        session.start(session.position.copy().set_up(black=points, to_move=WHITE))
    except GoError as error:
        raise Failure("bad vertex list", str(error)) from None


def play(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 2)
    color, point = read_color(arguments[0]), read_point(arguments[1], session.position.size)
    try:
        session.play(color, point)
    except GoError as error:
        raise Failure("illegal move", str(error)) from None
    return ""


def genmove(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 1)
    color = read_color(arguments[0])
    move = int(session.decide(color).move)
    session.make(color, move)
    return write_move(move, session.position.size)


def reg_genmove(session: Session, arguments: list[str]) -> str:
    """Choose a move without playing it."""
    check_count(arguments, 1)
    return write_move(int(session.decide(read_color(arguments[0]), is_game=False).move), session.position.size)


def kgs_genmove_cleanup(session: Session, arguments: list[str]) -> str:
    """Play a move. Do not pass while the opponent has dead stones on the board and there is another move."""
    check_count(arguments, 1)
    color = read_color(arguments[0])
    move = int(session.decide(color).move)
    if move == PASS:
        view = session.view(color)
        move = capture_of_dead(view, dead_stones(session.player, view)) or PASS
    session.make(color, move)
    return write_move(move, session.position.size)


def undo(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    try:
        session.undo()
    except GoError as error:
        raise Failure("cannot undo", str(error)) from None
    return ""


def time_settings(session: Session, arguments: list[str]) -> str:
    session.settings = read_time_settings(arguments)
    session.set_clocks(session.settings)
    return ""


def kgs_time_settings(session: Session, arguments: list[str]) -> str:
    session.settings = read_kgs_time_settings(arguments)
    session.set_clocks(session.settings)
    return ""


def time_left(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 3)
    session.set_clock(read_color(arguments[0]), read_time_left(arguments[1:], session.settings))
    return ""


def showboard(session: Session, arguments: list[str]) -> str:
    check_count(arguments, 0)
    return f"\n{session.position}"  # below the sign of the answer, so that the columns are straight


def loadsgf(session: Session, arguments: list[str]) -> str:
    """Load a game, or the part of it before a move. The name of the file may contain spaces."""
    check_count(arguments, 1, max(1, len(arguments)))
    before = None
    if len(arguments) > 1 and arguments[-1].isdecimal():
        before = read_whole(arguments[-1])
        arguments = arguments[:-1]
    try:
        position = read_sgf(Path(" ".join(arguments)), session.position.komi, before)
    except (OSError, ValueError) as error:
        raise Failure("cannot load file", str(error)) from None
    if not session.accepts(position.size):
        raise Failure("cannot load file", f"The player does not play on {position.size}x{position.size}.")
    session.get_ready(position.size)
    session.start(position)
    return ""


def printsgf(session: Session, arguments: list[str]) -> str:
    """Write the game to a file or into the answer."""
    record = position_sgf(session.position, {"RE": session.result}).decode("utf-8").strip()
    if not arguments or arguments == ["-"]:
        return record
    try:
        Path(" ".join(arguments)).write_text(record + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Failure("cannot save file", str(error)) from None
    return ""


COMMANDS: dict[str, Command] = {
    "protocol_version": protocol_version,
    "name": name,
    "version": version,
    "known_command": known_command,
    "list_commands": list_commands,
    "quit": close,
    "boardsize": boardsize,
    "clear_board": clear_board,
    "komi": komi,
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
    "play": play,
    "genmove": genmove,
    "undo": undo,
    "time_settings": time_settings,
    "time_left": time_left,
    "final_score": final_score,
    "final_status_list": final_status_list,
    "loadsgf": loadsgf,
    "reg_genmove": reg_genmove,
    "showboard": showboard,
    "printsgf": printsgf,
    "kgs-time_settings": kgs_time_settings,
    "kgs-genmove_cleanup": kgs_genmove_cleanup,
}
