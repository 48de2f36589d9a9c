"""Plots of samples and of what the value network has learnt."""

from pathlib import Path

import numpy as np

from pipeline.plots import ACCENT, INK, figure


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
