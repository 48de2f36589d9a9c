"""One game between engines for a corpus: its settings, how it is played, and how its SGF file is written and read.

The number of a game determines its opening and the colours of the engines.
"""

import dataclasses
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sgfmill import sgf

from data.fields import read_result
from data.openings import draw_opening
from go.board import BLACK, WHITE
from go.match import ERROR, JUDGED, Ending, lost_by_error, play_game
from go.position import Position
from go.settings import BoardSettings
from go.sgf import position_sgf
from gtp.client import Engine, EngineError
from gtp.engine_player import EnginePlayer
from pipeline.errors import UserError
from pipeline.settings import StageSettings, seed_setting, setting

GNU_GO = "gnugo --mode gtp --level 10 --chinese-rules --positional-superko"
JUDGES = {"agreed": (0, 1), "first": (0,), "second": (1,), "area": ()}  # `score` to the engines that count
AGREED = "score of the engines"  # `how` of a game that the engines counted
ENDED_BY = re.compile(r"^Ended by: (.*)\n(.*)", re.MULTILINE)


@dataclasses.dataclass
class Terms(StageSettings):
    """The settings that, with its number, determine a game."""

    board: BoardSettings = setting(BoardSettings, "the board")
    first: str = setting(GNU_GO, "command line of the first engine")
    second: str = setting("", "command line of the second engine; empty: the first plays against itself")
    opening: int = setting(4, "random moves at the start; two engines play each opening twice", least=0)
    score: str = setting(
        "agreed",
        "whose score counts: both engines' if they agree, one engine's, or area (all alive)",
        choices=tuple(JUDGES),
    )
    superko: bool = setting(True, "forbid to repeat any position (positional superko), or only to retake a ko")
    move_limit: int = setting(
        0, "stop a game without a result after this many moves; 0 for 4 per point of the board", least=0
    )
    seed: int = seed_setting()


def colors_of(number: int) -> tuple[int, int]:
    """Return the colours of the first and the second engine in a game."""
    return (BLACK, WHITE) if number % 2 else (WHITE, BLACK)


def opening_of(terms: Terms, number: int) -> list[int]:
    """Return the opening of a game.

    Two engines play each opening twice, with the colours swapped. An engine that plays against itself could repeat
    the same game, so each of its games has a different opening.
    """
    opening = (number + 1) // 2 if terms.second else number
    return draw_opening(terms.board.size, terms.opening, terms.seed, opening)


@dataclasses.dataclass
class Seat:
    """Holds one engine. Starts it when it is needed, and restarts it after a failure."""

    command: str
    timeout: float
    title: str = ""
    engine: Engine | None = None

    def taken(self) -> Engine:
        if self.engine is None or not self.engine.is_well:
            self.leave()
            self.engine = Engine(self.command, self.timeout)
            self.title = self.engine.title()
        return self.engine

    def leave(self) -> None:
        if self.engine:
            self.engine.close()
            self.engine = None


class Game(NamedTuple):
    """A finished game. Its first `opening` moves are the random opening."""

    number: int
    opening: int
    position: Position
    ending: Ending

    def movers(self) -> set[int]:
        """Return the colours of the engines that made a move."""
        return {color for color, _ in self.position.history[self.opening :]}


def play(terms: Terms, number: int, seats: list[Seat]) -> Game:
    """Play a game. An engine that does not start loses it."""
    colors, opening = colors_of(number), opening_of(terms, number)
    position = Position(terms.board.size, terms.board.komi, terms.superko)
    for move in opening:
        position.play(move)
    seed = int(np.random.SeedSequence((terms.seed, number)).generate_state(1)[0] >> 1)
    players = {}
    for color, seat in zip(colors, seats, strict=True):
        try:
            players[color] = EnginePlayer(seat.taken(), seed, seat.title)
        except EngineError as error:
            return Game(number, len(opening), position, lost_by_error(color, error))
    judges = [players[colors[place]] for place in JUDGES[terms.score]]
    ending = play_game(players, position, move_limit=terms.move_limit, judges=judges)
    if ending.how == ERROR:  # a bug of ours, not of an engine
        raise ending.error
    if ending.how == JUDGED:
        ending = ending._replace(how=AGREED, why="Counted by the engines, without dead stones.")
    if ending.loser is not None:
        seats[colors.index(ending.loser)].leave()
    return Game(number, len(opening), position, ending)


def to_file(terms: Terms, game: Game, seats: list[Seat]) -> bytes:
    """Write a game as SGF. The comment of the root node holds what has no header field."""
    position, ending = game.position, game.ending
    names = [seat.title or Path(seat.command.split()[0]).name for seat in seats]
    if terms.second:
        names = [f"{name} ({place})" for name, place in zip(names, ("first", "second"), strict=True)]
    black = colors_of(game.number).index(BLACK)
    comment = [
        f"Game {game.number}",
        f"Opening moves not chosen by the engines: {game.opening}",
        f"Black: {seats[black].command}",
        f"White: {seats[1 - black].command}",
        f"Ended by: {ending.how}",
        ending.why,
    ]
    header = {"PB": names[black], "PW": names[1 - black], "RE": ending.result, "C": "\n".join(comment)}
    return position_sgf(position, header)


class Played(NamedTuple):
    """The contents of a game file. `winner` is coded as in `data.fields`."""

    number: int
    winner: int
    how: str
    why: str
    moves: int
    names: tuple[str, str]  # black's, white's


def read_file(path: Path) -> Played:
    """Read a file written by `to_file`."""
    try:
        tree = sgf.Sgf_game.from_bytes(path.read_bytes())
        root = tree.get_root()
        how, why = ENDED_BY.search(root.get("C")).groups()
        winner, _, _ = read_result(root.get("RE"))
        moves = len(tree.get_main_sequence()) - 1
        return Played(int(path.stem), winner, how, why, moves, (root.get("PB"), root.get("PW")))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise UserError(f"{path} is not a game as we wrote it; remove it to have it played anew.") from error
