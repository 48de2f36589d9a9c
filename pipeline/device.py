"""Where networks are computed, and in which precision.

torch is imported when it is needed: that takes seconds, and whoever only asks for help should not wait for it.
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
    """Return the device of that name; auto takes a GPU if there is one."""
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
    """Return the precision to learn in; auto takes bfloat16 where the hardware computes with it, twice as fast."""
    import torch

    if name != "auto":
        return getattr(torch, name)
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    return torch.bfloat16 if device.type == "cpu" and _has_bfloat16() else torch.float32


def _has_bfloat16() -> bool:
    """Tell if the processor multiplies numbers of 16 bits itself; elsewhere they are only slower."""
    import torch

    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def mixed(device: torch.device, precision: torch.dtype) -> AbstractContextManager:
    """Compute layers in a precision, and keep weights and sums in 32 bits."""
    import torch

    return torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32)
