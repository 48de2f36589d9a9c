"""The replay window: the latest games of self-play, on disk, a file for each chunk of an iteration.

Every game has a number that is never given again, and a number is taken into the window once only. What learning
depends on is in its checkpoint: which iterations the window has. Their files must be there; files that a killed run
wrote later are read again if they were made by the same network, and written anew otherwise.
"""

import json
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nets.find import KINDS
from pipeline.arrays import read_arrays, write_arrays
from pipeline.artefact import made, stage_path
from pipeline.errors import UserError
from zero.self_play import Record

MANY = 10**12  # games: no bound


class Shard(NamedTuple):
    """Some games in flat arrays: the plies of game i are `starts[i]` to `starts[i + 1]`."""

    numbers: np.ndarray  # int64[games]
    starts: np.ndarray  # int64[games + 1]
    moves: np.ndarray  # int16[plies]
    targets: np.ndarray  # float16[plies, actions]
    values: np.ndarray  # float16[plies]
    learnable: np.ndarray  # int64: the plies that have a target
    outcomes: np.ndarray  # int8[games]
    margins: np.ndarray  # float32[games]
    owners: np.ndarray  # int8[games, points]
    endings: np.ndarray  # int8[games]
    could_resign: np.ndarray  # bool[games], as uint8
    lowest: np.ndarray  # float32[games, 2]: of black and of white

    @property
    def games(self) -> int:
        return len(self.numbers)

    @property
    def plies(self) -> int:
        return len(self.moves)

    @property
    def lowest_of_winners(self) -> np.ndarray:
        """The least value of the winner, in games that were played to their end to check resignations."""
        checked = (self.could_resign == 0) & (self.outcomes != 0)
        return np.where(self.outcomes > 0, self.lowest[:, 0], self.lowest[:, 1])[checked]


def shard_of(records: list[Record]) -> Shard:
    """Put games into flat arrays, by their numbers."""
    ordered = sorted(records, key=lambda record: record.number)
    lengths = [len(record.moves) for record in ordered]
    targets = np.concatenate([record.targets for record in ordered])
    return Shard(
        np.array([record.number for record in ordered], np.int64),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([record.moves for record in ordered]),
        targets,
        np.concatenate([record.values for record in ordered]),
        np.flatnonzero(targets.any(axis=1)),
        np.array([record.outcome for record in ordered], np.int8),
        np.array([record.margin for record in ordered], np.float32),
        np.stack([record.owners for record in ordered]),
        np.array([record.ending for record in ordered], np.int8),
        np.array([record.could_resign for record in ordered], np.uint8),
        np.array([record.lowest for record in ordered], np.float32),
    )


def shard_of_games(shard: Shard, games: np.ndarray) -> Shard:
    """Return some games of a shard, given by their places."""
    plies = np.concatenate([np.arange(shard.starts[game], shard.starts[game + 1]) for game in games])
    lengths = np.diff(shard.starts)[games]
    return Shard(
        shard.numbers[games],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        shard.moves[plies],
        shard.targets[plies],
        shard.values[plies],
        np.flatnonzero(np.isin(plies, shard.learnable)),
        *(array[games] for array in shard[6:]),
    )


class Window:
    """The latest games, at most `most_games` and at most a share of all so far, but always those of the last iteration.

    Games are numbered from 0, so the last number tells how many there were, besides the `before` of the network that
    learning started from.
    """

    def __init__(self, folder: Path, most_games: int, key: str = "", share: float = 1.0, before: int = 0) -> None:
        self.folder, self.most_games, self.key, self.share = made(folder), most_games, key, share
        self.before = before
        self.shards: deque[tuple[int, Shard]] = deque()  # with their iterations, the oldest first
        self.numbers: set[int] = set()

    def path(self, iteration: int, chunk: int) -> Path:
        return self.folder / f"{iteration:06}-{chunk:04}.safetensors"

    def write(self, iteration: int, chunk: int, made_by: dict[str, Any], shard: Shard) -> None:
        """Write the games of a chunk. `made_by` names what they depend on besides the key of the stage."""
        about = {"key": self.key, "made by": json.dumps(made_by)}
        write_arrays(self.path(iteration, chunk), about, shard._asdict())

    def read(self, iteration: int, chunk: int, made_by: dict[str, Any]) -> Shard | None:
        """Read the games of a chunk; None if they are not there, or depend on something else."""
        found = read_arrays(self.path(iteration, chunk), self.key)
        return Shard(**found[1]) if found and json.loads(found[0]["made by"]) == made_by else None

    def add(self, iteration: int, shard: Shard) -> None:
        """Take games into the window, and let the oldest iterations go if there are too many."""
        fresh = set(shard.numbers.tolist())
        if len(fresh) < shard.games or fresh & self.numbers:
            raise ValueError("a game must not be in the window twice")
        self.numbers |= fresh
        self.shards.append((iteration, shard))
        most = min(self.most_games, self.share * (self.before + max(fresh) + 1))
        while self.games > most and self.shards[0][0] != iteration:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        oldest = self.shards[0][0]
        while self.shards and self.shards[0][0] == oldest:
            self.numbers -= set(self.shards.popleft()[1].numbers.tolist())

    @property
    def games(self) -> int:
        return sum(shard.games for _, shard in self.shards)

    @property
    def learnable(self) -> int:
        """The number of positions that can be learnt from."""
        return sum(len(shard.learnable) for _, shard in self.shards)

    @property
    def oldest(self) -> int:
        """The first iteration in the window."""
        return self.shards[0][0] if self.shards else 0

    def lowest_of_winners(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.float32), *(shard.lowest_of_winners for _, shard in self.shards)])

    def remove_files_before(self, iteration: int) -> None:
        """Remove the files of iterations that no checkpoint needs any more."""
        for path in self.folder.glob("*.safetensors"):
            if int(path.stem.split("-")[0]) < iteration:
                path.unlink()

    def restore(self, first: int, last: int) -> None:
        """Read the files of the iterations `first` to `last` - 1 again."""
        self.shards.clear()
        self.numbers.clear()
        for iteration in range(first, last):
            paths = sorted(self.folder.glob(f"{iteration:06}-*.safetensors"))
            found = [read_arrays(path, self.key) for path in paths]
            if not found or None in found:
                raise UserError(
                    f"The games of iteration {iteration} are gone from {self.folder}; remove {self.folder.parent} to "
                    "begin anew."
                )
            for _, arrays in found:
                self.add(iteration, Shard(**arrays))


def whole_window(run: str, key: dict[str, Any]) -> Window:
    """Return all games that a run of `zero.train` has left; `key` is the one in its manifest."""
    folder = stage_path(run, KINDS["zero"].stage) / "window"
    numbers = sorted({int(path.stem.split("-")[0]) for path in folder.glob("*.safetensors")})
    window = Window(folder, MANY, json.dumps(key))
    if numbers:
        window.restore(numbers[0], numbers[-1] + 1)
    return window
