"""Plots of the contents of a game store, as SVG.

Black and white stand for the players. All colours also differ in brightness, so colour-blind readers can tell them
apart.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from data.fields import LOWEST_RATING, PROFESSIONAL, rank_name
from data.store import GameStore
from data.summary import OUTCOMES, first_moves, handicap_groups, komi_groups, outcome_shares, rank_counts
from go.board import EMPTY
from go.draw import board_svg, percentages
from pipeline.artefact import write_atomic
from pipeline.plots import ACCENT, INK, figure

BLACK_BAR, WHITE_BAR = {"color": "#2b2b2b"}, {"color": "#ffffff"}
OUTCOME_BARS: tuple[dict[str, Any], ...] = (
    BLACK_BAR,
    WHITE_BAR,
    {"color": "#56b4e9"},
    {"color": "#e8e8e8", "hatch": "////"},
)  # in the order of OUTCOMES
BAR: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.6}
BINS = 60  # most bins of a histogram
# Even: with odd widths, odd and even game lengths would make a comb pattern. The largest covers `record.MOST_MOVES`.
BIN_WIDTHS = (2, 4, 10, 20, 40, 100, 200)
MOST_LABELS = 18  # of bars; if there are more bars, only every second or third has a label
RARE = 0.005  # the weakest players, up to this share of all, are counted but not drawn
FEWEST_BARS = 6  # the width is for at least this many, so that a single bar does not fill it
COUNTS = FuncFormatter(lambda value, _: f"{value:,.0f}")
PERCENT = FuncFormatter(lambda value, _: f"{value:.0f}%")
CORNER: dict[str, Any] = {"ha": "right", "va": "bottom"}  # alignment of a note above the upper right corner of a plot


def _count_axis(axes: Axes) -> None:
    """Make the vertical axis start at zero and show whole numbers, with horizontal grid lines only."""
    axes.yaxis.set_major_formatter(COUNTS)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axes.set_ylim(bottom=0)
    axes.grid(visible=False, axis="x")


def _nothing_known(axes: Axes) -> None:
    axes.text(0.5, 0.5, "not known of any game", transform=axes.transAxes, ha="center", color="#777777")
    axes.set(xticks=[], yticks=[])


def draw_lengths(store: GameStore, path: Path) -> None:
    lengths = store.games["n_moves"]
    reach, longest = int(np.percentile(lengths, 99.9, method="higher")), int(lengths.max())
    reach = longest if longest < 1.5 * reach else reach  # ignore a few extremely long games
    width = next(width for width in BIN_WIDTHS if reach < width * BINS)
    first, last = int(lengths.min()) // width * width, (reach // width + 1) * width
    longer = int((lengths >= last).sum())
    median = float(np.median(lengths))
    with figure(path) as made:
        axes = made.add_subplot(title="Length of the games", ylabel="games")
        axes.set_xlabel(f"moves, passes counted ({width} to a bar)")
        axes.hist(lengths, bins=np.arange(first, last + 1, width), color=ACCENT, edgecolor="#ffffff", linewidth=0.4)
        axes.set_xlim(first - width / 2, last + width / 2)
        _count_axis(axes)
        axes.axvline(median, color=INK, linewidth=1, linestyle="--")
        axes.annotate(f"median {median:g}", (median, 1), xycoords=("data", "axes fraction"), va="bottom", ha="center")
        if longer:
            axes.annotate(f"{longer:,} longer, up to {longest:,}", (1, 1), xycoords="axes fraction", **CORNER)


def draw_results(store: GameStore, path: Path) -> None:
    """Draw the share of each outcome by komi."""
    groups = komi_groups(store)
    left = np.zeros(len(groups))
    with figure(path, height=1.7 + 0.3 * len(groups)) as made:
        axes = made.add_subplot(title="Results by komi", xlabel="share of the games", ylabel="komi")
        for name, shares, look in zip(OUTCOMES, 100 * outcome_shares(store, groups).T, OUTCOME_BARS, strict=True):
            axes.barh(range(len(groups)), shares, left=left, height=0.72, label=name, **BAR, **look)
            left += shares
        for row, group in enumerate(groups):
            axes.annotate(f"{group.games.sum():,}", (101, row), va="center", annotation_clip=False)
        axes.annotate("games", (101, -0.8), va="center", annotation_clip=False)
        axes.set_yticks(range(len(groups)), [group.name for group in groups])
        axes.axvline(50, color=ACCENT, linewidth=1.2, linestyle="--")
        axes.set(xlim=(0, 100), ylim=(len(groups) - 0.4, -0.6))
        axes.xaxis.set_major_formatter(PERCENT)
        axes.grid(visible=False)
        axes.tick_params(axis="y", length=0)
        made.legend(loc="outside lower center", ncols=len(OUTCOMES))


def draw_handicaps(store: GameStore, path: Path) -> None:
    """Draw the share of games by number of handicap stones."""
    groups = handicap_groups(store)
    shares = [100 * group.games.mean() for group in groups]
    with figure(path) as made:
        axes = made.add_subplot(title="Handicap", xlabel="handicap stones", ylabel="share of the games")
        _bars(axes, [group.name for group in groups], {"games": shares}, [{"color": ACCENT}])
        for place, (share, group) in enumerate(zip(shares, groups, strict=True)):
            axes.annotate(f"{group.games.sum():,}", (place, share), (0, 3), textcoords="offset points", ha="center")
        axes.yaxis.set_major_formatter(PERCENT)
        axes.set_ylim(0, 1.1 * max(shares))


def draw_ranks(store: GameStore, path: Path) -> None:
    """Draw the number of players of each rank and, if there are ratings, of each interval of 100 rating points."""
    counts = [rank_counts(store.games["ranks"][:, side]) for side in (0, 1)]
    both = Counter(counts[0]) + Counter(counts[1])
    panels = {
        "rank": {rank: both[rank] for rank in sorted(both) if rank < LOWEST_RATING},
        "rating": {rank: both[rank] for rank in sorted(both) if rank >= LOWEST_RATING},
    }
    panels = {what: of_kind for what, of_kind in panels.items() if of_kind} or {"rank": {}}
    with figure(path, height=3.8 * len(panels)) as made:
        for number, (what, of_kind) in enumerate(panels.items(), 1):
            axes = made.add_subplot(len(panels), 1, number, title=f"Players by {what}", xlabel=what, ylabel="games")
            if not of_kind:
                _nothing_known(axes)
                continue
            weakest = _weakest_shown(of_kind)
            shown = _without_gaps([rank for rank in of_kind if rank >= weakest], 1 if what == "rank" else 100)
            sides = ([side.get(rank, 0) for rank in shown] for side in counts)
            names = [rank_name(rank) + ("+" if what == "rating" else "") for rank in shown]
            _bars(axes, names, dict(zip(("black", "white"), sides, strict=True)), [BLACK_BAR, WHITE_BAR])
            axes.legend(loc="best")
            if weaker := sum(count for rank, count in of_kind.items() if rank < weakest):
                axes.annotate(f"{weaker:,} weaker", (1, 1), xycoords="axes fraction", **CORNER)


def _weakest_shown(counts: dict[int, int]) -> int:
    """Return the lowest rank to draw. A few beginners would take too much space."""
    held = np.cumsum(list(counts.values()))
    return list(counts)[int(np.argmax(held > RARE * held[-1]))]


def _without_gaps(ranks: list[int], step: int) -> list[int]:
    """Add the missing ranks between the lowest and highest, separately for amateurs and professionals."""
    parts = [r for r in ranks if r <= PROFESSIONAL], [r for r in ranks if r > PROFESSIONAL]
    return [rank for part in parts if part for rank in range(part[0], part[-1] + step, step)]


def _bars(axes: Axes, names: list[str], sides: dict[str, list[int]], looks: list[dict[str, Any]]) -> None:
    """Draw groups of adjacent bars, one bar per side."""
    width = 0.8 / len(sides)
    for number, (side, heights) in enumerate(sides.items()):
        places = np.arange(len(names)) + (number - (len(sides) - 1) / 2) * width
        axes.bar(places, heights, width, label=side, **BAR, **looks[number])
    step = -(-len(names) // MOST_LABELS)
    axes.set_xticks(range(0, len(names), step), names[::step])
    middle, reach = (len(names) - 1) / 2, max(len(names), FEWEST_BARS) / 2 + 0.1
    axes.set_xlim(middle - reach, middle + reach)
    axes.tick_params(axis="x", length=0)
    _count_axis(axes)


def draw_years(store: GameStore, path: Path) -> None:
    years = store.games["year"]
    known = years[years > 0].astype(int)
    with figure(path) as made:
        axes = made.add_subplot(title="Games by year", xlabel="year", ylabel="games")
        if len(known) == 0:
            _nothing_known(axes)
            return
        first, last = int(known.min()), int(known.max())
        width = next(width for width in (1, 2, 5, 10, 20) if last - first < width * BINS)
        edges = np.arange(first // width * width, last + width + 1, width)
        counts, _ = np.histogram(known, edges)
        axes.bar(edges[:-1] + (width - 1) / 2, counts, 0.8 * width, color=ACCENT)
        middle, reach = (edges[0] + edges[-1] - 1) / 2, max(len(counts), FEWEST_BARS) * width / 2
        axes.set_xlim(middle - reach, middle + reach)
        axes.xaxis.set_major_locator(MaxNLocator(10, integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
        axes.set_xlabel("year" if width == 1 else f"year ({width} to a bar)")
        _count_axis(axes)
        if len(known) < len(years):
            axes.annotate(f"{len(years) - len(known):,} of unknown year", (1, 1), xycoords="axes fraction", **CORNER)


def draw_first_moves(store: GameStore, path: Path, folded: bool) -> None:
    """Draw a board with the share of first moves on each point, for games without handicap."""
    counts = first_moves(store, folded)
    how = "eight images as one" if folded else "as played"
    title = f"First moves, {how}: percent of {counts.sum():,} games"
    board = np.full(counts.shape, EMPTY, np.uint8)
    write_atomic(path, board_svg(board, heat=counts, labels=percentages(counts), title=title))
