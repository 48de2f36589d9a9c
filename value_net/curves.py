"""Plots of samples and of what the value network has learnt."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.ticker import PercentFormatter

from pipeline.plots import ACCENT, COLORS, INK, Panel, draw_curves, figure
from pipeline.training import History

PAPER_ERRORS = {"paper, test: 0.234": 0.234}


def draw_samples(u: np.ndarray, played_anew: np.ndarray, cut: np.ndarray, most_u: int, path: Path) -> None:
    """Plot how often each U was drawn, and how many games were played for it."""
    with figure(path) as made:
        left, right = made.subplots(1, 2)
        numbers = np.arange(1, most_u + 1)
        counts = np.bincount(u, minlength=most_u + 1)[1:]
        left.bar(numbers, counts, 1, color=ACCENT)
        left.axhline(len(u) / most_u, color=INK, linestyle="--")
        left.set(title="Samples", xlabel="U: the position after so many moves")
        games = np.bincount(u, 1 + played_anew + cut, minlength=most_u + 1)[1:]
        right.plot(numbers, games / np.maximum(counts, 1), color=ACCENT)
        right.set(title="Games played for each sample", xlabel="U", ylim=(0, None))


def draw_learning(history: History, path: Path) -> None:
    """Plot the error against positions seen, for the validation set and the training batches."""
    errors = {"MSE": "validation games", "train MSE": "batches learnt from"}
    panels = [
        Panel("Mean squared error", errors, lines=PAPER_ERRORS),
        Panel("Winner predicted", {"winner": "validation games"}, percent=True),
    ]
    draw_curves(path, {"value network": history}, "positions", panels)


def draw_by_move_number(rows: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Plot errors by move number, a curve for each predictor."""
    with figure(path) as made:
        axes = made.subplots()
        for (name, found), color in zip(rows.items(), COLORS * 2, strict=False):
            places = [(row["from"] + row["to"]) / 2 for row in found]
            axes.plot(places, [row["MSE"] for row in found], marker="o", markersize=3, color=color, label=name)
        axes.set(title="Mean squared error", xlabel="number of moves before the position", ylim=(0, None))
        if len(rows) > 1:
            made.legend(loc="outside lower center", ncols=3)


def draw_games(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot the error against the number of games, on a logarithmic axis."""
    with figure(path) as made:
        axes = made.subplots()
        games = [row["games"] for row in rows]
        errors = [row["test MSE"] for row in rows]
        bars = [1.96 * row["standard error"] for row in rows]
        axes.errorbar(games, errors, bars, marker="o", markersize=4, color=ACCENT, label="test games")
        train = [row["train MSE"] for row in rows]
        axes.plot(games, train, marker="o", markersize=4, color=COLORS[1], linestyle="--", label="training games")
        axes.axhline(rows[-1]["constant MSE"], color=INK, linestyle=":", label="a constant")
        axes.set_xscale("log", base=2)
        axes.set_xticks(games, [f"{count:,}" for count in games])
        axes.minorticks_off()
        axes.set(title="Mean squared error", xlabel="games learnt from, one position each", ylim=(0, None))
        made.legend(loc="outside lower center", ncols=3)


def draw_reliability(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot observed against predicted win rates, with 95% intervals."""
    with figure(path, width=5.2, height=4.8) as made:
        axes = made.subplots()
        predicted, observed = ([row[name] for row in rows] for name in ("predicted", "observed"))
        spans = [[row["observed"] - row["low"] for row in rows], [row["high"] - row["observed"] for row in rows]]
        axes.plot([0, 1], [0, 1], color=INK, linestyle=":")
        axes.errorbar(predicted, observed, np.maximum(spans, 0), marker="o", markersize=4, color=ACCENT)
        axes.set(
            title="Games won by the player to move", xlabel="predicted", ylabel="observed", xlim=(0, 1), ylim=(0, 1)
        )
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PercentFormatter(1, decimals=0))
