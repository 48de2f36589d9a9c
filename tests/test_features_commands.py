"""`features48.show` and `features48.census` as a user meets them."""

import json
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import prezero, store_of
from random_games import random_record

from data.record import to_sgf
from features48.census import count
from features48.encoder import Encoder
from features48.groups import GROUPS, SUBSETS, groups_of, plane_names
from features48.sheet import draw_sheet
from go import Position
from pipeline.errors import UserError

GAME = b"(;SZ[9]PB[Lee]PW[$a^2$ & <b>];B[ee];W[cc];B[gg];W[cg];B[gc])"


def test_the_registry_has_the_planes_of_the_paper():
    assert {planes: sum(GROUPS[name].planes for name in names) for planes, names in SUBSETS.items()} == {
        planes: planes for planes in (4, 12, 20, 48, 49)
    }
    names = plane_names(SUBSETS[49])
    assert len(names) == len(set(names)) == 49
    assert names[:5] == ["own stones", "opponent's stones", "empty points", "ones", "turns since 1"]
    assert names[11] == "turns since 8+" and names[44:] == [
        *("ladder capture", "ladder escape", "sensibleness", "zeros", "color")
    ]
    with pytest.raises(UserError, match="planes=47 is none of 4, 12, 20, 48, 49"):
        groups_of(47)


def test_a_sheet_shows_every_plane_with_its_number_of_points(tmp_path):
    position = Position(9).play("E5").play("C3").play("E4")
    planes = Encoder(49).position(position)
    for number in (1, 2):
        draw_sheet(position, planes, SUBSETS[49], "A title", tmp_path / f"{number}.svg")
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()
    texts = ["".join(node.itertext()) for node in ET.parse(tmp_path / "1.svg").iter("{http://www.w3.org/2000/svg}text")]
    for name, plane in zip(plane_names(SUBSETS[49]), planes, strict=True):
        assert f"{name} ({plane.sum()})" in texts
    for group in GROUPS.values():
        assert any(group.meaning in text for text in texts)
    assert "A title" in texts and any(text.startswith("White to move") for text in texts)


def test_a_position_of_a_record_is_drawn(tmp_path):
    (tmp_path / "game.sgf").write_bytes(GAME)
    out = tmp_path / "planes.svg"
    done = prezero("features48.show", f"sgf={tmp_path}/game.sgf", "move=3", f"out={out}", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "own stones (1), opponent's stones (2), empty points (78)" in done.stdout
    assert "White to move" in done.stdout and f"Drawn to {out}." in done.stdout
    boards = list(ET.parse(out).getroot().iter("{http://www.w3.org/2000/svg}svg"))[1:]
    assert len(boards) == 1 + 48  # the position, and its planes
    red = [len(board.findall("{*}rect[@fill='#c4161c']")) for board in boards]
    assert red[:5] == [0, 1, 2, 78, 81]
    assert "Lee - $a^2$ &amp; &lt;b&gt;, after 3 moves" in out.read_text()


def test_a_text_board_gives_the_planes_too(tmp_path):
    (tmp_path / "board.txt").write_text(". . .\n. X O\n. . .\n")
    arguments = (f"text={tmp_path}/board.txt", "to_move=white", "planes=20", f"out={tmp_path}/p.svg")
    done = prezero("features48.show", *arguments, runs=tmp_path)
    assert "liberties 2 (1), liberties 3 (1)." in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sgf=none.sgf"], "There is no game record in none.sgf: No such file or directory."),
        (["sgf=README.md"], "There is no game record in README.md: no SGF data."),
        (["move=3"], "move is about a game record: name it with sgf=FILE."),
        (["sgf=a", "moves=E5"], "sgf gives the whole position: moves, text, handicap and to_move do not go with it."),
        (["planes=47"], "planes=47 is none of 4, 12, 20, 48, 49."),
        (["out=planes.png"], "out=planes.png is not an .svg file."),
        (["out=none/planes.svg"], "Cannot write none/planes.svg: No such file or directory."),
        (["moves=E5 E5"], "White cannot play E5: a black stone is there."),
    ],
)
def test_bad_input_to_show_is_one_sentence(tmp_path, arguments, sentence):
    done = prezero("features48.show", *arguments, runs=tmp_path)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == f"prezero: {sentence}"


def test_a_move_beyond_the_game_is_refused(tmp_path):
    (tmp_path / "game.sgf").write_bytes(GAME)
    done = prezero("features48.show", f"sgf={tmp_path}/game.sgf", "move=6", runs=tmp_path)
    assert done.returncode == 2 and "move=6 is not in the game: it has 5 moves." in done.stderr


def test_the_census_counts_what_the_encoder_writes(tmp_path):
    store = store_of(tmp_path, [to_sgf(random_record(5, 40, seed)) for seed in range(9)], 5, shares=(0, 0))
    fired, points, given_up = count(store, 300, seed=2, threads=2)
    assert given_up == 0
    again = count(store, 300, seed=2, threads=1)
    assert (fired == again[0]).all() and (points == again[1]).all()
    assert fired[2:4].tolist() == [300, 300] and points[3] == 300 * 25  # empty points, ones
    assert points[:3].sum() == 300 * 25 and fired[47] == 0
    assert points[4:12].sum() == points[:2].sum() == points[12:20].sum()  # every stone has an age and liberties


def test_the_census_is_a_stage_that_says_what_it_needs(tmp_path):
    missing = prezero("features48.census", "scale=tiny", runs=tmp_path)
    assert missing.returncode == 2 and "There is no game store in" in missing.stderr
    assert "./prezero data.prepare run=tiny scale=tiny makes one" in missing.stderr
    assert prezero("data.prepare", "scale=tiny", runs=tmp_path).returncode == 0
    done = prezero("features48.census", "scale=tiny", "positions=2000", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "tiny" / "features48.census" / "manifest.json").read_text())
    shares = {name: share for name, (share, _) in manifest["metrics"]["planes"].items()}
    assert len(shares) == 49 and shares["zeros"] == 0 and shares["ones"] == 1
    assert np.mean([share > 0 for share in shares.values()]) > 0.9
    assert re.search(r"\| 4 +\| ones +\| +100.00% \| +81.00 \|", done.stdout)
    assert (tmp_path / "tiny" / "features48.census" / "planes.svg").exists()
    again = prezero("features48.census", "scale=tiny", "positions=2000", runs=tmp_path)
    assert again.stdout.startswith("Done earlier")
    for wrong, sentence in (
        ("positions=0", "positions=0 is not at least 1."),
        ("threads=-1", "threads=-1 is not between"),
    ):
        refused = prezero("features48.census", "scale=tiny", wrong, runs=tmp_path)
        assert refused.returncode == 2 and sentence in refused.stderr


def test_one_encoder_serves_several_threads(tmp_path):
    store = store_of(tmp_path, [to_sgf(random_record(9, 60, seed)) for seed in range(20)], 9, shares=(0, 0))
    which = np.arange(600) % 20, np.arange(600) % 60, np.arange(600) % 8
    encoder = Encoder(48, threads=2)
    expected = encoder.batch(store, *which)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: encoder.batch(store, *which), range(12)):
            assert (found == expected).all()


def test_input_that_does_not_fit_is_refused(tmp_path):
    store = store_of(tmp_path, [to_sgf(random_record(9, 60, 1))], 9)
    for wrong in (([0, 0], [1], [0, 0]), ([0], [1, 2], [0]), ([[0]], [[1]], [[0]])):
        with pytest.raises(ValueError, match="not lists of one length"):
            Encoder(4).batch(store, *wrong)
    for out in (np.zeros((1, 4, 9, 9)), np.zeros((1, 5, 9, 9), np.uint8), np.zeros((1, 4, 9, 18), np.uint8)[..., ::2]):
        with pytest.raises(ValueError, match="to write to"):
            Encoder(4).batch(store, [0], [0], [0], out)
    for names in (("ones", "ones"), ("bogus",)):
        with pytest.raises(UserError, match="are not different groups of planes"):
            Encoder(names)


def test_every_group_is_written_by_the_kernel_of_the_registry():
    """Alone as among all others: a group that the encoder forgot would be silently empty."""
    position = Position.from_text(". X O . .\nX O O . .\n. X X O .\n. . . . .\n. . . . .\n").play("D2")
    everything, first = Encoder(49).position(position), 0
    for name, group in GROUPS.items():
        alone = Encoder((name,)).position(position)
        assert (alone == everything[first : first + group.planes]).all()
        assert group.write.py_func.__name__ == f"write_{name}"
        first += group.planes
    assert first == 49


def test_odd_names_make_a_sound_drawing(tmp_path):
    (tmp_path / "odd.sgf").write_bytes(
        "(;SZ[9]PB[a\x01\x1bb]PW[神之一手 {}];B[aa];W[aa])".format("long " * 60).encode()
    )
    done = prezero("features48.show", f"sgf={tmp_path}/odd.sgf", f"out={tmp_path}/odd.svg", runs=tmp_path)
    assert done.returncode == 0 and "Warning" not in done.stderr
    assert "The record is cut off here: illegal move." in done.stdout
    assert "神之一手" in "".join(ET.parse(tmp_path / "odd.svg").getroot().itertext())
