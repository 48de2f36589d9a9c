"""Where a network is wrong: a sheet of positions with the expert's move and the network's probabilities."""

from pathlib import Path

import numpy as np

from data.positions import positions_at
from data.store import GameStore
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.draw import board_width, percentages
from go.panels import Panel, sheet_svg
from nets.actions import points_of
from nets.network import Network
from pipeline.artefact import write_atomic

COLUMNS, ROWS = 4, 3
OPENING = 8  # first moves to leave out: many moves are good there, so a miss says little
SHOWN = 0.02  # least probability of a move that carries a number


def mistakes(records: np.ndarray, most: int) -> np.ndarray:
    """Choose `most` mistakes, evenly spread from the least probable expert move to the most; no opening moves."""
    wrong = records[(records["equal"] > 0) & (records["better"] > 0) & (records["ply"] >= OPENING)]
    ranked = wrong[np.argsort(wrong["log_p"], kind="stable")]
    return ranked[np.linspace(0, len(ranked) - 1, min(most, len(ranked))).astype(int)] if len(ranked) else ranked


def draw_mistakes(
    network: Network, store: GameStore, records: np.ndarray, path: Path, symmetries: tuple[int, ...] = (0,)
) -> None:
    """Draw mistakes as one SVG, the least probable expert moves first. `symmetries` are those of the records."""
    panels = [_panel(network, store, record, symmetries) for record in mistakes(records, COLUMNS * ROWS)]
    title = "Where the network is wrong, from the most surprising mistake to the least"
    legend = "Square: the expert's move. Red and numbers: the network's probabilities in percent. Ring: the last move."
    write_atomic(path, sheet_svg(title, [legend], panels, board_width(store.size), columns=COLUMNS))


def _panel(network: Network, store: GameStore, record: np.ndarray, symmetries: tuple[int, ...]) -> Panel:
    """Draw one position with the expert's move and the network's."""
    found = positions_at(store, np.array([record["index"]]), np.zeros(1, np.int64))
    game, ply, expert = int(found.games[0]), int(found.plies[0]), int(found.moves[0])
    position = store.position(game, ply)
    chances = network.of_store(store, found, symmetries)[0]
    heat = chances.reshape(store.size, store.size)
    first = int(points_of(store.size)[chances.argmax()])
    labels = {point: text for point, text in percentages(heat).items() if int(text) >= 100 * SHOWN}
    labels.pop(expert, None)
    title = (
        f"Move {ply + 1}, {COLOR_NAMES[position.to_move]}: {gtp_from_point(expert, store.size)} "
        f"{100 * np.exp(record['log_p']):.1f}%, network {gtp_from_point(first, store.size)} {100 * chances.max():.0f}%"
    )
    return Panel(title, position.to_svg(heat=heat, labels=labels, marks={expert: "square"}))
