"""Networks of random weights, a slow network that is obviously right, and commands that are run within the test."""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from random_games import random_record

from data.record import to_sgf
from nets.description import Description
from nets.runtime import measure_ranges
from nets.weights import Weights


def random_weights(
    size: int,
    filters: int = 6,
    layers: int = 4,
    planes: int = 48,
    moves: str = "sensible",
    seed: int = 1,
    family: str = "policy",
    **options,
) -> Weights:
    """A network whose scores differ by some units from point to point, and its values from position to position."""
    rng = np.random.default_rng(seed)
    description = Description(family, size, planes, filters, layers, moves, **options)
    tensors = {}
    for name, shape in description.shapes().items():
        spread = np.sqrt(2 / np.prod(shape[1:])) if name.endswith(".kernel") else 0.1
        tensors[name] = rng.normal(0, spread, shape).astype(np.float32)
    first = next(iter(tensors))
    tensors[first] *= 3  # most planes are empty
    for name in ("scores.bias", "pass.bias"):
        if name in tensors:
            tensors[name] *= 10
    if "map.bias" in tensors:
        tensors["map.bias"] += 2  # or a rectifier might silence its single filter
    return Weights(description, tensors, card={"made": "by a test"})


def calibrated(weights: Weights, planes: np.ndarray) -> Weights:
    """The same network with the output ranges of its layers, for 8 bits."""
    weights.ranges = measure_ranges(weights, planes)
    return weights


def slow_convolution(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """A convolution with each sum written out, and zeros beyond the edge."""
    size, reach = values.shape[1], kernel.shape[2] // 2
    sums = np.zeros((len(kernel), size, size))
    for row, column in np.ndindex(size, size):
        for down, right in np.ndindex(kernel.shape[2:]):
            r, c = row + down - reach, column + right - reach
            if 0 <= r < size and 0 <= c < size:
                sums[:, row, column] += kernel[:, :, down, right].astype(np.float64) @ values[:, r, c]
    return sums


def slow_answers(weights: Weights, planes: np.ndarray) -> dict[str, np.ndarray]:
    """A network as the papers describe it, for one position, family by family."""
    description, tensors, values = weights.description, weights.tensors, planes.astype(np.float64)

    def convolved(name: str, given: np.ndarray) -> np.ndarray:
        return slow_convolution(given, tensors[f"{name}.kernel"]) + tensors[f"{name}.bias"][:, None, None]

    def dense(name: str, given: np.ndarray) -> np.ndarray:
        return tensors[f"{name}.kernel"].astype(np.float64) @ given.reshape(-1) + tensors[f"{name}.bias"]

    def valued(given: np.ndarray) -> np.ndarray:
        return np.tanh(dense("value", np.maximum(dense("hidden", given), 0)))[0]

    if description.is_zero:
        towers = [slow_zero_tower(description, convolved, dense, values, prefix) for prefix in prefixes(description)]
        return slow_zero_heads(description, convolved, dense, towers[0], towers[-1])
    convolutions = description.layers - (1 if description.family == "policy" else 3)
    for number in range(1, convolutions + 1):
        values = np.maximum(convolved(f"layer{number}", values), 0)
    if description.family == "value":
        return {"values": valued(convolved("map", values))}
    one_filter = slow_convolution(values, tensors["scores.kernel"]).reshape(-1)
    return {"scores": one_filter + tensors["scores.bias"]}


def prefixes(description: Description) -> tuple[str, ...]:
    return ("p.", "v.") if description.family.startswith("sep") else ("",)


def pooled(values: np.ndarray) -> np.ndarray:
    """The mean of each channel, then the maximum of each."""
    flat = values.reshape(len(values), -1)
    return np.array([channel.sum() / len(channel) for channel in flat] + [max(channel) for channel in flat])


def slow_zero_tower(description: Description, convolved, dense, values: np.ndarray, prefix: str) -> np.ndarray:
    """The tower of a Zero network: convolutions, or residual blocks, the middle one of which may pool."""
    values = np.maximum(convolved(f"{prefix}stem", values), 0)
    if description.family.endswith("conv"):
        for number in range(2, description.layers + 1):
            values = np.maximum(convolved(f"{prefix}layer{number}", values), 0)
        return values
    assert description.pooled <= 1
    blocks = (description.layers - 1) // 2
    for number in range(1, blocks + 1):
        name = f"{prefix}block{number}"
        inner = convolved(f"{name}.first", values)
        if description.pooled and number == blocks // 2 + 1:
            shift = dense(f"{name}.shift", pooled(np.maximum(convolved(f"{name}.pool", values), 0)))
            inner = inner + shift[:, None, None]
        values = np.maximum(convolved(f"{name}.second", np.maximum(inner, 0)) + values, 0)
    return values


def slow_zero_heads(
    description: Description, convolved, dense, for_policy: np.ndarray, for_value: np.ndarray
) -> dict[str, np.ndarray]:
    """Both heads, as in Zero or with pooling."""
    map_ = np.maximum(convolved("map", for_value), 0)
    if description.heads == "zero":
        scores = dense("scores", np.maximum(convolved("policy", for_policy), 0))
    else:
        means = pooled(np.maximum(convolved("policy.pool", for_policy), 0))
        mixed = convolved("policy", for_policy) + dense("policy.shift", means)[:, None, None]
        scores = np.concatenate([convolved("points", np.maximum(mixed, 0)).reshape(-1), dense("pass", means)])
        map_ = pooled(map_)
    hidden = np.maximum(dense("hidden", map_), 0)
    if description.outcome == "value":
        return {"scores": scores, "values": np.tanh(dense("value", hidden))[0]}
    powers = np.exp(dense("chances", hidden))
    return {"scores": scores, "values": (powers[0] - powers[1]) / powers.sum()}


def slow_scores(weights: Weights, planes: np.ndarray) -> np.ndarray:
    return slow_answers(weights, planes)["scores"]


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
        monkeypatch.setenv("PREZERO_RUNS", str(runs))
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
