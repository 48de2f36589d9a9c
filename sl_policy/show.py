"""Show the moves of a position as the policy network sees them, in the terminal and drawn."""

import dataclasses

from data.position_settings import GamePositionSettings, find_position
from go.coordinates import gtp_from_point
from go.errors import GoError
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.tables import table
from rollout.move_report import report_rest
from sl_policy.player import candidates_of

NAME = "sl_policy.show"


@dataclasses.dataclass
class Settings(GamePositionSettings):
    run: str = setting("laptop", "with weights=run: the name of the run")
    weights: str = setting("shipped", "the network: shipped, run (that of the run), or a file")
    symmetries: int = setting(1, "number of board symmetries to average over", choices=(1, 2, 4, 8))
    top: int = setting(10, "number of moves to list, the most probable first", least=1)
    svg: str = setting("", "file to write the drawing to: all moves with their probabilities")


def main(settings: Settings) -> None:
    position, title = find_position(settings)
    path = find_weights("policy", position.size, settings.weights, settings.run)
    network = Network.load(path)
    found = candidates_of(network, position, ALL_SYMMETRIES[: settings.symmetries])
    print(position)
    net = network.description
    print(f"\n{path.name}: {net.layers} layers, {net.filters} filters, {net.planes} planes.\n")
    if not found:
        print("There is no move but to pass.")
        return
    rows = [[gtp_from_point(move.point, position.size), f"{100 * move.probability:.2f}%"] for move in found]
    print(table(["move", "probability"], rows[: settings.top]))
    chances = {move.point: move.probability for move in found}
    report_rest(chances, position, f"{title}: policy network", settings.top, settings.svg)


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
