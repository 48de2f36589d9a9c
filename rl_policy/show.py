"""Draw positions where the RL and the SL policy differ most, with the probabilities of both."""

import dataclasses
import os
from pathlib import Path
from typing import NamedTuple

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
SHORTLIST = 4  # positions looked at for each that is shown
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


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return KL(p, q) in nats, row by row."""
    return (p * (np.log(np.maximum(p, 1e-30)) - np.log(np.maximum(q, 1e-30)))).sum(axis=-1)


def differences(played: Played, rl: Network, sl: Network) -> np.ndarray:
    """Return rows of game, ply and KL(RL, SL), for each position in which the RL policy moved, in one symmetry."""
    rows = []
    for turn in played.turns:
        p, q = (softmax(network.compute(turn.planes)[SCORES], turn.allowed) for network in (rl, sl))
        rows.append(np.stack([turn.games, turn.plies, divergence(p, q)], axis=1))
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


class Difference(NamedTuple):
    """A position with the probabilities of both policies, averaged over the eight symmetries."""

    game: int
    position: Position
    sl: np.ndarray
    rl: np.ndarray

    @property
    def nats(self) -> float:
        return float(divergence(self.rl, self.sl))


def find_differences(
    settings: Settings, played: Played, rl: Network, sl: Network, rows: np.ndarray
) -> list[Difference]:
    """Return the positions to show, the largest divergence first: shortlisted by one symmetry, chosen by all eight."""
    found = []
    for game, ply, _ in most_different(rows, SHORTLIST * settings.positions):
        position = position_of(played, int(game), int(ply), settings.size, settings.komi)
        chances = [network.of_positions([position], ALL_SYMMETRIES)[0] for network in (sl, rl)]
        found.append(Difference(int(game), position, *chances))
    return sorted(found, key=lambda difference: -difference.nats)[: settings.positions]


def headline(position: Position, chances: np.ndarray) -> str:
    """Return the most probable move with its probability."""
    move = gtp_from_point(int(points_of(position.size)[chances.argmax()]), position.size)
    return f"{move} {100 * chances.max():.0f}%"


def panel(position: Position, chances: np.ndarray, name: str) -> Panel:
    """Draw the moves of a position as a network sees them."""
    heat = chances.reshape(position.size, position.size)
    labels = {point: text for point, text in percentages(heat).items() if int(text) >= 100 * SHOWN}
    return Panel(f"{name}: {headline(position, chances)}", position.to_svg(heat=heat, labels=labels))


def draw(found: list[Difference], size: int, path: Path) -> None:
    """Draw each position twice: as the SL and as the RL policy sees it."""
    panels = []
    for difference in found:
        position = difference.position
        about = f"move {len(position.history) + 1}, {COLOR_NAMES[position.to_move]}: KL {difference.nats:.2f} nats"
        panels += [
            panel(position, difference.sl, "SL")._replace(caption=(about,)),
            panel(position, difference.rl, "RL"),
        ]
    title = "Where the RL and the SL policy differ most"
    legend = "Red and numbers: probabilities in percent, averaged over the eight symmetries. Ring: the last move."
    write_atomic(path, sheet_svg(title, [legend], panels, board_width(size), columns=COLUMNS))


def main(settings: Settings) -> dict[str, float]:
    weights = {
        name: Weights.load(find_weights(kind, settings.size, source, settings.run))
        for name, kind, source in (("SL", "policy", settings.sl_weights), ("RL", "rl", settings.weights))
    }
    for name, loaded in weights.items():
        if loaded.description.family != "policy" or loaded.description.size != settings.size:
            raise UserError(f"The {name} network is not a policy network for {settings.size}x{settings.size}.")
    if weights["SL"].description.planes != weights["RL"].description.planes:
        raise UserError("The SL and the RL network see different planes, so their answers cannot be compared.")
    threads = settings.threads or os.cpu_count() or 1
    game = GameSettings(settings.komi, threads=threads)
    played = play_games(weights["RL"], weights["SL"], settings.games, (settings.seed,), game, record=True)
    networks = {name: Network(loaded, threads=threads) for name, loaded in weights.items()}
    rows = differences(played, networks["RL"], networks["SL"])
    found = find_differences(settings, played, networks["RL"], networks["SL"], rows)
    lines = [
        [
            f"{difference.game + 1}",
            f"{len(difference.position.history) + 1}",
            headline(difference.position, difference.sl),
            headline(difference.position, difference.rl),
            f"{difference.nats:.2f}",
        ]
        for difference in found
    ]
    print(
        f"Mean divergence of the RL policy from the SL policy in {settings.games} games: {rows[:, 2].mean():.3f} nats."
    )
    print(f"Where they differ most:\n\n{table(['game', 'move', 'SL', 'RL', 'KL, nats'], lines)}")
    if settings.svg:
        draw(found, settings.size, Path(settings.svg))
        print(f"\nDrawn to {settings.svg}.")
    return {"mean KL": float(rows[:, 2].mean())}


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
