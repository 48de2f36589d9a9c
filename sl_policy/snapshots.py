"""Snapshots of a training: the network at each evaluation, with the accuracy that was measured there.

They are for Figure 2a of the paper, the strength of the search by the accuracy of its policy network. A snapshot is a
network file like any other. Its card has the entry of the learning curve.
"""

from pathlib import Path
from typing import NamedTuple

from nets.find import KINDS
from nets.weights import Weights
from pipeline.artefact import made, stage_path
from pipeline.catalogue import call
from pipeline.errors import UserError

FOLDER = "snapshots"
STAGE = KINDS["policy"].stage


class Snapshot(NamedTuple):
    """A network of a training: its file, the positions learnt from until then, and its validation accuracy (top-1)."""

    path: Path
    positions: int
    accuracy: float


def write_snapshot(folder: Path, weights: Weights, entry: dict[str, float]) -> None:
    """Keep a network in the folder of its training, with the entry of the learning curve as its card."""
    weights.card = {"snapshot": entry}
    weights.save(made(folder / FOLDER) / f"{int(entry['positions']):012}.safetensors")


def remove_snapshots(folder: Path) -> None:
    """Remove what another training has left."""
    for path in (folder / FOLDER).glob("*.safetensors"):
        path.unlink()


def read_snapshots(run: str) -> list[Snapshot]:
    """Return the snapshots of a run, the earliest first. Raise `UserError` if there are none."""
    found = []
    for path in sorted((stage_path(run, STAGE) / FOLDER).glob("*.safetensors")):
        entry = Weights.load(path).card.get("snapshot")
        if entry is None:
            raise UserError(f"{path} is not a snapshot of a training; remove it.")
        found.append(Snapshot(path, int(entry["positions"]), float(entry["top-1"])))
    if not found:
        raise UserError(f"The run {run} has no snapshots; {call(STAGE, run, 'snapshots=true')} keeps them.")
    return found


def spread(snapshots: list[Snapshot], most: int) -> list[Snapshot]:
    """Return up to `most` snapshots whose accuracies are evenly spread, the lowest accuracy first."""
    ranked = sorted(snapshots, key=lambda snapshot: (snapshot.accuracy, snapshot.positions))
    low, high = ranked[0].accuracy, ranked[-1].accuracy
    wanted = [low + (high - low) * number / max(most - 1, 1) for number in range(most)]
    chosen = {min(ranked, key=lambda snapshot: abs(snapshot.accuracy - target)) for target in [*wanted[:-1], high]}
    return [snapshot for snapshot in ranked if snapshot in chosen]
