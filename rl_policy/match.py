"""Play the RL policy against other players, with the paper's figures beside ours.

The RL policy samples its moves, as in the paper. Games against the SL policy are played in lockstep, the others one by
one (`go.match`). Colours alternate: the RL policy is black in games of even number.
"""

import dataclasses
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from data.engine_game import GNU_GO
from go.board import BLACK, WHITE
from go.match import play_game
from go.player import Player, RandomPlayer
from go.position import Position
from gtp.client import Engine
from gtp.engine_player import EnginePlayer
from nets.find import find_weights
from nets.network import Network
from nets.weights import Weights
from pipeline.artefact import check_seal, read_json, sealed, stage_folder, write_json
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import seed_setting, setting, threads_setting
from pipeline.shares import share_text
from pipeline.stage import Outcome, done_once
from pipeline.tables import table
from rl_policy.self_play import GameSettings, play_games
from rollout.model import Model
from rollout.player import RolloutPlayer
from sl_policy.player import PolicyPlayer

STAGE = "rl_policy.match"
PROGRESS = "progress.json"
GREEDY = 0.001  # a temperature at which the most probable move is played
TOGETHER = 16  # games between two notes of the results
PAPER = {"sl": "more than 80%", "gnugo": "85% against Pachi, 2 dan"}


@dataclasses.dataclass
class Settings:
    run: str = setting("laptop", "name of the run: results go to runs/<run>/rl_policy.match/", result=False)
    weights: str = setting("shipped", "the RL policy: shipped, run (that of the run), or a file", result=False)
    sl_weights: str = setting("shipped", "the SL policy: shipped, run (that of the run), or a file", result=False)
    opponents: str = setting(
        "sl,sl_greedy,rollout,random,gnugo", "opponents, separated by commas; sl_greedy plays its most probable move"
    )
    games: int = setting(400, "games against each policy network", least=2)
    other_games: int = setting(100, "games against each other opponent", least=2)
    greedy: bool = setting(False, "the RL policy plays its most probable move instead of sampling one")
    size: int = setting(9, "board size", least=2, most=19)
    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)
    engine: str = setting(GNU_GO, "command line of the GTP engine that opponents=gnugo starts")
    threads: int = threads_setting("games played at the same time")
    seed: int = seed_setting()


def opponents_of(settings: Settings) -> list[str]:
    """Return the names of the opponents; raise `UserError` for an unknown one."""
    names = settings.opponents.split(",")
    known = ("sl", "sl_greedy", "rollout", "random", "gnugo")
    for name in names:
        if name not in known:
            raise UserError(f"opponents={name} is none of {', '.join(known)}.")
    return names


def network_games(settings: Settings, rl: Weights, sl: Weights, is_greedy: bool, advance: Callable) -> list[float]:
    """Play against the SL policy in lockstep. Return 1, 0.5 or 0 for each game."""
    temperatures = (GREEDY if settings.greedy else 1.0), (GREEDY if is_greedy else 1.0)
    threads = settings.threads or os.cpu_count() or 1
    game = GameSettings(settings.komi, temperatures=temperatures, threads=threads)
    played = play_games(rl, sl, settings.games, (settings.seed, int(is_greedy)), game, advance=advance)
    return [float(won) for won in (played.outcomes + 1) / 2]


def other_player(settings: Settings, name: str, number: int) -> Player:
    """Return an opponent that is not a policy network."""
    if name == "random":
        return RandomPlayer(seed=number)
    if name == "rollout":
        return RolloutPlayer(Model.load(find_weights("rollout", settings.size)), seed=number)
    return EnginePlayer(Engine(settings.engine, timeout=300), seed=number)


def play_one(settings: Settings, network: Network, name: str, number: int) -> float:
    """Play one game against another player. Return 1, 0.5 or 0."""
    position = Position(settings.size, settings.komi)
    rl = PolicyPlayer(network, settings.greedy, seed=settings.seed * 1_000_003 + number, name="rl")
    other = other_player(settings, name, number)
    color = BLACK if number % 2 == 0 else WHITE
    try:
        ending = play_game({color: rl, BLACK + WHITE - color: other}, position)
    finally:
        if isinstance(other, EnginePlayer):
            other.engine.close()
    if ending.error is not None:
        raise UserError(f"A game against {name} ended with an error: {ending.why}")
    letter = "B" if color == BLACK else "W"
    return 1.0 if ending.result.startswith(letter) else 0.5 if ending.result in ("0", "Void") else 0.0


def play_all(settings: Settings, rl: Weights, sl: Weights, folder: Path, key: dict[str, Any]) -> dict[str, list[float]]:
    """Play the games that are not yet noted in the folder. Return the results by opponent."""
    path = folder / PROGRESS
    saved = read_json(path)
    results: dict[str, list[float]] = {}
    if isinstance(saved, dict) and saved.get("key") == key:
        check_seal(saved, path)
        results = saved["results"]
    names = opponents_of(settings)
    counts = {name: settings.games if name.startswith("sl") else settings.other_games for name in names}
    threads = settings.threads or os.cpu_count() or 1
    done = sum(map(len, results.values()))
    with Progress("games", sum(counts.values()), done) as progress, ThreadPoolExecutor(threads) as pool:
        for name in names:
            progress.note = name
            found = results.setdefault(name, [])
            if name.startswith("sl") and not found:
                found += network_games(settings, rl, sl, name == "sl_greedy", progress.update)
            while len(found) < counts[name]:
                numbers = range(len(found), min(len(found) + TOGETHER, counts[name]))
                network = Network(rl)
                found += pool.map(lambda n, name=name, network=network: play_one(settings, network, name, n), numbers)
                progress.update(len(numbers))
                write_json(path, sealed({"key": key, "results": results}))
            write_json(path, sealed({"key": key, "results": results}))
    return results


def text_of(results: dict[str, list[float]]) -> str:
    """Lay out the results beside the paper's."""
    rows = [
        [
            name,
            f"{len(found):,}",
            share_text(sum(found), len(found)),
            f"{100 * np.mean(found[0::2]):.1f}%",
            f"{100 * np.mean(found[1::2]):.1f}%",
            PAPER.get(name, ""),
        ]
        for name, found in results.items()
    ]
    return table(["against", "games", "won [95%]", "as black", "as white", "paper, 19x19"], rows)


def main(settings: Settings) -> dict[str, str]:
    opponents_of(settings)
    rl, sl = (
        Weights.load(find_weights(kind, settings.size, source, settings.run))
        for kind, source in (("rl", settings.weights), ("policy", settings.sl_weights))
    )
    for weights in (rl, sl):
        if weights.description.family != "policy" or weights.description.size != settings.size:
            raise UserError(f"This network is not a policy network for {settings.size}x{settings.size}.")
    folder = stage_folder(settings.run, STAGE)

    def work(key: dict[str, Any]) -> Outcome:
        results = play_all(settings, rl, sl, folder, key)
        first = next(iter(results))
        return Outcome(f"wins {share_text(sum(results[first]), len(results[first]))} against {first}", results)

    facts = {"networks": [rl.fingerprint(), sl.fingerprint()]}
    manifest = done_once(folder, STAGE, settings, [], work, facts, drafts=[folder / PROGRESS])
    results = manifest["metrics"]
    print(text_of(results))
    return {name: share_text(sum(found), len(found)) for name, found in results.items()}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
