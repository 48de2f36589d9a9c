"""Games of a network against itself, or between networks and other players, many at a time (`zero.games`).

A lockstep has a number of places. When a game ends, the next one begins in its place, so the batches stay full until
the last games.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from go.board import BLACK, WHITE
from go.player import RESIGN, Player
from go.playout import new_rng
from go.position import Position
from go.score import area_margin, area_owners
from nets.actions import points_of
from nets.network import Answering
from zero.games import (
    ASKS,
    ENDED,
    FREE,
    NEVER,
    OUTSIDE,
    RESIGNED,
    Terms,
    advance_all,
    begin_game,
    black_outcome,
    new_games,
    play_move,
    receive_all,
)
from zero.rules import NO_DEFECT, Rule, visit_plans
from zero.tree import new_trees

NODES_KEPT = 4  # times the simulations of a move: room for what is kept of the tree; then it stops growing
CHECKED = 200  # games that are looked at for the threshold of resignation
NEARLY_LOST = -0.8  # the highest threshold: it is measured with older networks, whose values mean other things
OWNER = np.array([0, 1, -1, 0], np.int8)  # by colour
Side = Answering | Player  # searches here with this network, or moves by itself


class Record(NamedTuple):
    """A finished game, and what can be learnt from it."""

    number: int
    moves: np.ndarray  # int16[plies]: points
    targets: (
        np.ndarray
    )  # float16[plies, actions]: of the policy; zero after a quick search, and where another player moved
    values: np.ndarray  # float16[plies]: of the search, for the side to move
    outcome: int  # z of black: 1, -1, or 0 for a draw
    margin: float  # black's area minus white's and komi; of no meaning after a resignation
    owners: np.ndarray  # int8[points]: 1 for black, -1 for white
    ending: int  # `zero.games`: PASSED, RESIGNED or CUT
    could_resign: bool
    lowest: tuple[float, float]  # the least value at which black and white thought of resigning


class Lockstep:
    """Places for games that are played side by side."""

    def __init__(self, size: int, rule: Rule, terms: Terms, places: int) -> None:
        self.size, self.rule, self.terms = size, rule, terms
        self.points = points_of(size)
        self.games = new_games(places, size, terms.limit)
        nodes = 1 + rule.simulations * (NODES_KEPT if rule.reuse else 1)
        self.trees = new_trees(places, nodes, size * size + 1)
        self.plans = visit_plans(rule, size * size + 1)
        self.needs = np.zeros(places, np.int64)
        self.numbers = np.zeros(places, np.int64)  # of the games
        self.asked = 0

    def play(
        self,
        numbers: Sequence[int],
        seed: tuple[int, ...],
        sides_of: Callable[[int], tuple[Side, Side]],
        may_resign: Callable[[int], bool] = lambda number: False,
        defects_of: Callable[[int], tuple[int, int]] = lambda number: (NO_DEFECT, NO_DEFECT),
    ) -> Iterator[Record]:
        """Play games by their numbers. `sides_of` gives black and white; yield each game when it ends.

        A side that is a player is asked for each move; all others search here with their network.
        """
        waiting, sides = list(numbers)[::-1], {}
        self.games.phase[:] = FREE

        def fill(place: int) -> None:
            if not waiting:
                self.games.phase[place] = FREE
                return
            number = waiting.pop()
            sides[place] = sides_of(number)
            self.numbers[place] = number
            self.games.streams[place] = new_rng(*seed, number)[:1]
            self.games.may_resign[place] = may_resign(number)
            for color, side in zip((BLACK, WHITE), sides[place], strict=True):
                self.games.searches[place, color] = not hasattr(side, "decide")
            self.games.defects[place, [BLACK, WHITE]] = defects_of(number)
            begin_game(self.games, place, self.size)

        for place in range(len(self.needs)):
            fill(place)
        while (self.games.phase != FREE).any():
            advance_all(*self._shared(), self.points, self.plans, self.needs)
            for place in np.flatnonzero(self.needs == ENDED).tolist():
                yield self._record(place)
                fill(place)
            for place in np.flatnonzero(self.needs == OUTSIDE).tolist():
                self._move_from_outside(place, sides[place])
            asking = np.flatnonzero(self.needs == ASKS)
            if len(asking):
                self._ask(asking, sides)

    def _shared(self) -> tuple:
        return self.games, self.trees, self.rule, self.terms

    def _ask(self, asking: np.ndarray, sides: dict[int, tuple[Side, Side]]) -> None:
        """Ask each network about the positions under way in its games."""
        colors = self.games.boards["to_move"]
        by_network: dict[int, tuple[Answering, list[int]]] = {}
        for place in asking.tolist():
            network = cast(Answering, sides[place][0 if colors[place] == BLACK else 1])
            by_network.setdefault(id(network), (network, []))[1].append(place)
        for network, places in by_network.values():
            rows = np.array(places)
            every = slice(None) if len(rows) == len(self.needs) else rows
            answers = network.answer(
                self.games.leaf_boards[every], self.games.leaf_history[every], self.games.symmetries[every]
            )
            receive_all(*self._shared(), self.points, rows, answers.scores, answers.values)
            self.asked += len(rows)

    def _move_from_outside(self, place: int, sides: tuple[Side, Side]) -> None:
        board, limit = self.games.boards[place], self.terms.limit
        player = cast(Player, sides[0 if board["to_move"] == BLACK else 1])
        move = player.decide(self.position(place)).move
        if move == RESIGN:
            self.games.ending[place] = RESIGNED
        else:
            play_move(self.games, place, move, limit)

    def position(self, place: int) -> Position:
        """Return the position of a game, with its moves."""
        position = Position(self.size, self.terms.komi)
        for move in self.games.moves[place, : int(self.games.boards[place]["ply"])].tolist():
            position.play(move)
        return position

    def _record(self, place: int) -> Record:
        s, board = self.games, self.games.boards[place]
        plies = int(board["ply"])
        owners = np.zeros(board["color"].shape, np.uint8)
        area_owners(board, owners)
        return Record(
            int(self.numbers[place]),
            s.moves[place, :plies].copy(),
            s.targets[place, :plies].astype(np.float16),
            s.values[place, :plies].astype(np.float16),
            int(black_outcome(s, place, self.terms.komi)),
            float(area_margin(board)) - self.terms.komi,
            OWNER[owners[self.points]],
            int(s.ending[place]),
            bool(s.may_resign[place]),
            (float(s.lowest[place, BLACK]), float(s.lowest[place, WHITE])),
        )


def is_check_game(number: int, share: float) -> bool:
    """Return whether a game is played to its end, to check resignations: a share of the games, evenly spread."""
    return int((number + 1) * share) > int(number * share)


def resign_threshold(lowest_of_winners: np.ndarray, most_wrong: float, least_games: int) -> float:
    """Return the highest threshold at which at most a share of won games would have been resigned.

    `lowest_of_winners` has the least value of the winner in each game that was played to its end to check this, the
    latest last: what older networks thought says little. With fewer than `least_games` of them nobody resigns.
    """
    if len(lowest_of_winners) < max(least_games, 1):
        return NEVER
    latest = np.sort(lowest_of_winners[-CHECKED:])
    allowed = int(most_wrong * len(latest))  # games that may be resigned wrongly
    return float(min(latest[allowed], NEARLY_LOST))
