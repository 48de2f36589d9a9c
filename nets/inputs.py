"""What networks are given: planes of boards with their history, and beside them the moves that may be chosen.

A network that sees few planes still chooses among the same moves: what it may play is encoded with its planes, and cut
off before the network sees it.
"""

import numpy as np

from data.positions import Positions
from data.store import GameStore
from features48.encoder import Encoder
from features48.groups import GROUPS, groups_of
from go.board import BLACK, EMPTY, LEGAL, WHITE, count_liberties, legality
from go.history import BOARDS, histories_of
from go.jit import kernel
from go.position import Position
from nets.actions import actions_of, images_of_actions, points_of, turned
from nets.description import TUTORIAL_PLANES, ZERO_PLANES, Description

# Each legal move leaves its chain with some number of liberties, so one of these planes tells that it is legal.
TOLD_BY = {"sensible": "sensibleness", "legal": "liberties_after"}
WATCHED_LIBERTIES = 3  # stones with up to so many have a plane, in the 21 planes


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
    """The planes of AlphaGo Zero and its relatives, turned by symmetries.

    | planes | what                                                                                                 |
    |--------|------------------------------------------------------------------------------------------------------|
    | 17     | own and opponent's stones in the last eight positions, in pairs from the present one back; a plane   |
    |        | that is 1 if black is to move (Silver et al. 2017)                                                   |
    | 21     | those 17; stones with one, two and three liberties, of either colour; the point that ko forbids      |
    | 7      | own stones, opponent's stones, empty points, the last move, the last but one, legal moves, and a     |
    |        | plane that is 1 if black is to move                                                                  |
    """

    def __init__(self, planes: int = ZERO_PLANES) -> None:
        self.planes = planes

    def boards(self, boards: np.ndarray, history: np.ndarray, symmetries: np.ndarray) -> np.ndarray:
        """Return the planes of boards, each turned by its symmetry. Superko is not known here: see the 7 planes."""
        size = int(boards[0]["rows"])
        planes = np.zeros((len(boards), self.planes, size * size), np.uint8)
        given = boards, history, symmetries, points_of(size), images_of_actions(size), planes
        if self.planes == TUTORIAL_PLANES:
            _write_tutorial_planes(*given)
        else:
            _write_zero_planes(*given)
        return planes.reshape(len(boards), self.planes, size, size)

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


@kernel
def _write_zero_planes(boards, history, symmetries, points, images, planes):
    """Write the 17 planes of Zero and, if there are more, those of liberties and of ko."""
    last = 2 * BOARDS
    for i in range(len(boards)):
        b, stones, image = boards[i], history[i].stones, images[symmetries[i]]
        own = np.int64(b.to_move)
        for a in range(len(points)):
            p, place = points[a], image[a]
            for k in range(BOARDS):
                color = stones[k, p]
                if color != EMPTY:
                    planes[i, 2 * k + (color != own), place] = 1
            planes[i, last, place] = own == BLACK
            if planes.shape[1] > ZERO_PLANES:
                if b.color[p] != EMPTY:
                    liberties = count_liberties(b, b.chain[p])
                    if liberties <= WATCHED_LIBERTIES:
                        planes[i, last + liberties, place] = 1
                elif p == b.ko:
                    planes[i, last + WATCHED_LIBERTIES + 1, place] = 1


@kernel
def _write_tutorial_planes(boards, history, symmetries, points, images, planes):
    for i in range(len(boards)):
        b, recent, image = boards[i], history[i].recent, images[symmetries[i]]
        own = np.int64(b.to_move)
        for a in range(len(points)):
            p, place = points[a], image[a]
            color = b.color[p]
            planes[i, 0, place] = color == own
            planes[i, 1, place] = color == BLACK + WHITE - own
            planes[i, 2, place] = color == EMPTY
            planes[i, 3, place] = recent[0] == p
            planes[i, 4, place] = recent[1] == p
            planes[i, 5, place] = legality(b, p, own) == LEGAL
            planes[i, 6, place] = own == BLACK


def inputs_of(description: Description, threads: int = 1) -> Inputs | ZeroInputs:
    """Return the encoder of a network."""
    if description.is_zero:
        return ZeroInputs(description.planes)
    return Inputs(description.planes, description.moves, threads)
