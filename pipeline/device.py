"""Where networks are computed, and in which precision.

torch is a slow import; it is imported in the functions, to keep `--help` fast.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from pipeline.errors import UserError

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda", "mps")
PRECISIONS = ("auto", "float32", "bfloat16")


def choose_device(name: str) -> torch.device:
    """Return the device; `auto` takes a GPU if there is one."""
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name not in DEVICES:
        raise UserError(f"device={name} is none of {', '.join(DEVICES)}.")
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if there[kind]))
    if not there[name]:
        raise UserError(f"device={name} is not there on this machine; device=auto takes what is.")
    return torch.device(name)


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the precision of training; `auto` takes bfloat16 where the hardware supports it (twice as fast)."""
    import torch

    if name != "auto":
        return getattr(torch, name)
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    return torch.bfloat16 if device.type == "cpu" and _has_bfloat16() else torch.float32


def _has_bfloat16() -> bool:
    """Return whether the processor has bfloat16 instructions; without them bfloat16 is slower than float32."""
    import torch

    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def mixed(device: torch.device, precision: torch.dtype) -> AbstractContextManager:
    """Return a context in which layers are computed in `precision`, with weights and sums in 32 bits."""
    import torch

    return torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32)
