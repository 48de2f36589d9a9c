"""One game record: from the bytes of an SGF file to moves and a header that make sense, and back.

Parsing is sgfmill's. What is ours is to make sense of what people and servers really write: encodings, files torn off
in the middle, set-up stones anywhere, moves that no board allows. A game that cannot be used is a `Refusal` with its
reason; a game that is sound up to some move can be kept up to there.
"""

import codecs
import dataclasses
import functools
import math
import re
from typing import NamedTuple

import numpy as np
from sgfmill import sgf_grammar

from data.fields import (
    NO_RESULT,
    NO_WINNER,
    UNKNOWN_RANK,
    rank_name,
    read_handicap,
    read_komi,
    read_rank,
    read_result,
    read_size,
    read_year,
    result_name,
    split_name,
)
from data.replay import BAD_SETUP, POINT_MASK, decode_move, encode_move, legal_plies
from go.board import BLACK, EMPTY, LEGAL, WHITE, new_boards
from go.coordinates import PASS, SGF_LETTERS, point_from_sgf
from go.sgf import LARGEST, MOST_PARTS, write_sgf

MOST_MOVES = 10_000  # far above any game, and below what the numbers of the store can hold
MOST_SETUP = 10_000  # stones; a few bytes can ask for a whole board of them
MOST_BRANCHES = 100_000  # of one file: games and variations
MOST_LETTERS = 1000  # of a name, a date or the like
START = re.compile(rb"\(\s*;")
VALUE = re.compile(rb"\s*\[")

CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([A-Za-z0-9_.:+-]+)\s*\]")
MARKS = {  # that tell the encoding of a file by its first bytes
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"(\0;\0": "utf-16-le",
    b"\0(\0;": "utf-16-be",
}
ASCII = bytes(set(range(32, 127)) - set(b"\\")) + rb" \n \u0041 .xn--a"  # what a charset for SGF must leave as it is
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950"}
EAST_ASIAN_UTF8 = re.compile(rb"[\xe1-\xef][\x80-\xbf]{2}")

SETUP = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
MOVES = {"B": BLACK, "W": WHITE}
ILLEGAL, TORN = "illegal move", "torn file"  # why a game that is kept ends before its record does


class Refusal(NamedTuple):
    """Why there is no game; the reasons are few and fixed, so that they can be counted."""

    reason: str


@dataclasses.dataclass
class Record:
    """A game: `moves` and `setup` as `data.replay` takes them, the header as `data.fields` reads it."""

    size: int
    moves: np.ndarray  # int16[n]
    setup: np.ndarray  # int16[k, 3]
    komi: float = math.nan
    handicap: int = 0
    winner: int = NO_WINNER
    ending: int = NO_RESULT
    margin: float = math.nan
    ranks: tuple[int, int] = (UNKNOWN_RANK, UNKNOWN_RANK)  # black's, white's
    names: tuple[str, str] = ("", "")
    date: str = ""
    flaw: str = ""  # "", ILLEGAL or TORN: the game is cut off there

    @property
    def year(self) -> int:
        return read_year(self.date)


def read_records(data: bytes) -> list[Record | Refusal]:
    """Read every game of an SGF file, in order; a file without any gives one refusal."""
    if len(data) > LARGEST:
        return [Refusal("too large for a game record")]
    data = to_utf8(data)
    starts = [match.start() for match in START.finditer(data)]
    if not starts:
        return [Refusal("no SGF data")]
    if data.count(b"(") > MOST_BRANCHES:
        return [Refusal("too large for a game record")]
    if len(starts) == 1:
        return [_read_game(data)]
    games, end = [], 0
    for start in starts:  # some of them are variations, within the game before
        if start < end:
            continue
        tokens, end = sgf_grammar.tokenise(data, start)
        games.append(_read_game(data[start:end]))
        if _open_brackets(tokens) and VALUE.match(data, end):  # a value without an end: all the rest belongs to it
            break
    return games


def to_utf8(data: bytes) -> bytes:
    """Recode a file as UTF-8: by its first bytes, by the charset that it declares, or by what fits.

    Whole files are recoded, not single values, because in some encodings of Chinese and Japanese the second byte of a
    letter may look like a bracket or a backslash.
    """
    return _decode(data).encode("utf-8", "replace")


def _decode(data: bytes) -> str:
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    found = CHARSET.search(data[:4096])
    encodings = [encoding for encoding in (found and _charset(found[1].decode("ascii")), "utf-8") if encoding]
    if EAST_ASIAN_UTF8.search(data):  # nothing else looks like it by chance, but charsets are often declared wrongly
        encodings.reverse()
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except ValueError:
            continue
    for encoding in encodings:
        text = data.decode(encoding, "replace")
        letters = len(text) - len(text.encode("ascii", "ignore"))
        if 2 * text.count("\ufffd") <= letters:  # it fits but for some letters that are damaged or torn
            return text
    return data.decode("latin-1")  # the default of SGF, which fits any bytes


def _charset(declared: str) -> str | None:
    """Return the encoding of that name, or one that holds it; None if it is none that SGF can be written in."""
    try:
        if ASCII.decode(declared) != ASCII.decode("ascii"):
            return None
    except (LookupError, ValueError):
        return None
    return WIDER.get(codecs.lookup(declared).name, declared)


def _read_game(data: bytes) -> Record | Refusal:
    if data.count(b";") + data.count(b"[") > MOST_PARTS:
        return Refusal("too large for a game record")
    flaw = ""
    try:
        tree = sgf_grammar.parse_sgf_game(data)
    except ValueError:
        flaw = TORN
        try:
            tree = sgf_grammar.parse_sgf_game(_closed(data))
        except ValueError:
            return Refusal("malformed SGF")
    nodes = list(sgf_grammar.main_sequence_iter(tree))  # variations are left aside
    header = _header(nodes)
    if _text(header, "GM") not in ("", "1"):
        return Refusal("not a game of Go")
    size = read_size(_text(header, "SZ"))
    if size == 0:
        return Refusal("board size not from 2x2 to 19x19")
    setup, moves, is_whole = _read_nodes(nodes, size)
    record = Record(size, np.array(moves, np.int16), np.array(setup, np.int16).reshape(-1, 3), flaw=flaw)
    if not is_whole:
        record.flaw = ILLEGAL
    refusal = _keep_what_is_legal(record)
    if refusal is None:
        _read_header(record, header)
        refusal = _check_handicap(record)
    return refusal or record


def _open_brackets(tokens: list[tuple[str, bytes]]) -> int:
    return tokens.count(("D", b"(")) - tokens.count(("D", b")"))


def _closed(data: bytes) -> bytes:
    """Return a torn game up to its last whole value, with the brackets closed that were open there."""
    _, end = sgf_grammar.tokenise(data)
    start = START.search(data).start()
    sound = data[start:end].rstrip(b"(;ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz \t\r\n")
    tokens, _ = sgf_grammar.tokenise(sound)
    return sound + b")" * _open_brackets(tokens)


def _header(nodes: list[dict[str, list[bytes]]]) -> dict[str, list[bytes]]:
    """Return what the nodes up to the first move say; some programs begin with an empty node."""
    header: dict[str, list[bytes]] = {}
    for node in nodes:
        for name, values in node.items():
            header.setdefault(name, values)
        if not MOVES.keys().isdisjoint(node):
            break
    return header


def _text(node: dict[str, list[bytes]], name: str) -> str:
    text = sgf_grammar.simpletext_value(node.get(name, [b""])[0]).decode("utf-8", "replace")
    return text.strip()[:MOST_LETTERS].strip()


def _read_nodes(nodes: list[dict[str, list[bytes]]], size: int) -> tuple[list, list[int], bool]:
    """Return set-up rows, moves, and whether all of them could be read; the rest of a game is left out if not."""
    points = _points_of(size)
    start: dict[int, int] = {}  # set-up before the first move: only what stands in the end matters
    later: list[tuple[int, int, int]] = []
    moves: list[int] = []
    n_setup = 0
    for node in nodes:
        for name in SETUP if not SETUP.keys().isdisjoint(node) else ():
            for value in node.get(name, ()):
                stones = _rectangle(value, points)
                if stones is None or n_setup + len(stones) > MOST_SETUP:
                    return _rows(start, later), moves, False
                n_setup += len(stones)
                if moves:
                    later += [(len(moves), SETUP[name], point) for point in stones]
                else:
                    start.update(dict.fromkeys(stones, SETUP[name]))
        for name in node:
            if name in MOVES:
                point = points.get(node[name][0].strip())
                if point is None or len(node[name]) > 1 or len(moves) == MOST_MOVES:
                    return _rows(start, later), moves, False
                moves.append(encode_move(MOVES[name], point))
    return _rows(start, later), moves, True


def _rows(start: dict[int, int], later: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    return [(0, color, point) for point, color in sorted(start.items()) if color != EMPTY] + later


@functools.cache
def _points_of(size: int) -> dict[bytes, int]:
    """Return the point of every value that a move may have on a board, a pass included."""
    letters = SGF_LETTERS[:size]
    names = ["", "tt", *(column + row for column in letters for row in letters)]
    return {name.encode(): point_from_sgf(name, size) for name in names}


def _rectangle(value: bytes, points: dict[bytes, int]) -> list[int] | None:
    """Return the points of a set-up value: one point, two that are corners, or nothing; None if it is neither."""
    first, _, last = value.strip().partition(b":")
    if not first and not last:
        return []
    last = last or first
    if first not in points or last not in points or len(first) != 2 or len(last) != 2 or b"tt" in (first, last):
        return None
    columns = range(min(first[0], last[0]), max(first[0], last[0]) + 1)
    rows = range(min(first[1], last[1]), max(first[1], last[1]) + 1)
    return [points[bytes((column, row))] for column in columns for row in rows]


def _keep_what_is_legal(record: Record) -> Refusal | None:
    """Cut the game before its first illegal move, if there is one, and leave out what is set up after the last."""
    record.setup = record.setup[record.setup[:, 0] < max(len(record.moves), 1)]
    plies, verdict = legal_plies(new_boards(), record.size, record.moves, record.setup)
    if verdict == BAD_SETUP and plies == 0:
        return Refusal("set-up stones without a liberty")
    if verdict != LEGAL:
        record.flaw = ILLEGAL
    record.moves = record.moves[:plies]
    record.setup = record.setup[record.setup[:, 0] < max(plies, 1)]
    if plies == 0:
        return Refusal({ILLEGAL: "illegal first move", TORN: "malformed SGF"}.get(record.flaw, "no moves"))
    if not (record.moves & POINT_MASK != PASS).any():
        return Refusal("no moves")
    return None


def _read_header(record: Record, header: dict[str, list[bytes]]) -> None:
    record.komi = read_komi(_text(header, "KM"), record.size)
    record.winner, record.ending, record.margin = read_result(_text(header, "RE"))
    record.date = _text(header, "DT")
    black, white = split_name(_text(header, "PB")), split_name(_text(header, "PW"))
    record.names = black[0], white[0]
    ranks = read_rank(_text(header, "BR")), read_rank(_text(header, "WR"))
    record.ranks = tuple(
        of_header if of_header != UNKNOWN_RANK else of_name
        for of_header, (_, of_name) in zip(ranks, (black, white), strict=True)
    )
    record.handicap = max(read_handicap(_text(header, "HA")), _stones_ahead(record))


def _stones_ahead(record: Record) -> int:
    """Count the stones that black has before white's first, 0 if that is no more than the first move.

    They are set up, or played while white has to wait or passes. A set-up with white stones is no handicap.
    """
    at_start = record.setup[record.setup[:, 0] == 0]
    if (at_start[:, 1] == WHITE).any():
        return 0
    played = 0
    for color, point in map(decode_move, record.moves if not len(at_start) else ()):
        if point != PASS:
            if color == WHITE:
                break
            played += 1
    stones = len(at_start) + played
    return stones if stones > 1 else 0


def _check_handicap(record: Record) -> Refusal | None:
    """Refuse a game whose handicap stones are not in it: then the board is not what the players saw."""
    return Refusal("handicap stones missing") if record.handicap > _stones_ahead(record) else None


def to_sgf(record: Record) -> bytes:
    """Write a record as SGF that reads back as the same record."""
    header = {
        "PB": record.names[0],
        "PW": record.names[1],
        "BR": "" if record.ranks[0] == UNKNOWN_RANK else rank_name(record.ranks[0]),
        "WR": "" if record.ranks[1] == UNKNOWN_RANK else rank_name(record.ranks[1]),
        "DT": record.date,
        "KM": f"{record.komi:g}" if math.isfinite(record.komi) else "",
        "HA": str(record.handicap) if record.handicap else "",
        "RE": result_name(record.winner, record.ending, record.margin),
    }
    return write_sgf(record.size, map(decode_move, record.moves), header, map(tuple, record.setup.tolist()))
