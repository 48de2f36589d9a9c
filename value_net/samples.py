"""Samples on disk: shards while games are played, and the store that is made of them.

A store of samples is a game store (`data.store`) with one more file: `samples.npy` has a `SAMPLE` record for each game.
So the shared kernels replay and encode its positions. Games are split into training, validation and test part by a
random key, each as a whole.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.draft import SKIPPED, Batch, Draft, finish
from data.fields import BY_SCORE, UNKNOWN_RANK
from data.identity import SPLITS
from data.replay import COLOR_SHIFT
from data.store import GAME, GameStore
from go.board import BLACK, EMPTY, WHITE
from pipeline.arrays import read_arrays, write_arrays
from pipeline.artefact import made, read_manifest, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError
from pipeline.stage import Input
from value_net.recipe import Shard

STAGE = "value_net.sample"
SAMPLES = "samples.npy"


def shard_path(folder: Path, number: int) -> Path:
    return folder / "shards" / f"{number:06}.safetensors"


def write_shard(path: Path, key: str, shard: Shard) -> None:
    made(path.parent)
    write_arrays(path, {"key": key}, shard._asdict())


def read_shard(path: Path, key: str) -> Shard | None:
    """Read a shard; return None if there is none with this key."""
    found = read_arrays(path, key)
    return found and Shard(**found[1])


def sample_dtype(size: int) -> np.dtype:
    """Return the record of one sample: its ply, and the owner of each point at the end of its game."""
    return np.dtype([("ply", np.int16), ("owners", np.uint8, size**2)])


def store_folder(folder: Path, games: int) -> Path:
    """Return where the store of so many games is. A larger one has another folder, so that none is ever half made."""
    return folder / f"{games}-games"


def packed(shard: Shard, number: int, size: int, komi: float) -> Batch:
    """Return the games of a shard as the arrays of a game store."""
    games = np.zeros(len(shard.u), GAME)
    scores = shard.margins - komi
    texts = [f"game {place} of shard {number}\0\0\0".encode() for place in range(len(games))]
    games["key"] = games["opening"] = shard.keys
    games["n_moves"], games["n_text"] = shard.lengths, [len(text) for text in texts]
    games["komi"], games["margin"], games["size"] = komi, np.abs(scores), size
    games["winner"] = np.where(scores > 0, BLACK, np.where(scores < 0, WHITE, EMPTY))
    games["ending"], games["ranks"], games["learn"] = BY_SCORE, UNKNOWN_RANK, BLACK + WHITE
    starts = np.repeat(np.cumsum(shard.lengths) - shard.lengths, shard.lengths)
    colors = np.where((np.arange(len(shard.moves)) - starts) % 2 == 0, BLACK, WHITE)
    codes = (colors << COLOR_SHIFT | shard.moves).astype(np.int16)
    return Batch(games, codes, np.empty(0, np.int16), np.frombuffer(b"".join(texts), np.uint8))


def write_store(
    folder: Path, shards: Iterable[Shard], count: int, size: int, komi: float, shares: tuple[float, float]
) -> str:
    """Write `count` games as a store; `shares` are those of validation and test. Return its fingerprint."""
    made(folder)
    draft = Draft(folder)
    samples = np.lib.format.open_memmap(folder / SAMPLES, "w+", sample_dtype(size), (count,))
    start = 0
    for number, shard in enumerate(shards):
        end = start + len(shard.u)
        samples["ply"][start:end], samples["owners"][start:end] = shard.u, shard.owners
        draft.append(packed(shard, number, size, komi))
        start = end
    samples.flush()
    finish(draft, folder, *shares)
    draft.remove()
    (folder / SKIPPED).unlink()
    return fingerprint(GameStore(folder))


def fingerprint(store: GameStore) -> str:
    """Return a hash of a store and its samples."""
    with (store.folder / SAMPLES).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return hashlib.sha256((store.about["fingerprint"] + digest.hexdigest()).encode()).hexdigest()[:32]


class Samples(NamedTuple):
    """A store of samples that is open for reading."""

    store: GameStore
    plies: np.ndarray  # of the position of each game
    owners: np.ndarray  # uint8[games, points]
    komi: float
    fingerprint: str
    sl: Input | None = None  # the SL policy that played the games

    def part(self, name: str) -> np.ndarray:
        """Return the numbers of the games of a part: train, validation or test."""
        return np.flatnonzero(self.store.games["split"] == SPLITS[name])

    def as_input(self) -> Input:
        """Return the entry for the samples in the manifest of a stage that reads them."""
        return Input(STAGE, str(self.store.folder.parent), self.fingerprint)


def open_samples(run: str) -> Samples:
    """Open the samples of a run."""
    folder = stage_path(run, STAGE)
    manifest = read_manifest(folder)
    if manifest is None:
        raise UserError(f"There are no samples in {folder}; {call(STAGE, run)} makes them.")
    found = manifest["metrics"]
    try:
        store = GameStore(store_folder(folder, found["games"]))
        is_sound = fingerprint(store) == found["fingerprint"]
    except OSError as error:
        raise UserError(
            f"The samples in {folder} are damaged ({error}); remove the folder, and make them anew."
        ) from error
    if not is_sound:
        raise UserError(f"The samples in {folder} are damaged; remove the folder, and make them anew.")
    records = np.load(store.folder / SAMPLES, mmap_mode="r", allow_pickle=False)
    komi, sl = float(manifest["settings"]["komi"]), Input(**manifest["inputs"][0])
    return Samples(store, records["ply"], records["owners"], komi, found["fingerprint"], sl)
