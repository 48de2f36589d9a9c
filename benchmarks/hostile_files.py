"""Archives and SGF files that mean harm, or look as if: what `benchmarks.soak_archives` feeds to `data.prepare`.

Each maker takes a random generator and a `Grounds` and returns a file name, the bytes, and the number of games that are
sound in it and must be kept; None if that cannot be told, because the damage is random.
"""

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from go.coordinates import SGF_LETTERS

EVIL_NAMES = (
    "../../evil.sgf",
    "../" * 40 + "tmp/evil.sgf",
    "/tmp/prezero-evil.sgf",
    "C:\\windows\\evil.sgf",
    "..\\..\\evil.sgf",
    "./../evil.sgf",
    "a/../../evil.sgf",
    "\x1b[2J\nevil.sgf",
    "CON.sgf",
    " .sgf",
    "e" * 250 + ".sgf",
)
PACKERS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BOMB = 300_000_000  # unpacked bytes: more than any archive may have


class Grounds(NamedTuple):
    """Sound games to build with, and how many members an archive of very many members has."""

    games: list[bytes]
    members: int


Hostile = tuple[str, bytes, int | None]
Maker = Callable[[random.Random, Grounds], Hostile]


def some_games(draw: random.Random, grounds: Grounds, count: int) -> list[bytes]:
    return draw.sample(grounds.games, count)


def zip_of(members: list[tuple[str, bytes]], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", packing) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name) if packing == zipfile.ZIP_STORED else name, content)
    return data.getvalue()


def tar_of(members: Sequence[tuple[str, bytes] | tarfile.TarInfo]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            header = tarfile.TarInfo(member[0])
            header.size = len(member[1])
            archive.addfile(header, io.BytesIO(member[1]))
    return data.getvalue()


def packed(draw: random.Random, members: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """Return the ending and the bytes of an archive of a random kind."""
    kind = draw.choice((".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))
    if kind == ".zip":
        return kind, zip_of(members)
    data = tar_of(members)
    packer = PACKERS.get({".tgz": ".gz"}.get(kind, f".{kind.rpartition('.')[2]}"))
    return kind, packer(data) if packer else data


def truncated_record(draw: random.Random, grounds: Grounds) -> Hostile:
    (game,) = some_games(draw, grounds, 1)
    return ".sgf", game[: draw.randrange(len(game))], None


def mutated_record(draw: random.Random, grounds: Grounds) -> Hostile:
    game = bytearray(some_games(draw, grounds, 1)[0])
    for _ in range(draw.randint(1, 30)):
        place = draw.randrange(len(game))
        match draw.randrange(3):
            case 0:
                game[place] = draw.randrange(256)
            case 1:
                game[place:place] = draw.choice((b"(", b")", b"[", b"]", b";", b"\\", b"\0", b"B[aa]", b"(;", b"SZ[9]"))
            case _:
                del game[place]
    return ".sgf", bytes(game), None


def garbage(draw: random.Random, grounds: Grounds) -> Hostile:
    ending = draw.choice((".sgf", ".sgfs", ".zip", ".tar", ".tar.gz", ".tgz", ".sgf.bz2", ".tar.xz", ".exe", ""))
    return ending, draw.randbytes(draw.choice((0, 1, 20, 5_000))), 0


def deeply_nested(draw: random.Random, grounds: Grounds) -> Hostile:
    depth = draw.choice((1_000, 20_000, 99_000, 1_000_000))
    shape = draw.choice((b"(;B[aa]", b"(;", b"(", b"(;C[", b"(;SZ[9](;W[bb])"))
    return ".sgf", shape * depth + b")" * draw.choice((0, depth)), None


def huge_set_up(draw: random.Random, grounds: Grounds) -> Hostile:
    boards = b"".join(b"AB[aa:ss]AW[aa:ss]AE[aa:ss]" for _ in range(draw.choice((10, 3_000))))
    return ".sgf", b"(;SZ[19]" + boards + b";B[aa];W[bb])", None


def huge_numbers(draw: random.Random, grounds: Grounds) -> Hostile:
    size = draw.choice((b"99999999999", b"-1", b"0", b"1", b"20", b"19:2", b"1e9", b"\xff", b"9" * 4_000))
    fields = b"KM[%s]HA[%s]RE[B+%s]DT[%s]" % ((draw.choice((b"9" * 400, b"nan", b"-0", b"1e308")),) * 4)
    return ".sgf", b"(;GM[1]SZ[%s]%s;B[aa];W[bb])" % (size, fields), None


def huge_text(draw: random.Random, grounds: Grounds) -> Hostile:
    filler = draw.choice((b"x", b"\\]", b"\xe3\x81\x82", b"[", b"\0", b"]"))
    return ".sgf", b"(;SZ[9]C[" + filler * (draw.choice((4_500_000, 1_000_000)) // len(filler)) + b"];B[aa])", None


def odd_encoding(draw: random.Random, grounds: Grounds) -> Hostile:
    text = some_games(draw, grounds, 1)[0].decode("utf-8", "replace")
    name = draw.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "idna", "no-such-charset", "cp037", "shift_jis"))
    declared = text.replace("CA[UTF-8]", f"CA[{name}]")
    encoding = name if name.startswith("utf") or name in ("cp037", "shift_jis") else "utf-8"
    return ".sgf", declared.encode(encoding, "replace"), None


def endless_line(draw: random.Random, grounds: Grounds) -> Hostile:
    games = some_games(draw, grounds, 2)
    return ".sgfs", games[0] + b"\n" + b"(;C[" + b"x" * 4_200_000 + b"\n" + games[1] + b"\n", 2


def many_odd_lines(draw: random.Random, grounds: Grounds) -> Hostile:
    games = some_games(draw, grounds, 3)
    lines = [draw.randbytes(30).replace(b"\n", b"").replace(b"(", b"") for _ in range(200)]
    return ".sgfs", b"\n".join([*games, *lines, b"(;B[aa", b"(;(;(;"]) + b"\n", None


def escaping_archive(draw: random.Random, grounds: Grounds) -> Hostile:
    names = draw.sample(EVIL_NAMES, 4)
    ending, data = packed(draw, list(zip(names, some_games(draw, grounds, 4), strict=True)))
    return ending, data, 4


def linking_tar(draw: random.Random, grounds: Grounds) -> Hostile:
    """A link to a folder outside, and a member that would go through it."""
    members: list[tuple[str, bytes] | tarfile.TarInfo] = []
    for kind in draw.sample((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE), 3):
        link = tarfile.TarInfo(draw.choice(("out", "out.sgf", "../out.sgf")))
        link.type, link.linkname = kind, draw.choice(("/tmp", "/etc/passwd", "../..", "out"))
        members.append(link)
    games = some_games(draw, grounds, 2)
    members += [("out/evil.sgf", games[0]), ("fine.sgf", games[1])]
    return ".tar", tar_of(members), 2


def linking_zip(draw: random.Random, grounds: Grounds) -> Hostile:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("link.sgf")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("fine.sgf", some_games(draw, grounds, 1)[0])
    return ".zip", data.getvalue(), 1


def truncated_archive(draw: random.Random, grounds: Grounds) -> Hostile:
    ending, data = packed(draw, [(f"{n}.sgf", game) for n, game in enumerate(some_games(draw, grounds, 5))])
    return ending, data[: draw.randrange(len(data))], None


def mutated_archive(draw: random.Random, grounds: Grounds) -> Hostile:
    ending, whole = packed(draw, [(f"{n}.sgf", game) for n, game in enumerate(some_games(draw, grounds, 5))])
    data = bytearray(whole)
    for _ in range(draw.randint(1, 40)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return ending, bytes(data), None


def misnamed_archive(draw: random.Random, grounds: Grounds) -> Hostile:
    _, data = packed(draw, [("a.sgf", some_games(draw, grounds, 1)[0])])
    return draw.choice((".sgf", ".sgfs", ".sgf.gz", ".zip", ".tar", ".tar.bz2")), data, None


def nested_archive(draw: random.Random, grounds: Grounds) -> Hostile:
    """An archive in an archive in an archive: only the outermost one is read."""
    games = some_games(draw, grounds, 2)
    inner = [("a.sgf", games[0])]
    for _ in range(draw.randint(1, 5)):
        inner = [(f"inner{(made := packed(draw, inner))[0]}", made[1])]
    ending, data = packed(draw, [*inner, ("b.sgf", games[1])])
    return ending, data, 1


def lying_zip(draw: random.Random, grounds: Grounds) -> Hostile:
    """A zip whose directory says that its members have other sizes, or are encrypted."""
    data = bytearray(zip_of([("a.sgf", some_games(draw, grounds, 1)[0])]))
    directory = data.rindex(b"PK\x01\x02")
    match draw.randrange(3):
        case 0:
            data[directory + 24 : directory + 28] = b"\xff\xff\xff\xfe"  # unpacked size
        case 1:
            data[directory + 8] |= 1  # encrypted
        case _:
            data[directory + 10] = draw.choice((12, 14, 93, 99))  # a packing that cannot be bounded, or that is unknown
    return ".zip", bytes(data), None


def overlapping_zip(draw: random.Random, grounds: Grounds) -> Hostile:
    """A zip with many entries that share the same packed bytes: small on disk, large unpacked."""
    content = b"(;SZ[9]C[" + b"a" * 2_000_000 + b"];B[aa])"
    data = zip_of([("a.sgf", content)])
    directory, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    entry, count = data[directory:end], draw.choice((50, 400))
    tail = bytearray(data[end:])
    tail[8:10] = tail[10:12] = count.to_bytes(2, "little")
    tail[12:16] = (count * len(entry)).to_bytes(4, "little")
    return ".zip", data[:directory] + entry * count + bytes(tail), None


def lying_tar(draw: random.Random, grounds: Grounds) -> Hostile:
    """A tar whose header names an impossible size or an endless long name."""
    header = tarfile.TarInfo("a.sgf")
    header.type = draw.choice((tarfile.REGTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.GNUTYPE_SPARSE))
    header.size = draw.choice((10**9, 8 * 2**30, 10**15))
    return ".tar", header.tobuf(tarfile.GNU_FORMAT) + draw.randbytes(5_000), None


def packed_bomb(draw: random.Random, grounds: Grounds) -> Hostile:
    """A few kilobytes that unpack to more than any archive may have."""
    ending, packer = draw.choice(list(PACKERS.items()))
    inner = draw.choice((".sgf", ".sgfs", ".tar"))
    if inner != ".tar":
        return inner + ending, packer(b"(;C[" + bytes(BOMB)), None
    header = tarfile.TarInfo("bomb.txt")
    header.size = BOMB
    return ".tar" + ending, packer(header.tobuf() + bytes(BOMB)), None


def zip_bomb(draw: random.Random, grounds: Grounds) -> Hostile:
    member = b"(;SZ[9]C[" + bytes(3_900_000) + b"];B[aa])"
    return ".zip", zip_of([(f"{number}.sgf", member) for number in range(BOMB // len(member))]), None


def crowd(draw: random.Random, grounds: Grounds) -> Hostile:
    """An archive of very many members: game records, empty ones, or files of other kinds."""
    ending, content = draw.choice((".sgf", ".txt")), draw.choice((b"", b"(;SZ[9];B[aa])"))
    members = [(f"{number}{ending}", content) for number in range(grounds.members)]
    game = ("sound.sgf", some_games(draw, grounds, 1)[0])
    if draw.randrange(2):
        return ".zip", zip_of([*members, game], zipfile.ZIP_STORED), None
    return ".tar.gz", gzip.compress(tar_of([*members, game]), 1), None


LIGHT: tuple[Maker, ...] = (
    truncated_record,
    mutated_record,
    garbage,
    deeply_nested,
    huge_set_up,
    huge_numbers,
    huge_text,
    odd_encoding,
    endless_line,
    many_odd_lines,
    escaping_archive,
    linking_tar,
    linking_zip,
    truncated_archive,
    mutated_archive,
    misnamed_archive,
    nested_archive,
    lying_zip,
    overlapping_zip,
    lying_tar,
)
HEAVY_EVERY = 50  # files
HEAVY: tuple[Maker, ...] = (packed_bomb, zip_bomb, packed_bomb, packed_bomb, crowd)


def hostile_files(count: int, grounds: Grounds, seed: int = 1) -> Iterator[tuple[str, Hostile]]:
    """Yield the names of makers, and what they made. One file in `HEAVY_EVERY` is a bomb or a crowd."""
    draw = random.Random(seed)
    for number in range(1, count + 1):
        heavy, is_light = divmod(number, HEAVY_EVERY)
        maker = LIGHT[number % len(LIGHT)] if is_light else HEAVY[heavy % len(HEAVY)]
        yield maker.__name__.replace("_", " "), maker(draw, grounds)


def sound_games(count: int) -> list[bytes]:
    """Return short games that are all different, and sound."""
    letters, games = SGF_LETTERS[:9], []
    for number in range(count):
        draw = random.Random(number)
        points = draw.sample([a + b for a in letters for b in letters], 30)
        moves = "".join(f";{'BW'[n % 2]}[{point}]" for n, point in enumerate(points))
        games.append(f"(;FF[4]GM[1]CA[UTF-8]SZ[9]KM[7]RE[B+3]PB[black {number}]PW[white]{moves})".encode())
    return games
