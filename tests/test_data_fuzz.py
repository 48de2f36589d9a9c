"""No byte string makes reading crash or hang: junk, things shaped like SGF, and damaged files and archives."""

import bz2
import gzip
import io
import lzma
import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sgfmill import sgf_grammar
from test_data_record import FILES, GOLDEN, ODDITIES
from test_data_sources import GAMES, tar_of, zip_of

from data import record as record_module
from data.fields import UNKNOWN_RANK
from data.filters import Filters
from data.reading import read_chunk
from data.record import ILLEGAL, LARGEST, MOST_MOVES, MOST_SETUP, TORN, Record, Refusal, read_records, to_sgf
from data.replay import legal_plies
from data.sources import Item, Trouble, read_file
from go.board import LEGAL, new_boards

REASONS = {
    "no SGF data",
    "malformed SGF",
    "no moves",
    "not a game of Go",
    "board size not from 2x2 to 19x19",
    "illegal first move",
    "set-up stones without a liberty",
    "handicap stones missing",
    "too large for a game record",
}
MANY = settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
SOME = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])

PIECES = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"(;",
    b":",
    b"\n",
    b"\0",
    b"\xff\xfe",
    b"\xe9",
    b"B[aa]",
    b"W[bb]",
    b"B[]",
]
PIECES += [b"AB[aa:ss]", b"AE[aa]", b"AW[ba][ab]", b"SZ[2]", b"SZ[9]", b"HA[2]", b"CA[Shift_JIS]", b"CA[utf-7]", b"C["]
PIECES += [
    b"CA[idna]",
    b"CA[unicode_escape]",
    b"CA[UTF-16]",
    b"CA[zlib]",
    b"KM[1e999]",
    b"RE[B+",
    b"PB[(5d)",
    b"DT[20]",
]
SHAPED = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=60).map(b"".join)
VALID = [(GOLDEN / f"{name}.sgf").read_bytes() for name in FILES]
VALID += [sgf.encode() for sgf, _ in ODDITIES.values() if len(sgf) < 1000]


@st.composite
def damaged(draw, wholes: list[bytes]) -> bytes:
    """One of some files with pieces cut out, bits flipped, and pieces of another spliced in."""
    data = bytearray(draw(st.sampled_from(wholes)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 40))
        kind = draw(st.sampled_from(["cut", "flip", "splice", "tear"]))
        if kind == "cut":
            del data[start : start + length]
        elif kind == "flip" and start < len(data):
            data[start] ^= 1 << draw(st.integers(0, 7))
        elif kind == "splice":
            other = draw(st.sampled_from(wholes))
            data[start:start] = other[draw(st.integers(0, len(other))) :][:length]
        elif kind == "tear" and draw(st.booleans()):
            del data[start:]
    return bytes(data)


def check(game: Record | Refusal) -> None:
    """A game is refused for a reason that is known, or it is one that everything after can rely on."""
    if isinstance(game, Refusal):
        assert game.reason in REASONS
        return
    assert 2 <= game.size <= 19 and 1 <= len(game.moves) <= MOST_MOVES and len(game.setup) <= MOST_SETUP
    assert legal_plies(new_boards(), game.size, game.moves, game.setup) == (len(game.moves), LEGAL)
    assert np.all(np.diff(game.setup[:, 0]) >= 0) and np.all(game.setup[:, 0] < len(game.moves))
    assert game.flaw in ("", ILLEGAL, TORN) and 0 <= game.handicap < 1000
    assert math.isnan(game.komi) or abs(game.komi) <= game.size**2
    assert all(rank == UNKNOWN_RANK or -99 < rank < 10_000 for rank in game.ranks)
    assert all(len(text.encode()) <= 4000 for text in (*game.names, game.date))
    assert isinstance(read_records(to_sgf(game))[0], Record)


@MANY
@given(st.binary(max_size=300) | SHAPED | damaged(VALID))
@example(b"(;CA[punycode]B[aa])")
@example(b"(;" + b"AB[aa:ss]" * 100)
def test_any_bytes_can_be_read(data):
    games = read_records(data)
    assert games
    for game in games:
        check(game)


@SOME
@given(st.lists(SHAPED | damaged(VALID), max_size=5))
def test_any_bytes_can_be_packed_for_the_store(datas):
    items = [Item(f"item {number}", data) for number, data in enumerate(datas)]
    batch, tally = read_chunk(items, 9, Filters())
    games = sum(len(read_records(data)) for data in datas)
    assert tally.items == len(datas) and len(batch.games) == tally.kept
    assert tally.kept + sum(number for number, _ in tally.skipped.values()) == games


TAR, ZIP = tar_of(GAMES), zip_of(GAMES)
ARCHIVES = {
    "x.zip": ZIP,
    "x.tar": TAR,
    "x.tar.gz": gzip.compress(TAR),
    "x.tar.bz2": bz2.compress(TAR),
    "x.tar.xz": lzma.compress(TAR),
    "x.sgfs": GAMES["lines.sgfs"],
    "x.sgf.gz": gzip.compress(GAMES["a.sgf"]),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_any_bytes_can_be_an_archive(tmp_path, name):
    path = tmp_path / name
    wholes = [ARCHIVES[name], *ARCHIVES.values()]

    @SOME
    @given(st.binary(max_size=2000) | damaged(wholes) | damaged([TAR]).map(lzma.compress))
    def fuzz(data: bytes) -> None:
        path.write_bytes(data)
        found = list(read_file(path, io.BytesIO(data)))
        assert len(found) <= len(data) // 2 + 5
        for entry in found:
            assert isinstance(entry, Item | Trouble) and entry.name.startswith(str(path))
            if isinstance(entry, Item):
                for game in read_records(entry.data):
                    check(game)

    fuzz()
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_archive_is_read_the_same_way(tmp_path):
    for name, data in ARCHIVES.items():
        (tmp_path / name).write_bytes(data)
        found = list(read_file(tmp_path / name, io.BytesIO(data)))
        assert found and all(isinstance(entry, Item) for entry in found)


ADVERSARIES = [
    b"(",
    b"(;",
    b"(;B[aa]",
    b"(;B[aa])",
    b"(;)",
    b"()",
    b"( ",
    b"(;C[",
    b"(;C[\\]",
    b"(;C[\\",
    b";",
    b";B[]",
    b"[",
]
ADVERSARIES += [
    b"]",
    b"[]",
    b"B[]",
    b"AB[aa:ss]",
    b";B[aa]AE[aa]",
    b";B[]AB[aa:rr]AE[aa:rr]",
    b"\\",
    b"(;1",
    b"x",
    b"\xe9",
]
ADVERSARIES += [b"(;C[a]]", b"(;SZ[9]C[a] x", b"(;SZ[9]C[a]x];B[aa])", b"(SZ[9];", b")(C[]", b"] "]
ADVERSARIES += [b"(5d)", "黑".encode(), "黑".encode("gb18030"), b"xn--a.", b" "]
HEADS = [b"", b"(;", b"(;C[", b"(;PB[", b"(;CA[gb18030]RE[", b"(;B[aa]C"]


class Work:
    """Counts the bytes that sgfmill's tokeniser goes through, and the set-up stones and moves that are replayed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        tokenise, replayed = sgf_grammar.tokenise, record_module.legal_plies
        unclosed = re.compile(rb"\s*\[")

        def counted_tokenise(data: bytes, start: int = 0) -> tuple:
            tokens, end = tokenise(data, start)
            looked_at = len(data) if unclosed.match(data, end) else end  # for the end of a value it looks to the end
            self.done += max(looked_at - start, 0)
            return tokens, end

        def counted_replay(boards: np.ndarray, size: int, moves: np.ndarray, setup: np.ndarray) -> tuple:
            self.done += len(moves) + len(setup)
            return replayed(boards, size, moves, setup)

        monkeypatch.setattr(sgf_grammar, "tokenise", counted_tokenise)
        monkeypatch.setattr(record_module, "legal_plies", counted_replay)


@pytest.mark.parametrize("head", HEADS)
def test_work_does_not_grow_faster_than_the_file(monkeypatch, head):
    work = Work(monkeypatch)
    for piece in ADVERSARIES:
        data = head + piece * (20_000 // len(piece))
        work.done = 0
        for game in read_records(data):
            assert isinstance(game, Record | Refusal)
        assert work.done <= 8 * len(data), piece


@pytest.mark.parametrize(
    "piece",
    [b"(", b"(;", b"(;C[", b"(;C[\\]", b"(;)", b";", b";B[]", b"[]", b"(5d)", b"\xe9", b"C[", b"(;C[a] x", b"C[a]x] "],
)
def test_the_largest_file_is_refused_or_read_at_once(piece):
    (game,) = read_records(b"(;" + piece * (LARGEST // len(piece) - 2))
    assert game in (Refusal("too large for a game record"), Refusal("malformed SGF"))
