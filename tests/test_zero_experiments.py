"""The experiments: four networks on the same games, Elo against seconds, and what defects cost."""

import shutil

import numpy as np
import pytest
from conftest import prezero
from small_networks import InProcess
from tiny_boards import area

import arena.compare
import zero.architectures
import zero.defects
from arena.compare import crossing, lineage_points, zero_points
from arena.weights_used import fingerprint
from go import Position
from go.board import BLACK, WHITE
from nets.actions import points_of
from nets.weights import Weights
from pipeline.artefact import read_json, read_manifest, write_json
from pipeline.shares import share_text
from zero.architectures import split
from zero.defects import neighbour_margin, rule_flaws
from zero.self_play import Record
from zero.window import Window, shard_of, shard_of_games, whole_window

TRAINED = (
    "preset=agz", "scale=tiny", "size=3", "threads=1", "precision=float32", "opponents=random", "evaluation_games=4",
    "net.filters=4", "net.layers=3", "play.games=16", "play.places=4", "search.simulations=4", "iterations=2",
    "evaluate_every=1", "learn.batch_size=16", "gate=0", "device=cpu",
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of runs that has a run of Zero."""
    runs = tmp_path_factory.mktemp("runs")
    done = prezero("zero.train", *TRAINED, "run=mine", runs=runs)
    assert done.returncode == 0, done.stderr
    return runs


@pytest.fixture
def run(trained, monkeypatch, capsys, tmp_path):
    """Commands in a copy of that folder."""
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return InProcess(monkeypatch, capsys, tmp_path)


def test_the_four_networks_learn_from_the_same_games_and_play(run, tmp_path):
    settings = ("run=mine", "filters=4", "res_layers=3", "conv_layers=2", "steps=6", "evaluations=2", "games=4")
    settings += ("simulations=4", "learn.batch_size=16", "threads=1", "precision=float32", "device=cpu")
    done = run(zero.architectures, *settings)
    assert done.code == 0, done.err
    metrics = read_manifest(tmp_path / "mine" / "zero.architectures")["metrics"]
    assert metrics["games"] + metrics["held out"] == 32 and metrics["held out"] == 10  # numbers 0 to 9
    assert list(metrics["networks"]) == ["sep-conv", "dual-conv", "sep-res", "dual-res"]
    for family, found in metrics["networks"].items():
        weights = Weights.load(tmp_path / "mine" / "zero.architectures" / f"{family}.safetensors")
        assert weights.description.family == family and weights.description.parameter_count() == found["parameters"]
        assert 0 <= found["accuracy"] <= 1 and 0 < found["value error"] < 4 and found["positions a second"] > 1
    assert len(metrics["matches"]) == 6 and all(count == 4 for *_, count in metrics["matches"])
    assert metrics["networks"]["sep-conv"]["Elo"] == 0 and "| dual-res " in done.out
    first, second, won, _ = metrics["matches"][0]
    assert f"| {first} | {second}" in " ".join(done.out.split()) and share_text(won, 4) in done.out
    assert not list((tmp_path / "mine" / "zero.architectures").glob("*.checkpoint*"))
    missing = run(zero.architectures, "run=none")
    assert (
        missing.code == 2 and "The run none has no games yet; ./prezero zero.train run=none makes them." in missing.err
    )


def test_held_out_games_are_not_learnt_from(run, tmp_path):
    window = whole_window("mine", read_manifest(tmp_path / "mine" / "zero.train")["settings"])
    games, held_out = split(window)
    assert games.numbers | held_out.numbers == set(range(32)) and not games.numbers & held_out.numbers
    assert held_out.numbers == set(range(10))
    for _, shard in [*games.shards, *held_out.shards]:
        for i, number in enumerate(shard.numbers.tolist()):
            source = next(other for _, other in window.shards if number in other.numbers)
            at = source.numbers.tolist().index(number)
            mine, theirs = slice(*shard.starts[i : i + 2]), slice(*source.starts[at : at + 2])
            assert np.array_equal(shard.moves[mine], source.moves[theirs])
            assert np.array_equal(shard.targets[mine], source.targets[theirs])
            assert shard.outcomes[i] == source.outcomes[at]
    both = shard_of_games(window.shards[0][1], np.array([3, 1]))
    assert (
        both.numbers.tolist() == [3, 1]
        and len(both.learnable) == both.plies == np.diff(window.shards[0][1].starts)[[3, 1]].sum()
    )


def test_zero_and_the_lineage_are_put_on_one_scale(run, tmp_path):
    """Without a lineage there is only one curve. The ratings are those of the tournament, in which everyone meets."""
    on_3x3 = ("board.size=3", "board.komi=0.5", "opening=0", "score=area")
    settings = ("run=mine", "lineage=none", "players=random", "games=2", "simulations=6", "samples=0", *on_3x3)
    done = run(arena.compare, *settings)
    assert done.code == 0, done.err
    folder = tmp_path / "mine" / "zero.compare"
    metrics = read_manifest(folder)["metrics"]
    assert [row["games"] for row in metrics["rows"]] == [16, 32] and metrics["crossing"] is None
    assert set(metrics["others"]) - {"gnugo"} == {"random"}
    count = 2 + len(metrics["others"])
    assert len(list((folder / "games").glob("*.sgf"))) == metrics["games"] == count * (count - 1)
    rated = {row["player"]: row["elo"] for row in metrics["ratings"]}
    assert {row["name"]: row["Elo"] for row in metrics["rows"]} | metrics["others"] == rated
    assert "zero after 16 games" in done.out and "Zero does not pass the lineage." in done.out
    assert (folder / "compare.svg").is_file()
    weights = read_json(folder / "settings.json")["players"]
    used = [weights[row["name"]]["settings"]["weights"]["zero"] for row in metrics["rows"]]
    assert used == [
        fingerprint(tmp_path / "mine" / "zero.train" / "networks" / f"00000{n}.safetensors") for n in (1, 2)
    ]
    for wrong, says in (
        (("run=other",), "The run other has no network of Zero, or one that still learns; ./prezero zero.train"),
        (("run=mine", "board.size=5"), "The run mine has learnt on 3x3 with komi 0.5: board.size=3 board.komi=0.5"),
    ):
        refused = run(arena.compare, *wrong)
        assert refused.code == 2 and says in refused.err


def test_points_have_the_seconds_of_all_that_they_need(run, tmp_path):
    nothing = {"games": 0, "seconds": 0.0}
    alone, late = zero_points("mine", 8, nothing), zero_points("mine", 8, {"games": 100, "seconds": 1_000.0})
    assert [point.games for point in alone] == [16, 32] and [point.games for point in late] == [116, 132]
    assert [point.seconds + 1_000 for point in alone] == [point.seconds for point in late]
    assert [point.games for point in zero_points("mine", 1, nothing)] == [32]  # the last one
    networks = tmp_path / "mine" / "zero.train" / "networks"
    (networks / "000000.safetensors").write_bytes((networks / "000001.safetensors").read_bytes())
    given = zero_points("mine", 8, {"games": 100, "seconds": 1_000.0})[0]  # what learning started from is a point, too
    assert (given.games, given.seconds) == (100, 1_000.0) and given.name == "zero after 100 games"
    assert lineage_points("none") == []
    seconds = {"data.prepare": 1.0, "rollout.train": 20.0, "sl_policy.train": 300.0}
    write_json(tmp_path / "mine" / "lineage.json", {"seconds": seconds})
    found = {point.name: point.seconds for point in lineage_points("mine")}
    assert found == {"rollout": 21.0, "sl": 301.0, "alpha_r": 21.0, "alpha_rp": 321.0}


def test_where_the_curves_cross():
    def row(curve, seconds, elo):
        return {"curve": curve, "seconds": seconds, "Elo": elo}

    lineage = [row("lineage", 10, 300), row("lineage", 100, 800)]
    assert crossing([*lineage, row("zero", 5, 400), row("zero", 50, 200), row("zero", 80, 350)]) == 80
    assert crossing([*lineage, row("zero", 200, 700)]) is None and crossing([row("zero", 5, 100)]) is None


def record(size, moves, number=0):
    position = Position(size, 0.5)
    points = [position.point(move) for move in moves]
    actions = size * size + 1
    empty = np.zeros((len(points), actions), np.float16), np.zeros(len(points), np.float16)
    owners = np.zeros(size * size, np.int8)
    return Record(number, np.array(points, np.int16), *empty, 1, 0.5, owners, 1, True, (0.0, 0.0))


def test_a_recapture_that_is_no_ko_is_found(tmp_path):
    """White takes one stone and has a chain of three in atari, which black may take at once: a snapback, no ko.

    The flawed test calls it a ko. In a real ko, both tests agree.
    """
    ko = ["B2", "C2", "A3", "D3", "B4", "C4", "C3", "B3"]
    snapback = ["A3", "A2", "B3", "B2", "C2", "pass", "C1", "pass", "A1", "B1", "A1"]
    position = Position(5)
    for move in snapback:
        position.play(move)
    assert position.captured[WHITE] == 3 and position.captured[BLACK] == 1
    for moves, wrong in ((ko, 0), (snapback, 1)):
        window = Window(tmp_path, 100)
        window.add(0, shard_of([record(5, moves, 0), record(5, ["C3", "pass", "pass"], 1)]))
        found = rule_flaws(window, 0.5, 5)
        assert (found.games, found.games_with_wrong_ko, found.wrong_kos) == (2, wrong, wrong)


def test_flaws_of_the_rules_are_those_of_a_slow_count(tmp_path):
    """Another score by direct neighbours; a recapture that is no ko: both counted on friendly positions."""
    rng = np.random.default_rng(3)
    records = []
    for number in range(60):
        position = Position(4, 0.5)
        while len(position.history) < 24 and not position.is_over:
            moves = position.legal_moves()
            position.play(int(rng.choice(moves)) if len(moves) and rng.random() > 0.05 else "pass")
        records.append(record(4, [move.point for move in position.history], number))
    window = Window(tmp_path / "w", 100)
    window.add(0, shard_of(records))
    found = rule_flaws(window, 0.5, 4)
    margins, winners, kos, games_with_kos = 0, 0, 0, 0
    for one in records:
        position, wrong = Position(4, 0.5), 0
        for move in one.moves.tolist():
            before = position.colors.copy()
            position.play(move)
            taken = np.argwhere((before > 0) & (position.colors == 0))
            if len(taken) == 1 and position.ko is None:
                point = position.point(int(points_of(4)[taken[0][0] * 4 + taken[0][1]]))
                plain = Position.from_text(str_of(position), position.to_move, superko=False)
                wrong += plain.is_legal(point)
        kos, games_with_kos = kos + wrong, games_with_kos + (wrong > 0)
        board = "".join(".XO"[color] for color in position.colors.reshape(-1))
        right, flawed = area(board, 4), by_neighbours(position.colors)
        margins, winners = margins + (right != flawed), winners + ((right > 0.5) != (flawed > 0.5))
        assert neighbour_margin(position.board, points_of(4)) == flawed
    assert (found.counted, found.other_margin, found.other_winner) == (len(records), margins, winners)
    assert (found.games_with_wrong_ko, found.wrong_kos) == (games_with_kos, kos)
    assert len(records) > 10 and margins > 3 and kos > 3


def str_of(position):
    return "\n".join(" ".join(".XO"[color] for color in row) for row in position.colors)


def by_neighbours(colors):
    size, margin = len(colors), 0
    for row, column in np.ndindex(size, size):
        seen = {int(colors[row, column])} - {0}
        if not seen:
            steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
            seen = {int(colors[r, c]) for r, c in steps if 0 <= r < size and 0 <= c < size} - {0}
        if len(seen) == 1:
            margin += 1 if seen == {BLACK} else -1
    return margin


def test_defects_are_measured_beside_the_correct_version(run, tmp_path):
    done = run(zero.defects, "run=mine", "games=12", "simulations=40", "threads=1")
    assert done.code == 0, done.err
    metrics = read_manifest(tmp_path / "mine" / "zero.defects")["metrics"]
    assert metrics["games"] == 12 and metrics["rules"]["games"] == 32
    assert metrics["won"]["inverted sign"] < 4  # it looks for the moves that lose
    assert "search: inverted sign" in done.out and "ko whenever one stone was captured" in done.out
