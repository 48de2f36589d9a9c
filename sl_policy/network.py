"""The policy network p_sigma in torch, to learn with (Methods, "Neural network architecture").

5x5 convolution, then 3x3 ones, each with a rectifier and zeros around the board; a 1x1 convolution with one filter; a
bias for each point; softmax. With `norm="batch"` every layer is normalised over the batch while learning, which changes
what is easy to learn and not what can be: at the end the normalisation is folded into kernels and biases, and what is
written and played is the network of the paper.
"""

import numpy as np
import torch
from torch import Tensor, nn

from sl_policy.settings import NetSettings
from sl_policy.weights import PolicyWeights

FORBIDDEN = -1e4  # the score of moves that may not be played: their probability is zero in any precision
HEAD_STD = 0.05  # small, so that learning begins with nearly equal chances


class PolicyNetwork(nn.Module):
    """Planes in, a score for each point out."""

    def __init__(self, size: int, net: NetSettings, norm: str = "none", init: str = "torch") -> None:
        super().__init__()
        self.size, self.net = size, net
        layers = net.layers - 1
        self.convolutions = nn.ModuleList(
            nn.Conv2d(net.planes if k == 0 else net.filters, net.filters, 5 if k == 0 else 3, padding="same")
            for k in range(layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(net.filters) for _ in range(layers if norm == "batch" else 0))
        self.head = nn.Conv2d(net.filters, 1, 1, bias=False)
        self.point_bias = nn.Parameter(torch.zeros(size * size))
        if init == "he":
            for convolution in self.convolutions:
                nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
                nn.init.zeros_(convolution.bias)
            nn.init.normal_(self.head.weight, std=HEAD_STD)

    def forward(self, planes: Tensor) -> Tensor:
        for k, convolution in enumerate(self.convolutions):
            planes = convolution(planes)
            if self.norms:
                planes = self.norms[k](planes)
            planes = torch.relu(planes)
        return self.head(planes).flatten(1) + self.point_bias

    @torch.no_grad()
    def weights(self) -> PolicyWeights:
        """Return the weights as arrays, any normalisation folded into them."""
        kernels, biases = [], []
        for k, convolution in enumerate(self.convolutions):
            kernel, bias = convolution.weight.float(), convolution.bias.float()
            if self.norms:
                norm = self.norms[k]
                scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
                kernel = kernel * scale[:, None, None, None]
                bias = (bias - norm.running_mean) * scale + norm.bias
            kernels.append(_array(kernel))
            biases.append(_array(bias))
        head, point_bias = _array(self.head.weight.flatten()), _array(self.point_bias)
        return PolicyWeights(kernels, biases, head, point_bias, self.net.moves, {})

    @classmethod
    def from_weights(cls, weights: PolicyWeights) -> "PolicyNetwork":
        """Make the network of some weights, to learn on or to compute with."""
        net = NetSettings(weights.filters, weights.layers, weights.planes, weights.moves)
        network = cls(weights.size, net)
        with torch.no_grad():
            for convolution, kernel, bias in zip(network.convolutions, weights.kernels, weights.biases, strict=True):
                convolution.weight.copy_(torch.from_numpy(kernel))
                convolution.bias.copy_(torch.from_numpy(bias))
            network.head.weight.copy_(torch.from_numpy(weights.head).reshape(1, -1, 1, 1))
            network.point_bias.copy_(torch.from_numpy(weights.point_bias))
        return network


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().cpu().float().numpy().copy()
