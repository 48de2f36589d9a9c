"""What a network learnt, drawn: accuracy and log-loss as it went, and accuracy by the number of the move."""

from pathlib import Path
from typing import Any

from matplotlib.ticker import PercentFormatter

from pipeline.plots import ACCENT, Panel, draw_curves, figure
from pipeline.training import History

PAPER_SIZE = 19
# What others reached on 19x19: the share of moves found on held-out games, each on its own.
MILESTONES = {"Coulom 2007: 34.9%": 0.349, "Clark & Storkey 2014: 44.4%": 0.444, "Silver et al. 2016: 55.4%": 0.554}
FIRST_FIVE = "#c6dbef"


def draw_learning(history: History, size: int, path: Path) -> None:
    """Draw accuracy and log-loss against positions seen, on validation games and on the batches learnt from."""
    names = {"top-1": "validation games", "train top-1": "batches learnt from"}
    losses = {"log-loss": "validation games", "train log-loss": "batches learnt from"}
    panels = [
        Panel("Moves found", names, percent=True, lines=MILESTONES if size == PAPER_SIZE else {}),
        Panel("Log-loss of a move", losses),
    ]
    draw_curves(path, {"policy network": history}, "positions", panels)


def draw_by_move_number(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the share of moves found in each stretch of the game."""
    with figure(path) as made:
        axes = made.subplots()
        places = [(row["from"] + row["to"]) / 2 for row in rows]
        width = 0.85 * (rows[0]["to"] - rows[0]["from"] + 1)
        axes.bar(places, [row["top5"] for row in rows], width, color=FIRST_FIVE, label="among the first five")
        axes.bar(places, [row["top1"] for row in rows], width, color=ACCENT, label="the first")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.set(title="Expert moves that are...", xlabel="number of the move", ylim=(0, 1))
        made.legend(loc="outside lower center", ncols=2)
