"""The weights of a policy network as plain arrays, and their file.

Reading them needs no torch, whose import alone takes seconds: a player starts at once.
"""

import dataclasses
import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from features48.groups import SUBSETS
from go.coordinates import MAX_SIZE, MIN_SIZE
from pipeline.artefact import write_atomic
from pipeline.errors import UserError
from sl_policy.settings import MOVES

STAGE, FILE = "sl_policy.train", "policy.safetensors"  # where a run keeps its network
FORMAT = 1
MAKES_ONE = "./prezero sl_policy.train makes one"


@dataclasses.dataclass
class PolicyWeights:
    """Kernels and biases of all layers but the last; the last one has a single filter, and a bias for each point."""

    kernels: list[np.ndarray]  # [filters, inputs, height, width]
    biases: list[np.ndarray]
    head: np.ndarray  # [filters]
    point_bias: np.ndarray  # [size * size]
    moves: str  # which moves share the probability (`sl_policy.settings.MOVES`)
    card: dict[str, Any]  # where it comes from and what it can do

    @property
    def size(self) -> int:
        return math.isqrt(len(self.point_bias))

    @property
    def planes(self) -> int:
        return self.kernels[0].shape[1]

    @property
    def filters(self) -> int:
        return len(self.head)

    @property
    def layers(self) -> int:
        return len(self.kernels) + 1

    def tensors(self) -> dict[str, np.ndarray]:
        """Return all arrays by name, layers counted from 1."""
        named = {}
        for number, (kernel, bias) in enumerate(zip(self.kernels, self.biases, strict=True), 1):
            named |= {f"layer{number}.kernel": kernel, f"layer{number}.bias": bias}
        return named | {"head": self.head, "point_bias": self.point_bias}

    def count(self) -> int:
        """Return how many parameters there are."""
        return sum(array.size for array in self.tensors().values())

    def fingerprint(self) -> str:
        """Name the contents of the network."""
        digest = hashlib.sha256(self.moves.encode())
        for name, array in self.tensors().items():
            digest.update(name.encode() + np.ascontiguousarray(array, np.float32).tobytes())
        return digest.hexdigest()[:32]

    def save(self, path: Path) -> None:
        about = {"format": str(FORMAT), "moves": self.moves, "card": json.dumps(self.card)}
        tensors = {name: np.ascontiguousarray(array, np.float32) for name, array in self.tensors().items()}
        write_atomic(path, save(tensors, about))

    @classmethod
    def load(cls, path: Path) -> "PolicyWeights":
        """Read a network."""
        try:
            with safe_open(path, "numpy") as file:
                about = file.metadata() or {}
                if about.get("format") != str(FORMAT) or "moves" not in about:
                    raise UserError(f"{path} is not a policy network of format {FORMAT}.")
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is no dictionary)
            layers = (len(tensors) - 2) // 2
            weights = cls(
                kernels=[tensors[f"layer{number}.kernel"] for number in range(1, layers + 1)],
                biases=[tensors[f"layer{number}.bias"] for number in range(1, layers + 1)],
                head=tensors["head"],
                point_bias=tensors["point_bias"],
                moves=about["moves"],
                card=json.loads(about["card"]),
            )
        except FileNotFoundError as error:
            raise UserError(f"There is no policy network in {path}; {MAKES_ONE}.") from error
        except (OSError, SafetensorError, KeyError, ValueError) as error:
            raise UserError(f"{path} is not a policy network: {error}.") from error
        if tensors.keys() != weights.tensors().keys() or not weights.is_sound():
            raise UserError(f"{path} is damaged: its weights make no sense.")
        return weights

    def is_sound(self) -> bool:
        """Tell if the layers fit each other and a board, there is such an input, and all numbers are finite."""
        if not self.kernels or self.kernels[0].ndim != 4 or self.point_bias.ndim != 1:
            return False
        filters, planes = self.kernels[0].shape[:2]
        shapes = [(filters, planes, 5, 5), *[(filters, filters, 3, 3)] * (len(self.kernels) - 1)]
        fits = [kernel.shape for kernel in self.kernels] == shapes and planes in SUBSETS and self.moves in MOVES
        fits = fits and all(bias.shape == (filters,) for bias in [*self.biases, self.head])
        fits = fits and MIN_SIZE <= self.size <= MAX_SIZE and self.size**2 == len(self.point_bias)
        return fits and all(np.isfinite(array).all() for array in self.tensors().values())
