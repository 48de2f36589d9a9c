"""Settings of a search: one kernel, from plain Monte Carlo to AlphaGo and Zero."""

import dataclasses

from apv_mcts.rules import FLAT, NODE, PUCT, UCB1, ZERO, Rule
from nets.runtime import PRECISIONS
from pipeline.errors import UserError
from pipeline.settings import MOST_THREADS, seed_setting, setting

KINDS = {"puct": PUCT, "ucb1": UCB1, "flat": FLAT}
FIRST_PLAYS = {"zero": ZERO, "node": NODE}
ROLLOUTS = ("rollout", "uniform", "none")
MOST_NODES = 10_000_000  # with 200 edges each; the number of an edge has 31 bits


@dataclasses.dataclass
class SearchSettings:
    """Names and defaults are those of the paper (Extended Data Table 5), where it has them."""

    rule: str = setting("puct", "how moves are chosen in the tree; flat tries all equally often", choices=tuple(KINDS))
    rollouts: str = setting(
        "rollout", "who plays rollouts: the rollout policy, random moves or nobody", choices=ROLLOUTS
    )
    priors: str = setting("tree", "priors of new nodes until the policy network answers", choices=("tree", "uniform"))
    policy: bool = setting(True, "ask the policy network for priors")
    value: bool = setting(False, "evaluate leaves with the value network")
    policy_from: str = setting("sl", "policy network for the priors: sl (as in the paper), rl, or a file")
    value_from: str = setting("", "file of the value network, or of Zero's; empty: that of the run, or the shipped one")
    symmetries: int = setting(
        1, "symmetries of the board to average in each answer of the networks; 1: a random one", choices=(1, 2, 4, 8)
    )
    lambda_mix: float = setting(
        0.5, "weight of rollouts in Q; the value network has the rest (paper: 0.5)", least=0, most=1
    )
    c_puct: float = setting(
        5.0, "exploration constant of puct (paper: 5), or of the upper confidence bound with ucb1", least=0, most=1_000
    )
    n_thr: int = setting(
        40, "visits of an edge above which its position becomes a node (paper: 40, adapted)", least=0, most=10**9
    )
    adapt: bool = setting(
        True, "on several threads: adapt n_thr to the load of the networks; false: n_thr stays, and all threads answer"
    )
    first_play: str = setting(
        "zero",
        "value of moves that were not tried: zero, or that of the node (the mean of the moves tried there)",
        choices=tuple(FIRST_PLAYS),
    )
    first_play_loss: float = setting(
        0.0, "with first_play=node: by how much moves that were not tried are taken to be worse", least=0, most=2
    )
    n_vl: int = setting(3, "virtual losses of a running simulation (paper: 3)", least=0, most=1_000)
    beta: float = setting(
        0.67, "temperature of the priors: the network's scores are divided by it (paper: 0.67)", least=0.01, most=100
    )
    pass_prior: float = setting(0.01, "prior of passing", least=0, most=1)
    replies: float = setting(
        0.0, "probability that a rollout plays the tree's reply where its context occurs again", least=0, most=1
    )
    noise: float = setting(0.0, "share of Dirichlet noise in the priors of the root (Zero: 0.25)", least=0, most=1)
    noise_alpha: float = setting(
        0.03, "concentration of the Dirichlet noise (Zero: 0.03 on 19x19)", least=0.0001, most=1_000
    )
    # Part of the key, unlike other threads: simulations that run at the same time see each other's virtual losses.
    threads: int = setting(0, "search threads; 0 takes all cores", least=0, most=MOST_THREADS)
    precision: str = setting(
        "auto", "precision of networks; auto takes int8 if the processor has instructions for it", choices=PRECISIONS
    )
    batch_size: int = setting(8, "positions in a batch of the networks, at most", least=1, most=4_096)
    nodes: int = setting(100_000, "nodes of the tree, at most; then it stops growing", least=1, most=MOST_NODES)

    def check(self) -> None:
        """Raise `UserError` for settings that do not go together."""
        if self.rollouts == "none" and not self.value:
            raise UserError("A search without rollouts and without a value network has nothing to go by.")
        if self.replies > 0 and (self.priors != "tree" or self.rollouts != "rollout"):
            raise UserError(
                "player.search.replies goes with player.search.priors=tree and player.search.rollouts=rollout only."
            )
        if self.rollouts == "none" and self.rule != "puct":
            raise UserError(f"player.search.rule={self.rule} needs rollouts.")


@dataclasses.dataclass
class SearchPlayerSettings:
    """A player that searches: with what, and for how long."""

    name: str = setting("", "what the player is called")
    kind: str = setting("search", "what chooses the moves")
    run: str = setting("", "run whose policies and network play; empty: those that come with Prezero")
    seed: int = seed_setting()
    simulations: int = setting(0, "simulations per move, at most; 0 for no limit", least=0, most=10**9)
    seconds: float = setting(1.0, "seconds per move, if no clock is set; 0 for no limit", least=0, most=86_400)
    resign: float = setting(
        -0.8, "resign when the value of every move is below this (paper: -0.8); -1 never resigns", least=-1, most=1
    )
    search: SearchSettings = setting(SearchSettings, "the search")


def rule_of(settings: SearchSettings, komi: float) -> Rule:
    """Return the numbers that the kernels need."""
    return Rule(
        kind=KINDS[settings.rule],
        lambda_mix=settings.lambda_mix,
        c_puct=settings.c_puct,
        first_play=FIRST_PLAYS[settings.first_play],
        first_play_loss=settings.first_play_loss,
        n_vl=settings.n_vl,
        has_rollouts=settings.rollouts != "none",
        has_value=settings.value,
        has_policy=settings.policy,
        has_tree_policy=settings.priors == "tree",
        has_replies=settings.replies > 0,
        pass_prior=settings.pass_prior,
        komi=komi,
    )
