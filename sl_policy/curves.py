"""Plots of what a network has learnt: learning curves, and accuracy by move number."""

from pathlib import Path
from typing import Any

from matplotlib.ticker import PercentFormatter

from pipeline.plots import ACCENT, Panel, draw_curves, figure
from pipeline.training import History

PAPER_SIZE = 19
# Published top-1 accuracies on 19x19, each on held-out games of its own.
MILESTONES = {"Coulom 2007: 34.9%": 0.349, "Clark & Storkey 2014: 44.4%": 0.444, "Silver et al. 2016: 55.4%": 0.554}
FIRST_FIVE = "#c6dbef"


def draw_learning(history: History, size: int, path: Path) -> None:
    """Plot accuracy and log-loss against positions seen, for the validation set and the training batches."""
    names = {"top-1": "validation games", "train top-1": "batches learnt from"}
    losses = {"log-loss": "validation games", "train log-loss": "batches learnt from"}
    panels = [
        Panel("Moves found", names, percent=True, lines=MILESTONES if size == PAPER_SIZE else {}),
        Panel("Log-loss of a move", losses),
    ]
    draw_curves(path, {"policy network": history}, "positions", panels)


def draw_by_move_number(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot accuracy by move number."""
    with figure(path) as made:
        axes = made.subplots()
        places = [(row["from"] + row["to"]) / 2 for row in rows]
        width = 0.85 * (rows[0]["to"] - rows[0]["from"] + 1)
        axes.bar(places, [row["top5"] for row in rows], width, color=FIRST_FIVE, label="among the first five")
        axes.bar(places, [row["top1"] for row in rows], width, color=ACCENT, label="the first")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.set(title="Expert moves that are...", xlabel="number of the move", ylim=(0, 1))
        made.legend(loc="outside lower center", ncols=2)
