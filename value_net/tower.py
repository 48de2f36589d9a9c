"""Learning that starts from another network: what it knows of stones and eyes need not be learnt again.

The value network has the policy network's tower with one more input plane. The weights of that plane begin with zero.
A value network gives its head, too. With batch normalisation, the tower still computes what it did.
"""

import numpy as np
import torch

from nets.description import CONV, RELU, Description, layers_of
from nets.module import NetworkModule, settle_norms
from nets.weights import Weights
from pipeline.errors import UserError


def tower_of(description: Description) -> list[str]:
    """Return the names of the layers of the tower."""
    return [layer.name for layer in layers_of(description) if layer.kind == CONV and layer.activation == RELU]


def check_tower(description: Description, start: Weights) -> None:
    """Raise `UserError` if a network to start from does not have the same tower."""
    given = start.description
    if given.family not in ("policy", "value"):
        raise UserError(f"Learning can start from a policy or a value network, not from a {given.family} network.")
    own, other = ((net.size, net.filters, len(tower_of(net))) for net in (description, given))
    if own != other:
        raise UserError(
            f"The {given.family} network has {other[1]} filters in {other[2]} layers on {other[0]}x{other[0]}, "
            f"and this tower has {own[1]} in {own[2]} on {own[0]}x{own[0]}: "
            "change net.filters and net.layers, or set start=none."
        )


@torch.no_grad()
def start_from(network: NetworkModule, start: Weights, planes: np.ndarray) -> None:
    """Copy the tower of a network, and the head of a value network.

    `planes` are those of some positions, on which normalisation is set.
    """
    check_tower(network.description, start)
    for name in tower_of(network.description):
        layer = network.layers[name]
        kernel, bias = (torch.from_numpy(start.tensors[f"{name}.{part}"]) for part in ("kernel", "bias"))
        layer.weight.zero_()
        layer.weight[:, : kernel.shape[1]] = kernel.to(layer.weight.device)
        layer.bias.copy_(bias)
        if name in network.norms:  # changes nothing
            network.norms[name].running_var.fill_(1 - network.norms[name].eps)
    if start.description.family == "value":
        head = {layer.name for layer in layers_of(network.description) if layer.has_weights}
        for name in head.difference(tower_of(network.description)):
            network.layers[name].weight.copy_(torch.from_numpy(start.tensors[f"{name}.kernel"]))
            network.layers[name].bias.copy_(torch.from_numpy(start.tensors[f"{name}.bias"]))
    settle_norms(network, planes)
