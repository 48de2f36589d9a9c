"""Count in how many positions of a store each plane fires. No plane may be silently empty."""

import dataclasses
from pathlib import Path

import numpy as np

from data.positions import PositionSampler
from data.store import GameStore, store_of_run
from features48.encoder import Encoder
from features48.groups import SUBSETS, plane_names
from features48.sheet import draw_sheet
from pipeline.artefact import stage_folder
from pipeline.launch import Command, launch
from pipeline.progress import Progress
from pipeline.settings import StageSettings, seed_setting, setting, threads_setting
from pipeline.stage import Outcome, done_once
from pipeline.tables import table

STAGE = "features48.census"
PLANES = 49
BATCH = 256


@dataclasses.dataclass
class Settings(StageSettings):
    positions: int = setting(20_000, "number of positions, drawn from the training games of the run", least=1)
    threads: int = threads_setting("threads that encode")
    seed: int = seed_setting()


def count(store: GameStore, positions: int, seed: int, threads: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return for each plane the number of positions and of points where it fires, and the ladders given up."""
    sampler, encoder = PositionSampler(store, "train", seed), Encoder(PLANES, threads)
    fired, points = np.zeros(PLANES, np.int64), np.zeros(PLANES, np.int64)
    with Progress("positions encoded", positions) as progress:
        for number, start in enumerate(range(0, positions, BATCH)):
            drawn = sampler.batch(number, BATCH)
            some = min(BATCH, positions - start)
            planes = encoder.batch(store, drawn.games[:some], drawn.plies[:some], drawn.symmetries[:some])
            on = planes.reshape(some, PLANES, -1).sum(axis=2, dtype=np.int64)
            fired += (on > 0).sum(axis=0)
            points += on.sum(axis=0)
            progress.update(some)
    return fired, points, encoder.ladders_given_up


def report(metrics: dict) -> str:
    """Return the table of the census, one row for each plane."""
    rows = [
        [str(number), name, f"{100 * share:.2f}%", f"{points:.2f}"]
        for number, (name, (share, points)) in enumerate(metrics["planes"].items(), 1)
    ]
    return "\n".join(
        [
            table(["plane", "what", "positions in which it fires", "points there, on average"], rows),
            "",
            f"Ladders too long to be read to the end: {metrics['ladders given up']:,}.",
        ]
    )


def draw_example(store: GameStore, path: Path) -> None:
    """Draw the planes of a position from the middle of the first game."""
    ply = int(store.games["n_moves"][0]) // 2
    position = store.position(0, ply)
    planes = Encoder(PLANES).position(position)
    draw_sheet(position, planes, SUBSETS[PLANES], f"Game 0 of the store, after {ply} moves", path)


def take_census(settings: Settings, store: GameStore, folder: Path) -> Outcome:
    """Run the census and draw an example."""
    fired, points, given_up = count(store, settings.positions, settings.seed, settings.threads)
    shares, means = fired / settings.positions, points / np.maximum(fired, 1)
    names = plane_names(SUBSETS[PLANES])
    planes = dict(zip(names, zip(shares.tolist(), means.tolist(), strict=True), strict=True))
    draw_example(store, folder / "planes.svg")
    result = f"{int((fired > 0).sum())} of {PLANES} planes fire in {settings.positions:,} positions"
    return Outcome(result, {"planes": planes, "ladders given up": given_up})


def main(settings: Settings) -> dict[str, int]:
    store = store_of_run(settings.run)
    folder = stage_folder(settings.run, STAGE)
    manifest = done_once(folder, STAGE, settings, [store.as_input()], lambda key: take_census(settings, store, folder))
    print(f"{settings.positions:,} positions of {store.size}x{store.size}:\n")
    print(report(manifest["metrics"]))
    print(f"\nManifest and a sheet with all planes of a position: {folder}")
    fires = sum(share > 0 for share, _ in manifest["metrics"]["planes"].values())
    return {"planes that fire": fires, "ladders given up": manifest["metrics"]["ladders given up"]}


COMMAND = Command(STAGE, Settings, main)

if __name__ == "__main__":
    launch(COMMAND.name)
