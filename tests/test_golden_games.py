"""Games of every player with itself, recorded once: a refactoring must not change a single move.

If a change is meant to change play, record the games again: `python tests/test_golden_games.py` in the environment.
"""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from arena import new_player, preset
from arena.players import PlayerSettings
from go.coordinates import gtp_from_point
from go.position import Position

FILE = Path(__file__).with_name("golden_games.json")
GAMES = json.loads(FILE.read_text())
USUAL = {"seconds": 0.0, "threads": 1, "nodes": 5_000, "resign": -1.0, "precision": "float32"}
NETWORKS = ("sl", "alpha_p", "alpha_rp")
RECORDED_ON = "AVX512F"  # networks are summed up in another order, and rounded otherwise, on other processors


def play(name: str, size: int, plies: int, changes: dict) -> str:
    """Play the first moves of a game of a player with itself."""
    settings = preset(name)
    own = {field.name for field in dataclasses.fields(PlayerSettings)}
    for key, value in (USUAL | changes).items():
        setattr(settings if key in own else settings.search, key, value)
    player, position = new_player(settings), Position(size, 7.5)
    while len(position.history) < plies and not position.is_over:
        position.play(player.decide(position.copy()).move)
    return " ".join(gtp_from_point(move.point, size) for move in position.history)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['player']} {game['size']}")
def test_every_player_plays_the_game_that_it_played_before(game):
    if game["player"] in NETWORKS and not np._core._multiarray_umath.__cpu_features__.get(RECORDED_ON):
        pytest.skip(f"the games of networks were recorded on a processor with {RECORDED_ON}")
    moves = game["moves"].split()
    assert play(game["player"], game["size"], len(moves), game["changes"]) == game["moves"]


if __name__ == "__main__":
    for one in GAMES:
        one["moves"] = play(one["player"], one["size"], len(one["moves"].split()), one["changes"])
    FILE.write_text("[\n" + ",\n".join(f" {json.dumps(one)}" for one in GAMES) + "\n]\n")
