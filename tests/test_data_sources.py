"""Where records come from: every kind of source, and everything that is wrong with files and archives."""

import bz2
import gzip
import io
import json
import lzma
import os
import socket
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from data import sources
from data.record import LARGEST
from data.sources import DAMAGED, NOTHING, UNKNOWN_KIND, Item, Reading, Trouble, files_of, find_sources
from pipeline.artefact import read_json, write_json
from pipeline.errors import UserError

GAMES = {"a.sgf": b"(;SZ[9];B[aa])", "b/B.SGF": b"(;SZ[9];B[bb])", "lines.sgfs": b"(;B[cc])\n\n(;B[dd])\n(;B[ee])"}
NO_MEMBER = "archive member damaged or encrypted"
NO_FILE = "a link, device or sparse file in an archive"
BOMB = "archive expands beyond the bound"


def read(*paths: Path) -> list[Item | Trouble]:
    return list(Reading(files_of(list(paths))))


def items(found: list[Item | Trouble]) -> list[bytes]:
    return [entry.data for entry in found if isinstance(entry, Item)]


def troubles(found: list[Item | Trouble], base: Path) -> list[tuple[str, str]]:
    return [(entry.name.removeprefix(f"{base}/"), entry.reason) for entry in found if isinstance(entry, Trouble)]


def tar_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


def zip_of(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


ARCHIVES = {
    "x.zip": zip_of,
    "X.ZIP": zip_of,
    "x.tar": tar_of,
    "x.tar.gz": lambda members: gzip.compress(tar_of(members)),
    "x.tgz": lambda members: gzip.compress(tar_of(members)),
    "x.tar.bz2": lambda members: bz2.compress(tar_of(members)),
    "x.tar.xz": lambda members: lzma.compress(tar_of(members)),
    "x.txz": lambda members: lzma.compress(tar_of(members)),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_every_kind_of_archive_gives_its_games_in_order(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(
        ARCHIVES[name](GAMES | {"read.me": b"(;B[aa])", "in.zip": zip_of(GAMES), "__MACOSX/._a.sgf": b"x"})
    )
    found = read(path)
    assert [entry for entry in found if isinstance(entry, Item)] == [
        Item(f"{path}/a.sgf", b"(;SZ[9];B[aa])"),
        Item(f"{path}/b/B.SGF", b"(;SZ[9];B[bb])"),
        Item(f"{path}/lines.sgfs:1", b"(;B[cc])\n"),
        Item(f"{path}/lines.sgfs:3", b"(;B[dd])\n"),
        Item(f"{path}/lines.sgfs:4", b"(;B[ee])"),
    ]
    assert troubles(found, path) == [(n, UNKNOWN_KIND) for n in ("read.me", "in.zip", "__MACOSX/._a.sgf")]


def test_folders_patterns_and_lists(tmp_path):
    for name, data in GAMES.items():
        (tmp_path / "f" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "f" / name).write_bytes(data)
    (tmp_path / "f/folder.sgf").mkdir()
    (tmp_path / "f/folder.sgf/c, d.sgf").write_bytes(b"(;B[ff])")
    (tmp_path / "f/e.sgf.gz").write_bytes(gzip.compress(b"(;B[gg])"))
    folder = tmp_path / "f"
    every = [b"(;SZ[9];B[aa])", b"(;B[gg])", b"(;B[cc])\n", b"(;B[dd])\n", b"(;B[ee])", b"(;SZ[9];B[bb])", b"(;B[ff])"]
    assert items(read(*find_sources(str(folder)))) == every
    assert find_sources(f"{folder}/*.sgf") == [folder / "a.sgf", folder / "folder.sgf"]
    assert find_sources(f" {folder}/*.sgfs, {folder}/a.sgf,{folder}/a*") == [folder / "lines.sgfs", folder / "a.sgf"]
    assert find_sources(f"{folder}/folder.sgf/c, d.sgf") == [folder / "folder.sgf/c, d.sgf"]
    assert find_sources(f"{folder}/**/*.sgf")[-1] == folder / "folder.sgf/c, d.sgf"
    assert files_of([folder, folder / "a.sgf", folder]) == files_of([folder])
    assert find_sources("") == []


@pytest.mark.parametrize("name", ["missing.sgf", "*.sgf", "x" * 5000, "~nobody-of-this-name/x", "a\0b", "**x"])
def test_a_source_that_is_missing_is_one_sentence(tmp_path, name):
    (tmp_path / "here.zip").touch()
    with pytest.raises(UserError, match=r"^There is no file, folder or match for "):
        find_sources(f"{tmp_path}/here.zip,{name if name[0] == '~' else tmp_path / name}")


def test_a_pipe_or_device_is_no_source(tmp_path):
    os.mkfifo(tmp_path / "pipe.sgf")
    for path in (tmp_path / "pipe.sgf", Path("/dev/zero")):
        with pytest.raises(UserError, match=f"^{path} is neither a file nor a folder.$"):
            find_sources(str(path))


def test_what_is_no_file_in_a_folder_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "a-pipe.sgf")
    (tmp_path / "b-device.sgf").symlink_to("/dev/zero")
    (tmp_path / "c-dangling.sgf").symlink_to(tmp_path / "nowhere")
    (tmp_path / "d-loop.sgf").symlink_to(tmp_path / "d-loop.sgf")
    (tmp_path / "e-parent").symlink_to(tmp_path)
    (tmp_path / "f.sgf").write_bytes(b"(;B[aa])")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "g-socket.sgf"))
        found = read(tmp_path)
    assert items(found) == [b"(;B[aa])"]
    assert [(Path(entry.name).name, entry.detail) for entry in found if isinstance(entry, Trouble)] == [
        ("a-pipe.sgf", "not a regular file"),
        ("b-device.sgf", "not a regular file"),
        ("c-dangling.sgf", "No such file or directory"),
        ("d-loop.sgf", "Too many levels of symbolic links"),
        ("e-parent", "a link to a folder, or a folder that cannot be listed"),
        ("g-socket.sgf", "not a regular file"),
    ]


def test_without_permission(tmp_path, monkeypatch):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/a.sgf").write_bytes(b"(;B[aa])")
    (tmp_path / "z.sgf").write_bytes(b"(;B[bb])")
    scandir = os.scandir

    def denied(path):  # root may read anything, so it takes more than a mode
        if Path(path).name == "secret":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)
    found = read(tmp_path)
    assert items(found) == [b"(;B[bb])"] and troubles(found, tmp_path) == [("secret", DAMAGED)]
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(UserError, match=r"z\.sgf cannot be read: permission denied\.$"):
        find_sources(str(tmp_path / "z.sgf"))


def test_names_in_no_encoding_can_be_printed_and_stored(tmp_path):
    odd = os.fsdecode(b"caf\xe9 \n.sgf")
    (tmp_path / odd).write_bytes(b"(;B[aa])")
    (tmp_path / "x.tar").write_bytes(tar_of({odd: b"(;B[bb])", odd + ".txt": b""}))
    found = read(tmp_path)
    assert items(found) == [b"(;B[aa])", b"(;B[bb])"]
    write_json(tmp_path / "names.json", [entry.name for entry in found])
    names = [f"{tmp_path}/caf? \n.sgf", f"{tmp_path}/x.tar/caf? \n.sgf", f"{tmp_path}/x.tar/caf? \n.sgf.txt"]
    assert read_json(tmp_path / "names.json") == names and json.dumps(names)


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_members_are_never_written_anywhere(tmp_path, pack):
    inner = tmp_path / "inner"
    inner.mkdir()
    members = {"../escaped.sgf": b"(;B[aa])", f"{tmp_path}/absolute.sgf": b"(;B[bb])", "../../x/../y.sgf": b"(;B[cc])"}
    (inner / ("x.tar" if pack is tar_of else "x.zip")).write_bytes(pack(members))
    before = sorted(tmp_path.rglob("*"))
    assert items(read(inner)) == list(members.values())
    assert sorted(tmp_path.rglob("*")) == before


def test_links_devices_and_sparse_files_in_a_tar(tmp_path):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, kind in (("l.sgf", tarfile.SYMTYPE), ("h.sgf", tarfile.LNKTYPE), ("d.sgf", tarfile.CHRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        folder = tarfile.TarInfo("folder.sgf")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        sparse = tarfile.TarInfo("endless.sgfs")  # 8 exabytes of zeros in no bytes at all
        sparse.pax_headers = {"GNU.sparse.size": str(1 << 62), "GNU.sparse.map": "0,0"}
        archive.addfile(sparse)
        game = tarfile.TarInfo("z.sgf")
        game.size = 8
        archive.addfile(game, io.BytesIO(b"(;B[aa])"))
    path = tmp_path / "x.tar"
    path.write_bytes(file.getvalue())
    found = read(path)
    assert items(found) == [b"(;B[aa])"]
    assert troubles(found, path) == [
        *((name, NO_FILE) for name in ("l.sgf", "h.sgf", "d.sgf")),
        ("endless.sgfs", NO_FILE),
    ]


def test_only_the_damaged_or_encrypted_member_of_a_zip_is_skipped(tmp_path):
    names = ["crc.sgf", "stream.sgf", "encrypted.sgf", "good.sgf"]
    data = bytearray(zip_of({name: b"(;C[%s];B[aa])" % os.urandom(99).hex().encode() for name in names}))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        starts = [info.header_offset for info in archive.infolist()]
        good = archive.read("good.sgf")
    central = data.index(b"PK\1\2")
    data[central + 16] ^= 1  # the checksum of the first member
    start = starts[1] + 30 + len(names[1])
    data[start : start + 20] = b"\xff" * 20
    third = data.index(b"PK\1\2", data.index(b"PK\1\2", central + 1) + 1)
    data[third + 8] |= 1
    data[starts[2] + 6] |= 1
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    found = read(path)
    assert items(found) == [good]
    assert troubles(found, path) == [(name, NO_MEMBER) for name in names[:3]]


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_of_zip_that_cannot_be_bounded_are_not_read(tmp_path, packing):
    (tmp_path / "x.zip").write_bytes(zip_of({"a.sgf": b"0" * 30_000_000}, packing))
    found = read(tmp_path)
    assert troubles(found, tmp_path) == [("x.zip/a.sgf", NO_MEMBER)] and items(found) == []


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tar.bz2", "x.tar.xz"])
def test_games_before_a_tear_are_kept_and_the_tear_is_reported(tmp_path, name):
    members = {f"{number:04}.sgf": b"(;C[%s];B[aa])" % os.urandom(700).hex().encode() for number in range(1500)}
    whole = ARCHIVES[name](members)
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    found = read(tmp_path)
    kept = items(found)
    assert 300 < len(kept) < 1000 and kept == list(members.values())[: len(kept)]
    assert troubles(found, tmp_path) == [(name, DAMAGED)] and isinstance(found[-1], Trouble)


@pytest.mark.parametrize("end", [512 * 2, 512 * 2 + 100, 512 * 3])
def test_a_tar_torn_at_or_in_a_header_is_reported(tmp_path, end):
    (tmp_path / "x.tar").write_bytes(tar_of({"a.sgf": b"(;B[aa])", "b.sgf": b"(;B[bb])"})[:end])
    found = read(tmp_path)
    assert items(found) == [b"(;B[aa])"] and troubles(found, tmp_path)[-1] == ("x.tar", DAMAGED)


def test_a_damaged_header_is_not_taken_for_the_end_of_a_tar(tmp_path):
    data = bytearray(tar_of({"a.sgf": b"(;B[aa])", "b.sgf": b"(;B[bb])"}))
    data[512 * 2 + 3] ^= 1
    (tmp_path / "x.tar").write_bytes(data)
    found = read(tmp_path)
    assert items(found) == [b"(;B[aa])"] and troubles(found, tmp_path) == [("x.tar", DAMAGED)]


@pytest.mark.parametrize("kind", ["plain", "sparse", "pax"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_tar_member_of_impossible_size_does_not_keep_anybody_busy(tmp_path, kind, pack):
    lying = tarfile.TarInfo("b.txt")
    if kind == "pax":
        lying.pax_headers = {"size": str(10**15)}
        header = lying.tobuf(tarfile.PAX_FORMAT)
    else:
        lying.size, lying.type = 10**15, tarfile.REGTYPE if kind == "plain" else tarfile.GNUTYPE_SPARSE
        header = lying.tobuf(tarfile.GNU_FORMAT)
    sound = tar_of({"a.sgf": b"(;B[aa])"})[:1024]
    (tmp_path / ("x.tar" if pack is bytes else "x.tgz")).write_bytes(pack(sound + header + b"x" * 3000))
    found = read(tmp_path)
    assert items(found) == [b"(;B[aa])"] and troubles(found, tmp_path)[-1][1] == DAMAGED


@pytest.mark.parametrize("name", [*ARCHIVES, "x.sgf.gz", "x.sgfs.xz"])
@pytest.mark.parametrize("data", [b"", b"<html>sorry</html>", b"\0" * 3000])
def test_what_is_no_archive_is_one_trouble(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    found = read(tmp_path)
    assert items(found) in ([], [b""]) and len(found) == 1


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz"])
def test_a_file_without_records_is_counted(tmp_path, name):
    (tmp_path / name).write_bytes(ARCHIVES[name]({}))
    (tmp_path / "lines.sgfs").write_bytes(b"\n \n")
    assert troubles(read(tmp_path), tmp_path) == [("lines.sgfs", NOTHING), (name, NOTHING)]


def bombs() -> dict[str, bytes]:
    zeros = b"0" * 40_000_000
    long_name = tarfile.TarInfo("x")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, len(zeros)
    return {
        "x.tar.xz": lzma.compress(tar_of({"a.sgfs": zeros}), preset=0),
        "x.tar.gz": gzip.compress(tar_of({"ignored.sgf": zeros})),
        "x.zip": zip_of({f"{number}.sgfs": zeros for number in range(2)}),
        "x.sgfs.bz2": bz2.compress(zeros),
        "name.tar.gz": gzip.compress(long_name.tobuf(tarfile.GNU_FORMAT) + zeros),
    }


def test_bombs_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LEAST_ALLOWANCE", 20_000_000)
    monkeypatch.setattr(sources, "EXPANSION", 2)
    for name, data in bombs().items():
        (tmp_path / name).write_bytes(data)
    tracemalloc.start()
    found = read(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert dict(troubles(found, tmp_path)) == {
        "x.tar.xz": BOMB, "x.tar.gz": BOMB, "x.zip": BOMB, "x.sgfs.bz2": BOMB, "name.tar.gz": DAMAGED
    }  # fmt: skip
    assert all(LARGEST < len(data) < LARGEST + 1000 for data in items(found)) and peak < 40_000_000


def test_members_with_bad_checksums_count_towards_the_bound(tmp_path, monkeypatch):
    data = bytearray(zip_of({f"{number}.sgfs": (b"0" * 999 + b"\n") * 6_000 for number in range(4)}))
    place = -1
    while (place := data.find(b"PK\1\2", place + 1)) >= 0:
        data[place + 16 : place + 20] = struct.pack("<I", 1)
    (tmp_path / "x.zip").write_bytes(data)
    monkeypatch.setattr(sources, "LEAST_ALLOWANCE", 10_000_000)
    monkeypatch.setattr(sources, "EXPANSION", 2)
    counts: dict[tuple[str, str], int] = {}
    for entry in Reading([tmp_path / "x.zip"]):
        if isinstance(entry, Trouble):
            counts[Path(entry.name).name, entry.reason] = 1
    assert list(counts) == [("0.sgfs", NO_MEMBER), ("x.zip", BOMB)]


def test_the_rest_of_a_line_that_is_too_long_is_no_game(tmp_path):
    long = b"(;C[" + b"x" * (2 * LARGEST) + b"](;B[aa]))\n"
    (tmp_path / "x.sgfs").write_bytes(b"(;B[bb])\n" + long + b"(;B[cc])\n")
    found = read(tmp_path)
    assert [entry.name.rpartition(":")[2] for entry in found] == ["1", "2", "3"]
    assert found[0].data == b"(;B[bb])\n" and len(found[1].data) == LARGEST + 1 and found[2].data == b"(;B[cc])\n"


def test_a_file_larger_than_any_record_is_not_read_whole(tmp_path):
    with (tmp_path / "x.sgf").open("wb") as file:
        file.truncate(1 << 36)
    (found,) = read(tmp_path)
    assert len(found.data) == LARGEST + 1


def test_how_much_has_been_read_is_known(tmp_path):
    for name in ("a.sgf", "b.sgf"):
        (tmp_path / name).write_bytes(b"(;B[aa])")
    reading = Reading(files_of([tmp_path]))
    assert [reading.consumed for _ in reading] == [8, 16] and reading.consumed == 16
