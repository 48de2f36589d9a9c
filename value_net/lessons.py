"""Positions with the outcomes of their games: what the value network learns from, and what it is tested on.

All targets are seen by the player to move in the position and go from -1 to 1: the outcome z of the
game, and the owner of each point at its end.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from data.fields import BY_RESIGNATION, BY_SCORE, NO_WINNER
from data.positions import Positions
from data.replay import COLOR_SHIFT
from data.store import GameStore
from go.board import BLACK, EMPTY, WHITE
from nets.actions import turned
from nets.inputs import Inputs, ZeroInputs
from pipeline.errors import UserError
from value_net.samples import Samples

CLOSE = 2.0  # points of komi by which a game may differ and still tell who wins; resigned games are rarely close


class ValueBatch(NamedTuple):
    """Positions, each turned by a symmetry, with their targets."""

    planes: np.ndarray  # uint8[batch, planes, size, size]
    outcomes: np.ndarray  # float32[batch]
    owners: np.ndarray  # float32[batch, size, size]: 1 for a point of the player to move, -1 for one of the other


@dataclasses.dataclass
class Lessons:
    """Positions of a store by game and ply, and the owners of points at the end of each game if they are known."""

    store: GameStore
    games: np.ndarray
    plies: np.ndarray
    owners: np.ndarray | None = None  # uint8[games of the store, points]: colours
    winners: np.ndarray | None = None  # int8[games of the store], if not those of the store

    def __post_init__(self) -> None:
        self.to_move = side_to_move(self.store, self.games, self.plies)
        winners = self.store.games["winner"] if self.winners is None else self.winners
        self.outcomes = outcomes_for(winners[self.games], self.to_move)

    def __len__(self) -> int:
        return len(self.games)

    def chosen(self, index: np.ndarray) -> "Lessons":
        """Return some of the positions."""
        return Lessons(self.store, self.games[index], self.plies[index], self.owners, self.winners)

    def later(self, most: int, rng: np.random.Generator) -> "Lessons":
        """Return, for each position, one that was reached up to `most` moves later in its game."""
        left = self.store.games["n_moves"][self.games].astype(np.int64) - 1 - self.plies
        moves = rng.integers(0, np.clip(left, 0, most) + 1)
        return Lessons(self.store, self.games, self.plies + moves, self.owners, self.winners)

    def batch(self, inputs: Inputs | ZeroInputs, index: np.ndarray, symmetries: np.ndarray) -> ValueBatch:
        """Encode positions `index`, each turned by its symmetry."""
        games, size = self.games[index], self.store.size
        planes, _ = inputs.of_store(self.store, Positions(games, self.plies[index], symmetries))
        owners = np.zeros((len(index), 1, size, size), np.float32)
        if self.owners is not None:
            colors = np.asarray(self.owners[games]).reshape(owners.shape)
            own = self.to_move[index][:, None, None, None]
            owners = turned(np.where(colors == EMPTY, 0, np.where(colors == own, 1, -1)).astype(np.float32), symmetries)
        return ValueBatch(planes, self.outcomes[index], owners[:, 0])


def side_to_move(store: GameStore, games: np.ndarray, plies: np.ndarray) -> np.ndarray:
    """Return the colour to move at some plies: that of the next move or, after the last one, the other colour."""
    firsts, lengths = store.games["first_move"][games], store.games["n_moves"][games]
    is_end = plies >= lengths
    at = firsts + np.where(is_end, np.maximum(lengths - 1, 0), plies)
    colors = store.moves[at] >> COLOR_SHIFT if len(store.moves) else np.full(len(games), WHITE)
    return np.where(is_end, np.where(lengths > 0, BLACK + WHITE - colors, BLACK), colors)


def outcomes_for(winners: np.ndarray, colors: np.ndarray) -> np.ndarray:
    """Return the outcome z for each colour: 1 for a win, -1 for a loss, 0 for a draw."""
    return np.where(winners == EMPTY, 0, np.where(winners == colors, 1, -1)).astype(np.float32)


def lessons_of(samples: Samples, part: str, games: int = 0, a_game: int = 0, seed: int = 1) -> Lessons:
    """Return the samples of a part, or of its first `games` games.

    With `a_game`, that many random positions of each game take the place of its sample, which lets a network memorise.
    """
    chosen = samples.part(part)
    chosen = chosen[:games] if games else chosen
    if len(chosen) == 0:
        raise UserError(f"The {part} part of the samples in {samples.store.folder} is empty: play more games.")
    if a_game:
        return positions_of_games(samples.store, chosen, a_game, seed, samples.owners)
    return Lessons(samples.store, chosen, np.asarray(samples.plies)[chosen].astype(np.int64), samples.owners)


def positions_of_games(
    store: GameStore, games: np.ndarray, a_game: int = 0, seed: int = 1, owners: np.ndarray | None = None
) -> Lessons:
    """Return `a_game` random positions of each game (0: all of them); games without a result are left out."""
    games = games[store.games["winner"][games] != NO_WINNER]
    lengths = store.games["n_moves"][games].astype(np.int64)
    if a_game:
        games, lengths = games[lengths >= a_game], lengths[lengths >= a_game]
        rng = np.random.default_rng((seed, a_game))
        plies = [rng.choice(length, a_game, replace=False) for length in lengths]
        return Lessons(store, np.repeat(games, a_game), np.concatenate([np.empty(0, np.int64), *plies]), owners)
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return Lessons(store, np.repeat(games, lengths), np.arange(lengths.sum()) - starts, owners)


def winners_at(store: GameStore, komi: float) -> np.ndarray:
    """Return the winner of each game of a store as if it had been played at a komi; NO_WINNER if that is not known.

    A game that was counted is counted anew. A game that was resigned keeps its winner, if its komi was close. Territory
    scoring can be a point off; games with handicap, set-up stones or a loss on time are left out.
    """
    games = store.games
    signs = np.where(games["winner"] == BLACK, 1, np.where(games["winner"] == WHITE, -1, 0))
    lead = signs * games["margin"] + games["komi"] - komi
    counted = np.where(lead > 0, BLACK, np.where(lead < 0, WHITE, EMPTY))
    is_close = np.abs(games["komi"] - komi) <= CLOSE
    is_plain = (games["winner"] != NO_WINNER) & (games["handicap"] == 0) & (games["n_setup"] == 0) & is_close
    is_counted = is_plain & (games["ending"] == BY_SCORE) & np.isfinite(games["margin"])
    is_resigned = is_plain & (games["ending"] == BY_RESIGNATION)
    found = np.where(is_counted, counted, np.where(is_resigned, games["winner"], NO_WINNER))
    return found.astype(np.int8)
