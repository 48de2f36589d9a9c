"""`rollout.show`: the moves of a policy with their reasons, in drawn positions where all features are known."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import prezero

from go import BLACK, WHITE, Position
from rollout.choices import choices
from rollout.features import DISTANCES
from rollout.model import Model
from rollout.patterns import SQUARE_IMAGES, SQUARE_STEPS, canonical, code_around
from rollout.show import table_of

NONE = np.empty(0, np.int64)


def policy(is_tree: bool = False, squares: np.ndarray = NONE) -> Model:
    """A policy whose weights tell which feature they are of."""
    model = Model.untrained(squares, NONE, NONE, NONE if is_tree else None)
    model.weights[model.first("save atari")] = 2.0
    model.weights[model.first("neighbour") : model.first("neighbour") + 8] = np.arange(8) / 8 + 0.125
    model.weights[model.first("nakade") : model.first("nakade") + 234] = 3.0
    if is_tree:
        model.weights[model.first("self-atari")] = -4.0
        first = model.first("last move distance")
        model.weights[first : first + 2 * DISTANCES] = -np.tile(np.arange(DISTANCES), 2) / 16
    return model


def reasons(position: Position, model: Model) -> dict[str, dict[str, float]]:
    found = choices(position, model)
    assert sum(choice.probability for choice in found) == pytest.approx(1)
    assert [choice.probability for choice in found] == sorted((c.probability for c in found), reverse=True)
    for choice in found:
        total = sum(reason.weight for reason in choice.reasons)
        assert np.log(choice.probability / found[0].probability) == pytest.approx(
            total - sum(reason.weight for reason in found[0].reasons), abs=1e-5
        )
        assert [abs(r.weight) for r in choice.reasons] == sorted((abs(r.weight) for r in choice.reasons), reverse=True)
    return {gtp(position, choice.point): dict(choice.reasons) for choice in found}


def gtp(position: Position, point: int) -> str:
    row, column = divmod(point, 21)
    return f"{'ABCDEFGHJ'[column - 2]}{position.size - (row - 2)}"


def test_neighbours_are_named_by_their_direction_from_the_last_move():
    found = reasons(Position(9).play("E5"), policy())
    names = {move: next(iter(why)) for move, why in found.items() if why}
    assert names == {
        **{"D6": "neighbour NW", "E6": "neighbour N", "F6": "neighbour NE", "D5": "neighbour W"},
        **{"F5": "neighbour E", "D4": "neighbour SW", "E4": "neighbour S", "F4": "neighbour SE"},
    }
    assert found["D6"] == {"neighbour NW": 0.125} and found["F4"] == {"neighbour SE": 1.0}


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_save_atari_and_self_atari_are_reasons(color):
    text = """
        . X . . .
        X O a . .
        . X . . .
        . . . . .
        b X . . .
    """
    if color == BLACK:
        text = text.translate(str.maketrans("XO", "OX"))
    position = Position.from_text(text, to_move=color)
    found = reasons(position, policy(is_tree=True))
    assert found[gtp(position, position.at("a"))] == {"save atari": 2.0}
    assert found[gtp(position, position.at("b"))] == {"self-atari": -4.0}
    assert sum("save atari" in why for why in found.values()) == 1


def test_nakade_follows_the_capture_of_the_last_move():
    position = Position.from_text(
        """
        O O O . .
        X X X . .
        . . . . .
        . . . . .
        . . . . .
        """,
        to_move=BLACK,
    )
    found = reasons(position.play("D5"), policy())
    assert {move for move, why in found.items() if "nakade" in why} == {"A5", "B5", "C5"}
    assert found["B5"] == {"nakade": 3.0}


def test_distances_are_told_of_both_moves():
    found = reasons(Position(9).play("E5").play("G5"), policy(is_tree=True))
    assert found["E6"] == {"distance 3 to the last move": -0.125, "distance 1 to the second last move": 0.0}
    after_pass = reasons(Position(9).play("E5").play("pass"), policy(is_tree=True))
    assert after_pass["E6"] == {"distance 1 to the second last move": 0.0}
    assert reasons(Position(9), policy(is_tree=True))["A1"] == {}


def test_a_known_pattern_is_a_reason_in_all_its_images():
    position = Position(9).play("E5").play("pass").play("pass", WHITE)
    code = code_around(position.board, position.point("D6"), SQUARE_STEPS)
    model = policy(squares=canonical(np.array([code]), SQUARE_IMAGES)[0])
    model.weights[model.first("non-response pattern")] = 0.5
    found = reasons(position, model)
    assert {move for move, why in found.items() if why == {"pattern 3x3": 0.5}} == {"D6", "F6", "D4", "F4"}


def test_the_position_is_left_as_it_was():
    position = Position(9).play("E5").play("C3")
    before = position.boards.tobytes()
    choices(position, policy())
    assert position.boards.tobytes() == before and len(position.history) == 2


def test_the_table_has_the_best_moves_and_why():
    position = Position(9).play("E5")
    lines = table_of(choices(position, policy()), 9, 2).splitlines()
    assert len(lines) == 4 and re.search(r"\| F4 +\| +\d\.\d\d% \| neighbour SE \+1\.00", lines[2])
    assert re.search(r"\| E4 +\| +\d\.\d\d% \| neighbour S \+0\.88", lines[3])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    (folder / "laptop" / "rollout.train").mkdir(parents=True)
    for name in ("rollout", "tree"):
        policy(name == "tree").save(folder / "laptop" / "rollout.train" / f"{name}.safetensors", {"size": 9})
    return folder


def test_the_command_lists_and_draws(runs, tmp_path):
    drawing = tmp_path / "moves.svg"
    done = prezero("rollout.show", "moves=E5", "top=3", "run=laptop", f"svg={drawing}", runs=runs)
    assert done.returncode == 0, done.stderr
    assert "The rollout policy of" in done.stdout and "learnt on 9x9" in done.stdout
    assert "neighbour SE +1.00" in done.stdout and "77 more moves have" in done.stdout
    texts = [node.text for node in ET.parse(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert "Position after 1 moves: rollout policy, percent" in texts and "3" in texts
    (tmp_path / "game.sgf").write_text("(;SZ[9];B[ee];W[cc];B[gg])")
    file = runs / "laptop" / "rollout.train" / "tree.safetensors"
    done = prezero("rollout.show", f"sgf={tmp_path}/game.sgf", "move=2", f"weights={file}", runs=tmp_path)
    assert "The tree policy of" in done.stdout and "to the second last move" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["top=0"], "top=0 is not at least 1."),
        (["policy=forest"], "policy=forest is none of rollout, tree."),
        (["weights=README.md"], "README.md is not a pattern policy, or is damaged: .*"),
        (["run=none"], r"There is no .*rollout.safetensors; ./prezero rollout.train run=none makes it\."),
        (["moves=E5 E5"], "White cannot play E5: a black stone is there."),
    ],
)
def test_bad_input_is_one_sentence(runs, arguments, sentence):
    done = prezero("rollout.show", *arguments, runs=runs)
    assert done.returncode == 2 and re.fullmatch(f"prezero: {sentence}", done.stderr.splitlines()[-1]), done.stderr


def test_a_player_without_moves_passes(runs, tmp_path):
    (tmp_path / "board.txt").write_text(". X .\nX X X\n. X .\n")
    done = prezero("rollout.show", f"text={tmp_path}/board.txt", runs=runs)
    assert done.returncode == 0 and "There is no move but to pass." in done.stdout, done.stderr
