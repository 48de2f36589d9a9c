"""`data.prepare` as a user meets it: reports, filters, many sources, resuming after a kill, and bad input."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, prezero
from random_games import random_record

from data.filters import EXCLUDE_PRESETS
from data.prepare import NAMED_SOURCES, files_for
from data.record import to_sgf
from data.store import GameStore
from go.board import BLACK, EMPTY, WHITE
from pipeline.artefact import alone_in
from pipeline.errors import UserError

CORPUS = ROOT / "data" / "corpus" / "expert9.zip"


def sgf(seed: int, size: int = 5, header: bytes = b"", plies: int = 20) -> bytes:
    """A game on one line, as in a `.sgfs` file."""
    return to_sgf(random_record(size, plies, seed)).replace(b"\n", b"").replace(b"FF[4]", b"FF[4]" + header)


def pack_tar(mode: str, members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture
def pile(tmp_path):
    """What people have: a folder with archives of all kinds and a few things that are no games."""
    folder = tmp_path / "pile"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "one.sgf").write_bytes(sgf(1, header=b"RE[B+R]"))
    (folder / "deep" / "er" / "two.SGF").write_bytes(sgf(2))
    (folder / "many.sgfs").write_bytes(b"\n".join([sgf(3), sgf(4), b"", sgf(1)]))
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("../../escape.sgf", sgf(5))
        archive.writestr("readme.txt", "hello")
    for number, kind in enumerate(("gz", "bz2", "xz")):
        (folder / f"b.tar.{kind}").write_bytes(pack_tar(f"w:{kind}", {f"x/{kind}.sgf": sgf(6 + number)}))
    (folder / "page.sgf").write_bytes(b"<html><body>404</body></html>")
    (folder / "large.sgf").write_bytes(sgf(9, size=9))
    (folder / "empty.sgf").write_bytes(b"")
    (folder / "broken.zip").write_bytes(b"PK\3\4 nothing")
    for name in ("torn.sgf", "torn-copy.sgf"):
        (folder / name).write_bytes(sgf(10)[:-20])
    os.mkfifo(folder / "pipe.sgf")  # whoever opens it waits for ever
    Path(os.fsdecode(bytes(folder) + b"/no-\xff-text.sgf")).write_bytes(sgf(11))
    return folder


def test_a_pile_becomes_a_store_with_a_report_of_everything(pile, tmp_path):
    done = prezero("data.prepare", f"sources={pile}", "board=5x5", "run=pile", runs=tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "runs" / "pile" / "data.prepare"
    report = json.loads((folder / "report.json").read_text())
    counts = {reason: number for reason, (number, _) in report["skipped"].items()}
    assert counts == {
        "another board size": 1,
        "no SGF data": 2,
        "file or archive damaged or unreadable": 2,
        "not a game record by its name": 1,
        "the same game as an earlier one": 2,
    }
    assert report["kept"] == 10 and report["flawed"]["torn file"][0] == 1
    assert "torn-copy.sgf" in report["flawed"]["torn file"][1]
    assert "large.sgf" in report["skipped"]["another board size"][1]
    assert report["records"] == report["kept"] + sum(counts.values()) == 18
    for reason, (number, example) in report["skipped"].items():
        assert re.search(rf"\| left out: {reason} +\| +{number} \| .*{re.escape(example[-20:])}", done.stdout)
    store = GameStore(folder)
    assert len(store) == 10 and sorted(store.games["winner"].tolist()) == [-1] * 9 + [BLACK]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pile", "runs"]  # nothing escaped
    assert {path.name for path in folder.iterdir()} == {
        *(
            "games.npy",
            "moves.npy",
            "setup.npy",
            "texts.npy",
            "store.json",
            "report.json",
            "manifest.json",
            "skipped.csv",
        )
    }
    with (folder / "skipped.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["reason"], row["record"].removeprefix(f"{pile}/")) for row in rows} == {
        ("another board size", "large.sgf"),
        ("no SGF data", "page.sgf"),
        ("no SGF data", "empty.sgf"),
        ("file or archive damaged or unreadable", "broken.zip"),
        ("file or archive damaged or unreadable", "pipe.sgf"),
        ("not a game record by its name", "a.zip/readme.txt"),
        ("the same game as an earlier one", "many.sgfs:4"),
        ("the same game as an earlier one", "torn.sgf"),
    }
    assert len(rows) == 8 and [row["detail"] for row in rows if "pipe.sgf" in row["record"]] == ["not a regular file"]


def test_sources_may_be_many_and_patterns(pile, tmp_path):
    arguments = ("data.prepare", "board=5x5", "workers=1", "run=some")
    done = prezero(*arguments, f"sources={pile}/one.sgf,{pile}/b.tar.*,{pile}/deep", runs=tmp_path / "runs")
    assert done.returncode == 0 and "5 records read, 5 games kept." in done.stdout, done.stdout + done.stderr


def test_a_file_of_several_games_counts_as_several_records(tmp_path):
    (tmp_path / "three.sgf").write_bytes(sgf(1) + sgf(2) + b"(;SZ[5])")
    arguments = ("board=5x5", f"sources=embedded,{tmp_path}/three.sgf", "run=three", "workers=1")
    done = prezero("data.prepare", *arguments, runs=tmp_path / "runs")
    assert "5,071 records read, 2 games kept." in done.stdout, done.stdout + done.stderr
    assert re.search(r"left out: another board size +\| 5,068 \|", done.stdout)
    assert re.search(r"left out: no moves +\| +1 \| .*three.sgf game 3 \|", done.stdout)


def test_known_bots_are_excluded_by_one_word(tmp_path):
    (tmp_path / "games.sgfs").write_bytes(b"\n".join([sgf(1, header=b"PB[petgo3]"), sgf(2, header=b"PB[me]")]))
    arguments = ("board=5x5", f"sources={tmp_path}/games.sgfs", "exclude=bots", "workers=1", "run=people")
    done = prezero("data.prepare", *arguments, runs=tmp_path)
    assert "2 records read, 1 games kept." in done.stdout and "left out: player excluded" in done.stdout, done.stderr
    manifest = json.loads((tmp_path / "people" / "data.prepare" / "manifest.json").read_text())
    assert manifest["settings"]["exclude"] == EXCLUDE_PRESETS["bots"]  # another list is another result


def test_a_damaged_corpus_is_one_sentence(tmp_path, monkeypatch):
    corpus = bytearray(CORPUS.read_bytes())
    corpus[len(corpus) // 2] ^= 1
    (tmp_path / "expert9.zip").write_bytes(corpus)
    assert files_for("embedded") == [CORPUS]
    monkeypatch.setitem(NAMED_SOURCES, "embedded", tmp_path / "expert9.zip")
    with pytest.raises(UserError, match=r"expert9.zip is damaged; take it anew from where Prezero came from\."):
        files_for("embedded")


def test_two_runs_at_once_do_not_mix_their_games(tmp_path):
    folder = stage(tmp_path)
    with alone_in(folder):
        done = prezero("data.prepare", "run=mine", runs=tmp_path)
    assert done.returncode == 2 and "Another command is at work in" in done.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("damage", ["{}", "[]", '{"key": 1}', "3"])
def test_damaged_progress_is_one_sentence(tmp_path, damage):
    folder = stage(tmp_path)
    (folder / "progress.json").write_text(damage)
    done = prezero("data.prepare", "run=mine", "workers=1", runs=tmp_path)
    assert done.returncode in (0, 2) and "Traceback" not in done.stderr
    sentence = r"progress.json is (damaged, or of an earlier version|not what we wrote); remove it to begin anew\."
    assert done.returncode == 0 or re.search(sentence, done.stderr)


def test_a_folder_in_the_way_is_one_sentence(tmp_path):
    (stage(tmp_path) / "moves.draft").mkdir()
    done = prezero("data.prepare", "run=mine", "workers=1", runs=tmp_path)
    assert done.returncode == 2 and "moves.draft cannot be used: Is a directory." in done.stderr


def stage(runs: Path) -> Path:
    folder = runs / "mine" / "data.prepare"
    folder.mkdir(parents=True)
    return folder


def test_the_result_depends_neither_on_the_workers_nor_on_the_name_of_the_folder(pile, tmp_path):
    (pile / "pipe.sgf").unlink()
    shutil.copytree(pile, tmp_path / "copy")
    manifests = []
    for run, source, workers in (("a", pile, 1), ("b", tmp_path / "copy", 2)):
        done = prezero(
            "data.prepare", "board=5x5", f"sources={source}", f"workers={workers}", f"run={run}", runs=tmp_path / "runs"
        )
        assert done.returncode == 0, done.stderr
        manifests.append(json.loads((tmp_path / "runs" / run / "data.prepare" / "manifest.json").read_text()))
    assert manifests[0]["settings"] == manifests[1]["settings"]
    stores = [GameStore(tmp_path / "runs" / run / "data.prepare") for run in "ab"]
    assert (stores[0].moves == stores[1].moves).all() and (stores[0].games["key"] == stores[1].games["key"]).all()


def test_a_second_run_reads_nothing_anew_and_other_settings_are_refused(pile, tmp_path):
    arguments = ("data.prepare", f"sources={pile}", "board=5x5", "run=pile")
    first = prezero(*arguments, runs=tmp_path / "runs")
    second = prezero(*arguments, runs=tmp_path / "runs")
    assert second.returncode == 0 and second.stdout.startswith("Done earlier, by version ")
    assert second.stdout.partition("\n\n")[2] == first.stdout
    third = prezero(*arguments, "min_moves=5", runs=tmp_path / "runs")
    assert third.returncode == 2 and "holds the results of other settings" in third.stderr
    (pile / "a.zip").rename(pile / "a.txt")  # it is no longer read as an archive
    renamed = prezero(*arguments, runs=tmp_path / "runs")
    assert renamed.returncode == 2 and "holds the results of other settings" in renamed.stderr
    (pile / "a.txt").rename(pile / "a.zip")
    assert prezero(*arguments, runs=tmp_path / "runs").returncode == 0
    (pile / "new.sgf").write_bytes(sgf(12))
    fourth = prezero(*arguments, runs=tmp_path / "runs")
    assert fourth.returncode == 2 and "holds the results of other settings" in fourth.stderr


def test_games_stay_in_their_part_when_others_are_added(tmp_path):
    few, many = ([sgf(seed, 9, plies=40) for seed in range(count)] for count in (60, 150))
    parts = []
    for run, games in (("few", few), ("many", many[::-1])):
        (tmp_path / f"{run}.sgfs").write_bytes(b"\n".join(games))
        arguments = (f"sources={tmp_path / run}.sgfs", "validation=0.2", "test=0.2", "workers=1", f"run={run}")
        assert prezero("data.prepare", *arguments, runs=tmp_path).returncode == 0
        store = GameStore(tmp_path / run / "data.prepare")
        parts.append(dict(zip(store.games["key"].tolist(), store.games["split"].tolist(), strict=True)))
    assert len(parts[0]) == 60 and set(parts[0].values()) == {0, 1, 2}
    assert parts[0].items() <= parts[1].items() and len(parts[1]) == 150


def killed_and_finished(tmp_path, how: signal.Signals) -> tuple[str, int]:
    """Stop a run with a signal after its first checkpoint, then finish it; return what it said, and what is left."""
    for number in range(4):
        shutil.copy(CORPUS, tmp_path / f"part{number}.zip")
    command = [sys.executable, "-m", "pipeline", "data.prepare", f"sources={tmp_path}/part*.zip", "run=killed"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "PREZERO_RUNS": str(tmp_path)},
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    progress = tmp_path / "killed" / "data.prepare" / "progress.json"
    while not progress.exists() and process.poll() is None:
        time.sleep(0.02)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        os.kill(process.pid, how)
    _, said = process.communicate(timeout=60)
    saved = json.loads(progress.read_text())["tally"]["items"]
    done = prezero("data.prepare", f"sources={tmp_path}/part*.zip", "run=killed", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not progress.exists()
    left_out = (tmp_path / "killed" / "data.prepare" / "skipped.csv").read_text().splitlines()[1:]
    assert len(set(left_out)) == len(left_out) == 4 * 5_068 - 5_065  # each record once, whatever was read twice
    return said, saved


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_goes_on_where_it_was(tmp_path, how):
    said, saved = killed_and_finished(tmp_path, how)
    assert 0 < saved < 4 * 5068
    assert "Traceback" not in said
    if how == signal.SIGINT:
        assert said.count("prezero: stopped; run the same command again to go on.") == 1
    folder = tmp_path / "killed" / "data.prepare"
    report = json.loads((folder / "report.json").read_text())
    assert (report["records"], report["kept"]) == (4 * 5068, 5065)
    assert report["skipped"]["the same game as an earlier one"][0] == 3 * 5068 + 3
    single = prezero("data.prepare", f"sources={tmp_path}/part0.zip", "run=single", runs=tmp_path)
    assert single.returncode == 0
    one, other = GameStore(folder), GameStore(tmp_path / "single" / "data.prepare")
    assert one.about["fingerprint"] == other.about["fingerprint"]


def test_no_worker_outlives_a_killed_parent(tmp_path):
    """A worker asks nobody, so it must notice by itself that its parent is gone."""
    program = (
        "import os, signal\nfrom pipeline.workers import in_order\n"
        "if __name__ == '__main__':\n"
        "    pids = in_order(os.getpid, iter([()] * 40), 2)\n"
        "    print(next(pids), next(pids), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL
    workers = {int(pid) for pid in done.stdout.split()}
    deadline = time.monotonic() + 30
    while workers and time.monotonic() < deadline:
        workers = {pid for pid in workers if is_running(pid)}
        time.sleep(0.05)
    assert not workers


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sources="], "There are no games to read: name them with sources=FILE, or take sources=embedded."),
        (["sources=missing.sgf"], "There is no file, folder or match for missing.sgf."),
        (["sources=*.nothing"], "There is no file, folder or match for *.nothing."),
        (["validation=1"], "validation=1 is not at least 0 and below 1."),
        (["validation=0.5", "test=0.5"], "validation and test together leave nothing to train on."),
        (["workers=-1"], "workers=-1 is not between 0 and 256."),
        (["min_rank=good"], "min_rank=good is no rank: 6d, 2k, 1p, or a rating such as 2000."),
        (["exclude=("], "exclude=( is not a pattern (regular expression): missing ), unterminated subpattern"),
        (["board.size=1"], "board.size=1 is not between 2 and 19."),
        (["board=13x13"], "None of 5,068 records is kept: 5,068 are left out for 'another board size' ("),
        (["scale=paper"], "sources=kgs has not been downloaded yet: ./prezero data.download does that"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, arguments, sentence):
    done = prezero("data.prepare", *arguments, runs=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"prezero: {sentence}")


def test_the_embedded_corpus_is_what_its_card_says(tmp_path):
    done = prezero("data.prepare", "scale=tiny", runs=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "5,068 records read, 5,065 games kept." in done.stdout
    assert re.search(r"\| left out: the same game as an earlier one \| +3 \| ", done.stdout)
    store = GameStore(tmp_path / "tiny" / "data.prepare")
    games = store.games
    assert store.size == 9 and set(games["komi"]) == {7} and not games["flaw"].any() and not games["handicap"].any()
    winners = [int((games["winner"] == winner).sum()) for winner in (BLACK, WHITE, EMPTY)]
    assert sum(winners) == 5065 and winners == [2222 - 3, 2425, 421]
    card = (ROOT / "data" / "corpus" / "README.md").read_text()
    assert "5,068 games" in card and "319,256 moves" in card
    assert int((store.moves & 511 > 0).sum()) == 319_111  # 145 moves are those of the three games
