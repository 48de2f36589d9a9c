"""Learning that starts from the tower of a policy network: what it knows of stones and eyes need not be learnt again.

The value network has the policy network's tower with one more input plane. The weights of that plane begin with zero.
With batch normalisation, the scale and the shift of each layer are set so that the tower computes what it did.
"""

import numpy as np
import torch
from torch import nn

from nets.description import CONV, RELU, Description, layers_of
from nets.module import NetworkModule
from nets.weights import Weights
from pipeline.errors import UserError


def tower_of(description: Description) -> list[str]:
    """Return the names of the layers of the tower."""
    return [layer.name for layer in layers_of(description) if layer.kind == CONV and layer.activation == RELU]


def check_tower(description: Description, policy: Weights) -> None:
    """Raise `UserError` if a policy network does not have the same tower."""
    given = policy.description
    if given.family != "policy":
        raise UserError(f"Learning can start from a policy network only, not from a {given.family} network.")
    own, other = ((net.size, net.filters, len(tower_of(net))) for net in (description, given))
    if own != other:
        raise UserError(
            f"The policy network has {other[1]} filters in {other[2]} layers on {other[0]}x{other[0]}, and this tower "
            f"has {own[1]} in {own[2]} on {own[0]}x{own[0]}: change net.filters and net.layers, or set start=none."
        )


@torch.no_grad()
def start_from(network: NetworkModule, policy: Weights, planes: np.ndarray) -> None:
    """Copy the tower of a policy network. `planes` are those of some positions, on which normalisation is set."""
    check_tower(network.description, policy)
    device = next(network.parameters()).device
    values = torch.from_numpy(np.ascontiguousarray(planes)).to(device).float()
    for name in tower_of(network.description):
        layer = network.layers[name]
        kernel, bias = (torch.from_numpy(policy.tensors[f"{name}.{part}"]) for part in ("kernel", "bias"))
        layer.weight.zero_()
        layer.weight[:, : kernel.shape[1]] = kernel.to(device)
        layer.bias.copy_(bias)
        values = layer(values)
        if name in network.norms:
            _keep_as_is(network.norms[name], values)
        values = torch.relu(values)


def _keep_as_is(norm: nn.BatchNorm2d, values: torch.Tensor) -> None:
    """Set a normalisation so that it changes nothing about some values."""
    mean, variance = values.mean((0, 2, 3)), values.var((0, 2, 3), unbiased=False)
    norm.weight.copy_(torch.sqrt(variance + norm.eps))
    norm.bias.copy_(mean)
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
