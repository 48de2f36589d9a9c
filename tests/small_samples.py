"""Samples of games on small boards by policy networks of random weights, and a slow count by sgfmill's board."""

import functools
from pathlib import Path

import numpy as np
from sgfmill.boards import Board
from small_networks import random_weights

from data.store import GameStore
from go.board import BLACK, EMPTY, WHITE
from go.coordinates import PASS, rowcol_from_point
from nets.weights import Weights
from value_net.recipe import Recipe, Shard, play_shard
from value_net.samples import SAMPLES, Samples, fingerprint, write_store

SIZE, KOMI, GAMES = 5, 0.5, 160


@functools.cache
def policies() -> tuple[Weights, Weights]:
    """p_sigma and p_rho, which differ."""
    return random_weights(SIZE, planes=4, seed=1), random_weights(SIZE, planes=4, seed=2)


@functools.cache
def small_shard(number: int = 0, seed: int = 1, games: int = GAMES, **changes) -> Shard:
    recipe = Recipe(komi=KOMI, games=games, together=16, precision="float32")._replace(**changes)
    return play_shard(*policies(), recipe, seed, number)


def moves_of(shard: Shard, game: int) -> np.ndarray:
    end = int(shard.lengths[: game + 1].sum())
    return shard.moves[end - int(shard.lengths[game]) : end]


def small_samples(folder: Path, shards: tuple[int, ...] = (0, 1)) -> Samples:
    """A store of samples, as `value_net.sample` writes it, with a fifth of the games for validation and for test."""
    made = [small_shard(number) for number in shards]
    count = sum(len(shard.u) for shard in made)
    write_store(folder, made, count, SIZE, KOMI, (0.2, 0.2))
    store = GameStore(folder)
    records = np.load(folder / SAMPLES, mmap_mode="r")
    return Samples(store, records["ply"], records["owners"], KOMI, fingerprint(store))


def sgfmill_board(moves: np.ndarray, size: int = SIZE) -> Board:
    """The board after some moves, black first, by sgfmill's rules."""
    board = Board(size)
    for ply, move in enumerate(moves):
        if move != PASS:
            row, column = rowcol_from_point(int(move), size)
            board.play(size - 1 - row, column, "bw"[ply % 2])
    return board


def slow_owners(board: Board) -> np.ndarray:
    """The owner of each point, row by row from the top: a stone's colour, or the only colour that an area touches."""
    size, owners = board.side, np.zeros((board.side, board.side), np.uint8)
    colors = {"b": BLACK, "w": WHITE, None: EMPTY}

    def neighbours(point):
        steps = ((point[0] + d, point[1] + e) for d, e in ((0, 1), (1, 0), (0, -1), (-1, 0)))
        return [(r, c) for r, c in steps if 0 <= r < size and 0 <= c < size]

    for row in range(size):
        for column in range(size):
            if board.get(row, column) is not None:
                owner = colors[board.get(row, column)]
            else:
                area, todo, touched = {(row, column)}, [(row, column)], set()
                while todo:
                    for point in neighbours(todo.pop()):
                        if board.get(*point) is not None:
                            touched.add(board.get(*point))
                        elif point not in area:
                            area.add(point)
                            todo.append(point)
                owner = colors[touched.pop()] if len(touched) == 1 else EMPTY
            owners[size - 1 - row, column] = owner
    return owners
