"""Players by name: every room's kinds are known, settings find their way to the maker, and can be sent elsewhere."""

import dataclasses
import gc
import pickle
import subprocess
import sys
import weakref

import pytest
from conftest import ROOT
from small_searches import small_player

from apv_mcts.player import SearchPlayer
from arena.players import PlayerSettings, new_player, preset, presets, ready_player
from arena.registry import KINDS, ROOMS
from arena.setup import sizes_of
from features48.heat_maps import plane_maps
from go.coordinates import PASS
from go.errors import GoError
from go.player import AnyBoard
from go.position import Position
from nets.find import shipped_sizes
from pipeline.errors import UserError

PLAYABLE = [name for name in presets() if 9 in sizes_of(name)]  # all networks that they need come with Prezero


def test_every_room_with_a_player_is_registered_and_no_kind_twice():
    rooms = {path.parent.name for path in ROOT.glob("*/player.py")}
    assert {room.__name__ for room in ROOMS} == {f"{room}.player" for room in rooms}
    assert sum(len(room.PLAYERS) for room in ROOMS) == len(KINDS)
    assert {preset(name).kind for name in presets()} == set(KINDS)


@pytest.mark.parametrize("name", PLAYABLE)
def test_every_preset_makes_a_player_that_has_its_name_and_plays(name):
    settings = dataclasses.replace(preset(name), greedy=False)
    settings.search.nodes, settings.search.threads = 200, 1
    if settings.seconds:
        settings.simulations, settings.seconds = 5, 0.0
    size = 3 if name == "solver" else 9
    player = ready_player(settings, size)
    position = Position(size, komi=0.5).play("B3")
    move = player.decide(position).move
    assert player.name == name and player.plays_on(size) and move != PASS and position.is_legal(move)
    assert {"prior", *plane_maps()} <= set(player.heat_maps())


def test_gnu_go_is_a_player_by_name_with_a_level(gnugo):
    player = ready_player(dataclasses.replace(preset("gnugo"), level=0), 9)
    position = Position(9).play("E5")
    try:
        assert " --level 0 " in player.command and player.engine.send("name") == "GNU Go"
        assert position.is_legal(player.decide(position).move) and player.name == "gnugo"
        player.engine.kill()
        player.engine.process.wait()
        player.get_ready(9)  # starts it again
        assert position.is_legal(player.decide(position).move)
    finally:
        player.close()
    with pytest.raises(UserError, match=r"there is no program gnugoo; GNU Go is installed with apt install gnugo"):
        new_player(dataclasses.replace(preset("gnugo"), command="gnugoo"))


def test_settings_reach_the_player():
    search = new_player(dataclasses.replace(preset("uct"), simulations=7, seconds=0.5, resign=-0.3))
    assert isinstance(search, SearchPlayer)
    assert (search.simulations, search.seconds, search.resign) == (7, 0.5, -0.3)
    for greedy, title in ((True, "tree, greedy"), (False, "tree")):
        player = new_player(dataclasses.replace(preset("tree"), greedy=greedy))
        assert isinstance(player, AnyBoard) and player.name == title and player.get_ready(9).greedy == greedy
    first, again, other = (
        [new_player(dataclasses.replace(preset("random"), seed=seed)).decide(Position(9)).move for _ in range(2)]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("name", ["rollout", "tree"])
def test_boards_share_what_they_load(name):
    """The tables of a pattern policy take 130 MB, and were loaded anew for each of 18 board sizes."""
    player = new_player(preset(name))
    assert len({id(player.get_ready(size).tables) for size in player.sizes}) == len(shipped_sizes(name)) == 2


def test_searches_on_other_boards_share_pattern_policies_and_drop_the_last_tree():
    player = small_player("alpha_r", simulations=5)
    trees = [weakref.ref(player.get_ready(size)) for size in (9, 7, 5, 13)]
    gc.collect()
    assert [tree() is None for tree in trees] == [True, True, True, False]
    weights = player.search.priors.weights
    assert player.get_ready(8).priors.weights is weights


def test_what_cannot_be_played_is_refused():
    with pytest.raises(GoError, match="player=sl plays on 9x9, 19x19 only"):
        ready_player(preset("sl"), 13)
    with pytest.raises(UserError, match="player=nobody does not exist; there are alpha_p"):
        preset("nobody")
    with pytest.raises(UserError, match=r"There is no .*value\.safetensors"):
        new_player(dataclasses.replace(preset("alpha_v"), run="no"))
    with pytest.raises(UserError, match=r"player\.kind=mind"):
        new_player(PlayerSettings(kind="mind"))


def test_settings_can_be_sent_to_another_process_which_makes_the_same_player():
    settings = dataclasses.replace(preset("alpha_r"), simulations=40, seconds=0.0)
    settings.search.nodes, settings.search.threads = 200, 1
    code = (
        "import pickle, sys; from arena import new_player; from go import Position; "
        "print(new_player(pickle.load(sys.stdin.buffer)).decide(Position(9)).move)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(settings), capture_output=True, cwd=ROOT)
    own = small_player("alpha_r", simulations=40, nodes=200).decide(Position(9)).move
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == own
