"""Downloads from a server that does everything wrong, and the command as a user meets it."""

import email.utils
import functools
import hashlib
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, prezero
from flaky_server import FlakyServer, endless, in_chunks, in_turn, redirect, refuse, serve, stall
from omegaconf import OmegaConf

from data import download, fetch, prepare, sources
from data.download import Archive, check_kind, read_listing, select
from data.fetch import FetchError, Meter, Terms
from pipeline.artefact import VERSION
from pipeline.errors import UserError
from pipeline.settings import validate

TERMS = Terms(retries=2, backoff=0.001, longest_wait=0.05, timeout=5, largest=1_000_000)
OLD_DATE, NEW_DATE = "Mon, 01 Apr 2019 10:00:00 GMT", "Tue, 02 Apr 2019 10:00:00 GMT"


def archive_bytes(seed: int, size: int = 200_000) -> bytes:
    return b"PK\x03\x04" + random.Random(seed).randbytes(size - 4)


OLD, NEW = archive_bytes(1), archive_bytes(2)


@pytest.fixture
def server(monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "127.0.0.1")
    with FlakyServer() as server:
        yield server


def get(server: FlakyServer, folder: Path, sha256: str = "", allowance: int = 10**9, **terms: float) -> list[str]:
    """Download a.zip and return what went wrong."""
    archive = Archive(f"{server.address}/a.zip", "a.zip", sha256)
    failed = download.download([archive], folder, TERMS._replace(**terms), allowance, at_once=1)
    return [outcome.trouble for outcome in failed]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_whole(folder: Path, content: bytes) -> None:
    assert (folder / "a.zip").read_bytes() == content
    assert names_in(folder) == ["a.zip", "checksums.json"]
    recorded = json.loads((folder / "checksums.json").read_text())
    assert recorded == {"a.zip": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize(
    ("answer", "ranges"),
    [
        (serve(OLD), [None]),
        (in_chunks(OLD), [None]),
        (in_turn(refuse(500), refuse(503), serve(OLD)), [None] * 3),
        (in_turn(refuse(429, Retry_After=0), serve(OLD)), [None] * 2),
        # broken off in the middle: the rest is asked for, by tag or by date
        (in_turn(serve(OLD, at_most=70_000), serve(OLD)), [None, "bytes=70000-"]),
        (in_turn(serve(OLD, None, OLD_DATE, 70_000), serve(OLD, None, OLD_DATE)), [None, "bytes=70000-"]),
        (in_turn(serve(OLD, 'W/"1"', OLD_DATE, 70_000), serve(OLD, None, OLD_DATE)), [None, "bytes=70000-"]),
        (in_turn(serve(OLD, at_most=70_000, then=stall), serve(OLD)), [None, "bytes=70000-"]),
        # broken off before the kind of the file can be told
        (in_turn(serve(OLD, at_most=1), serve(OLD)), [None, "bytes=1-"]),
        (in_turn(serve(OLD, at_most=0), serve(OLD)), [None, None]),
        # nothing to tell versions apart by: from the beginning
        (in_turn(serve(OLD, None, at_most=70_000), serve(OLD, None)), [None, None]),
        (in_turn(serve(OLD, 'W/"1"', at_most=70_000), serve(OLD, 'W/"1"')), [None, None]),
        # a server that ignores the wish for a part, or sends another part
        (in_turn(serve(OLD, at_most=70_000), serve(OLD, ranges=False)), [None, "bytes=70000-"]),
        (in_turn(serve(OLD, at_most=70_000), serve(OLD, shift=5), serve(OLD)), [None, "bytes=70000-", None]),
        (in_turn(serve(OLD, at_most=70_000), serve(OLD, shift=-5), serve(OLD)), [None, "bytes=70000-", None]),
        (in_turn(serve(OLD, at_most=70_000), refuse(416), serve(OLD)), [None, "bytes=70000-", None]),
        (in_turn(serve(OLD, at_most=70_000), refuse(503), serve(OLD)), [None, "bytes=70000-", "bytes=70000-"]),
        (in_turn(in_chunks(OLD[:70_000], ended=False), serve(OLD, '"c"')), [None, "bytes=70000-"]),
    ],
)
def test_a_file_arrives_whole_whatever_the_server_does(tmp_path, server, answer, ranges):
    server.answers["/a.zip"] = answer
    assert get(server, tmp_path, timeout=0.3) == []
    assert_whole(tmp_path, OLD)
    assert server.ranges("/a.zip") == ranges
    assert {asked.agent for asked in server.asked} == {f"prezero/{VERSION}"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (serve(OLD, '"1"', at_most=70_000), serve(NEW, '"2"')),
        (serve(OLD, None, OLD_DATE, 70_000), serve(NEW, None, NEW_DATE)),
        # servers that send a part of the new file although the old one was asked for
        (serve(OLD, '"1"', at_most=70_000), in_turn(serve(NEW, '"2"', honest=False), serve(NEW, '"2"'))),
        (serve(OLD, '"1"', at_most=70_000), in_turn(serve(NEW[:-9], None, honest=False), serve(NEW, '"2"'))),
    ],
)
def test_a_file_that_changes_between_attempts_is_not_glued_from_two_versions(tmp_path, server, old, new):
    server.answers["/a.zip"] = in_turn(old, new)
    assert get(server, tmp_path) == []
    assert_whole(tmp_path, NEW)
    assert server.asked[1].range == "bytes=70000-" and server.asked[1].if_range in ('"1"', OLD_DATE)


def test_a_connection_that_drops_again_and_again_is_no_reason_to_give_up_while_bytes_come(tmp_path, server):
    server.answers["/a.zip"] = serve(OLD, at_most=9_000)
    assert get(server, tmp_path, retries=1) == []
    assert_whole(tmp_path, OLD)
    assert server.sent == len(OLD)  # no byte twice
    assert server.ranges("/a.zip") == [None, *(f"bytes={start}-" for start in range(9_000, len(OLD), 9_000))]


def test_a_server_that_always_begins_anew_and_breaks_off_is_given_up(tmp_path, server):
    server.answers["/a.zip"] = serve(OLD, at_most=9_000, ranges=False)
    assert get(server, tmp_path) == ["the connection broke off (tried 3 times)"]
    assert server.times("/a.zip") == 3
    assert (tmp_path / "a.zip.part").read_bytes() == OLD[:9_000]


@pytest.mark.parametrize(
    ("answer", "trouble", "times"),
    [
        (refuse(404), "the server answered 404 Not Found", 1),
        (refuse(403), "the server answered 403 Forbidden", 1),
        (refuse(304), "the server answered 304 Not Modified", 1),
        (refuse(206), "the server answered 206 Partial Content", 1),
        (refuse(502), "the server answered 502 Bad Gateway (tried 3 times)", 3),
        (refuse(429, Retry_After=99), "the server answered 429 Too Many Requests and asks us to wait 99 seconds", 1),
        (refuse(200), "the server sent a web page in its place", 1),
        (serve(b"<html>" + OLD), "it is not a .zip archive, but something else under that name", 1),
        (
            serve(b"Wait." * 200, at_most=700, then=stall),
            "it is not a .zip archive, but something else under that name",
            1,
        ),
        (serve(b"Gone."), "it is not a .zip archive, but something else under that name", 1),
        (serve(b""), "it is not a .zip archive, but something else under that name", 1),
        (serve(OLD + bytes(900_000)), "it has 1,100,000 bytes, more than the 1,000,000 allowed", 1),
        (endless(b"PK", chunked=True), "it has more than the 1,000,000 bytes allowed", 1),
        (redirect("/a.zip"), "the server redirects more than 5 times", 6),
        (redirect("file:///etc/passwd"), "the server redirects to 'file:///etc/passwd', where we do not go", 1),
        (redirect("ftp://127.0.0.1/a.zip"), "the server redirects to 'ftp://127.0.0.1/a.zip', where we do not go", 1),
        (redirect("http://[x/a.zip"), "the server redirects to 'http://[x/a.zip', where we do not go", 1),
        (redirect(""), "the server redirects to '', where we do not go", 1),
        (
            endless(b"PK", chunked=False),
            "the server does not say how long it is, so that nobody could tell whether it was cut off, "
            "unless the listing gave its sha256",
            1,
        ),
        (serve(OLD, at_most=0, then=stall), "the connection broke off: timed out (tried 3 times)", 3),
        (stall, "the server did not answer: timed out (tried 3 times)", 3),
        (in_chunks(b"", ended=False), "the connection broke off: it ended too early (tried 3 times)", 3),
    ],
)
def test_what_cannot_be_had_is_said_and_leaves_nothing_behind(tmp_path, server, answer, trouble, times):
    server.answers["/a.zip"] = answer
    assert get(server, tmp_path, timeout=0.2) == [trouble]
    assert server.times("/a.zip") == times
    assert [name for name in names_in(tmp_path) if (tmp_path / name).stat().st_size and "json" not in name] == []


def test_a_body_of_unknown_length_is_bounded_and_taken_if_its_sum_is_known(tmp_path, server):
    server.answers["/a.zip"] = endless(b"PK", chunked=False)
    known = hashlib.sha256(OLD).hexdigest()
    assert get(server, tmp_path, known) == ["it has more than the 1,000,000 bytes allowed"]
    assert server.sent < 20_000_000 and names_in(tmp_path) == []

    def until_closed(handler):
        handler.begin(200, {"Connection": "close"})
        handler.body(OLD)

    server.answers["/a.zip"] = until_closed
    assert get(server, tmp_path, known) == []
    assert_whole(tmp_path, OLD)


def test_redirects_are_followed_with_the_wish_for_the_rest_but_never_out_of_encryption(tmp_path, server):
    server.answers["/a.zip"] = redirect("mirror/the%20file")
    server.answers["/mirror/the%20file"] = in_turn(serve(OLD, at_most=70_000), serve(OLD))
    assert get(server, tmp_path) == []
    assert_whole(tmp_path, OLD)
    assert server.ranges("/mirror/the%20file") == [None, "bytes=70000-"]
    assert fetch._next("http://a.org/x/y", "https://b.org/é z") == "https://b.org/%C3%A9%20z"
    with pytest.raises(FetchError, match=r"redirects to 'http://b\.org/', where we do not go"):
        fetch._next("https://a.org/x/y", "http://b.org/")


def test_the_server_may_ask_for_patience(tmp_path, server, monkeypatch):
    waits = []
    monkeypatch.setattr(fetch.time, "sleep", waits.append)
    later = email.utils.formatdate(time.time() + 40, usegmt=True)
    answers = [refuse(503), refuse(429, Retry_After=20), refuse(503, Retry_After=later), refuse(503, Retry_After="?")]
    server.answers["/a.zip"] = in_turn(*answers, refuse(500), serve(OLD))
    assert get(server, tmp_path, retries=5, backoff=1, longest_wait=60) == []
    assert waits[:2] == [1, 20] and 30 < waits[2] <= 40 and waits[3:] == [8, 16]
    assert_whole(tmp_path, OLD)


def test_all_archives_together_are_bounded_and_the_rest_follows_when_the_bound_is_raised(tmp_path, server):
    archives = [Archive(f"{server.address}/{name}.zip", f"{name}.zip", "") for name in "abc"]
    for number, archive in enumerate(archives):
        server.answers[f"/{archive.name}"] = serve(archive_bytes(number))
    failed = download.download(archives, tmp_path, TERMS, 300_000, at_once=1)
    assert [(outcome.archive.name, outcome.trouble) for outcome in failed] == [
        ("b.zip", "all files together would have more than the 300,000 bytes allowed"),
        ("c.zip", "the archives before it are all that total_limit allows"),
    ]
    begun = (tmp_path / "b.zip.part").stat().st_size
    assert 30_000 < begun <= 100_000 and server.times("/c.zip") == 0
    assert len(download.download(archives, tmp_path, TERMS, 200_000 + begun, at_once=1)) == 2
    assert (tmp_path / "b.zip.part").stat().st_size == begun  # what is there counts
    assert download.download(archives, tmp_path, TERMS, 600_000, at_once=1) == []
    assert [(tmp_path / archive.name).read_bytes() for archive in archives] == [archive_bytes(n) for n in range(3)]
    assert server.ranges("/b.zip") == [None, f"bytes={begun}-", f"bytes={begun}-"] and server.times("/a.zip") == 1


def test_so_many_archives_as_allowed_are_asked_for_at_once(tmp_path, server):
    together, open_now, most_open = threading.Barrier(3, timeout=20), [], []

    def wait_for_two_others(content, handler):
        open_now.append(handler)
        together.wait()
        most_open.append(len(open_now))
        time.sleep(0.02)  # in which a fourth would be seen
        most_open.append(len(open_now))
        open_now.remove(handler)
        serve(content)(handler)

    archives = [Archive(f"{server.address}/{n}.zip", f"{n}.zip", "") for n in range(9)]
    for number, archive in enumerate(archives):
        server.answers[f"/{archive.name}"] = functools.partial(wait_for_two_others, archive_bytes(number, 900))
    assert download.download(archives, tmp_path, TERMS, 10**9, at_once=3) == []
    assert [(tmp_path / a.name).read_bytes() for a in archives] == [archive_bytes(n, 900) for n in range(9)]
    assert max(most_open) == 3


def test_a_server_that_nobody_reaches_is_asked_for_one_archive_only(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and does not listen
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        archives = [Archive(f"{address}/{n}.zip", f"{n}.zip", "") for n in range(3)]
        failed = download.download(archives, tmp_path, TERMS, 10**9, at_once=1)
    assert [outcome.trouble for outcome in failed] == [
        "its server cannot be reached: Connection refused (tried 3 times)",
        "its server cannot be reached",
        "its server cannot be reached",
    ]


def test_checksums_are_those_of_the_listing_or_else_of_the_first_download(tmp_path, server):
    server.answers["/a.zip"] = serve(OLD)
    old, new = (hashlib.sha256(content).hexdigest() for content in (OLD, NEW))
    assert get(server, tmp_path) == []
    assert get(server, tmp_path) == [] and server.times("/a.zip") == 1  # it is there
    (tmp_path / "a.zip").unlink()
    server.answers["/a.zip"] = serve(NEW)
    recorded = f"its sha256 is {new}, not {old}, which checksums.json has from the first download"
    assert get(server, tmp_path) == [f"{recorded}; it was set aside as a.zip.bad"]
    assert names_in(tmp_path) == ["a.zip.bad", "checksums.json"] and (tmp_path / "a.zip.bad").read_bytes() == NEW
    assert get(server, tmp_path, sha256=new) == []  # the listing knows better
    assert json.loads((tmp_path / "checksums.json").read_text()) == {"a.zip": new}
    listed = f"its sha256 is {new}, not {old}, which the listing gives; it was set aside as a.zip.bad"
    assert get(server, tmp_path, sha256=old) == [listed]
    assert names_in(tmp_path) == ["a.zip.bad", "checksums.json"]


def test_an_archive_that_was_damaged_here_is_set_aside_and_downloaded_again(tmp_path, server, capsys):
    server.answers["/a.zip"] = serve(OLD)
    assert get(server, tmp_path) == []
    (tmp_path / "a.zip").write_bytes(OLD[:-1])
    assert get(server, tmp_path) == []
    assert (tmp_path / "a.zip").read_bytes() == OLD and (tmp_path / "a.zip.bad").read_bytes() == OLD[:-1]
    assert (
        "which checksums.json has from the first download; it was set aside as a.zip.bad.\n" in capsys.readouterr()[0]
    )
    (tmp_path / "checksums.json").unlink()
    (tmp_path / "a.zip").write_bytes(b"<html>saved by hand</html>")
    assert get(server, tmp_path) == [] and (tmp_path / "a.zip").read_bytes() == OLD
    (tmp_path / "checksums.json").unlink()  # what is sound and was put there by hand is taken as it is
    (tmp_path / "a.zip").write_bytes(NEW)
    (tmp_path / "a.zip.part").write_bytes(OLD[:9])
    (tmp_path / "a.zip.bad").unlink()
    assert get(server, tmp_path) == [] and server.times("/a.zip") == 3
    assert_whole(tmp_path, NEW)


@pytest.mark.parametrize(
    "note",
    [
        None,
        "{",
        "[]",
        '{"address": "ADDRESS", "validator": "", "total": 200000}',
        '{"address": "ADDRESS", "validator": 3, "total": 200000}',
        '{"address": "ADDRESS", "validator": "\\"1\\"\\nX: y", "total": 200000}',
        '{"address": "http://127.0.0.1/other.zip", "validator": "\\"1\\"", "total": 200000}',
    ],
)
def test_a_part_of_unknown_origin_is_not_gone_on_with(tmp_path, server, note):
    server.answers["/a.zip"] = serve(OLD)
    (tmp_path / "a.zip.part").write_bytes(NEW[:70_000])
    if note:
        (tmp_path / "a.zip.part.json").write_text(note.replace("ADDRESS", f"{server.address}/a.zip"))
    assert get(server, tmp_path) == []
    assert_whole(tmp_path, OLD)
    assert server.ranges("/a.zip") == [None]


def test_a_part_that_is_whole_is_not_asked_for_again(tmp_path, server):
    (tmp_path / "a.zip.part").write_bytes(OLD)
    note = {"address": f"{server.address}/a.zip", "validator": "", "total": len(OLD)}
    (tmp_path / "a.zip.part.json").write_text(json.dumps(note))
    assert get(server, tmp_path) == [] and server.asked == []
    assert_whole(tmp_path, OLD)


def test_a_full_disk_is_no_network_error(tmp_path, server, monkeypatch):
    server.answers["/a.zip"] = serve(OLD)
    whole = Path.open

    def full(path, mode="r", **options):
        if mode == "ab":
            raise OSError(28, "No space left on device")
        return whole(path, mode, **options)

    monkeypatch.setattr(Path, "open", full)
    assert get(server, tmp_path) == ["it cannot be written: No space left on device"]
    assert server.times("/a.zip") == 1


def test_an_error_of_ours_in_a_thread_reaches_the_user(tmp_path, server, monkeypatch):
    monkeypatch.setattr(download, "fetch", functools.partial(int, "not a number"))
    with pytest.raises(TypeError):
        get(server, tmp_path)


def test_the_meter_takes_back_what_is_forgotten(tmp_path):
    meter = Meter(100, 40)
    part = tmp_path / "x.part"
    part.write_bytes(bytes(40))
    fetch.forget(part, meter)
    meter.add(100)
    assert (meter.held, meter.is_full) == (100, False) and names_in(tmp_path) == []
    with pytest.raises(FetchError, match="more than the 100 bytes allowed"):
        meter.add(1)
    assert (meter.held, meter.is_full) == (100, True)


@pytest.mark.parametrize("entry", ["a.zip", "a.ZIP", "a%2Bb.tar.gz", "x/y/a.tgz?z=../../b", "KGS-2019_04-19-1255-.tar"])
def test_file_names_are_taken_from_addresses(entry):
    names = {"a%2Bb.tar.gz": "a+b.tar.gz", "x/y/a.tgz?z=../../b": "a.tgz"}
    for base in ("https://a.org/b", "https://a.org/b/"):
        listing = {"base": base, "addresses": [{"address": entry, "sha256": "AB" * 32}]}
        assert read_listing(listing) == [Archive(f"https://a.org/b/{entry}", names.get(entry, entry), "ab" * 32)]


@pytest.mark.parametrize(
    ("addresses", "sentence"),
    [
        (["https://a.org/..%2f..%2fb.zip"], "does not end in the name of an archive"),
        (["https://a.org/%2e%2e%5cb.zip"], "does not end in the name of an archive"),
        (["https://a.org/b%00.zip"], "does not end in the name of an archive"),
        (["https://a.org/.zip"], "does not end in the name of an archive"),
        (["https://a.org/%0ab.zip"], "does not end in the name of an archive"),
        (["https://a.org/" + 300 * "b" + ".zip"], "does not end in the name of an archive"),
        (["https://a.org/"], "does not end in the name of an archive"),
        (["https://a.org"], "does not end in the name of an archive"),
        (["https://a.org/b.exe"], "does not end in the name of an archive"),
        (["https://a.org/b.zip/"], "does not end in the name of an archive"),
        (["https://a.org/?b.zip"], "does not end in the name of an archive"),
        (["file:///etc/b.zip"], "is not an address that begins with http:// or https://"),
        (["ftp://a.org/b.zip"], "is not an address that begins with http:// or https://"),
        (["https:///b.zip"], "is not an address that begins with http:// or https://"),
        (["https://me:secret@a.org/b.zip"], "is not an address that begins with http:// or https://"),
        (["https://a.org:x/b.zip"], "is not an address that begins with http:// or https://"),
        (["https://[a/b.zip"], "is not an address that begins with http:// or https://"),
        (["https://a.org/b c.zip"], "is not an address that begins with http:// or https://"),
        (["b.zip"], "is not an address that begins with http:// or https://"),
        (["https://a.org/b.zip", "https://c.org/d/B.zip"], "https://c.org/d/B.zip would become the same file"),
        (["https://a.org/b.zip", "https://a.org/b.zip"], "would become the same file"),
        ([{"address": "https://a.org/b.zip", "sha256": "12"}], "is not one: it has 64 hexadecimal digits"),
        ([{"address": "https://a.org/b.zip", "md5": "12"}], "is neither an address nor an address with its sha256"),
        ([{"sha256": "12"}], "is neither an address nor an address with its sha256"),
        ([3], "3 in the listing is neither an address nor an address with its sha256"),
        ([], "The listing has no list of addresses"),
        ("https://a.org/b.zip", "The listing has no list of addresses"),
    ],
)
def test_addresses_that_could_lead_astray_are_refused(addresses, sentence):
    with pytest.raises(UserError, match=sentence):
        read_listing({"addresses": addresses})


def test_every_kind_is_known_by_its_first_bytes_and_can_be_read(tmp_path):
    record = tmp_path / "a.sgf"
    record.write_text("(;SZ[9])")
    heads = {}
    for endings in download.KINDS:
        for ending in endings:
            path = tmp_path / f"A{ending.upper()}"
            if ending == ".zip":
                with zipfile.ZipFile(path, "w") as archive:
                    archive.write(record, record.name)
            else:
                packing = {"g": "gz", "b": "bz2", "x": "xz"}.get(endings[-1].removeprefix(".t")[0], "")
                with tarfile.open(path, f"w:{packing}") as archive:
                    archive.add(record, record.name)
            assert [item.data for item in sources.Reading([path])] == [b"(;SZ[9])"]
            heads[ending] = path.read_bytes()[: fetch.HEAD]
    for endings in download.KINDS:
        for real, head in heads.items():
            for claimed in endings:
                if real in endings:
                    check_kind(f"A{claimed.upper()}", head)
                else:
                    with pytest.raises(FetchError, match=f"it is not a {claimed} archive"):
                        check_kind(f"a{claimed}", head)


def test_the_kgs_listing_is_whole_and_lands_where_prepare_looks():
    listing = read_listing(OmegaConf.to_object(OmegaConf.load(ROOT / "conf" / "archives" / "kgs.yaml")))
    games = {archive.name: int(archive.name.split("-")[-2]) for archive in listing}
    assert len(games) == 55 and sum(games.values()) == 228_849
    assert all(archive.address == f"https://dl.u-go.net/gamerecords/{archive.name}" for archive in listing)
    assert [archive.name for archive in select(listing, "2016_0[12]")] == [
        "KGS-2016_01-19-756-.tar.bz2",
        "KGS-2016_02-19-577-.tar.bz2",
    ]
    assert sum(games[archive.name] for archive in select(listing, "KGS-20..-")) == 179_689
    assert prepare.NAMED_SOURCES["kgs"] == download.DOWNLOADS / "kgs"


def arguments(server: FlakyServer, folder: Path, addresses: list[str], *settings: str) -> list[str]:
    quoted = ",".join(f"'{address}'" for address in addresses)
    listing = (f"archives.base={server.address}", f"archives.addresses=[{quoted}]")
    return ["data.download", *listing, f"folder={folder}", "backoff=0.01", "timeout=5", *settings]


def run(server: FlakyServer, folder: Path, *rest: Any) -> subprocess.CompletedProcess:
    return prezero(*arguments(server, folder, *rest), runs=folder.parent / "runs")


def test_the_command_downloads_what_it_can_and_names_what_it_cannot(tmp_path, server):
    folder = tmp_path / "my archives"
    server.answers |= {
        "/a.zip": serve(OLD, at_most=70_000),
        "/b.zip": refuse(404),
        "/c.zip": serve(NEW),
        "/d.zip": refuse(200),
    }
    names = ["a.zip", "b.zip", "c.zip", "d.zip"]
    listed = run(server, folder, names, "dry_run=true")
    assert listed.returncode == 0 and server.asked == [] and not folder.exists()
    assert listed.stdout.splitlines() == [
        *(f"         to download  {server.address}/{name}" for name in names),
        f"0 of 4 archives are in {folder}.",
    ]
    done = run(server, folder, names, "parallel=1")
    assert done.returncode == 2
    assert done.stdout == "d.zip: the server sent a web page in its place.\n"
    assert done.stderr == (
        "prezero: 2 of 4 archives could not be downloaded, the first of them b.zip: "
        "the server answered 404 Not Found.\n"
    )
    assert names_in(folder) == ["a.zip", "c.zip", "checksums.json"]
    assert (folder / "a.zip").read_bytes() == OLD and (folder / "c.zip").read_bytes() == NEW
    server.asked.clear()
    done = run(server, folder, names, "match=[ac]")
    assert (done.returncode, done.stderr, server.asked) == (0, "", [])
    assert done.stdout == (
        f"2 archives with 400,000 bytes are in {folder}.\nTo read them: ./prezero data.prepare sources='{folder}'\n"
    )


def start_and_wait_for_bytes(server: FlakyServer, folder: Path, count: int) -> subprocess.Popen:
    """Start a download of a.zip in a process of its own and wait until so many bytes have been written."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments(server, folder, ["a.zip"], "timeout=60")],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    part, deadline = folder / "a.zip.part", time.monotonic() + 60
    while fetch.size_of(part) < count and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    assert fetch.size_of(part) == count
    return process


def test_after_a_kill_only_the_rest_is_asked_for(tmp_path, server):
    server.answers["/a.zip"] = in_turn(serve(OLD, at_most=123_457, then=stall), serve(OLD))
    process = start_and_wait_for_bytes(server, tmp_path, 123_457)
    busy = run(server, tmp_path, ["a.zip"])
    assert busy.returncode == 2 and server.times("/a.zip") == 1
    assert busy.stderr == (f"prezero: Another command is at work in {tmp_path}; wait for it, or name another folder.\n")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    listed = run(server, tmp_path, ["a.zip"], "dry_run=true")
    assert listed.stdout.splitlines()[0] == f"       123,457 bytes  {server.address}/a.zip"
    done = run(server, tmp_path, ["a.zip"])
    assert done.returncode == 0, done.stderr
    assert_whole(tmp_path, OLD)
    assert [(asked.range, asked.if_range) for asked in server.asked] == [(None, None), ("bytes=123457-", '"1"')]
    assert server.sent == len(OLD)


def test_ctrl_c_does_not_wait_for_the_server(tmp_path, server):
    server.answers["/a.zip"] = serve(OLD, at_most=70_000, then=stall)
    process = start_and_wait_for_bytes(server, tmp_path, 70_000)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)  # half of what the server would be given
    assert process.returncode == 130 and said == "\nprezero: stopped; run the same command again to go on.\n"
    assert (tmp_path / "a.zip.part").read_bytes() == OLD[:70_000]


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("archives=kgz", "archives=kgz does not exist; there are "),
        ("match=(", "match=( is not a regular expression: missing ), unterminated subpattern at position 0."),
        ("match=x", "match=x fits none of the 1 archives; dry_run=true lists them."),
        ("folder=/dev/null/x", "Cannot make the folder /dev/null/x: Not a directory."),
    ],
)
def test_bad_input_is_answered_in_one_sentence_with_exit_code_2(tmp_path, server, setting, sentence):
    done = run(server, tmp_path / "archives", ["a.zip"], setting)
    assert done.returncode == 2 and server.asked == []
    assert done.stderr.startswith(f"prezero: {sentence}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("parallel", 0, "parallel=0 is not between 1 and 8"),
        ("retries", -1, "retries=-1 is not between 0 and 1,000"),
        ("file_limit", math.nan, "file_limit=nan is not above 0 and at most 1,000,000"),
        ("total_limit", math.inf, "total_limit=inf is not above 0 and at most 1,000,000"),
        ("timeout", 0.0, r"timeout=0 is not between 0.01 and 3,600"),
        ("backoff", math.nan, "backoff=nan is not between 0 and 3,600"),
        ("longest_wait", 4000.0, r"longest_wait=4000 is not between 0 and 3,600"),
    ],
)
def test_settings_that_make_no_sense_are_refused(name, value, sentence):
    validate(download.Settings())
    with pytest.raises(UserError, match=sentence):
        validate(download.Settings(**{name: value}))


def test_a_damaged_record_of_checksums_is_named(tmp_path, server):
    for damage, sentence in (("{", "cannot be read"), ("[1]", "is not what we wrote"), ('{"a": 1}', "is not what we")):
        (tmp_path / "checksums.json").write_text(damage)
        with pytest.raises(UserError, match=f"checksums.json {sentence}.*; remove it to begin anew"):
            get(server, tmp_path)
