# %% [markdown]
# # Chapter 6: Zero
#
# **Aims.** Understand how one network learns Go from nothing but the rules, watch it happen on a tiny board, and see
# what small defects cost and what the full experiment took.
#
# **Duration.** 90 minutes with the exercises; 45 minutes without the live experiments.
#
# AlphaGo learnt from people first. AlphaGo Zero (Silver et al. 2017) has no human games, no rollouts, no hand-made
# features, and one network instead of two. It plays against itself with search, and learns to foresee what the search
# finds. The code is in `zero/`.

# %%
import numpy as np

from classroom import lesson
from classroom.exercises import check
from classroom.residual import change_of
from classroom.zero_diagram import loop_svg
from classroom.zero_learning import defect_wins, flaws_of, learn_from_nothing, learning_data, search_against_raw
from classroom.zero_numbers import (
    ELO_OF_ZERO_PAPER,
    cross_entropy,
    divergence,
    exploration_bias,
    exploration_bias_as_printed,
    least_wins,
    search_policy,
    self_play_compute,
    updated_rates,
    visits_before,
    win_probability,
    win_probability_as_printed,
)
from classroom.zero_planes import record_planes
from go import Position
from nets.description import Description
from pipeline.shares import share_text

# %% [markdown]
# ## 1. Seventeen planes
#
# AlphaGo's 48 planes count liberties and read ladders (chapter 2). Zero sees stones only: its own and the opponent's,
# now and in the seven positions before, and who is to move. History is needed for ko, and it shows where the opponent
# has just played. Step through a game and watch the planes grow older.

# %%
GAME = "E5 G3 G5 D3 D7 C5 D4 C4 E3 H5 H6 H4"
lesson.interactive("history", record_planes(GAME.split(), 9), "The 17 planes, move by move")

# %% [markdown]
# The planes are seen by the side to move: after each move X and Y change places. History before the first move is zero.
#
# ## 2. Residual blocks
#
# Zero's tower has 39 or 79 layers, three to six times as many as AlphaGo's. Such depth can be learnt because of one
# idea: each block of two layers *adds* to its input, y = relu(x + f(x)). A block that has learnt nothing passes its
# input on. Below, two layers of zeros are added to a small network with random weights.

# %%
positions = [Position(9).play("E5"), Position(9).play("C3").play("G7"), Position(9).play("D4").play("D5").play("E4")]
residual_change, residual_spread = change_of("dual-res", positions)
plain_change, plain_spread = change_of("dual-conv", positions)
lesson.show_table(
    ("tower", "largest change of a score", "largest difference between two positions"),
    [
        ("residual", f"{residual_change:.4f}", f"{residual_spread:.4f}"),
        ("plain", f"{plain_change:.4f}", f"{plain_spread:.4f}"),
    ],
    "Two layers of zeros at the end of the tower",
)

# %% [markdown]
# The residual network does not notice. The plain one says the same of every position: nothing gets through.
#
# Both heads read the same tower: the policy head has 362 outputs (361 points and the pass), the value head one, tanh.

# %%
blocks_20 = Description("dual-res", 19, 17, 256, 39, "legal")
blocks_40 = Description("dual-res", 19, 17, 256, 79, "legal")
lesson.beside(
    [
        ("parameters, 20 blocks", f"{blocks_20.parameter_count():,}", "22,827,877", "derived from the paper's layers"),
        ("parameters, 40 blocks", f"{blocks_40.parameter_count():,}", "46,441,317", "likewise"),
        ("residual blocks", f"{blocks_20.blocks} and {blocks_40.blocks}", "19 and 39", "the first block is plain"),
    ],
    "The networks of AlphaGo Zero",
)

# %% [markdown]
# ## 3. The loop, and its two feedback loops

# %%
lesson.show_drawing(loop_svg(), "One network teaches itself in two ways", 640)

# %% [markdown]
# 1. **The policy learns from the search.** The search starts from p and improves it: π, the share of visits, is a
#    better policy than p. Then p learns π, and the next search starts from there.
# 2. **The value learns from the games.** Games are played to the end, so who has won (z) is known without asking
#    anybody. v learns z, better values make a better search, and better games make better labels.
#
# Both are in one loss: (z − v)² − πᵀ log p + c‖θ‖². A backup of the search looks like this in the slides: the leaf is
# worth 70% and moves one node from 60 to 65%, another from 50 to 55%. The code of our search says the same, if the
# nodes had 1 and 3 visits.

# %%
deeper, nearer = visits_before(0.60, 0.65, 0.70), visits_before(0.50, 0.55, 0.70)
after = updated_rates((0.50, 0.60), (round(nearer), round(deeper)), 0.70)
lesson.beside(
    [
        ("node at 60%, after the backup", f"{100 * after[1]:.0f}%", "65%", f"{deeper:.0f} visit before"),
        ("node at 50%, after the backup", f"{100 * after[0]:.0f}%", "55%", f"{nearer:.0f} visits before"),
    ],
    "A leaf of 70% is backed up",
)

# %% [markdown]
# π comes from the visits: π_a = N_a^(1/τ) / Σ N_b^(1/τ). The temperature τ is 1 for the first 30 moves of a game, then
# almost 0: the most visited move. (The slides call it γ.)

# %%
visits = np.array([800, 600, 150, 50])
lesson.show_table(
    ("τ", *(f"N = {count}" for count in visits)),
    [
        (f"{tau:g}", *(f"{100 * share:.1f}%" for share in search_policy(visits, tau)))
        for tau in (2.0, 1.0, 0.5, 0.1, 0.0)
    ],
    "From visits to a policy",
)

# %%
lesson.beside(
    [
        (
            "exploration for N = 24 of 100 visits",
            f"{exploration_bias(100, 24):.2f}",
            f"{exploration_bias_as_printed(100, 24):.2f}",
            "√(ΣN) / (1 + N); in the slides the fraction slipped inside the root",
        ),
        (
            "the same for N = 0",
            f"{exploration_bias(100, 0):.2f}",
            f"{exploration_bias_as_printed(100, 0):.2f}",
            "for moves without visits both are the same, so the slip is easy to miss",
        ),
    ],
    "A slip in the slides",
)

# %% [markdown]
# ## 4. Live: 3x3 from nothing
#
# Go on 3x3 is solved: Black plays the centre and owns the whole board. Nobody tells the network. The loop below is
# `./prezero zero.train` on a tiny board; it takes about half a minute. Komi is 3.5.

# %%
learnt = learn_from_nothing(3, iterations=lesson.sized(30, 2), every=lesson.sized(2, 1))
lesson.interactive("zero", learning_data(learnt), "What the network thinks of the empty board")

# %%
last = learnt.versions[-1]
lesson.beside(
    [
        ("Black's first move: the centre", f"{100 * last.chances['B2']:.1f}%", "solved: the centre", ""),
        ("value of the empty board for Black", f"{last.value:+.2f}", "+1", "Black wins for certain"),
        ("games of self-play", f"{last.games:,}", "4.9 million", "on 19x19, the 20-block run"),
    ],
    "What was learnt",
)

# %% [markdown]
# At first every move is alike and the value is near 0. Then the value learns that Black mostly wins, and only then can
# the policy tell good moves from bad ones. **The first loop lives on one fact: the search is better than the bare
# network.** Here is the evidence, a match between the two with the same weights:

# %%
games = lesson.sized(60, 6)
chosen = [learnt.versions[0], learnt.versions[len(learnt.versions) // 2], learnt.versions[-1]]
results = [search_against_raw(version.weights, games, learnt.komi) for version in chosen]
lesson.show_table(
    ("network after", "search with 16 simulations wins"),
    [
        (f"{version.games:,} games", share_text(result.won, result.games))
        for version, result in zip(chosen, results, strict=True)
    ],
    "The network with search against the network alone (95% interval)",
)

# %% [markdown]
# Even the network with random weights gains by searching: in finished games the search sees who has won. Later the
# network knows more and more by itself, and the search has less to add. (The colours alternate, so a player that wins
# only with Black gets 50%.)
#
# ## 5. The defects of a tutorial
#
# The code of a tutorial on a mini AlphaGo Zero has four defects. All of them run without an error. So what do they
# cost? We play the two defects of the search against the correct search, with the first and the last network of the run
# above. The two defects of the rules are counted in its games.
#
# | defect | what happens |
# |---|---|
# | inverted sign | a leaf's value is that of the side to move there, but is added to the opponent's move |
# | finished games seen from the root | the result enters the chain of signs wrongly at every other depth |
# | area by direct neighbours | an empty point counts only if its own neighbours are of one colour |
# | ko after every capture of one stone | a legal recapture is forbidden |

# %%
games = lesson.sized(60, 6)
ends = [learnt.versions[0], learnt.versions[-1]]
won = [defect_wins(version.weights, games, learnt.komi, simulations=lesson.sized(50, 10)) for version in ends]
lesson.show_table(
    ("defect of the search", *(f"network after {version.games:,} games" for version in ends)),
    [(name, *(share_text(found[name], games) for found in won)) for name in won[0]],
    "Games won against the correct search, on 3x3 (50% would be no difference)",
)

# %%
flaws = flaws_of(learnt)
lesson.show_table(
    ("defect of the rules", "cost on 3x3"),
    [
        (
            "area by direct neighbours",
            f"another score in {flaws.other_margin:,} of {flaws.counted:,} counted games, "
            f"another winner in {flaws.other_winner:,}",
        ),
        (
            "ko after every capture of one stone",
            f"a legal move forbidden in {flaws.games_with_wrong_ko:,} of {flaws.games:,} games",
        ),
    ],
    "What the defects of the rules cost, in the latest games of self-play",
)

# %% [markdown]
# Compare the columns. At the beginning, when everything has still to be learnt, both defects ruin the search. At the
# end the network knows 3x3 by heart, and where its policy leaves no choice a defect may not show at all: a strong
# network can hide a broken search. On 3x3 large regions are rare, so wrong counting costs little, too. `./prezero
# zero.defects run=NAME` measures the same on the board of any run.
#
# The lesson for your own code: a search with the wrong sign still returns legal moves, and its policies still sum to 1.
# No test of shapes finds it. A match against a correct version does.
#
# The tutorial's policy loss is the Kullback-Leibler divergence. That is no defect: it differs from the cross-entropy of
# the paper by the entropy of the target, a constant with no gradient. (Its sample losses, 2.3456 and 1.8765, are
# placeholders.)

# %%
target = search_policy(visits, 1)
guesses = [np.full(4, 0.25), np.array([0.4, 0.4, 0.1, 0.1])]
lesson.show_table(
    ("p", "cross-entropy", "divergence", "difference"),
    [
        (
            " ".join(f"{share:g}" for share in guess),
            f"{cross_entropy(target, guess):.4f}",
            f"{divergence(target, guess):.4f}",
            f"{cross_entropy(target, guess) - divergence(target, guess):.4f}",
        )
        for guess in guesses
    ],
    "Two losses, one gradient",
)

# %% [markdown]
# ## 6. What the real experiment took
#
# Half a minute for 3x3. And 19x19? 4.9 million games of about 150 moves, with 1,600 simulations, 0.4 s, for each move:

# %%
compute = self_play_compute()
lesson.beside(
    [
        ("seconds on one machine", f"{compute.seconds:.3g}", "2.94 × 10⁸", "0.4 s × 150 × 4.9 million"),
        ("days", f"{compute.days:,.0f}", "3,403", ""),
        ("years", f"{compute.years:.1f}", "9.3", ""),
        ("machines for 3 days", f"{compute.machines:,.0f}", "about 1,000", "the slides' estimate"),
        ("positions per second and machine", f"{compute.nodes_a_second:,.0f}", "4,000", "1,600 / 0.4 s"),
        ("iterations of 25,000 games", f"{4_900_000 / 25_000:.0f}", "196", "but 700 checkpoints, one per 7,000 games"),
        (
            "wins of 400 for a new network",
            f"{least_wins(400, 0.55)}",
            "220 (slides), more than 55% (paper)",
            "more than 55% would be 221; ours takes 220",
        ),
    ],
    "The compute of AlphaGo Zero, 20 blocks",
)

# %% [markdown]
# ## 7. Zero against the lineage

# %%
players, ratings = list(ELO_OF_ZERO_PAPER), list(ELO_OF_ZERO_PAPER.values())
with lesson.figure("Elo at 5 s a move (Silver et al. 2017)", height=2.6) as made:
    axes = made.subplots()
    made.patch.set_visible(False)  # the page may be dark
    axes.patch.set_visible(False)
    bars = axes.barh(players[::-1], ratings[::-1], color=["#8a8f98", "#3b8ed0", "#3b8ed0", "#3b8ed0", "#e07b1a"])
    axes.bar_label(bars, padding=4)
    axes.set(xlabel="Elo", xlim=(0, 6000))
    axes.grid(False)

# %% [markdown]
# Random play, where Zero began, has about −3,500. The network alone, without any search, is nearly as strong as the
# version that beat Fan Hui with 176 GPUs. Zero passed AlphaGo Lee after 36 hours of learning. After 72 hours it won 100
# to 0 against it, with 4 TPUs against 48. Master has Zero's network and search, but began with human games; the
# 40-block Zero beat it 89 to 11.
#
# What do these differences mean in games? Both papers print a formula with exp, but their percentages come from base
# ten.

# %%
lesson.beside(
    [
        (
            f"{gap} points: chance to win",
            f"{100 * win_probability(gap):.1f}%",
            f"{quoted}; the printed formula gives {100 * win_probability_as_printed(gap):.1f}%",
            "use base 10: 1 / (1 + 10^(−d/400))",
        )
        for gap, quoted in ((230, "79% (2016)"), (200, "75% (2017)"))
    ]
    + [
        (
            "Zero against Master",
            f"{100 * win_probability(5185 - 4858):.0f}%",
            "89%",
            "by ratings and in the match of 100 games",
        )
    ],
    "From Elo to games",
)

# %% [markdown]
# How does our own Zero compare with our own lineage? `./prezero zero.train` and then `./prezero zero.compare` draw Elo
# against seconds on your machine; `docs/zero.md` has what was measured.
#
# ## Exercises
#
# Replace `...` by your answer and run the cell. Solutions are in `classroom/solutions/chapter6.py`.
#
# **6.plane.** Planes are counted from 0: X now, Y now, X one move ago, Y one move ago, and so on. Which plane has the
# opponent's stones three moves ago?

# %% tags=["exercise"]
answer = ...
check("6.plane", answer)

# %% [markdown]
# **6.visits.** A leaf worth 80% moves a node from 50% to 56%. How many visits did the node have before?

# %% tags=["exercise"]
answer = ...
check("6.visits", answer)

# %% [markdown]
# **6.temperature.** Write a function `policy(visits, tau)` that returns π as a list. For tau = 0 it is the most visited
# move (no two moves have equal visits).

# %% tags=["exercise"]
answer = ...
check("6.temperature", answer)

# %% [markdown]
# **6.years.** The 40-block run played 29 million games. How many years would one machine take, with the same 0.4 s a
# move and 150 moves a game?

# %% tags=["exercise"]
answer = ...
check("6.years", answer)

# %% [markdown]
# **6.signs.** Write a function `back_up(value, depth)`. `value` is that of the side to move after the last of `depth`
# moves. Return what is added to W of each move, from the first to the last, each seen by the player of the move.

# %% tags=["exercise"]
answer = ...
check("6.signs", answer)

# %% [markdown]
# ## Further reading
#
# - Silver et al. 2017, *Mastering the game of Go without human knowledge*, Nature 550.
# - He, Zhang, Ren and Sun 2016, *Deep residual learning for image recognition*.
# - Danihelka, Guez, Schrittwieser and Silver 2022, *Policy improvement by planning with Gumbel*: fewer simulations; the
#   search that learnt 3x3 above.
# - Wu 2019, *Accelerating self-play learning in Go* (KataGo): the same with far less compute.
# - `docs/zero.md`, and in the code `zero/rules.py`, `zero/loop.py`, `zero/learner.py`, `zero/defects.py`.
