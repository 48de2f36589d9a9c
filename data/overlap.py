"""The share of validation and test positions that also occur in the training split.

A game is in only one split, but a position may be in several: every game begins with the empty board. Two positions are
the same if their stones, as seen by the side to move, are equal under one of the eight symmetries.
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

MOVES = (0, 10, 20, 30, 40, 60, 100)  # the first move of each row of the table


@kernel
def _canonical_hashes(boards, size, moves, setup, images, hashes):
    """Write the smallest Zobrist hash over all symmetries of the position at each ply of a game.

    Colours are swapped where White is to move, so that Black always is.
    """
    b = boards[0]
    for image in range(2 * len(images)):
        symmetry = images[image >> 1]
        mover = BLACK if image & 1 else WHITE  # this image counts at the plies of this colour
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
    """Return a 64-bit hash of the position before each move of the store, equal for all images of a position."""
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
    """Return whether each position of a split, as in `positions.learnable_moves`, is also in the training split."""
    train, part = (hashes[learnable_moves(store, SPLITS[name])] for name in ("train", split))
    return np.isin(part, train)


def overlap_table(store: GameStore) -> str:
    """Return a table of the share of held-out positions that are also in the training split, by move number."""
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
