"""The network of a run as a player, and what it says about a position."""

import dataclasses
import io

import numpy as np
import pytest
from conftest import prezero
from small_networks import random_weights, slow_answers
from zero_reference import softmax

from arena.players import new_player, preset, ready_player, searches
from arena.weights_used import weights_used
from go import Position
from go.coordinates import PASS, gtp_from_point
from gtp.server import serve
from nets.actions import actions_of, images_of_actions, turned
from nets.inputs import ZeroInputs
from nets.network import Network
from nets.weights import new_card
from pipeline.errors import UserError
from zero.show import opinion_of


@pytest.fixture
def a_run(tmp_path, monkeypatch):
    """A run with a network for 5x5."""
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    weights = random_weights(5, 6, 5, 21, "legal", family="dual-res", pooled=1, heads="pooled", outcome="chances")
    weights.tensors["chances.kernel"] *= 0.1
    weights.card = new_card(weights.description, "made up", {}, {}, komi=0.5)
    folder = tmp_path / "mine" / "zero.train"
    folder.mkdir(parents=True)
    weights.save(folder / "zero.safetensors")
    return weights


def small(**changes):
    settings = dataclasses.replace(preset("zero"), **{"run": "mine", "simulations": 40, "seconds": 0.0} | changes)
    settings.search = dataclasses.replace(settings.search, threads=1, nodes=200, batch_size=1)
    return settings


def test_it_searches_with_the_network_of_the_run(a_run):
    player, again = (ready_player(small(), 5) for _ in range(2))
    position = Position(5, 0.5).play("C3").play("B2")
    decision = player.decide(position)
    assert decision.move == again.decide(position).move and position.is_legal(decision.move)
    edges = {edge.move: edge for edge in player.search.statistics()}
    assert sum(edge.visits for edge in edges.values()) == 40 and player.sizes == (5,) and searches(small())
    # the priors at the root are the policy of the network, in one of the eight symmetries, the pass included
    planes = ZeroInputs(21).of_positions([position])[0]
    shown = [slow_answers(a_run, turned(planes, np.array([s]))[0])["scores"] for s in range(8)]
    moves = [move for move in edges if move != PASS]
    priors = [edges[move].prior for move in (*moves, PASS)]
    legal = [*actions_of(np.array(moves), 5).tolist(), 25]
    ways = [softmax(one[images_of_actions(5, has_pass=True)[s]][legal]) for s, one in enumerate(shown)]
    assert len(legal) == 24 and sum(np.allclose(priors, way, atol=1e-4) for way in ways) >= 1


def test_without_a_network_it_says_what_to_run(tmp_path, monkeypatch, a_run):
    with pytest.raises(UserError, match=r"There is no .*none.*; ./prezero zero\.train run=none makes it"):
        new_player(small(run="none"))
    random_weights(5, family="policy").save(tmp_path / "mine" / "zero.train" / "zero.safetensors")
    with pytest.raises(UserError, match="A policy network was given for one of Zero's networks"):
        ready_player(small(), 5)


def test_games_of_other_weights_are_not_taken_for_its_games(a_run):
    assert weights_used(small(), 5).keys() == {"zero"}
    assert "zero" not in weights_used(preset("alpha_rp"), 9)  # though it has first_play=zero


def test_it_plays_over_gtp(a_run, tmp_path, monkeypatch):
    out = io.StringIO()
    serve(ready_player(small(), 5), io.StringIO("boardsize 5\nkomi 0.5\nplay b C3\ngenmove w\nquit\n"), out)
    answers = out.getvalue().split("\n\n")
    assert all(answer.startswith("=") for answer in answers[:5]) and answers[3][2:].strip() not in ("", "resign")


def test_what_both_heads_say_is_shown(a_run, tmp_path):
    position = Position(5, 0.5).play("C3").play("pass").play("B2")
    found = opinion_of(Network(a_run), position)
    planes, legal = ZeroInputs(21).of_positions([position])[0], {*position.legal_moves().tolist(), PASS}
    values = [slow_answers(a_run, turned(planes, np.array([s]))[0])["values"] for s in range(8)]
    assert np.allclose(found.values, values, atol=1e-4) and set(found.chances) == legal
    assert sum(found.chances.values()) == pytest.approx(1) and list(found.chances.values()) == sorted(
        found.chances.values(), reverse=True
    )
    command = "zero.show", "board=5x5", "board.komi=0.5", "moves=C3 pass B2", "weights=run", "run=mine"
    done = prezero(*command, f"svg={tmp_path / 'a.svg'}", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    best, chance = next(iter(found.chances.items()))
    assert f"{gtp_from_point(best, 5)} " in done.stdout and f"{100 * chance:.2f}%" in done.stdout
    assert f"Value for white: {np.mean(values):+.3f}, a win rate of {50 + 50 * np.mean(values):.1f}%" in done.stdout
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    other = prezero(*command, "board=9x9", runs=tmp_path)
    assert other.returncode == 2 and "This network plays on 5x5 only." in other.stderr
