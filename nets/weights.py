"""The weights of a network as plain arrays, and their file: safetensors, with a card in its metadata.

The file needs no torch to be read, so a player starts at once. Its metadata:

    format        2 (1 was a policy network only, without ranges)
    description   family, board size, planes, filters, layers, moves, options that are on (`nets.description`)
    ranges        the lowest and highest output of each layer on real positions, for inference in 8 bits
    card          where the network comes from and what it can do: training data, settings, figures, date, version
    fingerprint   of everything above but the card, compared on loading: a damaged file is refused
    checksum      of everything in the file, card included; files of earlier versions have none
"""

import dataclasses
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from nets.description import Description, layers_of
from pipeline.artefact import code_version, write_atomic
from pipeline.errors import UserError
from pipeline.tensors import DamagedError, check, checksum_of, read_unchecked

FORMAT = 2
CHECKSUM = "checksum"
Ranges = dict[str, tuple[float, float]]


def new_card(
    description: Description,
    data: str,
    settings: dict[str, Any],
    figures: dict[str, Any],
    komi: float | None = None,
) -> dict[str, Any]:
    """Return the card of a network: what it is, what it learnt from and how, and what it can do.

    `komi` is for networks that have learnt results of games, which depend on it.
    """
    return {
        "family": description.family,
        "board": description.size,
        "planes": description.planes,
        **({} if komi is None else {"komi": komi}),
        "data": data,
        "settings": settings,
        "figures": figures,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "version": code_version(),
    }


@dataclasses.dataclass
class Weights:
    """A network: its description, tensors by name, output ranges by layer (empty until measured), and its card."""

    description: Description
    tensors: dict[str, np.ndarray]
    ranges: Ranges = dataclasses.field(default_factory=dict)
    card: dict[str, Any] = dataclasses.field(default_factory=dict)

    def fingerprint(self) -> str:
        """Return a short text that differs for networks of other contents."""
        about = {"description": self.description.as_dict(), "ranges": self.ranges}
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
        for name in self.description.shapes():
            digest.update(name.encode() + np.ascontiguousarray(self.tensors[name], np.float32).tobytes())
        return digest.hexdigest()[:32]

    def is_sound(self) -> bool:
        """Tell if all tensors are there in their shapes, and all numbers are finite."""
        shapes = {name: array.shape for name, array in self.tensors.items()}
        if shapes != self.description.shapes() or not all(np.isfinite(array).all() for array in self.tensors.values()):
            return False
        names = {layer.name for layer in layers_of(self.description)}
        bounds = self.ranges.values()
        return not self.ranges or (self.ranges.keys() == names and all(low <= high for low, high in bounds))

    def save(self, path: Path) -> None:
        about = {
            "format": str(FORMAT),
            "description": json.dumps(self.description.as_dict()),
            "ranges": json.dumps(self.ranges),
            "card": json.dumps(self.card),
            "fingerprint": self.fingerprint(),
        }
        tensors = {name: np.ascontiguousarray(array, np.float32) for name, array in self.tensors.items()}
        write_atomic(path, save(tensors, about | {CHECKSUM: checksum_of(about, tensors)}))

    @classmethod
    def load(cls, path: Path) -> "Weights":
        """Read a network; refuse files that are missing, damaged or something else."""
        try:
            about, tensors = read_unchecked(path)
        except FileNotFoundError as error:
            raise UserError(f"There is no network in {path}.") from error
        except DamagedError as error:
            raise UserError(f"{path} is not a network, or is damaged: {error}.") from error
        if about.get("format") != str(FORMAT) or "description" not in about:
            raise UserError(f"{path} is not a network of format {FORMAT}.")
        try:
            if CHECKSUM in about:
                check(about, tensors, CHECKSUM)
            ranges = {name: (float(low), float(high)) for name, (low, high) in json.loads(about["ranges"]).items()}
            weights = cls(Description(**json.loads(about["description"])), tensors, ranges, json.loads(about["card"]))
            is_whole = weights.is_sound() and weights.fingerprint() == about["fingerprint"]
        except DamagedError as error:
            raise UserError(f"{path} is damaged: {error}.") from error
        except (UserError, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise UserError(f"{path} is damaged: what it says of itself makes no sense.") from error
        if not is_whole:
            raise UserError(f"{path} is damaged: its weights do not agree with its fingerprint.")
        return weights
