"""Settings of a search: one kernel, from plain Monte Carlo to AlphaGo and Zero."""

import dataclasses

from apv_mcts.rules import FLAT, PUCT, UCB1, Rule
from nets.runtime import PRECISIONS
from pipeline.errors import UserError
from pipeline.settings import setting

KINDS = {"puct": PUCT, "ucb1": UCB1, "flat": FLAT}
CHOICES = {
    "rule": tuple(KINDS),
    "rollouts": ("rollout", "uniform", "none"),
    "priors": ("tree", "uniform"),
    "precision": PRECISIONS,
}
BOUNDS = {
    "lambda_mix": (0, 1),
    "c_puct": (0, 1_000),
    "n_thr": (0, 10**9),
    "n_vl": (0, 1_000),
    "beta": (0.01, 100),
    "pass_prior": (0, 1),
    "replies": (0, 1),
    "noise": (0, 1),
    "noise_alpha": (0.0001, 1_000),
    "threads": (0, 256),
    "batch": (1, 4_096),
    "nodes": (1, 10_000_000),  # with 200 edges each; the number of an edge has 31 bits
}


@dataclasses.dataclass
class SearchSettings:
    """Names and defaults are those of the paper (Extended Data Table 5), where it has them."""

    rule: str = setting("puct", "how moves are chosen in the tree: puct, ucb1, or flat (all alike)")
    rollouts: str = setting("rollout", "who plays rollouts: rollout (policy), uniform, or none")
    priors: str = setting("tree", "priors of new nodes until the network answers: tree (policy) or uniform")
    policy: bool = setting(True, "ask the policy network for priors")
    value: bool = setting(False, "ask the value network about leaves")
    lambda_mix: float = setting(0.5, "share of rollouts in Q; the value network has the rest (paper: 0.5)")
    c_puct: float = setting(5.0, "constant of exploration (paper: 5); with ucb1 that of the bound")
    n_thr: int = setting(40, "visits of an edge above which its position becomes a node (paper: 40, adapted)")
    adapt: bool = setting(True, "on several threads: let n_thr follow the load of the policy network")
    n_vl: int = setting(3, "virtual losses of a simulation under way (paper: 3)")
    beta: float = setting(0.67, "temperature of the priors: scores of the network are divided by it (paper: 0.67)")
    pass_prior: float = setting(0.01, "prior of passing")
    replies: float = setting(0.0, "chance that a rollout plays the tree's reply where its context comes up again")
    noise: float = setting(0.0, "share of Dirichlet noise in the priors of the root (Zero: 0.25)")
    noise_alpha: float = setting(0.03, "concentration of that noise (Zero: 0.03 on 19x19)")
    threads: int = setting(0, "threads that search; 0 takes all cores")
    precision: str = setting("auto", "precision of networks; auto takes int8 if the processor has instructions for it")
    batch: int = setting(8, "positions that the networks are given at once, at most")
    nodes: int = setting(100_000, "nodes of the tree at most; after that it no longer grows")


def rule_of(settings: SearchSettings, komi: float) -> Rule:
    """Return the numbers that the kernels need."""
    return Rule(
        kind=KINDS[settings.rule],
        lambda_mix=settings.lambda_mix,
        c_puct=settings.c_puct,
        n_vl=settings.n_vl,
        has_rollouts=settings.rollouts != "none",
        has_value=settings.value,
        has_policy=settings.policy,
        has_tree_policy=settings.priors == "tree",
        has_replies=settings.replies > 0,
        pass_prior=settings.pass_prior,
        komi=komi,
    )


def check_search(settings: SearchSettings) -> None:
    """Refuse settings that make no sense."""
    for name, known in CHOICES.items():
        if getattr(settings, name) not in known:
            raise UserError(f"player.search.{name}={getattr(settings, name)} is none of {', '.join(known)}.")
    for name, (least, most) in BOUNDS.items():
        if not least <= getattr(settings, name) <= most:
            raise UserError(f"player.search.{name}={getattr(settings, name)} is not between {least} and {most:,}.")
    if settings.rollouts == "none" and not settings.value:
        raise UserError("A search without rollouts and without a value network has nothing to go by.")
    if settings.replies > 0 and (settings.priors != "tree" or settings.rollouts != "rollout"):
        raise UserError(
            "player.search.replies goes with player.search.priors=tree and player.search.rollouts=rollout only."
        )
    if settings.rollouts == "none" and settings.rule != "puct":
        raise UserError(f"player.search.rule={settings.rule} needs rollouts.")
