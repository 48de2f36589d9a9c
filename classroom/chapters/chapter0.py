# %% [markdown]
# # Chapter 0: Before learning
#
# **Aims.** Read a Go board as a program does, see what a program without learning knew in the year 2000, and find out
# why looking ahead alone was not enough.
#
# **Duration.** 45 minutes, 60 with the exercises. Running it takes less than half a minute.
#
# Everything on this page was computed when the page was made. The code of a cell is folded: open it, change a number,
# and run the chapter again.

# %% [markdown]
# ## Blocks and liberties
#
# Two rules make the game. Stones of one colour that touch along a line are one **block**. The empty points next to a
# block are its **liberties**. A block without a liberty is taken off the board.
#
# So a program needs one routine above all: find the block of a stone, and count its liberties. It is a flood fill.

# %%
from classroom import lesson
from classroom.examples import SLIDES_BLOCKS, SLIDES_EMPTY, blocks_position
from go import BLACK, Position
from go.board import COLOR_NAMES, EMPTY

position = blocks_position()


def block_of(colors, row, column):
    """Return the stones of a block and its liberties, as two sets of (row, column)."""
    size, color = len(colors), colors[row][column]
    stones, liberties, to_visit = {(row, column)}, set(), [(row, column)]
    while to_visit:
        r, c = to_visit.pop()
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if 0 <= near[0] < size and 0 <= near[1] < size:
                if colors[near] == EMPTY:
                    liberties.add(near)
                elif colors[near] == color and near not in stones:
                    stones.add(near)
                    to_visit.append(near)
    return stones, liberties


letters = {position.point(vertex): letter for letter, vertex, *_ in SLIDES_BLOCKS}
lesson.show_board(position, "Six blocks after 12 moves on 9x9", labels=letters, last_move=0)

# %%
from go.coordinates import rowcol_from_point

rows, found_blocks = [], {}
for letter, vertex, color, stones, liberties in SLIDES_BLOCKS:
    point = position.point(vertex)
    block, free = block_of(position.colors, *rowcol_from_point(point, 9))
    assert len(free) == position.liberties(point)  # the compiled board agrees with the flood fill
    found_blocks[letter] = (COLOR_NAMES[position.color_at(point)], len(block), len(free))
    rows.append(
        [
            f"{letter} ({color})",
            f"{len(block)} stones, {len(free)} liberties",
            f"{stones} stones, {liberties} liberties",
        ]
    )
empty_points = int((position.colors == EMPTY).sum())
rows.append(["empty points", empty_points, SLIDES_EMPTY])
lesson.beside(rows, "Stones and liberties of each block")

# %% [markdown]
# Liberties also decide what is **legal**. A move that leaves its own block without a liberty is suicide, and it is
# forbidden unless it captures. And nobody may take back at once what has just taken one stone: that is the rule of
# **ko**.

# %%
ko = Position.from_text(
    """
    . . . . .
    . X O . .
    X . X O .
    . X O . .
    . . . . .
    """,
    to_move=2,
)
lesson.row(
    lesson.show_board(ko, "White may take at B3 ...", width=230, marks={ko.point("B3"): "triangle"}),
    lesson.show_board(
        ko.play("B3"), "... and Black may not take back at C3", width=230, marks={ko.point("C3"): "cross"}
    ),
)

# %%
eye = Position.from_text(". X . . .\nX . . . .\n. . . . .\n. . . . .\n. . . . .", to_move=2)
refusals = [ko.why_illegal("C3"), eye.why_illegal("A5"), ko.why_illegal("B3")]
lesson.show_table(["what the engine says"], [[refusal] for refusal in refusals])

# %% [markdown]
# ## The program of 2000
#
# Kim and Yoo's *Candidate Generation System* has no patterns, no opening book and no search. After each stone it
# computes four things for the whole board:
#
# | quantity | meaning |
# |---|---|
# | influence power (IP) | how strongly black (+) or white (−) reaches a point |
# | safety | of each block: 0 is dead, 1 is unconditionally alive |
# | probability value (PV) | black's share of a point: 0.5 exactly where IP is 0 |
# | probability matrix (PM) | the sum of the PV: how much of the board black may expect |
#
# Then it lists **five candidates** and plays the one with the highest PV. A page of the paper with the procedure is
# lost, so some details are assumptions of ours (`docs/classics.md` lists them); what can be checked is below.

# %%
from classics import Cgs
from classics.cgs import standing
from classics.sheet import sheet

middle_game = Position(9).play("E5")
for vertex in ("C3", "G3", "G7", "C7", "D6", "D7", "F4"):
    middle_game.play(vertex)
analysis = Cgs(9).analyse(middle_game)
lesson.show_drawing(sheet(middle_game, analysis, "What the program of 2000 sees"), "Black to move, after 8 moves")

# %%
from go.coordinates import gtp_from_point

lesson.show_table(
    ["", "candidate", "why", "PV before", "gain of V"],
    [
        [number, gtp_from_point(found.point, 9), found.why.partition(":")[0], f"{found.pv:.2f}", f"{found.gain:+.2f}"]
        for number, found in enumerate(analysis.candidates, 1)
    ],
    f"Five candidates. {standing(analysis)}.",
)

# %% [markdown]
# Let us check what the paper says about its own numbers. PM of both sides must add up to the number of points, and on
# an empty board nobody is ahead. In its first game, PMD (the difference of both PM) is 7 with black ahead. In its
# second game, it prints 190.8 for black and 162.2 for white. Those cannot both be right.

# %%
from classics.experiments import CHOICES, POINTS, PRINTED_PM, pm_of_lead

empty = Cgs(19).analyse(Position(19))
ahead_by_7, behind_by_16 = pm_of_lead(7.0), pm_of_lead(16.5)
printed_sum = sum(PRINTED_PM)
lesson.beside(
    [
        ["PM of black and white, empty board", f"{empty.pm_black:.1f} and {empty.pm_white:.1f}", "180.5 and 180.5"],
        ["PMD 7, black ahead: PM", f"{ahead_by_7[0]:.1f} and {ahead_by_7[1]:.1f}", "more than 180.5", "consistent"],
        ["black behind by 16.5: PM", f"{behind_by_16[1]:.2f} and {behind_by_16[0]:.2f}", "16.5 behind"],
        [
            "sum of both PM at move 53",
            f"{POINTS}.0 by its equation 20",
            f"190.8 + 162.2 = {printed_sum:.1f}",
            "a misprint: 198.8 + 162.2 or 190.8 + 170.2 would fit",
        ],
        [
            "candidates at move 57",
            len(CHOICES[0].candidates),
            ", ".join(CHOICES[0].candidates),
            f"played: {CHOICES[0].chosen}",
        ],
        [
            "candidates at move 53",
            len(CHOICES[1].candidates),
            ", ".join(CHOICES[1].candidates),
            f"played: {CHOICES[1].chosen}",
        ],
    ],
    "The paper checked against itself",
)

# %% [markdown]
# How well does it play? Step through a game against random play. The squares show PV: the larger a black square, the
# larger black's share of the point.

# %%
from classics.player import CgsPlayer
from classics.settings import CgsSettings
from go.player import RandomPlayer

cgs, opponent = CgsPlayer(9, CgsSettings()), RandomPlayer(seed=4)
system, game, frames, moves = Cgs(9), Position(9, komi=7), {}, []
for number in range(lesson.sized(60, 12)):
    seen = system.analyse(game)
    frames[str(number)] = {
        "heat": {"values": (2 * seen.pv - 1).round(2).tolist(), "scale": "owner"},
        "caption": f"Black's share of the board (PM): {seen.pm_black:.1f} of 81 points.",
    }
    decision = (cgs if game.to_move == BLACK else opponent).decide(game)
    moves.append(gtp_from_point(decision.move, 9))
    game.play(decision.move)
    if game.is_over:
        break
lesson.interactive(
    "game",
    {"size": 9, "moves": moves, "frames": frames, "black": "the program of 2000", "white": "random play", "at": 8},
    "The program of 2000 (black) against random play",
)

# %% [markdown]
# It builds where it is strong already and knows nothing of the opponent's plans. Against GNU Go at its lowest level it
# holds for a dozen moves on 9x9 and then loses block after block: 1 game of 100 was won
# (`docs/classics.md` has the table). It never asks "and then?".

# %% [markdown]
# ## Looking ahead, and why that was not enough
#
# "And then?" is **search**: try each move, each reply, each reply to that. With *w* moves in each position, *d* moves
# deep, there are *w^d* positions to judge. Alpha-beta pruning leaves out what cannot matter: at best, the square root
# remains. Here both are counted on an empty board.

# %%
from classics import influence
from classics.growth import measured, perfect_leaves
from go.player import sensible_moves

size = lesson.sized(7, 5)
board = Position(size)
width = len(sensible_moves(board)) + 1  # a pass is a move, too
growth = []
for depth in range(1, lesson.sized(4, 3)):
    plain, pruned = (measured(board, influence(), depth, prunes)[0] for prunes in (False, True))
    assert abs(plain.value - pruned.value) < 1e-9  # pruning changes the work, not the answer
    growth.append([depth, width**depth, plain.evaluated, pruned.evaluated, perfect_leaves(width, depth)])
lesson.show_table(
    ["depth d", "w^d", "minimax looks at", "alpha-beta looks at", "best possible"],
    [[f"{number:,}" for number in row] for row in growth],
    f"Positions judged on {size}x{size}, where w is {width}",
)

# %% [markdown]
# The slides put a game on 19x19 at about 250 moves to choose from, 150 times in a row. That number has 360 digits.

# %%
import math

exponent = 150 * math.log10(250)
a_second, seconds_of_universe = 1e9, 4.35e17
seen_so_far = math.log10(a_second * seconds_of_universe)
lesson.beside(
    [
        ["250^150", f"10^{exponent:.1f}", "about 10^360", f"a number of {int(exponent) + 1} digits"],
        ["a billion positions a second since the universe began", f"10^{seen_so_far:.1f}", "", "not even a start"],
    ]
)

# %%
games = {"tic-tac-toe": (4, 9), "chess": (35, 80), "Go 9x9": (45, 60), "Go 19x19": (250, 150)}
with lesson.figure("Search spaces: the logarithm of w^d", height=2.6) as figure:
    axes = figure.subplots()
    exponents = [d * math.log10(w) for w, d in games.values()]
    bars = axes.barh(list(games), exponents, color="#0072b2")
    axes.bar_label(bars, [f"10^{value:.0f}" for value in exponents], padding=4)
    axes.set(xlabel="exponent of 10", xlim=(0, 420))
    axes.invert_yaxis()

# %% [markdown]
# Two things must shrink. The **width**: look only at moves that a good player would consider; that needs a *policy*
# (chapters 1 to 3). And the **depth**: judge a position without playing it out; that needs a *value* (chapters 3 to 5).
# AlphaGo learns both.

# %% [markdown]
# ## Exercises
#
# Replace `...` by your answer and run the cell. Each check says whether it is right, and gives a hint.
#
# **1.** How many liberties would the black block *a* have after a white stone at H3?

# %% tags=["exercise"]
from classroom import check

answer = ...
check("0.liberties", answer)

# %% [markdown]
# **2.** Write a function `captured(colors, row, column, color)` that returns how many stones a move of `color` at an
# empty point takes off the board. `colors` is an array of 0 (empty), 1 (black) and 2 (white). Use `block_of`.

# %% tags=["exercise"]
answer = ...
check("0.captured", answer)

# %% [markdown]
# **3.** PM of black is 184.0 on a 19x19 board. What is PMD?

# %% tags=["exercise"]
answer = ...
check("0.pmd", answer)

# %% [markdown]
# **4.** The game tree of shogi has about 80^115 leaves. Which power of ten is that, to the nearest whole number?

# %% tags=["exercise"]
answer = ...
check("0.search_space", answer)

# %% [markdown]
# **5.** A program judges a million positions a second. With 250 moves in each position and no pruning, how many moves
# deep can it look in one second, completely?

# %% tags=["exercise"]
answer = ...
check("0.depth", answer)

# %% [markdown]
# ## Further reading
#
# - Kim and Yoo (2000), the Candidate Generation System; what is missing in the paper and what was assumed:
#   `docs/classics.md`.
# - Knuth and Moore (1975), *An analysis of alpha-beta pruning*: why the square root is the best that pruning can do.
# - van der Werf, van den Herik and Uiterwijk (2003): Go solved on small boards. `./prezero gtp player=solver
#   board.size=4` does it again.
# - In the code: `go/board.py` (blocks and liberties at native speed), `classics/influence.py`, `classics/lookahead.py`.
