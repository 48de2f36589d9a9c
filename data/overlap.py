"""How many positions of one part of a store also stand in another: what a test on held-out games does not measure.

Games never stand in two parts, but positions do: everybody begins with the empty board. A position counts as seen if
the stones, as the side to move sees them, are the same in any of the eight symmetries.
"""

import numpy as np

from data.identity import SPLITS
from data.positions import learnable_moves
from data.replay import COLOR_SHIFT, POINT_MASK, set_point
from data.store import GameStore
from data.summary import percent
from go.board import BLACK, WHITE, clear, new_boards, play, set_turn
from go.coordinates import symmetry_table
from go.jit import kernel
from pipeline.progress import Progress
from pipeline.tables import table

MOVES = (0, 10, 20, 30, 40, 60, 100)  # where the rows of the table begin


@kernel
def _canonical_hashes(boards, size, moves, setup, images, hashes):
    """Write for each ply of a game the smallest Zobrist hash of its position over all images.

    Of the two colourings the one counts in which black is to move.
    """
    b = boards[0]
    for image in range(2 * len(images)):
        symmetry = images[image >> 1]
        mover = BLACK if image & 1 else WHITE  # who is to move where the hash of this image counts
        clear(b, size, size)
        following = 0
        for i in range(len(moves)):
            while following < len(setup) and setup[following, 0] <= i:
                stone = np.int64(setup[following, 1])
                if (stone != 0) & (mover == WHITE):
                    stone = BLACK + WHITE - stone
                set_point(b, np.int64(symmetry[setup[following, 2]]), stone)
                following += 1
            color = np.int64(moves[i]) >> COLOR_SHIFT
            if color == mover and (image < 2 or b.hash < hashes[i]):
                hashes[i] = b.hash
            set_turn(b, color if mover == BLACK else BLACK + WHITE - color)
            play(b, np.int64(symmetry[moves[i] & POINT_MASK]))


def position_hashes(store: GameStore) -> np.ndarray:
    """Return 64 bits for the position before each move of the store, the same for all images of a position."""
    hashes = np.zeros(len(store.moves), np.uint64)
    boards, images = new_boards(), symmetry_table(store.size)
    with Progress("positions compared", len(store.moves)) as progress:
        for game in store.games:
            first, start = game["first_move"], game["first_setup"]
            places = slice(first, first + game["n_moves"])
            setup = store.setup[start : start + game["n_setup"]]
            _canonical_hashes(boards, store.size, store.moves[places], setup, images, hashes[places])
            progress.update(int(game["n_moves"]))
    return hashes


def seen_in_training(store: GameStore, split: str, hashes: np.ndarray) -> np.ndarray:
    """Tell of each position of a part, in the order of `positions.learnable_moves`, if it is in the training part."""
    train, part = (hashes[learnable_moves(store, SPLITS[name])] for name in ("train", split))
    return np.isin(part, train)


def overlap_table(store: GameStore) -> str:
    """Tell what share of the positions set aside also stands in the training part, by the number of the move."""
    hashes = position_hashes(store)
    seen, numbers = {}, {}
    for split in ("validation", "test"):
        index = learnable_moves(store, SPLITS[split])
        games = np.searchsorted(store.games["first_move"], index, side="right") - 1
        seen[split], numbers[split] = seen_in_training(store, split, hashes), index - store.games["first_move"][games]
    rows = []
    for first, last in zip((0, *MOVES), (None, *MOVES[1:], None), strict=True):
        chosen = {s: (n >= first) & (n < (last or np.inf)) for s, n in numbers.items()}
        name = "all moves" if not rows else f"{first + 1} to {last}" if last else f"from {first + 1}"
        rows.append([name, *(percent(seen[s][chosen[s]].sum(), chosen[s].sum()) for s in seen)])
    return table(["move", *seen], rows)
