"""The numbers of Figure 5: what a search knows of a position, as one map from moves to numbers per board.

The letters are those of the paper. Numbers go from 0 to 1: the winning probability of the side to move (a, b, c), or a
share of the total (d, e). Where the search lacks a part, such as a value network, its board is missing, never zero.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from apv_mcts.player import tried
from apv_mcts.search import EdgeStatistics, Search, root_of, win_rate
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, gtp_from_point, rowcol_from_point
from go.position import Position

NO_SIMULATIONS = "no simulations"


class View(NamedTuple):
    """Numbers by move, including the pass. `faint` moves have too few visits to rely on their numbers."""

    letter: str
    title: str
    numbers: dict[int, float]
    faint: frozenset[int] = frozenset()
    missing: str = ""  # why the board cannot be shown

    @property
    def best(self) -> int | None:
        """The move with the highest number, except for faint ones."""
        sure = [move for move in self.numbers if move not in self.faint]
        return max(sure, key=self.numbers.__getitem__, default=None)


def views_of(search: Search) -> list[View]:
    """Return the boards a to e for the root. Board f is `Search.principal_variation`."""
    edges, rule = search.statistics(), search.rule
    visits = sum(edge.visits for edge in edges)
    faint = frozenset(edge.move for edge in edges) - {edge.move for edge in tried(edges)}
    no_value = "" if rule.has_value else "no value network"
    no_rollouts = "" if rule.has_rollouts else "no rollouts"
    after = successor_values(search, edges) if rule.has_value else {}
    by_value = {edge.move: edge.q_value for edge in edges if edge.q_value is not None}
    by_rollouts = {edge.move: edge.q_rollouts for edge in edges if edge.q_rollouts is not None}
    shares = {edge.move: edge.visits / visits for edge in edges if edge.visits}
    return [
        View("a", "Value network after each move", _chances(after), missing=no_value),
        View("b", "Q by the value network (λ = 0)", _chances(by_value), faint, no_value or _unless(by_value)),
        View("c", "Q by rollouts (λ = 1)", _chances(by_rollouts), faint, no_rollouts or _unless(by_rollouts)),
        _priors(search, edges),
        View("e", "Share of the simulations", shares, missing=_unless(shares)),
    ]


def numbered(position: Position, moves: Sequence[int]) -> tuple[np.ndarray, dict[int, int], list[str]]:
    """Put the stones of a variation on the board, for board f. Return the colours, the numbers and a few words.

    The words tell the moves that the board has no place for: a pass, and a move where a stone stands already.
    """
    colors, numbers, said = position.colors, {}, []
    for number, move in enumerate(moves, 1):
        color = position.to_move if number % 2 else BLACK + WHITE - position.to_move
        place = None if move == PASS else rowcol_from_point(move, position.size)
        if place is not None and colors[place] == EMPTY:
            colors[place], numbers[move] = color, number
        else:
            said.append(f"{number} pass" if place is None else f"{number} at {gtp_from_point(move, position.size)}")
    return colors, numbers, said


def _unless(found: dict[int, float]) -> str:
    return "" if found else NO_SIMULATIONS


def _chances(values: dict[int, float]) -> dict[int, float]:
    return {move: win_rate(value) for move, value in values.items()}


def _priors(search: Search, edges: list[EdgeStatistics]) -> View:
    """Return the priors, with their source in the title."""
    settings = search.settings
    if not has_priors(search):
        return View("d", "Priors", {}, missing=f"no priors with {settings.rule}")
    source = "policy network" if settings.policy else "tree policy" if settings.priors == "tree" else "all moves alike"
    return View("d", f"Priors: {source}", {edge.move: edge.prior for edge in edges})


def has_priors(search: Search) -> bool:
    """Return whether the search uses priors: UCB1 and flat search do not."""
    return search.settings.rule == "puct"


def successor_values(search: Search, edges: list[EdgeStatistics]) -> dict[int, float]:
    """Return the value of the position after each move by the value network, seen by the player of the move.

    The search has asked about the moves that it tried; the network is asked about the others now.
    """
    known = {edge.move: edge.value for edge in edges if edge.value is not None}
    positions = {edge.move: search.position.copy().play(edge.move) for edge in edges if edge.move not in known}
    roots = {move: root_of(position) for move, position in positions.items() if not position.is_over}
    if roots:
        boards = np.concatenate([root.board for root in roots.values()])
        history = np.concatenate([root.history for root in roots.values()])
        answers = search.evaluator.network.answer(boards, history, np.zeros(len(roots), np.int64))
        known |= dict(zip(roots, (-np.clip(answers.values, -1, 1)).tolist(), strict=True))
    return known
