"""The commands of the classics: what they print and draw, and how they refuse."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from conftest import ROOT, prezero

from arena.course import Settings, View, new_judge, records, views
from arena.players import new_player, preset
from data.store import position_of
from go.board import BLACK, WHITE
from go.coordinates import PASS, gtp_from_point
from go.match import play_game
from go.position import Position
from go.sgf import position_sgf
from pipeline.errors import UserError

MOVES = "moves=E5 C3 G7 C7 G3 D5 D4"


def test_cgs_show_prints_the_candidates_and_draws_one_sheet(tmp_path):
    done = prezero("cgs.show", MOVES, f"out={tmp_path}/cgs.svg", runs=tmp_path)
    assert done.returncode == 0 and "PM_B" in done.stdout and "PMD" in done.stdout and "PMS" in done.stdout
    lines = re.findall(r"^([1-5]) ([A-J][1-9]) (.*): PV 0\.\d\d, V \+\d+\.\d$", done.stdout, re.MULTILINE)
    assert [number for number, _, _ in lines] == list("12345")
    drawing = (tmp_path / "cgs.svg").read_text()
    ElementTree.fromstring(drawing)
    assert drawing.count("<svg") == 5  # the sheet and its four boards
    for word in ("Influence power (IP)", "Safety", "PV of black", "Candidates", "PM_B", "PM_W", "PMD"):
        assert word in drawing
    for _, vertex, why in lines:
        assert f"{vertex} {why}" in drawing


def test_cgs_show_takes_switches_and_says_when_nothing_is_left(tmp_path):
    usual, other = (prezero("cgs.show", MOVES, *more, runs=tmp_path).stdout for more in ((), ("cgs.choice=v",)))
    assert usual != other
    none = prezero("cgs.show", "cgs.least_gain=300", f"out={tmp_path}/none.svg", runs=tmp_path)
    assert "No candidate is left" in none.stdout and "no candidate" in (tmp_path / "none.svg").read_text()
    assert prezero("cgs.show", "board=19x19", f"out={tmp_path}/large.svg", runs=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("cgs.show", "out=a.png"), "out=a.png is not an .svg file"),
        (("cgs.show", "cgs.tau=0"), "cgs.tau=0 is not above 0"),
        (("cgs.show", "cgs.links=three"), "cgs.links=three is none of two, one"),
        (("classics.growth", "depth=0"), "depth=0 is not between 1 and 64"),
        (("classics.growth", "moves=pass pass"), "The game is over"),
        (("arena.course",), "Name the records with games=FOLDER"),
        (("arena.course", "games=nowhere", "who=cgs"), "There is no file, folder or match for nowhere"),
        (("arena.course", "games=.", "who=cgs", "moves=x"), "moves=x must be numbers"),
        (("gtp", "player=solver", "board=9x9"), "player=solver plays on 2x2, 3x3, 4x4 only"),
        (("gtp", "player=alphabeta", "player.lookahead.depth=0"), "player.lookahead.depth=0 is not between"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments, sentence, tmp_path):
    done = prezero(*arguments, runs=tmp_path)
    assert done.returncode == 2 and sentence in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_growth_prints_w_to_the_d_beside_what_was_searched(tmp_path):
    done = prezero("classics.growth", "board.size=4", "depth=3", "evaluation=area", "most_leaves=300", runs=tmp_path)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if "|" in line][2:]
    assert [row[:2] for row in rows] == [["1", "17"], ["2", "289"], ["3", "4,913"]]
    assert rows[1][2] == "272" and rows[2][2] == "-"  # 17 * 16 replies, and one more pass that ends the game
    assert int(rows[1][3]) < 272 and rows[1][4] == "33"


def games(folder, count=4):
    """Games of cgs against random play as SGF, with cgs as black in every other one."""
    folder.mkdir()
    for number in range(count):
        color = (BLACK, WHITE)[number % 2]
        cgs, other = (new_player(preset(name)) for name in ("cgs", "random"))
        other.get_ready(5).rng = np.random.default_rng(number)
        position = Position(5, komi=0.5)
        ending = play_game({color: cgs, BLACK + WHITE - color: other}, position)
        names = {"PB": "cgs", "PW": "random"} if color == BLACK else {"PB": "random", "PW": "cgs"}
        (folder / f"{number}.sgf").write_bytes(position_sgf(position, names | {"RE": ending.result}))
    return folder


def test_the_course_of_games_is_seen_by_the_player_of_interest(tmp_path):
    folder = games(tmp_path / "games")
    done = prezero(
        "arena.course", f"games={folder}", "who=cgs", "moves=4,8", "judge=uniform", "playouts=50", runs=tmp_path
    )
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if "|" in line][2:]
    assert [row[0] for row in rows] == ["4", "8", "end"] and all(row[1] == "4" for row in rows)
    settings = Settings(games=str(folder), who="cgs", moves="4", judge="influence")
    early, end = views(settings)
    assert early.in_points and len(end.values) == 4
    judge, _ = new_judge(settings, 5)
    for (game, color), value in zip(records(settings), early.values, strict=True):
        assert value == judge(position_of(game, 4)) * (1 if color == BLACK else -1)
    turned = views(Settings(games=str(folder), who="random", moves="4", judge="influence"))
    assert [-value for value in turned[0].values] == early.values
    with pytest.raises(UserError, match="no game"):
        records(Settings(games=str(folder), who="nobody"))


def test_a_search_judges_too(tmp_path):
    folder = games(tmp_path / "games", 2)
    settings = Settings(games=str(folder), who="cgs", moves="6", judge="search", search="alpha_r", simulations=40)
    early, end = views(settings)
    assert all(-1 <= value <= 1 for value in early.values + end.values) and not early.in_points
    with pytest.raises(UserError, match="search=random does not search"):
        views(Settings(games=str(folder), who="cgs", judge="search", search="random"))


def test_intervals_of_views():
    assert View("20", [0.0, 1.0], False).row()[:3] == ["20", "2", "75.0 ± 49.0%"]
    assert View("end", [], True).row() == ["end", "0", "-", "-"]
    row = View("20", [2.0, 4.0, -3.0], True).row()
    assert row[0] == "20" and row[1] == "3" and row[2].startswith("+1.0 ± ") and row[3].startswith("66.7% [")


def test_every_classic_player_has_its_file_and_plays_over_gtp(tmp_path):
    for name in ("cgs", "minimax", "alphabeta", "features", "solver"):
        assert (ROOT / "conf" / "player" / f"{name}.yaml").is_file()
        player = new_player(preset(name))
        size = 3 if name == "solver" else 5
        position = Position(size, komi=0.5)
        for _ in range(4):
            position.play(player.decide(position.copy()).move)
        assert gtp_from_point(position.history[0].point, size) != "pass" or name == "cgs"
        assert "prior" in player.heat_maps()
    maps = new_player(preset("cgs")).heat_maps()
    position = Position(9).play("C3")
    assert maps["influence"](position)[6, 2] > 0 == maps["safety"](position)[0, 0] and maps["PV"](position).max() > 0.5
    assert PASS not in [move.point for move in position.history]
