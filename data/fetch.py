"""The transfer of one file over HTTP: resumed, retried, limited in size, and never mixed from two versions.

A file is downloaded to `NAME.part`. `NAME.part.json` records its address and version, so that a killed transfer can be
resumed without losing data. A transfer starts again from the beginning if the server does not identify versions or does
not support range requests.
"""

import email.utils
import http.client
import re
import ssl
import string
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pipeline.artefact import VERSION, read_json, write_json
from pipeline.errors import UserError

CHUNK = 1 << 16
HEAD = 512  # bytes needed to recognise the type of a file
MOST_REDIRECTS = 5
ABOUT_NOW = (408, 425, 429)  # temporary errors, as are 500 and above
CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")

# Only HTTP and HTTPS, so that no address can lead to a local file. No redirect handler: `_open` follows redirects.
OPENER = urllib.request.OpenerDirector()
for _handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    OPENER.add_handler(_handler())


class FetchError(Exception):
    """A file cannot be downloaded. The message gives the reason, and is printed after the file name."""


class UnreachableError(FetchError):
    """The server cannot be reached, so other files from it are not tried."""


class _AgainError(Exception):
    """An attempt failed, but a later one may succeed. `wait` is the delay in seconds that the server asks for."""

    def __init__(self, reason: str, wait: float = 0.0, answered: bool = True) -> None:
        super().__init__(reason)
        self.wait, self.answered = wait, answered


class Terms(NamedTuple):
    """The limits of a transfer: attempts, waiting times in seconds, and the largest file size in bytes."""

    retries: int  # further attempts without new data before giving up
    backoff: float  # wait before the second attempt; doubles each time
    longest_wait: float
    timeout: float  # without any data
    largest: int


class Version(NamedTuple):
    """A version of a file: its address, its validator (ETag or Last-Modified), and its size in bytes if known."""

    address: str
    validator: str
    total: int | None


class Meter:
    """Counts the bytes on disk of all transfers of a run, and limits their sum to `allowance`."""

    def __init__(self, allowance: int, held: int = 0) -> None:
        self.allowance, self.held, self.is_full = allowance, held, False
        self.coming: dict[str, int] = {}  # file to bytes announced but not yet received
        self.lock = threading.Lock()

    def add(self, count: int) -> None:
        with self.lock:
            self.is_full = self.is_full or self.held + count > self.allowance
            if self.is_full and count > 0:
                raise FetchError(f"all files together would have more than the {self.allowance:,} bytes allowed")
            self.held += count


def fetch(
    address: str, part: Path, terms: Terms, meter: Meter, check_head: Callable[[bytes], None], sum_is_known: bool
) -> None:
    """Transfer a whole file to `part`. Resume where an earlier attempt stopped.

    `check_head` gets the first bytes as soon as they have arrived, and raises if the file type is wrong. A file of
    unknown length that is not sent in chunks is accepted only if its checksum is known.
    """
    failures, furthest = 0, size_of(part)
    while True:
        try:
            _attempt(address, part, terms, meter, check_head, sum_is_known)
            return _check_head(part, meter, check_head)
        except _AgainError as trouble:
            if size_of(part) > furthest:
                failures, furthest = 0, size_of(part)
            failures += 1
            if failures > terms.retries:
                kind = FetchError if trouble.answered else UnreachableError
                raise kind(f"{trouble} (tried {failures} times)" if terms.retries else f"{trouble}") from trouble
            time.sleep(max(trouble.wait, min(terms.backoff * 2 ** (failures - 1), terms.longest_wait)))
        except OSError as error:  # of the disk: network errors were converted
            raise FetchError(f"it cannot be written: {error.strerror}") from error


def forget(part: Path, meter: Meter) -> None:
    """Remove the downloaded part of a file."""
    meter.add(-size_of(part))
    part.unlink(missing_ok=True)
    note_of(part).unlink(missing_ok=True)


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def note_of(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _begun(part: Path, address: str) -> Version | None:
    """Return the version of a partial file, or None if it is neither complete nor resumable."""
    try:
        version = Version(**read_json(note_of(part)))
        can_be_asked_for = _plain(version.validator) and size_of(part) > 0
    except (TypeError, UserError):  # the note is missing or invalid
        return None
    is_usable = version.address == address and (can_be_asked_for or size_of(part) == version.total)
    return version if is_usable else None


def _attempt(
    address: str, part: Path, terms: Terms, meter: Meter, check_head: Callable[[bytes], None], sum_is_known: bool
) -> None:
    version = _begun(part, address)
    have = size_of(part) if version else 0
    if version and have == version.total:  # killed after the last byte
        return
    wish = {"Range": f"bytes={have}-", "If-Range": version.validator} if version else {}
    with _open(address, wish, terms) as answer:
        rest = _rest(answer, version, have) if version and answer.status == 206 else None
        if version and rest is None and answer.status in (206, 416):
            forget(part, meter)
            raise _AgainError("the server does not send the rest of what has arrived")
        if rest is None and answer.status != 200:
            raise FetchError(_said(answer))
        if answer.headers.get_content_type() == "text/html":
            raise FetchError("the server sent a web page in its place")
        if rest is None:
            forget(part, meter)
            rest = Version(address, _validator(answer), answer.length)
        if rest.total is None and not answer.chunked and not sum_is_known:
            raise FetchError(
                "the server does not say how long it is, so that nobody could tell whether it was cut off, "
                "unless the listing gave its sha256"
            )
        if (rest.total or 0) > terms.largest:
            raise FetchError(f"it has {rest.total:,} bytes, more than the {terms.largest:,} allowed")
        write_json(note_of(part), rest._asdict())
        _receive(answer, part, terms, meter, check_head)
    if rest.total is not None and size_of(part) > rest.total:
        forget(part, meter)
        raise _AgainError("the server sent more than it said")
    if rest.total is not None and size_of(part) < rest.total:
        raise _AgainError("the connection broke off")


def _receive(
    answer: http.client.HTTPResponse, part: Path, terms: Terms, meter: Meter, check_head: Callable[[bytes], None]
) -> None:
    """Append the received bytes to the part, up to the allowed size."""
    try:
        with part.open("ab") as file:
            have = file.tell()
            while chunk := _read(answer):
                if have + len(chunk) > terms.largest:
                    forget(part, meter)
                    raise FetchError(f"it has more than the {terms.largest:,} bytes allowed")
                meter.add(len(chunk))
                meter.coming[part.name] = answer.length or 0
                file.write(chunk)
                file.flush()
                before, have = have, have + len(chunk)
                if before < HEAD <= have:
                    _check_head(part, meter, check_head)
    finally:
        meter.coming.pop(part.name, None)


def _check_head(part: Path, meter: Meter, check_head: Callable[[bytes], None]) -> None:
    with part.open("rb") as file:
        head = file.read(HEAD)
    try:
        check_head(head)
    except FetchError:
        forget(part, meter)
        raise


def _open(address: str, wish: dict[str, str], terms: Terms) -> http.client.HTTPResponse:
    """Request a file and follow redirects. Raise `_AgainError` for temporary failures."""
    headers = {"User-Agent": f"prezero/{VERSION}", **wish}
    for _ in range(MOST_REDIRECTS + 1):
        try:
            answer = OPENER.open(urllib.request.Request(address, headers=headers), timeout=terms.timeout)
        except urllib.error.URLError as error:
            if isinstance(error.reason, ssl.SSLCertVerificationError):
                raise UnreachableError(f"its server is not trusted: {error.reason.verify_message}") from error
            raise _AgainError(f"its server cannot be reached: {_why(error.reason)}", answered=False) from error
        except (OSError, http.client.HTTPException) as error:
            raise _AgainError(f"the server did not answer: {_why(error)}") from error
        if answer.status not in (301, 302, 303, 307, 308):
            break
        answer.close()
        address = _next(address, answer.headers["Location"] or "")
    else:
        raise FetchError(f"the server redirects more than {MOST_REDIRECTS} times")
    if answer.status >= 500 or answer.status in ABOUT_NOW:
        answer.close()
        wait = _retry_after(answer)
        if wait > terms.longest_wait:
            raise FetchError(f"{_said(answer)} and asks us to wait {wait:.0f} seconds")
        raise _AgainError(_said(answer), wait)
    return answer


def _next(address: str, location: str) -> str:
    """Return the target of a redirect. Refuse a change from HTTPS to HTTP, and any other scheme."""
    try:
        target = urllib.parse.urljoin(address, urllib.parse.quote(location, safe=string.punctuation))
        scheme = urllib.parse.urlsplit(target).scheme
    except ValueError:
        scheme = ""
    if not location or scheme not in (("https",) if address.startswith("https:") else ("http", "https")):
        raise FetchError(f"the server redirects to {location[:200]!r}, where we do not go")
    return target


def _read(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read1(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise _AgainError(f"the connection broke off: {_why(error)}") from error


def _rest(answer: http.client.HTTPResponse, version: Version, have: int) -> Version | None:
    """Return the version with its length if the answer continues our part at byte `have`, else None."""
    found = CONTENT_RANGE.fullmatch(answer.headers["Content-Range"] or "")
    if not found:
        return None
    first, last, total = map(int, found.groups())
    fits = first == have and last < total and answer.length in (None, last + 1 - first)
    is_same = total == (version.total or total) and _validator(answer) in ("", version.validator)
    return version._replace(total=total) if fits and is_same else None


def _validator(answer: http.client.HTTPResponse) -> str:
    """Return the ETag or Last-Modified of a file. Weak ETags are ignored: they may stay when bytes change."""
    tag = answer.headers["ETag"] or ""
    return _plain(tag if tag.startswith('"') else answer.headers["Last-Modified"] or "")


def _plain(text: str) -> str:
    """Return the text if it is valid in a header, else an empty text."""
    return text if re.fullmatch(r"[ -~]+", text) else ""


def _retry_after(answer: http.client.HTTPResponse) -> float:
    text = answer.headers["Retry-After"] or ""
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0


def _said(answer: http.client.HTTPResponse) -> str:
    """Describe the status of an answer with the standard phrase, because the server's own may contain anything."""
    return f"the server answered {answer.status} {http.client.responses.get(answer.status, '')}".rstrip()


def _why(error: BaseException | str) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "it ended too early"
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
