"""Statistics of a game store: counts for plots, and Markdown tables that are also readable in a terminal."""

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

MOST_ROWS = 8  # of a table by komi or first move; one more row sums up the rest
MOST_YEARS = 25  # rows of a table; if there are more years, rows are decades
MOST_HANDICAP = 9  # largest handicap with its own row; headers claim up to 999
BLOCK = 10_000  # games in memory at once
OUTCOMES = {"black won": BLACK, "white won": WHITE, "drawn": EMPTY, "not known": NO_WINNER}
NOT_KNOWN = "not known"


class Group(NamedTuple):
    """A group of games: its name, and a mask over all games."""

    name: str
    games: np.ndarray


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def group_table(what: str, groups: list[Group]) -> str:
    """Return a table of the number and share of games in each group."""
    rows = [[name, f"{games.sum():,}", percent(games.sum(), len(games))] for name, games in groups]
    return table([what, "games", "share"], rows)


def summary(store: GameStore) -> str:
    """Return an overview of a store: games and positions per split, game lengths, and outcomes."""
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
    """Iterate over the store in blocks of games. Yield the games of a block and their concatenated moves."""
    for start in range(0, len(store), BLOCK):
        games = store.games[start : start + BLOCK]
        first, last = games[0], games[-1]
        yield games, store.moves[first["first_move"] : last["first_move"] + last["n_moves"]]


def positions_by_split(store: GameStore) -> list[int]:
    """Return the number of `positions.learnable_moves` in each split, with bounded memory."""
    counts = np.zeros(len(SPLITS), np.int64)
    for games, codes in _blocks(store):
        splits = np.repeat(games["split"], games["n_moves"])
        counts += np.bincount(splits[is_learnt(games, codes)], minlength=len(SPLITS))
    return counts.tolist()


def length_table(store: GameStore) -> str:
    """Return a table of game lengths, including passes."""
    lengths = store.games["n_moves"]
    marks = {"shortest": 0, "5%": 5, "25%": 25, "median": 50, "75%": 75, "95%": 95, "longest": 100}
    values = np.percentile(lengths, list(marks.values()), method="inverted_cdf")
    row = ["moves", *(f"{value:,}" for value in values), f"{lengths.mean():.1f}", f"{len(store.moves):,}"]
    return table(["length", *marks, "mean", "all games"], [row])


def komi_groups(store: GameStore) -> list[Group]:
    """Group the games by komi, the most frequent first. Rare values are one group."""
    komi = store.games["komi"] + np.float32(0)  # -0.0 to 0.0
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
    """Return the share of each outcome in each group, in the order of OUTCOMES."""
    winners = store.games["winner"]
    return np.array([[(winners[games] == winner).mean() for winner in OUTCOMES.values()] for _, games in groups])


def results_by_komi(store: GameStore) -> str:
    """Return a table of outcomes by komi, with the share of handicap games, which often have a small komi."""
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
    """Group the games by number of handicap stones."""
    stones = store.games["handicap"]
    groups = [Group(str(n) if n else "none", stones == n) for n in range(MOST_HANDICAP + 1)]
    groups.append(Group(f"{MOST_HANDICAP + 1}+", stones > MOST_HANDICAP))
    return [group for group in groups if group.games.any()]


def cut_groups(store: GameStore) -> list[Group]:
    """Group the games by whether they are complete, or why they are truncated."""
    groups = [Group(f"cut off: {flaw}" if flaw else "whole", store.games["flaw"] == n) for n, flaw in enumerate(FLAWS)]
    return [group for group in groups if group.games.any() or group.name == "whole"]


def learning_groups(store: GameStore) -> list[Group]:
    """Group the games by the sides to learn from."""
    sides = {"both sides": BLACK + WHITE, "black only": BLACK, "white only": WHITE, "neither": 0}
    groups = [Group(name, store.games["learn"] == learn) for name, learn in sides.items()]
    return [group for group in groups if group.games.any()]


def rank_counts(ranks: np.ndarray) -> dict[int, int]:
    """Count players by rank, weakest first. Ratings are rounded down to a multiple of 100."""
    known = ranks[ranks != UNKNOWN_RANK].astype(int)
    grouped = np.where(known >= LOWEST_RATING, known // 100 * 100, known)
    return dict(zip(*(part.tolist() for part in np.unique(grouped, return_counts=True)), strict=True))


def rank_table(store: GameStore) -> str:
    """Return a table of the number of black and white players by rank."""
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
    """Group the games by year, or by decade if there are many years."""
    years = store.games["year"]
    known = np.unique(years[years > 0])
    if len(known) > MOST_YEARS:
        groups = [Group(f"{d} to {d + 9}", years // 10 * 10 == d) for d in np.unique(known // 10 * 10)]
    else:
        groups = [Group(str(year), years == year) for year in known]
    return groups + ([Group(NOT_KNOWN, years == 0)] if (years == 0).any() else [])


def first_moves(store: GameStore, folded: bool) -> np.ndarray:
    """Return the number of first moves on each point, by row and column, of games that start with an empty board.

    If `folded`, the eight images of a point are counted as one: the image in the upper right corner below the diagonal,
    where Black begins by custom.
    """
    games, size = store.games, store.size
    is_empty = (games["handicap"] == 0) & (games["n_moves"] > 0)
    edited = np.flatnonzero(games["n_setup"])
    is_empty[edited] &= store.setup[games["first_setup"][edited], 0] > 0  # a set-up later in the game is allowed
    points = store.moves[games["first_move"][is_empty]] & POINT_MASK
    points = points[points != PASS]
    if folded:
        points = _folding(size)[points]
    return Position(size).by_row_and_column(np.bincount(points, minlength=POINTS))


def _folding(size: int) -> np.ndarray:
    """Return the image of each point in the upper right octant of the board."""
    images = symmetry_table(size)
    folding = np.zeros(POINTS, np.int64)
    for row in range(size):
        for column in range(size):
            if 2 * column - (size - 1) >= (size - 1) - 2 * row >= 0:
                point = point_from_rowcol(row, column, size)
                folding[images[:, point]] = point
    return folding


def first_move_table(store: GameStore) -> str:
    """Return a table of the most frequent first moves. The eight images of a point are counted as one."""
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
