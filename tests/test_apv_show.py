"""`apv_mcts.show`: the numbers on the six boards are those of the search, what is missing is said, the tree adds up."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import prezero
from small_networks import InProcess, random_weights
from small_searches import MadeUp

from apv_mcts import show
from apv_mcts.dump import dump_tree, written
from apv_mcts.evaluator import Evaluator
from apv_mcts.search import Search
from apv_mcts.settings import SearchSettings
from apv_mcts.sheet import draw_sheet
from apv_mcts.show import facts_of, table_of, think
from apv_mcts.views import View, views_of
from arena.players import preset
from go.board import BLACK, WHITE
from go.coordinates import GTP_COLUMNS, PASS, gtp_from_point, point_from_rowcol, rowcol_from_point
from go.draw import CELL, RING, STONES
from go.position import Position
from nets.find import find_weights
from nets.network import Network
from rollout.model import Model
from rollout.playout import new_policy

SVG = "{http://www.w3.org/2000/svg}"
ALPHA_R = {"policy": False, "lambda_mix": 1.0}
ALPHA_RP = {"policy": True, "lambda_mix": 1.0}
ALPHA_RV = {"policy": False, "value": True}
ALPHA_RVP = {"policy": True, "value": True}
ALPHA_V = {"policy": False, "value": True, "rollouts": "none", "lambda_mix": 0.0, "n_thr": 0}
UCT = {"rule": "ucb1", "rollouts": "uniform", "priors": "uniform", "policy": False, "c_puct": 1.0, "n_thr": 1}
CAPTURE = """
    . . . . .
    . X X X .
    X O O O X
    . X O X .
    . . a . .
"""  # whoever plays at a has four stones, or keeps them


def near_the_centre(boards, history, symmetries):
    """Value a position by its last move: the nearer to the centre of a 5x5 board, the better for who has played it."""
    values = []
    for board, moves in zip(boards, history["recent"], strict=True):
        assert board["passes"] < 2
        if moves[0] == PASS:
            values.append(0.9)
        else:
            row, column = rowcol_from_point(int(moves[0]), 5)
            values.append(-0.8 + 0.1 * ((row - 2) ** 2 + (column - 2) ** 2))
    return np.array(values)


def searched(preset, position, simulations, values=near_the_centre, **settings):
    """Search a position on one thread, with the policies that come with Prezero and a value function."""
    given = SearchSettings(**{"nodes": 3_000, "threads": 1, "n_thr": 5, **preset, **settings})
    policies = {name: new_policy(Model.load(find_weights(name, 9))) for name in ("rollout", "tree")}
    priors = policies["tree"] if given.priors == "tree" else new_policy(None)
    playouts = new_policy(None) if given.rollouts == "uniform" else policies["rollout"]
    network = MadeUp(Network(random_weights(position.size)) if given.policy else None, values)
    search = Search(given, position.size, priors, playouts, Evaluator(network, given.beta, 1, given.batch_size))
    search.set_position(position)
    think(search, simulations, 0)
    return search


def boards_of(svg: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [element for element in root.iter(SVG + "svg") if element is not root]


def labels_of(board: ElementTree.Element, size: int) -> dict[str, ElementTree.Element]:
    """Return the texts on the points of a drawn board; its coordinates stand outside."""
    found = {}
    for text in board.iter(SVG + "text"):
        column, row = float(text.get("x")) / CELL, float(text.get("y")) / CELL
        if 0 <= row <= size - 1 and 0 <= column <= size - 1:
            found[f"{GTP_COLUMNS[round(column)]}{size - round(row)}"] = text
    return found


def numbers_of(board: ElementTree.Element, size: int) -> dict[str, str]:
    return {vertex: text.text for vertex, text in labels_of(board, size).items()}


def ringed(board: ElementTree.Element, size: int) -> list[str]:
    rings = [circle for circle in board.iter(SVG + "circle") if circle.get("stroke") == RING]
    return [f"{GTP_COLUMNS[round(float(c.get('cx')) / CELL)]}{size - round(float(c.get('cy')) / CELL)}" for c in rings]


def texts(svg: str) -> list[str]:
    return [element.text for element in ElementTree.fromstring(svg).iter(SVG + "text")]


def test_the_numbers_on_the_boards_are_those_of_the_search():
    position = Position(5).play("C3").play("B2").play("D4")
    search = searched(ALPHA_RVP, position, 600)
    edges = {gtp_from_point(edge.move, 5): edge for edge in search.statistics() if edge.move != PASS}
    svg = draw_sheet(search, "A title", ["One fact."])
    a, b, c, d, e, f = (numbers_of(board, 5) for board in boards_of(svg))

    def percent(name, value):
        return {move: f"{50 + 50 * getattr(edge, name):.0f}" for move, edge in edges.items() if value(edge)}

    assert b == percent("q_value", lambda edge: edge.q_value is not None)
    assert c == percent("q_rollouts", lambda edge: edge.visits) and len(c) > 5
    assert d == {move: f"{100 * edge.prior:.0f}" for move, edge in edges.items() if edge.prior > 0.005}
    assert e == {move: f"{edge.visits / 6:.0f}" for move, edge in edges.items() if edge.visits > 3}
    assert {move: a[move] for move in b} == percent("value", lambda edge: edge.q_value is not None)
    assert {move: int(number) for number, move in enumerate(search.principal_variation(), 1)} == {
        position.point(vertex): int(number) for vertex, number in f.items()
    }
    best = max(edges, key=lambda move: edges[move].visits)
    assert [ringed(board, 5) for board in boards_of(svg)][4] == [best] and f[best] == "1"
    assert {"A title", "One fact."} <= set(texts(svg))
    assert not [text for text in texts(svg) if text.startswith("no ")]
    some = draw_sheet(search, "A title", [], "fd")
    assert [numbers_of(board, 5) for board in boards_of(some)] == [f, d]
    assert not [text for text in texts(some) if text.startswith("a, b, c:")]  # a scale that no board needs


def test_the_value_network_is_shown_every_successor_and_not_only_those_that_were_tried():
    search = searched(ALPHA_RV, Position(5).play("C3"), 3)
    assert sum(edge.value is not None for edge in search.statistics()) <= 3
    view = views_of(search)[0]
    for edge in search.statistics():
        expected = near_the_centre(search.root.board, {"recent": [[edge.move]]}, None)[0]
        assert view.numbers[edge.move] == pytest.approx(0.5 - 0.5 * expected)
    assert len(view.numbers) == 25 and "pass 5.0%" in " ".join(texts(draw_sheet(search, "", [])))


def test_a_symmetric_position_has_a_symmetric_board():
    """All eight images of the value network's board are the same; a board that is not symmetric keeps its side."""
    board = boards_of(draw_sheet(searched(ALPHA_V, Position(5), 60), "", []))[0]
    grid = np.full((5, 5), "", object)
    for vertex, number in numbers_of(board, 5).items():
        grid[rowcol_from_point(Position(5).point(vertex), 5)] = number
    assert (grid != "").all() and grid[2, 2] == "90" and grid[0, 0] == "50" and grid[0, 2] == "70"
    for turned in (np.rot90(grid), np.fliplr(grid), grid.T):
        assert (turned == grid).all()
    assert ringed(board, 5) == ["C3"]


@pytest.mark.parametrize(
    ("settings", "simulations", "missing"),
    [
        (ALPHA_R, 50, {"a": "no value network", "b": "no value network"}),
        (ALPHA_V, 50, {"c": "no rollouts"}),
        (UCT, 50, {"a": "no value network", "b": "no value network", "d": "no priors with ucb1"}),
        (ALPHA_R, 0, {"a": "no value network", "b": "no value network"} | dict.fromkeys("cef", "no simulations")),
        (ALPHA_RV, 0, dict.fromkeys("bcef", "no simulations")),
    ],
)
def test_what_is_missing_is_said_and_not_drawn(settings, simulations, missing):
    search = searched(settings, Position(5).play("C3"), simulations)
    views = views_of(search)
    assert {view.letter: view.missing for view in views if view.missing} == {
        k: v for k, v in missing.items() if k < "f"
    }
    svg = draw_sheet(search, "", [])
    assert [text for text in texts(svg) if text.startswith("no ")] == [missing[letter] for letter in sorted(missing)]
    for letter, board in zip("abcdef", boards_of(svg), strict=True):
        assert (numbers_of(board, 5) == {}) == (letter in missing) and not (letter in missing and ringed(board, 5))
    rows = [line.split("|") for line in table_of(search, 3).splitlines()[2:]]
    assert all((row[6].strip() == "-") == ("b" in missing) for row in rows)
    assert all((row[5].strip() == "-") == ("c" in missing) for row in rows)


def test_moves_that_were_hardly_tried_are_small_and_never_the_best():
    search = searched(ALPHA_R, Position(5).play("C3"), 800)
    view = views_of(search)[2]
    most = search.statistics()[0].visits
    assert view.faint == {edge.move for edge in search.statistics() if edge.visits < 0.05 * most}
    assert view.faint and view.best not in view.faint
    sure = {edge.move: edge.q_rollouts for edge in search.statistics() if edge.visits >= 0.05 * most}
    assert view.best == max(sure, key=sure.get)
    assert View("c", "", {30: 0.9, 31: 0.4, 32: 0.2}, frozenset({30})).best == 31
    board = boards_of(draw_sheet(search, "", []))[2]
    sizes = {vertex: float(text.get("font-size")) / CELL for vertex, text in labels_of(board, 5).items()}
    faint = {gtp_from_point(move, 5) for move in view.faint & set(view.numbers)} - {"pass"}
    assert faint and {vertex for vertex, size in sizes.items() if size == pytest.approx(0.3)} == faint


@pytest.mark.parametrize("settings", [ALPHA_R, UCT])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_capture_is_the_best_move_of_all_boards(settings, color):
    text = CAPTURE if color == BLACK else CAPTURE.translate(str.maketrans("XO", "OX"))
    position = Position.from_text(text, to_move=color, komi=0)
    search = searched(settings, position, 3000)
    capture = gtp_from_point(position.at("a"), 5)
    assert capture == "C1" and gtp_from_point(search.statistics()[0].move, 5) == capture
    boards = boards_of(draw_sheet(search, "", []))
    assert ringed(boards[2], 5) == ringed(boards[4], 5) == [capture]
    assert numbers_of(boards[5], 5)[capture] == "1"
    assert int(numbers_of(boards[2], 5)[capture]) > 90  # of the games, for either side
    stones = [circle.get("fill") for circle in boards[5].iter(SVG + "circle") if circle.get("cy") == str(4 * CELL)]
    assert STONES[color][0] in stones
    assert f"Best move {capture}, which wins" in facts_of(search, preset("alpha_r"), 3000, 1.0)[1]


def test_a_variation_tells_of_passes_and_of_stones_on_stones(monkeypatch):
    search = searched(ALPHA_R, Position(5).play("C3"), 20)
    moves = [search.position.point(vertex) for vertex in ("B2", "pass", "D4", "B2", "C3")]
    monkeypatch.setattr(search, "principal_variation", lambda: moves)
    svg = draw_sheet(search, "", [])
    assert numbers_of(boards_of(svg)[5], 5) == {"B2": "1", "D4": "3"}
    assert {"B2 pass D4 B2 C3", "2 pass, 4 at B2, 5 at C3"} <= set(texts(svg))


def nodes_of(node):
    yield node
    for child in node["children"]:
        yield from nodes_of(child)


def depth_of(node):
    return 1 + max(map(depth_of, node["children"])) if node["children"] else 0


def test_the_tree_in_a_dump_adds_up():
    position = Position(5, komi=3.5).play("C3").play("C4")
    search = searched(ALPHA_RVP, position, 800)
    settings = preset("alpha_rvp")
    dump = dump_tree(search, settings, 800, 1.25, depth=100, min_visits=0)
    text = written(dump)
    assert json.loads(text) == dump
    root = dump["root"]
    assert root["visits"] == 800 == sum(child["visits"] for child in root["children"]) and len(root["children"]) == 24
    assert [root[name] for name in ("move", "prior", "value")] == [None] * 3
    for node in nodes_of(root):
        visits = [child["visits"] for child in node["children"]]
        assert sum(visits) <= node["visits"] and visits == sorted(visits, reverse=True)
        assert (node["q"] is None) == (node["q_rollouts"] is None) == (node["visits"] == 0)
        if node["q_value"] is not None and node["visits"]:
            assert node["q"] == pytest.approx(0.5 * node["q_value"] + 0.5 * node["q_rollouts"], abs=2e-5)
    for child, edge in zip(root["children"], search.statistics(), strict=True):
        assert child["move"] == gtp_from_point(edge.move, 5) and child["visits"] == edge.visits
        assert child["prior"] == pytest.approx(edge.prior, abs=1e-5)
        assert child["value"] == (None if edge.value is None else pytest.approx(edge.value, abs=1e-5))
        assert child["q"] == (pytest.approx(edge.q, abs=1e-5) if edge.visits else None)
    mean = sum(child["q_rollouts"] * child["visits"] for child in root["children"] if child["visits"]) / 800
    assert root["q_rollouts"] == pytest.approx(mean, abs=1e-4)
    assert dump["settings"]["search"]["c_puct"] == settings.search.c_puct and dump["seconds"] == 1.25
    drawn = Position.from_text("\n".join(dump["position"]["board"]))
    assert (drawn.colors == position.colors).all()
    assert dump["position"]["moves"] == [["black", "C3"], ["white", "C4"]]
    assert (dump["position"]["to_move"], dump["position"]["komi"]) == ("black", 3.5)
    lines = [line for line in text.splitlines() if line.lstrip().startswith('{"move"')]
    assert len(lines) == sum(1 for _ in nodes_of(root)) and depth_of(root) > 2


def test_a_dump_is_cut_where_it_is_told_to():
    search = searched(UCT, Position(5), 2000)
    whole, shallow, cut = (
        dump_tree(search, preset("uct"), 2000, 1.0, *bounds)["root"] for bounds in ((100, 1), (2, 1), (100, 20))
    )
    assert depth_of(whole) > 3 and depth_of(shallow) == 2
    assert min(node["visits"] for node in nodes_of(whole)) == 1 and min(node["visits"] for node in nodes_of(cut)) >= 20
    kept = [node for node in whole["children"] if node["visits"] >= 20]
    assert [node["move"] for node in kept] == [node["move"] for node in cut["children"]]
    values = {name: {node[name] for node in nodes_of(whole)} for name in ("q_value", "value", "prior")}
    assert values == {"q_value": {None}, "value": {None}, "prior": {None}}


def test_values_change_sides_from_a_node_to_its_children():
    """Black wins whatever happens: all of black's moves are worth 1, and all of white's -1."""
    search = searched(UCT, Position(3, komi=-20), 500)
    root = dump_tree(search, preset("uct"), 500, 1.0, 3, 1)["root"]
    assert root["q"] == 1 and all(child["q"] == 1 for child in root["children"])
    replies = [reply for child in root["children"] for reply in child["children"]]
    assert replies and all(reply["q"] == -1 for reply in replies)


def test_the_command_from_moves_to_sheet_and_dump(tmp_path):
    arguments = [
        "player=alpha_r",
        "player.simulations=400",
        "player.search.threads=1",
        "top=4",
        "min_visits=1",
        "depth=2",
    ]
    files = [f"svg={tmp_path}/sheet.svg", f"dump={tmp_path}/tree.json"]
    done = prezero("apv_mcts.show", "moves=E5 C3", *arguments, *files, runs=tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Move 2: white C3." in done.stdout and "Black to move, komi 7.5. Player alpha_r: 400 sim" in done.stdout
    assert re.search(r"Root value [+-]\d\.\d{3}: black wins [\d.]+%\.", done.stdout)
    rows = re.findall(r"^\| (\w+) +\| +(\d+) \| +([\d.]+)% \| +([\d.]+)% \| +([\d.]+)% \| +- \|", done.stdout, re.M)
    dump = json.loads((tmp_path / "tree.json").read_text())
    assert [(row[0], int(row[1])) for row in rows] == [(n["move"], n["visits"]) for n in dump["root"]["children"]][:4]
    assert [float(row[3]) for row in rows] == pytest.approx(
        [50 + 50 * n["q"] for n in dump["root"]["children"][:4]], abs=0.06
    )
    assert dump["root"]["visits"] == dump["simulations"] == 400 and dump["settings"]["name"] == "alpha_r"
    svg = (tmp_path / "sheet.svg").read_text()
    assert "Position after 2 moves" in texts(svg) and texts(svg).count("no value network") == 2
    best = dump["root"]["children"][0]
    assert f"best {best['move']} {best['visits'] / 4:.1f}%" in " ".join(texts(svg))
    (tmp_path / "game.sgf").write_text("(;SZ[9]PB[Ann]PW[Bob];B[ee];W[cc];B[gg])")
    done = prezero("apv_mcts.show", "sgf=game.sgf", "move=2", *arguments, *files, runs=tmp_path, cwd=tmp_path)
    assert done.returncode == 0 and "Ann - Bob, after 2 moves" in texts((tmp_path / "sheet.svg").read_text())


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    return InProcess(monkeypatch, capsys, tmp_path)


def test_help_names_the_settings(command):
    done = command(show, "--help")
    assert done.code == 0 and "player.simulations=10000 " in done.out and "player.seconds=0.0 " in done.out
    assert "player.name=alpha_rp " in done.out and "file to write the tree to, as JSON" in done.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["player=sl"], "player=sl does not search, and there is nothing of it to show here."),
        (
            ["player=alpha_rvp", "player.run=no"],
            "There is no .*policy.safetensors; ./prezero sl_policy.train .*",
        ),
        (["player=alpha_v", "player.run=no"], "There is no .*value.safetensors; ./prezero value_net.train .*"),
        (["player=nobody"], "player=nobody does not exist; there are .*"),
        (["board=13x13"], "player=alpha_rp plays on 9x9, 19x19 only."),
        (["moves=pass pass"], "The game is over in this position: there is nothing to search."),
        (["move=3"], "move is about a game record: name it with sgf=FILE."),
        (["text=nothing.txt"], "There is no text board in nothing.txt: No such file or directory."),
        (["top=0"], "top=0 is not at least 1."),
        (["boards=dxf"], "boards=dxf is not made of the letters abcdef, as in boards=def."),
        (["depth=0"], "depth=0 is not between 1 and 100."),
        (["min_visits=-1"], "min_visits=-1 is not at least 0."),
        (["player.simulations=-1"], r"player.simulations=-1 is not between 0 and 1,000,000,000."),
        (["simulations=5"], "apv_mcts.show has no setting 'simulations'; did you mean player.simulations.*"),
    ],
)
def test_bad_input_is_one_sentence(command, arguments, sentence):
    done = command(show, "player.search.nodes=100", *arguments)
    assert done.code == 2 and re.fullmatch(f"prezero: {sentence}", done.err.strip().splitlines()[-1]), done.err


def test_moves_that_the_rules_refuse_and_files_that_cannot_be_written(tmp_path):
    done = prezero("apv_mcts.show", "moves=E5 E5", runs=tmp_path)
    assert done.returncode == 2 and done.stderr == "prezero: White cannot play E5: a black stone is there.\n"
    arguments = ["player=alpha_r", "player.simulations=10", f"svg={tmp_path}/none/sheet.svg"]
    done = prezero("apv_mcts.show", *arguments, runs=tmp_path)
    wrong = "cannot be written: it is a folder, or its folder is not there.\n"
    assert done.returncode == 2 and done.stderr == f"prezero: svg={tmp_path}/none/sheet.svg {wrong}"
    done = prezero("apv_mcts.show", f"dump={tmp_path}", runs=tmp_path)
    assert done.returncode == 2 and done.stderr == f"prezero: dump={tmp_path} {wrong}"


def test_a_player_that_does_not_search_is_shown_without_a_search(tmp_path):
    done = prezero("apv_mcts.show", "player=alpha_p", runs=tmp_path)
    assert done.returncode == 0 and "Player alpha_p, without simulations." in done.stdout


def test_a_position_with_nothing_but_a_pass_is_shown():
    position = Position.from_text(". X X\nX X X\nX X .\n")
    search = searched(ALPHA_R, position, 30)
    svg = draw_sheet(search, "", [])
    assert texts(svg).count("best pass 100.0%") == 3 and "1 pass, 2 pass" in texts(svg)
    assert point_from_rowcol(0, 0, 3) not in views_of(search)[2].numbers
