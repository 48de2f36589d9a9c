"""Test a pattern policy on the held-out games of any store, for example from a server that it was not trained on."""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from data.identity import SPLITS
from data.store import store_of_run
from nets.find import find_weights
from pipeline.errors import UserError
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import RunSettings, setting
from pipeline.tables import table
from rollout.model import Model
from rollout.policies import POLICIES, learnable_counts
from rollout.softmax import evaluate
from rollout.train import shares

NAME = "rollout.evaluate"


@dataclasses.dataclass
class Settings(RunSettings):
    weights: str = setting("shipped", "file of the policy, or shipped: both policies that come with Prezero")
    part: str = setting("test", "which games of the run's store", choices=tuple(SPLITS))
    positions: int = setting(0, "positions to test on, in whole games; 0 takes all", least=0)


def main(settings: Settings) -> dict[str, str]:
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
