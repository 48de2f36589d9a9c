"""Matches in lockstep: between two networks that search, or between a network and any other player.

Colours alternate: the first side is black in games of even number. There is no noise. So that games differ, the first
few moves are sampled as in self-play; later moves are the best ones.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from go.player import RandomPlayer
from nets.find import find_weights
from pipeline.errors import UserError
from rollout.model import Model
from rollout.player import RolloutPlayer
from zero.games import Terms
from zero.rules import Rule
from zero.self_play import Lockstep, Record, Side

PLACES = 64
OPENING = 0.1  # sampled moves per point of the board, rounded up: 9 on 9x9


class MatchResult(NamedTuple):
    """The games of a match, seen by the first side."""

    won: float  # a draw is half a game
    games: int
    won_as_black: float

    @property
    def share(self) -> float:
        return self.won / self.games


def opening_moves(size: int) -> int:
    """Return how many moves are sampled at the beginning of a game."""
    return int(np.ceil(OPENING * size**2))


def play_match(
    first: Side,
    second: Side,
    count: int,
    seed: tuple[int, ...],
    size: int,
    rule: Rule,
    terms: Terms,
    advance: Callable[[int], None] = lambda games: None,
) -> MatchResult:
    """Play `count` games between two sides: networks that search by `rule`, or players."""
    lockstep = Lockstep(size, rule, terms, min(count, PLACES))
    records: list[Record] = []
    for record in lockstep.play(
        range(count), seed, lambda number: (first, second) if number % 2 == 0 else (second, first)
    ):
        records.append(record)
        advance(1)
    outcomes = np.array([record.outcome if record.number % 2 == 0 else -record.outcome for record in records])
    is_black = np.array([record.number % 2 == 0 for record in records])
    won = (outcomes + 1) / 2
    return MatchResult(float(won.sum()), count, float(won[is_black].sum()))


def match_terms(komi: float, limit: int, size: int) -> Terms:
    """Return what the games of a match have in common: nobody resigns."""
    return Terms(komi, limit, opening_moves(size))


def fixed_player(name: str, size: int, seed: int) -> Side:
    """Return a player that never changes, to measure progress by: `random` or `rollout`, the shipped policy."""
    if name == "random":
        return RandomPlayer(seed)
    if name == "rollout":
        return RolloutPlayer(Model.load(find_weights("rollout", size)), seed=seed)
    raise UserError(f"opponents has {name}, which is none of random, rollout.")
