"""The opponent pool: earlier versions of the policy, on disk with their ratings.

A member is a weights file `pool/<iteration>.safetensors`. The SL policy is member 0. `pool.json` is for people; what
learning depends on is in its checkpoint (`state`), and files that a killed run wrote after it are written again.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from nets.weights import Weights
from pipeline.artefact import made, write_json
from pipeline.errors import UserError


@dataclasses.dataclass
class Member:
    """A version of the policy: when it joined, its Elo above the SL policy, and the learner's games against it."""

    iteration: int
    elo: float = 0.0
    games: float = 0.0
    won: float = 0.0  # by the learner; a draw is half a game


class Pool:
    """The opponents in the order in which they joined."""

    def __init__(self, folder: Path, parent: Weights) -> None:
        self.folder = made(folder)
        self.members: list[Member] = []
        self.loaded: tuple[int, Weights] | None = None
        self.add(0, parent, 0.0)

    def add(self, iteration: int, weights: Weights, elo: float) -> None:
        """Let a version of the policy join."""
        weights.save(self._file(iteration))
        self.members.append(Member(iteration, elo))
        self._write()

    def draw(self, rng: np.random.Generator) -> tuple[Member, Weights]:
        """Return a uniformly random member, as the paper does, and its weights."""
        member = self.members[int(rng.integers(len(self.members)))]
        if self.loaded is None or self.loaded[0] != member.iteration:
            self.loaded = member.iteration, Weights.load(self._file(member.iteration))
        return member, self.loaded[1]

    def state(self) -> np.ndarray:
        """Return all members as rows of numbers."""
        return np.array([dataclasses.astuple(member) for member in self.members])

    def restore(self, state: np.ndarray) -> None:
        """Continue with the members of a state, whose files must be there."""
        self.members = [Member(int(iteration), *map(float, rest)) for iteration, *rest in state]
        missing = [str(file) for member in self.members if not (file := self._file(member.iteration)).is_file()]
        if missing:
            raise UserError(f"The opponent pool has lost {missing[0]}; remove {self.folder.parent} to begin anew.")
        self._write()

    def _file(self, iteration: int) -> Path:
        return self.folder / f"{iteration:06}.safetensors"

    def _write(self) -> None:
        rows: list[dict[str, Any]] = [
            dataclasses.asdict(member) | {"file": self._file(member.iteration).name} for member in self.members
        ]
        write_json(self.folder / "pool.json", rows)
