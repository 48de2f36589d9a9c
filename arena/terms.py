"""Settings that matches and tournaments share: the terms of the games, and what the players get."""

import dataclasses

from arena.game import GameTerms
from arena.player_text import Budget
from pipeline.settings import MOST_THREADS, setting

MOST_GAMES = 1_000_000
DAY = 86_400


@dataclasses.dataclass
class ArenaSettings(GameTerms):
    """Players are kept by name with all their settings (`arena.games_folder`), so these are not part of the key."""

    simulations: int = setting(
        0, "simulations per move of players that search; 0: as the players say", least=0, most=10**9, result=False
    )
    seconds: float = setting(
        0.0, "seconds per move of players that search; 0: as the players say", least=0, most=DAY, result=False
    )
    threads: int = setting(
        1, "search threads of each player; 0 for all cores, and one game at a time", least=0, most=256, result=False
    )
    parallel: int = setting(
        0, "games at the same time; 0 for as many as have a core per thread", least=0, most=MOST_THREADS, result=False
    )
    weights: str = setting(
        "", "run whose policies and networks the players use; empty: those that come with Prezero", result=False
    )

    samples: int = setting(1000, "bootstrap samples for the intervals", least=0, most=100_000, result=False)

    def budget(self) -> Budget:
        return Budget(self.simulations, self.seconds, self.threads, self.weights)
