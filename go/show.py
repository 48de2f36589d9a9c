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
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.settings import setting

MOST_PLAYOUTS = 10_000_000  # more would say no more, and fill the memory


@dataclasses.dataclass
class Settings(PositionSettings):
    numbers: bool = setting(False, "number the stones by their move in the drawing")
    playouts: int = setting(0, "random games from here, to show who ends up owning each point")
    seed: int = setting(1, "seed of the random games")
    svg: str = setting("", "file to write the drawing to")


def numbered(position: Position) -> dict[int, int]:
    """Return the move number of each stone that is still on the board."""
    numbers = {move.point: number for number, move in enumerate(position.history, 1)}
    return {point: number for point, number in numbers.items() if point and position.color_at(point) != EMPTY}


def expected_owners(position: Position, count: int, seed: int) -> tuple[np.ndarray, float, float]:
    """Play random games from here; return who owns each point (1 black, -1 white), black's wins and mean score."""
    games, owned = random_games(position.boards, count, new_rng(seed))
    scores = games["margin"] - position.komi
    wins = 0.5 * (1 + np.sign(scores)).mean()
    return position.by_row_and_column((owned[BLACK] - owned[WHITE]) / count), float(wins), float(scores.mean())


def main(settings: Settings) -> None:
    if not 0 <= settings.playouts <= MOST_PLAYOUTS:
        raise UserError(f"playouts={settings.playouts} is not between 0 and {MOST_PLAYOUTS:,}.")
    if settings.seed < 0:
        raise UserError(f"seed={settings.seed} is negative: seeds count from 0.")
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
