"""The search as a GTP engine: analysis of a real tree, maps, clocks, dead stones, and noise while it thinks."""

import dataclasses
import io
import json
import random
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import ROOT
from test_gtp_analysis import Conversation

from arena.players import new_player, preset, presets, ready_player, rehearse
from arena.setup import sizes_of
from features48.encoder import encode
from go.coordinates import gtp_from_point
from go.position import Position
from gtp.server import serve
from pipeline.artefact import VERSION

INFO = re.compile(r"info move (\S+) visits (\d+) winrate (\S+) prior (\S+) order (\d+) pv ((?:[A-T]\d+ ?|pass ?)+)")
ATARI = "boardsize 9\nclear_board\nplay b E5\nplay w D5\nplay b D6\nplay w A1\nplay b D4\nplay w A9\n"  # C5 takes
SETTLED = """
. X . X O . O . .
X X X X O O O O O
X X X X O . O O .
X X X X O O O O O
X . X X O . X . O
X X X X O O O O O
X X X X O O O O O
X . X . X O . O O
. X X X X O O . O
"""

NAMES = [name for name in presets() if 9 in sizes_of(name)]  # all that they need comes with Prezero


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile what a search needs before anybody waits for an answer."""
    player = engine(simulations=50)
    player.decide(Position(9).play("E5"))
    player.dead_stones(Position(9).play("E5"))


def engine(name="alpha_rp", **changes):
    settings = preset(name)
    settings.simulations, settings.seconds = 200, 0.0
    for key, value in changes.items():
        setattr(settings, key, value)
    return new_player(settings)


def talk(player, text: str, **options) -> list[str]:
    """Return the answers to some lines."""
    out = io.StringIO()
    serve(player, io.StringIO(text), out, **{"size": 9, "log": io.StringIO(), **options})
    return out.getvalue().strip("\n").split("\n\n")


def infos(line: str) -> list[tuple[str, ...]]:
    return INFO.findall(line)


@pytest.mark.parametrize("command", ["lz-analyze", "kata-analyze"])
def test_an_analysis_tells_what_the_tree_holds_and_grows(command):
    with Conversation(engine(), size=9) as server:
        server.send(ATARI)
        server.read(16)
        server.send(f"{command} b 5 ownership true\n")
        assert server.read(1) == ["= "]
        lines = [line for line in server.read(8) if line]
        server.send("name\n")
        while server.read(1) != ["= Prezero alpha_rp"]:
            pass
        server.read(1)
    first, last = infos(lines[0]), infos(lines[-1])
    assert sum(int(info[1]) for info in last) > sum(int(info[1]) for info in first) > 0
    best = last[0]
    assert best[0] == "C5" and best[5].split()[0] == "C5" and [int(info[4]) for info in last] == list(range(len(last)))
    assert int(best[1]) == max(int(info[1]) for info in last)
    scale = 10_000 if command == "lz-analyze" else 1
    assert 0.5 < float(best[2]) / scale <= 1 and sum(float(info[3]) for info in last) / scale <= 1.001
    ownership = lines[-1].partition("ownership ")[2].split()
    assert len(ownership) == (81 if command == "kata-analyze" else 0)
    if ownership:
        assert float(ownership[4 * 9 + 4]) > 0.5  # E5 is black's, who is to move
        assert all(-1 <= float(share) <= 1 for share in ownership)


def test_a_move_that_is_watched_is_made_and_its_tree_is_kept():
    player = engine(simulations=2000)
    reports, board = talk(player, "kata-genmove_analyze b 2\nshowboard\n")
    *told, made = reports.removeprefix("= ").strip().splitlines()
    move = made.removeprefix("play ")
    assert told and infos(told[-1])[0][0] == move and f"black {move}." in board
    player.search.set_position(Position(9, 7.5).play(move))
    assert sum(edge.visits for edge in player.search.statistics()) > 100


def test_maps_for_gogui_are_those_of_the_search():
    player = engine()
    lines = talk(player, "gogui-analyze_commands\nreg_genmove b\n")[0].splitlines()
    commands = [line.split("/")[-1] for line in lines]
    for name in ("prior", "visits", "value", "plane liberties", "plane ladder_capture", "plane turns_since"):
        assert f"prezero-colors {name}" in commands and f"prezero-numbers {name}" in commands
    for command in commands:
        if not command.startswith("prezero-why"):
            assert talk(player, f"play b E5\n{command}\n")[1].startswith("="), command
    visits = talk(player, "reg_genmove b\nprezero-numbers visits\n")[1].removeprefix("= ").replace('""', "0")
    grid = np.array([[float(cell) for cell in row.split()] for row in visits.splitlines()])
    edges = player.search.statistics()
    assert grid.shape == (9, 9) and grid.sum() == sum(edge.visits for edge in edges if edge.move)
    position = Position(9).play("E5").play("E6").play("D6")
    shown = talk(player, "play b E5\nplay w E6\nplay b D6\nprezero-numbers plane liberties\n")[3]
    numbers = np.array([[float(cell.replace('""', "0")) for cell in row.split()] for row in shown[2:].splitlines()])
    planes = encode(position)[12:20]
    assert np.array_equal(numbers, np.where(planes.any(0), planes.argmax(0) + 1, 0)) and numbers.max() == 3


def test_dead_stones_are_those_that_cannot_live():
    position = Position.from_text(SETTLED, komi=7.5)
    lone = position.point("G5")
    assert engine("alpha_r").dead_stones(position) == {lone}
    stones = [
        f"play {'b' if color == 1 else 'w'} {gtp_from_point(point, 9)}"
        for point, color in enumerate(position.board["color"].tolist())
        if color in (1, 2) and point != lone
    ]
    setup = "\n".join(["boardsize 9", "clear_board", "komi 0.5", *stones, "play b G5"])
    answers = talk(engine("alpha_r"), f"{setup}\nfinal_status_list dead\nfinal_status_list seki\nfinal_score\n")
    assert answers[-3] == "= G5" and answers[-2] == "= "
    without = position.copy().set_up(empty=[lone])
    without.komi = 0.5
    assert answers[-1] == f"= {without.result()}"


def test_a_board_is_made_ready_when_it_is_asked_for_and_not_on_the_clock():
    player = engine()
    assert player.search is None
    assert talk(player, "boardsize 5\n") == ["? unacceptable size"] and player.search is None
    assert talk(player, "boardsize 19\n") == ["= "] and player.search.size == 19


def test_an_engine_has_searched_before_its_first_move():
    """All is compiled and loaded then, so that even a short first move has simulations."""
    settings = preset("alpha_rp")
    settings.seconds = 0.2
    rehearse(settings, 9)
    decision = ready_player(settings, 9).decide(Position(9))
    assert "visits" in decision.why and len(decision.candidates) > 3


@pytest.mark.parametrize("name", ["random", "sl", "uct", "alpha_p"])
def test_a_rehearsal_leaves_no_trace(name):
    settings = preset(name)
    before = dataclasses.asdict(settings)
    rehearse(settings, 9)
    assert dataclasses.asdict(settings) == before


def test_an_engine_whose_reader_goes_away_ends_in_silence():
    command = [sys.executable, "-m", "pipeline", "gtp", "player=random"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as process:
        process.stdin.write("name\n")
        process.stdin.flush()
        assert process.stdout.readline() == "= Prezero random\n"
        process.stdout.close()
        process.stdin.write("name\nname\nname\n")
        process.stdin.close()
        assert process.wait(60) == 0 and "Traceback" not in process.stderr.read()


def test_a_clock_is_minded():
    player = engine(simulations=0, seconds=1000.0)
    began = time.monotonic()
    answers = talk(player, "time_settings 0 1 1\ngenmove b\ntime_left w 1 1\ngenmove w\nkgs-time_settings none\n")
    assert [answer[0] for answer in answers] == ["="] * 5 and time.monotonic() - began < 30


@pytest.mark.parametrize("name", NAMES)
def test_every_player_that_can_be_made_answers_every_command_it_lists(name, tmp_path):
    settings = preset(name)
    settings.simulations = 20 if settings.seconds else 0
    settings.seconds = 0
    player = new_player(settings)
    known = talk(player, "list_commands\n")[0].removeprefix("= ").split()
    arguments = {
        "known_command": "name",
        "boardsize": "9",
        "komi": "6.5",
        "play": "b E5",
        "genmove": "w",
        "reg_genmove": "b",
        "fixed_handicap": "2",
        "place_free_handicap": "2",
        "set_free_handicap": "C3 G7",
        "time_settings": "0 1 0",
        "time_left": "b 10 0",
        "kgs-time_settings": "none",
        "kgs-genmove_cleanup": "b",
        "final_status_list": "alive",
        "loadsgf": str(tmp_path / "game.sgf"),
        "printsgf": str(tmp_path / "game.sgf"),
        "prezero-colors": "prior",
        "prezero-squares": "prior",
        "prezero-numbers": "prior",
        "undo": "",
    }
    for command in known:
        lines = f"clear_board\nplay w A1\nprintsgf {tmp_path / 'game.sgf'}\n"
        lines += "clear_board\n" if "handicap" in command else ""
        answers = talk(player, f"{lines}{command} {arguments.get(command, '')}\n\n")
        assert answers[3 + ("handicap" in command)].startswith("="), command
    assert {"genmove", "undo", "showboard", "gogui-analyze_commands", "kgs-genmove_cleanup"} <= set(known)
    assert ("kata-analyze" in known) == (settings.kind in ("search", "zero"))


def test_noise_while_it_thinks_never_ends_the_engine():
    """Any commands in any order, some of them in the middle of an analysis, have one answer each."""
    words = ["genmove b", "genmove w", "undo", "lz-analyze b 2", "kata-analyze w 2 ownership true", "clear_board"]
    words += [
        "play b E5",
        "play w pass",
        "play b pass",
        "boardsize 5",
        "boardsize 9",
        "boardsize 13",
        "komi 0",
        "komi x",
    ]
    words += [
        "final_score",
        "final_status_list dead",
        "kgs-genmove_cleanup b",
        "lz-genmove_analyze w 2",
        "stop",
        "bogus",
    ]
    words += ["prezero-colors visits", "reg_genmove w", "fixed_handicap 2", "time_settings 0 0.05 1", "time_left b 0 0"]
    rng, player = random.Random(3), engine(simulations=30)
    for ponder in (False, True):
        lines = [f"{number} {rng.choice(words)}" for number in range(150)]
        with Conversation(player, size=9, ponder=ponder) as server:
            for number, line in enumerate(lines):
                server.send(f"{line}\n")
                if rng.random() < 0.2:
                    time.sleep(0.01)
                if "-analyze" in line:
                    server.send("\n")
                answer = ""
                while not answer.startswith((f"={number}", f"?{number}")):
                    answer = server.read(1)[0]
                while server.read(1) != [""]:
                    pass
            assert "Traceback" not in server.log.getvalue(), server.log.getvalue()


def test_sabaki_plays_with_the_search(sabaki):
    """The library of a third party sets up a game, watches an analysis, ends it, and has a move made."""
    program = [sys.executable, "-m", "arena.engine", "player=alpha_rp", "player.simulations=500", "player.seconds=0"]
    command = ["node", ROOT / "tests" / "sabaki_session.js", *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=sabaki)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["title"] == ["Prezero alpha_rp", VERSION, "2"] and told["refused"]["content"] == "illegal move"
    assert len(told["analysis"]) >= 3 and told["analysisIsWhole"] and told["abort"] == "2"
    visits = [sum(int(info[1]) for info in infos(line)) for line in told["analysis"]]
    assert visits == sorted(visits) and visits[-1] > visits[0]
    assert all(len(line.split("ownership ")[1].split()) == 81 for line in told["analysis"])
    made = told["genmove"][-2].removeprefix("play ")
    assert told["history"][:-1] == ["C3 G7", "W E5", "B C5", "W C7"] and told["history"][-1] == f"B {made}"
    assert Position(9).set_up(black=["C3", "G7"]).play("E5", 2).play("C5").play("C7").is_legal(made)
