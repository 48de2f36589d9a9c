"""Networks of random weights, a slow network that is obviously right, and commands that are run within the test."""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from random_games import random_record

from data.record import to_sgf
from pipeline import artefact, launch
from sl_policy.weights import PolicyWeights


def random_weights(
    size: int, filters: int = 6, layers: int = 4, planes: int = 48, moves: str = "sensible", seed: int = 1
) -> PolicyWeights:
    """A network whose scores differ by some units from point to point."""
    rng = np.random.default_rng(seed)
    shapes = [(filters, planes, 5, 5), *[(filters, filters, 3, 3)] * (layers - 2)]
    kernels = [rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape) for shape in shapes]
    kernels[0] *= 3  # most planes are empty
    biases = [rng.normal(0, 0.1, filters) for _ in shapes]
    arrays = [*kernels, *biases, rng.normal(0, 1, filters), rng.normal(0, 1, size * size)]
    *inner, head, point_bias = (array.astype(np.float32) for array in arrays)
    return PolicyWeights(inner[: len(shapes)], inner[len(shapes) :], head, point_bias, moves, {"made": "by a test"})


def slow_scores(weights: PolicyWeights, planes: np.ndarray) -> np.ndarray:
    """The network as the paper describes it, for one position: each sum written out, zeros beyond the edge."""
    size, values = weights.size, planes.astype(np.float64)
    for kernel, bias in zip(weights.kernels, weights.biases, strict=True):
        reach, sums = kernel.shape[2] // 2, np.zeros((len(kernel), size, size))
        for row, column in np.ndindex(size, size):
            for down, right in np.ndindex(kernel.shape[2:]):
                r, c = row + down - reach, column + right - reach
                if 0 <= r < size and 0 <= c < size:
                    sums[:, row, column] += kernel[:, :, down, right].astype(np.float64) @ values[:, r, c]
        values = np.maximum(sums + bias[:, None, None], 0)
    at_points = [weights.head.astype(np.float64) @ values[:, row, column] for row, column in np.ndindex(size, size)]
    return np.array(at_points) + weights.point_bias


def random_games(size: int, plies: int, count: int, with_setup: bool = False) -> list[bytes]:
    return [to_sgf(random_record(size, plies, seed, with_setup)) for seed in range(count)]


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class InProcess:
    """Runs commands with the settings of a command line, but without a new process, which would read torch anew."""

    def __init__(self, monkeypatch, capsys, runs: Path) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys
        for module in (artefact, launch):
            monkeypatch.setattr(module, "RUNS", runs)
        monkeypatch.setenv("HYDRA_FULL_ERROR", "1")

    def __call__(self, module, *arguments: str) -> Done:
        self.monkeypatch.setattr(sys, "argv", [module.COMMAND.name, *arguments])
        self.capsys.readouterr()
        code = 0
        try:
            module.COMMAND(list(arguments))
        except SystemExit as end:
            code = end.code
        return Done(code, *self.capsys.readouterr())
