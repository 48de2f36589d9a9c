"""What computes a network: ONNX Runtime on a CPU, in 8 or 32 bits, and torch on a GPU.

8 bits are 3 to 4 times as fast as 32 on processors with instructions for it, and find the same moves
(docs/benchmarks/policy.md). `precision` is `int8`, `float32`, or `auto`: 8 bits if the processor has the instructions
and the output ranges of the network are known.
"""

import functools
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nets.description import INPUT
from nets.onnx_graph import onnx_model
from nets.weights import Ranges, Weights
from pipeline.errors import UserError

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when ONNX Runtime is imported: it must not write or look up anything
import onnxruntime

PRECISIONS = ("auto", "int8", "float32")
CALIBRATED = 64  # positions that are computed at once when ranges are measured
Compute = Callable[[np.ndarray], dict[str, np.ndarray]]  # uint8[batch, planes, size, size] to answers by name


@functools.cache
def has_int8_instructions() -> bool:
    """Tell if the processor multiplies and adds up 8-bit numbers in one instruction (VNNI on x86, dot product on ARM).

    Older x86 processors add up in 16 bits, which can overflow, and gain little.
    """
    features = np._core._multiarray_umath.__cpu_features__
    if features.get("AVX512VNNI") or features.get("ASIMDDP"):
        return True
    try:
        return " avx_vnni" in Path("/proc/cpuinfo").read_text()  # numpy does not know this one
    except OSError:
        return False


def inference_precision(precision: str, weights: Weights) -> str:
    """Return int8 or float32."""
    if precision not in PRECISIONS:
        raise UserError(f"precision={precision} is none of {', '.join(PRECISIONS)}.")
    if precision == "int8" and not weights.ranges:
        raise UserError("precision=int8 needs the output ranges of the layers, which this network does not have.")
    if precision == "auto":
        return "int8" if weights.ranges and has_int8_instructions() else "float32"
    return precision


def new_compute(weights: Weights, device: str = "cpu", threads: int = 1, precision: str = "auto") -> Compute:
    """Return the function that computes a network fastest on a device."""
    if device != "cpu":
        return torch_compute(weights, device)
    return onnx_compute(weights, threads, inference_precision(precision, weights))


def onnx_compute(weights: Weights, threads: int = 1, precision: str = "float32", all_layers: bool = False) -> Compute:
    """Compute with ONNX Runtime on some threads of the CPU."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.force_spinning_stop", "1")  # or idle threads keep others off the cores
    options.log_severity_level = 3  # errors only
    model = onnx_model(weights, precision == "int8", all_layers).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda planes: dict(zip(names, session.run(names, {INPUT: np.ascontiguousarray(planes)}), strict=True))


def torch_compute(weights: Weights, device: str) -> Compute:
    """Compute with torch, for GPUs."""
    import torch  # slow import; players do without it

    from nets.module import module_of
    from pipeline.device import choose_device

    chosen = choose_device(device)
    module = module_of(weights).eval().to(chosen, memory_format=torch.channels_last)

    def compute(planes: np.ndarray) -> dict[str, np.ndarray]:
        with torch.inference_mode():
            given = torch.from_numpy(np.ascontiguousarray(planes)).to(chosen).float()
            found = module(given.contiguous(memory_format=torch.channels_last))
        return {name: tensor.cpu().numpy() for name, tensor in found.items()}

    return compute


def measure_ranges(weights: Weights, planes: np.ndarray) -> Ranges:
    """Return the lowest and highest output of each layer on some positions, a few hundred of those learnt from."""
    compute = onnx_compute(weights, all_layers=True)
    ranges: Ranges = {}
    for start in range(0, len(planes), CALIBRATED):
        for name, array in compute(planes[start : start + CALIBRATED]).items():
            low, high = ranges.get(name, (np.inf, -np.inf))
            ranges[name] = min(low, float(array.min())), max(high, float(array.max()))
    return ranges
