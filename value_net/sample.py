"""Play games by the paper's recipe and keep one position of each: the data of the value network.

The paper plays over 30 million games (docs/value_net.md).
"""

import dataclasses
import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from go.match import MOVES_A_POINT
from nets.find import KINDS, find_weights
from nets.runtime import PRECISIONS, inference_precision
from nets.weights import Weights
from pipeline.artefact import stage_folder
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Input, Outcome, done_once
from pipeline.tables import table
from value_net.curves import draw_samples
from value_net.recipe import Recipe, Shard, StoppedError, play_shard, scaled_most_u
from value_net.samples import STAGE, read_shard, shard_path, store_folder, write_shard, write_store


@dataclasses.dataclass
class Settings(StageSettings):
    sl: str = setting("run", "p_sigma: run (that of the run), shipped, or a file", result=False)
    rl: str = setting("run", "p_rho: run (that of the run), shipped, or a file", result=False)
    size: int = setting(9, "with sl=shipped or rl=shipped: board size", least=2, most=19, result=False)
    games: int = setting(
        24_000, "games to play, one sample each (paper: 30 million); may be raised later", least=1, result=False
    )
    komi: float = setting(7.5, "points that White gets for moving second", least=-1_000, most=1_000)
    most_u: int = setting(0, "largest U; 0 for 450 scaled by the area of the board", least=0)
    move_limit: int = setting(0, "moves after which a game is played anew; 0 for 4 per point of the board", least=0)
    shard_games: int = setting(2_048, "games of a shard; a kill loses the shards under way", least=1)
    together: int = setting(128, "games that a thread plays side by side", least=1, most=4_096)
    validation: float = setting(0.03, "share of the games for validation", least=0, below=1)
    test: float = setting(0.07, "share of the games for testing", least=0, below=1)
    precision: str = setting(
        "auto", "precision of networks; auto takes int8 if the processor has instructions for it", choices=PRECISIONS
    )
    threads: int = threads_setting("shards played at the same time")
    seed: int = seed_setting()

    def check(self) -> None:
        if self.validation + self.test >= 1:
            raise UserError(f"validation={self.validation:g} and test={self.test:g} leave no games to learn from.")


def recipe_of(settings: Settings) -> Recipe:
    return Recipe(
        settings.komi,
        settings.most_u,
        settings.move_limit,
        settings.shard_games,
        settings.together,
        settings.precision,
    )


def check_recipe(recipe: Recipe, size: int) -> None:
    """Raise `UserError` if no game could reach U."""
    most_u, limit = recipe.most_u or scaled_most_u(size), recipe.move_limit or MOVES_A_POINT * size**2
    if most_u >= limit:
        raise UserError(f"most_u={most_u} is not below the move limit, which is {limit}.")


def load_policies(settings: Settings) -> tuple[Weights, Weights]:
    """Load p_sigma and p_rho; raise `UserError` if they do not fit."""
    sl, rl = (
        Weights.load(find_weights(kind, settings.size, source, settings.run))
        for kind, source in (("policy", settings.sl), ("rl", settings.rl))
    )
    for name, weights in (("sl", sl), ("rl", rl)):
        if weights.description.family != "policy":
            raise UserError(
                f"{name}={getattr(settings, name)} is a {weights.description.family} network, not a policy."
            )
    if sl.description.size != rl.description.size:
        raise UserError(
            f"p_sigma plays on {sl.description.size}x{sl.description.size} and p_rho on "
            f"{rl.description.size}x{rl.description.size}; they must play on the same board."
        )
    return sl, rl


def play_missing(
    folder: Path, key: str, sl: Weights, rl: Weights, recipe: Recipe, seed: int, shards: int, threads: int
) -> None:
    """Play the shards that are not there yet, each on a thread of its own, and write each as soon as it is done."""
    missing = [number for number in range(shards) if read_shard(shard_path(folder, number), key) is None]
    stopped, lock = threading.Event(), threading.Lock()
    with Progress("games of self-play", shards * recipe.games, (shards - len(missing)) * recipe.games) as progress:

        def advance(games: int) -> None:
            with lock:
                progress.update(games)

        def play(number: int) -> None:
            try:
                shard = play_shard(sl, rl, recipe, seed, number, advance, stopped.is_set)
            except StoppedError:
                return
            write_shard(shard_path(folder, number), key, shard)

        with ThreadPoolExecutor(threads) as pool:
            try:
                for done in as_completed([pool.submit(play, number) for number in missing]):
                    done.result()
            except BaseException:
                stopped.set()
                pool.shutdown(cancel_futures=True)
                raise


def summary(shards: list[Shard], komi: float) -> dict[str, Any]:
    """Return what is in some shards, in numbers."""
    whole = Shard(*(np.concatenate(arrays) for arrays in zip(*shards, strict=True)))
    scores, games = whole.margins - komi, len(whole.u)
    anew, cut = int(whole.played_anew.sum()), int(whole.cut.sum())
    return {
        "games": games,
        "moves of a game": float(whole.lengths.mean()),
        "mean U": float(whole.u.mean()),
        "black to move": float((whole.u % 2 == 0).mean()),
        "won by black": float(((np.sign(scores) + 1) / 2).mean()),
        "games played anew": anew,
        "games cut by the limit": cut,
        "games with a forced self-atari": float(whole.forced.mean()),
    }


def run_stage(settings: Settings, sl: Weights, rl: Weights, folder: Path, key: dict[str, Any]) -> Outcome:
    """Play what is missing and write the store: everything but the manifest."""
    began, named, size = time.monotonic(), json.dumps(key), sl.description.size
    recipe = recipe_of(settings)
    count = -(-settings.games // settings.shard_games)
    play_missing(folder, named, sl, rl, recipe, settings.seed, count, settings.threads or os.cpu_count() or 1)
    games = count * settings.shard_games

    def shards() -> Iterator[Shard]:
        for number in range(count):
            yield read_shard(shard_path(folder, number), named)

    parts = [shard._replace(owners=shard.owners[:, :0]) for shard in shards()]  # without their largest array
    metrics = summary(parts, settings.komi)
    most_u = settings.most_u or scaled_most_u(size)
    draw_samples(np.concatenate([part.u for part in parts]), *_redrawn(parts), most_u, folder / "samples.svg")
    shares = settings.validation, settings.test
    mark = write_store(store_folder(folder, games), shards(), games, size, settings.komi, shares)
    metrics |= {"size": size, "most U": most_u, "seconds": round(time.monotonic() - began, 1), "fingerprint": mark}
    return Outcome(f"{games:,} games of {size}x{size}, one position each", metrics)


def _redrawn(shards: list[Shard]) -> tuple[np.ndarray, np.ndarray]:
    """Return by sample the games that were played anew, and those that were cut."""
    return np.concatenate([shard.played_anew for shard in shards]), np.concatenate([shard.cut for shard in shards])


def text_of(metrics: dict[str, Any]) -> str:
    """Lay out what was played."""
    games = metrics["games"]
    rows = [
        ["games, one position each", f"{games:,}", "over 30 million"],
        ["U", f"1 to {metrics['most U']}, mean {metrics['mean U']:.1f}", "1 to 450"],
        ["moves of a game", f"{metrics['moves of a game']:.1f}", ""],
        ["black to move in the position", f"{100 * metrics['black to move']:.1f}%", ""],
        ["won by black", f"{100 * metrics['won by black']:.1f}%", ""],
        ["games that ended before U, played anew", f"{metrics['games played anew']:,}", ""],
        ["games cut by the move limit, played anew", f"{metrics['games cut by the limit']:,}", ""],
        ["games with a forced self-atari", f"{100 * metrics['games with a forced self-atari']:.2f}%", ""],
    ]
    return table(["measure", "ours", "paper"], rows)


def main(settings: Settings) -> dict[str, float]:
    sl, rl = load_policies(settings)
    check_recipe(recipe_of(settings), sl.description.size)
    chosen = [inference_precision(settings.precision, weights) for weights in (sl, rl)]
    precision = "int8" if set(chosen) == {"int8"} else "float32"  # `auto` gives other games on another machine
    settings = dataclasses.replace(settings, precision=precision)
    folder = stage_folder(settings.run, STAGE)
    inputs = [
        Input(KINDS["policy"].stage, settings.sl, sl.fingerprint()),
        Input(KINDS["rl"].stage, settings.rl, rl.fingerprint()),
    ]
    manifest = done_once(
        folder,
        STAGE,
        settings,
        inputs,
        lambda key: run_stage(settings, sl, rl, folder, key),
        is_enough=lambda manifest: manifest["metrics"]["games"] >= settings.games,
    )
    metrics = manifest["metrics"]
    for smaller in set(folder.glob("*-games")) - {store_folder(folder, metrics["games"])}:
        shutil.rmtree(smaller)
    print(text_of(metrics))
    print(f"\nGames, samples and manifest: {folder}")
    return {"games": metrics["games"], "moves": metrics["moves of a game"], "seconds": metrics["seconds"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
