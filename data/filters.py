"""Which games to keep, and whose moves to learn from."""

import dataclasses
import re

from data.fields import NO_WINNER, UNKNOWN_RANK, is_rating, read_plain_rank, read_rank
from data.record import ILLEGAL, TORN, Record
from go.board import BLACK, WHITE
from pipeline.errors import UserError
from pipeline.settings import setting

EXCLUDE_PRESETS = {  # named patterns for the setting `exclude`
    "bots": r"bot([-_ \d]|$)|leela|katago|golois|petgo|gnugo|fuego|dolbaram|^(:|zen(\d|lv)|aya(bot|mc)|dcnn|"
    r"crazyst[o0]n|cr42y570n3|pachi\d*$|many ?faces|mfgo|darkf(ores|mcts)|abakus$|ginsei)",
}


@dataclasses.dataclass
class Filters:
    """The settings of `data.prepare` that select games."""

    min_moves: int = setting(1, "leave out games with fewer moves, passes included", least=0)
    max_moves: int = setting(0, "leave out games with more moves; 0 for no limit", least=0)
    min_rank: str = setting("", "lowest rank of the players, such as 6d, 2k or 1p, or lowest rating, such as 2000")
    ranked: str = setting("both", "who must reach min_rank: both players or either", choices=("either", "both"))
    result_known: bool = setting(False, "leave out games whose result is not known")
    handicap: str = setting("any", "handicap games: keep any, none, or only these", choices=("any", "none", "only"))
    first_year: int = setting(0, "leave out games played before this year; 0 for no limit", least=0)
    last_year: int = setting(0, "leave out games played after this year; 0 for no limit", least=0)
    exclude: str = setting(
        "",
        "leave out games of players whose name matches this pattern, as in 'bot|^zen' (in any case); bots: known bots",
    )
    broken: str = setting(
        "cut", "a game with an illegal move or a torn end: cut it there, or drop it", choices=("cut", "drop")
    )
    learn: str = setting(
        "all",
        "whose moves to learn from: all, the stronger player's, or those of players that reach min_rank",
        choices=("all", "stronger", "ranked"),
    )

    def check(self) -> None:
        """Raise `UserError` if values are invalid or inconsistent."""
        if self.max_moves and self.min_moves > self.max_moves:
            raise UserError(f"min_moves={self.min_moves} is more than max_moves={self.max_moves}.")
        if self.last_year and self.first_year > self.last_year:
            raise UserError(f"first_year={self.first_year} is after last_year={self.last_year}.")
        if self.min_rank and read_plain_rank(self.min_rank) == UNKNOWN_RANK:
            raise UserError(f"min_rank={self.min_rank} is no rank: 6d, 2k, 1p, or a rating such as 2000.")
        if self.learn == "ranked" and not self.min_rank:
            raise UserError("learn=ranked needs a min_rank, such as min_rank=1d.")
        try:
            re.compile(self.exclude)
        except re.error as error:
            raise UserError(f"exclude={self.exclude} is not a pattern (regular expression): {error}.") from error


def reason_against(record: Record, size: int, filters: Filters) -> str | None:
    """Return why a game is left out, or None if it is kept."""
    if record.size != size:
        return "another board size"
    if record.flaw and filters.broken == "drop":
        return {ILLEGAL: "illegal move", TORN: "torn file"}[record.flaw]
    if len(record.moves) < filters.min_moves:
        return "fewer moves than min_moves"
    if filters.max_moves and len(record.moves) > filters.max_moves:
        return "more moves than max_moves"
    if filters.min_rank:
        enough = [_reaches(rank, read_rank(filters.min_rank)) for rank in record.ranks]
        if not (any(enough) if filters.ranked == "either" else all(enough)):
            return "rank below min_rank or unknown"
    if filters.result_known and record.winner == NO_WINNER:
        return "result not known"
    if filters.handicap == "none" and record.handicap:
        return "handicap game"
    if filters.handicap == "only" and not record.handicap:
        return "not a handicap game"
    if (filters.first_year or filters.last_year) and record.year == 0:
        return "year not known"
    if record.year < filters.first_year or (filters.last_year and record.year > filters.last_year):
        return "outside the years"
    if filters.exclude and any(re.search(filters.exclude, name, re.IGNORECASE) for name in record.names):
        return "player excluded"
    return None


def _reaches(rank: int, least: int) -> bool:
    """Return whether a rank is high enough. Unknown ranks never are. Ranks and ratings are not comparable."""
    return rank != UNKNOWN_RANK and is_rating(rank) == is_rating(least) and rank >= least


def learning_sides(record: Record, filters: Filters) -> int:
    """Return whose moves to learn from: the sum of BLACK and WHITE or one of them.

    The stronger player is the one with the higher rank. If the ranks are equal, unknown or not comparable, both sides
    count.
    """
    black, white = record.ranks
    if filters.learn == "ranked":
        least = read_rank(filters.min_rank)
        return BLACK * _reaches(black, least) + WHITE * _reaches(white, least)
    comparable = UNKNOWN_RANK not in (black, white) and is_rating(black) == is_rating(white)
    if filters.learn == "stronger" and comparable and black != white:
        return BLACK if black > white else WHITE
    return BLACK + WHITE
