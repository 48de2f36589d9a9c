# %% [markdown]
# # Chapter 1: A linear policy
#
# **Aims.** Turn Go knowledge into features with weights, let the weights be learnt from games, and understand AlphaGo's
# fast rollout policy: a softmax over sums of weights.
#
# **Duration.** 60 minutes, 90 with the exercises. Running it takes less than a minute.

# %% [markdown]
# ## Weights by hand
#
# A policy says which move a good player would choose. The simplest one gives points to a move for what it does. The
# slides use three **features** with **weights** set by hand: capture 3, escape from atari 2, next to the last move 1.
# The score of a move is the sum of the weights of the features that *fire*.

# %%
from classics.feature_weights import WEIGHTS, scored_moves
from classroom import lesson
from classroom.examples import SLIDES_TOTALS, WEIGHED_MOVES, weighed_position

position = weighed_position()
points = {position.point(vertex): letter for letter, vertex in WEIGHED_MOVES.items()}
lesson.show_board(position, "Black to move. White's last move put the stone at E4 in atari.", width=330, labels=points)

# %%
scored = {move.point: move for move in scored_moves(position)}
rows, totals = [], {}
for point, letter in points.items():
    move = scored[point]
    parts = tuple(weight if feature in move.features else 0 for feature, weight in WEIGHTS.items())
    totals[letter] = move.total
    printed = SLIDES_TOTALS[letter]
    rows.append(
        [
            f"move {letter}",
            f"{' + '.join(map(str, parts))} = {move.total}",
            f"{' + '.join(map(str, printed))} = {sum(printed)}",
        ]
    )
lesson.beside(rows, "Capture + escape + neighbour")

# %% [markdown]
# ## From scores to chances: the softmax
#
# A policy should not only name the best move. It should say *how likely* each move is. The **softmax** does that:
#
# > chance of move *a* = exp(score of *a*) / sum over all moves *b* of exp(score of *b*)
#
# One point more means e = 2.7 times as likely, whatever the other moves are.

# %%
import numpy as np

from go.coordinates import rowcol_from_point


def softmax(scores):
    """Return the chances that belong to scores."""
    raised = np.exp(scores - np.max(scores))  # subtracting the largest changes nothing, and keeps exp small
    return raised / raised.sum()


every = np.array([move.total for move in scored.values()], float)
chances = dict(zip(scored, softmax(every), strict=True))
heat = np.zeros((7, 7))
for point, chance in chances.items():
    heat[rowcol_from_point(point, 7)] = chance
lesson.show_board(
    position,
    "The same weights as chances, in percent",
    width=330,
    heat=heat,
    labels={point: f"{100 * chance:.0f}" for point, chance in chances.items() if chance > 0.02},
)

# %% [markdown]
# Move *a* is 2 points above *b*, so it is e² = 7.4 times as likely. Is that right? Nobody knows: the weights were
# invented. So let us **learn** them.

# %% [markdown]
# ## The features of AlphaGo's rollout policy
#
# The paper's fast policy is the same idea with about 100,000 features, most of them small **patterns**: the 3x3
# points around a move, or the 12 points around the last move, with colours and liberties (1, 2, at least 3). Ours are
# harvested from games; how the paper harvested its own, it does not say.

# %%
from nets import find_weights
from rollout import Model
from rollout.policies import PAPER_COUNTS

shipped = {size: Model.load(find_weights("rollout", size)) for size in (9, 19)}
counts = {size: model.counts() for size, model in shipped.items()}
tree_counts = Model.load(find_weights("tree", 19)).counts()
of_rollout = list(counts[19])
paper_rollout = sum(PAPER_COUNTS[name] for name in of_rollout)
paper_tree = sum(PAPER_COUNTS.values())
remarks = {
    "nakade": "the paper does not say what its codes are",
    "non-response pattern": "3x3, around the move",
    "response pattern": "12 points, around the last move",
}
rows = [[name, f"{counts[19][name]:,}", f"{PAPER_COUNTS[name]:,}", remarks.get(name, "")] for name in of_rollout]
rows.append(["rollout policy, all", f"{sum(counts[19].values()):,}", f"{paper_rollout:,}", "the paper's sum"])
rows.append(["tree policy, all", f"{sum(tree_counts.values()):,}", f"{paper_tree:,}", "three more kinds of features"])
lesson.beside(rows, "Number of features on 19x19 (Extended Data Table 4)")

# %% [markdown]
# ## Features that fire
#
# The policy that comes with Prezero has learnt from 67,214 games on 9x9. Here are the moves that it likes in the 9x9
# position of the slides, and why. Note the weights: the largest ones decide.

# %%
from classroom.examples import slides_position
from go.coordinates import gtp_from_point
from rollout.choices import choices

model = shipped[9]
board = slides_position()
likely = choices(board, model)
heat = np.zeros((9, 9))
for choice in likely:
    heat[rowcol_from_point(choice.point, 9)] = choice.probability
lesson.show_board(
    board,
    "Black to move: chances of the rollout policy, in percent",
    heat=heat,
    labels={choice.point: f"{100 * choice.probability:.0f}" for choice in likely if choice.probability > 0.01},
)

# %%
lesson.show_table(
    ["move", "chance", "sum of weights", "features that fire"],
    [
        [
            gtp_from_point(choice.point, 9),
            f"{100 * choice.probability:.1f}%",
            f"{sum(reason.weight for reason in choice.reasons):+.2f}",
            ", ".join(f"{reason.feature} {reason.weight:+.2f}" for reason in choice.reasons),
        ]
        for choice in likely[:6]
    ],
)

# %% [markdown]
# The chances are nothing but the softmax of the sums. Let us check that with our own three lines from above.

# %%
sums = np.array([sum(reason.weight for reason in choice.reasons) for choice in likely])
largest_difference = float(np.abs(softmax(sums) - [choice.probability for choice in likely]).max())
assert largest_difference < 1e-6
lesson.say(f"Our softmax and the policy agree on all {len(likely)} moves, to six digits at least.")

# %% [markdown]
# ## Learning the weights
#
# There are two ways to learn from the moves of strong players.
#
# - **Logistic regression** looks at one move at a time: was it played, yes or no? It is the textbook form, and
#   scikit-learn has it.
# - **Softmax regression** looks at one position at a time: which of these moves was played? That is the paper's form.
#
# We learn both from the same games of the embedded corpus, with the same patterns, and test them on games that they
# have not seen.

# %%
import warnings
from concurrent.futures import ThreadPoolExecutor

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from classroom.games import embedded_store
from rollout.games import games_of, new_replay
from rollout.harvest import harvest
from rollout.logistic import rows_of
from rollout.softmax import SoftmaxTrainer, evaluate
from rollout.train import shares

store = embedded_store(lesson.sized(1500, 120))
split = store.games["split"]
training, testing = np.flatnonzero(split == 0), np.flatnonzero(split == 2)
patterns = harvest(games_of(store), training, new_replay())
often = patterns.square_counts >= lesson.sized(20, 5)
answered = patterns.response_counts >= lesson.sized(8, 3)
untrained = Model.untrained(patterns.squares[often], patterns.responses[answered], patterns.places[answered])
tables, weights = untrained.tables(), len(untrained.weights)
lesson.say(f"{len(training):,} games to learn from, {len(testing):,} to test on, {weights:,} features.")

# %% [markdown]
# Logistic regression: every candidate is a row with the features that fire, and 1 if it was played. Of the moves that
# were not played, ten are drawn for each position.

# %%
rows, played = rows_of(games_of(store), training, tables, weights, rivals=10, seed=1, chunk=0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # a few steps are enough to compare
    logistic = LogisticRegression(max_iter=lesson.sized(60, 20)).fit(rows, played)
by_logistic = logistic.coef_[0]
lesson.say(f"{rows.shape[0]:,} rows of {rows.shape[1]:,} features; {played.mean():.1%} of the moves were played.")

# %% [markdown]
# Softmax regression: one step of learning moves each weight by *what the played move has of the feature, minus what the
# policy expected of it*.

# %%
curve = []
with ThreadPoolExecutor(1) as pool:
    trainer = SoftmaxTrainer(store, training, tables, weights, passes=lesson.sized(3, 2), rate=0.4, seed=1, pool=pool)
    uniform = shares(evaluate(store, testing, tables, np.zeros(weights), pool))
    curve.append((0, uniform["top1"]))
    for step in range(trainer.steps):
        trainer.step(step)
        passes = (step + 1) / trainer.blocks_a_pass
        curve.append((passes, shares(evaluate(store, testing, tables, trainer.weights, pool))["top1"]))
    results = {
        "any move alike": uniform,
        "logistic regression": shares(evaluate(store, testing, tables, by_logistic, pool)),
        "softmax regression": shares(evaluate(store, testing, tables, trainer.weights, pool)),
        "shipped rollout policy": shares(evaluate(store, testing, model.tables(), model.weights, pool)),
    }
lesson.show_table(
    ["policy", "finds the move", "among its first five", "log-likelihood of a move"],
    [
        [name, f"{found['top1']:.1%}", f"{found['top5']:.1%}", f"{found['log_likelihood']:.3f}"]
        for name, found in results.items()
    ],
    f"On {results['any move alike']['moves']:,} moves of test games",
)

# %%
with lesson.figure("Share of the moves of test games that the softmax finds", height=2.8) as figure:
    axes = figure.subplots()
    axes.plot(*zip(*curve, strict=True), marker="o", color="#0072b2")
    axes.axhline(results["logistic regression"]["top1"], linestyle="--", color="#d55e00", label="logistic regression")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    axes.set(xlabel="passes over the games", xlim=(0, None), ylim=(0, None))
    axes.legend(loc="lower right")

# %% [markdown]
# Which patterns did it learn to like? Black is to move in the middle; numbers are liberties, where 3 stands for three
# or more. Good shapes come first, bad ones last.

# %%
from rollout.weights_drawn import rows_of as drawn_rows
from rollout.weights_drawn import sheet_svg

untrained.weights = trainer.weights
kept = patterns._replace(
    squares=patterns.squares[often],
    square_counts=patterns.square_counts[often],
    responses=patterns.responses[answered],
    places=patterns.places[answered],
    response_counts=patterns.response_counts[answered],
)
lesson.show_drawing(sheet_svg({"rollout": drawn_rows(untrained, kept)}), "The most and the least liked patterns")

# %% [markdown]
# ## 24.2%, and ours
#
# The paper's rollout policy finds 24.2% of the moves of strong players on 19x19. Ours, learnt from 8 million
# positions of the same server with fewer features, finds more; why, we do not know for certain (`docs/rollout.md`
# discusses it). On 9x9 there are fewer moves to choose from, so shares are higher and do not compare.

# %%
from rollout.model import read_card

cards = {size: read_card(find_weights("rollout", size)) for size in (9, 19)}
on_19, on_9 = (cards[size]["results"]["test"]["top1"] for size in (19, 9))
lesson.beside(
    [
        [
            "rollout policy, 19x19",
            f"{on_19:.1%}",
            "24.2%",
            f"ours: {cards[19]['positions']:,} positions, test games of its own",
        ],
        ["rollout policy, 9x9", f"{on_9:.1%}", "", "fewer moves to choose from"],
        ["this chapter, 9x9", f"{results['softmax regression']['top1']:.1%}", "", f"{len(training):,} games"],
    ],
    "Moves found",
)

# %% [markdown]
# ## Why so simple a policy?
#
# Because it is fast. A **rollout** plays a game to its end, some 200 moves. With the policy network of chapter 2, one
# rollout would take a second. These are the slides' numbers, computed again.

# %%
from nets.weights import Weights

network_19 = Weights.load(find_weights("policy", 19)).card["figures"]["results"]["test"]["top1"]
moves_in_a_game, of_rollouts, of_network = 200, 2e-6, 5e-3  # seconds a move
rollout_seconds, network_seconds = moves_in_a_game * of_rollouts, moves_in_a_game * of_network
lesson.beside(
    [
        ["one playout, rollout policy", f"{1e3 * rollout_seconds:.1f} ms", "0.4 ms", "2 µs a move"],
        ["playouts a second", f"{1 / rollout_seconds:,.0f}", "2,500", "an upper bound: the paper measures about 1,000"],
        [
            "one playout, policy network",
            f"{network_seconds:.1f} s",
            "1.0 s",
            "5 ms a move; the paper says 3 and 4.8 ms",
        ],
        ["playouts a second", f"{1 / network_seconds:,.0f}", "1", ""],
        [
            "agreement with experts",
            f"{on_19:.0%} and {network_19:.0%}",
            "24% and 57%",
            "rollout policy and network, 19x19",
        ],
    ],
    "From 200 moves a game",
)

# %%
import time

from go import Position
from go.playout import new_rng
from rollout import new_policy, policy_games

policy, start = new_policy(shipped[19]), Position(19)
policy_games(start, 2, policy, new_rng(1))  # compiles, if this is the first time
began = time.perf_counter()
played_games, _ = policy_games(start, lesson.sized(2000, 50), policy, new_rng(2))
seconds = time.perf_counter() - began
lesson.beside(
    [
        [
            "a move of a rollout, 19x19",
            f"{1e9 * seconds / played_games['moves'].sum():,.0f} ns",
            "2,000 ns",
            "on this machine, one thread",
        ],
        ["playouts a second", f"{len(played_games) / seconds:,.0f}", "about 1,000", "from the empty board"],
    ],
    "Measured just now",
)

# %% [markdown]
# ## A rollout, move by move
#
# Step through one rollout from the slides' position. The red fields are the chances of the next move; point at one of
# them to see its features. The move is *drawn* by these chances: rollouts that always took the best move would all be
# the same game.

# %%
from classroom.traces import rollout_trace

trace = rollout_trace(slides_position(), model, seed=3, most=lesson.sized(120, 12))
lesson.interactive("rollout", trace, "One rollout of the 9x9 policy")

# %% [markdown]
# One rollout says little. The mean of a thousand says who is ahead, and which points belong to whom: chapter 4 builds a
# search on that.

# %%
from go.board import BLACK, WHITE

many, owned = policy_games(board, lesson.sized(1000, 100), new_policy(model), new_rng(5))
share_of_black = board.by_row_and_column(owned[BLACK] - owned[WHITE]) / len(many)
black_wins = float((many["margin"] > board.komi).mean())
lesson.show_board(
    board,
    f"Owners after {len(many):,} rollouts; black wins {black_wins:.0%} at komi {board.komi:g}",
    territory=share_of_black,
)

# %% [markdown]
# ## Exercises
#
# **1.** In the first position, a move captures and touches the last move, but saves nothing. What is its score?

# %% tags=["exercise"]
from classroom import check

answer = ...
check("1.score", answer)

# %% [markdown]
# **2.** Only two moves are possible, with scores 5 and 3. How likely is the first one under the softmax?

# %% tags=["exercise"]
answer = ...
check("1.two_moves", answer)

# %% [markdown]
# **3.** Write `chances(scores, temperature)`: a softmax in which all scores are divided by the temperature first. It
# must also work for scores around 1,000.

# %% tags=["exercise"]
answer = ...
check("1.temperature", answer)

# %% [markdown]
# **4.** Write `gradient(features, scores, played)`: the gradient of the log-likelihood of the played move.
# `features[i, k]` is 1 if feature k fires for move i, `scores[i]` is the score of move i, and `played` is the number
# of the move that was played. Return one number for each feature.

# %% tags=["exercise"]
answer = ...
check("1.gradient", answer)

# %% [markdown]
# **5.** A rollout takes 2 µs a move and 400 moves on 19x19. How many rollouts a second is that?

# %% tags=["exercise"]
answer = ...
check("1.rollouts", answer)

# %% [markdown]
# ## Further reading
#
# - Silver et al. (2016), Methods, *Rollout policy*, and Extended Data Table 4.
# - Coulom (2007), *Computing Elo ratings of move patterns in the game of Go*: the same model, learnt as a competition
#   between patterns.
# - Stern, Herbrich and Graepel (2006), *Bayesian pattern ranking for move prediction in the game of Go*.
# - In the code: `rollout/patterns.py`, `rollout/softmax.py`, `rollout/sampler.py` (how a move is drawn in under a
#   microsecond); results in `docs/rollout.md`.
