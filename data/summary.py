"""What is in a game store, as Markdown tables."""

from collections import Counter

import numpy as np

from data.fields import ENDINGS, NO_WINNER, UNKNOWN_RANK, rank_name
from data.identity import SPLITS
from data.positions import learnable_moves
from data.store import GameStore
from go.board import BLACK, EMPTY, WHITE

MOST_ROWS = 8  # of a table by komi or year; the rest is one row


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(store: GameStore) -> str:
    """Say what a store holds: how much for what, how long, how they ended."""
    games = store.games
    parts = [games["split"] == number for number in SPLITS.values()]
    positions = [len(learnable_moves(store, number)) for number in SPLITS.values()]
    rows = [
        ["games", *(f"{part.sum():,}" for part in parts), f"{len(games):,}"],
        ["positions to learn from", *(f"{count:,}" for count in positions), f"{sum(positions):,}"],
    ]
    lengths = games["n_moves"]
    low, middle, high = np.percentile(lengths, (5, 50, 95))
    shares = Counter(games["winner"].tolist())
    percent = {winner: 100 * shares[winner] / len(games) for winner in (BLACK, WHITE, EMPTY, NO_WINNER)}
    return "\n".join(
        [
            table([f"{store.size}x{store.size}", *SPLITS, "all"], rows),
            "",
            f"Moves a game: {lengths.mean():.1f} on average, median {middle:.0f}, 90% from {low:.0f} to {high:.0f}. "
            f"Handicap games: {100 * (games['handicap'] > 0).mean():.1f}%.",
            f"Black won {percent[BLACK]:.1f}%, white {percent[WHITE]:.1f}%, drawn {percent[EMPTY]:.1f}%, "
            f"not known {percent[NO_WINNER]:.1f}%.",
        ]
    )


def results_by_komi(store: GameStore) -> str:
    """Tell who won, by komi, the most frequent first."""
    komi = np.where(np.isfinite(store.games["komi"]), store.games["komi"], np.inf)
    counts = Counter(komi.tolist()).most_common()
    rows = [_results(store, f"{k:g}" if np.isfinite(k) else "not known", komi == k) for k, _ in counts[:MOST_ROWS]]
    if len(counts) > MOST_ROWS:
        others = np.isin(komi, [k for k, _ in counts[MOST_ROWS:]])
        rows.append(_results(store, f"{len(counts) - MOST_ROWS} others", others))
    return table(["komi", "games", "black won", "white won", "drawn", "not known"], rows)


def _results(store: GameStore, name: str, chosen: np.ndarray) -> list[str]:
    winners = store.games["winner"][chosen]
    shares = (100 * (winners == winner).mean() for winner in (BLACK, WHITE, EMPTY, NO_WINNER))
    return [name, f"{len(winners):,}", *(f"{share:.1f}%" for share in shares)]


def endings(store: GameStore) -> str:
    counts = Counter(store.games["ending"].tolist())
    rows = [[ENDINGS[how], f"{count:,}", f"{100 * count / len(store):.1f}%"] for how, count in counts.most_common()]
    return table(["ended by", "games", "share"], rows)


def handicaps(store: GameStore) -> str:
    counts = sorted(Counter(store.games["handicap"].tolist()).items())
    rows = [[str(stones), f"{count:,}", f"{100 * count / len(store):.1f}%"] for stones, count in counts]
    return table(["handicap", "games", "share"], rows)


def rank_groups(ranks: np.ndarray) -> list[tuple[str, int]]:
    """Count players by rank, from the weakest; ratings are grouped by hundreds."""
    known = ranks[ranks != UNKNOWN_RANK].astype(int)
    grouped = np.where(known >= 100, known // 100 * 100, known)
    names = [(f"{r}s" if r >= 100 else rank_name(r), count) for r, count in sorted(Counter(grouped.tolist()).items())]
    unknown = int((ranks == UNKNOWN_RANK).sum())
    return names + ([("not known", unknown)] if unknown else [])


def rank_table(store: GameStore) -> str:
    """Count the players on both sides by rank."""
    black, white = (dict(rank_groups(store.games["ranks"][:, side])) for side in (0, 1))
    order = [name for name, _ in rank_groups(store.games["ranks"].reshape(-1))]
    return table(["rank", "black", "white"], [[n, f"{black.get(n, 0):,}", f"{white.get(n, 0):,}"] for n in order])


def years(store: GameStore) -> str:
    counts = sorted(Counter(store.games["year"].tolist()).items())
    return table(["year", "games"], [[str(year) if year else "not known", f"{count:,}"] for year, count in counts])
