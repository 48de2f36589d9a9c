"""Plots of reinforcement learning."""

from pathlib import Path

from pipeline.plots import Panel, draw_curves
from pipeline.training import History

WON, LOW, HIGH = "won against SL", "won against SL, low", "won against SL, high"
PAPER_SHARE = 0.8  # of games that the paper's RL policy won against its SL policy ("more than 80%")


def draw_learning(history: History, path: Path) -> None:
    """Plot win rates, and what shows whether the policy collapses, against games played."""
    wins = {WON: "against the SL policy", "won against the pool": "against the pool"}
    panels = [
        Panel("Games won", wins, percent=True, lines={"paper, against SL: 80%": PAPER_SHARE}),
        Panel("Nats", {"entropy": "entropy", "KL to the SL policy": "KL to the SL policy"}),
        Panel("Moves of a game", {"length": "length"}),
        Panel("Gradient norm", {"gradient norm": "gradient norm"}),
    ]
    draw_curves(path, {"RL policy": history}, "games", panels)
