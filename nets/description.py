"""Networks as data: a description says what a network is, and lists its layers in the order of computation.

Everything else about a network follows from this list: its torch module (`nets.module`), its ONNX graphs
(`nets.onnx_graph`), the shapes in its file (`nets.weights`) and its parameter count.

| family      | planes          | layers                                                           | answers        |
|-------------|-----------------|------------------------------------------------------------------|----------------|
| `policy`    | 4, 12, 20 or 48 | 5x5, then 3x3 convolutions, a 1x1 one with a bias for each point | scores         |
| `value`     | 49              | the same tower, a 1x1 convolution, 256 units, tanh               | values         |
| `dual-res`  | 7, 17 or 21     | 3x3, then residual blocks of two 3x3 each; two heads             | scores, values |
| `sep-res`   | 7, 17 or 21     | a tower like this for each head                                  | scores, values |
| `dual-conv` | 7, 17 or 21     | 3x3 convolutions; two heads                                      | scores, values |
| `sep-conv`  | 7, 17 or 21     | a tower like this for each head                                  | scores, values |

`layers` counts as the papers do: 13 for the policy and 15 for the value network (Silver et al. 2016), and 39 or 79
layers in the tower of Zero's "20 blocks" and "40 blocks" (Silver et al. 2017). The last four families are those of
Figure 4 of the Zero paper. `dual` is an older name of `dual-res`, which files may have.

The Zero families have options that are off by default (Wu 2019, KataGo): blocks with global pooling (`pooled`), heads
that pool (`heads`), and a value made of the chances of a win, a loss and a draw (`outcome`).
"""

import dataclasses
import functools
import math
from typing import Any, NamedTuple

from go.coordinates import MAX_SIZE, MIN_SIZE
from pipeline.errors import UserError

CONV, DENSE, ADD = "conv", "dense", "add"
POOL, SHIFT, JOIN, CHANCES = "pool", "shift", "join", "chances"
RELU, TANH, LINEAR = "relu", "tanh", "linear"
SCORES, VALUES = "scores", "values"  # the answers of a network
INPUT = "planes"
HIDDEN_UNITS = 256  # of the value head, in both papers
ZERO_PLANES = 17
TUTORIAL_PLANES = 7  # of a tutorial on AlphaGo Zero: no history but the last two moves
LIBERTY_PLANES = 21  # those of Zero, stones with 1, 2 and 3 liberties, and the point that ko forbids
ZERO_FAMILIES = ("dual-res", "sep-res", "dual-conv", "sep-conv", "dual")
PLANES = {"policy": (4, 12, 20, 48), "value": (49,)} | dict.fromkeys(
    ZERO_FAMILIES, (TUTORIAL_PLANES, ZERO_PLANES, LIBERTY_PLANES)
)
LEAST_LAYERS = {"policy": 3, "value": 5, "dual-res": 3, "sep-res": 3, "dual-conv": 1, "sep-conv": 1, "dual": 3}
FAMILIES = tuple(PLANES)
MOVES = ("sensible", "legal")
HEADS = ("zero", "pooled")  # as in Zero, or with global pooling
OUTCOMES = ("value", "chances")  # tanh of one unit, or the chances of a win, a loss and a draw
POOLED_SHARE = 4  # one in so many filters of a block with global pooling is pooled
MOST_HEAD_FILTERS = 32  # of heads that pool


class Layer(NamedTuple):
    """One layer: what it computes, from which other layers, and how many channels or units it has."""

    name: str
    # CONV; DENSE; ADD, of two layers; POOL, the mean and the maximum of each channel; SHIFT, which adds a unit of the
    # second layer to each channel of the first; JOIN, of points and the pass; CHANCES, of a win, a loss and a draw, as
    # one value
    kind: str
    sources: tuple[str, ...]
    inputs: int  # channels or units of a source
    outputs: int
    width: int = 1  # of the kernel of a convolution
    activation: str = RELU
    is_normalised: bool = False  # has batch normalisation instead of a bias, as in Zero; folded into the file's weights
    has_point_bias: bool = False  # a bias for each point instead of one for each channel
    is_head: bool = False  # stays in 32 bits

    @property
    def has_weights(self) -> bool:
        return self.kind in (CONV, DENSE)


@dataclasses.dataclass(frozen=True)
class Description:
    """What a network is; two networks of the same description differ in their weights only."""

    family: str
    size: int
    planes: int
    filters: int
    layers: int
    moves: str = "sensible"  # which moves share the probability: sensible (no own eye is filled) or legal
    hidden: int = HIDDEN_UNITS  # units of the value head
    pooled: int = 0  # blocks with global pooling, spread evenly
    heads: str = "zero"
    outcome: str = "value"

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
        if self.is_residual and self.layers % 2 == 0:
            raise UserError(
                f"net.layers={self.layers} is even: a {self.family} network has 1 layer and 2 for each block."
            )
        if self.filters < 1 or not MIN_SIZE <= self.size <= MAX_SIZE or self.moves not in MOVES:
            raise UserError(f"{self} does not describe a network.")
        if self.hidden < 1 or self.heads not in HEADS or self.outcome not in OUTCOMES:
            raise UserError(f"{self} does not describe a network.")
        if not 0 <= self.pooled <= self.blocks:
            raise UserError(f"net.pooled={self.pooled} is not between 0 and the {self.blocks} residual blocks.")
        if self.family not in ZERO_FAMILIES and (self.heads, self.outcome) != ("zero", "value"):
            raise UserError(f"net.heads and net.outcome are for Zero's networks, not for a {self.family} network.")

    @property
    def is_zero(self) -> bool:
        """Whether this is one of Zero's networks, with both heads."""
        return self.family in ZERO_FAMILIES

    @property
    def is_residual(self) -> bool:
        return self.family in ("dual", "dual-res", "sep-res")

    @property
    def blocks(self) -> int:
        """The number of residual blocks of a tower."""
        return (self.layers - 1) // 2 if self.is_residual else 0

    @property
    def has_pass(self) -> bool:
        """Whether passing has a score of its own, the last one."""
        return self.is_zero

    @property
    def outputs(self) -> dict[str, str]:
        """Return which layer gives which answer."""
        heads = {SCORES: "scores", VALUES: "value"}
        return {answer: name for answer, name in heads.items() if name in {layer.name for layer in layers_of(self)}}

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name, without options that are off: earlier versions did not know them."""
        options = {"hidden": HIDDEN_UNITS, "pooled": 0, "heads": "zero", "outcome": "value"}
        fields = dataclasses.asdict(self)
        return {name: value for name, value in fields.items() if name not in options or value != options[name]}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all tensors in the network's file, by name."""
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in layers_of(self):
            if layer.kind == CONV:
                shapes[f"{layer.name}.kernel"] = layer.outputs, layer.inputs, layer.width, layer.width
            elif layer.kind == DENSE:
                shapes[f"{layer.name}.kernel"] = layer.outputs, layer.inputs
            if layer.has_weights:
                shapes[f"{layer.name}.bias"] = (self.size**2 if layer.has_point_bias else layer.outputs,)
        return shapes

    def parameter_count(self) -> int:
        """Return the number of parameters as the papers count: normalised layers have a scale and a shift."""
        in_file = sum(math.prod(shape) for shape in self.shapes().values())
        return in_file + sum(layer.outputs for layer in layers_of(self) if layer.is_normalised)


@functools.cache
def layers_of(description: Description) -> tuple[Layer, ...]:
    """Return the layers of a network, each after those that it reads from."""
    return {"policy": _policy, "value": _value}.get(description.family, _zero)(description)


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
        Layer("hidden", DENSE, ("map",), points, description.hidden),
        Layer("value", DENSE, ("hidden",), description.hidden, 1, activation=TANH),
    )


def _zero(description: Description) -> tuple[Layer, ...]:
    """Return one of Zero's networks: one tower for both heads, or one for each."""
    if description.family.startswith("dual"):
        tower = _zero_tower(description, "")
        return (*tower, *_policy_head(description, tower[-1].name), *_value_head(description, tower[-1].name))
    towers = [_zero_tower(description, prefix) for prefix in ("p.", "v.")]
    heads = _policy_head(description, towers[0][-1].name), _value_head(description, towers[1][-1].name)
    return (*towers[0], *heads[0], *towers[1], *heads[1])


def _zero_tower(description: Description, prefix: str) -> list[Layer]:
    filters = description.filters
    layers = [Layer(f"{prefix}stem", CONV, (INPUT,), description.planes, filters, 3, is_normalised=True)]
    if not description.is_residual:
        for number in range(2, description.layers + 1):
            before, name = layers[-1].name, f"{prefix}layer{number}"
            layers.append(Layer(name, CONV, (before,), filters, filters, 3, is_normalised=True))
        return layers
    pooled = pooled_blocks(description)
    for number in range(1, description.blocks + 1):
        block = _pooled_block if number in pooled else _block
        layers += block(f"{prefix}block{number}", layers[-1].name, filters)
    return layers


def pooled_blocks(description: Description) -> set[int]:
    """Return the numbers of the blocks with global pooling: evenly spread, a single one in the middle."""
    blocks, pooled = description.blocks, description.pooled
    return {1 + (2 * number + 1) * blocks // (2 * pooled) for number in range(pooled)}


def _block(name: str, before: str, filters: int) -> list[Layer]:
    first, second = f"{name}.first", f"{name}.second"
    return [
        Layer(first, CONV, (before,), filters, filters, 3, is_normalised=True),
        Layer(second, CONV, (first,), filters, filters, 3, activation=LINEAR, is_normalised=True),
        Layer(name, ADD, (second, before), filters, filters),
    ]


def _pooled_block(name: str, before: str, filters: int) -> list[Layer]:
    """Return a block in which some filters are pooled over the board, and shift the others."""
    pooled = max(1, filters // POOLED_SHARE)
    kept = max(1, filters - pooled)
    first, second = f"{name}.first", f"{name}.second"
    return [
        Layer(first, CONV, (before,), filters, kept, 3, activation=LINEAR, is_normalised=True),
        *_shifted(name, first, before, filters, pooled, kept, 3, is_head=False),
        Layer(second, CONV, (f"{name}.mixed",), kept, filters, 3, activation=LINEAR, is_normalised=True),
        Layer(name, ADD, (second, before), filters, filters),
    ]


def _shifted(
    name: str, shifted: str, before: str, filters: int, pooled: int, kept: int, width: int, is_head: bool
) -> list[Layer]:
    """Return the layers that pool some filters of `before` over the board, and add what they tell to `shifted`."""
    pool, means, shift, mixed = (f"{name}.{part}" for part in ("pool", "means", "shift", "mixed"))
    return [
        Layer(pool, CONV, (before,), filters, pooled, width, is_normalised=True, is_head=is_head),
        Layer(means, POOL, (pool,), pooled, 2 * pooled, activation=LINEAR, is_head=is_head),
        Layer(shift, DENSE, (means,), 2 * pooled, kept, activation=LINEAR, is_head=is_head),
        Layer(mixed, SHIFT, (shifted, shift), kept, kept, is_head=is_head),
    ]


def _policy_head(description: Description, tower: str) -> list[Layer]:
    filters, points = description.filters, description.size**2
    if description.heads == "zero":
        return [
            Layer("policy", CONV, (tower,), filters, 2, is_normalised=True, is_head=True),
            Layer("scores", DENSE, ("policy",), 2 * points, points + 1, activation=LINEAR, is_head=True),
        ]
    few = min(filters, MOST_HEAD_FILTERS)
    return [
        Layer("policy", CONV, (tower,), filters, few, activation=LINEAR, is_normalised=True, is_head=True),
        *_shifted("policy", "policy", tower, filters, few, few, 1, is_head=True),
        Layer("points", CONV, ("policy.mixed",), few, 1, activation=LINEAR, is_head=True),
        Layer("pass", DENSE, ("policy.means",), 2 * few, 1, activation=LINEAR, is_head=True),
        Layer("scores", JOIN, ("points", "pass"), 1, points + 1, activation=LINEAR, is_head=True),
    ]


def _value_head(description: Description, tower: str) -> list[Layer]:
    filters, hidden = description.filters, description.hidden
    maps = 1 if description.heads == "zero" else min(filters, MOST_HEAD_FILTERS)
    layers = [Layer("map", CONV, (tower,), filters, maps, is_normalised=True, is_head=True)]
    if description.heads == "zero":
        layers.append(Layer("hidden", DENSE, ("map",), description.size**2, hidden, is_head=True))
    else:
        layers.append(Layer("map.means", POOL, ("map",), maps, 2 * maps, activation=LINEAR, is_head=True))
        layers.append(Layer("hidden", DENSE, ("map.means",), 2 * maps, hidden, is_head=True))
    if description.outcome == "value":
        return [*layers, Layer("value", DENSE, ("hidden",), hidden, 1, activation=TANH, is_head=True)]
    return [
        *layers,
        Layer("chances", DENSE, ("hidden",), hidden, 3, activation=LINEAR, is_head=True),
        Layer("value", CHANCES, ("chances",), 3, 1, activation=LINEAR, is_head=True),
    ]
