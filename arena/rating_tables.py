"""Ratings for people: a Markdown table, CSV, the matrix of superiority, and a plot with error bars."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from arena.player_text import split_players
from arena.ratings import Ratings
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.plots import ACCENT, INK, figure
from pipeline.tables import table

USUAL_ANCHORS = {"gnugo": 1800.0}  # GNU Go 3.8 at level 10, as on CGOS for 9x9
COLUMNS = ("player", "elo", "low", "high", "bootstrap_low", "bootstrap_high", "games", "points")


def read_anchors(text: str) -> dict[str, float]:
    """Read anchors such as `gnugo=1800,uct=1500`. The name of a player may contain an equals sign."""
    anchors = {}
    for part in split_players(text):
        name, _, value = part.rpartition("=")
        try:
            anchors[name.strip()] = float(value)
        except ValueError as error:
            raise UserError(f"anchor={text} is not written as player=rating, with commas between.") from error
    return anchors


def anchors_for(text: str, names: list[str]) -> dict[str, float]:
    """Return the anchors that a setting asks for; if it is empty, GNU Go where it takes part."""
    wanted = read_anchors(text)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise UserError(f"The anchor {missing[0]!r} has no games; there are games of {', '.join(names)}.")
    return wanted or {name: value for name, value in USUAL_ANCHORS.items() if name in names}


def rating_rows(ratings: Ratings) -> list[dict[str, Any]]:
    """Return the ratings as plain data, best first."""
    numbers = (ratings.elo, ratings.low, ratings.high, ratings.boot_low, ratings.boot_high)
    return [
        dict(
            zip(
                COLUMNS,
                (name, *(None if np.isnan(part[i]) else round(float(part[i]), 1) for part in numbers), games, points),
                strict=True,
            )
        )
        for i, (name, games, points) in enumerate(
            zip(ratings.names, ratings.games.astype(int).tolist(), ratings.scores.tolist(), strict=True)
        )
    ]


def rating_table(ratings: Ratings) -> str:
    """Return the ratings as a Markdown table."""
    rows = []
    for row in rating_rows(ratings):
        boot = "-" if row["bootstrap_low"] is None else f"[{row['bootstrap_low']:.0f}; {row['bootstrap_high']:.0f}]"
        shown = f"{row['elo']:.0f}", f"[{row['low']:.0f}; {row['high']:.0f}]", boot
        rows.append([row["player"], *shown, f"{row['games']:,}", f"{100 * row['points'] / row['games']:.1f}%"])
    return table(["player", "Elo", "95%", "95%, bootstrap", "games", "won"], rows)


def remarks(ratings: Ratings) -> str:
    """Say what the ratings are relative to, what the first move is worth, and which ratings cannot be compared."""
    held = ", ".join(f"{name} = {value:g}" for name, value in ratings.anchors.items())
    lines = [
        f"Anchor: {held}." if held else "No anchor: the mean of all players is 0.",
        f"The first move is worth {ratings.first_move:+.0f} ± {ratings.first_move_error:.0f} points.",
    ]
    sure = [n for n, won, games in zip(ratings.names, ratings.scores, ratings.games, strict=True) if won in (0, games)]
    if sure:
        lines.append(f"Won all games or none, so that only the prior bounds their ratings: {', '.join(sure)}.")
    if len(ratings.groups) > 1:
        parts = "; ".join(", ".join(group) for group in ratings.groups)
        lines.append(f"Not connected by games, so ratings between these groups mean nothing: {parts}.")
    return " ".join(lines)


def superiority_table(ratings: Ratings) -> str:
    """Return the probability, in percent, that the player of the row is stronger than that of the column."""
    rows = [
        [name, *("-" if i == j else f"{100 * value:.1f}" for j, value in enumerate(ratings.superiority[i]))]
        for i, name in enumerate(ratings.names)
    ]
    return table(["% row stronger", *ratings.names], rows, numbers=False)


def rating_csv(ratings: Ratings) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rating_rows(ratings))
    return text.getvalue()


def draw_ratings(ratings: Ratings, path: Path, title: str = "") -> None:
    """Draw the ratings, best first, with both 95% intervals as bars."""
    n = len(ratings.names)
    with figure(path, height=1.4 + 0.34 * n) as made:
        axes = made.subplots()
        places = np.arange(n)
        both = [(ratings.low, ratings.high, 0.12, ACCENT, "95% from the covariance")]
        if not np.isnan(ratings.boot_low).any():
            both.append((ratings.boot_low, ratings.boot_high, -0.12, INK, "95% from the bootstrap"))
        for low, high, shift, color, label in both:
            widths = np.maximum(np.stack([ratings.elo - low, high - ratings.elo]), 0)
            axes.errorbar(
                ratings.elo, places - shift, xerr=widths, fmt="o", color=color, markersize=4, capsize=3, label=label
            )
        for value in ratings.anchors.values():
            axes.axvline(value, color=INK, linestyle=(0, (1, 2)), linewidth=1.2)
        axes.set_yticks(places, [shortened(name) for name in ratings.names])
        axes.set_ylim(n - 0.4, -0.6)
        axes.set(xlabel="Elo", title=title)
        if len(both) > 1:
            made.legend(loc="outside lower center", ncols=2)


def shortened(name: str, most: int = 40) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def write_ratings(ratings: Ratings, folder: Path, page: str, title: str = "") -> None:
    """Write the ratings to a folder as `elo.md`, `elo.csv` and `elo.svg`."""
    write_atomic(folder / "elo.md", page + "\n")
    write_atomic(folder / "elo.csv", rating_csv(ratings))
    draw_ratings(ratings, folder / "elo.svg", title)
