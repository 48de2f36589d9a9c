"""A collection of ladders on drawn boards, with the answer to each lettered point.

Each board is followed by one or more problems on it, a line each, whose fields stand between bars:

    what it is about | who is to move | the answers | what is changed on the board | what has been played

`captures` and `misses` are ataris on a chain with two liberties, `escapes` and `caught` are answers to an atari, and
`idle` points are neither, though they look like it. What is not said to capture or to escape does neither. The digits
on a board are empty unless a problem puts a stone there (`1=O`), which it can do on a letter too. Moves that have been
played before the question are letters, or `pass`.
"""

from typing import NamedTuple, Self

from go import BLACK, PASS, WHITE, Position
from go.coordinates import POINTS, symmetry_table
from go.text import read_board

ANSWERS = ("captures", "misses", "escapes", "caught", "idle")
COLORS = {"black": BLACK, "white": WHITE}
DIGITS = str.maketrans("123456789", ".........")

COLLECTION = """

# plain

. . . . . . . . .
. . . X . . . . .
. . X O a . . . .
. . X b . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
it runs into the corner | black | captures a, misses b
after the atari it is too late to run | white | caught b | a=X
after the wrong atari the other way is open | white | escapes a | b=X

. . . . . . . . .
. . . . . X . . .
. . . . X O a . .
. . . . X b . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
it runs into the edge | black | captures a, misses b

. X . . .
X O a . .
X b . . .
. . 1 . .
. . . . .
a short one on 5x5 | black | captures a, misses b
a short one on 5x5, broken | black | misses a b | 1=O

O a . . .
b . . . .
. . . . .
. . . . .
. . . . .
a lone stone in the corner is lost either way | black | captures a b

. . . . . . . . .
. . X X X . . . .
. X O O O a . . .
. . X X b . . . .
. . . X . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
three stones at once | black | captures a, misses b

# long

. . . . . . . . . . . . . . . . . . .
. . . X . . . . . . . . . . . . . . .
. . X O a . . . . . . . . . . . . . .
. . X b . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . 2 . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . 1 . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
. . . . . . . . . . . . . . . . . . .
across the board in more than sixty moves | black | captures a, misses b
across the board, running | white | caught b | a=X
across the board to a breaker | black | misses a b | 1=O
across the board to a breaker, running | white | escapes b | a=X 1=O
a hunter's stone before the breaker | black | captures a, misses b | 1=O 2=X
a hunter's stone before the breaker, running | white | caught b | a=X 1=O 2=X

# choice

. . . . . . . . .
. . . X 1 . . . .
. . X O a . . . .
. . X b n . . . .
. . . . . . . . .
. . . . . . . . .
. . . . 3 . . 2 .
. . . . . . . . .
. . . . . . . . .
both ataris work | black | captures a b, idle n | 1=X
a breaker for one of the two paths | black | captures b, misses a, idle n | 1=X 3=O
a net at n would catch it, but no atari does | black | misses a b, idle n | 1=X 2=O

. . . . . . . . .
. . . X . . . . .
. . X O a . . . .
. . . b . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
no atari works without a helper | black | misses a b

# breakers

. . . . . . . . . . . . .
. . . X . . . . . . . . .
. . X O a . . . . . . . .
. . X b . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . 6 . . . 4 . .
. . . . . . 7 . . 3 . . .
. . . . . . . 2 . . . . .
. . . . . . . . . 1 . . .
. . . . . . . 5 . . . . .
. . . . . . . . . . . 8 .
. . . . . . . . . . . 9 .
a breaker on the path of the prey | black | misses a b | 1=O
a breaker on the path of the hunter | black | misses a b | 2=O
a breaker on the path of the hunter, on the other side | black | misses a b | 3=O
a breaker just off the path does not help | black | captures a, misses b | 4=O
a breaker just off the path does not help, on the other side | black | captures a, misses b | 5=O
a stone of the hunter on the path of the prey | black | captures a, misses b | 1=O 6=X
a stone of the hunter on the path of the hunter | black | captures a, misses b | 1=O 7=X
a stone of the hunter behind the breaker does not help | black | misses a b | 1=O 8=X
a stone on the first line comes too late to break | black | captures a, misses b | 9=O

. . . . . . . . . . . . .
. . . X . . . . . . . . .
. . X O a . . . . . . . .
. . X b . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . d
. . . . . . . . . . . c O
a breaker in the far corner is itself in a ladder | black | captures a c d, misses b

. . . . . . . . . . . . .
. . . X . . . . . . . . .
. . X O a . . . . . . . .
. . X b . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . 2 . . .
. . . . . . . . . 1 . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . 3 . . . . .
. . . . . . 4 . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
a breaker that gives atari on a hunter from above | black | misses a b | 1=O
a breaker that gives atari on a hunter from below | black | misses a b | 3=O
one more step away it does not | black | captures a, misses b | 2=O
one more step away it does not, below | black | captures a, misses b | 4=O

. . . . . . . . .
. . . X 1 . . . .
. O X O a . . . .
. O X b . . . . .
. . O . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
a helper that is short of liberties itself | black | misses a b
but not on the side where it is given one more | black | captures b, misses a | 1=X

# turns

. . . . . . . . . . . . .
. . . . . . . . X . . . .
. . . . . . . X O a . . .
. . . . . . . X b . . . .
. . . . . . . . . . . . .
. . . . . . . . 1 . . . .
. . . . . . . . . . . O .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . 2 . . . . . . . . . .
. . . . . 3 . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
broken, if nothing turns it | black | misses a b
turned by a stone, it goes the other way to the edge | black | captures a, misses b | 1=X
turned by a stone, it runs into the next breaker | black | misses a b | 1=X 2=O
turned by a stone, it runs past the next breaker | black | captures a, misses b | 1=X 3=O

. . . . . . . . . . . . .
. . . X . . . . . . . . .
. . X O a . . . . . . . .
. . X b . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . 2 . . . . . . . .
. . . . . . . . . . . . .
. . . . . . 1 . . . . . .
. . . . . . . . . O . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
. . . . . . . . . . . . .
turned late, it leaves a hunter in atari behind | black | misses a b | 1=X
led by a second stone, it runs one column aside into the first | black | captures a, misses b | 1=X 2=X

# edge

. X O b . 1 .
. . a . . . 2
. . . . . . 3
. . . . . . .
. . . . . . 4
. . . . . . .
. . . . . . .
crawling on the first line into the corner | black | captures a, misses b
crawling on the first line to a friend | black | misses a b | 1=O
crawling round the corner behind two friends | black | captures a, misses b | 2=O 3=O
crawling round the corner behind two friends to a third | black | misses a b | 2=O 3=O 4=O

. X O b . c O
. . a . . . d
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
crawling to a friend in the corner, who is lost himself | black | captures a c d, misses b

. . a . . . . . .
. X O b . . . . .
. . X X X X . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
on the second line under a wall | black | captures a b

# taking a hunter

. . . . . . . . .
. . X X O . . . .
. . X O X b . . .
. . X a O . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
take the hunter beside the last stone, or run | white | escapes a b

. . . . . . . . .
. X X O . . . . .
. X O X b . . . .
. X O O X . . . .
. X O X . . . . .
. X O X . . . . .
. X O X . . . . .
. X a X . . . . .
. . . . . . . . .
take a hunter at the far end of a long chain | white | escapes b, caught a

. . . . . . . . .
. . . . d . . . .
. . . X O X . . .
. . X O X O X . .
. . X a b c . . .
. . . X . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
one capture saves three chains | white | escapes b c d, caught a

. X a X O O O l X
. . X O X X X X .
. . X b X . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
the capture gives two liberties, and the ladder goes on | white | caught a b, idle l

X O X a X . .
X O O O X . .
X X X X X . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
the capture is a snapback | white | caught a

. . . . . . .
. . X X X . .
. X O O a . .
. X O X X O .
. . X O O O .
. . X . . . .
. . . . . . .
the extension itself captures | white | escapes a

# throw-ins and connections

X O a b X . .
X O O O X . .
X X X X X . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
the throw-in and the quiet atari both work | black | captures a b

. c O O a O O X .
. X X X . X X X .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
connect and die | black | captures a c
connect and die, connecting | white | caught a | c=X

. . . . . . .
. X X . . . .
X O O X . . .
. X a O O . .
. . X . O . .
. . . . . . .
. . . . . . .
the extension connects to a living group | white | escapes a

# liberties

. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . X X . . . . .
. X O O a . . . .
. . X X 1 . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
the extension gives three liberties | white | escapes a
the extension gives only two | white | caught a | 1=X

a O X . .
b O X . .
c O X . .
X X X . .
. . . . .
a chain with three liberties is no prey, dead as it is | black | idle a b c

. . . . . . .
. . X . . . .
. X O a . . .
. . X . . . .
. . . . . . .
. . . . . . .
. . . . . . .
a chain in atari can be taken, which is no ladder | black | idle a

. . . . . . . . .
. . . X . . . . .
. . X O a . . . .
. . X b . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
a chain with two liberties need not escape yet | white | idle a b

# suicide

e O X . .
O O X . .
X q . . .
. . . . .
. . . . .
the atari from inside would be suicide | black | captures q, idle e

# ko

q O X k X . .
X O O X . . .
X X X . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
taking the ko does not help | white | caught k, idle q

q O p k X . .
X O O X . . .
X X X . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
the ko may be taken with atari | black | captures p q | k=O
the ko may not be taken back | black | captures q, idle p | p=X | k
after two passes only superko would forbid it | black | captures p q | p=X | k pass pass

O O X k X . . . .
O X O X . . . . .
O X l X . . . . .
O X . X . . . . .
O O . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
the hunter may not retake | white | escapes k, caught l

. . . . . . . . . . .
. . . . . . . . . . .
. . . . X . . 2 . . .
. . . X k X X l X . .
. . X O X O O 1 O X .
. . X O O O O O O X .
. . . X O p O X X . .
. . . . X O X . . . .
. . . . . X . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
two kos are not enough | white | caught k, idle p | 1=O l=X
three kos go round for ever, and no answer is certain | white | idle k l p | 1=X 2=X

# two chains

. l O s O r .
. . X X X . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
two preys share a liberty | black | captures l r s

. . . . . . .
. . X . X X .
. X O a O b .
. . X . X . .
. . . . . . .
. . . . . . .
. . . . . . .
one point for both: the hunter takes and gives atari | black | captures a b
one point for both: the prey connects | white | escapes a, idle b

. X O c .
X O a . .
X b . . .
. . . . .
. . . . .
one atari on two chains catches the one at the edge | black | captures a, misses b c

. a e . .
b O X c .
f X O h .
. d g . .
. . . . .
a crosscut on 5x5 | black | captures a b, misses g h, idle c d e f
a crosscut on 5x5, the other side to move | white | captures c d, misses e f, idle a b g h

. . . . . . .
. . . . . . .
. . . . . . .
. . . . O . .
. . . O X p O
. . . . O X X
. . . . . . .
one move escapes and captures | black | captures p, escapes p
"""

# Where a white stone breaks the ladder that starts at a (#), and where it does not.
MAPS = (
    """
    . . . . . . . . .
    . . . X # . . . .
    . . X O a # . . .
    . . X # # # # . .
    . . # # # # # # .
    . . . # # # # # #
    . . . . # # # # #
    . . . . . # # # .
    . . . . . . . . .
    """,
    """
    . . . . . . . . . . . . .
    . . . X # . . . . . . . .
    . . X O a # . . . . . . .
    . . X # # # # . . . . . .
    . . # # # # # # . . . . .
    . . . # # # # # # . . . .
    . . . . # # # # # # . . .
    . . . . . # # # # # # . .
    . . . . . . # # # # # # .
    . . . . . . . # # # # # #
    . . . . . . . . # # # # #
    . . . . . . . . . # # # .
    . . . . . . . . . . . . .
    """,
)


class Problem(NamedTuple):
    category: str
    name: str
    drawing: str  # with all letters
    board: str  # with the stones that some of them stand for in this problem
    to_move: int  # before the moves that have been played
    answers: dict[str, str]  # the letters of each answer
    played: tuple[str, ...]

    @classmethod
    def read(cls, category: str, drawing: str, line: str) -> Self:
        name, to_move, answers, *rest = (field.strip() for field in line.split("|"))
        changes, played = [*rest, "", ""][:2]
        moves = tuple(played.split())
        letters = dict.fromkeys(ANSWERS, "")
        for part in answers.split(", "):
            answer, *points = part.split()
            letters[answer] += "".join(points)
        return cls(
            category,
            name,
            drawing.translate(DIGITS),
            drawing.translate(str.maketrans(dict(change.split("=") for change in changes.split()))).translate(DIGITS),
            COLORS[to_move] if len(moves) % 2 == 0 else BLACK + WHITE - COLORS[to_move],
            letters,
            moves,
        )

    def position(self, symmetry: int = 0, swapped: bool = False) -> Position:
        """Set up the position, turned by a symmetry, and with the colours swapped if asked for."""
        board, to_move = self.board, self.to_move
        if swapped:
            board, to_move = board.translate(str.maketrans("XO", "OX")), BLACK + WHITE - to_move
        drawn = Position.from_text(board)
        table = symmetry_table(drawn.size)[symmetry].tolist()
        points = [point for point in range(POINTS) if table[point]]
        black, white = ([table[p] for p in points if drawn.color_at(p) == color] for color in (BLACK, WHITE))
        position = Position(drawn.size).set_up(black, white, to_move=to_move)
        for name, (point,) in read_board(self.drawing)[1].items():
            position.named_points[name] = [table[point]]
        for move in self.played:
            position.play(PASS if move == "pass" else position.at(move))
        return position


def read_collection(text: str) -> list[Problem]:
    problems, category = [], ""
    for block in text.strip().split("\n\n"):
        if block.startswith("# "):
            category = block[2:]
            continue
        lines = block.splitlines()
        size = len(lines[0].split())
        problems += [Problem.read(category, "\n".join(lines[:size]), line) for line in lines[size:]]
    return problems


PROBLEMS = read_collection(COLLECTION)
