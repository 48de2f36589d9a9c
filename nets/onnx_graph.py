"""Networks as ONNX graphs, in 32 and in 8 bits.

In 8 bits, convolutions multiply unsigned activations by signed weights (one scale for each filter) and add up in 32
bits. The graph says so with pairs of QuantizeLinear and DequantizeLinear, which ONNX Runtime fuses into convolutions of
whole numbers. Planes are zeros and ones, so they enter as they are. The heads stay in 32 bits: they cost next to
nothing, and scores keep their resolution.
"""

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from nets.description import (
    ADD,
    CHANCES,
    CONV,
    DENSE,
    INPUT,
    JOIN,
    LINEAR,
    POOL,
    RELU,
    SHIFT,
    TANH,
    VALUES,
    Layer,
    layers_of,
)
from nets.weights import Ranges, Weights

OPSET, IR_VERSION = 17, 8  # of ONNX; old enough for every runtime of the last years
LEVELS = 255  # steps of an unsigned 8-bit number
MOST = 127  # of a signed 8-bit number; -128 is not used, so that the scale is the same on both sides
TINY = 1e-12  # scale of a filter whose weights are all zero
ACTIVATIONS = {RELU: "Relu", TANH: "Tanh"}


class _Graph:
    """Nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def dequantised(self, name: str, numbers: np.ndarray, scale: np.ndarray) -> str:
        """Add a constant that is stored as whole numbers with a scale for each filter."""
        zero = np.zeros(len(scale), numbers.dtype)
        parts = [
            self.constant(f"{name}.{part}", array)
            for part, array in (("whole", numbers), ("scale", scale.astype(np.float32)), ("zero", zero))
        ]
        return self.node("DequantizeLinear", parts, name, axis=0)


def onnx_model(weights: Weights, is_quantised: bool = False, all_layers: bool = False) -> onnx.ModelProto:
    """Write a network as an ONNX graph from uint8 planes to its answers, or to the output of all its layers."""
    description, layers, graph = weights.description, layers_of(weights.description), _Graph()
    scales: dict[str, float] = {}  # of the layers whose output is quantised
    if is_quantised:
        one, zero = graph.constant("planes.scale", np.float32(1)), graph.constant("planes.zero", np.uint8(0))
        graph.node("DequantizeLinear", [INPUT, one, zero], f"{INPUT}.out")
        scales[INPUT] = 1.0
    else:
        graph.node("Cast", [INPUT], f"{INPUT}.out", to=TensorProto.FLOAT)
    for layer in layers:
        made = _layer(graph, layer, weights, scales)
        is_read_on = any(layer.name in other.sources and other.kind != DENSE for other in layers)
        if is_quantised and is_read_on and not layer.is_head:
            made = _requantised(graph, layer.name, made, weights.ranges, scales)
        graph.node("Identity", [made], f"{layer.name}.out")
    answers = {layer.name: layer.name for layer in layers} if all_layers else description.outputs
    for answer, name in answers.items():
        if answer == VALUES:  # a number for each position, not a row of one
            graph.node("Squeeze", [f"{name}.out", graph.constant("second", np.array([1]))], answer)
        else:
            graph.node("Identity", [f"{name}.out"], answer)
    size = description.size
    model = helper.make_graph(
        graph.nodes,
        f"{description.family} network",
        [helper.make_tensor_value_info(INPUT, TensorProto.UINT8, ["batch", description.planes, size, size])],
        [helper.make_tensor_value_info(answer, TensorProto.FLOAT, None) for answer in answers],
        graph.constants,
    )
    return helper.make_model(model, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def _layer(graph: _Graph, layer: Layer, weights: Weights, scales: dict[str, float]) -> str:
    """Add one layer; return the name of its output, activation included."""
    name, sources = layer.name, [f"{source}.out" for source in layer.sources]
    if layer.kind == CONV:
        made = _convolution(graph, layer, weights, sources[0], scales.get(layer.sources[0]))
    elif not layer.has_weights:
        made = _combined(graph, layer, sources)
    else:
        kernel = graph.constant(f"{name}.kernel", weights.tensors[f"{name}.kernel"].astype(np.float32))
        bias = graph.constant(f"{name}.bias", weights.tensors[f"{name}.bias"].astype(np.float32))
        flat = graph.node("Flatten", sources, f"{name}.flat")
        made = graph.node("Gemm", [flat, kernel, bias], f"{name}.sum", transB=1)
    return made if layer.activation == LINEAR else graph.node(ACTIVATIONS[layer.activation], [made], f"{name}.active")


def _combined(graph: _Graph, layer: Layer, sources: list[str]) -> str:
    """Add a layer without weights; return the name of its sum, before its activation."""
    name = layer.name
    if layer.kind == ADD:
        return graph.node("Add", sources, f"{name}.sum")
    if layer.kind == SHIFT:
        axes = graph.constant(f"{name}.axes", np.array([2, 3]))
        wide = graph.node("Unsqueeze", [sources[1], axes], f"{name}.wide")
        return graph.node("Add", [sources[0], wide], f"{name}.sum")
    if layer.kind == POOL:
        mean = graph.node("GlobalAveragePool", sources, f"{name}.mean")
        highest = graph.node("GlobalMaxPool", sources, f"{name}.highest")
        both = graph.node("Concat", [mean, highest], f"{name}.both", axis=1)
        return graph.node("Flatten", [both], f"{name}.flat")
    if layer.kind == JOIN:
        flat = [graph.node("Flatten", [source], f"{source}.flat") for source in sources]
        return graph.node("Concat", flat, f"{name}.joined", axis=1)
    if layer.kind == CHANCES:
        chances = graph.node("Softmax", sources, f"{name}.chances", axis=1)
        signs = graph.constant(f"{name}.signs", np.array([[1], [-1], [0]], np.float32))  # a win, a loss, a draw
        return graph.node("MatMul", [chances, signs], f"{name}.sum")
    raise ValueError(f"no layer is of the kind {layer.kind}")


def _convolution(graph: _Graph, layer: Layer, weights: Weights, source: str, scale: float | None) -> str:
    """Add a convolution, of whole numbers if its source has a scale; heads with few filters stay in 32 bits."""
    name, pad = layer.name, layer.width // 2
    kernel, bias = (weights.tensors[f"{name}.{part}"].astype(np.float32) for part in ("kernel", "bias"))
    if layer.has_point_bias:
        summed = graph.node("Conv", [source, graph.constant(f"{name}.kernel", kernel)], f"{name}.map", pads=[pad] * 4)
        flat = graph.node("Flatten", [summed], f"{name}.flat")
        return graph.node("Add", [flat, graph.constant(f"{name}.bias", bias)], f"{name}.sum")
    if scale is None or layer.width == 1:
        parts = [graph.constant(f"{name}.kernel", kernel), graph.constant(f"{name}.bias", bias)]
    else:
        steps = np.maximum(np.abs(kernel).reshape(len(kernel), -1).max(axis=1) / MOST, TINY)
        whole = np.clip(np.round(kernel / steps[:, None, None, None]), -MOST, MOST).astype(np.int8)
        parts = [
            graph.dequantised(f"{name}.kernel", whole, steps),
            graph.dequantised(f"{name}.bias", _whole(bias, steps * scale), steps * scale),
        ]
    return graph.node("Conv", [source, *parts], f"{name}.sum", pads=[pad] * 4)


def _requantised(graph: _Graph, name: str, made: str, ranges: Ranges, scales: dict[str, float]) -> str:
    """Round the output of a layer to 8 bits, in steps that cover its range."""
    low, high = min(ranges[name][0], 0.0), max(ranges[name][1], 0.0)
    step = max((high - low) / LEVELS, TINY)
    scale = graph.constant(f"{name}.step", np.float32(step))
    zero = graph.constant(f"{name}.middle", np.uint8(round(-low / step)))
    scales[name] = step
    quantised = graph.node("QuantizeLinear", [made, scale, zero], f"{name}.quantised")
    return graph.node("DequantizeLinear", [quantised, scale, zero], f"{name}.dequantised")


def _whole(bias: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return a bias in whole steps of 32 bits."""
    most = np.iinfo(np.int32).max
    return np.clip(np.round(bias.astype(np.float64) / step), -most, most).astype(np.int32)
