"""Which network a command is about: one that comes with Prezero, that of a run, or any file."""

from pathlib import Path

from pipeline.artefact import WEIGHTS, stage_path
from pipeline.errors import UserError
from sl_policy.weights import FILE, STAGE

SIZES = (9, 19)


def shipped_path(size: int) -> Path:
    """Return the file of the network that comes with Prezero for a board."""
    if size not in SIZES:
        raise UserError(
            f"No policy network for {size}x{size} comes with Prezero; ./prezero sl_policy.train board={size}x{size} "
            "makes one from the games of a run."
        )
    return WEIGHTS / f"policy{size}.safetensors"


def network_path(weights: str, run: str, size: int) -> Path:
    """Return the file of a network: `shipped`, `run` for that of the run, or a file by its name."""
    if weights == "shipped":
        return shipped_path(size)
    return stage_path(run, STAGE) / FILE if weights == "run" else Path(weights)
