"""Replay whole games of a store with their patterns kept up to date, for harvesting and training."""

from typing import NamedTuple

import numpy as np

from data.replay import COLOR_SHIFT, POINT_MASK, set_point
from data.store import GameStore
from go.board import BOARD, set_turn
from go.coordinates import PASS
from go.jit import kernel
from rollout.tracker import TRACKER, begin, play_tracked


class Games(NamedTuple):
    """The arrays of a store, as a tuple for the kernels."""

    games: np.ndarray
    moves: np.ndarray
    setup: np.ndarray
    empty: np.ndarray


class Replay(NamedTuple):
    """Memory for replaying games. Each thread needs its own."""

    board: np.ndarray
    tracker: np.ndarray


def games_of(store: GameStore) -> Games:
    return Games(store.games, store.moves, store.setup, store.empty)


def new_replay() -> Replay:
    return Replay(np.zeros(1, BOARD), np.zeros(1, TRACKER))


@kernel
def begin_game(store, replay):
    """Start with an empty board."""
    replay.board[0] = store.empty[0]
    begin(replay.board[0], replay.tracker[0])


@kernel
def prepare_ply(store, replay, game, ply):
    """Apply the set-up stones before a move and set the side to move. Return the colour and point of the move."""
    b = replay.board[0]
    following = False
    for row in range(game.first_setup, game.first_setup + game.n_setup):
        if store.setup[row, 0] == ply:
            set_point(b, np.int64(store.setup[row, 2]), np.int64(store.setup[row, 1]))
            following = True
    if following:
        begin(b, replay.tracker[0])
    code = np.int64(store.moves[game.first_move + ply])
    set_turn(b, code >> COLOR_SHIFT)
    return code >> COLOR_SHIFT, code & POINT_MASK


@kernel
def earlier_point(store, game, ply, back):
    """Return the point of the move `back` plies ago; PASS if it was a pass or there is none."""
    if ply < back:
        return np.int64(PASS)
    return np.int64(store.moves[game.first_move + ply - back]) & POINT_MASK


@kernel
def play_ply(replay, point):
    play_tracked(replay.board[0], replay.tracker[0], point)
