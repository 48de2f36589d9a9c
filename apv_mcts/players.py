"""Players by name: each is a file of settings in `conf/player/`, from random moves to the whole search."""

import dataclasses
from collections.abc import Callable

import numpy as np
import yaml
from omegaconf import OmegaConf

from apv_mcts.parts import check_value, load_network, new_search, sizes_of, weights_path
from apv_mcts.player import SearchPlayer
from apv_mcts.settings import SearchSettings
from features48.heat_maps import plane_maps
from go.coordinates import PASS
from go.player import RESIGN, Decision, Player, RandomPlayer
from go.position import Position
from pipeline.artefact import ROOT
from pipeline.errors import UserError
from pipeline.settings import seed_setting, setting, validate
from rollout.model import Model
from rollout.player import RolloutPlayer
from sl_policy.player import PolicyPlayer

PRESETS = ROOT / "conf" / "player"
REHEARSED = 100  # simulations and nodes
KINDS = ("random", "rollout", "tree", "sl", "search")


@dataclasses.dataclass
class PlayerSettings:
    """Who plays, with what, and for how long."""

    name: str = setting("", "what the player is called")
    kind: str = setting("search", "what chooses the moves", choices=KINDS)
    run: str = setting("", "run whose policies and network play; empty: those that come with Prezero")
    seed: int = seed_setting()
    greedy: bool = setting(True, "without a search: play the most probable move instead of sampling one")
    simulations: int = setting(0, "simulations per move, at most; 0 for no limit", least=0, most=10**9)
    seconds: float = setting(1.0, "seconds per move, if no clock is set; 0 for no limit", least=0, most=86_400)
    resign: float = setting(
        -0.8, "resign when the value of every move is below this (paper: -0.8); -1 never resigns", least=-1, most=1
    )
    search: SearchSettings = setting(SearchSettings, "the search")


def presets() -> list[str]:
    """Return the names of all players."""
    return sorted(file.stem for file in PRESETS.glob("*.yaml"))


def preset(name: str) -> PlayerSettings:
    """Return the settings of a player by its name."""
    path = PRESETS / f"{name}.yaml"
    if name not in presets():
        raise UserError(f"player={name} does not exist; there are {', '.join(presets())}.")
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    return OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(PlayerSettings), settings))


def searches(settings: PlayerSettings) -> bool:
    """Tell if a player searches: `alpha_p` has all that is needed, and goes by the priors alone."""
    return settings.kind == "search" and (settings.simulations > 0 or settings.seconds > 0)


class AnyBoard:
    """A player without a search, which is made anew for each size of the board when it first comes up."""

    def __init__(self, name: str, sizes: tuple[int, ...], make: Callable[[int], Player]) -> None:
        self.name, self.sizes, self.make = name, sizes, make
        self.players: dict[int, Player] = {}

    def plays_on(self, size: int) -> bool:
        return size in self.sizes

    def get_ready(self, size: int) -> Player:
        """Load what is needed for a board, unless it is there."""
        if size not in self.players:
            self.players[size] = self.make(size)
        return self.players[size]

    def decide(self, position: Position) -> Decision:
        return self.get_ready(position.size).decide(position)

    def heat_maps(self) -> dict[str, Callable[[Position], np.ndarray]]:
        return {"prior": self._prior} | plane_maps()

    def _prior(self, position: Position) -> np.ndarray:
        chances = np.zeros(position.board["color"].shape)
        for point, chance, _ in self.decide(position).candidates:
            chances[point] = chance
        return position.by_row_and_column(chances)


def new_player(settings: PlayerSettings) -> AnyBoard | SearchPlayer:
    """Make a player of its settings."""
    validate(settings, "player.")
    run, greedy, seed = settings.run, settings.greedy, settings.seed
    if settings.kind == "search":
        check_value(settings.search)
        return SearchPlayer(
            settings.name,
            sizes_of(settings.search.policy, run),
            lambda size: new_search(settings.search, size, run, seed),
            settings.simulations,
            settings.seconds,
            settings.resign,
        )
    makers: dict[str, Callable[[int], Player]] = {
        "random": lambda size: RandomPlayer(seed),
        "rollout": lambda size: RolloutPlayer(Model.load(weights_path("rollout", size, run)), greedy, seed),
        "tree": lambda size: RolloutPlayer(Model.load(weights_path("tree", size, run)), greedy, seed),
        "sl": lambda size: PolicyPlayer(
            load_network(size, run, precision=settings.search.precision), greedy, seed=seed
        ),
    }
    name = f"{settings.name}, greedy" if greedy and settings.kind != "random" else settings.name
    return AnyBoard(name, sizes_of(settings.kind == "sl", run), makers[settings.kind])


def ready_player(settings: PlayerSettings, size: int) -> AnyBoard | SearchPlayer:
    """Make a player that is ready to play on a board."""
    player = new_player(settings)
    if not player.plays_on(size):
        boards = ", ".join(f"{known}x{known}" for known in player.sizes)
        raise UserError(f"player={settings.name} plays on {boards} only.")
    player.get_ready(size)
    return player


def rehearse(settings: PlayerSettings, size: int) -> None:
    """Have another player like this make two moves, so that all is compiled before there is a clock to mind."""
    search = dataclasses.replace(settings.search, nodes=min(settings.search.nodes, REHEARSED))
    other = new_player(dataclasses.replace(settings, simulations=REHEARSED, seconds=0.0, search=search))
    position = Position(size)
    for _ in range(2):
        move = other.decide(position).move
        position.play(PASS if move == RESIGN else move)
    if isinstance(other, SearchPlayer):
        other.dead_stones(position)
