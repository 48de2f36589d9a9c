"""Networks in torch, to learn with; `nets.runtime` computes with them.

With `norm="batch"` every convolution but those of the heads is normalised over the batch while learning. This changes
what is easy to learn, not what can be learnt: `weights_of` folds the normalisation into kernels and biases, so what is
saved and played is the network of the paper.
"""

import numpy as np
import torch
from torch import Tensor, nn

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
    VALUES,
    Description,
    Layer,
    layers_of,
)
from nets.weights import Weights

HEAD_STD = 0.05  # of initial head weights: small, so that learning begins with nearly equal probabilities


class NetworkModule(nn.Module):
    """Planes in, answers by name out (`nets.description.SCORES`, `VALUES`)."""

    def __init__(self, description: Description, norm: str = "none", init: str = "torch") -> None:
        super().__init__()
        self.description = description
        self.layers = nn.ModuleDict()
        self.norms = nn.ModuleDict()
        self.point_bias = nn.ParameterDict()
        layers = [layer for layer in layers_of(description) if layer.has_weights]
        for layer in layers:
            self.layers[_key(layer)] = _new_layer(layer)
            if layer.is_normalised or (norm == "batch" and layer.kind == CONV and layer.activation == RELU):
                self.norms[_key(layer)] = nn.BatchNorm2d(layer.outputs)
            if layer.has_point_bias:
                self.point_bias[_key(layer)] = nn.Parameter(torch.zeros(description.size**2))
        if init == "he":
            for layer in layers:
                _initialise(self.layers[_key(layer)], layer)

    def outputs_of_layers(self, planes: Tensor) -> dict[str, Tensor]:
        """Return the outputs of all layers by name."""
        made = {INPUT: planes}
        for layer in layers_of(self.description):
            made[layer.name] = self._layer(layer, [made[source] for source in layer.sources])
        return made

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        return self.answers_of(self.outputs_of_layers(planes))

    def answers_of(self, made: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the answers, given the outputs of all layers."""
        answers = {answer: made[name] for answer, name in self.description.outputs.items()}
        return answers | ({VALUES: answers[VALUES].squeeze(1)} if VALUES in answers else {})

    def _layer(self, layer: Layer, sources: list[Tensor]) -> Tensor:
        if not layer.has_weights:
            made = _combined(layer.kind, sources)
            return torch.relu(made) if layer.activation == RELU else made
        made = self.layers[_key(layer)](sources[0].flatten(1) if layer.kind == DENSE else sources[0])
        if _key(layer) in self.norms:
            made = self.norms[_key(layer)](made)
        if layer.has_point_bias:
            made = made.flatten(1) + self.point_bias[_key(layer)]
        if layer.activation == LINEAR:
            return made
        return torch.relu(made) if layer.activation == RELU else torch.tanh(made)


def _combined(kind: str, sources: list[Tensor]) -> Tensor:
    """Return what a layer without weights computes, before its activation."""
    if kind == ADD:
        return sources[0] + sources[1]
    if kind == SHIFT:
        return sources[0] + sources[1][:, :, None, None]
    if kind == POOL:
        return torch.cat([sources[0].mean((2, 3)), sources[0].amax((2, 3))], 1)
    if kind == JOIN:
        return torch.cat([source.flatten(1) for source in sources], 1)
    if kind == CHANCES:
        won, lost, _ = torch.softmax(sources[0].float(), 1).split(1, 1)
        return won - lost
    raise ValueError(f"no layer is of the kind {kind}")


def _key(layer: Layer) -> str:
    return layer.name.replace(".", "-")  # torch keeps dots for itself


def _new_layer(layer: Layer) -> nn.Module:
    if layer.kind == CONV:
        has_bias = not (layer.is_normalised or layer.has_point_bias)
        return nn.Conv2d(layer.inputs, layer.outputs, layer.width, padding="same", bias=has_bias)
    return nn.Linear(layer.inputs, layer.outputs)


def _initialise(module: nn.Module, layer: Layer) -> None:
    """Initialise for rectifiers (He et al. 2015); linear layers get small weights."""
    if layer.activation == RELU:
        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
    else:
        nn.init.normal_(module.weight, std=HEAD_STD)
    if module.bias is not None:
        nn.init.zeros_(module.bias)


@torch.no_grad()
def weights_of(module: NetworkModule) -> Weights:
    """Return the weights of a module as arrays, with any normalisation folded in."""
    tensors: dict[str, np.ndarray] = {}
    for layer in layers_of(module.description):
        if not layer.has_weights:
            continue
        inner, key = module.layers[_key(layer)], _key(layer)
        kernel = inner.weight.float()
        bias = inner.bias.float() if inner.bias is not None else torch.zeros(layer.outputs)
        if key in module.norms:
            norm = module.norms[key]
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            kernel = kernel * scale[:, None, None, None]
            bias = (bias.to(scale.device) - norm.running_mean) * scale + norm.bias
        if layer.has_point_bias:
            bias = module.point_bias[key].float()
        tensors |= {f"{layer.name}.kernel": _array(kernel), f"{layer.name}.bias": _array(bias)}
    return Weights(module.description, tensors)


@torch.no_grad()
def module_of(weights: Weights) -> NetworkModule:
    """Return the module of some weights, to compute with or to learn on; a plain network has no normalisation."""
    module = NetworkModule(weights.description)
    for layer in layers_of(weights.description):
        if not layer.has_weights:
            continue
        key = _key(layer)
        kernel, bias = (torch.from_numpy(weights.tensors[f"{layer.name}.{part}"]) for part in ("kernel", "bias"))
        module.layers[key].weight.copy_(kernel)
        if layer.has_point_bias:
            module.point_bias[key].copy_(bias)
        elif key in module.norms:  # the file has it folded in: a scale of 1, and the shift
            module.norms[key].bias.copy_(bias)
            module.norms[key].running_var.fill_(1 - module.norms[key].eps)
        else:
            module.layers[key].bias.copy_(bias)
    return module


@torch.no_grad()
def settle_norms(module: NetworkModule, planes: np.ndarray) -> None:
    """Set the statistics of every normalisation to those of some planes. What the network computes stays the same.

    A file has the normalisation folded in, and learning normalises by the batch: without this, the first batch would be
    answered by another network.
    """

    def settle(norm: nn.BatchNorm2d, given: tuple[Tensor]) -> None:
        mean, variance = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3), unbiased=False)
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        norm.bias.add_((mean - norm.running_mean) * scale)
        norm.weight.copy_(scale * torch.sqrt(variance + norm.eps))
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)

    hooks = [norm.register_forward_pre_hook(settle) for norm in module.norms.values()]
    was_training, device = module.training, next(module.parameters()).device
    module.eval()
    module(torch.from_numpy(np.ascontiguousarray(planes)).to(device).float())
    module.train(was_training)
    for hook in hooks:
        hook.remove()


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().cpu().float().numpy().copy()
