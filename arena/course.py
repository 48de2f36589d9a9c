"""How games went, move by move, in the eyes of a judge: who was ahead after 20 moves, after 40, and at the end.

The judge is any evaluation of positions (`arena.evaluations`): rollouts, influence or the value network, or a search.
The games are records in which one of the two players is the one of interest, such as those of `data.teacher`. With them
a claim like "plays the opening well and the rest badly" becomes a table.
"""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import NamedTuple, cast

import numpy as np

from apv_mcts.player import SearchPlayer
from arena.evaluations import EVALUATIONS
from arena.players import new_player, preset
from classics.evaluation import evaluate
from classics.player import own_evaluation
from classics.settings import LookaheadSettings
from data.record import Record, Refusal, read_records
from data.sources import Reading, Trouble, files_of, find_sources
from data.store import position_of
from go.board import BLACK, WHITE
from go.errors import GoError
from go.position import Position
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting
from pipeline.shares import Z95, share_text
from pipeline.tables import table

NAME = "arena.course"
OWN = ("influence", "uniform")  # evaluations of `classics`
SEARCH = "search"
END = "end"

Judge = Callable[[Position], float]  # what a position is worth to black, as an outcome from -1 to 1 or in points


class View(NamedTuple):
    """What a judge thinks of the games after some moves: its values for the player, and whether they are points."""

    moves: str
    values: list[float]
    in_points: bool

    def row(self) -> list[str]:
        if not self.values:
            return [self.moves, "0", "-", "-"]
        ahead = sum((value > 0) + 0.5 * (value == 0) for value in self.values)
        shown = self.values if self.in_points else [50 * (1 + value) for value in self.values]
        unit = " points" if self.in_points else "%"
        half = Z95 * float(np.std(shown, ddof=1)) / math.sqrt(len(shown)) if len(shown) > 1 else math.inf
        mean = f"{np.mean(shown):{'+' if self.in_points else ''}.1f} ± {half:.1f}{unit}"
        return [self.moves, str(len(shown)), mean, share_text(ahead, len(shown))]


@dataclasses.dataclass
class Settings:
    games: str = setting("", "game records: files, folders, patterns or archives, separated by commas")
    who: str = setting("", "whose games: a part of the name that the records give the player")
    moves: str = setting("20,40", "numbers of moves after which to judge, separated by commas; the end is always added")
    judge: str = setting(
        "rollout",
        "who judges: an evaluation, or a search by the player of `search`",
        choices=(*OWN, *EVALUATIONS, SEARCH),
    )
    playouts: int = setting(1000, "playouts for each position, of a judge that plays", least=1, most=1_000_000)
    search: str = setting("alpha_rp", "player whose search judges, by name")
    simulations: int = setting(2000, "simulations of its search", least=1, most=10**9)
    run: str = setting("", "run whose policies and networks judge; empty: those that come with Prezero")
    seed: int = seed_setting()

    def numbers(self) -> list[int]:
        try:
            found = [int(number) for number in self.moves.split(",") if number.strip()]
        except ValueError:
            found = [0]
        if any(number < 1 for number in found):
            raise UserError(f"moves={self.moves} must be numbers of at least 1, separated by commas.")
        return sorted(set(found))

    def check(self) -> None:
        self.numbers()


def records(settings: Settings) -> list[tuple[Record, int]]:
    """Return the games of the player, and the colour of the player in each."""
    if not settings.games or not settings.who:
        raise UserError("Name the records with games=FOLDER and whose games they are with who=NAME.")
    found = []
    for item in Reading(files_of(find_sources(settings.games))):
        if isinstance(item, Trouble):
            continue
        for game in read_records(item.data):
            if isinstance(game, Refusal):
                continue
            colors = [
                color
                for color, name in zip((BLACK, WHITE), game.names, strict=True)
                if settings.who.lower() in name.lower()
            ]
            if len(colors) == 1:
                found.append((game, colors[0]))
    if not found:
        raise UserError(f"There is no game in {settings.games} in which one player's name contains {settings.who!r}.")
    return found


def new_judge(settings: Settings, size: int) -> tuple[Judge, bool]:
    """Return the judge for a board size, and whether it judges in points."""
    if settings.judge == SEARCH:
        return functools.partial(_searched, _search_player(settings)), False
    lookahead = LookaheadSettings(playouts=settings.playouts)
    if settings.judge in EVALUATIONS:
        evaluation = EVALUATIONS[settings.judge](size, settings.run, settings.seed, lookahead)
    else:
        evaluation = own_evaluation(settings.judge, settings.playouts)
    return functools.partial(evaluate, evaluation, seed=settings.seed), evaluation.in_points


def _search_player(settings: Settings) -> SearchPlayer:
    player = preset(settings.search)
    if player.kind != SEARCH:
        raise UserError(f"search={settings.search} does not search.")
    player.run, player.seed, player.simulations = settings.run, settings.seed, settings.simulations
    player.seconds, player.resign, player.search.threads = 0.0, -1.0, 1
    return cast(SearchPlayer, new_player(player))


def _searched(player: SearchPlayer, position: Position) -> float:
    player.decide(position)
    best = player.findings().moves[0]
    value = 2 * best.winrate - 1
    return value if position.to_move == BLACK else -value


def views(settings: Settings) -> list[View]:
    """Judge all games of the player after the numbers of moves, and at their ends."""
    games = records(settings)
    wanted: list[int | None] = [*settings.numbers(), None]
    values: dict[int | None, list[float]] = {number: [] for number in wanted}
    judges: dict[int, tuple[Judge, bool]] = {}
    with Progress("positions", len(games) * len(wanted)) as progress:
        for game, color in games:
            if game.size not in judges:
                judges[game.size] = new_judge(settings, game.size)
            for number in wanted:
                if number is None or number <= len(game.moves):
                    position = _before_the_passes(position_of(game, len(game.moves) if number is None else number))
                    value = judges[game.size][0](position)
                    values[number].append(value if color == BLACK else -value)
                progress.update(1)
    in_points = next(iter(judges.values()))[1]
    return [View(END if number is None else str(number), values[number], in_points) for number in wanted]


def _before_the_passes(position: Position) -> Position:
    """Take back the passes at the end of a game, which would end every playout."""
    while position.is_over:
        position.undo()
    return position


def results(games: list[tuple[Record, int]]) -> str:
    """Say how many of the games with a result the player won."""
    decided = [(game.winner == color) for game, color in games if game.winner in (BLACK, WHITE)]
    return f"{sum(decided)} of {len(decided)}, {share_text(sum(decided), len(decided))}" if decided else "none decided"


def main(settings: Settings) -> None:
    found = views(settings)
    print(f"Games won by {settings.who}, by the results in the records: {results(records(settings))}.\n")
    print(table(["moves", "games", f"value by {settings.judge}", "ahead"], [view.row() for view in found]))


COMMAND = Command(NAME, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
