"""What a player is: a position in, a move out, with its reasons. Also the simplest player.

Everything that plays implements `Player`, so any two players can play a game (`go.match`). A room that has players
offers them as `PLAYERS` in its `player.py`: by the name of a kind, a function that makes a player. Its arguments are
settings of a player (`arena.players`), by their names.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from go.board import BLACK, WHITE, is_eye
from go.coordinates import MAX_SIZE, MIN_SIZE, PASS
from go.errors import GoError
from go.position import Position

ALL_SIZES = tuple(range(MIN_SIZE, MAX_SIZE + 1))
RESIGN = -1  # no point of any board


class Candidate(NamedTuple):
    """A move that a player considered, its probability from 0 to 1, and the reason in a few words."""

    point: int
    probability: float
    why: str = ""


class Decision(NamedTuple):
    """The move of a player (a point, PASS or RESIGN), the reason, and all candidates, the most probable first.

    `win_rate` is the player's own estimate of its chance to win, from 0 to 1; None if it has none.
    """

    move: int
    why: str
    candidates: list[Candidate]
    win_rate: float | None = None


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
    """Tell whether the opponent has just passed and a second pass would win the game."""
    if not position.history or position.history[-1] != (BLACK + WHITE - position.to_move, PASS):
        return False
    score = position.score()
    return score > 0 if position.to_move == BLACK else score < 0


def decided(
    position: Position, candidates: list[Candidate], rng: np.random.Generator, greedy: bool = False
) -> Decision:
    """Choose a candidate: at random by probability, or the most probable one if `greedy`. Pass if that wins."""
    if not candidates:
        return Decision(PASS, "no sensible move is left", [])
    if ends_well(position):
        return Decision(PASS, "the opponent passed, and the game is won as it stands", candidates)
    chances = np.array([candidate.probability for candidate in candidates], float)
    place = chances.argmax() if greedy else rng.choice(len(chances), p=chances / chances.sum())
    chosen = candidates[int(place)]
    return Decision(chosen.point, chosen.why, candidates)


class RandomPlayer:
    """Plays a random sensible move, and passes if there is none."""

    name = "random"

    def __init__(self, seed: int = 1) -> None:
        self.rng = np.random.default_rng(seed)

    def decide(self, position: Position) -> Decision:
        moves = sensible_moves(position)
        why = f"by lot among {len(moves)}"
        return decided(position, [Candidate(move, 1 / len(moves), why) for move in moves], self.rng)


def check_board(name: str, sizes: Sequence[int], size: int) -> None:
    """Raise `GoError` if a player does not play on boards of this size."""
    if size not in sizes:
        raise GoError(f"player={name} plays on {', '.join(f'{known}x{known}' for known in sizes)} only.")


class AnyBoard:
    """A player for several board sizes: makes a player for each size when it first comes up.

    `maps` are the heat maps that it offers besides the probabilities of its moves.
    """

    def __init__(self, name: str, make: Callable[[int], Player], sizes: tuple[int, ...] = ALL_SIZES) -> None:
        self.name, self.make, self.sizes = name, make, sizes
        self.players: dict[int, Player] = {}
        self.maps: dict[str, Callable[[Position], np.ndarray]] = {}

    def plays_on(self, size: int) -> bool:
        return size in self.sizes

    def get_ready(self, size: int) -> Player:
        """Return the player for a board size. Load what it needs on the first call."""
        if size not in self.players:
            self.players[size] = self.make(size)
        return self.players[size]

    def decide(self, position: Position) -> Decision:
        return self.get_ready(position.size).decide(position)

    def heat_maps(self) -> dict[str, Callable[[Position], np.ndarray]]:
        return {"prior": self._prior} | self.maps

    def _prior(self, position: Position) -> np.ndarray:
        chances = np.zeros(position.board["color"].shape)
        for point, chance, _ in self.decide(position).candidates:
            chances[point] = chance
        return position.by_row_and_column(chances)


def titled(name: str, greedy: bool) -> str:
    """Return what a player without a search is called."""
    return f"{name}, greedy" if greedy else name


def random_player(name: str, seed: int) -> AnyBoard:
    return AnyBoard(name, lambda size: RandomPlayer(seed))


PLAYERS = {"random": random_player}
