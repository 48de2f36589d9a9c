# %% [markdown]
# # Chapter 2: Convolutions
#
# **Aims.** See what a convolution computes, train a small network on digits, look at a Go board as 48 planes, and get
# to know the network that finds 57% of the moves of strong players.
#
# **Duration.** 90 minutes with the exercises. Running it takes one to two minutes.

# %% [markdown]
# ## One convolution by hand
#
# A convolution slides a small table of weights, the **kernel**, over the board. At each point it multiplies the nine
# values under the kernel by its weights, and adds them up. Outside the board there are zeros.
#
# The slides have an example with the results 10 and 3; its kernel is in a figure that is lost. This kernel looks for
# horizontal rows of stones, and gives the same results on the slides' 9x9 position.

# %%
import numpy as np

from classroom import lesson
from classroom.examples import KERNEL, STAR, TRIANGLE, slides_position
from go import BLACK
from go.coordinates import rowcol_from_point

position = slides_position()
plane = (position.colors == BLACK).astype(int)  # one plane: 1 where black has a stone
kernel = np.array(KERNEL)


def convolve(plane, kernel):
    """Slide a kernel over a plane, with zeros around it."""
    reach = len(kernel) // 2
    padded = np.pad(plane, reach)
    result = np.zeros(plane.shape, plane.dtype)
    for row, column in np.ndindex(plane.shape):
        under = padded[row : row + len(kernel), column : column + len(kernel)]
        result[row, column] = (under * kernel).sum()
    return result


response = convolve(plane, kernel)
at_star, at_triangle = (int(response[rowcol_from_point(position.point(vertex), 9)]) for vertex in (STAR, TRIANGLE))
lesson.row(
    lesson.show_table(["kernel", "", ""], kernel.tolist()),
    lesson.show_board(
        position,
        "Its result at each point, for the black stones",
        heat=response.astype(float),
        labels={
            position.point(vertex): f"{response[rowcol_from_point(position.point(vertex), 9)]}"
            for vertex in (STAR, TRIANGLE)
        },
        last_move=0,
    ),
)

# %%
by_hand = " + ".join(f"{weight}" for weight in (3, 4, 3))
lesson.beside(
    [
        [f"at the star, {STAR}", at_star, 10, f"the stones B4, C4 and D4: {by_hand}"],
        [f"at the triangle, {TRIANGLE}", at_triangle, 3, "the stone B4 alone, to the right"],
    ]
)

# %% [markdown]
# Every library computes the same, only faster. (Deep learning says *convolution* and does not mirror the kernel;
# mathematicians call this a correlation.)

# %%
import torch
from torch import nn

by_torch = nn.functional.conv2d(
    torch.from_numpy(plane).float()[None, None], torch.from_numpy(kernel).float()[None, None], padding=1
)
assert (by_torch[0, 0].numpy() == response).all()
lesson.say("torch.nn.functional.conv2d gives the same 81 numbers.")

# %% [markdown]
# ## Digits: a network that learns its kernels
#
# Nobody writes kernels by hand any more: they are learnt. The digits of scikit-learn are 1,797 pictures of 8x8 points,
# nothing has to be downloaded. First the linear model of chapter 1, then a network with two layers of convolutions.

# %%
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

digits = load_digits()
pictures, answers = (digits.images / 16).astype(np.float32), digits.target
order = np.random.default_rng(1).permutation(len(pictures))
test, train = order[:400], order[400:][: lesson.sized(1400, 500)]
linear = LogisticRegression(max_iter=300).fit(pictures[train].reshape(-1, 64), answers[train])
linear_share = float((linear.predict(pictures[test].reshape(-1, 64)) == answers[test]).mean())

# %%
torch.manual_seed(1)
torch.set_num_threads(1)  # so small a network is not faster with more
network = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 4 * 4, 10),
)  # fmt: skip
inputs, targets = torch.from_numpy(pictures)[:, None], torch.from_numpy(answers)
optimiser = torch.optim.Adam(network.parameters(), lr=0.003)
digit_curve = []
for epoch in range(lesson.sized(25, 4)):
    network.train()
    shuffled = np.random.default_rng(epoch).permutation(train)
    for chosen in np.split(shuffled, range(32, len(shuffled), 32)):
        loss = nn.functional.cross_entropy(network(inputs[chosen]), targets[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    network.eval()
    with torch.no_grad():
        found = network(inputs[test]).argmax(1)
    digit_curve.append(float((found == targets[test]).float().mean()))
network_share = digit_curve[-1]
lesson.show_table(
    ["model", "parameters", "test pictures named right"],
    [
        ["linear, on 64 points", linear.coef_.size + linear.intercept_.size, f"{linear_share:.1%}"],
        ["two layers of convolutions", f"{sum(p.numel() for p in network.parameters()):,}", f"{network_share:.1%}"],
    ],
)

# %%
with lesson.figure("Learning to read digits", height=2.6) as figure:
    axes = figure.subplots()
    axes.plot(
        range(1, len(digit_curve) + 1), digit_curve, marker="o", markersize=3, color="#0072b2", label="convolutions"
    )
    axes.axhline(linear_share, linestyle="--", color="#d55e00", label="linear")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    axes.set(xlabel="passes over the pictures")
    axes.legend(loc="lower right")

# %% [markdown]
# What has the first layer learnt? Each of its 16 kernels makes a picture of its own from the digit: edges, mostly.

# %%
with torch.no_grad():
    maps = network[1](network[0](inputs[test[:1]]))[0].numpy()
with lesson.figure("A digit, and what eight kernels of the first layer make of it", height=1.6) as figure:
    for number, axes in enumerate(figure.subplots(1, 9)):
        axes.imshow(pictures[test[0]] if number == 0 else maps[number - 1], cmap="Greys" if number == 0 else "Blues")
        axes.set(xticks=[], yticks=[], title="digit" if number == 0 else str(number))
        axes.grid(False)

# %% [markdown]
# ## From digits to Go
#
# | | digits | AlphaGo's policy network |
# |---|---|---|
# | input | 8x8, one plane: how dark a point is | 19x19, 48 planes: what is on a point |
# | layers | 2 convolutions and a dense layer | 13 convolutions, no dense layer |
# | output | 10 chances: which digit? | 361 chances: which move? |
# | answers to learn from | 1,797 | 29.4 million moves |
#
# Two things are different. The output is a board again, so the last layer is a convolution, too, with a bias of its own
# for each point. And the input is not a picture: what is on a point must first be said in numbers.

# %% [markdown]
# ## A position, plane by plane
#
# Each plane answers one question with 0 or 1 at each point: is there an own stone? Has the chain there exactly two
# liberties? Would a move here capture three stones? All is seen by the player to move.

# %%
import tempfile
from pathlib import Path

from features48 import encode
from features48.groups import SUBSETS, plane_names
from features48.sheet import draw_sheet

planes = encode(position)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "planes.svg"
    draw_sheet(position, planes, SUBSETS[48], "The 9x9 position of the slides, black to move", path)
    sheet = path.read_text()
lesson.show_drawing(sheet, "All 48 planes (Extended Data Table 2)")

# %% [markdown]
# The slides print these planes, too. Ours agree, with two exceptions. We look at liberties first.

# %%
from classroom.examples import SLIDES_LIBERTIES

names = plane_names(SUBSETS[48])
liberties = {number: planes[names.index(f"liberties {number}{'+' if number == 8 else ''}")] for number in range(1, 9)}


def said_of(vertex, by_number):
    """Return the number whose plane is set at a point."""
    place = rowcol_from_point(position.point(vertex), 9)
    return next((number for number, plane in by_number.items() if plane[place]), 0)


rows, wrong_chains = [], []
for chain, printed in SLIDES_LIBERTIES.items():
    (ours,) = {said_of(vertex, liberties) for vertex in chain}
    if ours != printed:
        wrong_chains.append((chain, ours, printed))
    rows.append([" ".join(chain), ours, printed, "" if ours == printed else "a slip: its only liberty is A5"])
lesson.beside(rows, "Liberties of the chains")

# %% [markdown]
# The white chain D6, B5, C5, D5 has **one** liberty, not two. The slides' own table of captures says so: black at A5
# captures four stones, and that is only possible if A5 is the last liberty.

# %%
captures = {number: planes[names.index(f"capture size {number}{'+' if number == 8 else ''}")] for number in range(1, 9)}
captured_at_a5 = said_of("A5", captures)
capturing_moves = int(sum(plane.sum() for plane in captures.values()))
ages = {number: planes[names.index(f"turns since {number}{'+' if number == 8 else ''}")] for number in range(1, 9)}
oldest, stones = int(ages[8].sum()), int((position.colors != 0).sum())
lesson.beside(
    [
        ["stones that black's A5 captures", captured_at_a5, 4, "the only capture on the board"],
        ["moves that capture", capturing_moves, 1],
        ["stones; empty points", f"{stones}; {81 - stones}", "22; 59"],
        [
            "stones in the plane '8 turns ago or more'",
            oldest,
            1,
            "the slides leave older stones out, although they say that 8 means 8 or more",
        ],
    ]
)

# %% [markdown]
# ## Counting weights and operations
#
# A layer of *k* kernels of 3x3 on *k* planes has 3² · k² weights, and each weight is used once for each of the 361
# points. The slides count 12 layers of this kind with k = 192. The first layer is not of this kind, though: it is 5x5
# on 48 planes.

# %%
from nets.description import Description, layers_of

k, points = 192, 19**2
slides_weights = 3**2 * k**2 * 12
slides_operations = points * slides_weights
paper = Description("policy", 19, 48, k, 13)
true_weights = sum(layer.width**2 * layer.inputs * layer.outputs for layer in layers_of(paper))
lesson.beside(
    [
        ["weights, 12 layers of 3x3", f"{slides_weights:,}", "about 4 million", "the slides' count"],
        ["additions for one answer", f"{slides_operations:,}", "about 1.4 · 10⁹", "each weight at each of 361 points"],
        ["weights of the paper's network", f"{true_weights:,}", "", "5·5·48·192 + 11·9·192² + 192"],
        ["with all biases", f"{paper.parameter_count():,}", "", "12·192 for kernels and 361 for points"],
    ],
    "Network arithmetic",
)

# %%
rows = []
for layer in layers_of(paper)[:2] + layers_of(paper)[-1:]:
    size = layer.width**2 * layer.inputs * layer.outputs
    rows.append([layer.name, f"{layer.width}x{layer.width}", layer.inputs, layer.outputs, f"{size:,}"])
lesson.show_table(
    ["layer", "kernel", "planes in", "planes out", "weights"], rows, "First, second and last layer of the paper"
)

# %% [markdown]
# ## Learning from experts
#
# Now the real thing, small: a network of 5 layers learns from games of the embedded corpus, move by move, in about a
# minute. The curve shows how many moves of games that it has *not* seen it finds.

# %%
from classroom.games import embedded_store
from data.positions import PositionSampler
from nets.module import weights_of
from nets.network import Network
from nets.settings import NetSettings, OptimiserSettings
from pipeline.device import choose_device
from sl_policy.accuracy import by_move_number, find_moves, held_out, summary
from sl_policy.trainer import PolicyTrainer

store = embedded_store(lesson.sized(1500, 120))
trainer = PolicyTrainer(
    PositionSampler(store, "train", 1),
    NetSettings(filters=lesson.sized(32, 8), layers=5),
    OptimiserSettings(learning_rate=0.1, batch_size=128),
    positions=lesson.sized(120_000, 2_560),
    device=choose_device("cpu"),
    precision=torch.float32,
    seed=1,
)
watched = held_out(store, "test", lesson.sized(3_000, 150))
history, every = [], max(1, trainer.steps // lesson.sized(8, 2))
for step in range(trainer.steps):
    shown = trainer.step(step)
    if (step + 1) % every == 0:
        found = summary(find_moves(Network(weights_of(trainer.network)), store, watched))
        history.append(((step + 1) * 128, found["top1"], shown["train top-1"]))
small_share = history[-1][1]

# %%
from nets import find_weights

shipped = Network.load(find_weights("policy", 9))
cards = {size: Network.load(find_weights("policy", size)).weights.card["figures"] for size in (9, 19)}
top1 = {size: figures["results"]["test"]["top1"] for size, figures in cards.items()}
with lesson.figure("A small policy network learns", height=2.8) as figure:
    axes = figure.subplots()
    axes.plot([entry[0] for entry in history], [entry[1] for entry in history], marker="o", color="#0072b2")
    axes.axhline(top1[9], linestyle="--", color="#009e73", label="the shipped network, on its own test games")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    axes.set(xlabel="positions seen", ylim=(0, 0.65), xlim=(0, None))
    axes.legend(loc="lower right")

# %% [markdown]
# The network that comes with Prezero has 9 layers of 64 filters and has seen five million positions. Its curve, as it
# was drawn when it learnt:

# %%
from pipeline.artefact import ROOT

lesson.show_drawing((ROOT / "docs" / "policy" / "curve9.svg").read_text(), "Learning curve of the shipped 9x9 network")

# %%
records = find_moves(shipped, store, watched)
here = summary(records)
lesson.beside(
    [
        [
            "19x19, one symmetry",
            f"{top1[19]:.1%}",
            "55.4%",
            "ours: 48 filters and 1.5 million positions; paper: 192 filters, 5.4 billion",
        ],
        ["19x19, 256 filters, eight symmetries", "", "57.0%", "the paper's best; the slides call it the Lee version"],
        [
            "19x19, 192 filters, 12 planes, eight symmetries",
            "",
            "55.7%",
            "the slides give 55.7% for 192 filters: wrong row",
        ],
        ["9x9, shipped network", f"{top1[9]:.1%}", "", f"{cards[9]['parameters']:,} parameters"],
        [
            "9x9, shipped network, embedded games",
            f"{here['top1']:.1%}",
            "",
            "it has learnt from many of these games itself",
        ],
        ["9x9, this chapter's network, embedded games", f"{small_share:.1%}", "", "a minute of learning"],
    ],
    "Moves found (Extended Data Table 3)",
)

# %% [markdown]
# ## Answers on a board
#
# What does the network say about the slides' position? Compare with the rollout policy in chapter 1.

# %%
from go.coordinates import gtp_from_point
from sl_policy.player import candidates_of

candidates = candidates_of(shipped, position)
heat = np.zeros((9, 9))
for candidate in candidates:
    heat[rowcol_from_point(candidate.point, 9)] = candidate.probability
lesson.show_board(
    position,
    "Black to move: chances by the policy network, in percent",
    heat=heat,
    labels={found.point: f"{100 * found.probability:.0f}" for found in candidates if found.probability > 0.01},
)

# %%
first_moves = [(gtp_from_point(found.point, 9), found.probability) for found in candidates[:5]]
lesson.show_table(["move", "chance"], [[move, f"{chance:.1%}"] for move, chance in first_moves])

# %% [markdown]
# ## Mistakes
#
# Accuracy depends on the stage of the game: these games share openings, which the network knows well; then a fight
# may go on in several places at once; at the end, many moves are forced. And some mistakes are no mistakes: another
# move may be as good as the expert's.

# %%
stages = [row for row in by_move_number(records, 9) if row["moves"] >= lesson.sized(50, 1)]
with lesson.figure("Moves found by the shipped network, by move number", height=2.6) as figure:
    axes = figure.subplots()
    axes.bar([f"{row['from']} to {row['to']}" for row in stages], [row["top1"] for row in stages], color="#0072b2")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    axes.set(xlabel="number of the move")
    axes.tick_params(axis="x", labelrotation=30)

# %%
from sl_policy.mistakes import draw_mistakes

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "mistakes.svg"
    draw_mistakes(shipped, store, records, path)
    drawn = path.read_text()
lesson.show_drawing(drawn, "Square: the expert's move. Red: what the network thinks.")

# %% [markdown]
# ## Exercises
#
# **1.** How many weights (without biases) has the first layer of the paper's *value* network: 192 kernels of 5x5 on 49
# planes?

# %% tags=["exercise"]
from classroom import check

answer = ...
check("2.first_layer", answer)

# %% [markdown]
# **2.** A 19x19 board is padded with zeros to 23x23, and a 5x5 kernel slides over it. How many rows has the result?

# %% tags=["exercise"]
answer = ...
check("2.padding", answer)

# %% [markdown]
# **3.** Write `liberty_planes(liberties)`: `liberties` is a 9x9 array with the liberties of the chain at each point,
# and 0 at empty points. Return an array of shape (8, 9, 9): plane *k* − 1 is 1 where there are exactly *k* liberties,
# and the last plane where there are 8 or more.

# %% tags=["exercise"]
answer = ...
check("2.liberty_planes", answer)

# %% [markdown]
# **4.** Stacked 3x3 layers see further and further. How many layers of 3x3 does it take until the middle of a 19x19
# board depends on the corners?

# %% tags=["exercise"]
answer = ...
check("2.reach", answer)

# %% [markdown]
# **5.** Write `convolve(plane, kernel)` without a loop over points: shift the padded plane nine times and add.

# %% tags=["exercise"]
answer = ...
check("2.convolve", answer)

# %% [markdown]
# ## Further reading
#
# - Silver et al. (2016), Methods, *Policy network: classification*, and Extended Data Tables 2 and 3.
# - Maddison, Huang, Sutskever and Silver (2015), *Move evaluation in Go using deep convolutional neural networks*.
# - Clark and Storkey (2015), *Training deep convolutional neural networks to play Go*.
# - LeCun, Bottou, Bengio and Haffner (1998), *Gradient-based learning applied to document recognition*: digits, long
#   before Go.
# - In the code: `features48/planes.py`, `nets/description.py`, `sl_policy/trainer.py`; results in `docs/policy.md`.
