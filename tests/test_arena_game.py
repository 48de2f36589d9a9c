"""One game of the arena: repeatable from plain data, with evaluations, and lost by whoever fails."""

import dataclasses
import pickle

import pytest
from sgfmill import sgf
from test_gtp_client import fake, wait_until_gone

from arena.game import GameTerms, Record, Seats, Slot, play
from arena.game_file import parse_game, read_evaluations, read_game, write_game
from arena.player_text import Budget, read_players
from data.openings import draw_opening
from data.record import read_records
from go.board import BLACK, WHITE
from go.settings import BoardSettings
from pipeline.errors import UserError
from pipeline.settings import validate

SMALL = GameTerms(board=BoardSettings(5, 0.5), opening=2, score="area")


def players_of(*texts: str) -> dict:
    found = read_players(texts, Budget(simulations=30, threads=1))
    for player in found:
        player.search.nodes = 1_000
    return {player.name: player for player in found}


def points(record: Record) -> list[int]:
    return [move.point for move in record.position.history]


def test_a_game_depends_on_its_slot_and_terms_alone():
    players, seats = players_of("alpha_r", "uct", "random"), Seats()
    slots = [Slot("alpha_r", "uct", 1), Slot("uct", "alpha_r", 1), Slot("random", "alpha_r", 2)]
    fresh = [play(SMALL, slot, players) for slot in slots]
    kept = [play(SMALL, slot, players, seats) for slot in [*slots, *slots]]
    assert [points(game) for game in kept] == [points(game) for game in [*fresh, *fresh]]
    assert len({tuple(points(game)) for game in fresh}) == 3
    assert points(fresh[0])[:2] == points(fresh[1])[:2] == draw_opening(5, 2, 1, 1)
    other = play(dataclasses.replace(SMALL, seed=2), slots[0], players)
    assert points(other) != points(fresh[0])


def test_a_kept_search_plays_as_a_new_one_with_networks_and_replies(monkeypatch):
    players = players_of("alpha_rp simulations=20", "alpha_r replies=0.5 simulations=20")
    terms = GameTerms(opening=2, move_limit=20)
    slots = [Slot(*list(players), 1), Slot(*list(players)[::-1], 1)]
    seats = Seats()
    kept = [points(play(terms, slot, players, seats)) for slot in (*slots, *slots)]
    assert kept[:2] == kept[2:] == [points(play(terms, slot, players)) for slot in slots]


def test_a_game_is_plain_data_for_any_process():
    players = players_of("uct", "random")
    terms, slot, sent = pickle.loads(pickle.dumps((SMALL, Slot("uct", "random", 3), players)))
    assert points(play(terms, slot, sent)) == points(play(SMALL, Slot("uct", "random", 3), players))


def test_the_file_holds_the_game_and_what_the_players_thought(tmp_path):
    record = play(SMALL, Slot("uct", "random", 1), players_of("uct", "random"))
    data = write_game(record)
    played = parse_game(data)
    assert played.slot == ("uct", "random", 1) and played._replace(thoughts=()) == record.played._replace(thoughts=())
    for ours, written in zip(record.played.thoughts, played.thoughts, strict=True):
        assert ours.decisions == written.decisions > 0 and written.seconds == pytest.approx(ours.seconds, abs=0.001)
    (other,) = read_records(data)
    assert other.names == ("uct", "random") and other.komi == 0.5 and other.size == 5
    assert len(other.moves) == len(record.position.history) == played.moves
    evaluations = read_evaluations(data)
    assert [one.ply for one in evaluations] == list(range(played.moves))
    assert [one.win_rate for one in evaluations[:2]] == [None, None]  # the opening
    by_uct = [one.win_rate for one in evaluations[2:] if one.color == BLACK]
    assert all(rate is not None and 0 <= rate <= 1 for rate in by_uct) and len(set(by_uct)) > 1
    assert all(one.win_rate is None for one in evaluations if one.color == WHITE)  # random play has no opinion
    comment = sgf.Sgf_game.from_bytes(data).get_main_sequence()[3].get("C").splitlines()
    assert comment[0].startswith("win rate: ") and comment[1].startswith("seconds: ")
    assert comment[2].startswith("why: ") and "visits" in comment[2]
    (tmp_path / "game.sgf").write_bytes(data)
    assert read_game(tmp_path / "game.sgf") == played
    (tmp_path / "game.sgf").write_bytes(data.replace(b"Ended by", b"Started by"))
    with pytest.raises(UserError, match="is not a game as we wrote it; remove it to have it played anew"):
        read_game(tmp_path / "game.sgf")


@pytest.mark.parametrize(
    ("mode", "how", "result"),
    [
        ("crash", "crash", "B+F"),
        ("hang", "no answer in time", "B+T"),
        ("nonsense", "senseless answer", "B+F"),
        ("occupied", "illegal move", "B+F"),
        ("resign", "resignation", "B+R"),
    ],
)
def test_whoever_fails_loses_and_is_started_again(tmp_path, mode, how, result):
    bad = fake(mode, "--after", 2, "--log", tmp_path / "log")
    players = players_of("random", f'gnugo command="{bad}" name=bad timeout={1 if mode == "hang" else 60}')
    seats = Seats()
    games = [play(SMALL, Slot("random", "bad", opening), players, seats).played for opening in (1, 2)]
    for game in games:
        assert (game.how, game.result) == (how, result) and game.score == 1.0 and game.score_of("bad") == 0.0
        assert game.failed == ("" if mode == "resign" else "bad")
        assert game.thought_of("bad").decisions >= (0 if mode == "hang" else 2)  # a busy machine may hang earlier
    seats.close()
    processes = [int(line) for line in (tmp_path / "log").read_text().split()]
    assert len(processes) == (1 if mode == "resign" else 2)
    wait_until_gone(processes)


def test_dead_stones_are_taken_off_unless_area_counts(gnugo):
    """Random moves against GNU Go: it passes when the rest is dead, which rollouts see and plain area does not."""
    players = players_of("random", "gnugo level=0")
    terms = GameTerms(board=BoardSettings(7, 7.5), opening=0)
    by_rollouts, by_area = (
        play(dataclasses.replace(terms, score=score), Slot("random", "gnugo level=0", 1), players)
        for score in ("rollouts", "area")
    )
    assert points(by_rollouts) == points(by_area)  # the same seeds
    assert by_rollouts.played.how == "score of the judges" and by_rollouts.played.result.startswith("W+")
    assert by_area.played.how == "area count"


def test_a_game_without_end_is_half_a_win_for_both():
    game = play(dataclasses.replace(SMALL, move_limit=6), Slot("random", "uct", 1), players_of("random", "uct")).played
    assert game.is_stopped and game.score == 0.5 and game.moves == 6 and game.result == "Void"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"opening": 5}, "opening=5 is not between 0 and 4, the longest on 5x5."),
        ({"move_limit": 2}, "move_limit=2 leaves no move after an opening of 2."),
        ({"score": "mine"}, "score=mine is none of rollouts, agreed, area."),
    ],
)
def test_terms_that_make_no_sense_are_refused(values, sentence):
    with pytest.raises(UserError) as refused:
        validate(dataclasses.replace(SMALL, **values))
    assert str(refused.value) == sentence
