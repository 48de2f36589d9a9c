"""Flat Monte Carlo with one policy against flat Monte Carlo with another: how good a policy is for playouts.

The players (`rollout.flat`) have no tree, so only the quality of the playouts makes a difference. A game ends when
neither player has a move except into own eyes. It is scored as it stands.
"""

import dataclasses
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from go.board import BLACK, WHITE
from go.errors import GoError
from go.match import play_game
from go.playout import new_rng
from go.position import Position
from go.settings import BoardSettings
from nets.find import find_weights
from pipeline.artefact import check_seal, read_json, sealed, stage_folder, write_json
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Input, Outcome, done_once
from rollout.flat import FlatPlayer
from rollout.model import Model
from rollout.playout import PlayoutPolicy, new_policy, new_workspace
from rollout.policies import POLICIES
from rollout.policies import STAGE as TRAINING

STAGE = "rollout.match"
PROGRESS = "progress.json"
UNIFORM = "uniform"


@dataclasses.dataclass
class Settings(StageSettings):
    board: BoardSettings = setting(BoardSettings, "the board")
    # The key contains the fingerprints of the two policies, so it does not need their names.
    first: str = setting(
        "shipped", "policy of the first player: shipped, rollout or tree (of the run), uniform, or a file", result=False
    )
    second: str = setting(UNIFORM, "policy of the second player, in the same way", result=False)
    playouts: int = setting(1000, "playouts for each move, shared out among all candidates", least=1)
    games: int = setting(400, "games to play; colours alternate", least=1)
    threads: int = threads_setting("games played at the same time")
    seed: int = seed_setting()


def policy_file(name: str, run_name: str, size: int) -> Path | None:
    """Return the file of a policy, or None for the uniform policy."""
    if name == UNIFORM:
        return None
    if name == "shipped":
        return find_weights("rollout", size)
    return find_weights(name, size, "run", run_name) if name in POLICIES else Path(name)


def play_one(settings: Settings, number: int, policies: tuple[PlayoutPolicy, PlayoutPolicy]) -> float:
    """Play one game. Return the first player's score: 1, 0.5 (draw) or 0. The first player is black in even games."""
    position = Position(settings.board.size, settings.board.komi)
    rng, work = new_rng(settings.seed, number), new_workspace()
    first = BLACK if number % 2 == 0 else WHITE
    colors = (first, BLACK + WHITE - first)
    players = {
        color: FlatPlayer(policy, settings.playouts, rng, work) for color, policy in zip(colors, policies, strict=True)
    }
    ending = play_game(players, position, move_limit=sys.maxsize)
    if ending.error is not None:
        raise ending.error
    score = position.score() if first == BLACK else -position.score()
    return 0.5 * (1 + float(np.sign(score)))


def play_match(
    settings: Settings, folder: Path, key: dict[str, Any], policies: tuple[PlayoutPolicy, PlayoutPolicy]
) -> list[float]:
    """Play the games that are not yet recorded in the folder. Return all results."""
    path = folder / PROGRESS
    saved = read_json(path)
    results: dict[str, float] = {}
    if isinstance(saved, dict) and saved.get("key") == key:
        check_seal(saved, path)
        results = saved["results"]
    todo = [number for number in range(settings.games) if str(number) not in results]
    threads = settings.threads or os.cpu_count() or 1
    with Progress("games", settings.games, len(results)) as progress, ThreadPoolExecutor(threads) as pool:
        numbers = iter(todo)
        for start in range(0, len(todo), threads):
            batch = [number for _, number in zip(range(threads), numbers, strict=False)]
            for number, result in zip(batch, pool.map(lambda n: play_one(settings, n, policies), batch), strict=True):
                results[str(number)] = result
            write_json(path, sealed({"key": key, "results": results}))
            progress.update(min(threads, len(todo) - start))
    return [results[str(number)] for number in range(settings.games)]


def statistics(results: list[float]) -> dict[str, float]:
    """Return the win rate with its standard error, and the win rates by colour."""
    share = sum(results) / len(results)
    return {
        "games": len(results),
        "won": share,
        "error": math.sqrt(max(share * (1 - share), 0) / len(results)),
        "won as black": float(np.mean(results[0::2])),
        "won as white": float(np.mean(results[1::2])) if len(results) > 1 else math.nan,
    }


def result_line(settings: Settings, found: dict[str, float]) -> str:
    size = settings.board.size
    return (
        f"{settings.first} against {settings.second}, {settings.playouts:,} playouts a move on {size}x{size}: "
        f"{100 * found['won']:.1f}% ± {100 * found['error']:.1f} of {found['games']:,} games"
    )


def main(settings: Settings) -> dict[str, str]:
    files = [policy_file(name, settings.run, settings.board.size) for name in (settings.first, settings.second)]
    models = [Model.load(file) if file else None for file in files]
    folder = stage_folder(settings.run, STAGE)
    policies = [model.fingerprint() if model else UNIFORM for model in models]

    def work(key: dict[str, Any]) -> Outcome:
        policies = new_policy(models[0]), new_policy(models[1])
        found = statistics(play_match(settings, folder, key, policies))
        return Outcome(result_line(settings, found), found)

    inputs = [
        Input(TRAINING, str(file.parent), model.fingerprint())
        for name, file, model in zip((settings.first, settings.second), files, models, strict=True)
        if name in POLICIES
    ]
    manifest = done_once(
        folder, STAGE, settings, inputs, work, facts={"policies": policies}, drafts=[folder / PROGRESS]
    )
    found = manifest["metrics"]
    print(
        f"{result_line(settings, found)} "
        f"({100 * found['won as black']:.1f}% as black, {100 * found['won as white']:.1f}% as white)."
    )
    return {
        "won": f"{100 * found['won']:.1f}% ± {100 * found['error']:.1f}",
        "as black": f"{100 * found['won as black']:.1f}%",
        "as white": f"{100 * found['won as white']:.1f}%",
    }


COMMAND = Command(STAGE, Settings, main, refusals=(GoError,))

if __name__ == "__main__":
    launch(COMMAND.name)
