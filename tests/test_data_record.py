"""Reading a record: what is done with each oddity that records in the wild have, and records written and read again."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill.sgf import Sgf_game
from sgfmill.sgf_moves import get_setup_and_moves

from data.fields import rank_name, result_name
from data.record import LARGEST, Record, Refusal, _read_game, read_records, to_sgf
from data.replay import decode_move, encode_move
from data.sources import Reading
from go import BLACK, WHITE
from go.coordinates import point_from_rowcol, sgf_from_point

GOLDEN = Path(__file__).parent / "golden"
COLORS = {BLACK: "B", WHITE: "W", 0: "E"}


def shown(game: Record | Refusal) -> str:
    """Everything that a record holds, on one line: "9 | set-up | moves | header | flaw", empty parts left out.

    A stone of the set-up is written with the ply before which it is put there; a pass is a dash.
    """
    if isinstance(game, Refusal):
        return game.reason
    setup = [f"{ply}{COLORS[color]}{sgf_from_point(point, game.size)}" for ply, color, point in game.setup.tolist()]
    moves = [(COLORS[color], sgf_from_point(point, game.size) or "-") for color, point in map(decode_move, game.moves)]
    header = {
        "PB": game.names[0],
        "PW": game.names[1],
        "BR": rank_name(game.ranks[0]).strip("?"),
        "WR": rank_name(game.ranks[1]).strip("?"),
        "DT": game.date,
        "KM": f"{game.komi:g}".replace("nan", ""),
        "HA": str(game.handicap or ""),
        "RE": result_name(game.winner, game.ending, game.margin),
    }
    known = " ".join(f"{name}={text}" for name, text in header.items() if text)
    parts = [str(game.size), " ".join(setup), " ".join(map("".join, moves)), known, game.flaw and f"cut: {game.flaw}"]
    return " | ".join(part for part in parts if part)


HEADER = "9 | Bee Wcc | PB={} PW={} RE={}"
FILES = {
    "utf-8": HEADER.format("古力", "Jörg Müller", "B+R"),
    "gb18030": HEADER.format("哴怾", "柯洁", "B+R"),  # letters with a closing bracket in them
    "gb2312-and-more": HEADER.format("朱镕", "柯洁", "W+R"),  # a letter that GB2312 does not have
    "big5": HEADER.format("成功", "許功", "B+R"),  # with a backslash in them
    "shift-jis": HEADER.format("表ソ", "山下", "B+R"),  # with a backslash in them
    "iso-2022-jp": HEADER.format("井山", "山下", "B+R"),
    "euc-kr": HEADER.format("이세돌", "박정환", "W+R"),
    "latin-1": HEADER.format("Jörg", "André", "B+R"),
    "undeclared-latin-1": HEADER.format("Jörg", "André", "B+R"),
    "utf-16-with-mark": HEADER.format("古力", "柯洁", "B+R"),
    "utf-16-without-mark": HEADER.format("古力", "柯洁", "B+R"),
    "utf-16-without-mark-big-endian": HEADER.format("古力", "柯洁", "B+R"),
    "utf-16-without-mark-on-two-lines": HEADER.format("古力", "柯洁", "B+R"),
    "utf-8-with-mark": HEADER.format("古力", "柯洁", "B+R"),
    "declared-gb2312-is-utf-8": HEADER.format("柯", "古", "B+R"),
    "declared-utf-8-is-latin-1": HEADER.format("Jörg", "André", "B+R"),
    "declared-utf-16-is-ascii": HEADER.format("Jorg", "Andre", "B+R"),
    "unknown-charset": HEADER.format("Jörg", "André", "B+R"),
    "torn-within-a-letter": "9 | Bee | PB=古力 PW=柯洁 RE=B+R | cut: torn file",
    "damaged-letter": HEADER.format("古力\ufffd\ufffd柯", "柯洁", "B+R"),
    "html": "no SGF data",
    "empty": "no SGF data",
    "binary-junk": "no SGF data",
}


def test_every_golden_file_is_in_the_table():
    assert {path.stem for path in GOLDEN.iterdir()} == FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_golden_file(name):
    assert [shown(game) for game in read_records((GOLDEN / f"{name}.sgf").read_bytes())] == [FILES[name]]


ODDITIES = {
    # stones that are set up
    "handicap in the root": ("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "9 | 0Bcc 0Bgg | Wee | HA=2"),
    "handicap in a later node": ("(;SZ[9]HA[2];AB[cc][gg];W[ee])", "9 | 0Bcc 0Bgg | Wee | HA=2"),
    "handicap without HA": ("(;SZ[9]AB[cc][gg];W[ee])", "9 | 0Bcc 0Bgg | Wee | HA=2"),
    "handicap without stones": ("(;SZ[9]HA[2];W[ee];B[cc])", "handicap stones missing"),
    "handicap with too few stones": ("(;SZ[9]HA[3]AB[cc][gg];W[ee];B[cg])", "handicap stones missing"),
    "handicap as black moves": ("(;SZ[9]HA[2];B[cc];B[gg];W[ee])", "9 | Bcc Bgg Wee | HA=2"),
    "handicap as black moves without HA": ("(;SZ[9];B[cc];B[gg];W[ee])", "9 | Bcc Bgg Wee | HA=2"),
    "handicap as black moves and passes": ("(;SZ[9];B[cc];W[];B[gg];W[ee])", "9 | Bcc W- Bgg Wee | HA=2"),
    "handicap with white stones set up": (
        "(;SZ[9]HA[2]AB[cc][gg][cg]AW[ee];W[dd])",
        "9 | 0Bcc 0Wee 0Bcg 0Bgg | Wdd | HA=2",
    ),
    "handicap with too few stones and white ones": ("(;SZ[9]HA[3]AB[cc][gg]AW[ee];W[dd])", "handicap stones missing"),
    "one stone is no handicap": ("(;SZ[9]HA[1]AB[cc];W[ee])", "9 | 0Bcc | Wee"),
    "HA that is no number": ("(;SZ[9]HA[two];B[ee])", "9 | Bee"),
    "white stones set up": ("(;SZ[9]AB[cc][dd]AW[gg];B[ee])", "9 | 0Bcc 0Bdd 0Wgg | Bee"),
    "set up and taken away": ("(;SZ[9]AB[cc][gg];AE[cc];B[ee])", "9 | 0Bgg | Bee"),
    "set-up of nothing": ("(;SZ[9]AB[]AW[];B[ee])", "9 | Bee"),
    "rectangle": ("(;SZ[9]AB[ab:bc];W[ee])", "9 | 0Bab 0Bbb 0Bac 0Bbc | Wee | HA=4"),
    "rectangle from below": ("(;SZ[9]AB[bc:ab];W[ee])", "9 | 0Bab 0Bbb 0Bac 0Bbc | Wee | HA=4"),
    "set-up in the middle": ("(;SZ[9];B[ee];AW[cc]AE[ee];W[dd])", "9 | 1Wcc 1Eee | Bee Wdd"),
    "set-up beside a move comes first": ("(;SZ[9];B[ee];W[dd]AB[cc])", "9 | 1Bcc | Bee Wdd"),
    "set-up after the last move": ("(;SZ[9];B[ee];W[cc];AE[ee])", "9 | Bee Wcc"),
    "set-up off the board": ("(;SZ[9]AB[jj];W[ee])", "illegal first move"),
    "set-up off the board later": ("(;SZ[9];B[ee];AB[jj];W[cc])", "9 | Bee | cut: illegal move"),
    "set-up is no pass": ("(;AB[tt];W[ee])", "illegal first move"),
    "set-up without liberties": ("(;SZ[2]AB[aa][ab]AW[ba][bb];B[])", "set-up stones without a liberty"),
    "set-up without liberties later": ("(;SZ[2];B[aa];AB[ab]AW[ba][bb];W[])", "2 | Baa | cut: illegal move"),
    "more set-up than any game has": (
        "(;SZ[19]" + "AB[aa:ss]" * 30 + "AE[aa:ss];B[aa])",
        "set-up stones without a liberty",
    ),
    # moves
    "passes": ("(;SZ[9];B[];W[tt];B[ee])", "9 | B- W- Bee"),
    "passes on 19x19": ("(;SZ[19];B[];W[tt];B[ss])", "19 | B- W- Bss"),
    "white begins": ("(;SZ[9];W[ee];B[cc])", "9 | Wee Bcc"),
    "the same colour twice": ("(;SZ[9];B[ee];W[cc];W[dd];B[gg])", "9 | Bee Wcc Wdd Bgg"),
    "both colours in one node": ("(;SZ[9];W[ee]B[cc];W[dd])", "9 | Wee Bcc Wdd"),
    "two moves in one value list": ("(;SZ[9];B[ee];W[cc][dd];B[gg])", "9 | Bee | cut: illegal move"),
    "missing semicolons": ("(;SZ[9];B[ee];W[cc]B[dd]W[gg];B[ff])", "9 | Bee | cut: illegal move"),
    "move in the root": ("(;SZ[9]B[ee];W[cc])", "9 | Bee Wcc"),
    "spaces about": (" ( ;\n SZ [ 9 ] ; B [ee ]\r\n;W\t[ cc] ) ", "9 | Bee Wcc"),
    "on a stone": ("(;SZ[9];B[ee];W[cc];B[cc];W[dd])", "9 | Bee Wcc | cut: illegal move"),
    "first move on a stone": ("(;SZ[9]AB[ee][cc];W[ee])", "illegal first move"),
    "off the board": ("(;SZ[9];B[ee];W[jj];B[cc])", "9 | Bee | cut: illegal move"),
    "suicide": ("(;SZ[9]AB[ba][ab];W[aa])", "illegal first move"),
    "taking back a ko": (
        "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[bb];B[ee])",
        "9 | 0Bba 0Wca 0Bab 0Wbb 0Wdb 0Bbc 0Wcc | Bcb | cut: illegal move",
    ),
    "taking back a ko after a threat": (
        "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];W[gg];B[ee];W[bb])",
        "9 | 0Bba 0Wca 0Bab 0Wbb 0Wdb 0Bbc 0Wcc | Bcb Wgg Bee Wbb",
    ),
    "filling a ko that one has taken": (
        "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb];B[cb];B[bb];W[ee])",
        "9 | 0Bba 0Wca 0Bab 0Wbb 0Wdb 0Bbc 0Wcc | Bcb Bbb Wee",
    ),
    "no point at all": ("(;SZ[9];B[ee];W[Q16];B[cc])", "9 | Bee | cut: illegal move"),
    "no moves": ("(;SZ[9]PB[a]RE[W+F])", "no moves"),
    "nothing but set-up": ("(;SZ[9]AB[cc])", "no moves"),
    # the tree
    "variations": ("(;SZ[9];B[ee](;W[cc](;B[dd])(;B[ff]))(;W[gg]))", "9 | Bee Wcc Bdd"),
    "header after an empty node": ("(;;SZ[9]KM[7]PB[a];B[ee])", "9 | Bee | PB=a KM=7"),
    "brackets and backslashes in a comment": ("(;SZ[9]C[(;B[aa\\] \\\\];B[ee]C[:-\\]])", "9 | Bee"),
    "bracket that is not escaped": ("(;SZ[9];B[ee]C[:-]];W[cc])", "9 | Bee | cut: torn file"),
    "bracket in a header field": (
        "(;SZ[9]PB[a [9p]]EV[[x] of y]PW[b\\]]RE[B+R];B[ee];W[cc])",
        "9 | Bee Wcc | PB=a PW=b] BR=9p RE=B+R",
    ),
    "bracket in a header field, and torn": ("(;SZ[9]PB[a [b]];B[ee];W[c", "9 | Bee | PB=a [b] | cut: torn file"),
    "bracket in a header field, and variations": (
        "(;SZ[9]PB[a [b]](;B[ee];W[cc])(;B[dd];W[gg]))",
        "9 | Bee Wcc | PB=a [b]",
    ),
    "bracket in a header field that may hide another": ("(;SZ[9]EV[a] b PB[c]];B[ee])", "malformed SGF"),
    "bracket in a header field that may hide a move": ("(;SZ[9]EV[a] b;B[cc]];B[ee])", "malformed SGF"),
    "root without a semicolon": ("(TE[a]RD[2007-01-02]SZ[9]PB[b];B[ee];W[cc])", "9 | Bee Wcc | PB=b DT=2007-01-02"),
    "root without a semicolon, and variations": ("\n( SZ[9];B[ee](;W[cc];B[dd])(;W[gg]))", "9 | Bee Wcc Bdd"),
    "property twice": ("(;SZ[9]PB[a]PB[b];B[ee])", "9 | Bee | PB=a"),
    "long names of old": ("(;SiZe[9]KoMi[5.5];Black[ee];White[cc])", "9 | Bee Wcc | KM=5.5"),
    "names in lower case": ("(;sz[9];b[ee];w[cc])", "no moves"),
    "junk before": ("Subject: game\n\n(see below)\n(;SZ[9];B[ee])", "9 | Bee"),
    "junk behind": ("(;SZ[9];B[ee]))) and that was it", "9 | Bee"),
    "junk in the middle": ("(;SZ[9];B[ee];W[cc] 3 ;B[dd])", "9 | Bee Wcc | cut: torn file"),
    "property without a value": ("(;SZ[9];B[ee];W;B[cc])", "malformed SGF"),
    "other game": ("(;GM[2]SZ[8];B[ee])", "not a game of Go"),
    "a comment of a megabyte": ("(;SZ[9]C[" + "la " * 350_000 + "];B[ee])", "9 | Bee"),
    "ten thousand variations within each other": ("(;SZ[9];B[ee]" + "(;C[]" * 10_000 + ")" * 10_001, "9 | Bee"),
    "ten thousand variations, torn": ("(;SZ[9];B[ee]" + "(;C[x]" * 10_000, "9 | Bee | cut: torn file"),
    "more moves than any game has": (
        "(;SZ[9];B[aa]" + ";B[]" * 10_000 + ")",
        "9 | Baa " + "B- " * 9_999 + "| cut: illegal move",
    ),
    "passes and nothing else": ("(;SZ[9];B[];W[])", "no moves"),
    "too many branches": ("(;SZ[9];B[ee]" + "(;)" * 100_000 + ")", "too large for a game record"),
    "too many nodes": ("(;SZ[9];B[ee]" + ";" * 400_000 + ")", "too large for a game record"),
    "too large": ("(;SZ[9];B[ee]C[" + "x" * LARGEST + "])", "too large for a game record"),
    # torn files
    "torn in the header": ("(;GM[1]SZ[9]PB[some", "malformed SGF"),
    "torn in a move": ("(;SZ[9];B[ee];W[c", "9 | Bee | cut: torn file"),
    "torn before a move": ("(;SZ[9];B[ee];W", "9 | Bee | cut: torn file"),
    "torn in a comment": ("(;SZ[9];B[ee]C[and then he", "9 | Bee | cut: torn file"),
    "torn in a variation": ("(;SZ[9];B[ee](;W[cc];B[dd])(;W[", "9 | Bee Wcc Bdd | cut: torn file"),
    "last bracket missing": ("(;SZ[9];B[ee];W[cc]", "9 | Bee Wcc | cut: torn file"),
    # the board
    "no size": ("(;;B[ss])", "19 | Bss"),
    "empty size": ("(;SZ[];B[ss])", "19 | Bss"),
    "square written as two numbers": ("(;SZ[13:13];B[mm])", "13 | Bmm"),
    "not square": ("(;SZ[19:13];B[ee])", "board size not from 2x2 to 19x19"),
    "too large a board": ("(;SZ[21];B[ee])", "board size not from 2x2 to 19x19"),
    "no number": ("(;SZ[big];B[ee])", "board size not from 2x2 to 19x19"),
    # the header
    "ratings in names": ("(;SZ[9]PB[:bot (2271)]PW[me [5d\\]];B[ee])", "9 | Bee | PB=:bot PW=me BR=2271 WR=5d"),
    "rank in the header and the name": ("(;SZ[9]PB[a (3d)]BR[5d];B[ee])", "9 | Bee | PB=a BR=5d"),
    "names on several lines": ("(;SZ[9]PB[a\n b]DT[2016-03-09,\n10];B[ee])", "9 | Bee | PB=a b DT=2016-03-09, 10"),
    "Chinese komi and result": ("(;SZ[9]KM[375]RE[B+3.75];B[ee])", "9 | Bee | KM=7.5 RE=B+3.75"),
    "garbage in every field": ("(;SZ[9]KM[x]RE[?]BR[-]WR[NR]HA[-1]DT[?];B[ee])", "9 | Bee | DT=?"),
    "a name of a thousand letters and more": ("(;SZ[9]PB[" + "x" * 2000 + "];B[ee])", "9 | Bee | PB=" + "x" * 1000),
}


@pytest.mark.parametrize("name", ODDITIES)
def test_oddity(name):
    sgf, expected = ODDITIES[name]
    assert [shown(game) for game in read_records(sgf.encode())] == [expected]


SEVERAL = {
    "one after another": ("(;SZ[9];B[ee]) and\n(;SZ[9];B[cc](;W[dd])(;W[gg]))", ["9 | Bee", "9 | Bcc Wdd"]),
    "each has its own fate": (
        "(;SZ[9];B[ee])(;GM[3])(;SZ[9];B[ee];W[ee])",
        ["9 | Bee", "not a game of Go", "9 | Bee | cut: illegal move"],
    ),
    "junk in one does not touch the next": (
        "(;SZ[9];B[ee] 3 ;W[cc])(;SZ[9];B[cc])",
        ["9 | Bee | cut: torn file", "9 | Bcc"],
    ),
    "without semicolons in the roots": ("(PB[a];B[ee])\n(PB[b];B[cc])", ["19 | Bee | PB=a", "19 | Bcc | PB=b"]),
    "without root properties": ("(;PB[a];B[ee])(;;B[cc])", ["19 | Bee | PB=a", "19 | Bcc"]),
    "bracket in a header field": (
        "(;SZ[9]PB[a]b];B[ee](;W[cc])(;W[dd]))(;SZ[9]PB[c];B[cc])",
        ["9 | Bee Wcc | PB=a]b", "9 | Bcc | PB=c"],
    ),
    # a variation is not a game
    "a bracket too many in a variation": (
        "(;SZ[9]PB[a]PW[b];B[ee](;W[cc];B[gg])(;W[dd]];B[cc])(;W[gc];B[dd];W[ff]))",
        ["9 | Bee Wcc Bgg | PB=a PW=b | cut: torn file"],
    ),
    "a bracket too many, and a game behind": (
        "(;SZ[9];B[ee](;W[cc])(;W[dd]];B[cc])(;W[gc];B[dd]))(;B[aa])(;GM[1]SZ[9];B[cc](;W[dd])(;W[gg]))",
        ["9 | Bee Wcc | cut: torn file", "9 | Bcc Wdd"],
    ),
    "a variation closed twice": ("(;SZ[9];B[ee](;W[cc]))(;W[dd];B[cc]))", ["9 | Bee Wcc"]),
    "a variation closed twice, and the end missing": ("(;SZ[9];B[ee](;W[cc]))(;W[dd];B[cc])", ["9 | Bee Wcc"]),
    "a root that is none": ("(1;SZ[9];B[ee](;W[cc];B[dd])(;W[gg]))", ["malformed SGF"]),
    "a root without a bracket": (";SZ[9];B[ee](;W[cc];B[dd])", ["malformed SGF"]),
    "an open bracket before the root": (":-(\n(;SZ[9];B[ee](;W[cc])(;W[dd]))", ["9 | Bee Wcc"]),
    "a smile before the game": ("(;-) hello (;SZ[9];B[ee])", ["malformed SGF", "9 | Bee"]),
    "a value without an end": (
        "(;SZ[9];B[ee])(;SZ[9];B[cc]C[x (;SZ[9\\];B[dd\\])",
        ["9 | Bee", "9 | Bcc | cut: torn file"],
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_games_in_one_file(name):
    sgf, expected = SEVERAL[name]
    assert [shown(game) for game in read_records(sgf.encode())] == expected


def test_a_header_in_a_game_that_is_torn_in_a_value_does_not_cost_quadratic_time(monkeypatch):
    calls = []
    monkeypatch.setattr("data.record._read_game", lambda data: calls.append(len(data)) or _read_game(data))
    read_records(b"(;C[" * 20_000)
    read_records(b"(;C[\\]" * 20_000)
    assert len(calls) == 2


def same(one: Record, other: Record) -> bool:
    """Tell if two records are equal but for the flaw, which is not written."""
    numbers = [(r.size, r.moves.tolist(), r.setup.tolist(), r.handicap, r.ranks, r.names, r.date) for r in (one, other)]
    results = [(r.komi, r.margin, r.winner, r.ending) for r in (one, other)]
    return numbers[0] == numbers[1] and np.array_equal(*results, equal_nan=True)


def assert_reads_back(record: Record) -> None:
    (again,) = read_records(to_sgf(record))
    assert isinstance(again, Record) and again.flaw == "" and same(record, again), (shown(record), again)


def test_everything_in_the_tables_reads_back():
    files = [(GOLDEN / f"{name}.sgf").read_bytes() for name in FILES]
    texts = [sgf.encode() for sgf, _ in (*ODDITIES.values(), *SEVERAL.values())]
    records = [game for data in files + texts for game in read_records(data) if isinstance(game, Record)]
    assert len(records) > 60
    for record in records:
        assert_reads_back(record)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text("()[]\\:; 59dkp\n", max_size=12)
FIELDS = ["PB", "PW", "BR", "WR", "DT", "KM", "HA", "RE"]
VALUES = TEXTS | st.sampled_from(
    ["7.5", "375", "-3,75", "1p", "9d?", "a (5d) (6d)", "B+3.755", "W+0", "B+1/2", "2", "99d"]
)


def written(node: dict[str, str]) -> str:
    return ";" + "".join(
        f"{name}[{text.translate({93: chr(92) + ']', 92: chr(92) * 2})}]" for name, text in node.items()
    )


@st.composite
def made_up_games(draw) -> bytes:
    """A game whose header holds anything and whose moves and set-up stones may be illegal."""
    size = draw(st.integers(2, 19))
    points = st.text("abcdefghijklmnopqrs"[:size], min_size=2, max_size=2) | st.just("")
    header = {"SZ": str(size)} | draw(st.dictionaries(st.sampled_from(FIELDS), VALUES))
    nodes = st.dictionaries(st.sampled_from(["B", "W"] * 4 + ["AB", "AW", "AE"]), points, min_size=1, max_size=2)
    return f"({''.join(map(written, [header, *draw(st.lists(nodes, max_size=30))]))})".encode()


@settings(deadline=None, max_examples=300)
@given(made_up_games())
def test_made_up_games_read_back(data):
    for record in read_records(data):
        if isinstance(record, Record):
            assert_reads_back(record)


ARCHIVES = ["kgs19", "tygem9d", "goquest9", "ogs9", "cgos9"]


def by_sgfmill(data: bytes) -> tuple:
    """Size, set-up and moves of a game as sgfmill's own reader gives them."""
    game = Sgf_game.from_bytes(data)
    board, plays = get_setup_and_moves(game)
    size = game.get_size()
    colors = {"b": BLACK, "w": WHITE}
    stones = {
        (colors[color], point_from_rowcol(size - 1 - row, column, size))
        for color, (row, column) in board.list_occupied_points()
    }
    moves = [
        encode_move(colors[color], point_from_rowcol(size - 1 - place[0], place[1], size) if place else 0)
        for color, place in plays
    ]
    return size, stones, moves, game.get_komi() if game.root.has_property("KM") else None


@pytest.mark.parametrize("archive", ARCHIVES)
def test_real_games_are_what_sgfmill_reads_and_read_back(games_folder, archive):
    items = islice(Reading([games_folder / f"{archive}.tar.xz"]), 0, 1500, 5)
    read = unread = 0
    for item in items:
        (record,) = read_records(item.data)
        size, stones, moves, komi = by_sgfmill(item.data)
        if isinstance(record, Refusal):
            assert not moves and record.reason == "no moves"
            unread += 1
            continue
        read += 1
        assert record.size == size and record.moves.tolist() == moves and record.flaw == ""
        assert {(color, point) for _, color, point in record.setup.tolist()} == stones
        assert (record.komi == komi) if komi is not None and abs(komi) < 80 else np.isnan(record.komi)
        assert_reads_back(record)
    assert read + unread == 300 and unread <= 3
