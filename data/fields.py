"""The header fields of a game record as numbers: ranks, komi, results, dates, sizes.

Each function takes the raw text of the record. Invalid text gives "unknown", never an error, because real records
contain anything. `tests/test_data_fields.py` lists the forms that we have seen.
"""

import math
import re

from go.board import BLACK, EMPTY, WHITE

UNKNOWN_RANK = -32768
PROFESSIONAL = 20  # 1p is 21, above all amateurs: one server has amateur ranks up to 12d
LOWEST_RATING = 100  # numbers from here on are Elo ratings, not ranks

NO_WINNER = -1  # void, unknown or missing: not the same as a draw
NO_RESULT, BY_SCORE, BY_RESIGNATION, ON_TIME, BY_FORFEIT = range(5)  # how a game ended
ENDINGS = {
    NO_RESULT: "unknown",
    BY_SCORE: "score",
    BY_RESIGNATION: "resignation",
    ON_TIME: "time",
    BY_FORFEIT: "forfeit",
}

CHINESE_NUMERALS = {"初": 1} | {numeral: value for value, numeral in enumerate("一二三四五六七八九", 1)}
RANK = re.compile(
    r"(?<![A-Za-z\d.-])(p?)(\d{1,2}|[初一二三四五六七八九])[ -]?(kyu|k|级|級|급|dan|d|段|단|pro|p)( pro)?"
    r"(?![A-Za-z\d])",
    re.IGNORECASE,
)
RATING = re.compile(r"\d{3,4}(?:\.\d+)?")
BRACKETED = re.compile(r"[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*$")  # at the end of a player's name
POINTS = re.compile(r"(\d{1,3}(?:[.,]\d+)?)( ?1/2| ?½)?(?! ?[\d/]|e\d)")
WINNER = re.compile(r"(b|w)(?:lack|hite)? ?\+ ?(.*)", re.DOTALL)
EASTERN_WINNER = re.compile("([黑黒흑白백])[^黑黒흑白백]*[胜勝승]")  # "black wins in the middle of the game"
EASTERN_RESIGNATION = re.compile("中|불계")  # a win in the middle of a game is a win by resignation


def printable(text: str) -> str:
    """Return a text from a game record as one line that is safe to print or draw."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def read_rank(text: str) -> int:
    """Read a rank or a rating as one number: 30k is -29, 1k is 0, 1d is 1, 9d is 9, 1p is 21; ratings are unchanged.

    Marks of uncertainty, such as a question mark, are ignored, and so is other text, as in "9p, Honinbo". If there are
    several different ranks, the rank is unknown.
    """
    whole = read_plain_rank(text)
    inside = {_rank_of(found) for found in RANK.finditer(text)} if whole == UNKNOWN_RANK else {whole}
    return inside.pop() if len(inside) == 1 else UNKNOWN_RANK


def read_plain_rank(text: str) -> int:
    """Read a text that is only a rank or a rating."""
    text = text.strip().rstrip("?*+~ ")
    if RATING.fullmatch(text):
        return int(float(text)) if float(text) >= LOWEST_RATING else UNKNOWN_RANK
    found = RANK.fullmatch(text)
    return _rank_of(found) if found else UNKNOWN_RANK


def _rank_of(found: re.Match[str]) -> int:
    number, grade = found[2], found[3].lower()
    value = CHINESE_NUMERALS.get(number) or int(number)
    if grade in ("kyu", "k", "级", "級", "급"):
        return 1 - value if value else UNKNOWN_RANK
    if not 1 <= value < PROFESSIONAL:
        return UNKNOWN_RANK
    return value + PROFESSIONAL * bool(grade in ("pro", "p") or found[1] or found[4])


def rank_name(rank: int) -> str:
    """Return a rank as text: 6d, 12k, 9p, 2271, or a question mark if unknown."""
    if rank == UNKNOWN_RANK:
        return "?"
    if rank >= LOWEST_RATING:
        return str(rank)
    if rank > PROFESSIONAL:
        return f"{rank - PROFESSIONAL}p"
    return f"{rank}d" if rank > 0 else f"{1 - rank}k"


def is_rating(rank: int) -> bool:
    return rank >= LOWEST_RATING


def split_name(text: str) -> tuple[str, int]:
    """Separate a player's name from a rank or rating in brackets at its end, as in "name (2271)" or "name [5d]"."""
    name, rank = " ".join(text.split()), UNKNOWN_RANK
    while (found := BRACKETED.search(name)) and (inner := read_plain_rank(found[1])) != UNKNOWN_RANK:
        rank = inner if rank == UNKNOWN_RANK else rank  # if there are several, the last one counts
        name = name[: found.start()].rstrip()
    return name, rank


def read_komi(text: str, size: int) -> float:
    """Read komi in points (NaN if missing or impossible).

    Servers that count in Chinese stones write 3.75 or 375 for seven and a half points, and 650 for 6.5.
    """
    try:
        komi = float(text.strip().replace(",", "."))
    except ValueError:
        return math.nan
    if 250 <= komi <= 1000 and komi % 25 == 0:
        komi /= 100
    if abs(komi) % 1 in (0.25, 0.75):
        komi *= 2
    return komi if abs(komi) <= size * size and (2 * komi) % 1 == 0 else math.nan


def read_result(text: str) -> tuple[int, int, float]:
    """Read a result: the winner (BLACK, WHITE, EMPTY for a draw, NO_WINNER), how it ended, and the margin in points.

    The margin is NaN if the game was not counted.
    """
    text = text.strip().lower()
    if text in ("0", "draw", "jigo", "tie", "d", "和棋", "持碁", "무승부"):
        return EMPTY, BY_SCORE, 0.0
    if eastern := EASTERN_WINNER.search(text):
        ending = BY_RESIGNATION if EASTERN_RESIGNATION.search(text) else NO_RESULT
        return WHITE if eastern[1] in "白백" else BLACK, ending, math.nan
    found = WINNER.match(text)
    if not found:
        return NO_WINNER, NO_RESULT, math.nan
    winner, how = BLACK if found[1] == "b" else WHITE, found[2]
    if points := POINTS.match(how):
        margin = round(float(points[1].replace(",", ".")), 2) + (0.5 if points[2] else 0)
        return (
            (winner, BY_SCORE, margin) if margin else (winner, NO_RESULT, math.nan)
        )  # W+0.0 does not say how the game ended
    endings = {"r": BY_RESIGNATION, "t": ON_TIME, "f": BY_FORFEIT}
    return winner, endings.get(how[:1], NO_RESULT), math.nan


def result_name(winner: int, ending: int, margin: float) -> str:
    """Return a result as in SGF: B+3.5, W+R, B+, 0 for a draw, an empty text if unknown."""
    if winner == NO_WINNER:
        return ""
    if winner == EMPTY:
        return "0"
    how = {BY_RESIGNATION: "R", ON_TIME: "T", BY_FORFEIT: "F"}.get(ending, "")
    if ending == BY_SCORE and math.isfinite(margin):
        how = f"{margin:g}"
    return f"{'B' if winner == BLACK else 'W'}+{how}"


def read_year(text: str) -> int:
    """Read the first year in a date (0 if there is none)."""
    found = re.search(r"(?<!\d)(1\d{3}|20\d{2})(?:\d{4})?(?!\d)", text)  # also 20160309
    return int(found[1]) if found else 0


def read_size(text: str) -> int:
    """Read a board size (default 19). Return 0 if the board is not square or not from 2x2 to 19x19."""
    text = text.strip() or "19"
    columns, _, rows = text.partition(":")
    if not (columns.isascii() and columns.isdigit()) or (rows and rows.strip() != columns):
        return 0
    size = int(columns) if len(columns) <= 2 else 0
    return size if 2 <= size <= 19 else 0


def read_handicap(text: str) -> int:
    """Read the number of handicap stones (0 if missing or invalid)."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) >= 2 else 0
