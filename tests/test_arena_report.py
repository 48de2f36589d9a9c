"""The ladder and the report of a run: figures as in the manifests and games, offline, hostile names, kills."""

import html
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import webbrowser
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT, prezero
from sgfmill import sgf
from small_run import HOSTILE, LADDER, METRICS, RUN, make_run

from arena import report, report_data
from arena.game_file import parse_game, read_evaluations
from arena.report_page import axis
from arena.scores import tally
from go.board import BLACK
from go.coordinates import GTP_COLUMNS, gtp_from_point
from go.position import Position
from go.sgf import read_sgf
from pipeline.artefact import read_json
from pipeline.lineage import read_times

REPORT = ("arena.report", f"run={RUN}", "scale=tiny", "simulations=40", "games=3")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A run with its ladder and its report."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PREZERO_RUNS", str(folder))
        make_run()
    for command in (("arena.ladder", f"run={RUN}", "scale=tiny", *LADDER), REPORT):
        done = prezero(*command, runs=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def ladder(runs) -> dict:
    return read_json(runs / RUN / "arena.ladder" / "manifest.json")


@pytest.fixture(scope="module")
def text(runs) -> str:
    return (runs / RUN / "arena.report" / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def games(runs) -> dict:
    files = (runs / RUN / "arena.ladder" / "games").glob("*.sgf")
    return {played.slot: (played, path) for path in files if (played := parse_game(path.read_bytes()))}


class Cells(HTMLParser):
    """The texts of a page: of table cells, row by row, and of elements by their class."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.by_class: dict[str, list[str]] = {}
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.open: list[tuple[str, list[str], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found["id"]} if "id" in found else set()
        self.links += [found["href"]] if tag == "a" else []
        if tag == "tr":
            self.rows.append([])
        if tag not in ("meta", "img", "br", "input", "path", "use", "circle", "rect"):
            self.open.append((tag, (found.get("class") or "").split(), []))

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)

    def handle_endtag(self, tag):
        while self.open:
            name, classes, texts = self.open.pop()
            for each in classes:
                self.by_class.setdefault(each, []).append("".join(texts))
            if name in ("td", "th"):
                self.rows[-1].append("".join(texts))
            if name == tag:
                return


@pytest.fixture(scope="module")
def cells(text) -> Cells:
    return Cells(text)


def test_the_ladder_is_played_with_the_weights_of_the_run(runs, ladder):
    assert ladder["metrics"]["games"] == 5 * 4 and ladder["metrics"]["missing"] == ["nobody"]
    assert {row["player"] for row in ladder["metrics"]["ratings"]} >= {"alpha_rvp", "rollout", HOSTILE}
    settings = read_json(runs / RUN / "arena.ladder" / "settings.json")["players"]
    for name in ("alpha_p", "alpha_rvp"):
        assert settings[name]["settings"]["run"] == RUN
    assert set(settings["alpha_rvp"]["settings"]["weights"]) == {"rollout", "tree", "policy", "value"}
    assert [made["stage"] for made in ladder["inputs"]] == ["rollout.train", *METRICS]
    status = prezero("status", f"run={RUN}", "scale=tiny", runs=runs).stdout
    assert re.search(r"\| arena.ladder +\| done", status) and re.search(r"\| arena.report +\| done", status)


def test_the_ladder_of_the_page_is_that_of_the_manifest(cells, text, ladder):
    ratings = ladder["metrics"]["ratings"]
    assert cells.by_class["name"] == [row["player"] for row in ratings]
    assert cells.by_class["elo"] == [f"{row['elo']:.0f} [{row['low']:.0f}; {row['high']:.0f}]" for row in ratings]
    kinds = {"rollout": "pattern", "alpha_p": "network", HOSTILE: "classic"}
    assert re.findall(r'<div class="track (\w+)" title', text) == [
        kinds.get(row["player"], "search") for row in ratings
    ]
    assert ladder["metrics"]["remarks"] in " ".join(cells.by_class["small"])
    assert "Not installed, and so not in the ladder: nobody." in " ".join(cells.by_class["small"])


def test_intervals_are_drawn_where_they_are(text, ladder):
    ratings = ladder["metrics"]["ratings"]
    spans = [tuple(map(float, pair)) for pair in re.findall(r'<u style="left:([\d.]+)%;width:([\d.]+)%"', text)]
    dots = list(map(float, re.findall(r'<b style="left:([\d.]+)%"', text)))
    low, high = min(row["low"] for row in ratings), max(row["high"] for row in ratings)
    scale = 100 / (1.08 * (high - low))
    for row, (left, width), dot in zip(ratings, spans, dots, strict=True):
        assert left == pytest.approx((row["low"] - low) * scale + 4 / 1.08, abs=0.02)
        assert width == pytest.approx((row["high"] - row["low"]) * scale, abs=0.02)
        assert dot == pytest.approx((row["elo"] - low) * scale + 4 / 1.08, abs=0.02)
    assert axis(-130, 940) == [0, 200, 400, 600, 800] and axis(10, 90) == [50]


def test_the_cross_table_counts_the_games(cells, ladder, games):
    names = [row["player"] for row in ladder["metrics"]["ratings"]]
    header = next(number for number, row in enumerate(cells.rows) if row == ["", *names])
    for name, row in zip(names, cells.rows[header + 1 : header + 1 + len(names)], strict=True):
        assert row[0] == name
        for other, shown in zip(names, row[1:], strict=True):
            if other == name:
                assert shown == "–"
                continue
            won = 0.0
            for black, white in ((name, other), (other, name)):
                result = sgf.Sgf_game.from_bytes(games[black, white, 1][1].read_bytes()).get_winner()
                won += 0.5 if result is None else (result == "b") == (black == other)
            assert shown.startswith(f"{50 * won:.0f}["), (name, other)


def test_the_papers_numbers_stand_next_to_ours(cells, ladder, games):
    rows = {row[0]: row[1:] for row in cells.rows if row}
    assert rows["moves found by the rollout policy"][:2] == ["24.2%", "32.2%"]
    assert rows["features of the tree policy"][:2] == ["141,989", "2,345"]
    assert rows["moves found by the SL policy network"][0].startswith("55.4% (match network), 57.0%")
    assert rows["moves found by the SL policy network"][1] == "50.8%"
    assert rows["games that the RL policy wins against the SL policy"][1].startswith("61.0% [")
    assert rows["mean squared error of the value network, train"][:2] == ["0.226", "0.457"]
    assert rows["mean squared error of the value network, test"][:2] == ["0.234", "0.568"]
    elo = {row["player"]: row["elo"] for row in ladder["metrics"]["ratings"]}
    below = [row for row in cells.rows if row and row[0] == "alpha_rp" and row[1] == "-474"]
    assert [row[2] for row in below] == [f"{elo['alpha_rp'] - elo['alpha_rvp']:+.0f}"]
    share = tally([played for played, _ in games.values()], "alpha_rvp", "alpha_rp").share
    assert rows["alpha_rvp against alpha_rp"][0] == "95 [93;96]"
    assert rows["alpha_rvp against alpha_rp"][1].startswith(f"{100 * share:.0f} [")
    cards = " ".join(cells.by_class["card"])
    assert "SL policy network50.8%paper: 55.4%" in cards and "value network, test0.568paper: 0.234" in cards


def test_stages_and_commands_are_exact(cells, text):
    rows = {row[0]: row[1:] for row in cells.rows if row}
    assert rows["value_net.train"][-1] == "the result of value_net.train & <more>"
    commands = html.unescape(text)
    quoted = "'run=a <b>run & \"more\"'"
    assert f"./prezero lineage {quoted} scale=tiny\n" in commands.replace("</pre>", "\n")
    assert f"./prezero sl_policy.train {quoted} scale=tiny net.filters=7 seed=3\n" in commands
    assert f"./prezero rl_policy.train {quoted} scale=tiny\n" in commands
    played = re.search(r"\./prezero arena\.ladder .*", commands)[0]
    for setting in (
        "board.size=5",
        "opening=2",
        "simulations=9",
        "format=round_robin",
        "samples=20",
        'engines=gnugo command="nobody-has-this --gtp" name=nobody',
    ):
        assert setting in played, setting


def test_the_page_needs_nothing_from_elsewhere_and_escapes_names(text):
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"'<]*", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG, which nobody asks for
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b|@import|\bsrc=[\"']|url\((?!#)", text, re.IGNORECASE)
    assert HOSTILE not in text and html.escape(HOSTILE) in text
    assert RUN not in text and html.escape(RUN) in text
    scripts = re.findall(r"<script\b[^>]*>", text)
    assert scripts == ['<script type="application/json">'] * 7 + ['<script type="module">'] * 2
    assert text.count("</script") == len(scripts)


def test_plots_are_in_the_page_once_and_apart(text):
    plots = re.findall(r'<div class="plot">(<svg.*?</svg>)', text, re.DOTALL)
    assert len(plots) == 4 and all('role="img" aria-label="' in plot for plot in plots)
    assert not any("<style" in plot or "<metadata" in plot or "xmlns" in plot for plot in plots)
    names = [name for plot in plots for name in re.findall(r'\bid="([^"]+)"', plot)]
    assert len(names) == len(set(names))  # the same drawing four times, without the same name twice
    used = {name for plot in plots for name in re.findall(r'(?:href="#|url\(#)([^")]+)', plot)}
    assert used <= set(names)


def final_rows(path: Path) -> list[str]:
    colors = read_sgf(path, 7.5).colors
    return ["".join(".XO"[0 if not c else 1 if c == BLACK else 2] for c in row) for row in colors]


def test_the_page_works_in_a_browser(browser, runs, ladder, games, text):
    path = runs / RUN / "arena.report" / "report.html"
    browser.errors.clear()
    browser.requests.clear()
    browser.open(path)
    assert browser.run("document.querySelectorAll('svg.go-wood').length") == 7  # a game and six views
    assert browser.run("document.querySelectorAll('[data-go] .go-error').length") == 0
    slots = read_json(runs / RUN / "arena.report" / "manifest.json")["metrics"]["games"]
    assert len(slots) == 3 and {slot[2] for slot in slots} == {1}
    names = browser.run("[...document.querySelectorAll('.go-choice option')].map((e) => e.textContent)")
    for number, (black, white, opening) in enumerate(slots):
        played, file = games[black, white, opening]
        assert names[number] == f"{black} – {white}, {played.result}"
        browser.run(f"document.querySelector('[data-go=games]').go.choose({number})")
        player = "document.querySelector('[data-go=games]').go.player"
        assert browser.run(f"{player}.length") == played.moves
        browser.click(".go-last")
        drawn = [["."] * 5 for _ in range(5)]
        for point, color in browser.run(f"[...{player}.board.stones]"):
            drawn[5 - int(point[1:])][GTP_COLUMNS.index(point[0])] = "X" if color == "black" else "O"
        assert ["".join(row) for row in drawn] == final_rows(file)
        said = [found for found in read_evaluations(file.read_bytes()) if found.win_rate is not None]
        for color, name in ((1, black), (2, white)):
            values = browser.run(f"{player}.game.curves.find((c) => c.name === {json.dumps(name)})?.values ?? []")
            mine = [(e.ply + 1, e.win_rate if color == 1 else 1 - e.win_rate) for e in said if e.color == color]
            assert [at for at, _ in values] == [at for at, _ in mine]
            assert [value for _, value in values] == pytest.approx([value for _, value in mine], abs=1e-4)
    for link in browser.run("[...document.querySelectorAll('nav a')].map((e) => e.getAttribute('href'))"):
        assert browser.run(f"document.querySelector({json.dumps(link)}) !== null"), link
    browser.click("nav a[href='#views']")
    for width in (360, 1200):
        browser.resize(width, 800)
        assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.errors == [] and browser.requests == [path.resolve().as_uri()]


def test_the_six_views_are_those_of_the_search(browser, runs, games):
    boards = "[...document.querySelectorAll('.views [data-go]')].map((e) => e.go.spec)"
    browser.open(runs / RUN / "arena.report" / "report.html")
    views = browser.run(boards)
    assert [view["title"][0] for view in views] == list("abcdef")
    stones = views[0]["rows"]
    title = read_json(runs / RUN / "arena.report" / "manifest.json")["metrics"]["position"]
    ply, black, white = re.fullmatch(r"After move (\d+) of (.*) – (.*)", title).groups()
    position = Position(5)
    for move in read_sgf(games[black, white, 1][1], 7.5).history[: int(ply)]:
        position.play(move.point)
    assert stones == ["".join(".XO"[0 if not c else 1 if c == BLACK else 2] for c in row) for row in position.colors]
    legal = {gtp_from_point(int(move), 5) for move in position.legal_moves()}
    for view in views[:5]:
        assert set(view["heat"]["values"]) <= legal and all(0 <= v <= 1 for v in view["heat"]["values"].values())
    priors, visits = (sum(view["heat"]["values"].values()) for view in views[3:5])
    assert 0.5 < visits <= 1.001 and 0.5 < priors <= 1.001
    assert set(views[5]["labels"].values()) <= {str(number) for number in range(1, 50)}


def test_a_report_is_made_anew_only_if_something_changed(runs):
    path = runs / RUN / "arena.report" / "report.html"
    before = path.stat().st_mtime_ns
    again = prezero(*REPORT, runs=runs)
    assert again.returncode == 0 and "Done earlier" in again.stdout and path.stat().st_mtime_ns == before
    other = prezero(*REPORT[:-1], "games=2", runs=runs)
    assert other.returncode == 0 and "2 games to click through" in other.stdout
    path.unlink()  # as after a kill before it was written
    whole = prezero(*REPORT, runs=runs)
    assert whole.returncode == 0 and path.is_file() and "3 games to click through" in whole.stdout


def test_open_opens_the_page(runs, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    assert prezero(*REPORT, "open=true", runs=runs).returncode == 0
    assert opened == [(runs / RUN / "arena.report" / "report.html").resolve().as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert "No browser was found" in prezero(*REPORT, "open=true", runs=runs).stdout


def test_what_is_missing_is_one_sentence(tmp_path, monkeypatch, runs, games):
    none = prezero("arena.report", "run=none", runs=tmp_path)
    assert none.returncode == 2
    assert none.stderr == (
        "prezero: The run none has no ladder to report on; ./prezero arena.ladder run=none plays it.\n"
    )
    none = prezero("arena.ladder", "run=none", runs=tmp_path)
    assert none.stderr == (
        "prezero: The run none has no results of rollout.train; ./prezero rollout.train run=none makes them.\n"
    )
    monkeypatch.setenv("PREZERO_RUNS", str(runs))
    file = next(iter(games.values()))[1]
    data = file.read_bytes()
    try:
        file.write_bytes(b"(;GM[1])")
        damaged = prezero(*REPORT, runs=runs)
        assert damaged.returncode == 2 and "is not a game as we wrote it; remove it" in damaged.stderr
        file.unlink()
        lacking = prezero(*REPORT, runs=runs)
        assert lacking.returncode == 2 and "lacks 1 games of the ladder" in lacking.stderr
    finally:
        file.write_bytes(data)


def test_a_player_without_a_search_has_no_six_views(runs):
    done = prezero(*REPORT, "searcher=sl", runs=runs)
    assert done.returncode == 2 and "searcher=sl does not search, so it has no six views" in done.stderr


def test_a_killed_ladder_goes_on_and_keeps_its_games(tmp_path, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(tmp_path))
    make_run("r")
    arguments = ("arena.ladder", "run=r", "scale=tiny", *LADDER, "players=rollout,random", "games=24")
    environment = {**os.environ, "PREZERO_RUNS": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL
    )
    folder = tmp_path / "r" / "arena.ladder" / "games"
    while process.poll() is None and len(list(folder.glob("*.sgf"))) < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.read_bytes() for path in folder.glob("*.sgf")}
    assert len(before) >= 5 and not (tmp_path / "r" / "arena.ladder" / "manifest.json").exists()
    done = prezero(*arguments, runs=tmp_path)
    assert done.returncode == 0, done.stderr
    after = {path.name: path.read_bytes() for path in folder.glob("*.sgf")}
    assert len(after) == 24 and before.items() <= after.items()
    more = prezero(*arguments[:-1], "games=26", runs=tmp_path)
    assert more.returncode == 0 and len(list(folder.glob("*.sgf"))) == 26


def test_sample_games_are_those_worth_seeing(runs, monkeypatch):
    monkeypatch.setenv("PREZERO_RUNS", str(runs))
    reading = report_data.read_run(RUN, "tiny")
    pairs = [slot[:2] for slot in report.sample_slots(reading, 100)]
    names = reading.names
    assert [set(pair) for pair in pairs[: len(names) - 1]] == [set(pair) for pair in itertools.pairwise(names)]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == len(names) * (len(names) - 1) / 2
    engine = dict(reading.ladder["asked"]["players"][0], name=names[2], kind="gtp")
    reading.ladder["asked"]["players"][0] = engine
    assert set(report.sample_slots(reading, 100)[0][:2]) == {names[0], names[2]}
    for slot in report.sample_slots(reading, 1):
        del reading.games[slot], reading.games[slot.white, slot.black, 1]
    assert set(report.sample_slots(reading, 100)[0][:2]) == {names[0], names[1]}  # who never met is left out
    assert read_times(RUN) == {}
