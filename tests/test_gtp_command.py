"""`./prezero gtp`: the players that come with Prezero, as a program meets them."""

import subprocess
import sys

import pytest
from conftest import ROOT, prezero

from arena.players import PRESETS, new_player, preset
from arena.setup import sizes_of
from go.board import BLACK, WHITE
from go.coordinates import PASS
from go.match import ENDLESS, play_game
from go.position import Position
from pipeline.errors import UserError

NAMES = sorted(file.stem for file in PRESETS.glob("*.yaml"))


def conversation(*arguments: str, lines: list[str]) -> list[str]:
    """Return the answers of the engine, without the empty lines between them."""
    command = [sys.executable, "-m", "pipeline", "gtp", *arguments]
    spoken = "\n".join([*lines, "quit", ""])
    done = subprocess.run(command, input=spoken, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    return [answer.strip() for answer in done.stdout.strip().split("\n\n")]


def test_the_policy_network_plays_on_the_boards_that_it_knows():
    lines = ["name", "genmove b", "boardsize 13", "boardsize 19", "clear_board", "genmove b", "undo", "komi 6.5"]
    name, first, refused, *rest = conversation("player=sl", lines=lines)
    assert name == "= Prezero sl, greedy"
    point = Position(9).point(first.removeprefix("= "))
    assert point in Position(9).legal_moves()
    assert refused == "? unacceptable size" and rest[:2] == ["=", "="]
    assert Position(19).point(rest[2].removeprefix("= ")) in Position(19).legal_moves() and rest[3:] == ["=", "=", "="]


def test_bad_settings_are_one_sentence(tmp_path):
    for arguments, sentence in (
        (["player=nobody"], f"player=nobody does not exist; there are {', '.join(NAMES)}."),
        (["player=alpha_rp", "player.search.c_puct=-1"], "player.search.c_puct=-1 is not between 0 and 1,000."),
        (["player.seconds=-1"], "player.seconds=-1 is not between 0 and 86,400."),
        (["player=sl", "player.run=nowhere"], f"There is no {tmp_path / 'nowhere'}"),
        (["player=alpha_v", "player.run=nowhere"], f"There is no {tmp_path / 'nowhere'}"),
        (["player=sl", "board=13x13"], "player=sl plays on 9x9, 19x19 only."),
    ):
        done = prezero("gtp", *arguments, runs=tmp_path)
        assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(f"prezero: {sentence}")


@pytest.mark.parametrize("name", [name for name in NAMES if 9 in sizes_of(name)])
def test_every_player_plays_both_colours_of_a_game(name):
    settings = preset(name)
    settings.simulations, settings.seconds = 50 if settings.seconds else 0, 0
    player, position, decisions = new_player(settings), Position(9), []
    ending = play_game(
        {BLACK: player, WHITE: player}, position, move_limit=6, on_move=lambda after, made, s: decisions.append(made)
    )
    assert ending.how == ENDLESS and all(made.move != PASS and made.why for made in decisions)
    assert [move.color for move in position.history] == [1, 2, 1, 2, 1, 2] and player.plays_on(9)


def test_a_player_that_is_not_there_is_refused():
    with pytest.raises(UserError, match="player=alpha does not exist; there are alpha_p, alpha_r, alpha_rp"):
        preset("alpha")


def test_memory_that_is_not_there_is_one_sentence(tmp_path):
    """Ten million nodes on 19x19 are more than four gigabytes."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); "
    start = "import runpy, sys; sys.argv[1:] = ['player=alpha_r', 'player.search.nodes=10000000']; "
    code = f"{limit}{start}runpy.run_module('arena.engine', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("prezero: There is not enough memory")
