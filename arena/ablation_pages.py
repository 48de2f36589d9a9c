"""The results of a part for people: a Markdown page, CSV files, and a plot with error bars, the paper's beside ours."""

import csv
import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arena.ablation_results import answer, comparisons, paper_elo, reference_of
from arena.ablation_tables import ELO, Part
from arena.rating_tables import shortened
from arena.scores import failures_table
from pipeline.artefact import write_atomic
from pipeline.plots import ACCENT, COLORS, INK, figure
from pipeline.tables import table

PAPER_COLOR = COLORS[1]
TITLE_WIDTH = 84  # characters of a line
CAPS, BARS = {"elinewidth": 1.0, "capsize": 4}, {"elinewidth": 6.0, "capsize": 0, "alpha": 0.35}
PAIR_COLUMNS = (
    *("first", "second", "games", "points", "won", "won_low", "won_high", "won_boot_low", "won_boot_high"),
    *("paper_won", "paper_won_low", "paper_won_high", "elo", "paper_elo", "superiority", "verdict"),
)


class Made(NamedTuple):
    """How a part was played, for its page."""

    command: str
    terms: str  # what all games have in common
    code: str
    weights: dict[str, list[str]]  # fingerprints by kind


def rows_of(part: Part, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each player: ours, and the paper's figures."""
    measured = {row["player"]: row for row in found["rows"]}
    return [
        measured[row.name]
        | {"against": row.against, "place": row.place, "paper": row.paper, "paper_elo": paper_elo(part, row.name)}
        for row in part.rows
    ]


def main_table(part: Part, found: dict[str, Any]) -> str:
    """Return the table of a part: one line for each player, our figures next to the paper's."""
    lines, has_paper = [], any(row.paper is not None for row in part.rows)
    for row in rows_of(part, found):
        interval, boot = _interval(row, "low", "high"), _interval(row, "bootstrap_low", "bootstrap_high")
        rating = [_signed(row["elo"]), interval, boot]
        games = f"{row['games']:,}"
        if part.figure == ELO:
            theirs = [_signed(row["paper_elo"]), _number(row["paper"], ".0f")] if has_paper else []
            lines.append([row["player"], *rating, *theirs, games, f"{100 * row['won']:.1f}%"])
        else:
            share = [f"{100 * row['won']:.1f}", _percents(row, "won_low"), _percents(row, "won_boot_low")]
            mine = share if row["against"] else ["-", "-", "-"]
            theirs = [_number(row["paper"], ".0f")] if has_paper else []
            lines.append([row["player"], row["against"] or "-", *mine, *theirs, games, *rating])
    if part.figure == ELO:
        zero = reference_of(part, list(part.rows))
        theirs = ["paper, likewise", "paper, its scale"] * has_paper
        header = [f"Elo ({zero} = 0)", "95%", "95%, bootstrap", *theirs, "games", "won"]
        return table(["player", *header], lines)
    header = ["against", "% won", "95%", "95%, bootstrap", *["paper, % won"] * has_paper, "games"]
    return table(["player", *header, "Elo", "95%", "95%, bootstrap"], lines)


def pair_table(part: Part, found: dict[str, Any]) -> str:
    """Return a table of all pairs: who won how much, how likely the first is the stronger, and the verdict."""
    lines, has_paper = [], bool(part.expected())
    for row in comparisons(part, found):
        won = f"{100 * row['won']:.0f} {_percents(row, 'won_low')}" if row["games"] else "-"
        theirs = [_paper_percent(row), _signed(row["elo"]), _signed(row["paper_elo"])]
        sure = f"{100 * row['superiority']:.1f}%"
        shown = [won, *theirs, sure, row["verdict"] or "-"] if has_paper else [won, theirs[1], sure]
        lines.append([row["first"], row["second"], f"{row['games']:,}", *shown])
    ours = ["% won by first [95%]", "paper", "Elo", "paper", "first is stronger", "verdict"]
    header = ours if has_paper else [ours[0], ours[2], ours[4]]
    return table(["first", "second", "games", *header], lines)


def time_table(found: dict[str, Any]) -> str:
    """Return how long the players thought about their moves."""
    rows = [[row["player"], f"{row['seconds']:.3f}", f"{row['slowest']:.2f}"] for row in found["rows"]]
    return table(["player", "seconds a move", "slowest"], rows)


def page(part: Part, found: dict[str, Any], made: Made, picture: str) -> str:
    """Return the page of a part. It can be committed as it is, with its picture beside it."""
    remarks = [
        f"The paper's figures: {part.source}.",
        *part.remarks,
        f"Decided means a likelihood of superiority of at least 95%. The first move is worth "
        f"{', '.join(map(_signed, found['first move']))} Elo.",
        failures_table(found["failures"]) if not found["failures"] else "Players failed, see below.",
    ]
    if found["stopped"]:
        remarks.append(f"Stopped at the move limit, and counted as draws: {found['stopped']:,} games.")
    weights = "; ".join(f"{kind} {', '.join(prints)}" for kind, prints in made.weights.items()) or "none"
    parts = [
        f"# {part.title}",
        f"{part.question}",
        f"**{answer(part, found)}**",
        f"![{part.title}]({picture})",
        main_table(part, found),
        pair_table(part, found),
        "\n".join(f"- {remark}" for remark in remarks),
        *([failures_table(found["failures"])] if found["failures"] else []),
        "## How it was made",
        f"    {made.command}",
        f"{found['games']:,} games. {made.terms}",
        time_table(found),
        f"Version {made.code}. Fingerprints of the weights: {weights}.",
    ]
    return "\n\n".join(parts)


def rows_csv(rows: Sequence[dict[str, Any]], columns: Sequence[str] = ()) -> str:
    """Return rows as CSV; numbers that there are none of are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns or list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_part(part: Part, found: dict[str, Any], made: Made, folder: Path, stem: str) -> None:
    """Write a part to a folder: `stem`.md, .csv and .svg, and a CSV file of the pairs."""
    draw(part, found, folder / f"{stem}.svg")
    write_atomic(folder / f"{stem}.csv", rows_csv(rows_of(part, found)))
    write_atomic(folder / f"{stem}_pairs.csv", rows_csv(comparisons(part, found), PAIR_COLUMNS))
    write_atomic(folder / f"{stem}.md", page(part, found, made, f"{stem}.svg") + "\n")


def draw(part: Part, found: dict[str, Any], path: Path) -> None:
    """Draw the figures of a part with both 95% intervals, and the paper's beside them."""
    rows = [row for row in rows_of(part, found) if part.figure == ELO or row["against"]]
    is_line = all(row["place"] is not None for row in rows)
    along = [row["place"] for row in rows] if is_line and part.is_scale else list(range(len(rows)))
    values, from_model, from_bootstrap, paper = _drawn(part, rows)
    with figure(path, height=4.2 if is_line else 1.9 + 0.36 * len(rows)) as made:
        axes = made.subplots()
        for interval, look, label in (
            (from_model, CAPS, "ours, 95%"),
            (from_bootstrap, BARS, "ours, 95% by bootstrap"),
        ):
            bars: dict[str, Any] = {"fmt": "o-" if is_line and look is CAPS else "o", "markersize": 5, **look}
            bars["yerr" if is_line else "xerr"] = np.maximum([values - interval[0], interval[1] - values], 0)
            across, up = (along, values) if is_line else (values, along)
            axes.errorbar(across, up, color=ACCENT, label=label, **bars)
        known = [(place, value) for place, value in zip(along, paper, strict=True) if value is not None]
        if known:
            points = known if is_line else [(value, place) for place, value in known]
            axes.plot(
                *zip(*points, strict=True),
                "s--" if is_line else "s",
                color=PAPER_COLOR,
                markersize=6,
                fillstyle="none",
                label="paper, 19x19",
            )
        _draw_axes(axes, part, rows, along, is_line)
        made.legend(loc="outside lower center", ncols=3)


def _drawn(part: Part, rows: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[float | None]]:
    """Return what to draw of each row: the value, the ends of both intervals, and the paper's figure."""
    scale, paper = (1, "paper_elo") if part.figure == ELO else (100, "paper")
    names = ("elo", "low", "high", "bootstrap_low", "bootstrap_high")
    if part.figure != ELO:
        names = ("won", "won_low", "won_high", "won_boot_low", "won_boot_high")
    numbers = np.array([[np.nan if row[name] is None else scale * row[name] for name in names] for row in rows]).T
    return numbers[0], numbers[1:3], numbers[3:5], [row[paper] for row in rows]


def _draw_axes(axes: Any, part: Part, rows: list[dict[str, Any]], along: list[float], is_line: bool) -> None:
    label = f"Elo above {shortened(reference_of(part, list(part.rows)))}" if part.figure == ELO else "% of games won"
    even = 0 if part.figure == ELO else 50
    axes.set_title(textwrap.fill(part.title, TITLE_WIDTH), fontsize=11)
    if not is_line:
        axes.set_yticks(along, [shortened(row["player"]) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.axvline(even, color=INK, linestyle=(0, (1, 2)), linewidth=1.2)
        return
    axes.set(xlabel=part.axis, ylabel=label)
    axes.axhline(even, color=INK, linestyle=(0, (1, 2)), linewidth=1.2)
    if not part.is_scale:
        axes.set_xticks(along, [f"{row['place']:g}" for row in rows])
    if part.chosen is not None:
        at = next(place for place, row in zip(along, rows, strict=True) if row["place"] == part.chosen)
        axes.axvline(at, color=PAPER_COLOR, linestyle=(0, (1, 2)), linewidth=1.2)
        beside = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "color": PAPER_COLOR}
        axes.annotate("chosen in the paper", (at, 0.03), (5, 0), fontsize=8.5, **beside)


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{round(value):+d}"


def _interval(row: dict[str, Any], low: str, high: str) -> str:
    return "-" if row[low] is None else f"[{_signed(row[low])}; {_signed(row[high])}]"


def _percents(row: dict[str, Any], low: str) -> str:
    high = row[low.replace("low", "high")]
    return "-" if row[low] is None else f"[{100 * row[low]:.0f};{100 * high:.0f}]"


def _paper_percent(row: dict[str, Any]) -> str:
    if row["paper_won"] is None:
        return "-"
    low, high = row["paper_won_low"], row["paper_won_high"]
    return f"{row['paper_won']}" if low is None else f"{row['paper_won']} [{low};{high}]"
