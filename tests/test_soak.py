"""A small soak: every part of `./prezero bench only=soak` with small counts, and what it would notice."""

import dataclasses
import json
import random
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf
from sgfmill.boards import Board

from benchmarks import soak, soak_archives, soak_flips, soak_games, soak_gtp, soak_kills
from benchmarks.gtp_lines import is_harmless, line_of
from benchmarks.gtp_reference import EITHER, NO, YES, Facts, Reference, read_words
from benchmarks.hostile_files import HEAVY, LIGHT, Grounds, hostile_files, sound_games
from benchmarks.measure import Bar
from benchmarks.soak_settings import PARTS, Section, SoakSettings
from go.player import RandomPlayer
from go.position import Position
from gtp.commands import COMMANDS as GTP_COMMANDS
from pipeline.catalogue import COMMANDS, load
from pipeline.errors import UserError
from pipeline.launch import compose


@pytest.mark.parametrize("kind", soak_flips.KINDS, ids=lambda kind: kind.name)
def test_a_changed_byte_is_refused_or_changes_nothing(kind):
    report = soak_flips.flip(kind, 24)
    assert report.faults == [] and report.outcomes.total() == 24
    assert report.outcomes[soak_flips.REFUSED] + report.outcomes[soak_flips.CORRECT] == 24


def test_a_reader_that_believes_everything_is_noticed():
    def make(folder: Path) -> list[Path]:
        (folder / "numbers.json").write_text(json.dumps({"top-1": 0.5, "moves": 1234}))
        return [folder / "numbers.json"]

    kind = soak_flips.Kind("numbers", make, lambda folder: json.loads((folder / "numbers.json").read_text()))
    found = soak_flips.flip(kind, 100).outcomes
    assert found[soak_flips.WRONG] > 5 and found[soak_flips.TRACEBACK] > 5


def test_hostile_files_are_counted_and_nothing_is_written_elsewhere():
    report = soak_archives.run_archives(2 * len(LIGHT), members=10)
    assert report.faults == []
    assert report.kinds.total() == 2 * len(LIGHT) and report.kinds.keys() >= {"linking tar", "escaping archive"}
    assert report.records > 200 and report.kept > 20 and report.refused > 10


def test_an_archive_of_very_many_members_is_counted_to_the_last(tmp_path, monkeypatch):
    grounds = Grounds(sound_games(5), members=3_000)
    for seed in range(4):
        ending, data, _ = HEAVY[-1](random.Random(seed), grounds)
        path = tmp_path / f"crowd{seed}{ending}"
        path.write_bytes(data)
        monkeypatch.setenv("PREZERO_RUNS", str(tmp_path / "runs"))
        report, names, _ = soak_archives.read_in_earnest(path, f"run{seed}")
        assert report["records"] == len(names) == 3_001 and soak_archives.fault_of(report, names, path, None) == ""


def test_a_file_that_is_written_elsewhere_is_noticed(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    with soak_archives.WATCH.only(inside) as found:
        (inside / "fine.txt").write_text("fine")
        outside.write_text("evil")
        outside.rename(tmp_path / "moved")
        (tmp_path / "moved").read_text()
    (tmp_path / "later").write_text("not watched")
    assert [entry.split()[0] for entry in found] == ["open", "os.rename", "os.rename"]
    assert found[0].endswith("outside")


def test_records_that_are_not_counted_are_noticed(tmp_path):
    path = tmp_path / "a.zip"
    names = [f"{path}/1.sgf", f"{path}/2.sgf"]
    report = {"records": 2, "kept": 1, "skipped": {"no moves": [1, names[1]]}}
    assert soak_archives.fault_of(report, names, path, 1) == ""
    assert "are named" in soak_archives.fault_of(report, names[:1], path, 1)
    assert "left out" in soak_archives.fault_of(report | {"kept": 2}, names, path, 1)
    assert "that are sound" in soak_archives.fault_of(report, names, path, 2)


def test_every_kind_of_hostile_file_is_made():
    grounds = Grounds(sound_games(20), members=3)
    light = {name for name, _ in hostile_files(len(LIGHT), grounds)}
    assert light == {maker.__name__.replace("_", " ") for maker in LIGHT}


@pytest.mark.parametrize("name", ["random", "uct", "alpha_rp"])
def test_mutated_lines_have_one_right_answer_each(name):
    (report,) = soak_gtp.run_gtp({name: 400})
    assert report.faults == []
    assert report.lines == 400 == report.accepted + report.refused + report.silent
    assert report.boards > 50 and report.mutated > 150
    assert name == "random" or report.analyses > 3


class Forgetful(RandomPlayer):
    """Chooses the first point of the board, whatever is there, every now and then."""

    sizes = (9,)

    def decide(self, position: Position):
        decision = super().decide(position)
        return decision._replace(move=position.point("A1")) if len(position.history) % 3 == 0 else decision


def test_wrong_and_missing_answers_are_noticed(monkeypatch):
    monkeypatch.setattr(soak_gtp, "PATIENCE", 2.0)
    monkeypatch.setattr(soak_gtp, "tiny_player", lambda name: Forgetful())
    wrong = soak_gtp.soak("random", 300)
    assert any("must succeed" in fault for fault in wrong.faults)  # the server refuses the player's move
    monkeypatch.setattr(soak_gtp, "tiny_player", lambda name: _Sized())
    monkeypatch.setitem(GTP_COMMANDS, "play", lambda session, arguments: "")
    stones = soak_gtp.soak("random", 200)
    assert any("the board is another one" in fault for fault in stones.faults)
    monkeypatch.setattr(soak_gtp._Output, "write", lambda self, text: "=7" in text or self.pieces.put(text))
    missing = soak_gtp.soak("random", 200)
    assert any("there is no answer" in fault or "is no answer" in fault for fault in missing.faults)


class _Sized(RandomPlayer):
    sizes = (9,)


def test_the_reference_knows_the_rules(tmp_path):
    facts = Facts("Prezero", "1", tuple(GTP_COMMANDS), (), (2, 5, 9))
    session = Reference(facts, 5, 7.5, tmp_path)
    for word in ("b B1", "w C1", "b A2", "w D2", "b B3", "w C3", "b C2"):
        assert session.expected(["play", *word.split()]) == YES
        assert session.take(["play", *word.split()], "") == ""
    assert session.take(["play", "w", "B2"], "") == ""  # takes a stone
    assert session.expected(["play", "b", "C2"]) == NO  # simple ko
    assert session.expected(["play", "w", "C2"]) == YES  # which binds the other side only
    assert session.expected(["undo"]) == YES and session.take(["undo"], "") == ""
    assert session.board.get(1, 2) == "b" and session.board.get(1, 1) is None
    for line, verdict in {
        "boardsize 9": YES, "boardsize 7": NO, "boardsize x": NO, "komi nan": NO, "komi -3e1": YES, "play b Z1": NO,
        "play b I1": NO, "play b a05": EITHER, "undo 1": NO, "fixed_handicap 2": NO, "xyzzy": NO, "loadsgf no.sgf": NO,
    }.items():  # fmt: skip
        assert session.expected(line.split()) == verdict, line
    corner = Reference(facts, 5, 7.5, tmp_path)
    for word in ("b A2", "w D4", "b B1"):
        corner.take(["play", *word.split()], "")
    assert corner.expected(["play", "w", "A1"]) == NO and corner.expected(["play", "b", "A1"]) == YES  # suicide
    assert corner.take(["genmove", "w"], "A1") == "A1 is illegal"
    assert read_words(b"\x0112\tplay\x00 b  c3 # genmove") == ["12", "play", "b", "c3"]


def test_superko_binds_the_engine(tmp_path):
    session = Reference(Facts("", "", (), (), (5,)), 5, 0, tmp_path)
    for color, word in (*(("b", w) for w in ("B1", "A2", "B3")), *(("w", w) for w in ("C1", "D2", "C3", "B2"))):
        assert session.generated(color, word) == ""
    assert session.generated("b", "C2") == ""  # takes B2
    assert session.generated("w", "pass") == "" and session.generated("b", "pass") == ""  # which lift the ko
    assert session.expected(["play", "w", "B2"]) == NO or session.ko is None
    assert session.generated("w", "B2") == "B2 is illegal"  # the stones would be as before


def test_no_line_writes_or_reads_elsewhere():
    draw = random.Random(3)
    lines = [line_of(draw, 9)[0] for _ in range(3_000)]
    assert all(is_harmless(line) and b"\n" not in line for line in lines)
    assert not is_harmless(b"printsgf /etc/passwd") and not is_harmless(b"7 printsgf game0.sgf")
    assert is_harmless(b"printsgf out1.sgf") and is_harmless(b"loadsgf game0.sgf 3")


def test_every_stage_has_tiny_settings_to_be_killed_with():
    every = {name for name, entry in COMMANDS.items() if entry.is_stage}
    stages = set(soak_kills.stages())
    assert every - stages == set(soak_kills.TIMED)
    assert stages <= soak_kills.TINY.keys(), "a new stage needs a row in benchmarks.soak_kills.TINY"
    for stage in stages:
        given = soak_kills.tiny(stage).settings
        config = compose(load(stage), [text.format(games="games.sgfs") for text in given])
        for text in given:
            name, _, value = text.format(games="games.sgfs").partition("=")
            assert str(OmegaConf.select(config, name)) == value, f"{stage} has no setting {text}"


def test_a_killed_stage_ends_as_an_unbroken_one():
    (report,) = soak_kills.run_kills(3, seed=2, chosen=("go.random_play",))
    assert report.faults == [] and report.kills == 3 and 1 <= report.trials <= 12


def test_results_that_differ_are_noticed(tmp_path):
    for name, seconds, top1 in (("a", 1.0, 0.5), ("b", 2.0, 0.5), ("c", 1.0, 0.6)):
        folder = tmp_path / name
        folder.mkdir()
        metrics = {"metrics": {"seconds": seconds, "results": [{"top1": top1}]}, "checksum": name}
        (folder / "manifest.json").write_text(json.dumps(metrics))
        (folder / "metrics.jsonl").write_text(json.dumps({"loss": top1, "seconds": seconds}) + "\n")
        (folder / "games.npy").write_bytes(b"games")
    a, b, c = (soak_kills.results(tmp_path / name) for name in "abc")
    assert soak_kills.differences(b, a) == []
    assert soak_kills.differences(c, a) == ["manifest.json is another", "metrics.jsonl is another"]
    (tmp_path / "b" / ".manifest.json.123").write_text("left")
    (tmp_path / "b" / "games.npy").unlink()
    found = soak_kills.differences(soak_kills.results(tmp_path / "b"), a)
    assert found == ["games.npy is missing", ".manifest.json.123 is left over"]


def test_games_on_small_boards_are_legal(monkeypatch):
    monkeypatch.setattr(soak_games, "SIZES", range(2, 8))
    report = soak_games.run_games(18)
    assert report.faults == [] and report.sizes == dict.fromkeys(range(2, 8), 3)
    assert report.moves > 200 and report.captures > 10 and len(report.memory) == 3


def test_referees_notice_other_stones():
    position, referee = Position(5), soak_games.Referee(5, 7.5, None)
    referee.see(position.play("C3"), None, 0.0)
    referee.board = Board(5)
    referee.board.play(0, 0, "w")
    with pytest.raises(soak_games.RefereeError, match="other stones"):
        referee.see(position.play("D4"), None, 0.0)
    with pytest.raises(soak_games.RefereeError, match="sgfmill counts"):
        referee.count(position)


def test_growing_memory_is_seen():
    steady = soak_games.Report({}, {}, 0, 0, 0, [100.0] * 8, 0.0, [])
    assert steady.growth() == 1.0
    assert np.isclose(steady._replace(memory=[100.0] * 4 + [150.0] * 4).growth(), 1.5)


def test_parts_are_kept_if_that_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    calls = []

    def section(settings: SoakSettings) -> Section:
        calls.append(settings.flips)
        return Section("| a |", [Bar("flips: faults", 1, 0, at_most=True, unit="")], ["byte 3:\nwrong"])

    monkeypatch.setattr(soak_flips, "section", section)
    settings = SoakSettings(part="flips", flips=7)
    page, bars = soak.run(settings)
    assert "soak.part=flips soak.flips=7 soak.seed=1`" in page and "1 faults:\n\n- byte 3: wrong" in page
    assert not bars[0].is_met
    assert soak.run(dataclasses.replace(settings, keep=True)) == (page, bars) and calls == [7]
    soak.run(dataclasses.replace(settings, keep=True, flips=8))
    soak.run(dataclasses.replace(settings, flips=8))
    assert calls == [7, 8, 8]
    kept = tmp_path / "bench" / "soak" / "flips.json"
    kept.write_text(kept.read_text().replace("byte 3", "byte 4"))
    with pytest.raises(UserError, match="is damaged"):
        soak.run(dataclasses.replace(settings, keep=True, flips=8))


def test_every_part_has_a_section():
    for part in PARTS:
        module = __import__(f"benchmarks.soak_{part}", fromlist=["section"])
        assert callable(module.section) and module.__doc__.strip()
        assert soak.key_of(part, SoakSettings()).keys() > {"seed"}
