"""The numbers about a store are right: counted by hand for a small one, and as stated for the embedded corpus."""

import zipfile

import numpy as np
import pytest
from conftest import ROOT, store_of

from data import summary
from data.positions import learnable_moves
from data.store import GameStore
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import SYMMETRIES, point_from_rowcol, rowcol_from_point, symmetry_table

GAMES = [
    # the first stone on one of the eight images of G6, twice; the other first moves are each alone
    b"(;SZ[9]KM[7]RE[B+3.5]BR[3d]WR[5k]DT[2015-01-02];B[gd];W[cc];B[gg];W[];B[])",
    b"(;SZ[9]KM[7]RE[W+R]PB[a (2271)]PW[b (2203)]DT[2015];B[cf];W[gc])",
    b"(;SZ[9]KM[7]RE[0]BR[9p]WR[9d];B[ee];W[ge];B[ce];W[ec])",
    b"(;SZ[9]KM[0.5]HA[2]AB[cc][gg]RE[W+T]BR[30k]WR[3d]DT[1999-12-31];W[ee];B[ec];W[eg])",
    b"(;SZ[9]KM[-0]RE[Void];B[aa];W[bb];B[aa];W[cc])",  # Black plays on his own stone
    b"(;SZ[9]KM[0]RE[B+F];B[];W[ee];B[ed])",
    b"(;SZ[9]RE[W+];B[ga];W[bb];B[cc];W[d",  # torn
]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> GameStore:
    return store_of(tmp_path_factory.mktemp("store"), GAMES, 9, (0.0, 0.0), learn="stronger")


def distinct(number: int, header: str) -> bytes:
    """A game that no symmetry turns into that of another number, up to 54 of them."""
    return f"(;SZ[9]{header};B[cd];W[dd];B[{'abcdefghi'[number % 9]}{'eifghi'[number // 9]}])".encode()


def rows(text: str) -> list[list[str]]:
    """Return the cells of a Markdown table below its header."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:] if line]


def test_a_table_stands_in_line():
    assert summary.table(["komi", "games"], [["7", "12,345"], ["not known", "1"]]).splitlines() == [
        "| komi      |  games |",
        "| --------- | -----: |",
        "| 7         | 12,345 |",
        "| not known |      1 |",
    ]


def test_the_summary_counts_games_and_positions(store):
    # Without passes: of the first game black's 2, of the second black's 1, of the third black's 2 (9p is above 9d), of
    # the fourth white's 2, then 2, 2 and 3 of both sides.
    assert summary.summary(store).splitlines()[2:] == [
        "| games                   |     7 |          0 |    0 |   7 |",
        "| positions to learn from |    14 |          0 |    0 |  14 |",
        "",
        "Moves a game: 3.1 on average, median 3, 90% from 2 to 5. Handicap games: 14.3%.",
        "Black won 28.6%, white 42.9%, drawn 14.3%, not known 14.3%.",
    ]
    assert rows(summary.length_table(store)) == [["moves", "2", "2", "2", "3", "4", "5", "5", "3.1", "22"]]


def test_positions_are_those_that_are_learnt_whatever_the_blocks(store, tmp_path, monkeypatch):
    spread = store_of(
        tmp_path, [b"(;SZ[9];B[%c%c];W[ee];B[])" % (a, b) for a in b"abcd" for b in b"abcd"], 9, (0.3, 0.3)
    )
    expected = [len(learnable_moves(spread, split)) for split in range(3)]
    assert min(expected) > 0 and sum(expected) == 2 * len(spread)
    assert len(set(spread.games["split"].tolist())) == 3
    for block in (1, 3, 100):
        monkeypatch.setattr(summary, "BLOCK", block)
        assert summary.positions_by_split(spread) == expected
        assert summary.positions_by_split(store) == [14, 0, 0]


def test_results_by_komi(store):
    assert rows(summary.results_by_komi(store)) == [
        ["7", "3", "33.3%", "33.3%", "33.3%", "0.0%", "0.0%"],
        ["0", "2", "50.0%", "0.0%", "0.0%", "50.0%", "0.0%"],  # minus zero is zero
        ["0.5", "1", "0.0%", "100.0%", "0.0%", "0.0%", "100.0%"],
        ["not known", "1", "0.0%", "100.0%", "0.0%", "0.0%", "0.0%"],
    ]


def test_rare_komi_are_one_row_and_a_single_one_keeps_its_name(tmp_path):
    komis = ["0.5", *(f"{k}.5" for k in range(11))]
    nine = store_of(tmp_path / "9", [distinct(n, f"KM[{komi}]RE[B+]") for n, komi in enumerate(komis[:10])], 9)
    assert [name for name, _ in summary.komi_groups(nine)] == komis[1:10]
    eleven = store_of(tmp_path / "11", [distinct(n, f"KM[{komi}]RE[B+]") for n, komi in enumerate(komis)], 9)
    groups = summary.komi_groups(eleven)
    assert [name for name, _ in groups] == [*komis[1:9], "3 others"]
    assert [int(games.sum()) for _, games in groups] == [2, 1, 1, 1, 1, 1, 1, 1, 3]


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (summary.ending_groups, {"unknown": 2, "score": 2, "resignation": 1, "time": 1, "forfeit": 1}),
        (summary.handicap_groups, {"none": 6, "2": 1}),
        (summary.year_groups, {"1999": 1, "2015": 2, "not known": 4}),
        (summary.cut_groups, {"whole": 5, "cut off: illegal move": 1, "cut off: torn file": 1}),
        (summary.learning_groups, {"both sides": 3, "black only": 3, "white only": 1}),
    ],
)
def test_groups(store, groups, expected):
    found = {name: int(games.sum()) for name, games in groups(store)}
    assert found == expected and list(found) == sorted(found, key=list(expected).index)
    table = rows(summary.group_table("x", groups(store)))
    assert table[0] == [next(iter(expected)), str(found[table[0][0]]), f"{100 * found[table[0][0]] / 7:.1f}%"]


def test_handicaps_beyond_nine_are_one_row(tmp_path):
    stones = ["".join(f"[{a}{b}]" for a in "abcdefgh"[:width] for b in "ac").encode() for width in (5, 8, 8)]
    games = [b"(;SZ[9]HA[%d]AB%s;W[i%c])" % (s.count(b"["), s, last) for s, last in zip(stones, b"iih", strict=True)]
    found = {name: int(games.sum()) for name, games in summary.handicap_groups(store_of(tmp_path, games, 9))}
    assert found == {"10+": 3}


def test_ranks_stand_from_the_weakest_and_ratings_by_hundreds(store):
    assert rows(summary.rank_table(store)) == [
        ["30k", "1", "0"],
        ["5k", "0", "1"],
        ["3d", "1", "1"],
        ["9d", "0", "1"],
        ["9p", "1", "0"],
        ["2200 to 2299", "1", "1"],
        ["not known", "3", "3"],
    ]


def test_many_years_are_counted_by_decade(tmp_path):
    years = [0, *range(1985, 2011), 2010]
    store = store_of(tmp_path, [distinct(n, f"DT[{year}]") for n, year in enumerate(years)], 9)
    found = {name: int(games.sum()) for name, games in summary.year_groups(store)}
    assert found == {"1980 to 1989": 5, "1990 to 1999": 10, "2000 to 2009": 10, "2010 to 2019": 2, "not known": 1}


def test_first_moves_as_played_and_folded(store):
    played = np.zeros((9, 9), int)
    for row, column in ((3, 6), (5, 2), (4, 4), (0, 0), (0, 6)):
        played[row, column] = 1  # the handicap game and the one that begins with a pass are left out
    assert (summary.first_moves(store, folded=False) == played).all()
    folded = np.zeros((9, 9), int)
    folded[3, 6], folded[4, 4], folded[0, 8], folded[2, 8] = 2, 1, 1, 1
    assert (summary.first_moves(store, folded=True) == folded).all()
    table, note = summary.first_move_table(store).split("\n\n")
    assert rows(table) == [
        ["G6", "2", "40.0%"],
        ["J9", "1", "20.0%"],
        ["J7", "1", "20.0%"],
        ["E5", "1", "20.0%"],
    ]
    assert note == "Left out: 2 games that begin with handicap or set-up stones or with a pass."


@pytest.mark.parametrize("size", [2, 3, 8, 9, 19])
def test_every_point_folds_to_its_one_image_in_the_octant(size):
    folding, images = summary._folding(size), symmetry_table(size)
    points = [point_from_rowcol(row, column, size) for row in range(size) for column in range(size)]
    kept = {int(folding[point]) for point in points}
    half = -(-size // 2)
    assert len(kept) == half * (half + 1) // 2
    for point in points:
        assert folding[point] in images[:, point]
        assert {int(folding[images[s, point]]) for s in range(SYMMETRIES)} == {int(folding[point])}
    for row, column in (rowcol_from_point(point, size) for point in kept):
        assert row <= size - 1 - row <= column  # in the upper half, and at least as far to the right as up


def test_many_first_moves_end_in_a_row_for_the_rest(tmp_path):
    octant = [(row, column) for row in range(5) for column in range(8 - row, 9)]
    counts = {place: 15 - n for n, place in enumerate(octant)}
    games = []
    for (row, column), count in counts.items():
        for n in range(count):
            first = f"{'abcdefghi'[column]}{'abcdefghi'[row]}"
            games.append(f"(;SZ[9];B[{first}];W[ba];B[{'abcdefghi'[n % 9]}{'hi'[n // 9]}])".encode())
    store = store_of(tmp_path, games, 9)
    table = rows(summary.first_move_table(store))
    assert len(table) == 9 and table[0][0] == "J9" and table[-1][0] == "7 others"
    assert sum(int(count) for _, count, _ in table) == len(store)


def test_the_embedded_corpus_is_as_its_card_says(tmp_path):
    """5,068 games: white won 2,425, black 2,222, drawn 421; three of them are images of others."""
    with zipfile.ZipFile(ROOT / "data" / "corpus" / "expert9.zip") as archive:
        lines = archive.read("expert9.sgfs").splitlines()
    store = store_of(tmp_path, lines, 9)
    assert (len(lines), len(store)) == (5068, 5065)
    left_out = [
        said - int((store.games["winner"] == w).sum()) for w, said in ((WHITE, 2425), (BLACK, 2222), (EMPTY, 421))
    ]
    assert sum(left_out) == 3 and min(left_out) >= 0
    assert 0 < 319_256 - sum(summary.positions_by_split(store)) < 3 * 81
    (row,) = rows(summary.results_by_komi(store))
    assert row[:2] == ["7", "5,065"] and row[2:] == ["43.8%", "47.9%", "8.3%", "0.0%", "0.0%"]
