"""What networks are given: planes of boards with their history, and beside them the moves that may be chosen.

A network that sees few planes still chooses among the same moves: what it may play is encoded with its planes, and cut
off before the network sees it.
"""

import numpy as np

from data.positions import Positions
from data.store import GameStore
from features48.encoder import Encoder
from features48.groups import GROUPS, groups_of
from go.board import BLACK, WHITE
from go.history import histories_of
from go.position import Position
from nets.actions import actions_of, points_of, turned
from nets.description import ZERO_PLANES, Description

# Each legal move leaves its chain with some number of liberties, so one of these planes tells that it is legal.
TOLD_BY = {"sensible": "sensibleness", "legal": "liberties_after"}


class Inputs:
    """The 48 planes, or a subset of them, and the moves that may be chosen."""

    def __init__(self, planes: int, moves: str = "sensible", threads: int = 1) -> None:
        names, told_by = groups_of(planes), TOLD_BY[moves]
        wanted = names if told_by in names else (*names, told_by)
        self.planes = planes
        self.encoder = Encoder(wanted, threads)
        first = sum(GROUPS[name].planes for name in wanted[: wanted.index(told_by)])
        self.telling = slice(first, first + GROUPS[told_by].planes)

    def split(self, encoded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the network sees, and bool[batch, actions] with the moves to choose from."""
        allowed = encoded[:, self.telling].any(axis=1).reshape(len(encoded), -1)
        return encoded[:, : self.planes], allowed

    def boards(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Return the planes of boards, each turned by its symmetry, as the network sees them."""
        return self.encoder.boards(boards, history, symmetries)[:, : self.planes]

    def of_positions(self, positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
        """Return planes of positions, and the moves to choose from."""
        boards = np.concatenate([position.boards for position in positions])
        return self.split(self.encoder.boards(boards, histories_of(positions)))

    def of_store(self, store: GameStore, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """Return planes of positions of a store, and the moves to choose from."""
        return self.split(self.encoder.batch(store, positions.games, positions.plies, positions.symmetries))


class ZeroInputs:
    """The 17 planes of AlphaGo Zero: own and opponent's stones in the last eight positions, and the colour to move.

    The planes go in pairs from the present position back; the last plane is 1 if black is to move (Silver et al. 2017).
    """

    planes = ZERO_PLANES

    def boards(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Return the planes of boards, each turned by its symmetry."""
        size = int(boards[0]["rows"])
        stones = history["stones"][:, :, points_of(size)].reshape(len(boards), -1, size, size)
        to_move = boards["to_move"].astype(np.uint8)[:, None, None, None]
        planes = np.empty((len(boards), ZERO_PLANES, size, size), np.uint8)
        planes[:, 0:-1:2] = stones == to_move
        planes[:, 1:-1:2] = stones == BLACK + WHITE - to_move
        planes[:, -1] = (to_move == BLACK)[:, 0]
        return turned(planes, symmetries)

    def of_positions(self, positions: list[Position]) -> tuple[np.ndarray, np.ndarray]:
        """Return planes of positions, and the moves to choose from: all legal ones."""
        boards = np.concatenate([position.boards for position in positions])
        planes = self.boards(boards, histories_of(positions), np.zeros(len(positions), np.int64))
        allowed = np.zeros((len(positions), positions[0].size ** 2), bool)
        for row, position in zip(allowed, positions, strict=True):
            row[actions_of(position.legal_moves(), position.size)] = True
        return planes, allowed

    def of_store(self, store: GameStore, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """Return planes of positions of a store, each turned by its symmetry, and the moves to choose from."""
        whole = [store.position(int(g), int(p)) for g, p in zip(positions.games, positions.plies, strict=True)]
        planes, allowed = self.of_positions(whole)
        as_planes = allowed.reshape(len(allowed), 1, store.size, store.size)
        return turned(planes, positions.symmetries), turned(as_planes, positions.symmetries).reshape(allowed.shape)


def inputs_of(description: Description, threads: int = 1) -> Inputs | ZeroInputs:
    """Return the encoder of a network."""
    if description.planes == ZERO_PLANES:
        return ZeroInputs()
    return Inputs(description.planes, description.moves, threads)
