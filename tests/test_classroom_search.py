"""Chapter 4: minimax and alpha-beta in Python and in the page, the slides' steps of UCT, and the real search."""

import json
import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
from browser import Browser

from classics.bandit import ucb1
from classics.growth import perfect_leaves
from classics.small_trees import bounds, flat_value, minimax, simulate, slides_node, trap
from classics.solver import Solver
from classroom import costs, game_trees, tree_traces
from classroom.game_trees import LARGER_TREE, SLIDES_TREE, as_node, best_first, random_tree, search
from classroom.scripts import widget
from go.board import BLACK


def uneven_tree(rng: random.Random, depth: int = 4):
    """A tree whose branches have different lengths, and leaves that are often equal."""
    if depth == 0 or rng.random() < 0.2:
        return rng.randint(-5, 5)
    return [uneven_tree(rng, depth - 1) for _ in range(rng.randint(1, 4))]


def leaves_of(tree, name: str = "") -> list[str]:
    if not isinstance(tree, list):
        return [name]
    return [leaf for i, child in enumerate(tree) for leaf in leaves_of(child, game_trees.child_name(name, i))]


def test_both_searches_find_the_minimax_value_and_alpha_beta_leaves_out_what_it_says():
    rng = random.Random(1)
    for _ in range(200):
        tree = uneven_tree(rng)
        plain, pruned = search(tree, prunes=False), search(tree)
        assert plain.value == pruned.value == minimax(as_node(tree)) == game_trees.search_from(tree, True)
        assert plain.leaves == leaves_of(tree) and not plain.cut
        below = [leaf for leaf in leaves_of(tree) if any(f"{leaf}.".startswith(f"{cut}.") for cut in pruned.cut)]
        assert sorted(pruned.leaves + below) == sorted(plain.leaves)


def test_the_line_of_a_search_leads_to_its_value():
    rng = random.Random(2)
    for _ in range(50):
        tree = random_tree(3, 4, rng)
        for prunes in (False, True):
            found = search(tree, prunes)
            leaf = tree
            for number in map(int, found.line.split(".")):
                leaf = leaf[number]
            assert leaf == found.value


def test_with_the_best_move_first_alpha_beta_is_as_good_as_it_can_be():
    for width, depth in ((2, 4), (3, 4), (4, 3)):
        counted = game_trees.leaves_counted(width, depth, seed=3)
        assert counted["minimax"] == counted["w^d"] == width**depth
        assert counted["alpha-beta, best move first"] == counted["least possible"] == perfect_leaves(width, depth)
        assert counted["least possible"] < counted["alpha-beta"] < counted["minimax"]


def test_the_slides_tree_and_the_cost_of_search():
    assert [game_trees.search_from(child, False) for child in SLIDES_TREE] == [3, 6]
    assert search(SLIDES_TREE).value == 6 and search(SLIDES_TREE).line.startswith("1")
    assert costs.power_of_ten(costs.GO_MOVES, costs.GO_DEPTH) == pytest.approx(359.7, abs=0.01)
    assert len(str(250**150)) == 360
    depth = costs.depth_within(250, 1e9)
    assert 250 ** math.floor(depth) <= 1e9 < 250 ** (math.floor(depth) + 1)


def test_flat_monte_carlo_sees_half_where_there_is_nothing():
    b1 = trap().children[0]
    assert flat_value(b1) == 0.5 and minimax(b1) == 0.0


def test_the_steps_at_node_n1_have_the_numbers_of_the_slides():
    trace = tree_traces.slides_trace()
    names = [node["name"] for node in trace["nodes"]]
    assert names == ["n1", "b1", "b2", "b3"]
    frames = {frame["title"]: frame for frame in trace["frames"]}
    printed = {"b1": (1.7643, 2.0976, 1.721), "b2": (1.0105, 1.7105, 1.460), "b3": (1.4917, 1.8917, 1.475)}
    rates = {"b1": 1 / 3, "b2": 0.7, "b3": 0.4}
    for name, (bias, total, true) in printed.items():
        number = str(names.index(name))
        assert frames["Selection"]["bounds"][number] == pytest.approx(total, abs=6e-5)
        assert frames["Selection"]["bounds"][number] - rates[name] == pytest.approx(bias, abs=6e-5)
        assert frames["The same by UCB1"]["bounds"][number] == pytest.approx(true, abs=6e-4)
    for words in ("b1 0.33 + 1.76", "b2 0.70 + 1.01", "b3 0.40 + 1.49", "2.10"):
        assert words in frames["Selection"]["text"]
    assert "b2" in frames["Expansion"]["text"] and "10 trials" in frames["Expansion"]["text"]
    assert frames["Virtual loss"]["stats"]["1"] == [1, 4] and frames["Backup"]["stats"]["1"] == [1, 4]
    assert frames["Virtual loss"]["bounds"]["1"] < frames["The same by UCB1"]["bounds"]["1"]
    assert frames["Backup"]["stats"]["0"] == [9, 19]  # white, who moved to n1, has won one more
    assert frames["The move"]["path"] == [0, 2]


def replayed(trace: dict) -> dict[int, list[float]]:
    stats: dict[int, list[float]] = {}
    for frame in trace["frames"]:
        stats |= {int(node): pair for node, pair in frame["stats"].items()}
    return stats


def test_a_trace_on_a_small_tree_ends_as_the_search_does():
    root, rng = trap(), np.random.default_rng(5)
    trace = tree_traces.small_trace(trap(), 80, seed=5)
    for _ in range(80):
        simulate(root, rng.random)
    found = replayed(trace)
    nodes = [root, *(below for child in root for below in (child, *child))]
    assert [node["name"] for node in trace["nodes"]] == [node.name for node in nodes]
    assert [found[number] for number in range(len(nodes))] == [[node.wins, node.visits] for node in nodes]
    assert len(trace["frames"]) == 161
    for before, after in zip(trace["frames"][1::2], trace["frames"][2::2], strict=True):
        assert before["path"] == after["path"] and not before["stats"] and after["winner"] in ("black", "white")


def test_the_growing_tree_is_that_of_the_real_search():
    position, simulations = tree_traces.trap_position(), 60
    trace = tree_traces.go_trace(position, simulations, seed=3, shown=1)
    whole = tree_traces.uct_search(position, seed=3)
    whole.run(simulations=simulations)
    edges = tree_traces._edges_of(whole)
    found = replayed(trace)
    ways = {0: ()}
    for number, node in enumerate(trace["nodes"]):
        if node["parent"] is not None:
            ways[number] = (*ways[node["parent"]], position.point(node["name"]))
    assert {way: tuple(found[number]) for number, way in ways.items() if way} == {
        way: (round(wins, 3), visits) for way, (wins, visits) in edges.items()
    }
    assert found[0][1] == simulations and len(trace["frames"]) == simulations + 1
    for number, node in enumerate(trace["nodes"]):
        after = position.copy()
        for move in ways[number]:
            after.play(move)
        assert node["rows"] == ["".join(".XO"[color] for color in row) for row in after.colors.tolist()]


def test_flat_monte_carlo_is_wrong_on_a_real_board_and_uct_is_not():
    position = tree_traces.trap_position()
    found = tree_traces.flat_and_tree(position, 1_400)
    assert found["flat Monte Carlo"][0][0] == "B4" and found["UCT"][0][0] == "B3"
    solver = Solver(4)
    winners = {move: solver.winner(position.copy().play(move), 1) for move in ("B4", "B3")}
    assert position.to_move == BLACK == winners["B3"] != winners["B4"]


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory) -> Iterator[Browser]:
    """The browser, which shows a tree to edit, the slides' steps, and a growing tree."""
    folder = tmp_path_factory.mktemp("page")
    edit = game_trees.page_data(("slides", SLIDES_TREE), ("larger", LARGER_TREE))
    grown = tree_traces.go_trace(tree_traces.trap_position(), 40, shown=1)
    widgets = (
        widget("tree", edit, "edit", "edit")
        + widget("tree", tree_traces.slides_trace(), "steps", "steps")
        + widget("tree", grown, "grown", "grown")
    )
    path = folder / "page.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{widgets}', encoding="utf-8")
    browser.errors.clear()
    browser.requests.clear()
    browser.open(path)
    browser.wait_for("document.querySelectorAll('.pz').length === 3")
    yield browser
    browser.resize(1200, 900)
    assert browser.errors == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in browser.requests)


def written(value):
    """JSON has no infinity."""
    return {key: str(number) if number in (math.inf, -math.inf) else number for key, number in value.items()}


def test_the_page_searches_as_python_does(page: Browser):
    rng = random.Random(7)
    trees = [uneven_tree(rng) for _ in range(40)] + [random_tree(3, 3, rng), SLIDES_TREE, LARGER_TREE]
    found = page.run(
        "import(window.prezeroModules['tree.js']).then(({search, bestFirst}) => "
        f"{json.dumps(trees)}.map(tree => [[tree, true], [tree, false], [bestFirst(tree), true]].map(([t, p]) => {{"
        "const f = search(t, p); const text = x => x === Infinity ? 'inf' : x === -Infinity ? '-inf' : x;"
        "return {...f, steps: f.steps.map(s => Object.fromEntries(Object.entries(s).map(([k, v]) => [k, text(v)])))};"
        "})))"
    )
    for tree, searched in zip(trees, found, strict=True):
        for (given, prunes), theirs in zip(
            ((tree, True), (tree, False), (best_first(tree), True)), searched, strict=True
        ):
            ours = search(given, prunes)._asdict()
            ours["steps"] = [written(step) for step in ours["steps"]]
            assert theirs == ours


def shown(page: Browser, what: str):
    return page.run(f"Number(document.querySelector('#edit .tree-summary').dataset.{what})")


def test_a_tree_can_be_edited_in_the_page(page: Browser):
    assert (shown(page, "root"), shown(page, "leaves")) == (6, 4)
    page.click("#edit [data-node='1.1']")
    page.run(
        "(() => {const n = document.querySelector('#edit .tree-number'); n.value = 2;"
        "n.dispatchEvent(new Event('input'));})()"
    )
    edited = [[3, 5], [8, 2]]
    assert shown(page, "root") == search(edited).value == 3
    page.click("#edit [data-edit=add]")
    edited = [[3, 5], [8, [2, 5]]]
    assert (shown(page, "root"), shown(page, "leaves")) == (search(edited).value, 5) == (5, 5)
    page.run("document.querySelector('#edit [data-tab=larger]').click()")
    assert shown(page, "seen") == len(search(LARGER_TREE).leaves)
    page.run("document.querySelector('#edit [data-tab=minimax]').click()")
    assert shown(page, "seen") == shown(page, "leaves") == 18
    page.run("document.querySelector('#edit [data-tab=alpha-beta]').click()")
    page.click("#edit [data-edit=order]")
    assert shown(page, "seen") == len(search(best_first(LARGER_TREE)).leaves)
    page.click("#edit [data-edit=reset]")
    page.click("#edit [data-node='2']")
    page.click("#edit [data-edit=remove]")
    assert shown(page, "root") == search(LARGER_TREE[:2]).value and shown(page, "leaves") == 12
    page.run("document.querySelector('#edit .pz').focus()")
    page.press("Home")
    assert shown(page, "seen") == 0
    for step, entry in enumerate(search(LARGER_TREE[:2]).steps[:6], 1):
        page.press("ArrowRight")
        assert page.run("document.querySelector('#edit .pz').dataset.step") == str(step)
        assert page.run("document.querySelector('#edit .is-now').dataset.node") == (entry["at"] or "root")


def test_stepping_grows_the_tree_of_the_page(page: Browser):
    trace = tree_traces.go_trace(tree_traces.trap_position(), 40, shown=1)
    nodes = "[...document.querySelectorAll('#grown [data-node]')]"
    visits = f"{nodes}.map(n => [Number(n.dataset.node), Number(n.dataset.visits)])"
    stats: dict[int, list[float]] = {}
    for step, frame in enumerate(trace["frames"][:12]):
        stats |= {int(node): pair for node, pair in frame["stats"].items()}
        assert {node: count for node, count in page.run(visits) if count} == {n: v for n, (_, v) in stats.items() if v}
        page.click("#grown [data-do=forward]")
        assert page.run("document.querySelector('#grown .pz').dataset.step") == str(step + 1)
    page.click("#grown [data-node='0']")
    assert "root" in page.run("document.querySelector('#grown .tree-board').textContent")
    page.click("#steps [data-do=forward]")
    values = bounds(slides_node(), tree_traces.slides_tree)
    texts = page.run("[...document.querySelectorAll('#steps .tree-bound')].map(t => t.textContent)")
    assert texts == [f"{value:.2f}" for value in values.values()] == ["2.10", "1.71", "1.89"]
    page.resize(420, 800, is_mobile=True)
    page.swipe("#steps .pz-stage", -80)
    page.wait_for("document.querySelector('#steps .pz').dataset.step === '2'")
    texts = page.run("[...document.querySelectorAll('#steps .tree-bound')].map(t => t.textContent)")
    assert texts == [f"{value:.2f}" for value in bounds(slides_node(), ucb1).values()]


def test_traces_are_plain_json():
    for data in (tree_traces.slides_trace(), game_trees.page_data(("a", SLIDES_TREE))):
        assert json.loads(json.dumps(data, allow_nan=False)) == data
