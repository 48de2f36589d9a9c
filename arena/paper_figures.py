"""The paper's figures (Silver et al. 2016) next to those of a run, as rows of tables.

The paper's are of 19x19 and of networks that were trained for weeks on 50 GPUs, ours of a small board and of minutes:
the order of things can be compared, the numbers cannot.
"""

from typing import Any, NamedTuple

from arena.ablation_tables import CROSS, VARIANTS
from arena.report_data import Reading
from arena.scores import percent, tally
from pipeline.shares import share_text

AGAINST_GNUGO = {  # Extended Data Table 9, as `arena.ablation_tables.CROSS`
    ("alpha_rvp", "gnugo"): (100, 44, 100),
    ("alpha_rp", "gnugo"): (100, 68, 100),
    ("alpha_vp", "gnugo"): (100, 34, 100),
    ("alpha_p", "gnugo"): (99, 95, 100),
    ("alpha_r", "gnugo"): (99, 97, 100),
}


class Figure(NamedTuple):
    """A figure of the paper: what it is, the paper's, ours, and where the paper has it."""

    what: str
    paper: str
    ours: str
    source: str
    is_headline: bool = True  # shown at the top of a report


def figures(reading: Reading) -> list[Figure]:
    """Return the figures of all stages that the run has."""
    found = []
    if rollout := reading.metrics("rollout.train"):
        for policy, paper in (("rollout", "24.2%"), ("tree", "")):
            if policy in rollout["held out"]:
                share = rollout["held out"][policy]["test"]["top1"]
                found.append(Figure(f"moves found by the {policy} policy", paper, _percent(share), "Methods"))
        for policy, paper in (("rollout", "109,747"), ("tree", "141,989")):
            if policy in rollout["features"]:
                count = sum(rollout["features"][policy].values())
                found.append(
                    Figure(f"features of the {policy} policy", paper, f"{count:,}", "Table 4", is_headline=False)
                )
    if network := reading.metrics("sl_policy.train"):
        share = network["results"]["test"]["top1"]
        paper = "55.4% (match network), 57.0% (256 filters, 8 symmetries)"
        found.append(Figure("moves found by the SL policy network", paper, _percent(share), "Table 3"))
    if rl := reading.metrics("rl_policy.train"):
        ours = share_text(rl["match"]["won"], rl["match"]["games"])
        found.append(Figure("games that the RL policy wins against the SL policy", "more than 80%", ours, "Methods"))
    if value := reading.metrics("value_net.train"):
        for part, paper in (("train", "0.226"), ("test", "0.234")):
            error = value["results"][part]["MSE"]
            what = f"mean squared error of the value network, {part}"
            found.append(Figure(what, paper, f"{error:.3f}", "Methods", is_headline=part == "test"))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def ablation_rows(reading: Reading) -> list[dict[str, Any]]:
    """Return the Elo of the mixtures relative to the whole (alpha_rvp), ours and the paper's, in the paper's order."""
    rated = {row["player"]: row for row in reading.ladder["ratings"]}
    if "alpha_rvp" not in rated:
        return []
    top = rated["alpha_rvp"]["elo"]
    return [
        {"player": name, "paper": elo - VARIANTS["alpha_rvp"], "ours": rated[name]["elo"] - top}
        for name, elo in VARIANTS.items()
        if name in rated
    ]


def cross_rows(reading: Reading) -> list[tuple[str, str, str, str]]:
    """Return the pairs of Extended Data Table 9 that have met here: winner, loser, the paper's percentage, ours."""
    games = [played for played, _ in reading.games.values()]
    papers = CROSS | AGAINST_GNUGO
    met = {pair: tally(games, *pair) for pair in papers}
    return [(*pair, _won(*papers[pair]), percent(found)) for pair, found in met.items() if found.games]


def _won(share: float, low: float, high: float) -> str:
    return f"{share} [{low};{high}]"
