"""Arrays in a safetensors file, with a checksum over everything in it: no change goes unnoticed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from pipeline.artefact import write_atomic

CHECKSUM = "fingerprint"  # the entry of the metadata that holds it
Tensors = dict[str, np.ndarray]


class DamagedError(Exception):
    """A file is damaged, or is not what we wrote. The message says what is wrong, without the name of the file."""


def checksum_of(about: Mapping[str, str], tensors: Mapping[str, np.ndarray]) -> str:
    """Return a hash of metadata and arrays: their names, types, shapes and contents."""
    digest = hashlib.sha256(json.dumps(sorted(about.items())).encode())
    for name, part in sorted(tensors.items()):
        digest.update(f"{name} {part.dtype.str} {part.shape}".encode() + part.tobytes())
    return digest.hexdigest()


def write_tensors(path: Path, tensors: Mapping[str, np.ndarray], about: Mapping[str, str]) -> None:
    """Write arrays with metadata and their checksum, atomically."""
    parts = {name: np.asarray(part, order="C") for name, part in tensors.items()}
    write_atomic(path, save(parts, {**about, CHECKSUM: checksum_of(about, parts)}))


def read_tensors(path: Path) -> tuple[dict[str, str], Tensors]:
    """Read metadata and arrays. Raise `FileNotFoundError` or `DamagedError`."""
    about, tensors = read_unchecked(path)
    check(about, tensors)
    return about, tensors


def check(about: dict[str, str], tensors: Tensors, name: str = CHECKSUM) -> None:
    """Take the checksum out of the metadata. Raise `DamagedError` if it is not that of the rest."""
    if about.pop(name, "") != checksum_of(about, tensors):
        raise DamagedError("its contents do not agree with its checksum")


def read_unchecked(path: Path) -> tuple[dict[str, str], Tensors]:
    """Read metadata and arrays. The caller decides whether there is a checksum to `check`."""
    try:
        with safe_open(path, "numpy") as file:
            tensors = {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118 (not a dictionary)
            return dict(file.metadata() or {}), tensors
    except FileNotFoundError:
        raise
    except Exception as error:  # safetensors raises nearly anything when bytes are damaged
        raise DamagedError(" ".join(str(error).split()).rstrip(".") or type(error).__name__) from error
