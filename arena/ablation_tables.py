"""The paper's experiments in strength as plain data: who plays whom, and the figures of the paper by row.

A part is one experiment: players as text (`arena.player_text`), what they have in common (time or simulations), the
paper's figures with their source, and the question that the part answers. All numbers here are of Silver et al. 2016.
`arena.ablation` plays the parts.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arena.schedule import pairings
from sl_policy.snapshots import Snapshot

ELO, WON = "Elo", "% won"  # what the paper's figures are
SECONDS, SIMULATIONS = "seconds", "simulations"  # what all players of a part have equal
BUDGETS = (SECONDS, SIMULATIONS)
VARIANTS = {  # Extended Data Table 7
    "alpha_rvp": 2890,
    "alpha_rp": 2416,
    "alpha_vp": 2177,
    "alpha_rv": 2077,
    "alpha_v": 1655,
    "alpha_p": 1517,
    "alpha_r": 1457,
}
CROSS = {  # Extended Data Table 9: per cent that the first won against the second, with 95% intervals
    ("alpha_rvp", "alpha_rp"): (95, 93, 96),
    ("alpha_rvp", "alpha_vp"): (99, 95, 100),
    ("alpha_rvp", "alpha_rv"): (100, 96, 100),
    ("alpha_rvp", "alpha_v"): (100, 81, 100),
    ("alpha_rvp", "alpha_p"): (100, 81, 100),
    ("alpha_rvp", "alpha_r"): (100, 92, 100),
    ("alpha_rp", "alpha_vp"): (61, 52, 69),
    ("alpha_rp", "alpha_rv"): (87, 77, 93),
    ("alpha_rp", "alpha_v"): (100, 78, 100),
    ("alpha_rp", "alpha_p"): (96, 79, 99),
    ("alpha_rp", "alpha_r"): (100, 91, 100),
    ("alpha_vp", "alpha_rv"): (65, 52, 75),
    ("alpha_vp", "alpha_v"): (100, 78, 100),
    ("alpha_vp", "alpha_p"): (99, 94, 100),
    ("alpha_vp", "alpha_r"): (94, 73, 99),
    ("alpha_rv", "alpha_v"): (71, 36, 92),
    ("alpha_rv", "alpha_p"): (52, 35, 67),
    ("alpha_rv", "alpha_r"): (100, 82, 100),
    ("alpha_v", "alpha_p"): (70, 52, 84),
    ("alpha_v", "alpha_r"): (78, 45, 94),
    ("alpha_p", "alpha_r"): (78, 71, 84),
}
THREADS = {1: 2203, 2: 2393, 4: 2564, 8: 2665}  # Extended Data Table 8: 48 CPUs and 8 GPUs
THREADS_CROSS = {(2, 1): 70, (4, 1): 90, (8, 1): 94, (4, 2): 72, (8, 2): 81, (8, 4): 62}  # Extended Data Table 10
SYMMETRIES = {1: (67, 55), 2: (67, 38), 4: (69, 14), 8: (69, 5)}  # Extended Data Table 3, 256 filters: raw, in search
MIXED = {0.0: 2177, 0.25: None, 0.5: 2890, 0.75: None, 1.0: 2416}  # Extended Data Table 7: vp, rvp and rp
PARAMETERS = {"n_thr": 40, "n_vl": 3, "c_puct": 5}  # Extended Data Table 5
TRIED = {"n_thr": (0, 5, 15, 40, 100), "n_vl": (0, 1, 3, 10), "c_puct": (1, 1.5, 2.5, 5, 10)}
BUSY_THREADS = 4  # virtual losses act between simulations that run at the same time
ON_19 = "The paper's figures are of 19x19; only signs and the order of magnitude can be compared."


class Row(NamedTuple):
    """A player of a part. Its name is its text, unless it has another text."""

    name: str
    paper: float | None = None  # the paper's figure, if it prints one
    place: float | None = None  # on the horizontal axis of the plot
    against: str = ""  # its only opponent; empty: all others
    text: str = ""

    @property
    def player(self) -> str:
        return f"{self.text} name={shlex.quote(self.name)}" if self.text else self.name


class Part(NamedTuple):
    """An experiment. `claims` are pairs (stronger, weaker) that the paper states without figures."""

    name: str
    title: str
    question: str
    source: str
    rows: tuple[Row, ...]
    reference: str = ""  # the player whose rating is 0; empty: the first
    figure: str = ELO
    equal: str = SIMULATIONS
    is_timed_only: bool = False  # simulations would hide what is measured
    is_alone: bool = False  # one game at a time, whatever the cores
    needs: tuple[str, ...] = ()  # networks that every search must have
    claims: tuple[tuple[str, str], ...] = ()
    cross: Mapping[tuple[str, str], tuple[float, ...]] = {}  # per cent won by the first, perhaps with an interval
    axis: str = ""  # what `place` is
    is_scale: bool = False  # whether places are drawn in proportion; otherwise side by side
    chosen: float | None = None  # the place that the paper has chosen
    remarks: tuple[str, ...] = ()

    def groups(self) -> list[list[Row]]:
        """Return the rows in groups: only players of one group meet, and are rated together."""
        hosts = {row.against for row in self.rows if row.against}
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.against or (row.name if row.name in hosts else ""), []).append(row)
        return list(found.values())

    def pairs(self) -> list[tuple[str, str]]:
        """Return who plays whom."""
        found = []
        for group in self.groups():
            met = [(row.against, row.name) for row in group if row.against]
            found += met or pairings([row.name for row in group])
        return found

    def expected(self) -> list[tuple[str, str]]:
        """Return the pairs (stronger, weaker) that the paper's figures or its text tell of, the strongest first.

        Where all play against one, these are the pairs with it.
        """
        found = []
        for group in self.groups():
            known = sorted((row for row in group if row.paper is not None), key=lambda row: -row.paper)
            higher = [(a, b) for i, a in enumerate(known) for b in known[i + 1 :] if a.paper > b.paper]
            found += [(a.name, b.name) for a, b in higher if not (a.against and b.against)]
        return [*found, *self.claims]


def variants() -> Part:
    return Part(
        "variants",
        "What the parts of AlphaGo are worth: Extended Data Tables 7 and 9",
        "What are rollouts (r), the value network (v) and the policy network (p) worth, and is the paper's order rvp > "
        "rp > vp > rv > v > p > r found here?",
        "Elo: Extended Data Table 7; % won: Extended Data Table 9 (5 s a move, 48 CPUs, 8 GPUs)",
        tuple(Row(name, elo) for name, elo in VARIANTS.items()),
        equal=SECONDS,
        cross=CROSS,
        remarks=(
            ON_19,
            "The players with a value network have a c_puct, n_vl, n_thr, lambda and first-play urgency of their own "
            "(docs/search.md).",
            "Few games stand behind some of the paper's percentages, as their intervals tell.",
        ),
    )


def lambda_mix(base: str) -> Part:
    return Part(
        "lambda_mix",
        "Rollouts and value network mixed: lambda from 0 to 1 (Figure 4b)",
        "Is a mixture better than the value network alone (0) and than rollouts alone (1)?",
        "Extended Data Table 7: alpha_vp as 0, alpha_rvp as 0.5, alpha_rp as 1",
        tuple(Row(f"{base} lambda_mix={mix:g}", elo, mix) for mix, elo in MIXED.items()),
        reference=f"{base} lambda_mix=0.5",
        needs=("value",),
        axis="lambda",
        is_scale=True,
        chosen=0.5,
        remarks=(
            ON_19,
            "Here all players do the same work: rollouts are played at 0, too, and the value network is asked at 1, "
            "where neither counts. In the paper they are not, which leaves more time.",
        ),
    )


def threads(base: str) -> Part:
    name = f"{base} threads={{}}"
    return Part(
        "threads",
        "Search threads: Extended Data Tables 8 and 10",
        "What does each doubling of the search threads give at equal time, also beyond the number of cores?",
        "Elo: Extended Data Table 8; % won: Extended Data Table 10 (2 s a move, 48 CPUs, 8 GPUs)",
        tuple(Row(name.format(count), elo, count) for count, elo in THREADS.items()),
        equal=SECONDS,
        is_timed_only=True,
        is_alone=True,
        cross={(name.format(a), name.format(b)): (won,) for (a, b), won in THREADS_CROSS.items()},
        axis="search threads",
        remarks=(
            ON_19,
            "The paper has 48 CPUs, so that all its threads have one. Here threads beyond the cores share them.",
            "Games are played one at a time.",
        ),
    )


def table3(base: str) -> Part:
    raw, search = (
        tuple(
            Row(f"{of} symmetries={count}" if count > 1 else of, won[column], against=of if count > 1 else "")
            for count, won in SYMMETRIES.items()
        )
        for column, of in enumerate(("sl", base))
    )
    return Part(
        "table3",
        "Symmetries averaged: the win columns of Extended Data Table 3",
        "Averaging the network over 2, 4 or 8 symmetries of the board finds more expert moves. Does it also win more "
        "games, of the network alone, and of a search with it at equal time?",
        "Extended Data Table 3, 256 filters: columns raw net wins and AlphaGo wins",
        (*raw, *search),
        figure=WON,
        equal=SECONDS,
        is_timed_only=True,
        needs=("policy",),
        remarks=(
            ON_19,
            "The paper's networks play against one of 192 filters with one symmetry. So 67% and 55% are its figures "
            "without averaging. Here the opponent is the same network with one symmetry.",
            "The network alone averages probabilities. The search averages scores, and the values of a value network.",
        ),
    )


def accuracy(base: str, snapshots: list[Snapshot]) -> Part:
    rows = []
    for snapshot in snapshots:
        name = f"{100 * snapshot.accuracy:.2f}% after {snapshot.positions} positions"
        text = f"{base} policy_from={shlex.quote(str(snapshot.path))}"
        rows.append(Row(name, None, 100 * snapshot.accuracy, against=base, text=text))
    best, worst = rows[-1].name, rows[0].name
    return Part(
        "accuracy",
        "Strength of the search by the accuracy of its policy network: Figure 2a",
        "Does the search win more with a policy network that finds more expert moves?",
        "Figure 2a, which is a drawing without numbers",
        (Row(base), *rows),
        figure=WON,
        needs=("policy",),
        claims=((best, worst),) if best != worst else (),
        axis="validation accuracy of the policy network, %",
        is_scale=True,
        remarks=(
            "Networks of one training run; accuracy is top-1 on held-out games. The opponent is the same search with "
            "the usual policy network.",
            "The end points of the paper's curves are in Extended Data Table 3: 53% of games won with 54.6% of test "
            "moves found (128 filters), 50% with 55.4% (192), 55% with 55.9% (256).",
        ),
    )


def parameter(name: str, base: str) -> Part:
    """Return the part that varies a parameter of Extended Data Table 5."""
    paper, threaded = PARAMETERS[name], f" threads={BUSY_THREADS} adapt=false" if name == "n_vl" else ""
    meanings = {
        "n_thr": "the visits of an edge above which its position becomes a node",
        "n_vl": "the virtual losses of a running simulation",
        "c_puct": "the exploration constant",
    }
    notes = {
        "n_vl": (f"Played on {BUSY_THREADS} threads: on one, no simulation sees the virtual losses of another.",),
    }
    return Part(
        name,
        f"The parameter {name}: {meanings[name]} (Extended Data Table 5)",
        f"Is the paper's {name}={paper} the best here?",
        "Extended Data Table 5; the paper prints no strength for other values",
        tuple(Row(f"{base}{threaded} {name}={value:g}", None, value) for value in TRIED[name]),
        reference=f"{base}{threaded} {name}={paper}",
        axis=name,
        chosen=paper,
        remarks=notes.get(name, ()),
    )


def tree_policy(base: str) -> Part:
    return Part(
        "tree_policy",
        "The tree policy on and off",
        "New nodes have priors of the tree policy until the policy network answers. Are they better than uniform ones?",
        "Methods; the paper prints no strength without it",
        (Row(base), Row(f"{base} priors=uniform")),
    )


def priors(base: str) -> Part:
    other = f"{base} policy_from=rl"
    return Part(
        "priors",
        "Priors of the SL or the RL policy network",
        "The RL policy network beats the SL policy network. Are its priors better for the search?",
        "the text: the SL policy network is better in the search",
        (Row(base), Row(other)),
        needs=("policy",),
        claims=((base, other),),
    )


def value_games(base: str, of_sl: Path, of_rl: Path) -> Part:
    by_rl, by_sl = f"{base} with values of RL games", f"{base} with values of SL games"
    return Part(
        "value_games",
        "Value network of games of the SL or the RL policy network",
        "Is a value network better that has learnt from games of the stronger policy?",
        "the text: the value network of RL games is better in the search",
        (
            Row(by_rl, text=f"{base} value_from={shlex.quote(str(of_rl))}"),
            Row(by_sl, text=f"{base} value_from={shlex.quote(str(of_sl))}"),
        ),
        needs=("value",),
        claims=((by_rl, by_sl),),
    )
