"""Networks as data: a description says what a network is, and lists its layers in the order of computation.

Everything else about a network follows from this list: its torch module (`nets.module`), its ONNX graphs
(`nets.onnx_graph`), the shapes in its file (`nets.weights`) and its parameter count.

| family   | planes           | layers                                                           | answers        |
|----------|------------------|------------------------------------------------------------------|----------------|
| `policy` | 4, 12, 20 or 48  | 5x5, then 3x3 convolutions, a 1x1 one with a bias for each point | scores         |
| `value`  | 49               | the same tower, a 1x1 convolution, 256 units, tanh               | values         |
| `dual`   | 17 (Zero's)      | 3x3, then residual blocks of two 3x3 each; two heads             | scores, values |

`layers` counts as the papers do: 13 for the policy and 15 for the value network (Silver et al. 2016), and 39 or 79
layers in the tower of Zero's "20 blocks" and "40 blocks" (Silver et al. 2017).
"""

import dataclasses
import functools
import math
from typing import NamedTuple

from go.coordinates import MAX_SIZE, MIN_SIZE
from pipeline.errors import UserError

CONV, DENSE, ADD = "conv", "dense", "add"
RELU, TANH, LINEAR = "relu", "tanh", "linear"
SCORES, VALUES = "scores", "values"  # the answers of a network
INPUT = "planes"
HIDDEN_UNITS = 256  # of the value head, in both papers
ZERO_PLANES = 17
PLANES = {"policy": (4, 12, 20, 48), "value": (49,), "dual": (ZERO_PLANES,)}
LEAST_LAYERS = {"policy": 3, "value": 5, "dual": 3}
FAMILIES = tuple(PLANES)
MOVES = ("sensible", "legal")


class Layer(NamedTuple):
    """One layer: what it computes, from which other layers, and how many channels or units it has."""

    name: str
    kind: str  # CONV, DENSE, or ADD, which adds two layers
    sources: tuple[str, ...]
    inputs: int  # channels or units of a source
    outputs: int
    width: int = 1  # of the kernel of a convolution
    activation: str = RELU
    is_normalised: bool = False  # has batch normalisation instead of a bias, as in Zero; folded into the file's weights
    has_point_bias: bool = False  # a bias for each point instead of one for each channel


@dataclasses.dataclass(frozen=True)
class Description:
    """What a network is; two networks of the same description differ in their weights only."""

    family: str
    size: int
    planes: int
    filters: int
    layers: int
    moves: str = "sensible"  # which moves share the probability: sensible (no own eye is filled) or legal

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise UserError(f"net.family={self.family} is none of {', '.join(FAMILIES)}.")
        if self.planes not in PLANES[self.family]:
            known = ", ".join(map(str, PLANES[self.family]))
            raise UserError(f"net.planes={self.planes} does not fit a {self.family} network, which takes {known}.")
        if self.layers < LEAST_LAYERS[self.family]:
            raise UserError(
                f"net.layers={self.layers} is too few: a {self.family} network has at least "
                f"{LEAST_LAYERS[self.family]}."
            )
        if self.family == "dual" and self.layers % 2 == 0:
            raise UserError(f"net.layers={self.layers} is even: a dual network has 1 layer and 2 for each block.")
        if self.filters < 1 or not MIN_SIZE <= self.size <= MAX_SIZE or self.moves not in MOVES:
            raise UserError(f"{self} does not describe a network.")

    @property
    def has_pass(self) -> bool:
        """Whether passing has a score of its own, the last one."""
        return self.family == "dual"

    @property
    def outputs(self) -> dict[str, str]:
        """Return which layer gives which answer."""
        heads = {SCORES: "scores", VALUES: "value"}
        return {answer: name for answer, name in heads.items() if name in {layer.name for layer in layers_of(self)}}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all tensors in the network's file, by name."""
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in layers_of(self):
            if layer.kind == CONV:
                shapes[f"{layer.name}.kernel"] = layer.outputs, layer.inputs, layer.width, layer.width
            elif layer.kind == DENSE:
                shapes[f"{layer.name}.kernel"] = layer.outputs, layer.inputs
            if layer.kind != ADD:
                shapes[f"{layer.name}.bias"] = (self.size**2 if layer.has_point_bias else layer.outputs,)
        return shapes

    def parameter_count(self) -> int:
        """Return the number of parameters as the papers count: normalised layers have a scale and a shift."""
        in_file = sum(math.prod(shape) for shape in self.shapes().values())
        return in_file + sum(layer.outputs for layer in layers_of(self) if layer.is_normalised)


@functools.cache
def layers_of(description: Description) -> tuple[Layer, ...]:
    """Return the layers of a network, each after those that it reads from."""
    return {"policy": _policy, "value": _value, "dual": _dual}[description.family](description)


def _tower(description: Description, count: int) -> list[Layer]:
    """Return the convolutions that policy and value network share: one of 5x5, then 3x3."""
    tower, filters = [], description.filters
    for number in range(1, count + 1):
        source, inputs = (f"layer{number - 1}", filters) if number > 1 else (INPUT, description.planes)
        tower.append(Layer(f"layer{number}", CONV, (source,), inputs, filters, 5 if number == 1 else 3))
    return tower


def _policy(description: Description) -> tuple[Layer, ...]:
    tower = _tower(description, description.layers - 1)
    head = Layer("scores", CONV, (tower[-1].name,), description.filters, 1, activation=LINEAR, has_point_bias=True)
    return (*tower, head)


def _value(description: Description) -> tuple[Layer, ...]:
    tower = _tower(description, description.layers - 3)
    points = description.size**2
    return (
        *tower,
        # linear: with a single filter, a rectifier could silence the whole network
        Layer("map", CONV, (tower[-1].name,), description.filters, 1, activation=LINEAR),
        Layer("hidden", DENSE, ("map",), points, HIDDEN_UNITS),
        Layer("value", DENSE, ("hidden",), HIDDEN_UNITS, 1, activation=TANH),
    )


def _dual(description: Description) -> tuple[Layer, ...]:
    filters, points = description.filters, description.size**2
    layers = [Layer("stem", CONV, (INPUT,), description.planes, filters, 3, is_normalised=True)]
    for number in range(1, (description.layers - 1) // 2 + 1):
        before = layers[-1].name
        first, second = f"block{number}.first", f"block{number}.second"
        layers += [
            Layer(first, CONV, (before,), filters, filters, 3, is_normalised=True),
            Layer(second, CONV, (first,), filters, filters, 3, activation=LINEAR, is_normalised=True),
            Layer(f"block{number}", ADD, (second, before), filters, filters),
        ]
    tower = layers[-1].name
    return (
        *layers,
        Layer("policy", CONV, (tower,), filters, 2, is_normalised=True),
        Layer("scores", DENSE, ("policy",), 2 * points, points + 1, activation=LINEAR),
        Layer("map", CONV, (tower,), filters, 1, is_normalised=True),
        Layer("hidden", DENSE, ("map",), points, HIDDEN_UNITS),
        Layer("value", DENSE, ("hidden",), HIDDEN_UNITS, 1, activation=TANH),
    )
