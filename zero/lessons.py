"""Positions of the window as a batch to learn from: planes, and what policy, value and the other heads shall say."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from go.board import BLACK, BOARD, clear, play
from go.coordinates import SYMMETRIES
from go.history import BOARDS, HISTORY, begin_history, note_move
from go.jit import kernel
from nets.actions import images_of_actions
from nets.inputs import ZeroInputs
from zero.games import RESIGNED
from zero.window import Shard, Window


class Lesson(NamedTuple):
    """Positions with their targets. Everything is seen by the side to move, and turned as the planes are."""

    planes: np.ndarray  # uint8[batch, planes, size, size]
    policy: np.ndarray  # float32[batch, actions]: pi
    outcome: np.ndarray  # float32[batch]: z
    value: np.ndarray  # float32[batch]: z, mixed with the value of the search perhaps
    owners: np.ndarray  # float32[batch, points]: 1 for an own point, -1 for the opponent's
    score: np.ndarray  # float32[batch]: points ahead at the end, as a share of the board
    is_counted: np.ndarray  # float32[batch]: 1 if the game was counted, 0 if it was resigned


@kernel
def replay_positions(moves, starts, games, plies, size, boards, history):
    """Replay each game up to a ply: the position before the move of that ply, with its history."""
    for i in range(len(games)):
        b, first, last = boards[i], starts[games[i]], starts[games[i]] + plies[i]
        clear(b, size, size)
        begin_history(history[i], b)
        for k in range(first, last):
            play(b, np.int64(moves[k]))
            if k >= last - BOARDS:  # earlier boards are forgotten
                note_move(history[i], b, np.int64(moves[k]))


def lesson_of(
    shard: Shard,
    games: np.ndarray,
    plies: np.ndarray,
    symmetries: np.ndarray,
    inputs: ZeroInputs,
    search_value: float = 0.0,
) -> Lesson:
    """Return positions of a shard, given by the places of their games and their plies, each turned by a symmetry."""
    count, points = len(games), shard.owners.shape[1]
    size = math.isqrt(points)
    boards, history = np.zeros(count, BOARD), np.zeros(count, HISTORY)
    replay_positions(shard.moves, shard.starts, games, plies, size, boards, history)
    own = np.where(boards["to_move"] == BLACK, 1, -1).astype(np.float32)
    rows, images = np.arange(count)[:, None], images_of_actions(size, has_pass=True)[symmetries]
    at = shard.starts[games] + plies
    policy = np.zeros((count, points + 1), np.float32)
    policy[rows, images] = shard.targets[at]
    owners = np.zeros((count, points), np.float32)
    owners[rows, images[:, :points]] = shard.owners[games] * own[:, None]
    outcome = shard.outcomes[games] * own
    return Lesson(
        inputs.boards(boards, history, symmetries),
        policy / policy.sum(axis=1, keepdims=True),
        outcome,
        (1 - search_value) * outcome + search_value * shard.values[at].astype(np.float32),
        owners,
        shard.margins[games] * own / points,
        (shard.endings[games] != RESIGNED).astype(np.float32),
    )


def draw_lesson(
    window: Window, count: int, rng: np.random.Generator, inputs: ZeroInputs, search_value: float = 0.0
) -> Lesson:
    """Draw positions uniformly from all of the window that have a target, each in a random symmetry."""
    shards = [shard for _, shard in window.shards]
    ends = np.cumsum([len(shard.learnable) for shard in shards])
    drawn = np.sort(rng.integers(0, ends[-1], count))
    symmetries = rng.integers(0, SYMMETRIES, count)
    parts, places = [], np.searchsorted(ends, drawn, side="right")
    for place in np.unique(places).tolist():
        shard, mine = shards[place], places == place
        at = shard.learnable[drawn[mine] - (ends[place] - len(shard.learnable))]
        games = np.searchsorted(shard.starts, at, side="right") - 1
        plies = at - shard.starts[games]
        parts.append(lesson_of(shard, games, plies, symmetries[mine], inputs, search_value))
    return Lesson(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def draw_lessons(
    window: Window, count: int, batch: int, rng: np.random.Generator, inputs: ZeroInputs, search_value: float = 0.0
) -> Iterator[Lesson]:
    """Draw several batches at once, which is faster than one by one where the window has many shards."""
    drawn = draw_lesson(window, count * batch, rng, inputs, search_value)
    for rows in rng.permutation(count * batch).reshape(count, batch):
        yield Lesson(*(array[rows] for array in drawn))
