"""What every trainer keeps to, and the loop that runs one: block by block, with a checkpoint after each.

A checkpoint holds all that the rest depends on. So a training that was killed and begun again ends with the same
weights, bit for bit.
"""

import json
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from pipeline.progress import Progress


class Trainer(Protocol):
    """Learns the weights of a policy; what a block is, is its own affair."""

    blocks: int
    unit: str  # what it counts its work in

    @property
    def weights(self) -> np.ndarray: ...

    def learn(self, block: int, pool: Executor) -> dict[str, float]:
        """Learn one block, in their order; return what it shows, and under the name of the unit how much it was."""

    def state(self) -> dict[str, np.ndarray]:
        """Return all that the following blocks depend on."""

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from a state."""


def _read(path: Path, key: str) -> tuple[dict[str, np.ndarray], list[dict[str, Any]]] | None:
    """Read a checkpoint; None if there is none of this key."""
    try:
        with safe_open(path, "numpy") as file:
            about = file.metadata() or {}
            if about.get("key") != key:
                return None
            state = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118 (no dictionary)
            return state, json.loads(about["history"])
    except FileNotFoundError:
        return None
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise UserError(f"{path} is not what we wrote; remove it to begin anew.") from error


def train(
    trainer: Trainer,
    what: str,
    path: Path,
    key: str,
    validate: Callable[[np.ndarray], dict[str, float]],
    pool: Executor,
) -> list[dict[str, float]]:
    """Learn all blocks, or those that are left; return what each showed, on validation games too."""
    saved = _read(path, key)
    history: list[dict[str, float]] = []
    if saved is not None:
        state, history = saved
        trainer.restore(state)
    with Progress(f"{what}, blocks", trainer.blocks, len(history)) as progress:
        for block in range(len(history), trainer.blocks):
            shown = trainer.learn(block, pool)
            shown[trainer.unit] += history[-1][trainer.unit] if history else 0
            history.append(shown | validate(trainer.weights))
            write_atomic(path, save(trainer.state(), {"key": key, "history": json.dumps(history)}))
            progress.update(1)
    return history
