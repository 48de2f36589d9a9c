"""Judge by rollouts which stones are dead. Equal stones always get the same judgement."""

import numpy as np

from go.board import BLACK, WHITE
from go.playout import new_rng
from go.position import Position
from rollout.playout import PlayoutPolicy, policy_games

ROLLOUTS = 400  # that are always played,
MOST_ROLLOUTS = 3_200  # and that are played where it is a close call
SURVIVES = 0.3  # least share of rollouts in which a living chain keeps its points
CLOSE = 2.0  # standard errors: a share that is nearer to `SURVIVES` than this is a close call


def judge_dead(position: Position, policy: PlayoutPolicy) -> set[int]:
    """Return the stones of chains that mostly lose their points in rollouts.

    The answer depends on the stones and the policy alone: not on the moves before, the turn, earlier calls, or the
    replies that a search has stored. Each side begins half of the rollouts: rollouts do not pass, and in a seki whoever
    begins loses. The number of rollouts is doubled as long as a chain is a close call.
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
