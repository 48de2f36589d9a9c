"""Plots of the loop: what was learnt, against games and against seconds."""

from pathlib import Path

from pipeline.plots import Panel, draw_curves
from pipeline.training import History


def draw_learning(history: History, opponents: tuple[str, ...], folder: Path) -> None:
    """Draw `curve.svg` (against games) and `curve_seconds.svg` (against seconds of this machine)."""
    wins = {f"won against {name}": f"against {name}" for name in opponents}
    wins |= {"won against the previous": "against the previous version"}
    elo = {"Elo": "the network"} | {f"Elo of {name}": name for name in opponents[1:]}
    panels = [
        Panel(f"Elo above {opponents[0]}", elo),
        Panel("Games won", wins, percent=True),
        Panel("Loss", {"policy loss": "policy", "value error": "value, squared error"}),
        Panel("Moves of a game", {"length": "length"}),
    ]
    for unit, name in (("games", "curve"), ("seconds", "curve_seconds")):
        draw_curves(folder / f"{name}.svg", {"zero": history}, unit, panels)
