"""Test a policy network on the held-out games of any store: how many moves it finds, when, and where it is wrong."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np

from data.identity import SPLITS
from data.store import store_of_run
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network
from nets.runtime import PRECISIONS
from pipeline.device import DEVICES
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import RunSettings, seed_setting, setting, threads_setting
from pipeline.tables import table
from sl_policy.accuracy import (
    by_move_number,
    find_moves,
    forward_milliseconds,
    found_share,
    held_out,
    summary,
    symmetry_counts,
    unseen,
)
from sl_policy.mistakes import draw_mistakes

NAME = "sl_policy.evaluate"


@dataclasses.dataclass
class Settings(RunSettings):
    weights: str = setting("shipped", "the network: shipped, run (that of the run), or a file")
    part: str = setting("test", "which games", choices=tuple(SPLITS))
    positions: int = setting(20_000, "positions to test on, drawn at random; 0 takes all", least=0)
    symmetries: str = setting("1,8", "number of board symmetries to average over: 1, 2, 4, 8, or several with commas")
    mistakes: str = setting("", "file to draw mistakes to, as SVG")
    device: str = setting("cpu", "where to compute; auto takes a GPU if there is one", choices=DEVICES)
    precision: str = setting("auto", "auto takes int8 if the processor has instructions for it", choices=PRECISIONS)
    threads: int = threads_setting()
    seed: int = seed_setting("seed of the choice of positions")


def main(settings: Settings) -> dict[str, float]:
    counts = symmetry_counts(settings.symmetries)
    store = store_of_run(settings.run)
    path = find_weights("policy", store.size, settings.weights, settings.run)
    network = Network.load(path, settings.device, settings.threads or os.cpu_count() or 1, settings.precision)
    index = held_out(store, settings.part, settings.positions, settings.seed)
    new = unseen(store, settings.part, index) if settings.part != "train" else np.zeros(len(index), bool)
    rows, records = [], None
    with Progress(f"testing {path.name}, positions", len(index) * sum(counts)) as progress:
        for count in counts:
            used = ALL_SYMMETRIES[:count]
            records = find_moves(network, store, index, used, lambda n, count=count: progress.update(n * count))
            rows.append((count, summary(records), forward_milliseconds(network, store, index, used)))
            rows[-1][1]["unseen"] = found_share(records[new], 1)
    print(f"{path.name} on {len(index):,} positions of the {settings.part} part of {store.folder}:\n")
    print(results_table(rows))
    print(f"\nBy the number of the move, {counts[-1]} symmetries:\n")
    print(move_table(by_move_number(records, store.size)))
    if settings.mistakes:
        draw_mistakes(network, store, records, Path(settings.mistakes), ALL_SYMMETRIES[: counts[-1]])
        print(f"\nMistakes are drawn in {settings.mistakes}.")
    return {"top-1": rows[0][1]["top1"], "top-5": rows[0][1]["top5"], "log-loss": rows[0][1]["log_loss"]}


def results_table(rows: list[tuple[int, dict[str, Any], float]]) -> str:
    lines = [
        [
            str(count),
            f"{100 * shown['top1']:.2f}%",
            f"{100 * shown['top5']:.2f}%",
            f"{shown['log_loss']:.4f}",
            f"{100 * shown['unseen']:.2f}%" if np.isfinite(shown["unseen"]) else "-",
            f"{100 * shown['no candidate']:.3f}%",
            f"{milliseconds:.2f}",
        ]
        for count, shown, milliseconds in rows
    ]
    header = ["symmetries", "top-1", "top-5", "log-loss", "top-1, not in training", "no candidate", "forward ms"]
    return table(header, lines)


def move_table(rows: list[dict[str, Any]]) -> str:
    lines = [
        [
            f"{row['from']} to {row['to']}",
            f"{row['moves']:,}",
            f"{100 * row['top1']:.1f}%",
            f"{100 * row['top5']:.1f}%",
            f"{row['log_loss']:.3f}",
        ]
        for row in rows
    ]
    return table(["moves", "positions", "top-1", "top-5", "log-loss"], lines)


COMMAND = Command(NAME, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
