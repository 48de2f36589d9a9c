"""Boards of the lecture slides that chapters, exercises and tests share.

The slides' own diagrams of the blocks and of the feature weights are lost; those here are drawn so that all of the
slides' numbers come out. The 9x9 position is theirs.
"""

from go.board import WHITE
from go.position import Position

BLOCKS = """
   A B C D E F G H J
 9 . . . . . . . . O  9
 8 . . . . . . . X X  8
 7 . . . . . . . . O  7
 6 . . . . . . . . O  6
 5 . . . . . . . . O  5
 4 . . . . . . . . X  4
 3 . . . . . . . . X  3
 2 O O . . . . . . X  2
 1 X . . . . . . . .  1
   A B C D E F G H J
"""
# By the slides: letter, a stone of the block, colour, stones, liberties
SLIDES_BLOCKS = (
    ("a", "J3", "black", 3, 4),
    ("b", "H8", "black", 2, 3),
    ("c", "A1", "black", 1, 1),
    ("d", "J6", "white", 3, 3),
    ("e", "J9", "white", 1, 1),
    ("f", "B2", "white", 2, 4),
)
SLIDES_EMPTY = 69  # empty points after 12 moves

WEIGHED = """
. O X . . . .
O X O . . . .
. . X . O . .
. . . O X . .
. . . . . . .
. . . . . . .
. . . . . . .
"""
WEIGHED_MOVES = {"a": "D6", "b": "E3", "c": "G3"}
SLIDES_TOTALS = {"a": (3, 2, 0), "b": (0, 2, 1), "c": (0, 0, 1)}  # capture, escape, neighbour

# The position before its last eight moves, the oldest of which comes first.
OLDER = """
   A B C D E F G H J
 9 . . . . . . . . .  9
 8 . . O X . . . . .  8
 7 . . O X O O . . .  7
 6 . X X O X . . . .  6
 5 . . O O X . . . .  5
 4 . X . . . . . . .  4
 3 . . . . . . . . .  3
 2 . . . . . . . . .  2
 1 . . . . . . . . .  1
   A B C D E F G H J
"""
LAST_EIGHT = ("C4", "B5", "D4", "E8", "G6", "H4", "G5", "F3")
# Liberties as the slides print them, by stones of the chains. The last one is wrong.
SLIDES_LIBERTIES = {
    ("C8", "C7"): 3,
    ("D8", "D7"): 1,
    ("E8", "E7", "F7"): 4,
    ("B6", "C6"): 2,
    ("E6", "E5"): 3,
    ("G6", "G5"): 6,
    ("B4", "C4", "D4"): 5,
    ("H4",): 4,
    ("F3",): 4,
    ("D6", "B5", "C5", "D5"): 2,
}

# A kernel with the slides' results, 10 and 3; theirs is in a figure that is lost.
KERNEL = ((1, 2, 1), (3, 4, 3), (1, 2, 1))
STAR, TRIANGLE = "C4", "A4"


def blocks_position() -> Position:
    """Return the position with six blocks."""
    return Position.from_text(BLOCKS)


def weighed_position() -> Position:
    """Return the position in which moves a, b and c are weighed. White's last move put a black stone in atari."""
    return Position.from_text(WEIGHED, to_move=WHITE).play("F4")


def slides_position() -> Position:
    """Return the 9x9 position of the slides, black to move, with its last eight moves."""
    position = Position.from_text(OLDER, superko=False)
    for vertex in LAST_EIGHT:
        position.play(vertex)
    return position
