"""A small store of games for chapters that learn: some games of the embedded corpus, prepared in seconds."""

import functools
import itertools
import tempfile
from pathlib import Path

from data.draft import Draft, finish
from data.filters import Filters
from data.prepare import files_for
from data.reading import read_chunk
from data.sources import open_file, read_file
from data.store import GameStore

SIZE = 9
SHARES = (0.05, 0.15)  # of the games: validation and test
_folders: list[tempfile.TemporaryDirectory] = []  # removed when the process ends


@functools.cache
def embedded_store(games: int) -> GameStore:
    """Return a store of the first `games` games of the embedded corpus, split into training, validation and test."""
    (path,) = files_for("embedded")
    with open_file(path) as file:
        items = list(itertools.islice(read_file(path, file), games))
    batch, _ = read_chunk(items, SIZE, Filters())
    kept = tempfile.TemporaryDirectory(prefix="prezero-games-")
    _folders.append(kept)
    folder = Path(kept.name)
    draft = Draft(folder)
    draft.append(batch)
    finish(draft, folder, *SHARES)
    draft.remove()
    return GameStore(folder)
