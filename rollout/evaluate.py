"""Test a pattern policy on the held-out games of any store, such as one of another server than it has learnt from."""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from data.identity import SPLITS
from data.store import store_of_run
from nets.find import find_weights
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import setting
from pipeline.tables import table
from rollout.model import Model
from rollout.policies import POLICIES, learnable_counts
from rollout.softmax import evaluate
from rollout.train import shares

NAME = "rollout.evaluate"


@dataclasses.dataclass
class Settings:
    scale: Any = setting(None, "names the run, as for every stage")
    board: Any = setting(None, "makes no difference here: the board is that of the store")
    run: str = setting("", "name of the run whose game store to test on, by default the scale")
    weights: str = setting("shipped", "file of the policy, or shipped: both policies that come with Prezero")
    part: str = setting("test", "which games: validation, test, or train for a policy that learnt from others")
    positions: int = setting(0, "positions to test on, at most, in whole games; 0 takes all")


def main(settings: Settings) -> dict[str, str]:
    if settings.part not in SPLITS:
        raise UserError(f"part={settings.part} is none of {', '.join(SPLITS)}.")
    if settings.positions < 0:
        raise UserError(f"positions={settings.positions} is negative.")
    store = store_of_run(settings.run)
    counts = learnable_counts(store)
    games = np.flatnonzero((store.games["split"] == SPLITS[settings.part]) & (counts > 0))
    if settings.positions:
        games = games[: max(1, np.searchsorted(np.cumsum(counts[games]), settings.positions, side="right"))]
    if not len(games):
        raise UserError(f"The {settings.part} part of the store in {store.folder} has no positions.")
    shipped = settings.weights == "shipped"
    files = [find_weights(policy, store.size) for policy in POLICIES] if shipped else [Path(settings.weights)]
    rows = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for file in files:
            model = Model.load(file)
            with Progress(f"testing {file.name}, games", len(games)) as progress:
                found = shares(evaluate(store, games, model.tables(), model.weights, pool, progress.update))
            measures = [f"{100 * found['top1']:.2f}%", f"{100 * found['top5']:.2f}%", f"{found['log_likelihood']:.3f}"]
            rows.append([file.name, *measures, f"{found['moves']:,}"])
    print(f"The {settings.part} part of {store.folder}, {store.size}x{store.size}:\n")
    print(table(["policy", "top-1", "top-5", "log-likelihood", "positions"], rows))
    return {name: top1 for name, top1, *_ in rows}


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
