"""Test a policy network on the games of any store: how many moves it finds, when, and where it is wrong."""

import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from data.identity import TRAIN
from data.store import STAGE, GameStore, store_of_run
from nets.find import find_weights
from nets.network import ALL_SYMMETRIES, Network
from nets.runtime import PRECISIONS
from pipeline.device import DEVICES
from pipeline.launch import Command, launch
from pipeline.progress import Progress, duration
from pipeline.settings import RunSettings, seed_setting, setting, threads_setting
from pipeline.tables import table
from sl_policy.accuracy import (
    BATCH,
    PARTS,
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
    part: str = setting("test", "which games of the store; all for an archive of one's own", choices=tuple(PARTS))
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
    seconds = expected_seconds(network, store, index, counts)
    print(f"This will take about {duration(seconds)}.", file=sys.stderr, flush=True)
    compares = settings.part in ("validation", "test") and bool((store.games["split"] == TRAIN).any())
    new = unseen(store, settings.part, index) if compares else np.zeros(len(index), bool)
    rows, records = [], None
    with Progress(f"testing {path.name}, positions", len(index) * sum(counts)) as progress:
        for count in counts:
            used = ALL_SYMMETRIES[:count]
            records = find_moves(network, store, index, used, lambda n, count=count: progress.update(n * count))
            rows.append((count, summary(records), forward_milliseconds(network, store, index, used)))
            rows[-1][1]["unseen"] = found_share(records[new], 1)
    games = "all games" if settings.part == "all" else f"the {settings.part} part"
    print(f"{path.name} on {len(index):,} positions of {games} of {store.folder}:\n")
    print(results_table(rows, compares))
    print(f"\n{learnt_from(network, store)}")
    print(f"\nBy the number of the move, {counts[-1]} {'symmetry' if counts[-1] == 1 else 'symmetries'}:\n")
    print(move_table(by_move_number(records, store.size)))
    if settings.mistakes:
        draw_mistakes(network, store, records, Path(settings.mistakes), ALL_SYMMETRIES[: counts[-1]])
        print(f"\nMistakes are drawn in {settings.mistakes}.")
    return {"top-1": rows[0][1]["top1"], "top-5": rows[0][1]["top5"], "log-loss": rows[0][1]["log_loss"]}


def expected_seconds(network: Network, store: GameStore, index: np.ndarray, counts: list[int]) -> float:
    """Estimate how long the test takes, from one batch in one symmetry."""
    some = index[:BATCH]
    find_moves(network, store, some)  # the first call prepares what later ones use
    began = time.perf_counter()
    find_moves(network, store, some)
    return (time.perf_counter() - began) / len(some) * len(index) * sum(counts)


def learnt_from(network: Network, store: GameStore) -> str:
    """Say what a network learnt from, going by its card, and whether that was the training part of this store."""
    card = network.weights.card
    made_of = (card.get("settings") or {}).get(STAGE)
    if made_of == store.about["fingerprint"]:
        return "The network learnt from the training part of this store, going by its card."
    data = f"The network learnt from other games, going by its card: {card['data']}." if card.get("data") else ""
    return (
        f"{data or 'The card of the network does not say what it learnt from.'} It may have seen some of these games."
    )


def results_table(rows: list[tuple[int, dict[str, Any], float]], compares: bool) -> str:
    """Draw the results. With `compares`, one column is about positions that the training part of the store lacks."""
    columns = {
        "symmetries": lambda shown: str(shown["symmetries"]),
        "top-1": lambda shown: f"{100 * shown['top1']:.2f}%",
        "top-5": lambda shown: f"{100 * shown['top5']:.2f}%",
        "log-loss": lambda shown: f"{shown['log_loss']:.4f}",
        "top-1, not in the training part": lambda shown: f"{100 * shown['unseen']:.2f}%",
        "no candidate": lambda shown: f"{100 * shown['no candidate']:.3f}%",
        "forward ms": lambda shown: f"{shown['milliseconds']:.2f}",
    }
    if not compares:
        del columns["top-1, not in the training part"]
    entries = [shown | {"symmetries": count, "milliseconds": milliseconds} for count, shown, milliseconds in rows]
    return table(list(columns), [[write(shown) for write in columns.values()] for shown in entries])


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
