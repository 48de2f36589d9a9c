# %% [markdown]
# # Chapter 5: AlphaGo
#
# **Aims.** Follow the search of AlphaGo one simulation at a time, see how rollouts and value network are mixed, and see
# how many threads can share one tree without a lock.
#
# **Duration.** 90 minutes with the exercises; 45 minutes without the part on threads.
#
# Chapter 4 ended with UCT: select, expand, play a rollout, back up. AlphaGo keeps this loop and changes three things.
# A policy network says which moves to look at. A value network judges positions beside the rollouts. And dozens of
# threads work on one tree at the same time, while the networks answer on other hardware. The paper calls it
# *asynchronous policy and value MCTS* (APV-MCTS). What you step through here is the search of `apv_mcts/`, with the
# weights that come with Prezero.

# %%
from apv_mcts.assemble import load_networks, new_search
from apv_mcts.settings import SearchSettings
from classroom import lesson
from classroom.exercises import check
from classroom.lost_update import count_together, interleavings, lost_update_data, play_interleaving
from classroom.mixing import best_by_lambda, record_mixtures, why_no_value_network
from classroom.policy_costs import SLIDES, expert_moves_found, measured_network, measured_rollouts
from classroom.queue_load import record_load
from classroom.simulations import exploration, record_simulations
from classroom.threads_trace import distinct_leaves, grown_search, record_with_and_without
from classroom.variants import RESULTS, read_results, table_rows
from go import Position

GAME = "E5 G3 G5 D3 D7 C5 D4 C4 E3 H5 H6 H4 C3 B3 D2 C7 C8 D6 B7 E6 C6 D5"
position = Position(9)
for move in GAME.split():
    position.play(move)
lesson.show_board(position, "Black to move: the position of this chapter")

# %% [markdown]
# ## 1. Three policies, three prices
#
# Why does AlphaGo need a weak policy at all, if it has a strong one? Because of the price of a move. The slides count a
# rollout as 200 moves. With 2 microseconds a move that takes 0.4 ms, with 5 ms a move it takes a whole second.

# %%
network = load_networks(SearchSettings(), 9, "")
ours = measured_rollouts(Position(9), games=lesson.sized(2000, 100))
asked = measured_network(network, position, answers=lesson.sized(200, 10), moves=ours.moves)
shares = expert_moves_found(9)
slides, slides_network = SLIDES["rollout policy"], SLIDES["policy network"]
lesson.beside(
    [
        ("rollout policy, one move", f"{1e6 * ours.seconds:.2f} µs", f"{1e6 * slides.seconds:.0f} µs", "paper: 2 µs"),
        ("moves of a rollout", f"{ours.moves:.0f}", f"{slides.moves}", "ours on 9x9, theirs on 19x19"),
        ("one rollout", f"{1e3 * ours.rollout:.3f} ms", f"{1e3 * slides.rollout:.1f} ms", ""),
        (
            "rollouts per second",
            f"{ours.rollouts_a_second:,.0f}",
            f"{slides.rollouts_a_second:,.0f}",
            "an upper bound; the paper measures about 1,000 per thread",
        ),
        (
            "policy network, one move",
            f"{1e3 * asked.seconds:.2f} ms",
            f"{1e3 * slides_network.seconds:.0f} ms",
            "paper: 3 ms in the text, 4.8 ms in Extended Data Table 3",
        ),
        ("a rollout by the network", f"{asked.rollout:.2f} s", f"{slides_network.rollout:.1f} s", ""),
        (
            "such rollouts per second",
            f"{asked.rollouts_a_second:.1f}",
            f"{slides_network.rollouts_a_second:.0f}",
            "so the network cannot play rollouts",
        ),
        ("expert moves found, rollout policy", f"{100 * shares['rollout']:.1f}%", "24%", "ours on 9x9; paper: 24.2%"),
        (
            "expert moves found, policy network",
            f"{100 * shares['policy']:.1f}%",
            "57%",
            "57.0% has 256 filters and 8 symmetries; the match network finds 55.4%",
        ),
    ],
    "What a move costs, and what follows from it",
)

# %% [markdown]
# The slides' 5 ms for the value network is an estimate: no source says it. Both networks have the same tower, so it is
# a good one.
#
# ## 2. One simulation at a time
#
# Each edge of the tree (a move `a` in a position `s`) keeps a few numbers:
#
# | number | meaning |
# |---|---|
# | P | prior: the probability that the policy gives to the move |
# | N_r, W_r | rollouts through this edge, and wins minus losses of its player |
# | N_v, W_v | answers of the value network below this edge, and their sum |
# | Q | (1 − λ) W_v / N_v + λ W_r / N_r |
# | u | c_puct · P · √(Σ N_r) / (1 + N_r) |
#
# A simulation follows the largest Q + u from the root to a leaf. u is large for moves that the policy likes and that
# have few visits; it fades as visits come in, and Q takes over. An edge with more than n_thr visits gets a node of its
# own. The paper has n_thr = 40; here it is 4, so that the tree grows before your eyes.
#
# Step through it. The buttons choose the number on the board. Hover over a point for all of them.

# %%
no_value = why_no_value_network(9)
lesson.say(f"Q is that of rollouts alone here (λ = 1). {no_value}") if no_value else None

# %%
settings = SearchSettings(threads=1, batch_size=1, n_thr=4, nodes=2_000, value=not no_value)
search = new_search(settings, 9)
recorded = record_simulations(search, position, simulations=lesson.sized(60, 12))
lesson.interactive("search", recorded, "APV-MCTS, one simulation at a time")

# %% [markdown]
# **Things to look for**
#
# 1. The first step has the priors of the fast tree policy. The second one has those of the network. In AlphaGo the
#    answer comes while the search goes on; nobody waits for it.
# 2. Choose *u*: after a visit, u of this move falls to about half. That alone sends the next simulation elsewhere.
# 3. Choose *Q*: one lost rollout makes Q −1. Nothing is averaged over one visit. Priors keep such moves alive.
# 4. A reply on the path has the opposite sign: what is good for Black is bad for White.

# %%
first = recorded["steps"][-1]["root"]
likely = max(first, key=lambda move: move["N"])
total = sum(move["N"] for move in first)
with_constant = exploration(search.rule, likely["P"], likely["N"], total)
lesson.beside(
    [
        (
            f"u of {likely['move']} after {total} simulations",
            f"{with_constant:.3f}",
            f"{with_constant / settings.c_puct:.3f}",
            "the slides' formula has no c_puct; the paper has c_puct = 5 (Extended Data Table 5)",
        ),
        ("expansion threshold n_thr", settings.n_thr, "10 in the slides' example, 40 in AlphaGo", "adapted: part 6"),
    ],
    "Exploration, and where the slides leave something out",
)

# %% [markdown]
# ## 3. Lambda: whom to believe
#
# Rollouts are noisy and play badly, but they play to the end: whoever is alive at the end was alive. The value network
# sees patterns at once and may misread a fight. AlphaGo takes the mean of both, λ = 0.5. Move the slider.

# %%
mixtures = None if no_value else record_mixtures(position, simulations=lesson.sized(800, 40))
left_out = f"This part needs a value network and is left out. {no_value}"
lesson.interactive("lambda", mixtures, "Lambda, and the six views of Figure 5") if mixtures else lesson.say(left_out)

# %%
lesson.show_table(
    ("λ", "most simulations", "best Q"),
    [(f"{mix:g}", visited, by_value) for mix, visited, by_value in best_by_lambda(mixtures)],
    "What the search prefers, by lambda",
) if mixtures else None

# %% [markdown]
# Where boards b and c disagree, two kinds of error meet, and their mean is often nearer to the truth than either. In
# the paper λ = 0.5 won at least 95% of its games against λ = 0 and λ = 1.
#
# ## 4. Two threads and virtual loss
#
# Thread A selects a leaf and starts a rollout. Before it ends, thread B selects. The numbers in the tree have not
# changed yet, so B finds the same leaf: a wasted rollout. AlphaGo makes A pretend to have lost already. On every edge
# of its path, N_r grows by n_vl and W_r falls by n_vl. B sees a worse Q and a smaller u and goes elsewhere. When A is
# done, the pretended losses are taken back and the real outcome is added.
#
# What two threads do at the same moment is chance. To show the same thing twice, the real functions of the search are
# called here in a fixed order: A selects, B selects, A finishes, B finishes.

# %%
both = record_with_and_without(position, rounds=lesson.sized(8, 3), grown=200)
lesson.interactive("threads", both, "Two threads, without and with virtual loss")

# %%
counts = lesson.sized((2, 4, 8, 16, 40), (2, 8))
rows = []
for n_vl in (0, 1, 3):
    means = [distinct_leaves(grown_search(position, n_vl, 200), threads, lesson.sized(10, 2)) for threads in counts]
    rows.append((n_vl, *(f"{mean:.1f}" for mean in means)))
lesson.show_table(
    ("n_vl", *(f"{count} threads" for count in counts)), rows, "Different leaves that are evaluated at the same time"
)

# %% [markdown]
# Without virtual losses all threads evaluate one and the same leaf, however many there are. The paper has n_vl = 3 and
# 40 threads. The slides explain it with n_vl = 1: a rollout under way counts as one loss, which is removed when it
# ends.
#
# ## 5. A lost update
#
# All threads add to the same numbers. `n = n + 1` looks like one step, but a processor does three: it loads n, adds 1,
# and stores the sum. Choose an order of the steps and watch the memory.

# %%
lesson.interactive("threads", lost_update_data(), "Two threads add 1 to the same number")

# %%
orders = interleavings()
right = [order for order in orders if play_interleaving(order)[-1]["memory"] == 2]
lesson.say(f"Of {len(orders)} orders, only {len(right)} are right: {' and '.join(right)}, one thread after the other.")

# %% [markdown]
# Now for real. Two threads of this computer add 1 to one number, millions of times: first with a load and a store, then
# with one atomic instruction (`apv_mcts/atomics.py`), which no other thread can interrupt.

# %%
times = lesson.sized(30_000_000, 10_000_000)
in_steps, at_once = count_together(times, is_atomic=False), count_together(times, is_atomic=True)
lesson.show_table(
    ("", "should be", "counted", "lost"),
    [
        ("load, add, store", f"{in_steps.expected:,}", f"{in_steps.found:,}", f"{in_steps.lost:,}"),
        ("one atomic instruction", f"{at_once.expected:,}", f"{at_once.found:,}", f"{at_once.lost:,}"),
    ],
    "Two real threads, live",
)

# %%
lesson.say(
    f"{100 * in_steps.lost / in_steps.expected:.1f}% of the additions are lost without atomics, and none with them."
    if in_steps.lost
    else "Nothing was lost this time: the threads did not run at the same moment, as on a busy machine. Luck is not "
    "correctness; run the cell again."
)

# %% [markdown]
# In a search tree a lost update is worse than a wrong count. If the removal of a virtual loss gets lost, a good move
# looks lost for the rest of the search. A lock would help, but then 40 threads would queue at the root. The paper's
# search is lock-free, and so is ours: sums are integers in units of 1/2²⁰, so that one instruction can add to them.
#
# ## 6. n_thr follows the queue
#
# Each new node asks the network for its priors. If nodes are made faster than the network answers, requests pile up and
# answers come too late. If they are made too slowly, an expensive network idles. So n_thr is not a constant: it rises
# when the queue grows and falls when the network has time (Methods). Here is a real search on two threads. In the
# second third the network rests for some milliseconds before each answer, as if it were larger.

# %%
load = record_load(position, phase=lesson.sized(1.5, 0.3), pause=lesson.sized(0.03, 0.03))
lesson.interactive("queue", load, "n_thr follows the queue")

# %%
looks = load["looks"]
lesson.beside(
    [
        (
            "queue grows",
            f"n_thr rose in {sum(look['change'] > 0 for look in looks)} of {len(looks)} looks",
            "raise n_thr",
            "more than two batches wait",
        ),
        (
            "network idles",
            f"n_thr fell in {sum(look['change'] < 0 for look in looks)} of {len(looks)} looks",
            "lower n_thr",
            "at work less than 80% of the time",
        ),
        ("n_thr at first and at the end", f"{load['start']}, {looks[-1]['n_thr']}", "40", "Extended Data Table 5"),
    ],
    "The rule of the slides, and what the search did",
)

# %% [markdown]
# ## 7. What each part is worth
#
# The paper removes one part after the other (Extended Data Table 7, 5 seconds a move). The full version mixes
# everything and is far ahead. Each of rollouts, value network and policy network is worth hundreds of points of Elo.

# %%
found = read_results()
absent = f"{RESULTS.relative_to(RESULTS.parents[2])} is not there yet; ./prezero arena.ablation writes it."
lesson.say(f"The table has the paper's column only: {absent}") if not found else None

# %%
lesson.beside(table_rows(found), "Elo above the full version; in brackets our 95% interval and the paper's own scale")

# %%
lesson.show_table(
    ("", "slides", "papers"),
    [
        ("time per move of the ablation", "2 s", "5 s; 2 s is the study of scaling"),
        ("Elo of the cluster", "over 3,150", "3,140; 3,168 with 280 GPUs"),
        ("hardware against Fan Hui", "176 GPUs and 48 TPUs", "176 GPUs; the 48 TPUs played Lee Sedol"),
        ("policy network of the match", "192 filters find 55.7%", "55.4%; 55.7% is with 12 planes and 8 symmetries"),
        ("network of the Lee version", "deeper than 14 layers", "12 layers of 256 filters"),
        ("one answer of the policy network", "5 ms", "3 ms in the text, 4.8 ms in Extended Data Table 3"),
    ],
    "Where the slides differ from the papers",
)

# %% [markdown]
# ## Exercises
#
# Replace `...` by your answer and run the cell. Solutions are in `classroom/solutions/chapter5.py`.
#
# **5.select.** Write a function `select(moves, c_puct)`. `moves` is a list of tuples (P, N, Q). Return the place of the
# move that a simulation follows.

# %% tags=["exercise"]
answer = ...
check("5.select", answer)

# %% [markdown]
# **5.mix.** A move has N_v = 20, W_v = 4, N_r = 50, W_r = −10. What is Q with λ = 0.25?

# %% tags=["exercise"]
answer = ...
check("5.mix", answer)

# %% [markdown]
# **5.virtual_loss.** A move has N_r = 10 and W_r = 4. One simulation is under way through it, with n_vl = 3. What is
# W_r / N_r at this moment?

# %% tags=["exercise"]
answer = ...
check("5.virtual_loss", answer)

# %% [markdown]
# **5.back_up.** Write a function `back_up(z, depth)`: the outcome z is seen by the player at the root. Return the list
# of numbers that are added to W_r, from the first edge of the path to the last.

# %% tags=["exercise"]
answer = ...
check("5.back_up", answer)

# %% [markdown]
# **5.interleavings.** A processor that loads and adds in one step and then stores has two steps for each thread. Two
# threads add 1 to one number. In how many orders of the four steps is an addition lost?

# %% tags=["exercise"]
answer = ...
check("5.interleavings", answer)

# %% [markdown]
# **5.threshold.** n_thr is 40, a batch has 8 positions, and 30 requests wait. What is n_thr after the next look at the
# queue? (`Search.adapt` in `apv_mcts/search.py`.)

# %% tags=["exercise"]
answer = ...
check("5.threshold", answer)

# %% [markdown]
# ## Further reading
#
# - Silver et al. 2016, *Mastering the game of Go with deep neural networks and tree search*, Nature 529: Methods,
#   "Search algorithm", and Extended Data Tables 5, 7 and 8.
# - Chaslot, Winands and van den Herik 2008, *Parallel Monte-Carlo tree search*: where virtual loss comes from.
# - Enzenberger and Müller 2009, *A lock-free multithreaded Monte-Carlo tree search algorithm*.
# - `docs/search.md`, and in the code `apv_mcts/rules.py`, `apv_mcts/simulation.py`, `apv_mcts/atomics.py`.
