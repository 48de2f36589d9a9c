"""The script that draws boards, in a real browser: the rules, every control, themes, and what it says of mistakes."""

import json
from pathlib import Path

import numpy as np
import pytest
from browser import Browser

from arena.web_page import board_element, json_in_page, page, svg_in_page
from go.board import BLACK, WHITE
from go.coordinates import GTP_COLUMNS, PASS, gtp_from_point, rowcol_from_point
from go.handicap import star_points
from go.position import Position

KO = "C3 D3 B2 E2 C1 D1 D2 C2 pass A5 D2"  # C2 takes D2, and after moves elsewhere D2 takes C2
GAME = {
    "size": 5,
    "moves": KO.split(),
    "black": "first <b>&amp;</b>",
    "white": "second",
    "result": "B+1.5",
    "comments": {"1": "why </script> not"},
    "frames": {"2": {"heat": {"values": {"A1": 0.25}, "scale": "share"}, "caption": "a caption"}},
    "curves": [
        {"name": "first", "color": "black", "values": [[1, 0.5], [3, 0.75], [5, None], [7, 1.0]]},
        {"name": "second", "color": "white", "values": [[2, 0.25]]},
    ],
    "curve": {"title": "Black wins"},
}


@pytest.fixture
def show(browser: Browser, tmp_path: Path):
    """Open a page with some elements."""

    def opened(*elements: str) -> Browser:
        path = tmp_path / "page.html"
        path.write_text(page("a <title>", "\n".join(elements)), encoding="utf-8")
        browser.errors.clear()
        browser.requests.clear()
        browser.open(path)
        assert browser.requests == [path.resolve().as_uri()]
        return browser

    return opened


def random_game(size: int, moves: int, seed: int) -> Position:
    """A game of random moves, in which stones are captured."""
    position, rng = Position(size), np.random.default_rng(seed)
    while len(position.history) < moves:
        moves_left = position.legal_moves()
        position.play(int(rng.choice(moves_left)) if len(moves_left) else PASS)
    return position


def rows(position: Position) -> list[str]:
    return ["".join(".XO"[(int(c) == BLACK) + 2 * (int(c) == WHITE)] for c in row) for row in position.colors]


def shown_rows(browser: Browser, at: int) -> list[str]:
    """Return the stones that are really drawn after some moves."""
    found = browser.run(
        f"(() => {{const p = document.querySelector('[data-go]').go; p.show({at});"
        "return [p.size, [...p.element.querySelectorAll('circle[data-point].go-black, circle[data-point].go-white')]"
        ".map((c) => [c.dataset.point, c.classList.contains('go-black')])];})()"
    )
    size, stones = found
    drawn = np.full((size, size), ".")
    for point, is_black in stones:
        drawn[size - int(point[1:]), GTP_COLUMNS.index(point[0])] = "X" if is_black else "O"
    return ["".join(row) for row in drawn]


@pytest.mark.parametrize(("size", "moves"), [(5, 60), (9, 160), (13, 40)])
def test_captures_are_those_of_the_rules(show, size, moves):
    game = random_game(size, moves, seed=size)
    replayed, expected = Position(size), [rows(Position(size))]
    for move in game.history:
        expected.append(rows(replayed.play(move.point)))
    assert size == 13 or sum(row.count(".") for row in expected[-1]) > size * size - moves  # stones were captured
    description = {"size": size, "moves": [gtp_from_point(move.point, size) for move in game.history]}
    browser = show(board_element("game", description))
    assert [shown_rows(browser, at) for at in range(len(expected))] == expected
    recorded = board_element("game", description | {"positions": expected})
    browser = show(recorded)
    assert shown_rows(browser, len(expected) - 1) == expected[-1] and browser.errors == []


def test_every_control_of_a_game_works(show):
    browser = show(board_element("game", GAME), board_element("game", GAME | {"at": 3}))
    one, other = "document.querySelectorAll('[data-go]')[0].go", "document.querySelectorAll('[data-go]')[1].go"

    def at() -> int:
        assert browser.run(f"{other}.at") == 3  # the other game stays where it is
        return browser.run(f"{one}.at")

    def counter() -> str:
        return browser.run("document.querySelector('.go-counter').textContent")

    assert at() == 0 and counter() == "0 / 11"
    assert browser.run("['.go-back', '.go-first'].map((s) => document.querySelector(s).ariaDisabled)") == ["true"] * 2
    browser.click(".go-forward")
    assert at() == 1 and counter() == "1 / 11 · Black C3"
    assert browser.run("document.querySelector('.go-comment').textContent") == "why </script> not"
    browser.click(".go-last")
    assert at() == 11 and browser.run("document.querySelector('.go-forward').ariaDisabled") == "true"
    assert browser.run("[...document.querySelectorAll('.go-captures')].slice(0, 2).map((e) => e.textContent)") == [
        "+1",
        "+1",
    ]
    browser.click(".go-back")
    browser.click(".go-back")
    assert at() == 9 and counter() == "9 / 11 · Black pass"
    browser.click(".go-first")
    for key, expected in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowUp", 2),
        ("ArrowDown", 1),
        ("PageDown", 11),
        ("PageUp", 1),
        ("End", 11),
        ("Home", 0),
    ):
        browser.press(key)
        assert at() == expected, key
    browser.click(".go-slider", across=0.5)
    assert at() in (5, 6)
    browser.click(".go-plot", across=0.99)
    assert at() == 11
    browser.click(".go-plot", across=0.05)
    assert at() == 0
    browser.run("document.querySelector('[data-go]').focus()")
    browser.press("n")
    browser.press("End")
    labels = "[...document.querySelector('[data-go]').querySelectorAll('.go-label')].map((e) => e.dataset.point)"
    numbers = "[...document.querySelector('[data-go]').querySelectorAll('.go-label')].map((e) => e.textContent)"
    shown = dict(zip(browser.run(labels), browser.run(numbers), strict=True))
    assert shown == {"C3": "1", "D3": "2", "B2": "3", "E2": "4", "C1": "5", "D1": "6", "A5": "10", "D2": "11"}
    assert browser.run("document.querySelector('.go-numbers').getAttribute('aria-pressed')") == "true"
    browser.click(".go-numbers")
    assert browser.run(labels) == [] and browser.errors == []


def test_autoplay_runs_to_the_end_and_stops(show):
    browser = show(board_element("game", GAME | {"speed": 4}))
    player = "document.querySelector('[data-go]').go"
    assert browser.run("document.querySelector('.go-speed').value") == "4"
    browser.run("(() => {const s = document.querySelector('.go-speed'); s.value = '8';"
                "s.dispatchEvent(new Event('change'));})()")  # fmt: skip
    assert browser.run(f"{player}.speed") == 8
    browser.click(".go-play")
    browser.wait_for(f"{player}.at >= 2")
    assert browser.run("document.querySelector('.go-play').getAttribute('aria-label')") == "stop"
    browser.click(".go-play")
    stopped = browser.run(f"{player}.at")
    browser.run("new Promise((done) => setTimeout(done, 300))")
    assert browser.run(f"{player}.at") == stopped and browser.run(f"{player}.timer") is None
    browser.run("document.querySelector('[data-go]').focus()")
    browser.press(" ")
    browser.wait_for(f"{player}.at === {player}.length && {player}.timer === null")
    assert browser.run("document.querySelector('.go-play').getAttribute('aria-label')") == "play"
    assert browser.errors == []


def test_swipes_step_on_a_narrow_screen(show):
    browser = show(board_element("game", GAME))
    browser.resize(360, 740, is_mobile=True)
    try:
        assert browser.run("document.documentElement.scrollWidth") <= 360
        browser.swipe(".go-holder", -80)
        assert browser.run("document.querySelector('[data-go]').go.at") == 1
        browser.swipe(".go-holder", 80)
        assert browser.run("document.querySelector('[data-go]').go.at") == 0
        browser.swipe(".go-holder", -10)  # too short
        assert browser.run("document.querySelector('[data-go]').go.at") == 0
    finally:
        browser.resize(1200, 900)


def test_the_curve_and_its_numbers(show):
    browser = show(board_element("game", GAME | {"at": 4}))
    names = "[...document.querySelectorAll('.go-curve-names b')].map((e) => e.textContent)"
    assert browser.run(names) == ["75%", "25%"]
    points = "document.querySelector('path[data-curve=\"first\"]').getAttribute('d').match(/[ML]/g).length"
    assert browser.run(points) == 3  # None is left out
    browser.hover(".go-plot", across=0.15)
    assert browser.run(names) == ["50%", "–"]
    browser.hover(".go-counter")
    assert browser.run(names) == ["75%", "25%"] and browser.errors == []


def test_a_board_shows_all_that_it_is_told(show):
    board = {
        "size": 9,
        "black": ["E5", "j9"],
        "white": ["C3"],
        "last": "C3",
        "labels": {"D4": "A", "E5": "1"},
        "marks": {"G7": "square", "F6": "ring", "A9": "triangle", "B9": "cross", "C9": "block", "D9": "circle"},
        "ghosts": {"H2": "white"},
        "tips": {"G3": "a good\nmove"},
        "heat": {
            "values": {"G3": 0.314, "G4": 0.0, "A1": 0.004},
            "scale": "share",
            "least": 0.005,
            "faint": ["A1"],
            "legend": "share",
        },
        "title": "<i>title</i>",
        "caption": "caption",
    }
    browser = show(board_element("board", board))
    all_of = "[...document.querySelectorAll('{}')].map((e) => {})"
    assert browser.run(all_of.format("circle.go-black", "e.dataset.point")) == ["E5", "J9"]
    assert browser.run(all_of.format("circle.go-ghost", "e.dataset.point")) == ["H2"]
    assert browser.run(all_of.format(".go-last-move", "e.dataset.point")) == ["C3"]
    marks = browser.run(all_of.format(".go-mark", "[e.dataset.point, e.classList[1]]"))
    assert dict(marks) == {point: f"go-{mark}" for point, mark in board["marks"].items()}
    labels = dict(browser.run(all_of.format(".go-label", "[e.dataset.point, e.textContent]")))
    assert labels == {"D4": "A", "E5": "1", "G3": "31"}
    opacity = dict(browser.run(all_of.format("rect.go-heat", "[e.dataset.point, +e.getAttribute('fill-opacity')]")))
    assert opacity["G3"] == pytest.approx(0.78 * 0.314**0.5, abs=1e-3) and opacity["G4"] == 0
    assert opacity["A1"] == pytest.approx(0.78 * 0.004**0.5 / 3, abs=1e-3)
    assert browser.run("document.querySelector('.go-title').textContent") == "<i>title</i>"
    browser.run("window.clicked = []; document.addEventListener('go-point', (e) => clicked.push(e.detail.point))")
    row, column = rowcol_from_point(Position(9).play("G3").last_move, 9)
    across, down = ((place * 40 + 0.72 * 40 + 0.55 * 40) / (8 * 40 + 2 * 50.8) for place in (column, row))
    browser.hover("svg.go-wood", across, down)
    assert browser.run("document.querySelector('.go-tip').textContent") == "G3: 31.4%\na good\nmove"
    browser.click("svg.go-wood", across, down)
    assert browser.run("clicked") == ["G3"]
    browser.hover(".go-caption")
    assert browser.run("document.querySelector('.go-tip').hidden") and browser.errors == []


def test_dots_are_where_ours_are(show):
    sizes = range(2, 20)
    browser = show(*(board_element("board", {"size": size}) for size in sizes))
    found = browser.run(
        "[...document.querySelectorAll('[data-go]')].map((e) => [...e.querySelectorAll('circle[r=\"3.6\"]')]"
        ".map((c) => [c.getAttribute('cy') / 40, c.getAttribute('cx') / 40]))"
    )
    for size, dots in zip(sizes, found, strict=True):
        assert {tuple(dot) for dot in dots} == {rowcol_from_point(point, size) for point in star_points(size)}, size


def test_games_are_chosen_from_a_list(show):
    games = [GAME, GAME | {"name": "another <game>", "moves": ["A1"]}]
    browser = show(board_element("games", {"games": games, "label": "Pick"}))
    assert browser.run("[...document.querySelectorAll('.go-choice option')].map((e) => e.textContent)") == [
        "first <b>&amp;</b> – second B+1.5",
        "another <game>",
    ]
    browser.click(".go-play")
    browser.run("(() => {const s = document.querySelector('.go-choice select'); s.value = '1';"
                "s.dispatchEvent(new Event('change'));})()")  # fmt: skip
    assert browser.run("document.querySelector('.go-counter').textContent") == "0 / 1"
    browser.click(".go-last")
    assert browser.run("document.querySelector('[data-go]').go.player.at") == 1 and browser.errors == []


def test_themes_follow_the_system_unless_the_page_says_otherwise(show):
    browser = show("<button data-theme-button></button>", board_element("board", {"size": 5}))
    colors = "['body', '.go'].map((s) => getComputedStyle(document.querySelector(s)).color)"
    backgrounds = "getComputedStyle(document.body).backgroundColor"
    seen = {}
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        seen[scheme] = browser.run(colors), browser.run(backgrounds)
    assert len(set(seen["light"][0])) == len(set(seen["dark"][0])) == 1 and seen["light"] != seen["dark"]
    for theme in ("light", "dark", None):
        browser.click("[data-theme-button]")
        assert browser.run("document.documentElement.dataset.theme ?? null") == theme
        assert (browser.run(colors), browser.run(backgrounds)) == seen[theme or "dark"]
    browser.prefer("light")


@pytest.mark.parametrize(
    ("kind", "description", "sentence"),
    [
        ("board", {"size": 9, "black": ["K10"]}, '"K10" is no point of a 9x9 board.'),
        ("board", {"size": 1}, "1 is no size of a board: 2 to 25 are."),
        ("board", {"size": 9, "marks": {"A1": "star"}}, "star is no mark"),
        ("board", {"size": 9, "heat": {"values": {"A1": None}}}, "a value that is no number"),
        ("board", {"size": 9, "rows": ["."]}, "A 9x9 board has 9 rows, not 1."),
        ("game", {"size": 9, "moves": ["A1", "A1"]}, "Move 2: There is a stone on A1 already."),
        ("game", {"size": 9, "moves": ["A1"], "positions": [["." * 9] * 9]}, "has 2 positions, not 1."),
        ("games", {"games": []}, "There is no game to choose."),
    ],
)
def test_a_mistake_is_told_where_the_board_would_be(show, kind, description, sentence):
    browser = show(board_element(kind, description), board_element("board", {"size": 9}))
    assert sentence in browser.run("document.querySelector('.go-error').textContent")
    assert browser.run("document.querySelectorAll('svg.go-wood').length") == 1  # the other board is there
    assert len(browser.errors) == 1


def test_json_and_svg_cannot_break_out_of_a_page():
    hostile = {"a": "</script><script>alert(1)</script>", "b": "<!-- \u2028 &"}
    text = json_in_page(hostile)
    assert "<" not in text and "\u2028" not in text and json.loads(text) == hostile
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_in_page(float("nan"))
    drawing = '<?xml version="1.0"?><svg xmlns="http://a" width="1"><metadata>x</metadata><style>*{}</style>'
    drawing += '<path id="p"/><use xlink:href="#p" clip-path="url(#p)"/></svg>'
    assert svg_in_page(drawing, "one", 'a "label"') == (
        '<svg role="img" aria-label="a &quot;label&quot;" width="1">'
        '<path id="one-p"/><use xlink:href="#one-p" clip-path="url(#one-p)"/></svg>'
    )
