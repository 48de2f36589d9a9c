"""What is in a game store, in numbers: counted for plots, and as Markdown tables that a terminal shows well, too."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from data.fields import ENDINGS, LOWEST_RATING, NO_WINNER, UNKNOWN_RANK, rank_name
from data.identity import SPLITS
from data.positions import is_learnt
from data.replay import POINT_MASK
from data.store import FLAWS, GameStore
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, POINTS, gtp_from_point, point_from_rowcol, symmetry_table
from go.position import Position
from pipeline.tables import table

MOST_ROWS = 8  # of a table by komi or first move; the rest is one row
MOST_YEARS = 25  # in a table; more of them are counted by decade
MOST_HANDICAP = 9  # counted by itself; headers claim up to 999
BLOCK = 10_000  # games whose moves are in memory at once
OUTCOMES = {"black won": BLACK, "white won": WHITE, "drawn": EMPTY, "not known": NO_WINNER}
NOT_KNOWN = "not known"


class Group(NamedTuple):
    """Games that belong together: what they share, and which they are, as a mask over all games."""

    name: str
    games: np.ndarray


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def group_table(what: str, groups: list[Group]) -> str:
    """Count the games of each group, and their share of all."""
    rows = [[name, f"{games.sum():,}", percent(games.sum(), len(games))] for name, games in groups]
    return table([what, "games", "share"], rows)


def summary(store: GameStore) -> str:
    """Say what a store holds: how much for what, how long, how they ended."""
    games = store.games
    counts = np.bincount(games["split"], minlength=len(SPLITS)).tolist()
    positions = positions_by_split(store)
    rows = [
        ["games", *(f"{count:,}" for count in counts), f"{len(games):,}"],
        ["positions to learn from", *(f"{count:,}" for count in positions), f"{sum(positions):,}"],
    ]
    lengths = games["n_moves"]
    low, middle, high = np.percentile(lengths, (5, 50, 95))
    shares = {name: percent((games["winner"] == winner).sum(), len(games)) for name, winner in OUTCOMES.items()}
    return "\n".join(
        [
            table([f"{store.size}x{store.size}", *SPLITS, "all"], rows),
            "",
            f"Moves a game: {lengths.mean():.1f} on average, median {middle:.0f}, 90% from {low:.0f} to {high:.0f}. "
            f"Handicap games: {percent((games['handicap'] > 0).sum(), len(games))}.",
            f"Black won {shares['black won']}, white {shares['white won']}, drawn {shares['drawn']}, "
            f"not known {shares['not known']}.",
        ]
    )


def _blocks(store: GameStore) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Go through the store some games at a time; return the games and their moves one after another."""
    for start in range(0, len(store), BLOCK):
        games = store.games[start : start + BLOCK]
        first, last = games[0], games[-1]
        yield games, store.moves[first["first_move"] : last["first_move"] + last["n_moves"]]


def positions_by_split(store: GameStore) -> list[int]:
    """Count what `positions.learnable_moves` finds in each split, without holding it all in memory."""
    counts = np.zeros(len(SPLITS), np.int64)
    for games, codes in _blocks(store):
        splits = np.repeat(games["split"], games["n_moves"])
        counts += np.bincount(splits[is_learnt(games, codes)], minlength=len(SPLITS))
    return counts.tolist()


def length_table(store: GameStore) -> str:
    """Tell how long the games are, passes counted."""
    lengths = store.games["n_moves"]
    marks = {"shortest": 0, "5%": 5, "25%": 25, "median": 50, "75%": 75, "95%": 95, "longest": 100}
    values = np.percentile(lengths, list(marks.values()), method="inverted_cdf")
    row = ["moves", *(f"{value:,}" for value in values), f"{lengths.mean():.1f}", f"{len(store.moves):,}"]
    return table(["length", *marks, "mean", "all games"], [row])


def komi_groups(store: GameStore) -> list[Group]:
    """Part the games by komi, the most frequent first; rare ones are one group."""
    komi = store.games["komi"] + np.float32(0)  # without a minus before zero
    values, counts = np.unique(komi[np.isfinite(komi)], return_counts=True)
    values = values[np.argsort(-counts, kind="stable")]
    shown = values if len(values) == MOST_ROWS + 1 else values[:MOST_ROWS]
    groups = [Group(f"{value:g}", komi == value) for value in shown]
    rare = values[len(shown) :]
    if len(rare):
        groups.append(Group(f"{len(rare)} others", np.isin(komi, rare)))
    if not np.isfinite(komi).all():
        groups.append(Group(NOT_KNOWN, ~np.isfinite(komi)))
    return groups


def outcome_shares(store: GameStore, groups: list[Group]) -> np.ndarray:
    """Return the share of each outcome, in the order of OUTCOMES, in each group."""
    winners = store.games["winner"]
    return np.array([[(winners[games] == winner).mean() for winner in OUTCOMES.values()] for _, games in groups])


def results_by_komi(store: GameStore) -> str:
    """Tell who won, by komi; with little komi there is often a handicap, and so the table says how often."""
    groups = komi_groups(store)
    handicap = store.games["handicap"] > 0
    rows = [
        [name, f"{games.sum():,}", *(f"{100 * share:.1f}%" for share in shares), f"{100 * handicap[games].mean():.1f}%"]
        for (name, games), shares in zip(groups, outcome_shares(store, groups), strict=True)
    ]
    return table(["komi", "games", *OUTCOMES, "with handicap"], rows)


def ending_groups(store: GameStore) -> list[Group]:
    groups = [Group(name, store.games["ending"] == how) for how, name in ENDINGS.items()]
    return sorted((group for group in groups if group.games.any()), key=lambda group: -group.games.sum())


def handicap_groups(store: GameStore) -> list[Group]:
    """Part the games by their handicap stones."""
    stones = store.games["handicap"]
    groups = [Group(str(n) if n else "none", stones == n) for n in range(MOST_HANDICAP + 1)]
    groups.append(Group(f"{MOST_HANDICAP + 1}+", stones > MOST_HANDICAP))
    return [group for group in groups if group.games.any()]


def cut_groups(store: GameStore) -> list[Group]:
    """Part the games by whether they are there to their end."""
    groups = [Group(f"cut off: {flaw}" if flaw else "whole", store.games["flaw"] == n) for n, flaw in enumerate(FLAWS)]
    return [group for group in groups if group.games.any() or group.name == "whole"]


def learning_groups(store: GameStore) -> list[Group]:
    """Part the games by whose moves are learnt."""
    sides = {"both sides": BLACK + WHITE, "black only": BLACK, "white only": WHITE, "neither": 0}
    groups = [Group(name, store.games["learn"] == learn) for name, learn in sides.items()]
    return [group for group in groups if group.games.any()]


def rank_counts(ranks: np.ndarray) -> dict[int, int]:
    """Count players by rank, from the weakest; a rating counts at its hundred."""
    known = ranks[ranks != UNKNOWN_RANK].astype(int)
    grouped = np.where(known >= LOWEST_RATING, known // 100 * 100, known)
    return dict(zip(*(part.tolist() for part in np.unique(grouped, return_counts=True)), strict=True))


def rank_table(store: GameStore) -> str:
    """Count the players on both sides by rank."""
    ranks = store.games["ranks"]
    black, white = rank_counts(ranks[:, 0]), rank_counts(ranks[:, 1])
    rows = [
        [f"{r} to {r + 99}" if r >= LOWEST_RATING else rank_name(r), f"{black.get(r, 0):,}", f"{white.get(r, 0):,}"]
        for r in sorted(black | white)
    ]
    unknown = (ranks == UNKNOWN_RANK).sum(axis=0)
    if unknown.any():
        rows.append([NOT_KNOWN, *(f"{count:,}" for count in unknown)])
    return table(["rank", "black", "white"], rows)


def year_groups(store: GameStore) -> list[Group]:
    """Part the games by year, or by decade if there are many years."""
    years = store.games["year"]
    known = np.unique(years[years > 0])
    if len(known) > MOST_YEARS:
        groups = [Group(f"{d} to {d + 9}", years // 10 * 10 == d) for d in np.unique(known // 10 * 10)]
    else:
        groups = [Group(str(year), years == year) for year in known]
    return groups + ([Group(NOT_KNOWN, years == 0)] if (years == 0).any() else [])


def first_moves(store: GameStore, folded: bool) -> np.ndarray:
    """Count by row and column where the first stone was played on the empty board, handicap games left out.

    Folded, the eight images of a point count as one, which is the one in the upper right corner, below the diagonal:
    there custom has black begin.
    """
    games, size = store.games, store.size
    is_empty = (games["handicap"] == 0) & (games["n_moves"] > 0)
    edited = np.flatnonzero(games["n_setup"])
    is_empty[edited] &= store.setup[games["first_setup"][edited], 0] > 0  # set up in the midst of the game
    points = store.moves[games["first_move"][is_empty]] & POINT_MASK
    points = points[points != PASS]
    if folded:
        points = _folding(size)[points]
    return Position(size).by_row_and_column(np.bincount(points, minlength=POINTS))


def _folding(size: int) -> np.ndarray:
    """Return for each point its one image in the upper right octant of the board."""
    images = symmetry_table(size)
    folding = np.zeros(POINTS, np.int64)
    for row in range(size):
        for column in range(size):
            if 2 * column - (size - 1) >= (size - 1) - 2 * row >= 0:
                point = point_from_rowcol(row, column, size)
                folding[images[:, point]] = point
    return folding


def first_move_table(store: GameStore) -> str:
    """Count the most frequent first moves, the eight images of a point as one."""
    counts = first_moves(store, folded=True)
    order = np.argsort(-counts, axis=None, kind="stable")[: np.count_nonzero(counts)]
    shown = order if len(order) == MOST_ROWS + 1 else order[:MOST_ROWS]
    rows = []
    for row, column in zip(*np.unravel_index(shown, counts.shape), strict=True):
        name = gtp_from_point(point_from_rowcol(int(row), int(column), store.size), store.size)
        rows.append([name, f"{counts[row, column]:,}", percent(counts[row, column], counts.sum())])
    rest = counts.sum() - counts.reshape(-1)[shown].sum()
    if rest:
        rows.append([f"{len(order) - len(shown)} others", f"{rest:,}", percent(rest, counts.sum())])
    others = len(store) - counts.sum()
    note = f"\n\nLeft out: {others:,} games that begin with handicap or set-up stones or with a pass." if others else ""
    return table(["first move", "games", "share"], rows) + note
