"""Judge by rollouts which stones are dead. The same stones always get the same judgement."""

import numpy as np

from go.board import BLACK, WHITE
from go.playout import new_rng
from go.position import Position
from rollout.playout import PlayoutPolicy, policy_games

ROLLOUTS = 400  # minimum number of rollouts
MOST_ROLLOUTS = 3_200  # maximum number of rollouts, for close calls
SURVIVES = 0.3  # minimum share of rollouts in which a living chain keeps its points
CLOSE = 2.0  # standard errors: a share nearer to `SURVIVES` than this is a close call


def judge_dead(position: Position, policy: PlayoutPolicy) -> set[int]:
    """Return the stones of chains that lose their points in most rollouts.

    The answer depends only on the stones and the policy: not on earlier moves, the turn, earlier calls or replies that
    a search has stored. Each side moves first in half of the rollouts, because rollouts do not pass, and in a seki the
    side that moves first loses. The number of rollouts is doubled while a chain is a close call.
    """
    starts = [position.copy().set_up(to_move=color) for color in (BLACK, WHITE)]  # without ko and history
    board = starts[0].board
    chains: dict[int, list[int]] = {}
    for point in np.flatnonzero((board["color"] == BLACK) | (board["color"] == WHITE)).tolist():
        chains.setdefault(int(board["chain"][point]), []).append(point)
    rng = new_rng(int(board["hash"]), position.size)
    owned, done, wanted = np.zeros((3, len(board["color"]))), 0, ROLLOUTS
    shares: dict[int, float] = {}
    while done < wanted:
        for start in starts:
            owned += policy_games(start, (wanted - done) // 2, policy._replace(reply_chance=0.0), rng)[1]
        done = wanted
        shares = {
            chain: float(owned[board["color"][chain_points], chain_points].mean()) / done
            for chain, chain_points in chains.items()
        }
        if wanted < MOST_ROLLOUTS and any(_is_close(share, done) for share in shares.values()):
            wanted *= 2
    return {point for chain, share in shares.items() if share < SURVIVES for point in chains[chain]}


def _is_close(share: float, rollouts: int) -> bool:
    return abs(share - SURVIVES) < CLOSE * (share * (1 - share) / rollouts) ** 0.5
