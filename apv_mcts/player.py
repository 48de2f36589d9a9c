"""A player that searches. It keeps to its clock, ponders, can be watched, resigns, and judges dead stones."""

import math
import threading
import time
from collections.abc import Callable

import numpy as np

from apv_mcts.assemble import new_search, sizes_of
from apv_mcts.search import EdgeStatistics, Search, win_rate
from apv_mcts.settings import SearchSettings
from apv_mcts.time_control import seconds_for_move, seconds_more
from features48.heat_maps import plane_maps
from go.abilities import Finding, Findings
from go.board import BLACK, WHITE
from go.clock import Clock
from go.coordinates import PASS, POINTS
from go.player import RESIGN, Candidate, Decision, ends_well
from go.playout import new_rng
from go.position import Position
from rollout.judge import judge_dead
from rollout.playout import policy_games

TRIED = 0.05  # share of the most visited move's visits; the value of moves with fewer visits is not relied on
OWNERSHIP_ROLLOUTS = 400
SURE = 10  # least visits of the best move to resign or to pass on its value
EVIDENCE = 2.0  # standard errors by which a pass must be better; the outcome of a rollout has a deviation of 1 at most
LOOKED_AT = 1_000  # simulations for a heat map of a position that was not searched


class SearchPlayer:
    """Searches up to `simulations` simulations or `seconds` seconds per move, or as long as its clock allows.

    0 means no limit. If both are 0, it does not search and plays the move with the highest prior. `make` returns the
    search for a board size; it is kept until another size comes up.
    """

    def __init__(
        self,
        name: str,
        sizes: tuple[int, ...],
        make: Callable[[int], Search],
        simulations: int = 0,
        seconds: float = 0.0,
        resign: float = -1.0,
    ) -> None:
        self.name, self.sizes, self.make = name, sizes, make
        self.simulations, self.seconds, self.resign = simulations, seconds, resign
        self.clocks: dict[int, Clock | None] = {}
        self.size = 0
        self.search: Search | None = None
        self.known: Search | None = None  # the search of the position that was asked about last
        self.rng = new_rng(1)
        self.looking = threading.Lock()
        self.judgement: tuple[bytes, set[int]] | None = None  # the stones that were judged last, and the dead ones

    def plays_on(self, size: int) -> bool:
        return size in self.sizes

    def get_ready(self, size: int) -> Search:
        """Return the search for a board size. Load what it needs on the first call."""
        if self.search is None or self.size != size:
            self.end()
            self.search = self.known = None  # frees the tree of the last board before there is another
            self.size, self.search = size, self.make(size)
        return self.search

    def _at(self, position: Position) -> Search:
        self.known = None  # so that `findings` says nothing about the previous position
        search = self.get_ready(position.size)
        search.finish()
        search.set_position(position)
        self.known = search
        return search

    def decide(self, position: Position) -> Decision:
        began = time.monotonic()
        search = self._at(position)
        if self.simulations or self.seconds:
            self._think(position, search, began)
        else:
            search.prepare()
        return self._decision(position, search)

    def _think(self, position: Position, search: Search, began: float) -> None:
        clock, size, ply = self.clocks.get(position.to_move), position.size, len(position.history)
        seconds = seconds_for_move(clock, size, ply) if clock else self.seconds
        left = max(0.001, seconds - (time.monotonic() - began)) if seconds else 0.0
        done = search.run(self.simulations, left)
        more = seconds_more(clock, size, ply) if clock else 0.0
        if more and (not self.simulations or done < self.simulations) and in_two_minds(search.statistics()):
            search.run(self.simulations and self.simulations - done, more)

    def _decision(self, position: Position, search: Search) -> Decision:
        edges = search.statistics()
        total = sum(edge.visits for edge in edges)
        shares = [edge.visits / total if total else edge.prior for edge in edges]
        candidates = [
            Candidate(edge.move, share, _why(edge))
            for edge, share in zip(edges, shares, strict=True)
            if edge.move != PASS and share > 0
        ]
        may_end = ends_well(position)
        expected = win_rate(best_value(edges)) if total else None
        if may_end and not self._loses_dead_stones(position):
            return Decision(PASS, "the opponent passed, and the game is won as it stands", candidates, expected)
        if edges[0].visits >= SURE and best_value(edges) < self.resign:
            return Decision(RESIGN, f"no move wins more than {100 * expected:.0f}%", candidates, expected)
        if len(edges) == 1:
            return Decision(PASS, "no sensible move is left", candidates, expected)
        best = chosen(edges, may_pass=not may_end)
        return Decision(best.move, _why(best), candidates, win_rate(best.q) if best.visits else None)

    def _loses_dead_stones(self, position: Position) -> bool:
        """Return whether the side to move has dead stones, and has lost the game without them."""
        lost = [p for p in self.dead_stones(position) if position.board["color"][p] == position.to_move]
        return bool(lost) and not ends_well_without(position, lost)

    def begin_game(self, seed: int) -> None:
        """Forget everything but what was loaded, so that the next game depends on the seed alone."""
        if self.search is not None:
            self.search.renew(seed)
        self.rng, self.known, self.judgement = new_rng(1), None, None

    def set_clock(self, color: int, clock: Clock | None) -> None:
        self.clocks[color] = clock

    def begin(self, position: Position) -> None:
        self._at(position).start()

    def end(self) -> None:
        if self.search is not None:
            self.search.finish()

    ponder, stop = begin, end

    def findings(self, ownership: bool = False) -> Findings:
        """Return the findings at the root. A search may be running."""
        search = self.known
        if search is None:
            return Findings([])
        with search.lock:
            edges = [edge for edge in search.statistics() if edge.visits > 0]
            variations = [tuple(search.principal_variation(edge)) for edge in edges]
            position = search.position.copy()
        moves = [
            Finding(edge.move, edge.visits, win_rate(edge.q), edge.prior, pv=variation)
            for edge, variation in zip(edges, variations, strict=True)
        ]
        owned = self._ownership(position, variations[0] if variations else ()) if ownership else None
        return Findings(moves, sum(edge.visits for edge in edges), owned)

    def _ownership(self, position: Position, moves: tuple[int, ...]) -> np.ndarray:
        """Return the expected owner of each point after a variation, by rollouts: -1 for white to 1 for black."""
        for move in moves:
            if not position.is_over:
                position.play(move)
        position.board["passes"] = 0  # the game goes on
        with self.looking:
            owned = policy_games(position, OWNERSHIP_ROLLOUTS, self.get_ready(position.size).playouts, self.rng)[1]
        return position.by_row_and_column((owned[BLACK] - owned[WHITE]) / OWNERSHIP_ROLLOUTS)

    def dead_stones(self, position: Position) -> set[int]:
        """Return the stones that rollouts find dead (`rollout.judge`). The last judgement is kept."""
        stones = position.board["color"].tobytes()
        kept = self.judgement
        if kept is None or kept[0] != stones:
            kept = self.judgement = stones, judge_dead(position, self.get_ready(position.size).playouts)
        return set(kept[1])

    def heat_maps(self) -> dict[str, Callable[[Position], np.ndarray]]:
        """Return heat maps of the statistics of moves, and of the feature planes."""

        def shown(value: Callable[[EdgeStatistics], float]) -> Callable[[Position], np.ndarray]:
            def numbers(position: Position) -> np.ndarray:
                by_point = np.zeros(POINTS)
                for edge in self._looked_at(position):
                    by_point[edge.move] = value(edge)
                by_point[PASS] = 0
                return position.by_row_and_column(by_point)

            return numbers

        return {
            "prior": shown(lambda edge: edge.prior),
            "visits": shown(lambda edge: edge.visits),
            "value": shown(lambda edge: edge.q if edge.visits else 0.0),
        } | plane_maps()

    def _looked_at(self, position: Position) -> list[EdgeStatistics]:
        search = self._at(position)
        search.prepare()
        if not any(edge.visits for edge in search.statistics()):
            search.run(simulations=LOOKED_AT)
        return search.statistics()


def best_value(edges: list[EdgeStatistics]) -> float:
    """Return the highest value of all well-tried moves."""
    return max(edge.q for edge in tried(edges))


def chosen(edges: list[EdgeStatistics], may_pass: bool = True) -> EdgeStatistics:
    """Return the best move of a root whose moves are ranked (`Search.statistics`): the first, or the first but a pass.

    Passing gives the game away, so the search must prefer it on evidence. With few simulations a pass may rank first by
    chance, and its prior is a constant that says nothing.
    """
    moves = [edge for edge in edges if edge.move != PASS]
    return edges[0] if not moves or (may_pass and edges[0].move == PASS and is_sound_pass(edges)) else moves[0]


def is_sound_pass(edges: list[EdgeStatistics]) -> bool:
    """Return whether a pass that ranks first is better than every other well-tried move by more than chance."""
    passing = edges[0]
    rivals = [edge for edge in tried(edges) if edge.move != PASS]
    return passing.visits >= SURE and all(
        passing.q - rival.q > EVIDENCE * math.sqrt(1 / passing.visits + 1 / rival.visits) for rival in rivals
    )


def in_two_minds(edges: list[EdgeStatistics]) -> bool:
    """Return whether the most visited move does not have the highest value."""
    return edges[0].q < best_value(edges)


def tried(edges: list[EdgeStatistics]) -> list[EdgeStatistics]:
    """Return the well-tried moves: those with enough visits to rely on their values."""
    return [edge for edge in edges if edge.visits >= max(1, TRIED * edges[0].visits)] or edges[:1]


def ends_well_without(position: Position, stones: list[int]) -> bool:
    """Return whether the side to move wins as the board stands without some stones."""
    score = position.copy().set_up(empty=stones).score()
    return score > 0 if position.to_move == BLACK else score < 0


def _why(edge: EdgeStatistics) -> str:
    if not edge.visits:
        return f"prior {100 * edge.prior:.1f}%"
    return f"{edge.visits:,} visits, wins {100 * win_rate(edge.q):.1f}%, prior {100 * edge.prior:.1f}%"


def search_player(
    name: str, run: str, seed: int, simulations: int, seconds: float, resign: float, search: SearchSettings
) -> SearchPlayer:
    """Make a player that searches with the policies and networks of a run, or with those that come with Prezero."""
    sizes = sizes_of(search, run)
    return SearchPlayer(name, sizes, lambda size: new_search(search, size, run, seed), simulations, seconds, resign)


PLAYERS = {"search": search_player}
