"""Show what both heads of one of Zero's networks say about a position, in the terminal and drawn."""

import dataclasses
from typing import NamedTuple

import numpy as np

from data.position_settings import GamePositionSettings, find_position
from go.board import COLOR_NAMES
from go.coordinates import PASS, gtp_from_point
from go.errors import GoError
from go.history import histories_of
from go.position import Position
from nets.actions import actions_of, points_of
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network, softmax
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.tables import table
from rollout.move_report import report_rest

NAME = "zero.show"


@dataclasses.dataclass
class Settings(GamePositionSettings):
    run: str = setting("laptop", "with weights=run: the name of the run")
    weights: str = setting("shipped", "the network: shipped, run (that of the run), or a file")
    top: int = setting(10, "number of moves to list, the most probable first", least=1)
    svg: str = setting("", "file to write the drawing to: all moves with their probabilities")


class Opinion(NamedTuple):
    """What a network says: the probability of each legal move and of the pass, and the value in each symmetry."""

    chances: dict[int, float]  # by point, the most probable first
    values: np.ndarray  # float[8]: for the side to move

    @property
    def win_rate(self) -> float:
        return 0.5 + 0.5 * float(self.values.mean())


def opinion_of(network: Network, position: Position) -> Opinion:
    """Ask both heads about a position in all eight symmetries."""
    size = position.size
    if size != network.size:
        raise UserError(f"This network plays on {network.size}x{network.size} only.")
    count = len(ALL_SYMMETRIES)
    boards, history = np.repeat(position.boards, count), np.repeat(histories_of([position]), count)
    answers = network.answer(boards, history, np.array(ALL_SYMMETRIES))
    allowed = np.zeros(size * size + 1, bool)
    allowed[actions_of(position.legal_moves(), size)] = allowed[-1] = True
    chances = softmax(answers.scores, np.repeat(allowed[None], count, axis=0)).mean(axis=0)
    points = [*points_of(size).tolist(), PASS]
    order = [action for action in np.argsort(-chances, kind="stable").tolist() if allowed[action]]
    return Opinion({points[action]: float(chances[action]) for action in order}, answers.values)


def main(settings: Settings) -> None:
    position, title = find_position(settings)
    path = find_weights("zero", position.size, settings.weights, settings.run)
    network = Network.load(path)
    if not network.description.is_zero:
        raise UserError(f"{path} is a {network.description.family} network, which has only one head.")
    network.warn_of_other_komi(position.komi)
    found, net = opinion_of(network, position), network.description
    print(position)
    print(f"\n{path.name}: {net.family}, {net.layers} layers, {net.filters} filters, {net.planes} planes.\n")
    rows = [[gtp_from_point(point, position.size), f"{100 * chance:.2f}%"] for point, chance in found.chances.items()]
    print(table(["move", "probability"], rows[: settings.top]))
    print(
        f"\nValue for {COLOR_NAMES[position.to_move]}: {found.values.mean():+.3f}, a win rate of "
        f"{100 * found.win_rate:.1f}%; by symmetry from {found.values.min():+.3f} to {found.values.max():+.3f}."
    )
    report_rest(found.chances, position, f"{title}: policy of Zero", settings.top, settings.svg)


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
