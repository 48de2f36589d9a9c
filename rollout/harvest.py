"""Harvest patterns from a store: 3x3 patterns of candidates, diamonds of moves, and diamonds with their answers."""

from typing import NamedTuple

import numpy as np

from go.board import LEGAL, is_eye, legality
from go.coordinates import PASS
from go.jit import kernel
from rollout.features import diamond_seen
from rollout.games import Games, Replay, begin_game, earlier_point, play_ply, prepare_ply
from rollout.lookup import SQUARE_CODES
from rollout.patterns import DIAMOND_IMAGES, DIAMOND_STEPS, SQUARE_IMAGES, canonical, seen_by, turned_codes

NOWHERE = -1


class Harvest(NamedTuple):
    """Canonical patterns and their numbers of occurrences."""

    squares: np.ndarray
    square_counts: np.ndarray
    responses: np.ndarray  # diamonds around the previous move
    places: np.ndarray  # index of the move's point in each of these diamonds
    response_counts: np.ndarray
    diamonds: np.ndarray
    diamond_counts: np.ndarray


@kernel
def _scan(store, chosen_games, replay, squares, answers, places, diamonds):
    """Count the 3x3 patterns of all candidates and record the diamonds of played moves. Return the number of moves."""
    count = 0
    for index in range(len(chosen_games)):
        game = store.games[chosen_games[index]]
        begin_game(store, replay)
        for ply in range(game.n_moves):
            color, point = prepare_ply(store, replay, game, ply)
            b, t = replay.board[0], replay.tracker[0]
            if point != PASS and (color & game.learn) != 0:
                for i in range(b.n_empty):
                    p = np.int64(b.empties[i])
                    if legality(b, p, color) == LEGAL and not is_eye(b, p, color):
                        squares[seen_by(np.int64(t.code[p]), 8, color)] += 1
                last = earlier_point(store, game, ply, 1)
                places[count] = NOWHERE
                for k in range(len(DIAMOND_STEPS)):
                    if last != PASS and last + DIAMOND_STEPS[k] == point:
                        places[count] = k
                        answers[count] = diamond_seen(t, last, color)
                diamonds[count] = diamond_seen(t, point, color)
                count += 1
            play_ply(replay, point)
    return count


def added_up(codes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Add up the counts of equal codes. Return codes and sums, most frequent first."""
    unique, where = np.unique(codes, return_inverse=True)
    sums = np.bincount(where, counts, minlength=len(unique)).astype(np.int64)
    order = np.argsort(-sums, kind="stable")
    return unique[order], sums[order]


def harvest(store: Games, chosen_games: np.ndarray, replay: Replay) -> Harvest:
    """Replay games and count their patterns."""
    most = int(store.games["n_moves"][chosen_games].sum())
    squares = np.zeros(SQUARE_CODES, np.uint32)
    answers, places, diamonds = np.zeros(most, np.int64), np.zeros(most, np.int8), np.zeros(most, np.int64)
    count = _scan(store, chosen_games, replay, squares, answers, places, diamonds)
    met = np.flatnonzero(squares)
    square_codes = added_up(canonical(met, SQUARE_IMAGES)[0], squares[met])

    answered = np.flatnonzero(places[:count] != NOWHERE)
    _, where, times = np.unique(
        answers[answered] * len(DIAMOND_STEPS) + places[answered], return_index=True, return_counts=True
    )
    answered = answered[where]
    codes, symmetry = canonical(answers[answered], DIAMOND_IMAGES)
    place = _smallest_place(codes, DIAMOND_IMAGES[symmetry, places[answered]])
    response_keys, response_counts = added_up(codes * len(DIAMOND_STEPS) + place, times)

    raw, times = np.unique(diamonds[:count], return_counts=True)
    diamond_codes = added_up(canonical(raw, DIAMOND_IMAGES)[0], times)
    return Harvest(
        *square_codes,
        response_keys // len(DIAMOND_STEPS),
        response_keys % len(DIAMOND_STEPS),
        response_counts,
        *diamond_codes,
    )


def _smallest_place(codes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the smallest of the points that the symmetries of a pattern map to each other."""
    best = places.copy()
    for images in DIAMOND_IMAGES:
        same = turned_codes(codes, images[None])[0] == codes
        best = np.where(same, np.minimum(best, images[places]), best)
    return best
