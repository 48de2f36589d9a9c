"""Where a network is wrong: a sheet of positions with the expert's move and what the network would rather play."""

import re
from pathlib import Path

import numpy as np

from data.positions import positions_at
from data.store import GameStore
from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.draw import percentages
from nets.actions import points_of
from nets.network import Network
from pipeline.artefact import write_atomic

COLUMNS, ROWS = 4, 3
OPENING = 8  # moves that many ways of playing are good for, which says little of a network
SHOWN = 0.02  # least probability of a move that carries a number
PANEL = 460  # width of a board on the sheet
HEADING = 84
VIEW = re.compile(r'viewBox="([^"]+)" width="([\d.]+)" height="([\d.]+)"')


def mistakes(records: np.ndarray, most: int) -> np.ndarray:
    """Choose mistakes evenly from all, in the order of how much they surprised, but for those of the opening."""
    wrong = records[(records["equal"] > 0) & (records["better"] > 0) & (records["ply"] >= OPENING)]
    ranked = wrong[np.argsort(wrong["log_p"], kind="stable")]
    return ranked[np.linspace(0, len(ranked) - 1, min(most, len(ranked))).astype(int)] if len(ranked) else ranked


def draw_mistakes(
    network: Network, store: GameStore, records: np.ndarray, path: Path, symmetries: tuple[int, ...] = (0,)
) -> None:
    """Draw mistakes from the most surprising to the nearly right, as one SVG; `symmetries` are those of the records."""
    chosen = mistakes(records, COLUMNS * ROWS)
    panels = [_panel(network, store, record, symmetries) for record in chosen]
    width = COLUMNS * PANEL
    parts, height = [], HEADING
    for number, panel in enumerate(panels):
        column = number % COLUMNS
        view = VIEW.search(panel)
        scaled = PANEL * float(view[3]) / float(view[2])
        if column == 0:
            top, height = height, height + scaled
        inner = panel[panel.index(">") + 1 : panel.rindex("</svg>")]
        place = f'x="{column * PANEL}" y="{top:g}" width="{PANEL}" height="{scaled:g}"'
        parts.append(f'<svg {place} viewBox="{view[1]}">{inner}</svg>')
    lines = [
        "Where the network is wrong, from the most surprising mistake to the least",
        "Square: the expert's move. Red and numbers: the network's probabilities in percent. Ring: the last move.",
    ]
    texts = "".join(
        f'<text x="20" y="{36 + 30 * number}" font-size="{24 - 6 * number}" fill="#222222">{line}</text>'
        for number, line in enumerate(lines)
    )
    write_atomic(
        path,
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" '
        f'font-family="Helvetica, Arial, sans-serif">\n<rect width="{width}" height="{height:g}" fill="#ffffff"/>\n'
        f"{texts}\n" + "\n".join(parts) + "\n</svg>\n",
    )


def _panel(network: Network, store: GameStore, record: np.ndarray, symmetries: tuple[int, ...]) -> str:
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
    return position.to_svg(heat=heat, labels=labels, marks={expert: "square"}, title=title)
