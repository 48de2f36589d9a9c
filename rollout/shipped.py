"""The policies that come with Prezero, by board size."""

from pathlib import Path

from pipeline.artefact import WEIGHTS
from pipeline.errors import UserError

SIZES = (9, 19)


def shipped_path(policy: str, size: int) -> Path:
    """Return the file of a policy for a board; patterns carry over, so the nearest size serves boards without one."""
    if policy not in ("rollout", "tree"):
        raise UserError(f"policy={policy} is none of rollout, tree.")
    return WEIGHTS / f"{policy}{min(SIZES, key=lambda known: abs(known - size))}.safetensors"
