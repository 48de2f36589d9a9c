"""Random games as records, for tests of the game store."""

import numpy as np

from data.record import Record
from data.replay import encode_move
from go import BLACK, WHITE, Position
from go.coordinates import point_from_gtp
from go.playout import new_rng, random_move

STONES = {"B2": BLACK, "C2": WHITE, "C4": BLACK}


def random_record(size: int, plies: int, seed: int, with_setup: bool = False) -> Record:
    """A game of random moves, captures and kos among them, after some set-up stones if asked for."""
    position, rng = Position(size, superko=False), new_rng(size, seed)
    rows = []
    if with_setup:
        black, white = ([vertex for vertex, color in STONES.items() if color == side] for side in (BLACK, WHITE))
        position.set_up(black, white)
        rows = [(0, color, point_from_gtp(vertex, size)) for vertex, color in STONES.items()]
        rows.sort(key=lambda row: row[2])
    while len(position.history) < plies:
        position.play(random_move(position.board, rng))
    moves = [encode_move(move.color, move.point) for move in position.history]
    return Record(size, np.array(moves, np.int16), np.array(rows, np.int16).reshape(-1, 3))
