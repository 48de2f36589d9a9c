"""The Candidate Generation System of Kim & Yoo 2000: five candidates with their reasons, and the choice among them.

After each stone the system finds influence, safety, PV and PM (`classics.influence`), tries every move, keeps the five
best as candidates and plays the one with the highest PV. V(a) is the sum of the probabilities that black owns a point
(equation 13), so one ply deep it is PM_B of the board after the move; black wants it large and white small (equations
14 and 15). The page of the paper with the procedure itself is lost: how it is done here is ours (`classics.settings`).
"""

from typing import NamedTuple

import numpy as np

from classics.groups import root_of
from classics.influence import Fields, find_fields, new_fields
from classics.settings import CgsSettings, rules_of
from go.board import (
    BLACK,
    COLOR_NAMES,
    EMPTY,
    LEGAL,
    WHITE,
    adjacent_chains,
    count_liberties,
    game_legality,
    is_eye,
    play,
)
from go.coordinates import gtp_from_point
from go.jit import kernel
from go.position import Position

TRIAL = np.dtype(
    [
        ("point", np.int64),
        ("v", np.float64),  # V after the move: PM_B
        ("pv", np.float64),  # PV of the point for the mover, before the move
        ("pv_after", np.float64),  # and after it
        ("safety", np.float64),  # of the mover's block after the move
        ("contact", np.float64),  # of the safest block of the opponent that the move touches, after the move; 0: none
        ("taken", np.int64),  # stones captured
    ]
)
EQUAL = 1e-9  # V of symmetric moves differs by rounding only
NOTABLE = 0.1  # least change of a block's safety that is a reason for a move
DEFENCE = ("save", "eye", "link", "defend")


class CgsCandidate(NamedTuple):
    """A candidate: what it is good for (`types`), and the numbers behind it."""

    point: int
    v: float  # V, or PM_B, after the move
    gain: float  # of V for the mover
    pv: float  # of the point, for the mover, before the move
    types: tuple[str, ...]
    why: str


class Block(NamedTuple):
    """The paper's record of a block: colour, number of stones, liberties (L0) and safety."""

    head: int
    color: int
    stones: int
    liberties: int
    safety: float


class Analysis(NamedTuple):
    """What the system finds in a position. Arrays are by row and column."""

    ip: np.ndarray
    safety: np.ndarray  # of the block on a point; 0 on empty points
    pv: np.ndarray  # PV+: black's share of each point
    pm_black: float
    pm_white: float
    pms: float  # PM of the side to move
    candidates: list[CgsCandidate]  # the one to play first

    @property
    def ips(self) -> float:
        return float(self.ip.sum())

    @property
    def pmd(self) -> float:
        return abs(self.pm_black - self.pm_white)


@kernel
def _try_moves(boards, hashes, plies, rules, before, after, work, trials):
    """Try every legal move that fills no own eye. Write a TRIAL for each, in board order; return their number."""
    b = boards[0]
    color = np.int64(b.to_move)
    enemy = BLACK + WHITE - color
    count = 0
    for p in range(len(before.pv)):
        if b.color[p] != EMPTY or is_eye(b, p, color) or game_legality(b, p, color, hashes, plies) != LEGAL:
            continue
        work[0] = b
        play(work[0], p)
        trial = trials[count]
        trial.point = p
        trial.v = find_fields(work[0], rules, after)
        trial.pv = before.pv[p] if color == BLACK else 1 - before.pv[p]
        trial.pv_after = after.pv[p] if color == BLACK else 1 - after.pv[p]
        trial.safety = after.safety[work[0].chain[p]]
        trial.taken = work[0].n_taken
        trial.contact = 0.0
        for head in adjacent_chains(work[0], p, enemy):
            if head != 0:
                trial.contact = max(trial.contact, after.safety[head])
        count += 1
    return count


class Cgs:
    """The system for one board size."""

    def __init__(self, size: int, settings: CgsSettings | None = None) -> None:
        self.size, self.settings = size, settings or CgsSettings()
        self.rules = rules_of(self.settings, size)
        self.before, self.after = new_fields(), new_fields()
        self.trials = np.zeros(size * size, TRIAL)

    def fields(self, position: Position) -> tuple[Fields, float]:
        """Return the fields of a position, which the next call overwrites, and PM_B."""
        return self.before, find_fields(position.board, self.rules, self.before)

    def blocks(self, position: Position) -> list[Block]:
        """Return the records of all blocks, in board order of their heads."""
        fields, _ = self.fields(position)
        board = position.board
        return [
            Block(
                head,
                int(board["color"][head]),
                int(board["stones"][head]),
                count_liberties(board, head),
                float(fields.safety[head]),
            )
            for head in _heads(board)
        ]

    def try_moves(self, position: Position) -> np.ndarray:
        """Return a TRIAL for each legal move that fills no own eye, in board order."""
        find_fields(position.board, self.rules, self.before)
        hashes, work = position.hashes, np.empty_like(position.boards)
        plies = len(hashes) if position.superko else 0
        count = _try_moves(position.boards, hashes, plies, self.rules, self.before, self.after, work, self.trials)
        return self.trials[:count].copy()

    def analyse(self, position: Position) -> Analysis:
        """Return everything the system finds in a position, its candidates included."""
        trials = self.try_moves(position)
        fields, pm_black = self.fields(position)
        board = position.board
        on_stones = np.where((board["color"] == BLACK) | (board["color"] == WHITE), fields.safety[board["chain"]], 0.0)
        pm_white = self.size**2 - pm_black
        pms = pm_black if position.to_move == BLACK else pm_white
        return Analysis(
            position.by_row_and_column(fields.ip),
            position.by_row_and_column(on_stones),
            position.by_row_and_column(fields.pv),
            pm_black,
            pm_white,
            pms,
            self._chosen(position, trials, pm_black, pms),
        )

    def _chosen(self, position: Position, trials: np.ndarray, pm_black: float, pms: float) -> list[CgsCandidate]:
        """Keep the best candidates; the one to play comes first."""
        settings, sign = self.settings, 1 if position.to_move == BLACK else -1
        gains = sign * (trials["v"] - pm_black)
        allowed = gains >= settings.least_gain
        if settings.contact:
            allowed &= (trials["contact"] <= trials["safety"]) | (trials["taken"] > 0)
        trials, gains = trials[allowed], gains[allowed]
        worth = gains if settings.source == "v" else trials["pv"]
        kept = _best(worth, settings.candidates)
        found = [self._candidate(position, trials[i], float(gains[i])) for i in kept]
        merit = gains if settings.choice == "v" else trials[settings.choice]
        order = _best(merit[kept], len(kept))
        ranked = [found[i] for i in order]
        if settings.ahead == "defend" and pms > self.size**2 / 2:
            ranked.sort(key=lambda candidate: not set(candidate.types) & set(DEFENCE))  # stable
        return ranked

    def _candidate(self, position: Position, trial: np.void, gain: float) -> CgsCandidate:
        point = int(trial["point"])
        types = self._types(position, point)
        told = ", ".join(f"{kind} {where}" if where else kind for kind, where in types.items())
        why = f"{told}: PV {trial['pv']:.2f}, V {gain:+.1f}"
        return CgsCandidate(point, float(trial["v"]), gain, float(trial["pv"]), tuple(types), why)

    def _types(self, position: Position, point: int) -> dict[str, str]:
        """Return what a move is good for, and for which block. The types and their tests are ours."""
        color, size = position.to_move, position.size
        before, _ = self.fields(position)
        board = position.board
        after_move = position.copy().play(point).board
        find_fields(after_move, self.rules, self.after)
        types: dict[str, str] = {}
        if after_move["n_taken"]:
            types["capture"] = f"of {after_move['n_taken']}"
        roots: dict[int, int] = {}  # groups before the move that are in the group of the move
        group_after = root_of(self.after.group, after_move["chain"][point])
        weakest = strongest = (0.0, 0)
        for head in _heads(board):
            if after_move["color"][head] == EMPTY:
                continue
            new_head = after_move["chain"][head]
            change = self.after.safety[new_head] - before.safety[head]
            if board["color"][head] == color:
                if count_liberties(board, head) == 1 and count_liberties(after_move, new_head) > 1:
                    types["save"] = gtp_from_point(head, size)
                strongest = max(strongest, (change, head))
                if root_of(self.after.group, new_head) == group_after:
                    roots.setdefault(root_of(before.group, head), head)
            else:
                weakest = max(weakest, (-change, head))
        eyes_before = sum(int(before.eyes[root]) for root in roots)
        if self.after.eyes[group_after] > eyes_before:
            types["eye"] = f"for {gtp_from_point(point, size)}"
        if len(roots) > 1:
            types["link"] = " and ".join(gtp_from_point(head, size) for head in list(roots.values())[:2])
        if strongest[0] >= NOTABLE and "save" not in types:
            types["defend"] = gtp_from_point(strongest[1], size)
        if weakest[0] >= NOTABLE:
            types["attack"] = gtp_from_point(weakest[1], size)
        return types or {"extend": ""}

    def candidate_set(self, position: Position) -> list[int]:
        """Return the moves with the best V for the side to move (equations 14, 15): all have the same V (17)."""
        trials = self.try_moves(position)
        if not len(trials):
            return []
        v = trials["v"] if position.to_move == BLACK else -trials["v"]
        return trials["point"][v >= v.max() - EQUAL].tolist()

    def probabilities(self, position: Position, depth: int = 0) -> np.ndarray:
        """Return P, the chance of each point to be black's at the end, by row and column (equations 9, 10 and 16).

        At depth 0, or without a move, P is PV+. Deeper, it is the mean of P after each move of the candidate set.
        """
        moves = self.candidate_set(position) if depth else []
        if not moves:
            return position.by_row_and_column(self.fields(position)[0].pv)
        return np.mean([self.probabilities(position.copy().play(move), depth - 1) for move in moves], axis=0)

    def changes(self, position: Position, move: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the two changes that a move makes to P (equation 11), by row and column.

        The first is that of placing the stone, the second that of handing over the turn, one ply deep.
        """
        after = position.copy().play(move)
        placed = self.probabilities(after)
        return placed - self.probabilities(position), self.probabilities(after, 1) - placed


def _heads(board: np.void) -> list[int]:
    """Return the heads of all blocks on a board."""
    chain = board["chain"]
    return np.flatnonzero((chain == np.arange(len(chain))) & (chain > 0)).tolist()


def _best(worth: np.ndarray, count: int) -> list[int]:
    """Return the indices of the largest values, the largest first. Of equal ones the first on the board comes first."""
    return np.argsort(-np.round(worth, 9), kind="stable")[:count].tolist()


def standing(analysis: Analysis) -> str:
    """Say in a few words how the board is shared."""
    ahead = BLACK if analysis.pm_black > analysis.pm_white else WHITE
    lead = f", {COLOR_NAMES[ahead]} ahead by {analysis.pmd:.1f}" if analysis.pmd >= 0.05 else ""
    return f"PM_B {analysis.pm_black:.1f}, PM_W {analysis.pm_white:.1f}{lead}"
