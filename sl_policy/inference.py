"""Networks that answer: planes in, probabilities out, on whatever computes them fastest.

On a CPU that is ONNX Runtime (`docs/benchmarks/policy.md`), which also starts without torch; on a GPU it is torch. Both
are functions from planes to scores, exact to 1e-4 of each other.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from data.positions import Positions
from data.store import GameStore
from go.coordinates import SYMMETRIES
from go.position import Position
from pipeline.errors import UserError
from sl_policy.inputs import Inputs, images_of_actions, turned
from sl_policy.weights import PolicyWeights

Scorer = Callable[[np.ndarray], np.ndarray]  # uint8[batch, planes, size, size] to float32[batch, actions]
OPSET, IR_VERSION = 17, 8  # of ONNX; old enough for any runtime of the last years


def onnx_model(weights: PolicyWeights) -> onnx.ModelProto:
    """Write a network as an ONNX graph."""
    size, nodes = weights.size, [helper.make_node("Cast", ["planes"], ["layer0"], to=TensorProto.FLOAT)]
    for number, kernel in enumerate(weights.kernels, 1):
        pad = kernel.shape[2] // 2
        inputs = [f"layer{number - 1}", f"layer{number}.kernel", f"layer{number}.bias"]
        nodes += [
            helper.make_node("Conv", inputs, [f"sum{number}"], pads=[pad] * 4),
            helper.make_node("Relu", [f"sum{number}"], [f"layer{number}"]),
        ]
    nodes += [
        helper.make_node("Conv", [f"layer{len(weights.kernels)}", "head"], ["map"]),
        helper.make_node("Flatten", ["map"], ["flat"]),
        helper.make_node("Add", ["flat", "point_bias"], ["scores"]),
    ]
    tensors = weights.tensors() | {"head": weights.head.reshape(1, -1, 1, 1)}
    graph = helper.make_graph(
        nodes,
        "policy network",
        [helper.make_tensor_value_info("planes", TensorProto.UINT8, ["batch", weights.planes, size, size])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", size * size])],
        [numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name) for name, array in tensors.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def onnx_scorer(weights: PolicyWeights, threads: int) -> Scorer:
    """Compute with ONNX Runtime on some threads of the CPU."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # errors only
    session = onnxruntime.InferenceSession(
        onnx_model(weights).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda planes: session.run(None, {"planes": np.ascontiguousarray(planes)})[0]


def torch_scorer(weights: PolicyWeights, device: str) -> Scorer:
    """Compute with torch, on a GPU for one."""
    import torch  # takes seconds, and only those should wait who need it

    from pipeline.device import choose_device
    from sl_policy.network import PolicyNetwork

    chosen = choose_device(device)
    network = PolicyNetwork.from_weights(weights).eval().to(chosen, memory_format=torch.channels_last)

    def score(planes: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            given = torch.from_numpy(np.ascontiguousarray(planes)).to(chosen).float()
            return network(given.contiguous(memory_format=torch.channels_last)).cpu().numpy()

    return score


def new_scorer(weights: PolicyWeights, device: str = "cpu", threads: int = 1) -> Scorer:
    """Return what computes a network fastest on a device."""
    return onnx_scorer(weights, threads) if device == "cpu" else torch_scorer(weights, device)


def softmax(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return probabilities over the moves allowed; all zero in a row without any."""
    masked = np.where(allowed, scores, -np.inf)
    highest = masked.max(axis=1, keepdims=True)
    chances = np.exp(masked - np.where(np.isfinite(highest), highest, 0))
    return chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-30)


class Policy:
    """A policy network with its encoder: positions in, probabilities of all actions but the pass out."""

    def __init__(self, weights: PolicyWeights, device: str = "cpu", threads: int = 1) -> None:
        self.weights = weights
        self.size = weights.size
        self.inputs = Inputs(weights.planes, weights.moves, threads)
        self.score = new_scorer(weights, device, threads)

    @classmethod
    def load(cls, path: Path, device: str = "cpu", threads: int = 1) -> "Policy":
        return cls(PolicyWeights.load(path), device, threads)

    def of_planes(self, planes: np.ndarray, allowed: np.ndarray, symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return probabilities for a batch, averaged over some symmetries of the board."""
        total = np.zeros(allowed.shape, np.float32)
        for symmetry in symmetries:
            images = images_of_actions(self.size)[symmetry]
            scores = self.score(turned(planes, images) if symmetry else planes)
            total += softmax(scores[:, images], allowed)
        return total / len(symmetries)

    def of_positions(self, positions: list[Position], symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return the probabilities of moves in some positions."""
        if any(position.size != self.size for position in positions):
            raise UserError(f"This network plays on {self.size}x{self.size} only.")
        encoded = np.stack([self.inputs.encoder.position(position) for position in positions])
        return self.of_planes(*self.inputs.split(encoded), symmetries)

    def of_store(self, store: GameStore, positions: Positions, symmetries: tuple[int, ...] = (0,)) -> np.ndarray:
        """Return the probabilities of moves in positions of a store."""
        encoded = self.inputs.encoder.batch(store, positions.games, positions.plies, positions.symmetries)
        return self.of_planes(*self.inputs.split(encoded), symmetries)


ALL_SYMMETRIES = tuple(range(SYMMETRIES))
