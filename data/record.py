"""One game record: from the bytes of an SGF file to checked moves and header fields, and back.

sgfmill parses the SGF. This module handles what people and servers really write: encodings, truncated files, unescaped
brackets, set-up stones anywhere, illegal moves. An unusable game becomes a `Refusal` with its reason. A game that is
valid up to some move can be kept up to that move.
"""

import codecs
import dataclasses
import functools
import itertools
import math
import re
import string
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

MOST_MOVES = 10_000  # more than any real game, and within the integer types of the store
MOST_SETUP = 10_000  # stones; a few bytes of SGF can set up a whole board
MOST_BRANCHES = 100_000  # games and variations of one file
MOST_LETTERS = 1000  # longest name, date or other text
MOST_MENDED = 25  # most games per file whose header is searched for unescaped brackets
LONGEST_HEADER = 65_536  # bytes of a header that are searched

START = re.compile(rb"\(\s*;")
BARE_START = re.compile(rb"(\A\s*|\)\s*)\((?=\s*[A-Z]{1,2}\s*\[)")  # some programs omit the semicolon of the root
ROOT_PROPERTIES = {b"FF", b"GM", b"SZ", b"CA", b"AP", b"ST"}  # never in a variation
STRUCTURE = re.compile(rb"[\[\];]")
VALUE = re.compile(rb"\s*\[")
AFTER_VALUE = rb"\s*(?:\[|;?\s*[A-Z][A-Za-z]*\s*\[|;\s*[;()]|\(\s*;|\)\s*(?:[()]|\Z)|\Z)"
HEADER_TOKEN = re.compile(  # a value ends at a bracket that is followed by valid SGF
    rb"\s*(?:(?P<node>;)|(?P<name>[A-Za-z]{1,64})(?=\s*\[)|\[(?P<value>(?:[^\\\]]++|\\.|\](?!%s))*+)\])" % AFTER_VALUE,
    re.DOTALL,
)
INNER_BRACKET = re.compile(rb"((?:[^\\\]]++|\\.)*+)\]", re.DOTALL)
LIKE_A_PROPERTY = re.compile(rb";|(?<![A-Za-z])[A-Z]{1,2}\s*\[")

CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([A-Za-z0-9_.:+-]+)\s*\]")
FIRST_BYTES = {  # first bytes to encoding: a byte order mark, or the start of a game in UTF-16
    re.compile(codecs.BOM_UTF8): "utf-8-sig",
    re.compile(codecs.BOM_UTF16_LE + b"|" + codecs.BOM_UTF16_BE): "utf-16",
    re.compile(rb"(?:\s\0)*\(\0(?:\s\0)*[;A-Z]\0"): "utf-16-le",
    re.compile(rb"(?:\0\s)*\0\((?:\0\s)*\0[;A-Z]"): "utf-16-be",
}
ASCII = bytes(set(range(32, 127)) - set(b"\\")) + rb" \n \u0041 .xn--a"  # a charset for SGF must not change these bytes
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950"}
EAST_ASIAN_UTF8 = re.compile(rb"[\xe1-\xef][\x80-\xbf]{2}")

SETUP = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
MOVES = {"B": BLACK, "W": WHITE}
MOVE_NAMES, LOWER = (b"B", b"W"), string.ascii_lowercase.encode()
ILLEGAL, TORN = "illegal move", "torn file"  # why a kept game is truncated


class Refusal(NamedTuple):
    """The reason why a game is unusable. Reasons are a small fixed set, so that they can be counted."""

    reason: str


@dataclasses.dataclass
class Record:
    """A game: `moves` and `setup` as in `data.replay`, header fields as in `data.fields`."""

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
    flaw: str = ""  # "", or why the game is truncated: ILLEGAL or TORN

    @property
    def year(self) -> int:
        return read_year(self.date)


def read_records(data: bytes) -> list[Record | Refusal]:
    """Read the games of an SGF file in order. A file without games gives one refusal."""
    if len(data) > LARGEST:
        return [Refusal("too large for a game record")]
    data = BARE_START.sub(rb"\1(;", to_utf8(data))
    if not START.search(data):
        return [Refusal("no SGF data")]
    if data.count(b"(") > MOST_BRANCHES:
        return [Refusal("too large for a game record")]
    return [_read_game(game) for game in _split(data)] or [Refusal("malformed SGF")]


def _split(data: bytes) -> list[bytes]:
    """Return the text of each game of a file.

    A variation is not a game. In a damaged file, a tree may be a fragment of another one. So it is a game only if its
    first node has root properties, or if no SGF precedes it. In an undamaged file, a tree that begins with a move and
    has no root properties is a variation that was closed too early.
    """
    starts = [match.start() for match in START.finditer(data)]
    if len(starts) == 1 and not data[: starts[0]].strip():
        return [data]
    trees: list[tuple[bytes, bool, bool]] = []  # text, is a game, is a game if the file is undamaged
    end, is_sound, mendings = 0, True, MOST_MENDED
    while start := START.search(data, end):
        gap = data[end : start.start()]
        tokens, end = sgf_grammar.tokenise(data, start.start())
        if _open_brackets(tokens) and mendings:
            mendings -= 1
            data = data[: start.start()] + _mended(data[start.start() :])
            tokens, end = sgf_grammar.tokenise(data, start.start())
        is_torn = _open_brackets(tokens) > 0
        is_clean = not STRUCTURE.search(gap) and gap.count(b"(") == gap.count(b")")
        names = _first_names(tokens)
        is_game = not names.isdisjoint(ROOT_PROPERTIES) or (not trees and is_clean)
        trees.append((data[start.start() : end], is_game, is_game or names.isdisjoint((b"B", b"W"))))
        is_sound = is_sound and is_clean and not is_torn
        if is_torn and VALUE.match(data, end):  # an unclosed value: it contains the rest of the file
            break
    is_sound = is_sound and not STRUCTURE.search(data, end) and data.count(b")", end) == data.count(b"(", end)
    return [text for text, is_game, is_game_if_sound in trees if is_game or (is_sound and is_game_if_sound)]


def _first_names(tokens: list[tuple[str, bytes]]) -> set[bytes]:
    """Return the names of the properties of the first node of a tree."""
    names = itertools.takewhile(lambda token: token[0] != "D", tokens[2:])
    return {name for kind, name in names if kind == "I"}


def _mended(data: bytes) -> bytes:
    """Escape closing brackets inside the values of a header, as in `PB[name [9p]]`.

    A bracket closes a value only if valid SGF follows. The data is returned unchanged if the rest of a value after an
    inner bracket looks like SGF. Nothing is changed after the first move.
    """
    place = START.search(data).end()
    parts, last = [data[:place]], place + LONGEST_HEADER
    while token := HEADER_TOKEN.match(data, place, last):
        if token["name"] and token["name"].translate(None, LOWER) in MOVE_NAMES:
            break
        text = token[0]
        inner = token["value"] and INNER_BRACKET.match(token["value"])
        if inner:
            if LIKE_A_PROPERTY.search(token["value"], inner.end()):
                return data
            text = data[place : token.start("value")] + INNER_BRACKET.sub(rb"\1\\]", token["value"]) + b"]"
        parts.append(text)
        place = token.end()
    return b"".join(parts) + data[place:]


def to_utf8(data: bytes) -> bytes:
    """Convert a file to UTF-8. Its encoding is taken from its first bytes or declared charset, or guessed.

    The whole file is converted before parsing: in some Chinese and Japanese encodings, the second byte of a character
    may be equal to a bracket or a backslash.
    """
    return _decode(data).encode("utf-8", "replace")


def _decode(data: bytes) -> str:
    for first_bytes, encoding in FIRST_BYTES.items():
        if first_bytes.match(data):
            return data.decode(encoding, "replace")
    found = CHARSET.search(data[:4096])
    encodings = [encoding for encoding in (found and _charset(found[1].decode("ascii")), "utf-8") if encoding]
    if EAST_ASIAN_UTF8.search(data):  # rarely a coincidence, and declared charsets are often wrong
        encodings.reverse()
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except ValueError:
            continue
    for encoding in encodings:
        text = data.decode(encoding, "replace")
        letters = len(text) - len(text.encode("ascii", "ignore"))
        if 2 * text.count("\ufffd") <= letters:  # it fits, except for some damaged characters
            return text
    return data.decode("latin-1")  # the default of SGF; decodes any bytes


def _charset(declared: str) -> str | None:
    """Return the declared encoding or a superset of it. Return None if it is unsuitable for SGF."""
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
        data = _mended(data)
        try:
            tree = sgf_grammar.parse_sgf_game(data)
        except ValueError:
            flaw = TORN
            try:
                tree = sgf_grammar.parse_sgf_game(_closed(data))
            except ValueError:
                return Refusal("malformed SGF")
    nodes = list(sgf_grammar.main_sequence_iter(tree))  # without variations
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
    """Return a truncated game up to its last complete value, with its open brackets closed."""
    _, end = sgf_grammar.tokenise(data)
    start = START.search(data).start()
    sound = data[start:end].rstrip(b"(;ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz \t\r\n")
    tokens, _ = sgf_grammar.tokenise(sound)
    return sound + b")" * _open_brackets(tokens)


def _header(nodes: list[dict[str, list[bytes]]]) -> dict[str, list[bytes]]:
    """Merge the properties of the nodes before the first move, because some programs begin with an empty node."""
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
    """Return set-up rows, moves, and whether all are valid. Reading stops at the first invalid value."""
    points = _points_of(size)
    start: dict[int, int] = {}  # set-up before the first move: the last value of a point counts
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
    """Return the point of each valid move value on a board, including the pass."""
    letters = SGF_LETTERS[:size]
    names = ["", "tt", *(column + row for column in letters for row in letters)]
    return {name.encode(): point_from_sgf(name, size) for name in names}


def _rectangle(value: bytes, points: dict[bytes, int]) -> list[int] | None:
    """Return the points of a set-up value: none, one or a rectangle. Return None if the value is invalid."""
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
    """Truncate the game before its first illegal move, and drop set-up stones after the last move."""
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
    record.date = _text(header, "DT") or _text(header, "RD")  # RD is used by Japanese servers
    black, white = split_name(_text(header, "PB")), split_name(_text(header, "PW"))
    record.names = black[0], white[0]
    ranks = read_rank(_text(header, "BR")), read_rank(_text(header, "WR"))
    record.ranks = tuple(
        of_header if of_header != UNKNOWN_RANK else of_name
        for of_header, (_, of_name) in zip(ranks, (black, white), strict=True)
    )
    record.handicap = max(read_handicap(_text(header, "HA")), _stones_ahead(record))


def _stones_ahead(record: Record) -> int:
    """Return the number of black stones before White's first stone (0 if there is only one).

    They are set up, or played while White passes or has no turn. A set-up with white stones is not a handicap.
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
    """Refuse a game whose handicap stones are missing: its positions would be wrong."""
    black = np.count_nonzero((record.setup[:, 0] == 0) & (record.setup[:, 1] == BLACK))
    return Refusal("handicap stones missing") if record.handicap > max(_stones_ahead(record), black) else None


def to_sgf(record: Record) -> bytes:
    """Write a record as SGF. Reading it gives the same record."""
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
