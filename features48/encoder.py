"""From positions to planes: batches of (game, ply, symmetry) from a store, or boards with their histories.

Planes are computed only if they are wanted: without the groups that need it, no move is tried and no ladder is read.
All subsets of the paper are prefixes of the 48 planes, so a subset is also a slice of the whole.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np
from numba import literal_unroll

from data.replay import POINT_MASK, replay
from data.store import GameStore
from features48.effects import find_effects
from features48.groups import EFFECTS, GROUPS, LADDERS, groups_of
from features48.planes import SITUATION
from go.board import BOARD
from go.coordinates import PASS, SYMMETRIES, symmetry_table
from go.history import HISTORY
from go.jit import kernel
from go.ladders import HITS, Scratch, mark_ladders, new_scratch
from go.position import Position
from pipeline.errors import UserError

UNWANTED = -1
# Points that a thread should have to encode: with fewer, it takes longer to wake a thread than to do its work.
LEAST_SHARE = 1000  # 12 boards of 9x9, or 3 of 19x19
LEAST_CHEAP_SHARE = 20_000  # where no move is tried and no ladder is read


class Writer(NamedTuple):
    """A group as the kernel takes it: its number in the registry, and the kernel that writes its planes."""

    number: int
    write: Callable


WRITERS = tuple(Writer(number, group.write) for number, group in enumerate(GROUPS.values()))


class Layout(NamedTuple):
    """Where the planes of each group go, what must be found out for them, and how many planes there are."""

    firsts: tuple[int, ...]  # by number of the group: its first plane in the output, or UNWANTED
    needs_effects: bool
    needs_ladders: bool
    planes: int


class Workspace(NamedTuple):
    """Memory for encoding. Each thread needs its own."""

    board: np.ndarray
    situation: np.ndarray
    ladders: Scratch


def new_layout(names: tuple[str, ...]) -> Layout:
    """Lay out the planes of some groups one after another."""
    if len(set(names)) < len(names) or not set(names) <= GROUPS.keys():
        raise UserError(f"{', '.join(names)} are not different groups of planes: there are {', '.join(GROUPS)}.")
    firsts, count = dict.fromkeys(GROUPS, UNWANTED), 0
    for name in names:
        firsts[name] = count
        count += GROUPS[name].planes
    needs = {GROUPS[name].needs for name in names}
    return Layout(tuple(firsts.values()), EFFECTS in needs, LADDERS in needs, count)


def new_workspace() -> Workspace:
    return Workspace(np.zeros(1, BOARD), np.zeros(1, SITUATION), new_scratch())


@kernel
def _turned(planes, symmetry):
    """Return a view of planes: what is written to it row by row appears turned by a symmetry (`symmetry_table`)."""
    by_row = planes[:, ::-1, ::1] if symmetry & 2 else planes[:, ::1, ::1]
    by_column = by_row[:, ::1, ::-1] if symmetry & 1 else by_row
    return np.transpose(by_column, (0, 2, 1)) if symmetry & 4 else by_column


@kernel
def _encode_board(b, layout, work, symmetry, out):
    """Write the planes of a board to `out`, turned by a symmetry. The workspace already holds the recent moves."""
    situation = work.situation[0]
    if layout.needs_effects:
        find_effects(b, work.ladders.boards, situation.effects)
    if layout.needs_ladders:
        mark_ladders(b, work.ladders, situation.ladder_captures, situation.ladder_escapes)
    out[:] = 0
    planes = _turned(out, symmetry)
    for group in literal_unroll(WRITERS):  # numba writes the loop out, so that each call is known when it compiles
        first = layout.firsts[group.number]
        if first != UNWANTED:
            group.write(b, situation, planes[first:])


@kernel
def _note_recent(recent, moves, setup, ply, symmetry):
    """Note the points of the last moves before `ply`. A move does not count if its point was set up afterwards."""
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
        _encode_board(work.board[0], layout, work, 0, out[i])


@kernel
def _encode_boards(boards, history, symmetries, layout, work, out):
    for i in range(len(boards)):
        work.situation[0].recent[:] = history[i].recent
        _encode_board(boards[i], layout, work, symmetries[i], out[i])


class Encoder:
    """Encodes positions on some threads (0: all cores). Say what to encode by number of planes or by group names.

    `ladders_given_up` counts the ladders that were too long to be read to the end.
    """

    def __init__(self, planes: int | tuple[str, ...] = 48, threads: int = 1) -> None:
        self.layout = new_layout(groups_of(planes) if isinstance(planes, int) else planes)
        self.threads = threads or os.cpu_count() or 1
        self.workspaces = [new_workspace() for _ in range(self.threads)]
        self.pool = ThreadPoolExecutor(self.threads)
        self.lock = Lock()  # callers from several threads take turns

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

        To encode many batches, pass an array `out` to write to: new memory costs as much time as the planes.
        """
        games, plies, symmetries = store.checked(games, plies, symmetries)
        planes = self._output(len(games), store.size, out)
        arrays, table = (store.games, store.moves, store.setup, store.empty), symmetry_table(store.size)

        def encode_share(work: Workspace, part: slice) -> None:
            which = games[part], plies[part], symmetries[part]
            _encode_games(*arrays, *which, table, self.layout, work, planes[part])

        self._run_in_shares(encode_share, len(games), len(games) * store.size**2 // LEAST_SHARE)
        return planes

    def boards(
        self,
        boards: np.ndarray,
        history: np.ndarray,
        symmetries: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the planes of boards of one size with their histories (`go.history`), as uint8[batch, planes, ...].

        With `symmetries`, one for each board, planes are written turned. `out` is as in `batch`.
        """
        if len(boards) == 0 or history.shape != boards.shape or history.dtype != HISTORY:
            raise ValueError("there must be at least one board, and one history of type HISTORY for each board")
        size = int(boards["rows"][0])
        if (boards["rows"] != size).any() or (boards["columns"] != size).any():
            raise ValueError("the boards are not square or not of one size")
        turns = np.zeros(len(boards), np.int64) if symmetries is None else np.asarray(symmetries, np.int64)
        if turns.shape != boards.shape or ((turns < 0) | (turns >= SYMMETRIES)).any():
            raise ValueError(f"symmetries are not {len(boards)} numbers from 0 to {SYMMETRIES - 1}")
        planes = self._output(len(boards), size, out)
        boards, history = np.ascontiguousarray(boards), np.ascontiguousarray(history)

        def encode_share(work: Workspace, part: slice) -> None:
            _encode_boards(boards[part], history[part], turns[part], self.layout, work, planes[part])

        is_cheap = not (self.layout.needs_effects or self.layout.needs_ladders)
        least = LEAST_CHEAP_SHARE if is_cheap else LEAST_SHARE
        self._run_in_shares(encode_share, len(boards), len(boards) * size**2 // least)
        return planes

    def position(self, position: Position) -> np.ndarray:
        """Return the planes of one position, as uint8[planes, size, size]."""
        return self.boards(position.boards, position.past)[0]

    def _output(self, count: int, size: int, out: np.ndarray | None) -> np.ndarray:
        """Return the array to write to: `out` if it is given and fits."""
        shape = count, self.layout.planes, size, size
        if out is None:
            return np.empty(shape, np.uint8)
        if out.shape != shape or out.dtype != np.uint8 or not (out.flags.c_contiguous and out.flags.writeable):
            raise ValueError(f"out is {out.dtype}{list(out.shape)}, not uint8{list(shape)} to write to")
        return out

    def _run_in_shares(self, encode_share: Callable[[Workspace, slice], None], count: int, most: int) -> None:
        """Split positions 0 to `count` into at most `most` equal shares, and encode each on a thread of its own."""
        shares = max(1, min(self.threads, most))
        parts = [slice(k * count // shares, (k + 1) * count // shares) for k in range(shares)]
        with self.lock:
            others = [self.pool.submit(encode_share, self.workspaces[k], parts[k]) for k in range(1, shares)]
            encode_share(self.workspaces[0], parts[0])
            for other in others:
                other.result()


def encode(position: Position, planes: int = 48) -> np.ndarray:
    """Return the planes of one position, as uint8[planes, size, size]. For many positions, keep an `Encoder`."""
    return Encoder(planes).position(position)


def encode_batch(
    store: GameStore, games: np.ndarray, plies: np.ndarray, symmetries: np.ndarray, planes: int = 48, threads: int = 1
) -> np.ndarray:
    """Return the planes of positions of a store, as uint8[batch, planes, size, size]."""
    return Encoder(planes, threads).batch(store, games, plies, symmetries)
