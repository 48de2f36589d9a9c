"""The checks of chapter 0."""

from collections.abc import Callable

import numpy as np

from classroom.examples import blocks_position
from classroom.exercises import Exercise, is_function, is_number
from go.position import Position

# 4x4 boards, row by row; the move to try as row, column and colour; the stones that it takes
CASES = (
    (". . . . . O . . . . . . . . . .", (0, 1, 1), 0),
    (". X . . X O X . . . . . . . . .", (2, 1, 1), 1),
    ("O X . X . . . . . . . . . . . .", (1, 0, 1), 1),
    (". O X . O O X . X X . . . . . .", (0, 0, 1), 3),  # two neighbours in one block
    ("O O X . . O X . X X . . . . . .", (1, 0, 1), 3),
    (". X O . O O X . . . . . . . . .", (0, 0, 2), 1),  # white takes
)


def _board(text: str) -> np.ndarray:
    cells = [".XO".index(letter) for letter in text.split()]
    size = int(len(cells) ** 0.5)
    return np.array(cells, np.uint8).reshape(size, size)


def _captured(function: Callable) -> str | None:
    for text, (row, column, color), expected in CASES:
        colors = _board(text)
        before = colors.copy()
        found = function(colors, row, column, color)
        if not (colors == before).all():
            return "The function changes the board that it was given; work on a copy."
        if found != expected:
            drawn = " / ".join(" ".join(".XO"[cell] for cell in line) for line in before)
            return f"On the board {drawn}, colour {color} at row {row}, column {column}: {found} is not right."
    return None


def _liberties_of_a() -> int:
    position: Position = blocks_position()
    return position.play("H3", 2).liberties("J3")


EXERCISES = [
    Exercise(
        "liberties",
        "Block a has the liberties H4, H3, H2 and J1. A stone takes one away.",
        is_number(_liberties_of_a(), mistakes={4: "That is what block a has before the move."}),
    ),
    Exercise(
        "captured",
        "Put the stone on a copy of the board. Then look at the blocks of the other colour next to it: which have no "
        "liberty left? Two neighbours may belong to the same block; count it once.",
        is_function(_captured),
    ),
    Exercise(
        "pmd",
        "Both PM add up to 361. PMD is their difference.",
        is_number(7.0, 1e-6, mistakes={177.0: "That is PM of white. PMD is the difference of both."}),
    ),
    Exercise(
        "search_space",
        "The logarithm of a^b is b times the logarithm of a; take it to base 10.",
        is_number(219, 0.6, mistakes={360: "That is Go. Shogi has 80 moves to choose from, 115 times in a row."}),
    ),
    Exercise(
        "depth",
        "250^d must not be larger than a million. Try d = 1, 2, 3.",
        is_number(2, mistakes={3: "250^3 is more than 15 million."}),
    ),
]
