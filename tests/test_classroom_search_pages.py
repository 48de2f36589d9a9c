"""The scripts of chapters 5 and 6 in a real browser: stepping changes what it should, and nothing fails."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_networks import random_weights
from small_searches import network, random_position, small_search

from classroom.lost_update import lost_update_data
from classroom.mixing import mixed, record_mixtures
from classroom.scripts import widget
from classroom.simulations import record_simulations
from classroom.threads_trace import record_with_and_without
from classroom.zero_planes import record_planes
from nets.network import Network, PolicyAndValue

LOAD = {
    "phase": 0.1, "pause": 0.03, "start": 40, "batch": 8, "simulations": 900,
    "looks": [
        {"seconds": 0.05, "waiting": 0, "busy": 0.2, "n_thr": 36, "change": -4, "pause": 0.0},
        {"seconds": 0.15, "waiting": 30, "busy": 1.0, "n_thr": 39, "change": 3, "pause": 0.03},
        {"seconds": 0.25, "waiting": 5, "busy": 0.9, "n_thr": 39, "change": 0, "pause": 0.0},
    ],
}  # fmt: skip
VERSIONS = {
    "size": 3, "komi": 3.5,
    "steps": [
        {"games": 0, "value": 0.0, "chances": {"B2": 0.1, "A1": 0.8, "pass": 0.1}, "elo": None, "length": None},
        {"games": 64, "value": 0.9, "chances": {"B2": 0.95, "A1": 0.03, "pass": 0.02}, "elo": 300, "length": 9.5},
    ],
}  # fmt: skip
MOVES = ["C3", "B2", "D4", "C2"]


@pytest.fixture(scope="module")
def data():
    """What the scripts play, from real searches on 5x5."""
    position = random_position(5, 6, np.random.default_rng(3), passes=0)
    both = PolicyAndValue(Network(random_weights(5)), Network(random_weights(5, planes=49, family="value", layers=5)))
    return {
        "search": record_simulations(small_search("alpha_rvp", 5, batch_size=1, n_thr=2), position, 30),
        "lambda": record_mixtures(position, 60, both),
        "threads": record_with_and_without(position, 3, 60, network=network(5)),
        "lost": lost_update_data(),
        "queue": LOAD,
        "history": record_planes(MOVES, 5),
        "zero": VERSIONS,
    }


@pytest.fixture(scope="module")
def page(browser, data, tmp_path_factory):
    """One page with all scripts, opened without a network."""
    kinds = {name: "threads" if name == "lost" else name for name in data}
    body = "".join(widget(kinds[name], found, f"title of {name}", name) for name, found in data.items())
    path = Path(tmp_path_factory.mktemp("page")) / "page.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{body}</body>', encoding="utf-8")
    browser.resize(1100, 900)
    browser.open(path)
    browser.wait_for(f"document.querySelectorAll('.pz').length === {len(data)}")
    yield browser
    assert not browser.errors
    assert all(url.startswith(("file:", "blob:", "data:")) for url in browser.requests)


def go(page, name, step):
    """Move the slider of a script to a step."""
    slider = f"document.querySelector('#{name} .pz-controls .pz-slider')"
    page.run(f"(() => {{ const s = {slider}; s.value = {step}; s.dispatchEvent(new Event('input')); }})()")
    assert page.run(f"document.querySelector('#{name} .pz').dataset.step") == str(step)


def text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).textContent")


def texts(page, selector):
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")


def heat(page, name):
    """Return the numbers that a board has by point."""
    return page.run(f"document.querySelector({json.dumps(name)}).go.spec.heat.values")


def test_each_simulation_is_told_and_drawn(page, data):
    steps = data["search"]["steps"]
    for at in (0, 1, 2, 9, len(steps) - 1):
        go(page, "search", at)
        shown = heat(page, "#search .go-board")
        number = "N" if steps[at]["what"] == "simulation" else "P"
        assert shown == {move["move"]: move[number] for move in steps[at]["root"] if move["move"] != "pass"}
        if at > 1:
            rows = texts(page, "#search .ps-told table:first-of-type tbody tr td:first-child")
            path = [edge["move"] for edge in steps[at]["path"]]
            assert [row.strip() for row in rows[: len(path)]] == path
            assert f"Simulation {steps[at]['number']}" in text(page, "#search .pz-caption")
            assert ("becomes a node" in text(page, "#search .ps-told")) == steps[at]["made_node"]
            z = steps[at]["z"]
            assert f"ends with a {'win' if z > 0 else 'loss'}" in text(page, "#search .ps-told")
        best = max(steps[at]["root"], key=lambda move: move["Q"] + move["u"])
        assert text(page, "#search .ps-note") == f"Next: {best['move']}, which has the largest Q + u."


@pytest.mark.parametrize("number", ["P", "N", "W", "Q", "u", "Q+u"])
def test_the_buttons_choose_the_number_on_the_board(page, data, number):
    go(page, "search", 12)
    page.click(f'#search [data-number="{number}"]')
    root = [move for move in data["search"]["steps"][12]["root"] if move["move"] != "pass"]
    expected = {
        move["move"]: move["Q"] + move["u"] if number == "Q+u" else move[number]
        for move in root
        if number != "Q" or move["N"] > 0
    }
    assert heat(page, "#search .go-board") == pytest.approx(expected)
    assert page.run(f"document.querySelector('#search [data-number=\"{number}\"]').ariaPressed") == "true"


def test_keys_and_buttons_step(page):
    go(page, "search", 4)
    page.click('#search [data-do="forward"]')
    assert page.run("document.querySelector('#search .pz').dataset.step") == "5"
    page.run("document.querySelector('#search .pz').focus()")
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    assert page.run("document.querySelector('#search .pz').dataset.step") == "3"


@pytest.mark.parametrize("value", [0, 0.25, 0.5, 0.7, 1])
def test_the_slider_mixes_rollouts_and_value_network(page, data, value):
    slider = "document.querySelector('#lambda .pl-slider')"
    page.run(f"(() => {{ const s = {slider}; s.value = {value}; s.dispatchEvent(new Event('input')); }})()")
    nearest = min(data["lambda"]["searches"], key=lambda search: abs(search["lambda"] - value))
    expected = {move["move"]: mixed(move, value) for move in nearest["moves"] if move["move"] != "pass"}
    expected = {move: number for move, number in expected.items() if number}  # zero and unknown are left out
    assert heat(page, "#lambda .pl-large .go-board") == pytest.approx(expected)
    shown = heat(page, '#lambda [data-board="c"]')
    moves = [move for move in nearest["moves"] if move["move"] != "pass"]
    assert shown == {move["move"]: move["Q_r"] for move in moves if move["Q_r"]}
    assert heat(page, '#lambda [data-board="d"]') == {move["move"]: move["P"] for move in moves if move["P"]}
    total = sum(move["N"] for move in nearest["moves"])
    visits = {move["move"]: move["N"] / total for move in moves if move["N"]}
    assert heat(page, '#lambda [data-board="e"]') == pytest.approx(visits)
    assert f"λ = {nearest['lambda']:g}" in text(page, "#lambda .pl-best")


def test_two_threads_are_shown_side_by_side(page, data):
    runs = data["threads"]["runs"]
    for at, step in enumerate(runs[0]["steps"]):
        go(page, "threads", at)
        for run in runs:
            place = f'#threads [data-nvl="{run["n_vl"]}"]'
            expected = {
                move["move"]: move["N"] for move in run["steps"][at]["root"] if move["N"] and move["move"] != "pass"
            }
            assert heat(page, f"{place} .go-board") == expected
            done = run["steps"][: at + 1]
            pairs = [one["paths"] for one in done if len(one["paths"]) == 2]
            same = sum(paths["A"] == paths["B"] for paths in pairs)
            assert text(page, f"{place} .pt-same") == f"Same leaf so far: {same} of {len(pairs)} times."
        if step["what"] == "finish":
            assert f"Thread {step['thread']} backs up" in text(page, "#threads .pz-caption")
    go(page, "threads", 2)  # both threads are under way at the same leaf
    labels = page.run("document.querySelector('#threads [data-nvl=\"0\"] .go-board').go.spec.labels")
    assert labels and all(label.startswith("AB") for label in labels.values())


@pytest.mark.parametrize(("order", "expected"), [("ABABAB", 8), ("AAABBB", 9), ("AABBBA", 8), ("atomic", 9)])
def test_an_order_of_steps_loses_an_addition_or_not(page, order, expected):
    choice = "document.querySelector('#lost select[aria-label=\"order of the steps\"]')"
    page.run(f"(() => {{ const s = {choice}; s.value = '{order}'; s.dispatchEvent(new Event('change')); }})()")
    assert page.run("document.querySelector('#lost .pz').dataset.order") == order
    assert text(page, "#lost .pt-n") == "7"
    go(page, "lost", 2 if order == "atomic" else 6)
    assert text(page, "#lost .pt-n") == str(expected)
    assert ("one addition is lost" in text(page, "#lost .pz-caption")) == (expected == 8)


def test_n_thr_is_told_look_by_look(page):
    said = ("n_thr falls", "n_thr rises", "n_thr stays")
    for at, (look, words) in enumerate(zip(LOAD["looks"], said, strict=True)):
        go(page, "queue", at)
        assert words in text(page, "#queue .pz-caption")
        assert text(page, "#queue .pq-thr").split()[0] == str(look["n_thr"])
        assert page.run("document.querySelectorAll('#queue .pq-dots i').length") == look["waiting"]
    bars = page.run("[...document.querySelectorAll('#queue [data-look]')].map((e) => Number(e.getAttribute('height')))")
    assert bars[1] > bars[2] > bars[0]


def test_planes_are_drawn_as_recorded(page, data):
    for at, step in enumerate(data["history"]["steps"]):
        go(page, "history", at)
        drawn = page.run(
            "[...document.querySelectorAll('#history .ph-plane')].sort((a, b) => a.dataset.plane - b.dataset.plane)"
            ".map((e) => e.querySelectorAll('svg rect').length - 1)"
        )
        assert drawn == [plane.count("1") for plane in step["planes"]]


def test_versions_of_a_network_are_shown(page):
    go(page, "zero", 0)
    assert heat(page, "#zero .go-board") == {"B2": 0.1, "A1": 0.8}
    assert "random weights know nothing" in text(page, "#zero .pz-caption")
    go(page, "zero", 1)
    assert heat(page, "#zero .go-board") == {"B2": 0.95, "A1": 0.03}
    assert "prefers B2 (95%)" in text(page, "#zero .pz-caption") and "300" in text(page, "#zero .pn-facts")


@pytest.mark.parametrize("width", [360, 1400])
def test_no_script_is_wider_than_its_page(page, width):
    page.resize(width, 900)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.resize(1100, 900)
