"""The work of one worker process of `data.prepare`: from raw records to games packed for the store."""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from data.draft import Batch, pack, skipped_rows
from data.filters import Filters, learning_sides, reason_against
from data.record import Refusal, read_records
from data.sources import Item, Trouble

CHUNK_ITEMS, CHUNK_BYTES = 256, 1 << 20  # one chunk for a worker: about 0.1 s of work


@dataclasses.dataclass
class Tally:
    """Counts of the records so far: kept, and skipped by reason, each with the first name as an example.

    A file may contain several games; each game is one record.
    """

    items: int = 0  # files, archive members and lines read
    kept: int = 0
    skipped: dict[str, list[Any]] = dataclasses.field(default_factory=dict)  # reason to [count, example]

    @property
    def records(self) -> int:
        return self.kept + sum(number for number, _ in self.skipped.values())

    def skip(self, reason: str, example: str, number: int = 1) -> None:
        self.skipped.setdefault(reason, [0, example])[0] += number

    def add(self, other: "Tally") -> None:
        self.items += other.items
        self.kept += other.kept
        for reason, (number, example) in other.skipped.items():
            self.skip(reason, example, number)


def chunks(items: Iterable[Item | Trouble]) -> Iterator[list[Item | Trouble]]:
    """Group records into chunks of work. Records are read lazily."""
    chunk: list[Item | Trouble] = []
    volume = 0
    for item in items:
        chunk.append(item)
        volume += len(item.data) if isinstance(item, Item) else 0
        if len(chunk) >= CHUNK_ITEMS or volume >= CHUNK_BYTES:
            yield chunk
            chunk, volume = [], 0
    if chunk:
        yield chunk


def read_chunk(items: list[Item | Trouble], size: int, filters: Filters) -> tuple[Batch, Tally]:
    """Read a chunk of records. Return the games to keep with the rows of `skipped.csv`, and the counts."""
    tally = Tally(items=len(items))
    kept, skipped = [], []
    for item in items:
        if isinstance(item, Trouble):
            tally.skip(item.reason, f"{item.detail}: {item.name}" if item.detail else item.name)
            skipped.append((item.reason, item.name, item.detail))
            continue
        records = read_records(item.data)
        for number, record in enumerate(records, 1):
            name = item.name if len(records) == 1 else f"{item.name} game {number}"
            reason = record.reason if isinstance(record, Refusal) else reason_against(record, size, filters)
            if reason:
                tally.skip(reason, name)
                skipped.append((reason, name, ""))
            else:
                kept.append((name, record, learning_sides(record, filters)))
    tally.kept = len(kept)
    return pack(kept)._replace(skipped=skipped_rows(skipped)), tally
