"""The fields of a header as people write them, and the numbers that they are read as."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.fields import (
    BY_FORFEIT,
    BY_RESIGNATION,
    BY_SCORE,
    NO_RESULT,
    NO_WINNER,
    ON_TIME,
    UNKNOWN_RANK,
    is_rating,
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
from go import BLACK, EMPTY, WHITE

NAN = math.nan
RANKS = {
    "6d": 6, "6D": 6, "7d?": 7, "9 dan": 9, "6d*": 6, "12d": 12, "1k": 0, "30k": -29, "17k+": -16, "3 kyu": -2,
    "1p": 21, "9p": 29, "9d pro": 29, "P9段": 29, "9段": 9, "九段": 9,
    "初段": 1, "３段": 3, "5级": -4, "2단": 2, "3급": -2,
    "9p, Honinbo": 29, "Honinbo 9p": 29, "6d ama": 6, "Ama. 6d": 6, "7-dan (amateur)": 7, "9d, 9d": 9, "日本 九段": 9,
    "9d pro, Meijin": 29, "7d & 5d": UNKNOWN_RANK, "x6d": UNKNOWN_RANK, "6days": UNKNOWN_RANK, "1.5d": UNKNOWN_RANK,
    "2271": 2271, "2271.6": 2271, "1873?": 1873, "100": 100, "9999": 9999, "  6d ": 6,
    "": UNKNOWN_RANK, "?": UNKNOWN_RANK, "-": UNKNOWN_RANK, "NR": UNKNOWN_RANK, "0d": UNKNOWN_RANK, "0k": UNKNOWN_RANK,
    "99d": UNKNOWN_RANK, "20d": UNKNOWN_RANK, "99p": UNKNOWN_RANK, "50": UNKNOWN_RANK, "099": UNKNOWN_RANK,
    "12345": UNKNOWN_RANK, "Meijin": UNKNOWN_RANK, "d": UNKNOWN_RANK, "6d 3k": UNKNOWN_RANK, "-5k": UNKNOWN_RANK,
}  # fmt: skip
KOMI = {
    "6.5": 6.5, "6,5": 6.5, "7": 7.0, "0": 0.0, "-5.5": -5.5, " 5.50 ": 5.5, "0.5": 0.5, ".5": 0.5, "+7.5": 7.5,
    "3.75": 7.5, "2.75": 5.5, "-3.75": -7.5, "375": 7.5, "325": 6.5, "650": 6.5, "750": 7.5, "700": 7.0, "275": 5.5,
    "-100.00": -100.0, "90.5": 90.5, "100": 100.0,
    "": NAN, "?": NAN, "x": NAN, "9999": NAN, "-999": NAN, "0.99": NAN, "6.6": NAN, "nan": NAN, "inf": NAN, "-inf": NAN,
    "1e400": NAN, "6.5 points": NAN, "651": NAN, "-650": NAN,
}  # fmt: skip
RESULTS = {
    "B+3.5": (BLACK, BY_SCORE, 3.5), "W+11.50": (WHITE, BY_SCORE, 11.5), "b+0.5": (BLACK, BY_SCORE, 0.5),
    "W+0,5": (WHITE, BY_SCORE, 0.5), "B+3.75": (BLACK, BY_SCORE, 3.75), "B+ 2": (BLACK, BY_SCORE, 2.0),
    "B + 2": (BLACK, BY_SCORE, 2.0), "B+12 points": (BLACK, BY_SCORE, 12.0), "B+3.755": (BLACK, BY_SCORE, 3.75),
    "B+R": (BLACK, BY_RESIGNATION, NAN), "W+Resign": (WHITE, BY_RESIGNATION, NAN),
    "Black+R": (BLACK, BY_RESIGNATION, NAN),
    "W+T": (WHITE, ON_TIME, NAN), "B+Time": (BLACK, ON_TIME, NAN), "W+F": (WHITE, BY_FORFEIT, NAN),
    "B+Forfeit": (BLACK, BY_FORFEIT, NAN), "B+": (BLACK, NO_RESULT, NAN), "W+?": (WHITE, NO_RESULT, NAN),
    "W+0.0": (WHITE, NO_RESULT, NAN), "B+0": (BLACK, NO_RESULT, NAN), "B+8194.00": (BLACK, NO_RESULT, NAN),
    "B+1/2": (BLACK, NO_RESULT, NAN), "B+3 1/2": (BLACK, BY_SCORE, 3.5), "W+2½": (WHITE, BY_SCORE, 2.5),
    "B+1e5": (BLACK, NO_RESULT, NAN), "B+3 1/4": (BLACK, NO_RESULT, NAN),
    "0": (EMPTY, BY_SCORE, 0.0), "Draw": (EMPTY, BY_SCORE, 0.0), "draw": (EMPTY, BY_SCORE, 0.0),
    "Jigo": (EMPTY, BY_SCORE, 0.0), "和棋": (EMPTY, BY_SCORE, 0.0),
    "黑中盘胜": (BLACK, BY_RESIGNATION, NAN), "白中盤勝": (WHITE, BY_RESIGNATION, NAN), "白胜": (WHITE, NO_RESULT, NAN),
    "黑胜3.5子": (BLACK, NO_RESULT, NAN), "黒番中押し勝ち": (BLACK, BY_RESIGNATION, NAN),
    "흑 불계승": (BLACK, BY_RESIGNATION, NAN),
    "黑超时，白胜": (WHITE, NO_RESULT, NAN),
    "": (NO_WINNER, NO_RESULT, NAN), "?": (NO_WINNER, NO_RESULT, NAN), "Void": (NO_WINNER, NO_RESULT, NAN),
    "Both lost": (NO_WINNER, NO_RESULT, NAN), "X+": (NO_WINNER, NO_RESULT, NAN),
    "Left unfinished": (NO_WINNER, NO_RESULT, NAN),
    "B": (NO_WINNER, NO_RESULT, NAN), "+3.5": (NO_WINNER, NO_RESULT, NAN),
}  # fmt: skip
YEARS = {
    "2016-03-09": 2016, "1996-12-31,1997-01-01": 1996, "09/03/2016": 2016, "2016": 2016, "20160309": 2016, "1846": 1846,
    "Published 2003 (game of 1940)": 2003, "1848-08-23 (Kaei 1 VII 25)": 1848, "2010年1月": 2010,
    "": 0, "?": 0, "ca. 800": 0, "96-05-01": 0, "2100": 0, "12016": 0, "123456789": 0,
}  # fmt: skip
SIZES = {
    "": 19, "19": 19, "9": 9, " 13 ": 13, "2": 2, "19:19": 19, "9:9": 9,
    "1": 0, "0": 0, "20": 0, "21": 0, "-9": 0, "19:13": 0, "nineteen": 0, "9.0": 0, "９": 0, "9" * 5000: 0,
}  # fmt: skip
HANDICAPS = {"2": 2, "9": 9, "36": 36, "": 0, "0": 0, "1": 0, "-2": 0, "two": 0, "9" * 5000: 0}
NAMES = {
    "name (2271)": ("name", 2271), ":bot (1900)": (":bot", 1900), "name [5d]": ("name", 5), "name(3k)": ("name", -2),
    "a (5d) (6d)": ("a", 6), "(5d)": ("", 5), "two\n words ": ("two words", UNKNOWN_RANK),
    "name (later)": ("name (later)", UNKNOWN_RANK), "(2271) name": ("(2271) name", UNKNOWN_RANK),
    "name (12)": ("name (12)", UNKNOWN_RANK), "": ("", UNKNOWN_RANK),
}  # fmt: skip


def alike(one: tuple, other: tuple) -> bool:
    return repr(one) == repr(other)  # NaN is not equal to itself


@pytest.mark.parametrize("text", RANKS)
def test_ranks(text):
    assert read_rank(text) == RANKS[text]


def test_ranks_are_in_the_order_of_strength_and_have_names():
    names = ["30k", "2k", "1k", "1d", "9d", "12d", "1p", "9p"]
    assert sorted(names, key=read_rank) == names and [rank_name(read_rank(name)) for name in names] == names
    assert rank_name(2271) == "2271" and rank_name(UNKNOWN_RANK) == "?"
    assert is_rating(100) and not is_rating(read_rank("9p")) and not is_rating(UNKNOWN_RANK)


@pytest.mark.parametrize("text", KOMI)
def test_komi(text):
    assert alike(read_komi(text, 19), KOMI[text])


def test_komi_is_no_more_than_the_board():
    assert read_komi("80.5", 9) == 80.5 and math.isnan(read_komi("81.5", 9)) and math.isnan(read_komi("-100", 9))


@pytest.mark.parametrize("text", RESULTS)
def test_results(text):
    assert alike(read_result(text), RESULTS[text])


@pytest.mark.parametrize("text", YEARS)
def test_years(text):
    assert read_year(text) == YEARS[text]


@pytest.mark.parametrize("text", SIZES)
def test_sizes(text):
    assert read_size(text) == SIZES[text]


@pytest.mark.parametrize("text", HANDICAPS)
def test_handicaps(text):
    assert read_handicap(text) == HANDICAPS[text]


@pytest.mark.parametrize("text", NAMES)
def test_names(text):
    assert split_name(text) == NAMES[text]


@given(st.text() | st.text("0123456789.,+-/dkpBWR中黑胜()[] "))
def test_any_text_is_read_and_what_was_read_is_read_again_as_the_same(text):
    result = read_result(text)
    assert alike(read_result(result_name(*result)), result)
    rank = read_rank(text)
    assert rank == UNKNOWN_RANK or read_rank(rank_name(rank)) == rank
    komi = read_komi(text, 19)
    assert math.isnan(komi) or read_komi(f"{komi:g}", 19) == komi
    name, _ = split_name(text)
    assert split_name(name) == (name, UNKNOWN_RANK)
    assert 0 <= read_year(text) < 2100 and read_size(text) in (0, *range(2, 20)) and 0 <= read_handicap(text) < 1000
