# %% [markdown]
# # Chapter 3: Reinforcement
#
# **Aims.** Understand why a learner must explore, and how UCB decides when it has explored enough. Watch values and
# policies being learnt in a maze, next to the numbers that the slides print. See the same idea, REINFORCE, learn Go.
# Know what the RL policy of AlphaGo gained, and why the value network may look at only one position of each game.
#
# **Duration.** 90 minutes with the exercises. The code runs for one to two minutes.

# %%
import tempfile
from pathlib import Path

from classics.bandit import replay, slides_bandit, success_rate, ucb1
from classroom import bandit, check, costs, lesson, maze, small_learning
from nets import Weights, find_weights
from pipeline.artefact import ROOT
from rl_policy import GameSettings, play_games
from value_net import lessons_of
from value_net.recipe import scaled_most_u

# %% [markdown]
# ## 1. Two arms
#
# A slot machine has two arms. Arm A wins 80% of its trials and arm B 50%, but the player does not know that. Which
# arm should be tried next? The slides play ten trials twice. First a **greedy** player always takes the arm that has
# won more often so far. Arm A has the bad luck to lose its only trial, and is never tried again. Then a player who
# adds to the success rate of each arm a bonus for being uncertain about it: the **upper confidence bound** (UCB).
# Step through both.

# %%
lesson.interactive("bandit", {**bandit.slides_data(), "first": 5}, "Ten trials of the slides")

# %% [markdown]
# Look at the bars: the dark part is the success rate, the light part is the bonus, the dashed line is the truth. The
# bonus of an arm shrinks when it is tried, and grows slowly while the other one is.
#
# **A slip in the source.** The slides print the formula of UCB1 (Auer et al. 2002) with t trials in all and n of this
# arm,
#
#     UCB1 = w/n + √(2 ln t / n)
#
# but none of the printed numbers follows from it. All of them follow from `w/n + √(2 log₁₀(t/n))`: the fraction was
# taken inside the logarithm, and the base is 10. The table shows the printed values, ours by that formula, and the
# true UCB1. The value 1.41 for the untried arm is what n = 0.1 would give; UCB1 says infinity.

# %%
lesson.show_table(
    ["trial", "arm", "won", "A", "B", "printed A, B", "next", "their formula", "next", "UCB1", "next"],
    [[cell.replace(" ", "\u00a0") for cell in row] for row in bandit.slides_rows()],
    "The slides' table, digit by digit",
)

# %%
ours, genuine = replay(bandit.UCB_TRIALS, slides_bandit), replay(bandit.UCB_TRIALS, ucb1)
after5 = " and ".join(f"{value:.3f}" for value in ours[4].bounds.values())
lesson.beside(
    [
        ["bounds of A and B after trial 5", after5, "1.18 and 0.94", "now A has the larger bound"],
        [
            "next arm after trial 9",
            ours[8].best,
            bandit.PRINTED_NEXT[8],
            "the slides go on with A, against their own rule",
        ],
        ["next arm after trial 4", genuine[3].best, bandit.PRINTED_NEXT[3], "true UCB1 already goes back to A"],
        ["best arm in the closing remark", "A", "B", "the remark under the first table names the wrong arm"],
    ]
)

# %% [markdown]
# Ten trials prove little, so we let both players play longer, many times over. What share of the players tries the
# better arm in each trial?

# %%
trials, runs = lesson.sized((600, 60), (60, 20))
with lesson.figure("Players that try the better arm, by trial (means over ten trials)") as made:
    axes = made.subplots()
    for name, bound in (("UCB1", ucb1), ("greedy", success_rate)):
        shares = bandit.share_of_best(bandit.CHANCES, trials, bound, runs).reshape(-1, 10).mean(axis=1)
        axes.plot(range(5, trials, 10), 100 * shares, label=name)
    axes.set(xlabel="trial", ylabel="%", ylim=(0, 102))
    axes.legend(loc="lower right")

# %% [markdown]
# A greedy player settles early. In about one run of five it settles on the wrong arm and stays there: its curve stops
# rising. UCB1 keeps trying the worse arm, less and less often. Watch one such pair of runs with the same luck:

# %%
lesson.interactive("bandit", {**bandit.live_data(60, seed=1), "first": 20}, "Sixty trials")

# %% [markdown]
# ## 2. The maze, by Q-learning
#
# An agent starts in cell 1 and looks for the exit to the right of cell 16. Walls stop it. Only leaving the maze is
# rewarded. **Q-learning** keeps a value Q(s, a) for each cell s and direction a, and after each step that leads to s′
# sets
#
#     Q(s, a) ← Q(s, a) + α (r + γ max Q(s′, ·) - Q(s, a))
#
# So values spread from the exit backwards: first cell 16 gets a value, then 15, then 11. With probability ε the agent
# takes a random direction, else the best one known. The **policy gradient** keeps no values. It has a probability for
# each direction, and after an episode it makes the directions that it took more probable.
#
# Step through the episodes, then switch to single moves. Point at a cell to see all four directions.

# %%
q_run, policy_run = maze.q_learning(seed=4), maze.policy_gradient(seed=10)
data = maze.page_data(maze.trace_data(q_run, "q"), maze.trace_data(policy_run, "policy"))
lesson.interactive("maze", {**data, "first": 20}, "The maze of the slides")

# %% [markdown]
# The slides print grids after 1, 20 and 100 episodes and a table of all values, but neither the walls nor the
# settings. Both can be recovered. The tables show where the walls are (only the one between 9 and 10 is not certain).
# And the numbers imply the settings:
#
# - **α = 0.1 and a reward of 10**, because the value of the exit is 1 after the first episode.
# - The value of the exit is 20 after 20 episodes and 100 after 100. So the exit **adds** α·10 without taking the old
#   value off. By the textbook rule it would approach 10 and stay there.
# - **γ = 0.95**: if each episode comes through cell 15 once, its value after k episodes is `0.95 k - 9.5 + 9.5 ·
#   0.9^k`. After 100 episodes that is 85.5, exactly as printed.
# - **ε = 1 - k/100** in episode k. We found this by trying about a dozen schedules; others miss the grid of episode
#   20.
#
# None of this is stated in the slides. It is our reading of their numbers. With it, many runs of our own agree with
# them:

# %%
count = lesson.sized(500, 40)
many = [maze.q_learning(seed) for seed in range(count)]
mean, spread = maze.mean_and_deviation([run[99].table for run in many])
early, _ = maze.mean_and_deviation([run[19].table for run in many])
rows = []
for cell in reversed(maze.ROUTE):
    action, place = maze.ROUTE_ACTION[cell], cell - 1
    found = f"{mean[cell][action]:.1f} ± {spread[cell][action]:.1f}, episode 20: {early[cell][action]:.1f}"
    printed = f"{maze.PRINTED_Q_TABLE[place][action]}, episode 20: {maze.PRINTED_Q[20][place]}"
    rows.append(
        [
            f"cell {cell} {maze.ARROWS[action]}",
            found,
            printed,
            f"{maze.one_visit(cell, 100):.1f} with one visit an episode",
        ]
    )
lesson.beside(rows, f"Values at episode 100, mean of {count} runs with the spread of single runs")

# %%
scores = maze.z_scores(mean, spread)
root_mean_square = (sum(z * z for z in scores) / len(scores)) ** 0.5
textbook = maze.q_learning(4, maze.QSettings(exit_rule="textbook"))[99].table
lesson.beside(
    [
        ["cell 15, closed form", f"{maze.closed_form_15(100):.1f}", "85.5", "each episode comes by once"],
        [
            "all 64 values, r.m.s. z-score",
            f"{root_mean_square:.2f}",
            "1 is expected",
            f"largest {max(map(abs, scores)):.1f}",
        ],
        ["exit by the textbook rule", f"{textbook[16][maze.RIGHT]:.1f}", "100.0", "cannot be what the slides did"],
    ]
)

# %% [markdown]
# ## 3. The maze, by policy gradient
#
# The slides give the rule as π(s, a) += const·N₁ - const·N₂, where N₁ counts how often a was chosen in s, and N₂ how
# often another direction was. **The constants are not printed and cannot be recovered.** What we can say from trials
# of our own:
#
# - With the same constant in every step, nothing is learnt. Every episode ends with the same reward, so all steps are
#   praised equally, and on average no direction gains.
# - So steps near the exit must count more. Here the last step counts 0.05, and each step before it 0.9 times as much as
#   the one after it. **This is our choice.** It comes near to the printed grids, and is somewhat ahead of them at
#   episode 20.
# - The printed rule is not the gradient of REINFORCE, which takes π(a) off instead of a constant. The printed one
#   cannot settle: what was chosen becomes more probable, even a step into a wall. A few of its runs get stuck for
#   ever.

# %%
count = lesson.sized(60, 8)
rules = {
    "the slides' rule, nearer to the exit counts more": maze.GradientSettings(),
    "the same, all steps count alike": maze.GradientSettings(rate=0.001, discount=1.0),
    "gradient of log π, nearer to the exit counts more": maze.GradientSettings("score", 0.6, 0.9),
}
rows = []
for name, settings in rules.items():
    learnt = [maze.policy_gradient(seed, settings) for seed in range(count)]
    stuck = sum(any(len(episode.actions) >= maze.MOST_STEPS for episode in run[20:]) for run in learnt)
    grids = [maze.mean_and_deviation([run[k - 1].table for run in learnt])[0] for k in (20, 100)]
    shares = [" ".join(f"{100 * grid[cell][maze.ROUTE_ACTION[cell]]:.0f}" for cell in maze.ROUTE) for grid in grids]
    rows.append([name, *shares, f"{stuck} of {count}"])
printed = [" ".join(str(maze.PRINTED_POLICY[k][cell - 1]) for cell in maze.ROUTE) for k in (20, 100)]
lesson.show_table(
    ["rule", "episode 20", "episode 100", "runs that got stuck"],
    [["printed (one run)", *printed, ""], *rows],
    "Probability of the right direction along the route 1-5-6-7-11-15-16, in percent",
)

# %% [markdown]
# Two details of the print: in cell 10 the grid says 42 and the table 43. And in cells 4, 8 and 12 the grid shows the
# direction of the way out, not the most probable one (27, 30 and 30): these cells are off the route and were hardly
# visited.
#
# ## 4. REINFORCE plays Go
#
# The same idea with a network instead of a table. In a game of Go there is one reward, at the end: z = 1 for a win
# and -1 for a loss. **REINFORCE** changes the weights ρ of the policy along
#
#     Δρ  ∝  1/n  Σ over games i  Σ over moves t   ∇ log p_ρ(a_t | s_t) · (z_i - b)
#
# with n games and a baseline b, such as the mean outcome: every move of a won game becomes a bit more probable. Most
# of these moves deserve neither praise nor blame. Over many games the undeserved part averages out.
#
# Here a small network begins on 5x5 with no knowledge but the rules, and plays against earlier versions of itself. It
# is the code of `rl_policy`, with small numbers.

# %%
iterations, games, tested = lesson.sized((30, 64, 200), (4, 16, 20))
learnt = small_learning.reinforce(
    small_learning.new_policy(), iterations, games, every=max(1, iterations // 10), tested=tested
)
with lesson.figure("Games won against the policy that it began as, 5x5") as made:
    axes = made.subplots()
    axes.plot([row["games"] for row in learnt.history], [100 * row["won"] for row in learnt.history], marker="o")
    axes.set(xlabel="games learnt from", ylabel="% won", ylim=(0, 100))
    axes.axhline(50, linestyle=":", color="gray")

# %%
last = learnt.history[-1]
lesson.say(
    f"After {last['games']:,} games it wins {100 * last['won']:.0f}% of {tested} games against the policy that it "
    f"began as. The entropy of its moves is {last['entropy']:.2f} nats."
)

# %% [markdown]
# ## 5. The RL policy
#
# AlphaGo's RL policy began with the weights of the SL policy of chapter 2. It played 10,000 times 128 games against a
# pool of its own earlier versions. Ours on 9x9 (`rl9`, which comes with Prezero) played 300 times 128. Two matches
# below: a small one, played now, and the large one of `docs/rl_policy.md`.

# %%
rl, sl = (Weights.load(find_weights(kind, size=9)) for kind in ("rl", "policy"))
played = play_games(rl, sl, count=lesson.sized(100, 4), seed=(1,), settings=GameSettings(komi=7.5, threads=2))
hours = costs.days(costs.rl_seconds(), costs.GPUS) * 24
lesson.beside(
    [
        [
            "RL policy against SL policy, now",
            f"{played.won:.0f} of {len(played.margins)} games",
            "more than 80%",
            "both sample their moves",
        ],
        [
            "RL policy against SL policy, 4,000 games",
            "81.1% [79.9; 82.3]",
            "more than 80%",
            "9x9 here, 19x19 in the paper",
        ],
        ["against a program with search", "92.0% (GNU Go, level 10)", "85% (Pachi)", "no search on our side"],
        ["games learnt from", "38,400", "1,280,000", "3%"],
        ["one game, 400 moves of 5 ms", f"{costs.game_seconds():.1f} s", "2.0 s", ""],
        [
            "all games on one GPU",
            f"{costs.rl_seconds():.2e} s = {costs.days(costs.rl_seconds()):.1f} days",
            "about 30 days",
            "",
        ],
        ["all games on 50 GPUs", f"{hours:.0f} hours", "about one day", "the paper says one day"],
    ]
)

# %%
lesson.show_drawing(
    (ROOT / "docs" / "rl_policy" / "curve9.svg").read_text(), "How rl9 learnt (300 iterations of 128 games)"
)

# %% [markdown]
# Part of the gain is certainty: the policy plays its good moves more often than the SL policy, which copies the
# variety of its teachers. In the search the **SL** policy worked better all the same. The paper's explanation: a search
# wants several candidates, and humans choose among many promising moves. But the RL policy was worth its cost, because
# its games were the data of the value network.
#
# ## 6. Why the value network takes one position of each game
#
# The value network v(s) predicts z, the outcome of the game that position s comes from. It could learn from all
# positions of a game, 200 for the price of one. The paper tried that. The network reached an error of 0.19 on the
# games that it learnt from, and 0.37 on others: it had **memorised games**. Positions of one game look alike, and all
# have the same z. So to know z it is enough to recognise the game.
#
# The recipe instead, once for each of 30 million games: draw U from 1 to 450, play U-1 moves by the SL policy, one
# move at random, the rest by the RL policy. Keep the position after move U, with the outcome, and nothing else.
#
# An experiment with our policies of section 4, on 5x5: two networks learn from equally many positions for equally
# long. One gets a position of each game, the other many positions of each of fewer games.

# %%
games, many_positions, epochs = lesson.sized((6_000, 12, 16), (240, 6, 3))
folder = tempfile.TemporaryDirectory()
samples = small_learning.samples_of(learnt.before, learnt.after, games, Path(folder.name))
fitted = small_learning.overfitting(samples, many_positions, epochs)
highest = max(row[part] for found in fitted for row in found.history for part in ("train", "test"))
with lesson.figure("Squared error while learning") as made:
    for axes, found in zip(made.subplots(1, 2, sharey=True), fitted, strict=True):
        for part, style in (("train", "-"), ("test", "--")):
            axes.plot([row["epoch"] for row in found.history], [row[part] for row in found.history], style, label=part)
        axes.set(title=found.name, xlabel="epoch", ylim=(0, 1.05 * highest))
        axes.legend(loc="lower left")

# %%
lesson.beside(small_learning.as_rows(fitted), "Error on the positions learnt from, and on games never seen")

# %% [markdown]
# Look at the gap between the two curves. It is smaller where each game gave one position, and grows where a game gave
# many: there the error on new games even rises while that on known ones falls. Early in a game the winner is hard to
# tell. Let us see who claims to know:

# %%
early = 12
test = lessons_of(samples, "test")
lesson.show_table(
    ["network", "games that it learnt from", "other games"],
    [
        [
            found.name,
            *(f"{small_learning.winners_known(found.network, part, early):.0%}" for part in (found.lessons, test)),
        ]
        for found in fitted
    ],
    f"Winners predicted in the first {early} moves",
)

# %% [markdown]
# The difference between the columns is what was memorised: it is of no use in any other game.

# %%
folder.cleanup()
value_days = costs.days(costs.VALUE_GAMES * costs.game_seconds(), costs.GPUS)
lesson.beside(
    [
        ["U", f"1 to {scaled_most_u(9)} on 9x9", f"1 to {scaled_most_u(19)}", "scaled by the area of the board"],
        [
            "30 million games on 50 GPUs",
            f"{value_days:.0f} days",
            "about one week",
            "the slides' estimate; the paper's week is that of training",
        ],
    ]
)

# %% [markdown]
# ## Exercises
#
# Replace `...` by your answer and run the cell. A wrong answer gets a sentence and a hint.
#
# **3.ucb1** Write the function UCB1 as Auer et al. define it: wins and trials of an arm, and all trials. An arm that
# was never tried must come first.

# %% tags=["exercise"]
answer = ...
check("3.ucb1", answer)

# %% [markdown]
# **3.tenth** The slides should have tried arm B in the tenth trial. Suppose that they do, and B wins. What is the value
# of B then, by the formula that their numbers follow? (Two digits after the point.)

# %% tags=["exercise"]
answer = ...
check("3.tenth", answer)

# %% [markdown]
# **3.closed_form** What is Q(15, →) after 50 episodes that each come by once? (One digit after the point.)

# %% tags=["exercise"]
answer = ...
check("3.closed_form", answer)

# %% [markdown]
# **3.textbook** Another maze has a reward of 5, α = 0.2, and the textbook rule at its exit. What is the value of the
# exit after three episodes? (Two digits after the point.)

# %% tags=["exercise"]
answer = ...
check("3.textbook", answer)

# %% [markdown]
# **3.gradient** A softmax policy gives the probabilities p. The move a was played, and the game had the outcome z.
# Write a function of p, a and z that returns the gradient of z log p(a) by the scores: a list as long as p.

# %% tags=["exercise"]
answer = ...
check("3.gradient", answer)

# %% [markdown]
# **3.days** 30 million games of 200 moves at 5 ms each: how many days on 50 GPUs? (One digit after the point.)

# %% tags=["exercise"]
answer = ...
check("3.days", answer)

# %% [markdown]
# ## Further reading
#
# - P. Auer, N. Cesa-Bianchi, P. Fischer: Finite-time analysis of the multiarmed bandit problem. Machine Learning 47,
#   2002.
# - R. Williams: Simple statistical gradient-following algorithms for connectionist reinforcement learning. 1992.
# - R. Sutton, A. Barto: Reinforcement Learning, second edition, chapters 2, 6 and 13. MIT Press, 2018.
# - D. Silver et al.: Mastering the game of Go with deep neural networks and tree search. Nature 529, 2016, Methods.
# - In this house: `classics/bandit.py`, `classroom/maze.py`, `rl_policy/reinforce.py`, `value_net/recipe.py`, and
#   `docs/rl_policy.md`, `docs/value_net.md`.
