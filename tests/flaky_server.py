"""A web server on this machine that does to a download whatever servers and networks do."""

import contextlib
import http.server
import re
import threading
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self


class Asked(NamedTuple):
    """A request as the server saw it."""

    path: str
    range: str | None
    if_range: str | None
    agent: str | None


class FlakyServer(http.server.ThreadingHTTPServer):
    """Serves what `answers` say for each path; remembers what it was asked, and how many bytes of bodies it sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Callable[[Handler], None]] = {}
        self.asked: list[Asked] = []
        self.sent = 0
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.address = f"http://127.0.0.1:{self.server_port}"

    def times(self, path: str) -> int:
        return sum(asked.path == path for asked in self.asked)

    def ranges(self, path: str) -> list[str | None]:
        return [asked.range for asked in self.asked if asked.path == path]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    server: FlakyServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        wish = self.headers
        with self.server.lock:
            self.server.asked.append(Asked(self.path, wish["Range"], wish["If-Range"], wish["User-Agent"]))
        self.close_connection = True
        with contextlib.suppress(OSError):  # the client may go away
            self.server.answers.get(self.path, refuse(404))(self)

    def log_message(self, *_: object) -> None:
        pass

    def begin(self, status: int, headers: dict[str, object]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    def body(self, data: bytes) -> None:
        self.wfile.write(data)
        with self.server.lock:
            self.server.sent += len(data)


Answer = Callable[[Handler], None]


def refuse(status: int, **headers: object) -> Answer:
    def answer(handler: Handler) -> None:
        page = b"<html>no</html>"
        shown = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.begin(status, {"Content-Type": "text/html", "Content-Length": len(page), **shown})
        handler.wfile.write(page)

    return answer


def serve(
    content: bytes,
    etag: str | None = '"1"',
    modified: str | None = None,
    at_most: int | None = None,
    then: Callable[[Handler], object] = lambda handler: None,
    ranges: bool = True,
    kind: str = "application/octet-stream",
    shift: int = 0,
    honest: bool = True,
) -> Answer:
    """Serve a file as it should be, but no more than `at_most` bytes of it each time, and `then` something happens.

    Without `ranges` it is always sent from the beginning; with a `shift` the wrong part is sent; if not `honest`, a
    part is sent whatever version was asked for.
    """

    def answer(handler: Handler) -> None:
        headers = {"ETag": etag, "Last-Modified": modified, "Content-Type": kind}
        wish = re.fullmatch(r"bytes=(\d+)-", handler.headers["Range"] or "")
        same = handler.headers["If-Range"] in (None, etag or modified) or not honest
        if wish and ranges and same:
            first = int(wish[1]) + shift
            if first >= len(content):
                return handler.begin(416, {"Content-Range": f"bytes */{len(content)}", "Content-Length": 0})
            headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        else:
            wish, first = None, 0
        rest = content[first:]
        handler.begin(206 if "Content-Range" in headers else 200, {**headers, "Content-Length": len(rest)})
        handler.body(rest[:at_most])
        then(handler)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Give one answer after another, and the last one from then on."""
    left = list(answers)

    def answer(handler: Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return answer


def stall(handler: Handler) -> None:
    """Keep the connection open and send nothing."""
    handler.server.closing.wait(60)


def endless(start: bytes, chunked: bool) -> Answer:
    """Send a body without an end, and without saying how long it is."""

    def answer(handler: Handler) -> None:
        handler.begin(200, {"Transfer-Encoding": "chunked"} if chunked else {"Connection": "close"})
        data = start + bytes(10_000 - len(start))
        while not handler.server.closing.is_set():
            handler.body(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)

    return answer


def in_chunks(content: bytes, ended: bool = True) -> Answer:
    """Send a body in chunks, which has an end mark in place of a length; or break off before that."""

    def answer(handler: Handler) -> None:
        handler.begin(200, {"Transfer-Encoding": "chunked", "ETag": '"c"'})
        for start in range(0, len(content), 7_000):
            piece = content[start : start + 7_000]
            handler.body(b"%x\r\n%b\r\n" % (len(piece), piece))
        if ended:
            handler.body(b"0\r\n\r\n")

    return answer


def redirect(location: str) -> Answer:
    return refuse(302, Location=location)
