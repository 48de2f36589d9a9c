"""Download the archives of a listing, such as those of KGS, and record their checksums.

Listings are configuration (`conf/archives/`). The transfers run on a few threads. Only the main thread prints messages,
records checksums and renames files. While an archive is incomplete, it is a `.part` file. It gets its final name when
it is complete and its checksum is correct and recorded. An archive that fails the check is renamed to `.bad`.
"""

import dataclasses
import functools
import hashlib
import os
import queue
import re
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from hydra.core.hydra_config import HydraConfig

from data.fetch import HEAD, FetchError, Meter, Terms, UnreachableError, fetch, note_of, size_of
from pipeline.artefact import ROOT, alone_in, made, read_json, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting

NAME = "data.download"
DOWNLOADS = ROOT / "downloads"
MEGABYTE = 1_000_000
MOST_AT_ONCE = 8  # more would not be polite
LONGEST_TIME = 3600  # upper bound of all settings in seconds
LARGEST = 1_000_000  # megabytes
SECONDS_BETWEEN_LOOKS = 0.1  # interval of the progress display
# Name endings to (offset, magic bytes). A file without its magic bytes is probably an error page of the server.
KINDS = {
    (".zip",): (0, b"PK"),
    (".tar.gz", ".tgz"): (0, b"\x1f\x8b"),
    (".tar.bz2", ".tbz2", ".tbz"): (0, b"BZh"),
    (".tar.xz", ".txz"): (0, b"\xfd7zXZ\x00"),
    (".tar",): (257, b"ustar"),
}
ENDINGS = tuple(ending for endings in KINDS for ending in endings)


@dataclasses.dataclass
class Settings:
    archives: Any = setting(None, "the listing of archives; add your own as conf/archives/NAME.yaml")
    match: str = setting("", "take only archives whose name has a match for this regular expression, as in 2016_0[1-6]")
    folder: str = setting("", "folder to download to, by default downloads/<listing> in the project")
    dry_run: bool = setting(False, "only list what is there and what would be downloaded")
    parallel: int = setting(2, "downloads at the same time", least=1, most=MOST_AT_ONCE)
    file_limit: float = setting(500, "largest archive, in megabytes", above=0, most=LARGEST)
    total_limit: float = setting(
        5000, "size of all archives together, in megabytes, including those already there", above=0, most=LARGEST
    )
    timeout: float = setting(30, "seconds without data before a connection is given up", least=0.01, most=LONGEST_TIME)
    retries: int = setting(5, "further attempts without new data before an archive is given up", least=0, most=1000)
    backoff: float = setting(
        1, "seconds before the second attempt; each further wait is twice as long", least=0, most=LONGEST_TIME
    )
    longest_wait: float = setting(
        60,
        "seconds between two attempts at most; an archive whose server asks for more is given up",
        least=0,
        most=LONGEST_TIME,
    )


class Archive(NamedTuple):
    """An address, the local file name, and the checksum from the listing (empty if not given)."""

    address: str
    name: str
    sha256: str


class Outcome(NamedTuple):
    """The result of one transfer. An empty `trouble` means success."""

    archive: Archive
    trouble: str = ""


def read_listing(listing: Any) -> list[Archive]:
    """Return the archives of a listing.

    A listing has a list `addresses` and an optional `base`, which is put before addresses that are only file names.
    An entry is an address, or an `address` with its `sha256`.
    """
    addresses = listing.get("addresses") if isinstance(listing, dict) else None
    if not isinstance(addresses, list) or not addresses:
        raise UserError("The listing has no list of addresses.")
    base = listing.get("base") or ""
    archives: dict[str, Archive] = {}
    for entry in addresses:
        archive = read_entry(entry, str(base))
        other = archives.setdefault(archive.name.lower(), archive)  # some file systems ignore case
        if other is not archive:
            raise UserError(f"{other.address} and {archive.address} would become the same file.")
    return list(archives.values())


def read_entry(entry: Any, base: str) -> Archive:
    plain = {"address": entry} if isinstance(entry, str) else entry
    if not isinstance(plain, dict) or not isinstance(plain.get("address"), str) or plain.keys() - {"address", "sha256"}:
        raise UserError(f"{entry!r} in the listing is neither an address nor an address with its sha256.")
    address, sha256 = plain["address"], str(plain.get("sha256") or "").lower()
    if base and "://" not in address:
        address = f"{base.rstrip('/')}/{address}"
    if sha256 and not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise UserError(f"The sha256 of {address} in the listing is not one: it has 64 hexadecimal digits.")
    return Archive(address, name_of(address), sha256)


def name_of(address: str) -> str:
    """Return the file name for an address: always inside our folder, and always the name of an archive."""
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or not re.fullmatch(r"[!-~]+", address):
        raise UserError(f"{address!r} in the listing is not an address that begins with http:// or https://.")
    name = unquote(parts.path.rpartition("/")[2])
    if not re.fullmatch(r"\w[\w.+@=~,() -]{0,199}", name, re.ASCII) or not name.lower().endswith(ENDINGS):
        raise UserError(f"{address} in the listing does not end in the name of an archive ({', '.join(ENDINGS)}).")
    return name


def select(archives: list[Archive], match: str) -> list[Archive]:
    try:
        chosen = [archive for archive in archives if re.search(match, archive.name)]
    except re.error as error:
        raise UserError(f"match={match} is not a regular expression: {error}.") from error
    if not chosen:
        raise UserError(f"match={match} fits none of the {len(archives)} archives; dry_run=true lists them.")
    return chosen


def check_kind(name: str, head: bytes) -> None:
    """Raise `FetchError` if the first bytes of a file do not match the archive type in its name."""
    ending = max((ending for ending in ENDINGS if name.lower().endswith(ending)), key=len)
    offset, magic = next(kind for endings, kind in KINDS.items() if ending in endings)
    if head[offset : offset + len(magic)] != magic:
        raise FetchError(f"it is not a {ending} archive, but something else under that name")


class Records:
    """The checksums of the archives in a folder, recorded at the first download."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "checksums.json"
        self.sums: dict[str, str] = read_json(self.path) or {}
        if not isinstance(self.sums, dict) or not all(isinstance(value, str) for value in self.sums.values()):
            raise UserError(f"{self.path} is not what we wrote; remove it to begin anew.")

    def admit(self, archive: Archive, path: Path) -> None:
        """Record the checksum of a complete file. Raise `FetchError` if its type or checksum is wrong."""
        with path.open("rb") as file:
            check_kind(archive.name, file.read(HEAD))
            file.seek(0)
            found = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        known = archive.sha256 or self.sums.get(archive.name, found)
        if found != known:
            source = "the listing gives" if archive.sha256 else f"{self.path.name} has from the first download"
            raise FetchError(f"its sha256 is {found}, not {known}, which {source}")
        if self.sums.get(archive.name) != found:
            self.sums[archive.name] = found
            write_json(self.path, dict(sorted(self.sums.items())))


def settle(archive: Archive, path: Path, folder: Path, records: Records) -> str:
    """Give a complete file its final name, or rename it to `.bad`. Return what is wrong (empty if nothing is)."""
    try:
        records.admit(archive, path)
        path.replace(folder / archive.name)
        trouble = ""
    except FetchError as error:
        path.replace(folder / f"{archive.name}.bad")
        trouble = f"{error}; it was set aside as {archive.name}.bad"
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.") from error
    for left_over in (part_of(archive, folder), note_of(part_of(archive, folder))):
        left_over.unlink(missing_ok=True)
    return trouble


def part_of(archive: Archive, folder: Path) -> Path:
    return folder / f"{archive.name}.part"


def find_missing(archives: list[Archive], folder: Path, records: Records) -> list[Archive]:
    """Check all archives in the folder. Return those that are missing or damaged."""
    sizes = {archive: size_of(folder / archive.name) for archive in archives}
    troubles: dict[Archive, str] = {}
    with Progress("checking archives, bytes", sum(sizes.values())) as progress:
        for archive, size in sizes.items():
            if (folder / archive.name).exists():
                troubles[archive] = settle(archive, folder / archive.name, folder, records)
            progress.update(size)
    for archive, trouble in troubles.items():
        if trouble:
            print(f"{archive.name}: {trouble}.", flush=True)
    return [archive for archive in archives if troubles.get(archive, "not there")]


def transfers(
    archives: list[Archive], folder: Path, terms: Terms, meter: Meter, records: Records, at_once: int
) -> Iterator[Outcome | None]:
    """Transfer archives on a few threads. Yield the outcome of each, and None at intervals while waiting."""
    todo, unreachable, news = iter(archives), set(), queue.SimpleQueue()

    def transfer(archive: Archive) -> Outcome:
        server = urlsplit(archive.address).netloc
        if server in unreachable:
            return Outcome(archive, "its server cannot be reached")
        if meter.is_full:
            return Outcome(archive, "the archives before it are all that total_limit allows")
        try:
            sum_is_known = bool(archive.sha256) or archive.name in records.sums
            head_check = functools.partial(check_kind, archive.name)
            fetch(archive.address, part_of(archive, folder), terms, meter, head_check, sum_is_known)
        except FetchError as error:
            if isinstance(error, UnreachableError):
                unreachable.add(server)
            return Outcome(archive, str(error))
        return Outcome(archive)

    def work() -> None:
        try:
            for archive in todo:
                news.put(transfer(archive))
        except BaseException as error:  # pass it on to the waiting main thread
            news.put(error)

    for _ in range(at_once):
        threading.Thread(target=work, daemon=True).start()  # daemon: Ctrl-C does not wait for a server
    for _ in archives:
        while True:
            try:
                outcome = news.get(timeout=SECONDS_BETWEEN_LOOKS)
                break
            except queue.Empty:
                yield None
        if isinstance(outcome, BaseException):
            raise outcome
        yield outcome


def download(archives: list[Archive], folder: Path, terms: Terms, allowance: int, at_once: int) -> list[Outcome]:
    """Download the missing archives. Return those that failed, in the order of the listing."""
    records = Records(folder)
    missing = find_missing(archives, folder, records)
    held = sum(size_of(folder / archive.name) + size_of(part_of(archive, folder)) for archive in archives)
    meter = Meter(allowance, held)
    troubles: dict[Archive, str] = {}
    with Progress("", held, held) as progress:
        for outcome in transfers(missing, folder, terms, meter, records, at_once):
            if outcome:
                archive, trouble = outcome
                troubles[archive] = trouble or settle(archive, part_of(archive, folder), folder, records)
            done = len(archives) - len(missing) + list(troubles.values()).count("")
            progress.what = f"{done} of {len(archives)} archives, bytes of those begun"
            progress.total = meter.held + sum(list(meter.coming.values()))
            progress.update(meter.held - progress.done)
    return [Outcome(archive, troubles[archive]) for archive in archives if troubles.get(archive)]


def plan(archives: list[Archive], folder: Path) -> str:
    """List the archives in the folder and those still to download."""
    lines = []
    for archive in archives:
        begun = size_of(part_of(archive, folder))
        state = "there" if (folder / archive.name).exists() else f"{begun:,} bytes" if begun else "to download"
        lines.append(f"{state:>20}  {archive.address}")
    there = sum((folder / archive.name).exists() for archive in archives)
    return "\n".join([*lines, f"{there} of {len(archives)} archives are in {folder}."])


def main(settings: Settings) -> None:
    archives = select(read_listing(settings.archives), settings.match)
    listing = HydraConfig.get().runtime.choices["archives"]
    folder = Path(settings.folder).expanduser() if settings.folder else DOWNLOADS / listing
    if settings.dry_run:
        print(plan(archives, folder))
        return
    terms = Terms(
        retries=settings.retries,
        backoff=settings.backoff,
        longest_wait=settings.longest_wait,
        timeout=settings.timeout,
        largest=int(settings.file_limit * MEGABYTE),
    )
    with alone_in(made(folder)):
        failed = download(archives, folder, terms, int(settings.total_limit * MEGABYTE), settings.parallel)
    for archive, trouble in failed[1:]:
        print(f"{archive.name}: {trouble}.")
    if failed:
        first, trouble = failed[0]
        raise UserError(
            f"{len(failed)} of {len(archives)} archives could not be downloaded, the first of them {first.name}: "
            f"{trouble}."
        )
    size = sum(size_of(folder / archive.name) for archive in archives)
    print(f"{len(archives)} archives with {size:,} bytes are in {folder}.")
    print(f"To read them: ./prezero data.prepare sources={shlex.quote(str(folder))}")


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
