"""Settings of the Zero family; `conf/zero.train` has a preset for each of its members and scales."""

import dataclasses

from nets.description import HEADS, HIDDEN_UNITS, OUTCOMES, PLANES, ZERO_FAMILIES, Description
from pipeline.errors import UserError
from pipeline.settings import setting
from zero.games import Terms
from zero.rules import GUMBEL, PUCT, Rule

KINDS = {"puct": PUCT, "gumbel": GUMBEL}
NOISE_TOTAL = 0.03 * 361  # Zero's concentration on 19x19, times the points of the board
PAPER_SAMPLED, PAPER_POINTS = 30, 361  # moves with temperature 1 in the paper, and the points of its board
MOVES_A_POINT = 2  # the paper's move limit: 722 on 19x19
OPTIMISERS = ("sgd", "adam", "adamw")
SCHEDULES = ("constant", "paper", "cosine")


@dataclasses.dataclass
class ZeroNetSettings:
    """The network: any of the four of Figure 4 of the Zero paper, with KataGo's additions or without."""

    family: str = setting("dual-res", "one tower or two, residual or not (Figure 4)", choices=ZERO_FAMILIES[:4])
    filters: int = setting(32, "filters of each layer (paper: 256)", least=1)
    layers: int = setting(9, "layers of a tower: 1 and 2 for each residual block (paper: 39 or 79)", least=1)
    planes: int = setting(17, "input planes: 17 of Zero, 21 with liberties and ko, 7 of the tutorial",
                          choices=PLANES["dual-res"])  # fmt: skip
    hidden: int = setting(HIDDEN_UNITS, "units of the value head (paper: 256)", least=1)
    pooled: int = setting(0, "residual blocks with global pooling", least=0)
    heads: str = setting("zero", "heads of the paper, or with global pooling", choices=HEADS)
    outcome: str = setting("value", "one value (paper), or the chances of a win, a loss and a draw", choices=OUTCOMES)

    def description(self, size: int) -> Description:
        """Return the description of the network on a board."""
        fields = dataclasses.asdict(self)
        return Description(size=size, moves="legal", **fields)


@dataclasses.dataclass
class TreeSettings:
    """The search of every move."""

    kind: str = setting("puct", "puct, or gumbel: sequential halving at the root", choices=tuple(KINDS))
    simulations: int = setting(32, "simulations per move (paper: 1,600)", least=1, most=100_000)
    fast_simulations: int = setting(
        0, "simulations of quick searches, whose positions are not learnt from; 0 for none (Wu 2019)", least=0
    )
    full_share: float = setting(
        0.25, "share of the moves that are searched in full, beside quick ones", above=0, most=1
    )
    c_puct: float = setting(1.5, "puct: exploration constant (the paper does not publish its own)", least=0, most=1_000)
    noise: float = setting(0.25, "puct: share of Dirichlet noise at the root (paper: 0.25)", least=0, most=1)
    noise_alpha: float = setting(
        0.0, "puct: concentration of the noise; 0 for 10.83 divided by the number of legal moves", least=0, most=1_000
    )
    reuse: bool = setting(True, "puct: keep the tree after a move")
    considered: int = setting(16, "gumbel: moves that are tried at the root, at most", least=1, most=362)
    c_visit: float = setting(50.0, "gumbel: weight of values, before the visits (Danihelka et al.: 50)", least=0)
    c_scale: float = setting(1.0, "gumbel: weight of values from 0 to 1 (Danihelka et al.: 1 on Go)", least=0)

    def check(self) -> None:
        """Raise `UserError` for settings that do not go together."""
        if self.fast_simulations > self.simulations:
            raise UserError("search.fast_simulations is larger than search.simulations.")

    def rule(self, is_match: bool = False) -> Rule:
        """Return the numbers that the kernels need.

        In matches there is no noise, the tree is not kept, and every move is searched in full.
        """
        return Rule(
            kind=KINDS[self.kind],
            simulations=self.simulations,
            c_puct=self.c_puct,
            noise=0.0 if is_match or self.kind == "gumbel" else self.noise,
            noise_alpha=self.noise_alpha,
            noise_total=NOISE_TOTAL,
            considered=self.considered,
            c_visit=self.c_visit,
            c_scale=self.c_scale,
            reuse=self.reuse and self.kind == "puct" and not is_match,
            fast=0 if is_match else self.fast_simulations,
            full_share=self.full_share,
        )


@dataclasses.dataclass
class PlaySettings:
    """The games of self-play."""

    games: int = setting(256, "games of an iteration (paper: 25,000)", least=1)
    places: int = setting(64, "games that a thread plays side by side", least=1, most=4_096)
    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)
    sampled_moves: int = setting(
        0, "first moves of a game that are sampled; 0 for 30 scaled to the board; -1 for all", least=-1
    )
    move_limit: int = setting(0, "moves after which a game is counted; 0 for 2 per point of the board (paper)", least=0)
    resign: bool = setting(True, "resign lost games")
    most_wrong: float = setting(
        0.05, "share of resigned games that may have been won, at most (paper: 0.05)", least=0, below=1
    )
    check_share: float = setting(
        0.1, "share of the games that are never resigned, to measure that (paper: 0.1)", least=0, most=1
    )
    check_games: int = setting(40, "such games that are needed before anybody resigns", least=1)

    def check(self) -> None:
        """Raise `UserError` for settings that do not go together."""
        if self.resign and self.check_share == 0:
            raise UserError("play.resign=true needs play.check_share above 0, to know which games are lost.")

    def limit(self, size: int) -> int:
        return self.move_limit or MOVES_A_POINT * size**2

    def sampled(self, size: int) -> int:
        """Return how many of the first moves are sampled on a board."""
        if self.sampled_moves < 0:
            return self.limit(size)
        return self.sampled_moves or max(1, round(PAPER_SAMPLED * size**2 / PAPER_POINTS))

    def terms(self, size: int, resign: float) -> Terms:
        return Terms(self.komi, self.limit(size), self.sampled(size), resign)


@dataclasses.dataclass
class LearnSettings:
    """How the network learns from the games of the window."""

    optimiser: str = setting("sgd", "optimiser (paper: sgd with momentum)", choices=OPTIMISERS)
    learning_rate: float = setting(0.01, "learning rate at first (paper: 0.01)", above=0, most=100)
    schedule: str = setting(
        "constant", "paper: a tenth after 4/7 and 6/7 of the steps; cosine: to a tenth at the end", choices=SCHEDULES
    )
    warm_up: float = setting(0.0, "share of all steps in which the learning rate rises from 0", least=0, below=1)
    momentum: float = setting(0.9, "momentum of sgd, or first beta of Adam (paper: 0.9)", least=0, below=1)
    weight_decay: float = setting(
        0.0001, "c of c |theta|^2 in the loss; for adamw the decay itself", least=0, below=100
    )
    batch_size: int = setting(256, "positions in a step (paper: 2,048)", least=1)
    passes: float = setting(
        1.5, "how often a position is learnt from, on average (paper: about 1.5)", above=0, most=1_000
    )
    window: int = setting(5_000, "games to learn from: the latest (paper: 500,000)", least=1)
    window_share: float = setting(
        1.0,
        "share of all games so far that are learnt from, at most: the first ones soon teach no more",
        above=0,
        most=1,
    )
    value_weight: float = setting(1.0, "weight of the value's error (paper: 1)", least=0, most=1_000)
    search_value: float = setting(
        0.0, "share of the search's value in the value target; the rest is the outcome", least=0, most=1
    )
    owner_weight: float = setting(
        0.0, "weight of the owners of points, learnt besides; 0 for none", least=0, most=1_000
    )
    score_weight: float = setting(0.0, "weight of the score, learnt besides; 0 for none", least=0, most=1_000)
    average: float = setting(
        0.0,
        "the network that plays is a moving average: what it keeps of itself at a step; 0 for none",
        least=0,
        below=1,
    )
