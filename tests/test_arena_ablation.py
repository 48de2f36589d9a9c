"""The ablation: the paper's figures are those of the paper, verdicts on planted games, and parts from start to end."""

import csv
import dataclasses
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, prezero
from small_networks import random_weights

from arena import ablation
from arena import ablation_tables as tables
from arena.ablation import PARTS, Settings, plan, plan_all
from arena.ablation_pages import main_table, pair_table
from arena.ablation_results import (
    OPEN,
    REPRODUCED,
    REVERSED,
    answer,
    measure,
    pair_scores,
    paired_interval,
    verdicts,
)
from arena.game import Played, Slot, Thought
from arena.game_file import parse_game
from arena.player_text import read_player
from arena.schedule import slots_of
from pipeline.errors import UserError
from pipeline.shares import interval95
from sl_policy.snapshots import Snapshot, write_snapshot

# Extended Data Tables 7, 9, 8, 10 and 3, as printed in the paper.
TABLE_7 = """
rvp 2890 | vp 2177 | rp 2416 | rv 2077 | v 1655 | r 1457 | p 1517
"""
TABLE_9 = """
    | rvp          | vp          | rp           | rv           | r           | v           | p
rvp | -            | 1 [0;5]     | 5 [4;7]      | 0 [0;4]      | 0 [0;8]     | 0 [0;19]    | 0 [0;19]
vp  | 99 [95;100]  | -           | 61 [52;69]   | 35 [25;48]   | 6 [1;27]    | 0 [0;22]    | 1 [0;6]
rp  | 95 [93;96]   | 39 [31;48]  | -            | 13 [7;23]    | 0 [0;9]     | 0 [0;22]    | 4 [1;21]
rv  | 100 [96;100] | 65 [52;75]  | 87 [77;93]   | -            | 0 [0;18]    | 29 [8;64]   | 48 [33;65]
r   | 100 [92;100] | 94 [73;99]  | 100 [91;100] | 100 [82;100] | -           | 78 [45;94]  | 78 [71;84]
v   | 100 [81;100] | 100 [78;100]| 100 [78;100] | 71 [36;92]   | 22 [6;55]   | -           | 30 [16;48]
p   | 100 [81;100] | 99 [94;100] | 96 [79;99]   | 52 [35;67]   | 22 [16;29]  | 70 [52;84]  | -
"""  # per cent won by the column against the row
TABLE_8 = "1 2203 | 2 2393 | 4 2564 | 8 2665"
TABLE_10 = """
  | 1  | 2  | 4  | 8
1 | -  | 70 | 90 | 94
2 | 30 | -  | 72 | 81
4 | 10 | 28 | -  | 62
8 | 6  | 19 | 38 | -
"""
TABLE_3 = """
256 1 48 55.9 59.1 67 55 7.1
256 2 48 56.5 59.8 67 38 13.9
256 4 48 56.9 60.2 69 14 27.6
256 8 48 57.0 60.4 69 5 55.3
"""  # filters, symmetries, planes, test %, train %, raw net wins %, AlphaGo wins %, ms
ORDER = ["alpha_rvp", "alpha_rp", "alpha_vp", "alpha_rv", "alpha_v", "alpha_p", "alpha_r"]
SMALL = ("scale=tiny", "board=5x5", "opening=2", "score=area", "simulations=8", "parallel=1", "samples=20", "run=r")
UCT = "uct nodes=200"  # a small tree is made in no time
PLAIN = "rollouts=uniform priors=uniform nodes=200"  # which loads no patterns


def cells(text: str) -> dict[tuple[str, str], tuple[int, ...]]:
    """Read a cross table by (column, row)."""
    head, *lines = ([cell.strip() for cell in line.split("|")] for line in text.strip("\n").splitlines())
    return {
        (column, line[0]): tuple(map(int, re.findall(r"\d+", cell)))
        for line in lines
        for column, cell in zip(head[1:], line[1:], strict=True)
        if cell != "-"
    }


def test_the_figures_are_those_of_the_paper():
    elo = {f"alpha_{name}": int(value) for name, value in re.findall(r"(\w+) (\d{4})", TABLE_7)}
    assert elo == tables.VARIANTS and list(tables.VARIANTS) == sorted(elo, key=lambda name: -elo[name]) == ORDER
    printed = {(f"alpha_{a}", f"alpha_{b}"): numbers for (a, b), numbers in cells(TABLE_9).items()}
    assert len(tables.CROSS) == 21 and all(printed[pair] == numbers for pair, numbers in tables.CROSS.items())
    assert all(printed[b, a][0] == 100 - numbers[0] for (a, b), numbers in tables.CROSS.items())
    assert {int(n): int(value) for n, value in re.findall(r"(\d) (\d{4})", TABLE_8)} == tables.THREADS
    pairs = {(int(a), int(b)): numbers[0] for (a, b), numbers in cells(TABLE_10).items() if int(a) > int(b)}
    assert pairs == tables.THREADS_CROSS
    rows = [list(map(float, line.split())) for line in TABLE_3.strip().splitlines()]
    assert {int(row[1]): (row[5], row[6]) for row in rows} == tables.SYMMETRIES
    assert tables.MIXED[0] == elo["alpha_vp"] and tables.MIXED[0.5] == elo["alpha_rvp"]
    assert tables.MIXED[1] == elo["alpha_rp"] and tables.PARAMETERS == {"n_thr": 40, "n_vl": 3, "c_puct": 5}


def test_the_paper_is_read_as_pairs_of_stronger_and_weaker():
    assert tables.variants().expected() == list(itertools.combinations(ORDER, 2))
    part = tables.table3("alpha_rp")
    two, four, eight = (f"symmetries={count}" for count in (2, 4, 8))
    raw = [(f"sl {text}", "sl") for text in (four, eight)]  # 67, 67, 69 and 69%
    assert part.expected() == [*raw, *(("alpha_rp", f"alpha_rp {text}") for text in (two, four, eight))]
    assert part.pairs() == [(of, f"{of} {text}") for of in ("sl", "alpha_rp") for text in (two, four, eight)]
    assert tables.lambda_mix("a").expected() == [
        ("a lambda_mix=0.5", "a lambda_mix=1"),
        ("a lambda_mix=0.5", "a lambda_mix=0"),
        ("a lambda_mix=1", "a lambda_mix=0"),
    ]
    assert tables.priors("a").expected() == [("a", "a policy_from=rl")]
    assert tables.parameter("n_thr", "a").expected() == [] and len(tables.parameter("n_thr", "a").pairs()) == 10


@pytest.mark.parametrize(
    ("part", "varied"),
    [
        (tables.lambda_mix("alpha_rvp"), {"lambda_mix"}),
        (tables.threads("alpha_rp"), {"threads"}),
        (tables.parameter("n_thr", "alpha_rp"), {"n_thr"}),
        (tables.parameter("n_vl", "alpha_rp"), {"n_vl"}),
        (tables.parameter("c_puct", "alpha_rp"), {"c_puct"}),
        (tables.tree_policy("alpha_rp"), {"priors"}),
        (tables.priors("alpha_rp"), {"policy_from"}),
        (tables.value_games("alpha_rvp", Path("s.safetensors"), Path("r l's")), {"value_from"}),
    ],
)
def test_the_players_of_a_part_differ_in_nothing_but_what_is_varied(part, varied):
    players = [read_player(row.player) for row in part.rows]
    assert [player.name for player in players] == [row.name for row in part.rows]
    assert {row.against for row in part.rows} == {""} and (part.reference or part.rows[0].name) in [
        row.name for row in part.rows
    ]
    searches = [dataclasses.asdict(player.search) for player in players]
    for player, search in zip(players, searches, strict=True):
        assert {name for name in search if search[name] != searches[0][name]} <= varied
        assert dataclasses.replace(player, name="", search=None) == dataclasses.replace(
            players[0], name="", search=None
        )
    (name,) = varied
    places = [row.place for row in part.rows]
    values = [search[name] for search in searches]
    assert len(set(values)) == len(values) and (None in places or values == places)


def planted(part: tables.Part, elo: dict[str, float], openings: int) -> list[Played]:
    """Games in which everyone wins just as often as its rating says, with either colour."""
    games = []
    for first, second in part.pairs():
        share = 1 / (1 + 10 ** ((elo[second] - elo[first]) / 400))
        for opening in range(1, openings + 1):
            wins = round(share * opening) > round(share * (opening - 1))
            for slot in (Slot(first, second, opening), Slot(second, first, opening)):
                result = "B+R" if wins == (slot.black == first) else "W+R"
                games.append(Played(slot, result, "resignation", "", "", 40, (Thought(20, 2.0, 0.3),) * 2))
    return games


def test_an_order_that_is_there_is_found_and_one_that_is_not_is_denied():
    part = tables.variants()
    elo = {name: -120.0 * place for place, name in enumerate(ORDER)}
    found = measure(part, planted(part, elo, 60), samples=50)
    assert [verdict.word for verdict in verdicts(part, found)] == [REPRODUCED] * 21
    text = answer(part, found)
    assert text.startswith("As in the paper: 21 of 21 pairs") and "order by rating is that of the paper" in text
    for row in found["rows"]:
        assert row["elo"] == pytest.approx(elo[row["player"]], abs=40) and row["low"] <= row["elo"] <= row["high"]
        assert row["seconds"] == 0.1 and row["slowest"] == 0.3 and row["games"] == 6 * 120
    wrong = dict(elo, alpha_rvp=elo["alpha_rp"] - 90, alpha_v=elo["alpha_p"])
    found = measure(part, planted(part, wrong, 60), samples=50)
    words = {(verdict.stronger, verdict.weaker): verdict.word for verdict in verdicts(part, found)}
    assert words.pop(("alpha_rvp", "alpha_rp")) == REVERSED and words.pop(("alpha_v", "alpha_p")) == OPEN
    words.pop(("alpha_rvp", "alpha_vp"))  # 30 points apart
    assert set(words.values()) == {REPRODUCED}
    text = answer(part, found)
    assert "The other way round here: alpha_rvp over alpha_rp (-" in text
    assert "Not decided by these games: " in text and "alpha_v over alpha_p (" in text
    assert "The order by rating is alpha_rp > alpha_rvp > " in text and " > ".join(ORDER) in text


def test_two_games_of_each_pair_decide_nothing_that_is_close():
    part = tables.variants()
    games = planted(part, dict.fromkeys(ORDER, 0.0), 2)
    found = measure(part, games, samples=0)
    assert {verdict.word for verdict in verdicts(part, found)} == {OPEN}
    assert answer(part, found).startswith("As in the paper: 0 of 21 pairs")


def test_the_tables_have_the_papers_figures_beside_ours():
    part = tables.variants()
    found = measure(part, planted(part, dict(zip(ORDER, range(0, -700, -100), strict=True)), 20), samples=20)
    line = next(line for line in main_table(part, found).splitlines() if line.startswith("| alpha_rp "))
    shown = [cell.strip() for cell in line.strip("|").split("|")]
    row = next(row for row in found["rows"] if row["player"] == "alpha_rp")
    assert shown[1] == f"{row['elo']:+.0f}" and shown[4:7] == ["-474", "2416", "240"]
    assert shown[7] == f"{100 * row['points'] / 240:.1f}%"
    line = next(line for line in pair_table(part, found).splitlines() if line.startswith("| alpha_rp  | alpha_vp "))
    shown = [cell.strip() for cell in line.strip("|").split("|")]
    games = planted(part, dict(zip(ORDER, range(0, -700, -100), strict=True)), 20)
    points = sum(game.score_of("alpha_rp") for game in games if {*game.slot[:2]} == {"alpha_rp", "alpha_vp"})
    low, high = interval95(points, 40)
    assert shown[2:5] == ["40", f"{100 * points / 40:.0f} [{100 * low:.0f};{100 * high:.0f}]", "61 [52;69]"]
    assert shown[6] == "+239"


def test_groups_that_never_meet_are_rated_apart():
    part = tables.table3("alpha_rp")
    elo = {row.name: 0.0 for row in part.rows}
    elo |= {"alpha_rp symmetries=2": -150.0, "alpha_rp symmetries=4": -300.0, "alpha_rp symmetries=8": -450.0}
    found = measure(part, planted(part, elo, 100), samples=50)
    rated = {row["player"]: row for row in found["rows"]}
    assert rated["sl"]["elo"] == rated["alpha_rp"]["elo"] == 0
    for name, row in rated.items():
        assert row["elo"] == pytest.approx(elo[name], abs=60)
    assert rated["alpha_rp symmetries=4"]["won"] == pytest.approx(0.15, abs=0.02)
    words = {(verdict.stronger, verdict.weaker): verdict.word for verdict in verdicts(part, found)}
    assert {words[pair] for pair in words if pair[0].startswith("alpha")} == {REPRODUCED}
    assert {words[pair] for pair in words if pair[0].startswith("sl")} == {OPEN}


def test_accuracy_and_strength_are_compared_by_rank():
    shots = [Snapshot(Path(f"{n}.safetensors"), 100 * n, 0.1 * n) for n in (1, 2, 3, 4)]
    part = tables.accuracy("alpha_rp", shots)
    names = [row.name for row in part.rows[1:]]
    assert names[0] == "10.00% after 100 positions" and part.expected() == [(names[-1], names[0])]
    elo = {"alpha_rp": 0.0} | dict(zip(names, (-300.0, -200.0, -100.0, 0.0), strict=True))
    text = answer(part, measure(part, planted(part, elo, 50), samples=10))
    assert "As in the paper: 40.00% after 400 positions over 10.00% after 100 positions" in text
    assert "The rank correlation of validation accuracy and games won is +1.00." in text
    assert read_player(part.rows[1].player).search.policy_from == "1.safetensors"


def test_the_best_value_is_named_with_its_distance_from_the_papers():
    part = tables.parameter("c_puct", "uct")
    elo = {row.name: -20.0 * abs(row.place - 2.5) for row in part.rows}
    text = answer(part, measure(part, planted(part, elo, 40), samples=10))
    assert re.match(r"uct c_puct=2\.5 has the highest rating, \d+ Elo above uct c_puct=5, and is stronger with", text)
    elo["uct c_puct=5"] = 300.0
    text = answer(part, measure(part, planted(part, elo, 40), samples=10))
    assert re.match(r"uct c_puct=5 has the highest rating, \d+ Elo above uct c_puct=2\.5, .* of 100%\.$", text)


def test_the_two_games_of_an_opening_are_drawn_together():
    alike = [[1.0, 1.0], [0.0, 0.0]] * 50  # as if there were only half as many games
    apart = [[1.0, 0.0]] * 100
    low, high = paired_interval(alike, 4000)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.01)
    assert high - low == pytest.approx(2 * 1.96 * (0.25 / 100) ** 0.5, rel=0.08)
    assert paired_interval(apart, 100) == (0.5, 0.5)
    games = planted(tables.tree_policy("a"), {"a": 200.0, "a priors=uniform": 0.0}, 8)
    scores = pair_scores(games, "a")
    assert len(scores) == 8 and all(first == second for first, second in scores)
    assert sum(map(sum, scores)) == sum(game.score_of("a") for game in games) == 12


def games_of(folder: Path) -> list[Played]:
    return [parse_game(path.read_bytes()) for path in (folder / "games").iterdir()]


def test_a_part_from_start_to_end(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    command = ("arena.ablation", *SMALL, f"base={UCT}", "parts=c_puct,tree_policy", f"out={out}")
    done = prezero(*command, runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 parts, 22 games.")
    folder = tmp_path / "r" / "arena.ablation" / "c_puct"
    games = games_of(folder)
    part = tables.parameter("c_puct", UCT)
    assert {game.slot for game in games} == set(slots_of(part.pairs(), 1)) and len(games) == 20
    rows = {row["player"]: row for row in csv.DictReader((folder / "results.csv").open())}
    assert list(rows) == [row.name for row in part.rows] and float(rows[f"{UCT} c_puct=5"]["elo"]) == 0
    for name, row in rows.items():
        points = sum(game.score_of(name) for game in games if name in game.slot[:2])
        assert float(row["points"]) == points and row["games"] == "8"
        assert float(row["won"]) == pytest.approx(points / 8, abs=1e-4)
    pairs = list(csv.DictReader((folder / "results_pairs.csv").open()))
    assert len(pairs) == 10 and all(row["games"] == "2" for row in pairs)
    page = (folder / "results.md").read_text()
    assert page.startswith("# The parameter c_puct: the exploration constant (Extended Data Table 5)\n")
    assert "    ./prezero arena.ablation parts=c_puct scale=tiny " in page and "out=" not in page
    assert f"base='{UCT}'" in page and "20 games. 2 games of each pair, 8 simulations a move" in page
    assert "](results.svg)" in page and "No player crashed" in page and str(tmp_path) not in page
    drawn = (folder / "results.svg").read_text()
    assert "chosen in the paper" in drawn and "c_puct" in drawn
    assert {path.name for path in out.iterdir()} == {
        f"{part}{end}" for part in ("c_puct", "tree_policy") for end in (".md", ".csv", ".svg", "_pairs.csv")
    }
    assert (out / "c_puct.md").read_text() == page.replace("](results.svg)", "](c_puct.svg)")
    assert (out / "c_puct.csv").read_text() == (folder / "results.csv").read_text()
    before = {path.name: path.read_bytes() for path in (folder / "games").iterdir()}
    again = prezero(*command, runs=tmp_path)
    assert again.returncode == 0 and again.stdout.count("Done earlier") == 2
    assert (folder / "results.md").read_text() == page
    more = prezero(*command[:-2], "parts=c_puct", "games=4", runs=tmp_path)
    assert (
        more.returncode == 0
        and before.items() <= {p.name: p.read_bytes() for p in (folder / "games").iterdir()}.items()
    )
    assert len(games_of(folder)) == 40 and "40 games. 4 games of each pair" in (folder / "results.md").read_text()


def test_a_part_that_is_killed_loses_no_game_and_counts_none_twice(tmp_path):
    arguments = [*SMALL, f"base={UCT}", "parts=c_puct", "games=4"]
    folder = tmp_path / "r" / "arena.ablation" / "c_puct"
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path), "PYTHONPATH": str(ROOT)}
    program = str(ROOT / "tests" / "killed_tournament.py")
    command = [sys.executable, program, "arena.ablation", str(folder), "4", "1", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    *killed, last = map(json.loads, done.stdout.splitlines())
    assert len(killed) == 4 and not any(state["done"] for state in killed) and last["done"]
    for before, after in itertools.pairwise([*killed, last]):
        assert before["games"].items() <= after["games"].items()
    assert 0 < len(killed[-1]["games"]) < 40 == len(last["games"])
    games, part = games_of(folder), tables.parameter("c_puct", UCT)
    assert {game.slot for game in games} == set(slots_of(part.pairs(), 2))
    rows = list(csv.DictReader((folder / "results.csv").open()))
    assert [row["games"] for row in rows] == ["16"] * 5 and sum(float(row["points"]) for row in rows) == 40


@pytest.fixture
def small_run(tmp_path):
    """A run with small random networks for 5x5 and two snapshots, and two runs with other value networks."""
    stages = {"sl_policy.train/policy": "policy", "rl_policy.train/rl": "policy", "value_net.train/value": "value"}
    for seed, (name, family) in enumerate(stages.items(), 1):
        weights = random_weights(5, 4, 5, 49 if family == "value" else 48, seed=seed, family=family)
        (tmp_path / "small" / name).parent.mkdir(parents=True, exist_ok=True)
        weights.save(tmp_path / "small" / f"{name}.safetensors")
    for seed, run in ((7, "of_sl"), (8, "of_rl")):
        (tmp_path / run / "value_net.train").mkdir(parents=True)
        random_weights(5, 4, 5, 49, seed=seed, family="value").save(
            tmp_path / run / "value_net.train" / "value.safetensors"
        )
    for positions, found in ((100, 0.25), (200, 0.5)):
        weights = random_weights(5, 4, 5, seed=positions)
        write_snapshot(tmp_path / "small" / "sl_policy.train", weights, {"positions": positions, "top-1": found})
    return tmp_path


def test_parts_with_networks_play_with_those_that_are_meant(small_run):
    base = f"base=alpha_rvp {PLAIN}"
    command = ("arena.ablation", *SMALL[:-1], "weights=small", base, "simulations=4", "snapshots=small", "run=r")
    done = prezero(*command, "parts=priors,value_games,accuracy", "value_sl=of_sl", "value_rl=of_rl", runs=small_run)
    assert done.returncode == 0, done.stderr
    used = {}
    for part in ("priors", "value_games", "accuracy"):
        folder = small_run / "r" / "arena.ablation" / part
        saved = json.loads((folder / "settings.json").read_text())["players"]
        used[part] = {name: about["settings"]["weights"] for name, about in saved.items()}
        assert len(games_of(folder)) == (4 if part == "accuracy" else 2)
        assert all(not game.failed for game in games_of(folder))
    sl, rl = used["priors"].values()
    assert set(sl) == {"policy", "value"} and set(rl) == {"rl", "value"} and sl["value"] == rl["value"]
    by_rl, by_sl = used["value_games"].values()
    assert len({sl["value"], by_sl["value"], by_rl["value"]}) == 3 and by_rl["policy"] == by_sl["policy"]
    names = list(used["accuracy"])
    assert names[1:] == ["25.00% after 100 positions", "50.00% after 200 positions"]
    assert len({about["policy"] for about in used["accuracy"].values()}) == 3
    page = (small_run / "r" / "arena.ablation" / "accuracy" / "results.md").read_text()
    assert "Strength of the search by the accuracy" in page and str(small_run) not in page


def test_parts_that_cannot_be_played_are_left_out_with_their_reasons(small_run, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(small_run))
    settings = Settings(weights="small", base=f"alpha_rvp {PLAIN}", run="small")
    settings.board.size = 5
    plans, reasons = plan_all(settings)
    assert [one.part.name for one in plans] == [p for p in PARTS if p not in ("variants", "value_games")]
    assert reasons["value_games"] == "value_sl=RUN and value_rl=RUN must name two runs with a value network."
    assert (
        reasons["variants"].startswith("There is no ") and "; ./prezero rollout.train run=small" in reasons["variants"]
    )
    (small_run / "small" / "value_net.train" / "value.safetensors").unlink()
    plain = dataclasses.replace(settings, base="")
    assert ablation.usual_base(plain) == "alpha_rp"
    plans, reasons = plan_all(dataclasses.replace(settings, base=f"alpha_rp {PLAIN}", snapshots="of_sl"))
    assert set(reasons) == {"variants", "lambda_mix", "accuracy", "value_games"}
    assert "has no value network" in reasons["lambda_mix"]
    assert reasons["accuracy"] == (
        "The run of_sl has no snapshots; ./prezero sl_policy.train run=of_sl snapshots=true keeps them."
    )
    by_name = {one.part.name: one for one in plans}
    assert by_name["threads"].parallel == by_name["n_vl"].parallel == 1
    assert [player.search.threads for player in by_name["threads"].players] == [1, 2, 4, 8]
    assert {(p.simulations, p.seconds) for p in by_name["threads"].players} == {(0, 0.2)}
    assert {(p.simulations, p.seconds) for p in by_name["c_puct"].players} == {(400, 0.0)}
    shutil.rmtree(small_run / "small" / "sl_policy.train")
    with pytest.raises(UserError, match="No part can be played: variants: There is no "):
        plan_all(dataclasses.replace(settings, base=""))


def test_time_can_be_equal_where_simulations_are_usual():
    settings = Settings(base="uct", equal="seconds", seconds=0.5)
    assert {(p.simulations, p.seconds) for p in plan("c_puct", settings, "uct").players} == {(0, 0.5)}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("parts=variant",), "There is no part variant; there are variants, lambda_mix, threads, table3, "),
        (("parts=variants", "weights=nobody"), "The part variants cannot be played: There is no "),
        (
            ("parts=lambda_mix", "base=alpha_rp"),
            "The part lambda_mix cannot be played: The player alpha_rp lambda_mix=0 ",
        ),
        (("parts=priors", "base=uct"), "The part priors cannot be played: The player uct has no policy network."),
        (("parts=threads", "base=uct", "equal=simulations"), "It compares players at equal time, not with equal=simu"),
        (("parts=value_games", "value_sl=a"), "value_sl=RUN and value_rl=RUN must name two runs"),
        (
            ("parts=accuracy", "snapshots=a"),
            "The run a has no snapshots; ./prezero sl_policy.train run=a snapshots=true",
        ),
        (("parts=c_puct", "base=uct", "out=/no/where"), "out=/no/where is not a folder."),
        (("parts=c_puct", "base=nobody"), "The part c_puct cannot be played: nobody is neither a player nor a program"),
        (("seconds=0",), "seconds=0 is not above 0"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, arguments, sentence):
    done = prezero("arena.ablation", "scale=tiny", *arguments, runs=tmp_path / "runs")
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "runs").exists()
