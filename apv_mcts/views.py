"""What a search knows of a position, as the numbers of Figure 5: for each of its boards a map from moves to numbers.

The letters are those of the paper. Numbers go from 0 to 1: the chance of the side to move to win (a, b, c), or a share
of the whole (d, e). What the search has no part for is said to be missing, and never shown as a zero.
"""

from typing import NamedTuple

import numpy as np

from apv_mcts.player import tried
from apv_mcts.search import EdgeStatistics, Search, root_of, win_rate

NO_SIMULATIONS = "no simulations"


class View(NamedTuple):
    """Numbers by move, passing among them; `faint` moves were tried too seldom for their number to say much."""

    letter: str
    title: str
    numbers: dict[int, float]
    faint: frozenset[int] = frozenset()
    missing: str = ""  # what is not there, if it cannot be shown

    @property
    def best(self) -> int | None:
        """The move with the highest number, among those that are not faint."""
        sure = [move for move in self.numbers if move not in self.faint]
        return max(sure, key=self.numbers.__getitem__, default=None)


def views_of(search: Search) -> list[View]:
    """Return the boards a to e of the root; f is `Search.principal_variation`."""
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


def _unless(found: dict[int, float]) -> str:
    return "" if found else NO_SIMULATIONS


def _chances(values: dict[int, float]) -> dict[int, float]:
    return {move: win_rate(value) for move, value in values.items()}


def _priors(search: Search, edges: list[EdgeStatistics]) -> View:
    """Return the priors, with the name of whoever gave them."""
    settings = search.settings
    if not has_priors(search):
        return View("d", "Priors", {}, missing=f"no priors with {settings.rule}")
    source = "policy network" if settings.policy else "tree policy" if settings.priors == "tree" else "all moves alike"
    return View("d", f"Priors: {source}", {edge.move: edge.prior for edge in edges})


def has_priors(search: Search) -> bool:
    """Tell if the search looks at priors: UCB1 and flat search do not."""
    return search.settings.rule == "puct"


def successor_values(search: Search, edges: list[EdgeStatistics]) -> dict[int, float]:
    """Return by move what the value network says of the position after it, as the player of the move sees it.

    The search has asked about the moves that it tried; the others are asked about now, so that none is left out.
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
