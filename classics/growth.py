"""Count the positions that minimax and alpha-beta visit at each depth, beside w^d and the best possible alpha-beta.

With w moves in each position, minimax visits w^d leaves at depth d. Alpha-beta with the best move always first visits
w^ceil(d/2) + w^floor(d/2) - 1 of them (Knuth and Moore 1975).
"""

import dataclasses
import math
import time

from classics.evaluation import Evaluation, area, influence, uniform_playouts
from classics.lookahead import Found, Lookahead
from classics.settings import MOST_DEPTH
from go.errors import GoError
from go.player import sensible_moves
from go.position import Position
from go.settings import PositionSettings, position_from
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.tables import table

NAME = "classics.growth"
EVALUATIONS = {"influence": influence, "area": area, "uniform": lambda: uniform_playouts(10)}


@dataclasses.dataclass
class Settings(PositionSettings):
    depth: int = setting(3, "depth up to which to search", least=1, most=MOST_DEPTH)
    evaluation: str = setting("influence", "evaluation of the leaves", choices=tuple(EVALUATIONS))
    most_leaves: float = setting(2e6, "leave out searches of minimax with more leaves (w^d)", least=1)


def perfect_leaves(width: int, depth: int) -> int:
    """Return the leaves of alpha-beta that always tries the best move first."""
    return width ** math.ceil(depth / 2) + width ** (depth // 2) - 1


def measured(position: Position, evaluation: Evaluation, depth: int, prunes: bool) -> tuple[Found, float]:
    """Search a position. Return what was found, and the seconds that it took."""
    search = Lookahead(position.size, evaluation, depth, prunes)
    began = time.perf_counter()
    return search.search(position), time.perf_counter() - began


def growth_rows(position: Position, evaluation: Evaluation, depth: int, most_leaves: float) -> list[list[str]]:
    """Return a row for each depth: w^d, the best possible, and the leaves of both searches."""
    width = len(sensible_moves(position)) + 1  # a pass is a move, too
    rows = []
    with Progress("searches", 2 * depth) as progress:
        for d in range(1, depth + 1):
            plain = measured(position, evaluation, d, False) if width**d <= most_leaves else None
            progress.update(1)
            pruned, seconds = measured(position, evaluation, d, True)
            progress.update(1)
            if plain and not math.isclose(plain[0].value, pruned.value, abs_tol=1e-9):
                raise UserError(f"Minimax and alpha-beta disagree at depth {d}: {plain[0].value} and {pruned.value}.")
            rows.append(
                [
                    str(d),
                    f"{float(width) ** d:,.0f}" if width**d < 1e12 else f"{float(width) ** d:.1e}",
                    f"{plain[0].evaluated:,}" if plain else "-",
                    f"{pruned.evaluated:,}",
                    f"{perfect_leaves(width, d):,}",
                    f"{plain[1]:.2f} s" if plain else "-",
                    f"{seconds:.2f} s",
                ]
            )
    return rows


def main(settings: Settings) -> None:
    position = position_from(settings)
    if position.is_over:
        raise UserError("The game is over, so there is nothing to search.")
    evaluation = EVALUATIONS[settings.evaluation]()
    measured(position, evaluation, 1, True)  # compiles, so that no time below contains it
    rows = growth_rows(position, evaluation, settings.depth, settings.most_leaves)
    width = len(sensible_moves(position)) + 1
    print(f"{position.size}x{position.size}, w = {width} moves, leaves evaluated by {evaluation.name}.\n")
    print(table(["d", "w^d", "minimax", "alpha-beta", "best possible", "minimax, time", "alpha-beta, time"], rows))


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
