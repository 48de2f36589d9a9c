"""Arrays in one file, with a key that names everything they depend on (`pipeline.tensors` has the format)."""

from pathlib import Path

import numpy as np

from pipeline.errors import UserError
from pipeline.tensors import DamagedError, read_tensors, write_tensors


def write_arrays(path: Path, about: dict[str, str], arrays: dict[str, np.ndarray]) -> None:
    """Write arrays atomically. `about` has at least the `key`."""
    write_tensors(path, arrays, about)


def read_arrays(path: Path, key: str) -> tuple[dict[str, str], dict[str, np.ndarray]] | None:
    """Read arrays and what was written about them; return None if there is no file with this key."""
    try:
        about, arrays = read_tensors(path)
        return (about, arrays) if about["key"] == key else None
    except FileNotFoundError:
        return None
    except (DamagedError, KeyError) as error:
        raise UserError(f"{path} is damaged or is not what we wrote; remove it to begin anew.") from error
