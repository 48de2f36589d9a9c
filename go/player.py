"""What a player is: a position in, a move out, with its reasons. And the simplest one.

Everything that plays keeps to `Player`, so that anything can be matched with anything.
"""

from typing import NamedTuple, Protocol

import numpy as np

from go.board import BLACK, WHITE, is_eye
from go.coordinates import PASS
from go.position import Position

RESIGN = -1  # a decision beside the points of `go.coordinates` and PASS; no board has it


class Candidate(NamedTuple):
    """A move that a player thought of: how probable it is, from 0 to 1, and why in a few words."""

    point: int
    probability: float
    why: str = ""


class Decision(NamedTuple):
    """What a player plays (a point, PASS or RESIGN), why, and what else it thought of, the most probable first."""

    move: int
    why: str
    candidates: list[Candidate]


class Player(Protocol):
    """Anything that plays."""

    name: str

    def decide(self, position: Position) -> Decision:
        """Choose a move for the side to move."""


def sensible_moves(position: Position) -> list[int]:
    """Return the legal moves, superko included, that fill no own eye."""
    color = position.to_move
    return [int(point) for point in position.legal_moves() if not is_eye(position.board, int(point), color)]


def ends_well(position: Position) -> bool:
    """Tell if the opponent has just passed and the side to move, by passing too, wins as the board stands."""
    if not position.history or position.history[-1] != (BLACK + WHITE - position.to_move, PASS):
        return False
    score = position.score()
    return score > 0 if position.to_move == BLACK else score < 0


def decided(
    position: Position, candidates: list[Candidate], rng: np.random.Generator, greedy: bool = False
) -> Decision:
    """Draw one of some candidates by their probabilities, or take the most probable; pass if that is better."""
    if not candidates:
        return Decision(PASS, "no sensible move is left", [])
    if ends_well(position):
        return Decision(PASS, "the opponent passed, and the game is won as it stands", candidates)
    chances = np.array([candidate.probability for candidate in candidates], float)
    place = chances.argmax() if greedy else rng.choice(len(chances), p=chances / chances.sum())
    chosen = candidates[int(place)]
    return Decision(chosen.point, chosen.why, candidates)


class RandomPlayer:
    """Plays any sensible move with the same chance, and passes when there is none."""

    name = "random"

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        moves = sensible_moves(position)
        why = f"by lot among {len(moves)}"
        return decided(position, [Candidate(move, 1 / len(moves), why) for move in moves], self.rng)
