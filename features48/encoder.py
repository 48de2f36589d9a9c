"""From positions to planes: a whole batch of (game, ply, symmetry) from a store, or one position for a search.

Planes are computed only if they are wanted: without the groups that need it, no move is tried and no ladder is read.
All subsets of the paper are prefixes of the 48 planes, so a subset is also a slice of what is there.
"""

import os
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np

from data.replay import POINT_MASK, replay
from data.store import GameStore
from features48 import planes
from features48.effects import find_effects
from features48.groups import EFFECTS, GROUPS, LADDERS, groups_of
from go.board import BOARD
from go.coordinates import PASS, symmetry_table
from go.jit import kernel
from go.ladders import HITS, Scratch, mark_ladders, new_scratch
from go.position import Position
from pipeline.errors import UserError

UNWANTED = -1
Places = namedtuple("Places", GROUPS)  # by group, where its planes begin in the output, or UNWANTED


class Layout(NamedTuple):
    """Where the planes of each group go, what has to be found out for them, and how many they are."""

    places: Places
    needs_effects: bool
    needs_ladders: bool
    planes: int


class Workspace(NamedTuple):
    """Memory for encoding; every thread needs its own."""

    board: np.ndarray
    situation: np.ndarray
    ladders: Scratch


def new_layout(names: tuple[str, ...]) -> Layout:
    """Lay out some groups one after another."""
    if len(set(names)) < len(names) or not set(names) <= GROUPS.keys():
        raise UserError(f"{', '.join(names)} are not different groups of planes: there are {', '.join(GROUPS)}.")
    places, count = dict.fromkeys(GROUPS, UNWANTED), 0
    for name in names:
        places[name] = count
        count += GROUPS[name].planes
    needs = {GROUPS[name].needs for name in names}
    return Layout(Places(**places), EFFECTS in needs, LADDERS in needs, count)


def new_workspace() -> Workspace:
    return Workspace(np.zeros(1, BOARD), np.zeros(1, planes.SITUATION), new_scratch())


@kernel
def encode_board(b, layout, work, out):
    """Write the planes of a board, whose recent moves are noted in the workspace, to `out`."""
    situation = work.situation[0]
    if layout.needs_effects:
        find_effects(b, work.ladders.boards, situation.effects)
    if layout.needs_ladders:
        mark_ladders(b, work.ladders, situation.ladder_captures, situation.ladder_escapes)
    out[:] = 0
    at = layout.places
    if at.stone_color >= 0:
        planes.write_stone_color(b, situation, out[at.stone_color :])
    if at.ones >= 0:
        planes.write_ones(b, situation, out[at.ones :])
    if at.turns_since >= 0:
        planes.write_turns_since(b, situation, out[at.turns_since :])
    if at.liberties >= 0:
        planes.write_liberties(b, situation, out[at.liberties :])
    if at.capture_size >= 0:
        planes.write_capture_size(b, situation, out[at.capture_size :])
    if at.self_atari_size >= 0:
        planes.write_self_atari_size(b, situation, out[at.self_atari_size :])
    if at.liberties_after >= 0:
        planes.write_liberties_after(b, situation, out[at.liberties_after :])
    if at.ladder_capture >= 0:
        planes.write_ladder_capture(b, situation, out[at.ladder_capture :])
    if at.ladder_escape >= 0:
        planes.write_ladder_escape(b, situation, out[at.ladder_escape :])
    if at.sensibleness >= 0:
        planes.write_sensibleness(b, situation, out[at.sensibleness :])
    if at.zeros >= 0:
        planes.write_zeros(b, situation, out[at.zeros :])
    if at.color >= 0:
        planes.write_color(b, situation, out[at.color :])


@kernel
def _note_recent(recent, moves, setup, ply, symmetry):
    """Note where the last moves before `ply` were; a move whose point was set up later is no longer there."""
    for k in range(len(recent)):
        i = ply - 1 - k
        point = moves[i] & POINT_MASK if i >= 0 else PASS
        for row in range(len(setup) - 1, -1, -1):
            if setup[row, 0] <= i:
                break
            if (setup[row, 0] <= ply) & (setup[row, 2] == point):
                point = PASS
        recent[k] = symmetry[point]


@kernel
def _encode_games(games, moves, setup, empty, which, plies, symmetries, table, layout, work, out):
    for i in range(len(which)):
        game = games[which[i]]
        played = moves[game.first_move : game.first_move + game.n_moves]
        stones = setup[game.first_setup : game.first_setup + game.n_setup]
        symmetry = table[symmetries[i]]
        work.board[0] = empty[0]
        replay(work.board[0], played, stones, plies[i], symmetry)
        _note_recent(work.situation[0].recent, played, stones, plies[i], symmetry)
        encode_board(work.board[0], layout, work, out[i])


@kernel
def _encode_one(boards, layout, work, out):
    encode_board(boards[0], layout, work, out)


@kernel
def _encode_boards(boards, recent, layout, work, out):
    for i in range(len(boards)):
        work.situation[0].recent[:] = recent[i]
        encode_board(boards[i], layout, work, out[i])


class Encoder:
    """Encodes positions on some threads; the input is given by its number of planes, or as names of groups.

    `ladders_given_up` counts the ladders that were too long to be read to the end.
    """

    def __init__(self, planes: int | tuple[str, ...] = 48, threads: int = 1) -> None:
        self.layout = new_layout(groups_of(planes) if isinstance(planes, int) else planes)
        self.threads = threads or os.cpu_count() or 1
        self.workspaces = [new_workspace() for _ in range(self.threads)]
        self.pool = ThreadPoolExecutor(self.threads)
        self.lock = Lock()  # for callers from several threads, who are served one after another

    @property
    def ladders_given_up(self) -> int:
        return sum(int(work.ladders.counts[HITS]) for work in self.workspaces)

    def batch(
        self,
        store: GameStore,
        games: np.ndarray,
        plies: np.ndarray,
        symmetries: np.ndarray,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the planes of positions of a store, as uint8[batch, planes, size, size].

        Whoever encodes many batches gives an array `out` to write to: new memory costs as much time as the planes.
        """
        games, plies, symmetries = store.checked(games, plies, symmetries)
        shape = len(games), self.layout.planes, store.size, store.size
        if out is None:
            out = np.empty(shape, np.uint8)
        elif out.shape != shape or out.dtype != np.uint8 or not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError(f"out is {out.dtype}{list(out.shape)}, not uint8{list(shape)} to write to")
        arrays, table = (store.games, store.moves, store.setup, store.empty), symmetry_table(store.size)

        def encode_share(share: int) -> None:
            part = slice(share * len(games) // self.threads, (share + 1) * len(games) // self.threads)
            which = games[part], plies[part], symmetries[part]
            _encode_games(*arrays, *which, table, self.layout, self.workspaces[share], out[part])

        with self.lock:
            others = [self.pool.submit(encode_share, share) for share in range(1, self.threads)]
            encode_share(0)
            for other in others:
                other.result()
        return out

    def boards(self, boards: np.ndarray, recent: np.ndarray) -> np.ndarray:
        """Return the planes of boards, given with their last moves, the latest first, as uint8[batch, planes, ...]."""
        size = int(boards[0]["rows"])
        out = np.empty((len(boards), self.layout.planes, size, size), np.uint8)
        with self.lock:
            _encode_boards(boards, recent, self.layout, self.workspaces[0], out)
        return out

    def position(self, position: Position) -> np.ndarray:
        """Return the planes of one position, as uint8[planes, size, size]."""
        work = self.workspaces[0]
        out = np.empty((self.layout.planes, position.size, position.size), np.uint8)
        with self.lock:
            recent = work.situation["recent"][0]
            recent[:] = PASS
            for k, move in enumerate(position.history[: -len(recent) - 1 : -1]):
                recent[k] = move.point
            _encode_one(position.boards, self.layout, work, out)
        return out


def encode(position: Position, planes: int = 48) -> np.ndarray:
    """Return the planes of one position, as uint8[planes, size, size]; an `Encoder` is faster for many."""
    return Encoder(planes).position(position)


def encode_batch(
    store: GameStore, games: np.ndarray, plies: np.ndarray, symmetries: np.ndarray, planes: int = 48, threads: int = 1
) -> np.ndarray:
    """Return the planes of positions of a store, as uint8[batch, planes, size, size]."""
    return Encoder(planes, threads).batch(store, games, plies, symmetries)
