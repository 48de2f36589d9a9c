"""A linear policy: lists of patterns, one weight per feature, and the policy's file."""

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import UserError
from pipeline.tensors import DamagedError, Tensors, check, read_unchecked, write_tensors
from rollout.features import DISTANCES, Tables
from rollout.lookup import FREE, diamond_table, response_table, square_table
from rollout.nakade import shape_table
from rollout.patterns import DIAMOND, SQUARE, STATE_BITS

FORMAT = 2  # 2: with a checksum
RESPONSE, SAVE_ATARI, NEIGHBOUR, NAKADE = 0, 1, 2, 10  # index of the first weight of these features


@dataclasses.dataclass
class Model:
    """The canonical patterns of a policy (`rollout.patterns`) and the weights of all features.

    Order of the weights: response, save atari, neighbour by direction, nakade, response patterns, 3x3 patterns. The
    tree policy adds self-atari, distances to the last move and to the one before, and diamonds.
    """

    squares: np.ndarray  # codes of 3x3 patterns
    responses: np.ndarray  # codes of diamonds around the previous move
    places: np.ndarray  # index of the move's point in each of these diamonds
    diamonds: np.ndarray | None  # codes of diamonds around the move; None for the rollout policy
    weights: np.ndarray

    @classmethod
    def untrained(
        cls, squares: np.ndarray, responses: np.ndarray, places: np.ndarray, diamonds: np.ndarray | None = None
    ) -> "Model":
        model = cls(squares, responses, places, diamonds, np.empty(0, np.float32))
        model.weights = np.zeros(sum(model.counts().values()), np.float32)
        return model

    @property
    def is_tree(self) -> bool:
        return self.diamonds is not None

    def counts(self) -> dict[str, int]:
        """Return the number of features of each kind, in the order of the weights."""
        counts = {
            "response": 1,
            "save atari": 1,
            "neighbour": 8,
            "nakade": shape_table()[2],
            "response pattern": len(self.responses),
            "non-response pattern": len(self.squares),
        }
        if self.is_tree:
            counts |= {"self-atari": 1, "last move distance": 2 * DISTANCES, "diamond pattern": len(self.diamonds)}
        return counts

    def fingerprint(self) -> str:
        """Return a hash of the patterns and weights."""
        parts = [self.squares, self.responses, self.places, self.weights, *([self.diamonds] if self.is_tree else [])]
        return hashlib.sha256(b"|".join(np.asarray(part, np.float64).tobytes() for part in parts)).hexdigest()[:32]

    def first(self, kind: str) -> int:
        """Return the index of the first weight of a kind of feature."""
        counts = self.counts()
        names = list(counts)
        return sum(counts[name] for name in names[: names.index(kind)])

    def tables(self) -> Tables:
        """Make the lookup tables for the kernels."""
        responses, rows = response_table(self.responses, self.places, self.first("response pattern"))
        diamonds = diamond_table(
            self.diamonds if self.is_tree else np.empty(0, np.int64),
            self.first("diamond pattern") if self.is_tree else 0,
        )
        codes, points, _ = shape_table()
        return Tables(
            squares=square_table(self.squares, self.first("non-response pattern")),
            response_keys=responses.keys,
            response_rows=responses.values,
            responses=rows,
            diamond_keys=diamonds.keys,
            diamonds=diamonds.values,
            nakade_codes=codes,
            nakade_points=points,
            response=RESPONSE,
            save_atari=SAVE_ATARI,
            neighbours=NEIGHBOUR,
            nakade=NAKADE,
            self_atari=self.first("self-atari") if self.is_tree else FREE,
            distances=self.first("last move distance") if self.is_tree else FREE,
        )

    def save(self, path: Path, card: dict[str, Any]) -> None:
        """Write the model. `card` describes its origin."""
        tensors = {
            "squares": self.squares.astype(np.uint32),
            "responses": self.responses.astype(np.int64),
            "places": self.places.astype(np.uint8),
            "weights": self.weights.astype(np.float16),
        }
        if self.is_tree:
            tensors["diamonds"] = self.diamonds.astype(np.int64)
        write_tensors(path, tensors, {"format": str(FORMAT), "card": json.dumps(card)})

    @classmethod
    def load(cls, path: Path) -> "Model":
        """Read a model. Raise `UserError` if the file is missing or damaged."""
        tensors = _read(path)[1]
        try:
            model = cls(
                squares=tensors["squares"].astype(np.int64),
                responses=tensors["responses"],
                places=tensors["places"].astype(np.int64),
                diamonds=tensors.get("diamonds"),
                weights=tensors["weights"].astype(np.float32),
            )
        except KeyError as error:
            raise UserError(f"{path} is not a pattern policy: it has no {error}.") from error
        if not model.is_sound():
            raise UserError(f"{path} is damaged: its patterns or weights make no sense.")
        return model

    def is_sound(self) -> bool:
        """Return whether all codes, places and weights are valid."""
        codes = [(self.squares, len(SQUARE)), (self.responses, len(DIAMOND))]
        codes += [(self.diamonds, len(DIAMOND))] if self.is_tree else []
        return bool(
            all(part.ndim == 1 and ((part >= 0) & (part < 1 << STATE_BITS * n)).all() for part, n in codes)
            and self.places.shape == self.responses.shape
            and ((self.places >= 0) & (self.places < len(DIAMOND))).all()
            and self.weights.shape == (sum(self.counts().values()),)
            and np.isfinite(self.weights).all()
        )


def _read(path: Path) -> tuple[dict[str, Any], Tensors]:
    """Return the card and the arrays of a file. Raise `UserError` if it is missing, damaged or something else."""
    try:
        about, tensors = read_unchecked(path)
        if about.get("format") != str(FORMAT):
            raise UserError(f"{path} is not a pattern policy of format {FORMAT}.")
        check(about, tensors)
        return json.loads(about["card"]), tensors
    except FileNotFoundError as error:
        raise UserError(f"There is no pattern policy in {path}; ./prezero rollout.train makes one.") from error
    except (DamagedError, KeyError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is not a pattern policy, or is damaged: {error}.") from error


def read_card(path: Path) -> dict[str, Any]:
    """Read the card of a model, which describes its origin."""
    return _read(path)[0]
