# %% [markdown]
# # Chapter 4: Search
#
# **Aims.** Know what minimax and alpha-beta compute, and why they were not enough for Go. See what random playouts
# can tell, and where they are wrong. Follow Monte Carlo tree search through its four steps, first with the numbers of
# the slides, then on a real board, in the search that the players of Prezero use.
#
# **Duration.** 75 minutes with the exercises. The code runs for less than a minute.

# %%
from classics.bandit import slides_tree, ucb1
from classics.evaluation import area
from classics.growth import growth_rows, measured
from classics.small_trees import (
    EXPANDED_AT,
    Node,
    back_up,
    best_child,
    bounds,
    flat_value,
    mean_after,
    minimax,
    most_visited,
    slides_bounds,
    slides_node,
    trap,
    uct,
    visits_before,
)
from classics.solver import Solver
from classroom import check, costs, game_trees, lesson, tree_traces
from go import Position

# %% [markdown]
# ## 1. Minimax
#
# Black wants a large value, white a small one. So in a position where black moves, its value is the largest value of
# the positions after black's moves, and where white moves, the smallest. The slides' example: the left move is worth
# 3, the right one 6, so black goes right. (Their leaves are lost; these are ours, with the same values above them.)
#
# **Alpha-beta** gets the same value with less work. It remembers what black (α) and white (β) are already sure of. As
# soon as a position cannot matter any more, the rest of its moves is cut off. Step through the search. Then **change
# the tree**: click a leaf and type, add and remove moves, order the moves best first. The page searches again after
# each change.

# %%
lesson.interactive(
    "tree",
    game_trees.page_data(("the slides' tree", game_trees.SLIDES_TREE), ("a larger tree", game_trees.LARGER_TREE)),
    "Minimax and alpha-beta",
)

# %%
tree = game_trees.SLIDES_TREE
left, right = (game_trees.search_from(child, False) for child in tree)
plain, pruned = game_trees.search(game_trees.LARGER_TREE, prunes=False), game_trees.search(game_trees.LARGER_TREE)
ordered = game_trees.search(game_trees.best_first(game_trees.LARGER_TREE))
lesson.beside(
    [
        ["left and right child", f"{left:g} and {right:g}", "3 and 6", ""],
        ["move chosen", "right" if right > left else "left", "right", f"worth {game_trees.search(tree).value:g}"],
        ["larger tree, value", f"{plain.value:g} and {pruned.value:g}", "", "minimax and alpha-beta agree"],
        [
            "larger tree, leaves",
            f"{len(plain.leaves)} and {len(pruned.leaves)}",
            "",
            f"{len(ordered.leaves)} with the best move first",
        ],
    ]
)

# %% [markdown]
# ## 2. What it costs
#
# With w moves in each position, a search of depth d looks at w^d positions. Alpha-beta needs about the square root of
# that if it always tries the best move first, which nobody can promise. Go has about 250 moves in a position and
# games of 150 moves: 250^150, about 10^360.

# %%
power = costs.power_of_ten(costs.GO_MOVES, costs.GO_DEPTH)
year = 1e9 * 365 * costs.DAY
lesson.beside(
    [
        ["250^150", f"10^{power:.1f}", "about 10^360", "atoms in the universe: about 10^80"],
        ["depth in a year at 10^9 positions a second", f"{costs.depth_within(250, year):.1f}", "", "minimax"],
        ["the same with perfect alpha-beta", f"{2 * costs.depth_within(250, year):.1f}", "", "twice as deep"],
        ["the same in chess, w = 35", f"{costs.depth_within(35, year):.1f}", "", "a reason why chess fell first"],
    ]
)

# %%
counted = {
    f"w = {w}, d = {d}": game_trees.leaves_counted(w, d) for w, d in ((3, 4), (4, 6), lesson.sized((6, 6), (5, 4)))
}
lesson.show_table(
    ["random tree", *next(iter(counted.values()))],
    [[name, *(f"{n:,}" for n in row.values())] for name, row in counted.items()],
)

# %% [markdown]
# The same on a real board, by the players `minimax` and `alphabeta` of Prezero, on 5x5 after one move:

# %%
opening = Position(5, 0.5).play("C3")
measured(opening, area(), 1, prunes=True)  # compiles, so that no time below contains it
rows = growth_rows(opening, area(), lesson.sized(4, 2), most_leaves=lesson.sized(4e5, 2e3))
lesson.show_table(["d", "w^d", "minimax", "alpha-beta", "best possible", "minimax, time", "alpha-beta, time"], rows)

# %% [markdown]
# ## 3. Playouts, and their flaw
#
# Where a search cannot reach the end of the game, something must say who is ahead. In Go nobody could write that
# function. **Monte Carlo** does without: play random moves to the end, many times, and count the wins. *Flat* Monte
# Carlo does this for each move and plays the one that won most often.
#
# The slides show its flaw. After b₁ white has two replies. One of them, w₂, always wins for white, so b₁ is worth
# nothing. But random replies find w₂ only half of the time, so b₁ looks like 50%.

# %%
small = trap()
names = [child.name for child in small]
lesson.beside(
    [
        [
            "b1 in the eyes of flat Monte Carlo",
            f"{flat_value(small.children[0]):.0%}",
            "50%",
            "random replies find w2 half of the time",
        ],
        ["b1 really", f"{minimax(small.children[0]):.0%}", "0%", "white plays w2"],
        [
            "b2",
            f"{flat_value(small.children[1]):.0%} and {minimax(small.children[1]):.0%}",
            "",
            "the same for both: our own second move",
        ],
        ["flat Monte Carlo plays", best_child(small, flat_value).name, "", "a blunder"],
        ["minimax plays", best_child(small, minimax).name, "", ""],
        ["UCT plays, after 500 simulations", uct(trap(), 500).name, "", "the tree grows where it matters"],
    ]
)

# %% [markdown]
# The same happens on real boards. Here black, to move, has two sensible ideas, B4 and B3 (4x4, komi 0.5, an exact
# solver knows the truth).

# %%
position = tree_traces.trap_position()
solver = Solver(4)
wins = {move: solver.winner(position.copy().play(move), 1) == position.to_move for move in ("B4", "B3")}
lesson.show_board(position, "Black to move. B4 or B3?", width=260)

# %%
found = tree_traces.flat_and_tree(position, lesson.sized(4_000, 700))
rows = []
for name, moves in found.items():
    known = {move: (visits, rate) for move, visits, rate in moves}
    shown = [f"{known[move][1]:.0%} of {known[move][0]:,}" for move in ("B4", "B3")]
    rows.append([name, *shown, moves[0][0]])
rows.append(["exact solver", *("wins" if wins[move] else "loses" for move in ("B4", "B3")), "B3"])
lesson.show_table(["", "B4", "B3", "plays"], rows, "Games won by black, and playouts")

# %% [markdown]
# ## 4. UCT, step by step
#
# UCT (2006) is the cure: treat **each node as a bandit** (chapter 3) and let the tree grow where it is worth while. A
# simulation has four steps: *selection* (walk down by the highest UCB1), *expansion* (a leaf that was visited often
# enough gets children), a *playout* by random moves, and the *backup* of its result to all nodes on the way. As
# replies with a high win rate for white are chosen more often, the value of b₁ sinks to the truth.
#
# First with the numbers of the slides, at their node n₁:

# %%
lesson.interactive("tree", tree_traces.slides_trace(), "The steps at node n1 of the slides")

# %% [markdown]
# **The slip of chapter 3 again.** The printed biases follow `2 √(log₁₀(t/n))`, with t = 18 and n = 3, 10 and 5. The
# fraction is inside the logarithm once more, and there is a factor √2 more than in the table of the bandit. The true
# UCB1 has other numbers and the same winner: b1 is tried next, and b2 is played in the end.

# %%
printed = {"b1": ("0.33", "1.76", "2.10"), "b2": ("0.70", "1.01", "1.71"), "b3": ("0.40", "1.49", "1.89")}
true = bounds(slides_node(), ucb1)
lesson.beside(
    [
        [
            f"{name}: rate, bias, UCB",
            " ".join(f"{value:.4f}" for value in numbers),
            " ".join(printed[name]),
            f"true UCB1: bias {true[name] - numbers[0]:.3f}, sum {true[name]:.3f}",
        ]
        for name, numbers in slides_bounds().items()
    ]
)

# %%
path = [Node("root", "white"), Node("node", "black", wins=8, visits=19)]
back_up(path, black_wins=1.0)  # white moved to the node, so this is a loss there
node = path[1]
chosen = {
    rule.__name__: max(bounds(slides_node(), rule).items(), key=lambda pair: pair[1])[0] for rule in (slides_tree, ucb1)
}
lesson.beside(
    [
        [
            "tried next",
            f"{chosen['slides_tree']} and {chosen['ucb1']}",
            "b1",
            "by both formulas, although b2 wins more often",
        ],
        [
            "visits at which a leaf gets children",
            f"{EXPANDED_AT}",
            "10",
            "40 in the paper (n_thr, adapted to the load)",
        ],
        ["played after the search", most_visited(slides_node()).name, "b2", "the move with most trials"],
        [
            "node after a loss was backed up",
            f"{node.wins:g} wins, {node.visits - node.wins:g} losses",
            "8 wins, 12 losses",
            "another node than n1, which has 10 wins in 18",
        ],
        [
            "Zero: 60%, then a leaf worth 70%",
            f"{mean_after(0.6, 1, 0.7):.0%}",
            "65%",
            f"so it had {visits_before(0.6, 0.7, 0.65):.0f} visit before",
        ],
        [
            "Zero: 50%, then a leaf worth 70%",
            f"{mean_after(0.5, 3, 0.7):.0%}",
            "55%",
            f"so it had {visits_before(0.5, 0.7, 0.55):.0f} visits before",
        ],
    ]
)

# %% [markdown]
# Now the tree with the flaw. Watch b₁: at first it looks good. Then white's reply w₂ collects visits, and black turns
# to b₂. (Numbers beside a node are wins and visits of the player who moved there. While a simulation chooses, its
# bounds are shown.)

# %%
trace = tree_traces.small_trace(trap(), lesson.sized(60, 40), seed=2)
lesson.interactive("tree", {**trace, "first": 16}, "UCT on the tree with the flaw")

# %% [markdown]
# ## 5. UCT on a real board
#
# This is the search of Prezero itself (`apv_mcts`), as the player `uct`, one simulation at a time, on the position of
# section 3. It is the same code that chapter 5 turns into AlphaGo. Larger nodes have more visits; click a node to pin
# its board.

# %%
trace = tree_traces.go_trace(position, lesson.sized(150, 40), shown=lesson.sized(3, 2))
lesson.interactive("tree", {**trace, "unit": "simulation", "first": 20}, "UCT on a 4x4 board")

# %%
best, visits, rate = tree_traces.flat_and_tree(position, 150)["UCT"][0]
truth = "the move that wins" if wins.get(best) else "which does not win"
lesson.say(f"After 150 simulations UCT plays {best} ({visits} visits, {rate:.0%} of them won), {truth}.")

# %% [markdown]
# ## Exercises
#
# Replace `...` by your answer and run the cell.
#
# **4.minimax** What is the tree `[[4, 9, 2], [7, 5], [1, 8, 6]]` worth to black, who moves at the root?

# %% tags=["exercise"]
answer = ...
check("4.minimax", answer)

# %% [markdown]
# **4.leaves** How many leaves of that tree does alpha-beta look at, from left to right? (You may build it in the page
# above.)

# %% tags=["exercise"]
answer = ...
check("4.leaves", answer)

# %% [markdown]
# **4.alphabeta** Write a function of a tree (a number, or a list of trees; black moves at the root) that returns its
# value and the number of leaves that alpha-beta looks at.

# %% tags=["exercise"]
answer = ...
check("4.alphabeta", answer)

# %% [markdown]
# **4.flat** White has four replies to b₁. One always wins for white, the others always lose. What share of games does
# flat Monte Carlo see for black?

# %% tags=["exercise"]
answer = ...
check("4.flat", answer)

# %% [markdown]
# **4.bound** At node n₁ (wins 1, 7, 2 in 3, 10, 5 trials) UCB1 tries b1, and black wins. What is UCB1 of b1 then? (Two
# digits after the point.)

# %% tags=["exercise"]
answer = ...
check("4.bound", answer)

# %% [markdown]
# **4.depth** A machine looks at 10^9 positions a second and has a minute. How many moves deep, completely, does
# minimax get with w = 250? (A whole number.)

# %% tags=["exercise"]
answer = ...
check("4.depth", answer)

# %% [markdown]
# ## Further reading
#
# - D. Knuth, R. Moore: An analysis of alpha-beta pruning. Artificial Intelligence 6, 1975.
# - B. Brügmann: Monte Carlo Go. 1993. The first program that played by random games.
# - L. Kocsis, C. Szepesvári: Bandit based Monte-Carlo planning. ECML 2006. UCT.
# - R. Coulom: Efficient selectivity and backup operators in Monte-Carlo tree search. Computers and Games 2006.
# - In this house: `classics/lookahead.py`, `classics/small_trees.py`, `apv_mcts/simulation.py`, and
#   `docs/classics.md`, `docs/search.md`.
