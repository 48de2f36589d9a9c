"""Why residual blocks: two layers that have learnt nothing do no harm if their input goes around them.

`deepened` adds two layers whose kernels are all zero to one of Zero's networks. In a residual tower they are a block
that passes its input on, and the answers stay the same. In a plain tower nothing gets through, and the network says the
same of every position.
"""

import dataclasses

import numpy as np

from go.position import Position
from nets.description import Description
from nets.network import Network
from nets.weights import Weights


def random_network(family: str, size: int, filters: int = 16, layers: int = 5, seed: int = 1) -> Weights:
    """Return one of Zero's networks with random weights."""
    rng = np.random.default_rng(seed)
    description = Description(family, size, 17, filters, layers, "legal", hidden=32)
    tensors = {}
    for name, shape in description.shapes().items():
        spread = np.sqrt(2 / np.prod(shape[1:])) if name.endswith(".kernel") else 0.1
        tensors[name] = rng.normal(0, spread, shape).astype(np.float32)
    return Weights(description, tensors, card={})


def deepened(weights: Weights) -> Weights:
    """Return a network with two layers more at the end of its tower. Their kernels and biases are zero."""
    deeper = dataclasses.replace(weights.description, layers=weights.description.layers + 2)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in deeper.shapes().items()} | weights.tensors
    return Weights(deeper, tensors, card={})


def scores_of(weights: Weights, positions: list[Position]) -> np.ndarray:
    """Return the scores of all moves of some positions."""
    network = Network(weights, precision="float32")
    boards = np.concatenate([position.boards for position in positions])
    past = np.concatenate([position.past for position in positions])
    return network.answer(boards, past, np.zeros(len(positions), np.int64)).scores


def change_of(family: str, positions: list[Position]) -> tuple[float, float]:
    """Return the largest change of a score by two silent layers, and how much scores then differ between positions."""
    weights = random_network(family, positions[0].size)
    before, after = scores_of(weights, positions), scores_of(deepened(weights), positions)
    return float(np.abs(after - before).max()), float(np.ptp(after, axis=0).max())
