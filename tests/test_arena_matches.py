"""Matches and tournaments: fair, resumable after kills at any moment, never mixed, and clear about who failed."""

import csv
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, prezero
from small_networks import random_weights
from test_gtp_client import fake, wait_until_gone

from arena.game import Slot
from arena.game_file import parse_game
from arena.player_text import read_players
from arena.schedule import GAUNTLET, NEIGHBOURS, pairings, slots_of
from arena.series import games_at_once
from data.record import read_records
from pipeline.errors import UserError

SMALL = ("board=5x5", "opening=2", "score=area", "simulations=20", "parallel=1", "samples=20")
MATCH = SMALL


def engine(name: str, *arguments: object, timeout: float = 60) -> str:
    """Return the text of a player that is a fake engine."""
    return f'gnugo command="{fake(*arguments)}" name={name} timeout={timeout}'


def metrics_of(runs: Path, stage: str) -> dict:
    return json.loads((runs / "r" / stage / "manifest.json").read_text())["metrics"]


def files_of(runs: Path, stage: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (runs / "r" / stage / "games").iterdir()}


def test_a_tournament_that_is_killed_ten_times_loses_no_game_and_counts_none_twice(tmp_path):
    log = tmp_path / "log"
    players = f"random, uct, {engine('engine', 'fine', '--log', log)}"
    arguments = [*SMALL, f"players={players}", "games=24", "run=r"]
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path), "PYTHONPATH": str(ROOT)}
    program, folder = str(ROOT / "tests" / "killed_tournament.py"), str(tmp_path / "r" / "arena.tournament")
    command = [sys.executable, program, "arena.tournament", folder, "10", "1", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    *killed, last = map(json.loads, done.stdout.splitlines())
    assert len(killed) == 10 and not any(state["done"] for state in killed) and last["done"]
    for before, after in itertools.pairwise([*killed, last]):
        assert before["games"].items() <= after["games"].items()  # no game is lost, and none is played again
    assert len({len(state["games"]) for state in killed}) > 4 and len(killed[-1]["games"]) < 72
    games = [parse_game(data) for data in files_of(tmp_path, "arena.tournament").values()]
    slots = set(slots_of(pairings(["random", "uct", "engine"]), 12))
    assert len(games) == len(slots) == 72 and {game.slot for game in games} == slots
    metrics = metrics_of(tmp_path, "arena.tournament")
    assert metrics["games"] == 72 and sorted(row["games"] for row in metrics["ratings"]) == [48, 48, 48]
    for row in metrics["ratings"]:
        assert row["points"] == sum(g.score_of(row["player"]) for g in games if row["player"] in g.slot[:2])
    rows = list(csv.DictReader((tmp_path / "r" / "arena.tournament" / "games.csv").open()))
    assert {(row["black"], row["white"], int(row["opening"])) for row in rows} == slots and len(rows) == 72
    wait_until_gone([int(line) for line in log.read_text().split()])


def start(runs: Path, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments],
        env={**os.environ, "PREZERO_RUNS": str(runs)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for_games(runs: Path, count: int, process: subprocess.Popen) -> dict[str, bytes]:
    folder = runs / "r" / "arena.match" / "games"
    while len(list(folder.glob("*.sgf"))) < count and process.poll() is None:
        time.sleep(0.02)
    return {path.name: path.read_bytes() for path in folder.glob("*.sgf")}


def test_workers_and_engines_end_with_a_match_that_is_stopped(tmp_path):
    log = tmp_path / "log"
    arguments = ["arena.match", *MATCH[:3], "run=r", "games=14", f"first={engine('slow', 'slow', '--log', log)}"]
    arguments += [f"second={engine('fine', 'fine', '--log', log)}"]
    process = start(tmp_path, *arguments, "parallel=2")
    before = wait_for_games(tmp_path, 2, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    wait_until_gone([int(line) for line in log.read_text().split()])
    process = start(tmp_path, *arguments, "parallel=2")
    wait_for_games(tmp_path, len(before) + 2, process)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "prezero: stopped; run the same command again to go on." in said
    assert "Traceback" not in said
    wait_until_gone([int(line) for line in log.read_text().split()])
    done = prezero(*arguments, "parallel=1", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(files_of(tmp_path, "arena.match")) == 14 and metrics_of(tmp_path, "arena.match")["games"] == 14
    assert before.items() <= files_of(tmp_path, "arena.match").items()


def test_a_match_swaps_colours_and_says_who_is_stronger(tmp_path):
    command = ("arena.match", *MATCH, "first=uct", "second=random", "games=9", "run=r")
    done = prezero(*command, runs=tmp_path)
    assert done.returncode == 0, done.stderr
    records = [read_records(data)[0] for data in files_of(tmp_path, "arena.match").values()]
    assert len(records) == 10  # always pairs
    assert sorted(record.names for record in records) == [("random", "uct")] * 5 + [("uct", "random")] * 5
    openings = [tuple(record.moves[:2].tolist()) for record in records]
    assert all(openings.count(opening) == 2 for opening in openings)
    metrics = metrics_of(tmp_path, "arena.match")
    winners = [record.names[0 if record.winner == 1 else 1] for record in records]
    assert metrics["points"] == winners.count("uct") > 5 and metrics["failures"] == []
    assert [cell.strip() for cell in done.stdout.splitlines()[2].split("|")[1:3]] == [
        "uct",
        f"{metrics['points']:g} of 10",
    ]
    assert "uct is +" in done.stdout and "No player crashed" in done.stdout
    again = prezero(*command, runs=tmp_path)
    assert again.stdout.startswith("Done earlier, by version ") and again.stdout.endswith(done.stdout)
    more = prezero(*command[:-2], "games=12", "run=r", runs=tmp_path)
    assert more.returncode == 0 and len(files_of(tmp_path, "arena.match")) == 12


def test_a_match_ends_when_the_test_decides_and_later_games_do_not_count(tmp_path):
    command = ("arena.match", *MATCH, "first=uct simulations=60", "second=random", "run=r")
    test = ("stop=sprt", "elo0=0", "elo1=200")
    done = prezero(*command, *test, "games=100", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    first = metrics_of(tmp_path, "arena.match")
    assert first["test"]["decision"] == "H1" and first["games"] == 2 * first["test"]["pairs"] < 40
    assert len(files_of(tmp_path, "arena.match")) == first["games"] and first["not counted"] == 0
    assert "The test accepts H1: Elo ≥ 200 (H0: Elo 0, H1: Elo 200), after" in done.stdout
    prezero(*command, f"games={first['games'] + 4}", runs=tmp_path)
    assert metrics_of(tmp_path, "arena.match")["games"] == first["games"] + 4
    prezero(*command, *test, "games=100", runs=tmp_path)
    last = metrics_of(tmp_path, "arena.match")
    assert last["test"] == first["test"] and last["games"] == first["games"] and last["not counted"] == 4


@pytest.mark.parametrize(
    ("mode", "fault", "timeout"),
    [("crash", "crash", 60), ("hang", "no answer in time", 1), ("occupied", "illegal move", 60)],
)
def test_an_engine_that_fails_is_named(tmp_path, mode, fault, timeout):
    log = tmp_path / "log"
    bad = engine("bad", mode, "--after", 2, "--log", log, timeout=timeout)
    done = prezero("arena.match", *MATCH, f"first={bad}", "second=random", "games=2", "run=r", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    (failure,) = metrics_of(tmp_path, "arena.match")["failures"]
    assert (failure["player"], failure["fault"], failure["games"]) == ("bad", fault, 2)
    assert f"| bad    | {fault} " in done.stdout and failure["example"] in done.stdout
    assert metrics_of(tmp_path, "arena.match")["points"] == 0
    processes = [int(line) for line in log.read_text().split()]
    assert len(processes) == 2
    wait_until_gone(processes)


@pytest.mark.parametrize("mode", ["crash-at-start", "crash"])
def test_an_engine_that_never_gets_going_stops_the_run_and_leaves_no_games(tmp_path, mode):
    command = ("arena.match", *MATCH, f"first={engine('bad', mode)}", "second=random", "games=20", "run=r")
    done = prezero(*command, runs=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("prezero: The player bad does not get to its first move: ")
    assert files_of(tmp_path, "arena.match") == {}


def test_a_tournament_rates_everyone_and_takes_more_players_later(tmp_path):
    command = ("arena.tournament", *SMALL, "games=4", "run=r")
    done = prezero(*command, "players=random,uct", "anchor=random=100", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    before = files_of(tmp_path, "arena.tournament")
    assert len(before) == 4 and "Anchor: random = 100." in done.stdout
    done = prezero(*command, "players=random,uct,uct name=strong simulations=80", "anchor=random=100", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    after = files_of(tmp_path, "arena.tournament")
    assert len(after) == 12 and before.items() <= after.items()
    ratings = {row["player"]: row["elo"] for row in metrics_of(tmp_path, "arena.tournament")["ratings"]}
    assert ratings["random"] == 100 and set(ratings) == {"random", "uct", "strong"} and ratings["strong"] > 100
    folder = tmp_path / "r" / "arena.tournament"
    assert (folder / "elo.md").read_text().strip() in done.stdout
    assert {row["player"] for row in csv.DictReader((folder / "elo.csv").open())} == set(ratings)
    assert "12 games on 5x5" in (folder / "elo.svg").read_text()
    rated = prezero("arena.elo", "run=r", "anchor=random=100", "samples=20", runs=tmp_path)
    assert rated.returncode == 0 and (folder / "elo.md").read_text().splitlines()[0] in rated.stdout
    assert (folder / "elo.md").read_text().splitlines()[2] in rated.stdout  # the same ratings and intervals


def test_a_gauntlet_is_one_against_all():
    assert pairings("abc", GAUNTLET) == [("a", "b"), ("a", "c")]
    assert pairings("abcd", NEIGHBOURS) == [("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert pairings("abc") == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(slots_of([("a", "b")], 2)) == [
        Slot("a", "b", 1),
        Slot("b", "a", 1),
        Slot("a", "b", 2),
        Slot("b", "a", 2),
    ]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("seed=2", "holds the results of other settings; name this run with run=NAME, or remove them."),
        ("simulations=21", "holds games of a player uct with other settings or weights (simulations was 20, is 21);"),
    ],
)
def test_games_of_other_settings_are_never_mixed(tmp_path, change, sentence):
    command = ("arena.match", *MATCH, "first=uct", "second=random", "games=2", "run=r")
    assert prezero(*command, runs=tmp_path).returncode == 0
    before = files_of(tmp_path, "arena.match")
    done = prezero(*command, change, runs=tmp_path)
    assert done.returncode == 2 and sentence in done.stderr and files_of(tmp_path, "arena.match") == before
    (tmp_path / "r" / "arena.match" / "manifest.json").unlink()
    done = prezero(*command, change, runs=tmp_path)
    assert done.returncode == 2 and "holds games of" in done.stderr and files_of(tmp_path, "arena.match") == before


def test_a_match_that_is_done_is_not_taken_for_one_with_other_weights(tmp_path):
    folder = tmp_path / "small" / "sl_policy.train"
    folder.mkdir(parents=True)
    random_weights(5, seed=1).save(folder / "policy.safetensors")
    command = ("arena.match", *MATCH, "first=sl", "second=random", "games=2", "weights=small", "run=r")
    assert prezero(*command, runs=tmp_path).returncode == 0
    assert prezero(*command, runs=tmp_path).stdout.startswith("Done earlier")
    random_weights(5, seed=2).save(folder / "policy.safetensors")
    done = prezero(*command, runs=tmp_path)
    assert done.returncode == 2 and "holds games of a player sl with other settings or weights (" in done.stderr


def test_a_damaged_game_is_named(tmp_path):
    command = ("arena.match", *MATCH, "first=uct", "second=random", "games=2", "run=r")
    prezero(*command, runs=tmp_path)
    (path, _) = sorted((tmp_path / "r" / "arena.match" / "games").iterdir())
    path.write_bytes(path.read_bytes()[:100])
    done = prezero(*command[:-2], "games=4", "run=r", runs=tmp_path)
    assert done.returncode == 2 and f"{path} is not a game as we wrote it; remove it" in done.stderr


def test_players_with_the_same_file_names_are_kept_apart(tmp_path):
    command = (
        "arena.tournament",
        *SMALL,
        "games=2",
        "run=r",
        "players=random name=a/b,random name=a_b,random name=A_B",
    )
    assert prezero(*command, runs=tmp_path).returncode == 0
    games = [parse_game(data).slot for data in files_of(tmp_path, "arena.tournament").values()]
    assert sorted(games) == sorted(slots_of(pairings(["a/b", "a_b", "A_B"]), 1))


def test_timed_games_are_never_more_than_there_are_cores(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    timed, counted, wide, network = (
        read_players([text])[0] for text in ("uct threads=1", "uct simulations=9 threads=1", "uct threads=4", "sl")
    )
    assert games_at_once([timed, network], 0) == 8 and games_at_once([timed, wide], 0) == 2
    assert games_at_once([counted], 20) == 20 and games_at_once([timed], 3) == 3
    assert games_at_once(read_players(["uct threads=0"]), 0) == 1
    assert games_at_once(read_players(["uct threads=32"]), 0) == 1  # more threads than cores, but one game at a time
    for name in ("uct", "zero"):
        wide = read_players([f"{name} threads=4"])
        with pytest.raises(UserError, match="parallel=3 timed games with 4 search threads each do not fit on 8 cores"):
            games_at_once(wide, 3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("arena.match", "first=alpha_rq"), "alpha_rq is neither a player nor a program of this machine"),
        (("arena.match", "elo0=5", "elo1=5"), "elo0=5 is not below elo1=5, or one of them is beyond 2,000."),
        (("arena.match", "first=sl", "board=13x13"), "player=sl plays on 9x9, 19x19 only."),
        (("arena.match", "stop=never"), "stop=never is none of sprt."),
        (("arena.match", "games=1"), "games=1 is not between 2 and 1,000,000."),
        (("arena.tournament", "players=uct"), "players=uct names fewer than two players."),
        (("arena.tournament", "players=uct,random", "anchor=gnugo=1"), "The anchor 'gnugo' has no games"),
        (("arena.elo", "run=none"), "The run none has no games; ./prezero arena.tournament run=none plays some."),
        (("arena.elo", "sources=/no/where"), "There is no file, folder or match for /no/where."),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, arguments, sentence):
    done = prezero(*arguments, runs=tmp_path / "runs")
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()


def test_any_folder_of_games_can_be_rated(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    head = "(;SZ[9]KM[7]PB[{}]PW[{}]RE[{}]{};B[ee];W[ec])"
    games = [("ann", "bob", "B+R", ""), ("bob", "ann", "W+3.5", ""), ("ann", "bob", "W+R", ""), ("ann", "bob", "0", "")]
    games += [("ann", "bob", "?", ""), ("ann", "ann", "B+1", ""), ("ann", "bob", "B+1", "HA[2]AB[cc][gg]")]
    games += [("cat", "ann", "B+2", "")]
    for number, game in enumerate(games):
        (folder / f"{number}.sgf").write_text(head.format(*game))
    (folder / "notes.txt").write_text("no game")
    (tmp_path / "out").mkdir()
    done = prezero(
        "arena.elo", f"sources={folder}", "anchor=bob=50", "min_games=2", f"out={tmp_path / 'out'}", runs=tmp_path
    )
    assert done.returncode == 0, done.stderr
    for reason in ("no result", "players without names", "handicap or set-up stones", "not a game record by its name"):
        assert f"Left out, {reason}: 1\n" in done.stdout
    assert "4 games of 2 players." in done.stdout
    rows = {row["player"]: row for row in csv.DictReader((tmp_path / "out" / "elo.csv").open())}
    assert float(rows["bob"]["elo"]) == 50 and float(rows["ann"]["elo"]) > 50
    assert (rows["ann"]["points"], rows["ann"]["games"]) == ("2.5", "4")
