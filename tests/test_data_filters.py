"""Each filter keeps and leaves out what it says, and settings that mean nothing are refused."""

from collections import Counter
from itertools import islice

import pytest

from data.filters import EXCLUDE_PRESETS, Filters, learning_sides, reason_against
from data.record import Record, read_records
from data.sources import Reading
from go.board import BLACK, WHITE
from pipeline.errors import UserError
from pipeline.settings import validate


def verdict(header: str, moves: str = ";B[aa];W[bb];B[cc]", size: int = 9, **filters) -> str | None:
    chosen = Filters(**filters)
    validate(chosen)
    [record] = read_records(f"(;SZ[9]{header}{moves})".encode())
    return reason_against(record, size, chosen)


RANK = "rank below min_rank or unknown"


@pytest.mark.parametrize(
    ("header", "filters", "reason"),
    [
        ("", {}, None),
        ("", {"size": 13}, "another board size"),
        ("", {"min_moves": 3}, None),
        ("", {"min_moves": 4}, "fewer moves than min_moves"),
        ("", {"max_moves": 3}, None),
        ("", {"max_moves": 2}, "more moves than max_moves"),
        ("BR[6d]WR[6d]", {"min_rank": "6d"}, None),
        ("BR[6d]WR[5d]", {"min_rank": "6d"}, RANK),
        ("BR[6d]WR[5d]", {"min_rank": "6d", "ranked": "either"}, None),
        ("BR[5d]WR[5d]", {"min_rank": "6d", "ranked": "either"}, RANK),
        ("BR[6d]", {"min_rank": "6d"}, RANK),
        ("BR[6d]", {"min_rank": "6d", "ranked": "either"}, None),
        ("BR[1k]WR[3k]", {"min_rank": "3k"}, None),
        ("BR[1k]WR[4k]", {"min_rank": "3k"}, RANK),
        ("BR[1p]WR[9d]", {"min_rank": "9d"}, None),
        ("BR[1p]WR[9d]", {"min_rank": "1p"}, RANK),
        ("PB[a (2271)]PW[b (2000)]", {"min_rank": "2000"}, None),
        ("PB[a (2271)]PW[b (1999)]", {"min_rank": "2000"}, RANK),
        ("PB[a (2271)]PW[b (2271)]", {"min_rank": "1d"}, RANK),  # a rating is no rank
        ("BR[9d]WR[9d]", {"min_rank": "2000"}, RANK),
        ("RE[B+R]", {"result_known": True}, None),
        ("RE[0]", {"result_known": True}, None),
        ("RE[Void]", {"result_known": True}, "result not known"),
        ("", {"result_known": True}, "result not known"),
        ("HA[2]AB[gg][cg]", {"handicap": "none"}, "handicap game"),
        ("HA[2]AB[gg][cg]", {"handicap": "only"}, None),
        ("", {"handicap": "only"}, "not a handicap game"),
        ("", {"handicap": "none"}, None),
        ("DT[2015-01-31]", {"first_year": 2015, "last_year": 2015}, None),
        ("DT[2015-01-31]", {"first_year": 2016}, "outside the years"),
        ("DT[2015-01-31]", {"last_year": 2014}, "outside the years"),
        ("", {"last_year": 2014}, "year not known"),
        ("", {"first_year": 2014}, "year not known"),
        ("PB[petgo3]PW[me]", {"exclude": "petgo|^zen"}, "player excluded"),
        ("PB[me]PW[Zen19]", {"exclude": "petgo|^zen"}, "player excluded"),
        ("PB[me]PW[Frozen]", {"exclude": "petgo|^zen"}, None),
        ("PB[me]PW[:bot (1500)]", {"exclude": "^:"}, "player excluded"),
        ("PB[petgo3]PW[me]", {"exclude": EXCLUDE_PRESETS["bots"]}, "player excluded"),
        ("PB[me]PW[LeelaZeroT]", {"exclude": EXCLUDE_PRESETS["bots"]}, "player excluded"),
        ("PB[me]PW[HiraBot42]", {"exclude": EXCLUDE_PRESETS["bots"]}, "player excluded"),
        ("PB[BOThater36]PW[Zenith]", {"exclude": EXCLUDE_PRESETS["bots"]}, None),
    ],
)
def test_each_filter(header, filters, reason):
    assert verdict(header, **filters) == reason


def test_a_broken_game_is_cut_or_dropped():
    for moves, reason in ((";B[aa];W[bb];B[aa]", "illegal move"), (";B[aa];W[bb];B[c", "torn file")):
        assert verdict("", moves) is None
        assert verdict("", moves, broken="drop") == reason


@pytest.mark.parametrize(
    ("header", "learn", "min_rank", "sides"),
    [
        ("BR[3d]WR[9k]", "all", "", BLACK + WHITE),
        ("BR[3d]WR[9k]", "stronger", "", BLACK),
        ("BR[9k]WR[3d]", "stronger", "", WHITE),
        ("BR[3d]WR[3d]", "stronger", "", BLACK + WHITE),
        ("BR[3d]", "stronger", "", BLACK + WHITE),
        ("BR[3d]WR[2000]", "stronger", "", BLACK + WHITE),  # nobody can tell
        ("BR[3d]WR[9k]", "ranked", "1d", BLACK),
        ("BR[3d]WR[1d]", "ranked", "1d", BLACK + WHITE),
        ("BR[9k]WR[1d]", "ranked", "1d", WHITE),
        ("BR[9k]WR[9k]", "ranked", "1d", 0),
    ],
)
def test_whose_moves_to_learn_from(header, learn, min_rank, sides):
    [record] = read_records(f"(;SZ[9]{header};B[aa])".encode())
    assert learning_sides(record, Filters(learn=learn, min_rank=min_rank)) == sides


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        ({"ranked": "one"}, "ranked=one is none of either, both."),
        ({"handicap": "yes"}, "handicap=yes is none of any, none, only."),
        ({"broken": "keep"}, "broken=keep is none of cut, drop."),
        ({"learn": "winner"}, "learn=winner is none of all, stronger, ranked."),
        ({"learn": "ranked"}, "learn=ranked needs a min_rank, such as min_rank=1d."),
        ({"min_moves": -1}, "min_moves=-1 is not at least 0."),
        ({"min_rank": "strong"}, "min_rank=strong is no rank: 6d, 2k, 1p, or a rating such as 2000."),
        ({"exclude": "("}, "exclude=( is not a pattern (regular expression): missing ), unterminated subpattern"),
        ({"first_year": 2016, "last_year": 2015}, "first_year=2016 is after last_year=2015."),
        ({"min_moves": 9, "max_moves": 8}, "min_moves=9 is more than max_moves=8."),
    ],
)
def test_settings_that_mean_nothing_are_refused(filters, sentence):
    with pytest.raises(UserError) as caught:
        validate(Filters(**filters))
    assert str(caught.value).startswith(sentence)


def test_the_bots_of_a_real_archive(games_folder):
    """Most games of KGS from 2016 to 2018 have a bot in them; before 2004 hardly any."""
    filters = Filters(exclude=EXCLUDE_PRESETS["bots"])
    games, bots = Counter(), Counter()
    for item in islice(Reading([games_folder / "kgs19.tar.xz"]), 0, None, 25):
        for record in read_records(item.data):
            if isinstance(record, Record):
                games[record.year] += 1
                bots[record.year] += reason_against(record, 19, filters) == "player excluded"
    late, early = range(2016, 2019), range(2000, 2004)
    assert 0.58 < sum(bots[year] for year in late) / sum(games[year] for year in late) < 0.65
    assert sum(bots[year] for year in early) <= 1 and sum(games[year] for year in early) > 400
