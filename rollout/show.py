"""Show the candidate moves of a position, with their probabilities and the features behind them."""

import dataclasses

from data.position_settings import GamePositionSettings, find_position
from go.coordinates import gtp_from_point
from go.errors import GoError
from nets.find import find_weights
from pipeline.launch import Command, launch
from pipeline.settings import setting
from pipeline.tables import table
from rollout.choices import Choice, choices
from rollout.model import Model, read_card
from rollout.move_report import report_rest
from rollout.policies import POLICIES

NAME = "rollout.show"


@dataclasses.dataclass
class Settings(GamePositionSettings):
    run: str = setting("", "name of the run whose policy it is, by default the policy that comes with Prezero")
    policy: str = setting("rollout", "which policy", choices=tuple(POLICIES))
    weights: str = setting("", "a file with a policy, instead of one of a run")
    top: int = setting(10, "number of moves to list, the most probable first", least=1)
    svg: str = setting("", "file to write the drawing to: all moves with their probabilities")


def table_of(found: list[Choice], size: int, top: int) -> str:
    """Format the most probable moves and their reasons as a table."""
    rows = [
        [
            gtp_from_point(choice.point, size),
            f"{100 * choice.probability:.2f}%",
            ", ".join(f"{name} {weight:+.2f}" for name, weight in choice.reasons) or "nothing known",
        ]
        for choice in found[:top]
    ]
    return table(["move", "probability", "reasons, with their weights"], rows)


def main(settings: Settings) -> None:
    position, title = find_position(settings)
    source = settings.weights or ("run" if settings.run else "shipped")
    path = find_weights(settings.policy, position.size, source, settings.run)
    model = Model.load(path)
    card = read_card(path)
    found = choices(position, model)
    kind = "tree" if model.is_tree else "rollout"
    print(position)
    print(f"\nThe {kind} policy of {path}, learnt on {card.get('size', '?')}x{card.get('size', '?')}:\n")
    if not found:
        print("There is no move but to pass.")
        return
    print(table_of(found, position.size, settings.top))
    chances = {choice.point: choice.probability for choice in found}
    report_rest(chances, position, f"{title}: {kind} policy", settings.top, settings.svg)


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
