"""Players as text: presets with settings, command lines, names of their own, budgets, and sentences for mistakes."""

import hashlib

import pytest
from conftest import ROOT
from test_gtp_client import fake

from arena.player_text import Budget, read_player, read_players, split_players
from arena.players import preset
from arena.registry import KINDS
from arena.weights_used import weights_used
from pipeline.errors import UserError


def test_a_name_alone_is_the_preset():
    settings = read_player("alpha_r")
    expected = preset("alpha_r")
    expected.search.threads = 0
    assert settings == expected and settings.name == "alpha_r"


def test_settings_follow_the_name_and_search_may_be_left_out():
    settings = read_player("alpha_rp  simulations=400 n_thr=10 search.c_puct=2.5 greedy=false")
    assert (settings.simulations, settings.seconds, settings.search.n_thr) == (400, 0.0, 10)
    assert settings.search.c_puct == 2.5 and settings.greedy is False and settings.search.policy
    assert settings.name == "alpha_rp simulations=400 n_thr=10 search.c_puct=2.5 greedy=false"
    assert read_player("uct name=old").name == "old"


def test_any_other_text_is_the_command_line_of_an_engine():
    settings = read_player(fake("fine"))
    assert settings.kind == "gtp" and settings.command == fake("fine") and settings.seconds == 0
    assert settings.name.endswith("fake_engine.py fine")


def test_gnu_go_has_a_level(gnugo):
    assert read_player("gnugo level=3").level == 3 and read_player("gnugo level=3").name == "gnugo level=3"
    assert read_player("gnugo --mode gtp --level 3").command == "gnugo --mode gtp --level 3"


def test_a_budget_is_for_those_who_search_and_do_not_say_otherwise():
    budget = Budget(simulations=100, threads=3, run="mine")
    plain, own, timed, network = (
        read_player(text, budget)
        for text in ("alpha_r", "alpha_r simulations=7 run=x", "alpha_r seconds=2 threads=1", "alpha_p")
    )
    assert (plain.simulations, plain.seconds, plain.search.threads, plain.run) == (100, 0.0, 3, "mine")
    assert (own.simulations, own.seconds, own.search.threads, own.run) == (7, 0.0, 3, "x")
    assert (timed.simulations, timed.seconds, timed.search.threads) == (0, 2.0, 1)
    assert (network.simulations, network.seconds) == (0, 0.0)  # it has no search
    both = read_player("uct", Budget(simulations=100, seconds=3.0))
    assert (both.simulations, both.seconds) == (100, 3.0)
    assert read_player("uct", Budget(seconds=3.0)).simulations == 0


def test_lists_are_split_at_commas_and_names_are_made_different():
    assert split_players("a b=1, c ,\"d 'e,f'\",,g='h,i'") == ["a b=1", "c", "\"d 'e,f'\"", "g='h,i'"]
    players = read_players(["uct", "random", "uct", "uct n_thr=2", "uct"])
    assert [player.name for player in players] == ["uct", "random", "uct #2", "uct n_thr=2", "uct #3"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("alpha_rq", "alpha_rq is neither a player nor a program of this machine; did you mean alpha_r?"),
        ("uct nthr=3", "The player 'uct nthr=3' has no setting 'nthr'; did you mean n_thr?"),
        ("uct n_thr=-1", "uct: search.n_thr=-1 is not between 0 and 1,000,000,000."),
        ("uct kind=mind", f"uct: kind=mind is none of {', '.join(KINDS)}."),
        ("uct 'x", 'The player "uct \'x" cannot be read: no closing quotation.'),
        (
            "uct n_thr=x",
            "The player 'uct n_thr=x' cannot be read: Value 'x' of type 'str' could not be converted to Integer.",
        ),
    ],
)
def test_mistakes_are_one_sentence(text, sentence):
    with pytest.raises(UserError) as refused:
        read_player(text)
    assert str(refused.value) == sentence


def test_an_empty_text_is_answered_with_the_players_there_are():
    with pytest.raises(UserError, match="A player has no name; there are alpha_p, "):
        read_player(" ")


def test_a_player_is_known_by_the_weights_it_uses():
    def kinds(text: str) -> set[str]:
        return set(weights_used(read_player(text), 9))

    assert kinds("random") == kinds("uct") == set() and kinds("sl") == {"policy"} and kinds("rollout") == {"rollout"}
    assert kinds("rl") == {"rl"} and kinds("cgs") == set()
    assert kinds("alpha_r") == {"rollout", "tree"} and kinds("alpha_rp") == {"rollout", "tree", "policy"}
    assert kinds("alpha_rp priors=uniform rollouts=uniform") == {"policy"}
    policy = ROOT / "weights" / "policy9.safetensors"
    assert weights_used(read_player("sl"), 9)["policy"] == hashlib.sha256(policy.read_bytes()).hexdigest()[:16]
    assert weights_used(read_player("sl"), 9) != weights_used(read_player("sl"), 19)
