"""Odd and malformed records from the wild: what their manifest says of them, or a difference that is explained here."""

import csv
import io
import math
import zipfile

import pytest

from data.fields import NO_WINNER
from data.record import ILLEGAL, TORN, Record, Refusal, read_records
from go import BLACK, EMPTY, WHITE

# the manifest holds what sgfmill makes of a file; where we differ: what is different, and why
DIFFERENCES = {
    "handicap-in-second-node__fox.sgf": ({"setup": 7, "flaw": ""}, "stones set up in a later node count"),
    "illegal-occupied__pro_3.sgf": (
        {"winner": NO_WINNER},
        "RE[Both lost] is no win for black because it begins with B",
    ),
    "komi-375__fox.sgf": ({"komi": 7.5}, "375 are hundredths of Chinese stones"),
    "komi-9999__ogs.sgf": ({"komi": math.nan}, "nobody can mean it"),
    "komi-negative__pro.sgf": ({"handicap": 2}, "white passes first, so black has two stones ahead"),
    "result-draw-lowercase__fox.sgf": ({"winner": EMPTY}, "a draw is a result"),
    "result-jigo__pro.sgf": ({"winner": EMPTY}, "a draw is a result"),
    "same-colour-twice__pro_3.sgf": ({"moves": 252, "flaw": ""}, "black fills the ko that black has taken"),
    "suite-kaya/18e8cc4c71f2347c62a128ceb21e2f8bb4a963c8.sgf": ("board size not from 2x2 to 19x19", "it is 21x21"),
    "suite-kaya/metadata_with_square_bracket.sgf": (
        {"size": 19, "komi": math.nan, "handicap": 0, "setup": 0, "winner": NO_WINNER, "moves": 1, "flaw": TORN},
        "a bracket in a comment is not escaped: sound up to there",
    ),
    "suite-kaya/redbean_ff4_ex_gametree2.sgf": ({"komi": math.nan}, "KM stands in a side variation only"),
    "truncated__fox_2.sgf": (
        {"size": 19, "komi": 0.0, "handicap": 3, "setup": 3, "winner": WHITE, "moves": 155, "flaw": TORN},
        "sound up to the tear",
    ),
    "suite-libsgfcplusplus/encoding-utf16-nobom.sgf": ("no moves", "UTF-16 is read, but there is no game in it"),
    "suite-libsgfcplusplus/escaping.sgf": ("not a game of Go", "GM is not 1"),
}
MORE_GAMES = {"suite-libsgfcplusplus/deep-game-tree.sgf": [998, 1998, 4998, 1394]}  # moves of those after the first


def expected(row: dict[str, str], data: bytes) -> dict | str:
    """What the manifest says, as fields of a record or the reason for a refusal."""
    different, _ = DIFFERENCES.get(row["file"], ({}, ""))
    if isinstance(different, str):
        return different
    if row["sgfmill_ok"] != "1":
        return different or "no SGF data"
    if row["nmoves"] == "0":
        return "no moves"
    return {
        "size": int(row["size"]),
        "komi": float(row["komi"]) if b"KM[" in data else math.nan,  # for sgfmill komi is 0 where there is none
        "handicap": int(row["ha"]),
        "setup": int(row["setup"]),
        "winner": {"b": BLACK, "w": WHITE, "": NO_WINNER}[row["winner"]],
        "moves": int(row["illegal_at"] or row["nmoves"]),
        "flaw": "" if row["legal"] == "1" else ILLEGAL,
    } | different


def found(game: Record | Refusal) -> dict | str:
    if isinstance(game, Refusal):
        return game.reason
    same = {name: getattr(game, name) for name in ("size", "komi", "handicap", "winner", "flaw")}
    return same | {"setup": len(game.setup), "moves": len(game.moves)}


@pytest.fixture(scope="module")
def odd_files(games_folder) -> dict[str, bytes]:
    with zipfile.ZipFile(games_folder / "odd-sgf.zip") as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        return {name.removeprefix("odd-sgf/"): archive.read(name) for name in names}


def test_odd_files_are_what_their_manifest_says(odd_files):
    rows = list(csv.DictReader(io.StringIO(odd_files["MANIFEST.csv"].decode())))
    assert {row["file"] for row in rows} == odd_files.keys() - {"MANIFEST.csv"} and len(rows) == 65
    assert (DIFFERENCES.keys() | MORE_GAMES.keys()) <= odd_files.keys()
    for row in rows:
        data = odd_files[row["file"]]
        first, *others = read_records(data)
        wanted, got = expected(row, data), found(first)
        if isinstance(wanted, dict) and isinstance(got, dict):
            wanted, got = sorted(wanted.items()), sorted(got.items())
        assert repr(got) == repr(wanted), row["file"]
        assert [len(game.moves) for game in others] == MORE_GAMES.get(row["file"], [])


def test_every_difference_is_one(odd_files):
    """An explanation that explains nothing is out of date."""
    rows = {row["file"]: row for row in csv.DictReader(io.StringIO(odd_files["MANIFEST.csv"].decode()))}
    for name in DIFFERENCES:
        plain = expected(rows[name] | {"file": ""}, odd_files[name])
        assert repr(expected(rows[name], odd_files[name])) != repr(plain), name


def test_the_players_are_read_in_their_own_letters(odd_files):
    names = {
        name: read_records(odd_files[f"suite-sabaki/{name}.sgf"])[0].names for name in ("chinese", "japanese", "korean")
    }
    assert names == {
        "chinese": ("古力", "柯洁"),
        "japanese": ("井山 裕太", "山下 敬吾"),
        "korean": ("이세돌", "박정환"),
    }
