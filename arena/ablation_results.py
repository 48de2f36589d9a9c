"""What the games of a part say: ratings and win rates with intervals, pair by pair, and whether the paper is confirmed.

Everything is computed from the games alone and is plain data. The paper's figures are in the description of the part.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import spearmanr

from arena.ablation_tables import ELO, Part, Row
from arena.game import Played
from arena.rating_tables import rating_rows
from arena.ratings import Ratings, rate
from arena.scores import failures, results_of, tally, thought
from pipeline.shares import interval95

SURE = 0.95  # likelihood of superiority from which on a difference counts as decided
REPRODUCED, OPEN, REVERSED = "reproduced", "not decided", "reversed"


class Verdict(NamedTuple):
    """Whether a pair is as the paper has it: how likely the player is stronger that the paper has above the other."""

    stronger: str
    weaker: str
    elo: float
    superiority: float

    @property
    def word(self) -> str:
        if self.superiority >= SURE:
            return REPRODUCED
        return REVERSED if self.superiority <= 1 - SURE else OPEN


def measure(part: Part, games: list[Played], samples: int) -> dict[str, Any]:
    """Return all that the games of a part say, as plain data."""
    rows, superiority, first_moves = [], {}, []
    for group in part.groups():
        names = [row.name for row in group]
        own = [game for game in games if game.slot.black in names and game.slot.white in names]
        ratings = rate(results_of(own), {reference_of(part, group): 0.0}, samples=samples)
        rated = {row["player"]: row for row in rating_rows(ratings)}
        rows += [rated[row.name] | won(own, row, samples) | pace(own, row.name) for row in group]
        superiority |= superiority_of(ratings)
        first_moves.append(round(float(ratings.first_move), 1))
    return {
        "games": len(games),
        "rows": rows,
        "pairs": [pair(games, a, b, samples) for a, b in oriented(part)],
        "superiority": [[a, b, found] for (a, b), found in superiority.items()],
        "first move": first_moves,
        "failures": failures(games),
        "stopped": sum(game.is_stopped for game in games),
    }


def reference_of(part: Part, group: list[Row]) -> str:
    """Return the player of a group whose rating is 0."""
    return part.reference if part.reference in [row.name for row in group] else group[0].name


def won(games: list[Played], row: Row, samples: int) -> dict[str, Any]:
    """Return the share of points that a player won: of all games, or of those against the one that it plays."""
    found = tally(games, row.name, row.against)
    low, high = interval95(found.points, found.games)
    boot = paired_interval(pair_scores(games, row.name, row.against), samples)
    numbers = {"won": found.share, "won_low": low, "won_high": high, "won_boot_low": boot[0], "won_boot_high": boot[1]}
    return {name: None if math.isnan(number) else round(number, 4) for name, number in numbers.items()}


def pace(games: list[Played], name: str) -> dict[str, float]:
    """Return how long a player thought about a move, on average and at most."""
    spent = thought(games, name)
    return {"seconds": round(spent.seconds / max(spent.decisions, 1), 4), "slowest": round(spent.slowest, 3)}


def pair(games: list[Played], first: str, second: str, samples: int) -> dict[str, Any]:
    """Return the games of two players that met, from the point of view of the first."""
    between = [game for game in games if set(game.slot[:2]) == {first, second}]
    about = {"first": first, "second": second, "games": len(between), "points": tally(between, first).points}
    return about | won(between, Row(first, against=second), samples)


def pair_scores(games: Iterable[Played], name: str, opponent: str = "") -> list[list[float]]:
    """Return a player's scores, by opponent and opening: the two games of an opening are not independent."""
    units: dict[Any, list[float]] = {}
    for game in games:
        if name in game.slot[:2] and (not opponent or opponent in game.slot[:2]):
            units.setdefault(game.slot.pair, []).append(game.score_of(name))
    return list(units.values())


def paired_interval(scores: list[list[float]], samples: int, seed: int = 1) -> tuple[float, float]:
    """Return the 95% bootstrap interval of a share of points, from openings drawn again with replacement."""
    if not samples or not scores:
        return math.nan, math.nan
    points, counts = np.array([sum(unit) for unit in scores]), np.array([len(unit) for unit in scores])
    drawn = np.random.default_rng(seed).integers(0, len(scores), (samples, len(scores)))
    low, high = np.percentile(points[drawn].sum(1) / counts[drawn].sum(1), [2.5, 97.5])
    return float(low), float(high)


def superiority_of(ratings: Ratings) -> dict[tuple[str, str], float]:
    """Return the probability that one player is stronger than another, by their names."""
    return {
        (a, b): round(float(ratings.superiority[i, j]), 4)
        for i, a in enumerate(ratings.names)
        for j, b in enumerate(ratings.names)
        if i != j
    }


def verdicts(part: Part, found: dict[str, Any]) -> list[Verdict]:
    """Return whether each pair is as the paper has it, in the paper's order."""
    superiority = {(a, b): value for a, b, value in found["superiority"]}
    elo = {row["player"]: row["elo"] for row in found["rows"]}
    return [Verdict(a, b, elo[a] - elo[b], superiority[a, b]) for a, b in part.expected()]


def answer(part: Part, found: dict[str, Any]) -> str:
    """Answer the question of a part in a few sentences."""
    judged = verdicts(part, found)
    sentences = _on_the_paper(judged) if judged else [_on_the_best(part, found)]
    if len(part.groups()) == 1 and not any(row.against for row in part.rows) and judged:
        sentences.append(_on_the_order(part, found))
    if part.is_scale and any(row.against for row in part.rows):
        sentences.append(_on_the_trend(part, found))
    return " ".join(sentence for sentence in sentences if sentence)


def _on_the_paper(judged: list[Verdict]) -> list[str]:
    """Say of how many pairs the paper is confirmed, and of which it is not."""
    by_word = {word: [v for v in judged if v.word == word] for word in (REPRODUCED, REVERSED, OPEN)}
    count, confirmed = len(judged), len(by_word[REPRODUCED])
    sentences = [f"As in the paper: {confirmed} of {count} pairs, each with a probability of at least 95%."]
    if count == 1:
        sentences = [f"As in the paper: {_listed(judged)}."] if confirmed else []
    if by_word[REVERSED]:
        sentences.append(f"The other way round here: {_listed(by_word[REVERSED])}.")
    if by_word[OPEN]:
        sentences.append(f"Not decided by these games: {_listed(by_word[OPEN])}.")
    return sentences


def _listed(judged: list[Verdict]) -> str:
    return "; ".join(
        f"{v.stronger} over {v.weaker} ({round(v.elo):+d} Elo, stronger with {100 * v.superiority:.0f}%)"
        for v in judged
    )


def _on_the_order(part: Part, found: dict[str, Any]) -> str:
    """Compare our order of all players that the paper has a figure of with the paper's."""
    known = sorted((row for row in part.rows if row.paper is not None), key=lambda row: -row.paper)
    if len(known) < 3:
        return ""
    elo = {row["player"]: row["elo"] for row in found["rows"]}
    theirs = [row.name for row in known]
    ours = sorted(theirs, key=lambda name: -elo[name])
    if ours == theirs:
        return f"The order by rating is that of the paper: {' > '.join(ours)}."
    return f"The order by rating is {' > '.join(ours)}, that of the paper {' > '.join(theirs)}."


def _on_the_best(part: Part, found: dict[str, Any]) -> str:
    """Say how far the best player is above the reference, or the reference above the next one."""
    reference = reference_of(part, list(part.rows))
    ranked = sorted(found["rows"], key=lambda row: (-row["elo"], row["player"] != reference))
    superiority = {(a, b): value for a, b, value in found["superiority"]}
    is_best = ranked[0]["player"] == reference
    above, below = ranked[0]["player"], ranked[1]["player"] if is_best else reference
    gap = ranked[0]["elo"] - next(row["elo"] for row in ranked if row["player"] == below)
    chance = superiority[above, below]
    sure = "" if chance >= SURE else ", which does not decide it"
    return (
        f"{above} has the highest rating, {gap:.0f} Elo above {below}, and is stronger with a probability of "
        f"{100 * chance:.0f}%{sure}."
    )


def _on_the_trend(part: Part, found: dict[str, Any]) -> str:
    """Say whether strength goes with the place on the axis."""
    shares = {row["player"]: row["won"] for row in found["rows"]}
    points = [(row.place, shares[row.name]) for row in part.rows if row.place is not None]
    if len(points) < 3 or len({share for _, share in points}) == 1:
        return ""
    rank = spearmanr(*zip(*points, strict=True)).statistic
    return f"The rank correlation of {part.axis.split(' of ')[0].split(',')[0]} and games won is {rank:+.2f}."


def paper_elo(part: Part, name: str) -> float | None:
    """Return the paper's rating of a player, relative to the reference of the part; None if it has none."""
    figures = {row.name: row.paper for row in part.rows}
    reference = figures[reference_of(part, list(part.rows))]
    if part.figure != ELO or figures[name] is None or reference is None:
        return None
    return figures[name] - reference


def oriented(part: Part) -> list[tuple[str, str]]:
    """Return the pairs that meet, the one first that the paper has above the other, or the one that is tried out."""
    expected, hosts = set(part.expected()), {row.against for row in part.rows}
    return [
        (b, a) if (b, a) in expected or (a in hosts and (a, b) not in expected) else (a, b) for a, b in part.pairs()
    ]


def comparisons(part: Part, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each pair that met or that the paper tells of: our figures, the paper's, and the verdict."""
    met = {(one["first"], one["second"]): one for one in found["pairs"]}
    words = {(v.stronger, v.weaker): v.word for v in verdicts(part, found)}
    superiority = {(a, b): value for a, b, value in found["superiority"]}
    elo = {row["player"]: row["elo"] for row in found["rows"]}
    rows = []
    for first, second in dict.fromkeys([*words, *met]):
        theirs = [paper_elo(part, name) for name in (first, second)]
        percent = (*part.cross.get((first, second), ()), None, None, None)[:3]
        rows.append(
            {"first": first, "second": second, "games": 0, "points": 0.0}
            | met.get((first, second), {})
            | {
                "paper_won": percent[0],
                "paper_won_low": percent[1],
                "paper_won_high": percent[2],
                "elo": round(elo[first] - elo[second], 1),
                "paper_elo": None if None in theirs else theirs[0] - theirs[1],
                "superiority": superiority[first, second],
                "verdict": words.get((first, second), ""),
            }
        )
    return rows
