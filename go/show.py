"""Draw a position, given by its moves or as a text board, in the terminal and as SVG."""

import dataclasses
from pathlib import Path

import numpy as np

from go.board import BLACK, EMPTY, WHITE
from go.errors import GoError
from go.playout import new_rng, random_games
from go.position import Position
from go.settings import PositionSettings, position_from
from pipeline.artefact import write_atomic
from pipeline.launch import Command, launch
from pipeline.settings import seed_setting, setting

MOST_PLAYOUTS = 10_000_000  # more would fill the memory


@dataclasses.dataclass
class Settings(PositionSettings):
    numbers: bool = setting(False, "number the stones by their move in the drawing")
    playouts: int = setting(
        0, "random games from here, to show who ends up owning each point", least=0, most=MOST_PLAYOUTS
    )
    seed: int = seed_setting("seed of the random games")
    svg: str = setting("", "file to write the drawing to")


def numbered(position: Position) -> dict[int, int]:
    """Return the move number of each stone that is still on the board."""
    numbers = {move.point: number for number, move in enumerate(position.history, 1)}
    return {point: number for point, number in numbers.items() if point and position.color_at(point) != EMPTY}


def expected_owners(position: Position, count: int, seed: int) -> tuple[np.ndarray, float, float]:
    """Play random games. Return the mean owner of each point (1 black, -1 white), black's win rate and mean score."""
    games, owned = random_games(position.boards, count, new_rng(seed))
    scores = games["margin"] - position.komi
    wins = 0.5 * (1 + np.sign(scores)).mean()
    return position.by_row_and_column((owned[BLACK] - owned[WHITE]) / count), float(wins), float(scores.mean())


def main(settings: Settings) -> None:
    position = position_from(settings)
    print(position)
    print(f"If it ended now (all stones alive): {position.result()}.")
    options = {"labels": numbered(position), "last_move": 0} if settings.numbers else {}
    if settings.playouts:
        owners, wins, score = expected_owners(position, settings.playouts, settings.seed)
        print(f"{settings.playouts:,} random games from here: black wins {100 * wins:.1f}%, mean score {score:+.1f}.")
        options["territory"] = owners
    if settings.svg:
        write_atomic(Path(settings.svg), position.to_svg(**options))
        print(f"Drawn to {settings.svg}.")


COMMAND = Command("go.show", Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
