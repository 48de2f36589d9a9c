"""Draw positions where the RL and the SL policy differ most, with the probabilities of both."""

import dataclasses
import os
from pathlib import Path

import numpy as np

from go.board import COLOR_NAMES
from go.coordinates import gtp_from_point
from go.draw import board_width, percentages
from go.panels import Panel, sheet_svg
from go.position import Position
from nets.actions import points_of
from nets.description import SCORES
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network, softmax
from nets.weights import Weights
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import seed_setting, setting, threads_setting
from pipeline.tables import table
from rl_policy.self_play import GameSettings, Played, play_games

NAME = "rl_policy.show"
SHOWN = 0.02  # least probability of a move that carries a number
COLUMNS = 4  # two positions a row, each as the SL and the RL policy see it


@dataclasses.dataclass
class Settings:
    run: str = setting("laptop", "with weights=run: the name of the run")
    weights: str = setting("shipped", "the RL policy: shipped, run (that of the run), or a file")
    sl_weights: str = setting("shipped", "the SL policy: shipped, run (that of the run), or a file")
    size: int = setting(9, "board size", least=2, most=19)
    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)
    games: int = setting(64, "games between both policies to look through", least=1)
    positions: int = setting(6, "positions to show, at most one of a game", least=1, most=60)
    svg: str = setting("", "file to draw them to")
    threads: int = threads_setting()
    seed: int = seed_setting("seed of the games")


def differences(played: Played, rl: Network, sl: Network) -> np.ndarray:
    """Return rows of game, ply and divergence KL(RL, SL) in nats, for each position in which the RL policy moved."""
    rows = []
    for turn in played.turns:
        p, q = (softmax(network.compute(turn.planes)[SCORES], turn.allowed) for network in (rl, sl))
        divergence = (p * (np.log(np.maximum(p, 1e-30)) - np.log(np.maximum(q, 1e-30)))).sum(axis=1)
        rows.append(np.stack([turn.games, turn.plies, divergence], axis=1))
    return np.concatenate(rows)


def most_different(rows: np.ndarray, count: int) -> np.ndarray:
    """Return the rows with the largest divergence, at most one of each game."""
    ranked = rows[np.argsort(-rows[:, 2], kind="stable")]
    _, first = np.unique(ranked[:, 0], return_index=True)
    return ranked[np.sort(first)][:count]


def position_of(played: Played, game: int, ply: int, size: int, komi: float) -> Position:
    """Return the position of a game before move `ply`, counted from 0."""
    position = Position(size, komi)
    for move in played.moves[game, :ply]:
        position.play(int(move))
    return position


def panel(position: Position, network: Network, name: str) -> Panel:
    """Draw the moves of a position as a network sees them."""
    chances = network.of_positions([position], ALL_SYMMETRIES)[0]
    heat = chances.reshape(position.size, position.size)
    labels = {point: text for point, text in percentages(heat).items() if int(text) >= 100 * SHOWN}
    move = gtp_from_point(int(points_of(position.size)[chances.argmax()]), position.size)
    return Panel(f"{name}: {move} {100 * chances.max():.0f}%", position.to_svg(heat=heat, labels=labels))


def main(settings: Settings) -> dict[str, float]:
    weights = {
        name: Weights.load(find_weights(kind, settings.size, source, settings.run))
        for name, kind, source in (("SL", "policy", settings.sl_weights), ("RL", "rl", settings.weights))
    }
    if any(found.description.family != "policy" for found in weights.values()):
        raise UserError("rl_policy.show takes policy networks only.")
    threads = settings.threads or os.cpu_count() or 1
    game = GameSettings(settings.komi, threads=threads)
    played = play_games(weights["RL"], weights["SL"], settings.games, (settings.seed,), game, record=True)
    networks = {name: Network(found, threads=threads) for name, found in weights.items()}
    rows = differences(played, networks["RL"], networks["SL"])
    chosen = most_different(rows, settings.positions)
    panels, lines = [], []
    for number, ply, divergence in chosen:
        position = position_of(played, int(number), int(ply), settings.size, settings.komi)
        pair = [panel(position, networks[name], name) for name in ("SL", "RL")]
        about = (
            f"game {int(number) + 1}, move {int(ply) + 1}, {COLOR_NAMES[position.to_move]}: KL {divergence:.2f} nats"
        )
        panels += [pair[0]._replace(caption=(about,)), pair[1]]
        lines.append([f"{int(number) + 1}", f"{int(ply) + 1}", pair[0].title, pair[1].title, f"{divergence:.2f}"])
    print(
        f"Mean divergence of the RL policy from the SL policy in {settings.games} games: {rows[:, 2].mean():.3f} nats."
    )
    print(f"Where they differ most:\n\n{table(['game', 'move', 'SL', 'RL', 'KL, nats'], lines)}")
    if settings.svg:
        title = "Where the RL and the SL policy differ most"
        legend = "Red and numbers: probabilities in percent, averaged over the eight symmetries. Ring: the last move."
        drawn = sheet_svg(title, [legend], panels, board_width(settings.size), columns=COLUMNS)
        write_atomic(Path(settings.svg), drawn)
        print(f"\nDrawn to {settings.svg}.")
    return {"mean KL": float(rows[:, 2].mean())}


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
