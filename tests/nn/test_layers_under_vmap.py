"""Every layer and every function of nn.functional under vmap: what a loop over the examples gives, without a warning.

The gradients of the parameters are those of each sample alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.func import functional_call, grad, vmap

F = nn.functional
EXAMPLES = 3
RNG = np.random.default_rng(11)


def reals(*shape: int) -> Any:
    """Random examples, in double precision."""
    return sg.tensor(RNG.standard_normal((EXAMPLES, *shape)))


def probabilities(*shape: int) -> Any:
    """Random examples between 0 and 1."""
    return sg.tensor(RNG.uniform(0.05, 0.95, (EXAMPLES, *shape)))


def classes(*shape: int, high: int = 4) -> Any:
    """Random class numbers."""
    return sg.tensor(RNG.integers(0, high, (EXAMPLES, *shape)))


class Case(NamedTuple):
    """A layer, or a function, and examples of its arguments."""

    make: Callable[[], Any]
    inputs: Sequence[Any]
    constants: Sequence[int] = ()  # numbers of arguments that have no gradient


LAYERS = {
    "AdaptiveAvgPool2d": Case(lambda: nn.AdaptiveAvgPool2d((3, 2)), [reals(2, 3, 5, 4)]),
    "AvgPool1d": Case(lambda: nn.AvgPool1d(2), [reals(2, 3, 6)]),
    "AvgPool2d": Case(lambda: nn.AvgPool2d(2, padding=1), [reals(2, 3, 4, 5)]),
    "BCELoss": Case(lambda: nn.BCELoss(), [probabilities(4), probabilities(4)]),
    "BCEWithLogitsLoss": Case(lambda: nn.BCEWithLogitsLoss(reduction="sum"), [reals(4), probabilities(4)]),
    "BatchNorm1d": Case(lambda: nn.BatchNorm1d(3, track_running_stats=False), [reals(4, 3)]),
    "BatchNorm1d of sequences": Case(lambda: nn.BatchNorm1d(3).eval(), [reals(4, 3, 5)]),
    "BatchNorm2d": Case(lambda: nn.BatchNorm2d(3, track_running_stats=False), [reals(2, 3, 4, 4)]),
    "Conv1d": Case(lambda: nn.Conv1d(2, 4, 3, padding=1, groups=2), [reals(2, 2, 5)]),
    "Conv1d without samples": Case(lambda: nn.Conv1d(2, 3, 2, stride=2), [reals(2, 6)]),
    "Conv2d": Case(lambda: nn.Conv2d(2, 3, (3, 2), stride=2, bias=False), [reals(2, 2, 5, 6)]),
    "Conv2d with holes": Case(lambda: nn.Conv2d(4, 4, 3, padding="same", dilation=2, groups=4), [reals(1, 4, 5, 5)]),
    "Conv2d without samples": Case(lambda: nn.Conv2d(2, 3, 2), [reals(2, 4, 4)]),
    "CrossEntropyLoss": Case(lambda: nn.CrossEntropyLoss(), [reals(5, 4), classes(5)]),
    "CrossEntropyLoss of one": Case(lambda: nn.CrossEntropyLoss(label_smoothing=0.1), [reals(4), classes()]),
    "CrossEntropyLoss of images": Case(lambda: nn.CrossEntropyLoss(ignore_index=1), [reals(2, 4, 3), classes(2, 3)]),
    "CrossEntropyLoss of probabilities": Case(lambda: nn.CrossEntropyLoss(), [reals(5, 4), probabilities(5, 4)]),
    "Dropout": Case(lambda: nn.Dropout(0.5).eval(), [reals(4)]),
    "ELU": Case(lambda: nn.ELU(0.5), [reals(4)]),
    "Embedding": Case(lambda: nn.Embedding(4, 3), [classes(5)]),
    "Embedding with padding": Case(lambda: nn.Embedding(4, 3, padding_idx=1), [classes(5)]),
    "Flatten": Case(lambda: nn.Flatten(), [reals(2, 3, 4)]),
    "GELU": Case(lambda: nn.GELU(), [reals(4)]),
    "GELU by tanh": Case(lambda: nn.GELU(approximate="tanh"), [reals(4)]),
    "Hardtanh": Case(lambda: nn.Hardtanh(), [reals(4)]),
    "Identity": Case(lambda: nn.Identity(), [reals(4)]),
    "L1Loss": Case(lambda: nn.L1Loss(), [reals(4, 2), reals(4, 2)]),
    "LayerNorm": Case(lambda: nn.LayerNorm((3, 4)), [reals(2, 3, 4)]),
    "LayerNorm without weights": Case(lambda: nn.LayerNorm(4, elementwise_affine=False), [reals(2, 3, 4)]),
    "LeakyReLU": Case(lambda: nn.LeakyReLU(0.2), [reals(4)]),
    "Linear": Case(lambda: nn.Linear(3, 2), [reals(3)]),
    "Linear of matrices": Case(lambda: nn.Linear(3, 2, bias=False), [reals(2, 5, 3)]),
    "LogSigmoid": Case(lambda: nn.LogSigmoid(), [reals(4)]),
    "LogSoftmax": Case(lambda: nn.LogSoftmax(dim=-1), [reals(4, 3)]),
    "MSELoss": Case(lambda: nn.MSELoss(), [reals(4, 2), reals(4, 2)]),
    "MaxPool1d": Case(lambda: nn.MaxPool1d(3, stride=2, padding=1), [reals(2, 2, 7)]),
    "MaxPool2d": Case(lambda: nn.MaxPool2d(2), [reals(2, 3, 4, 5)]),
    "MaxPool2d without samples": Case(lambda: nn.MaxPool2d(2), [reals(3, 4, 5)]),
    "NLLLoss": Case(lambda: nn.NLLLoss(sg.tensor([1.0, 2.0, 0.5, 1.5]).double()), [reals(5, 4), classes(5)]),
    "NLLLoss of all": Case(lambda: nn.NLLLoss(reduction="none"), [reals(5, 4), classes(5)]),
    "ReLU": Case(lambda: nn.ReLU(), [reals(4)]),
    "ReLU in place": Case(lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True)), [reals(4)]),
    "Sequential": Case(lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)), [reals(3)]),
    "SiLU": Case(lambda: nn.SiLU(), [reals(4)]),
    "Sigmoid": Case(lambda: nn.Sigmoid(), [reals(4)]),
    "Softmax": Case(lambda: nn.Softmax(dim=0), [reals(4, 3)]),
    "Softplus": Case(lambda: nn.Softplus(), [reals(4)]),
    "Tanh": Case(lambda: nn.Tanh(), [reals(4)]),
    "Unflatten": Case(lambda: nn.Unflatten(1, (2, 3)), [reals(2, 6)]),
}
CONTAINERS = {"Buffer", "Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList"}

FUNCTIONS = {
    "adaptive_avg_pool2d": Case(lambda: lambda x: F.adaptive_avg_pool2d(x, 2), [reals(3, 4, 4)]),
    "avg_pool1d": Case(lambda: lambda x: F.avg_pool1d(x, 2), [reals(3, 4)]),
    "avg_pool2d": Case(lambda: lambda x: F.avg_pool2d(x, 2, ceil_mode=True), [reals(3, 5, 5)]),
    "batch_norm": Case(lambda: lambda x, w: F.batch_norm(x, None, None, w, training=True), [reals(4, 3), reals(3)]),
    "binary_cross_entropy": Case(lambda: F.binary_cross_entropy, [probabilities(4), probabilities(4)]),
    "binary_cross_entropy_with_logits": Case(
        lambda: lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
        [reals(2, 4), probabilities(2, 4), probabilities(4)],
        [2],
    ),
    "conv1d": Case(lambda: F.conv1d, [reals(2, 2, 5), reals(3, 2, 3), reals(3)]),
    "conv2d": Case(lambda: F.conv2d, [reals(2, 2, 5, 4), reals(3, 2, 3, 2), reals(3)]),
    "cross_entropy": Case(lambda: F.cross_entropy, [reals(5, 4), classes(5), probabilities(4)], [2]),
    "dropout": Case(lambda: lambda x: F.dropout(x, 1.0), [reals(4)]),
    "elu": Case(lambda: F.elu, [reals(4)]),
    "elu_": Case(lambda: lambda x: F.elu_(x * 1), [reals(4)]),
    "embedding": Case(lambda: lambda i, w: F.embedding(i, w), [classes(5), reals(4, 3)]),
    "gelu": Case(lambda: F.gelu, [reals(4)]),
    "hardtanh": Case(lambda: F.hardtanh, [reals(4)]),
    "hardtanh_": Case(lambda: lambda x: F.hardtanh_(x * 1), [reals(4)]),
    "l1_loss": Case(lambda: F.l1_loss, [reals(4), reals(4)]),
    "layer_norm": Case(lambda: lambda x, w, b: F.layer_norm(x, (4,), w, b), [reals(3, 4), reals(4), reals(4)]),
    "leaky_relu": Case(lambda: F.leaky_relu, [reals(4)]),
    "leaky_relu_": Case(lambda: lambda x: F.leaky_relu_(x * 1), [reals(4)]),
    "linear": Case(lambda: F.linear, [reals(2, 3), reals(4, 3), reals(4)]),
    "log_softmax": Case(lambda: lambda x: F.log_softmax(x, dim=0), [reals(4, 2)]),
    "logsigmoid": Case(lambda: F.logsigmoid, [reals(4)]),
    "max_pool1d": Case(lambda: lambda x: F.max_pool1d(x, 2), [reals(3, 4)]),
    "max_pool2d": Case(lambda: lambda x: F.max_pool2d(x, 2, return_indices=True)[0], [reals(3, 4, 4)]),
    "mse_loss": Case(lambda: lambda x, y: F.mse_loss(x, y, reduction="none"), [reals(4), reals(4)]),
    "nll_loss": Case(lambda: F.nll_loss, [reals(5, 4), classes(5)]),
    "one_hot": Case(lambda: lambda i: F.one_hot(i, 4), [classes(5)]),
    "pad": Case(lambda: lambda x: F.pad(x, (1, 2, 0, 1), value=2.0), [reals(3, 4)]),
    "relu": Case(lambda: F.relu, [reals(4)]),
    "relu6": Case(lambda: F.relu6, [reals(4)]),
    "relu_": Case(lambda: lambda x: F.relu_(x * 1), [reals(4)]),
    "sigmoid": Case(lambda: F.sigmoid, [reals(4)]),
    "silu": Case(lambda: F.silu, [reals(4)]),
    "softmax": Case(lambda: lambda x: F.softmax(x, dim=-1), [reals(4, 2)]),
    "softmin": Case(lambda: lambda x: F.softmin(x, dim=-1), [reals(4, 2)]),
    "softplus": Case(lambda: F.softplus, [reals(4)]),
    "tanh": Case(lambda: F.tanh, [reals(4)]),
}


def close(found: Any, expected: Any) -> None:
    """Equal up to rounding, of the same shape and dtype."""
    assert found.shape == expected.shape and found.dtype == expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-10, atol=1e-12)


def stacked(call: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """The results of a loop over the examples."""
    return sg.stack([call(*[x[i] for x in inputs]) for i in range(EXAMPLES)])


def test_no_layer_is_left_out() -> None:
    """A new layer or function has a case here, too."""
    layers = {name for name, value in vars(nn).items() if inspect.isclass(value)} - CONTAINERS
    assert layers == {name.partition(" ")[0] for name in LAYERS}
    functions = {name for name in dir(F) if callable(getattr(F, name)) and not name.startswith("_")}
    assert functions == set(FUNCTIONS)


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_each_example(name: str) -> None:
    """vmap(layer)(xs) is layer(x) for each x."""
    make, inputs, _ = LAYERS[name]
    layer = make().double()
    close(vmap(layer)(*inputs), stacked(layer, inputs))


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_of_each_sample(name: str) -> None:
    """vmap(grad(loss)) gives the gradients of parameters and input that a loop of backward passes gives."""
    make, (first, *rest), _ = LAYERS[name]
    layer = make().double()
    params = {key: p.detach() for key, p in layer.named_parameters()}

    def loss(params: Any, *inputs: Any) -> Any:
        output = functional_call(layer, params, inputs)
        return (output * output).sum()

    argnums = (0, 1) if first.is_floating_point() else (0,)
    dims = (None, *[0] * (1 + len(rest)))
    found = vmap(grad(loss, argnums), dims)(params, first, *rest)
    for i in range(EXAMPLES):
        layer.zero_grad()
        x = first[i].requires_grad_() if len(argnums) > 1 else first[i]
        output = layer(x, *[other[i] for other in rest])
        if output.requires_grad:
            (output**2).sum().backward()
        for key, parameter in layer.named_parameters():
            close(found[0][key][i], parameter.grad)
        if len(argnums) > 1:
            close(found[1][i], x.grad)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_computes_each_example(name: str) -> None:
    """vmap(f)(*xs) is f(*x) for each example; also with the first argument alone in batches."""
    make, inputs, _ = FUNCTIONS[name]
    close(vmap(make())(*inputs), stacked(make(), inputs))
    first, *shared = inputs[0], *[x[0] for x in inputs[1:]]
    found = vmap(make(), (0, *[None] * len(shared)))(first, *shared)
    close(found, stacked(lambda x: make()(x, *shared), [first]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_a_function(name: str) -> None:
    """vmap(grad(f)) in all floating arguments is grad(f) for each example."""
    make, inputs, constants = FUNCTIONS[name]
    argnums = tuple(i for i, x in enumerate(inputs) if x.is_floating_point() and i not in constants)
    if not argnums:
        return

    def loss(*args: Any) -> Any:
        output = make()(*args)
        return (output * output).sum()

    found = vmap(grad(loss, argnums))(*inputs)
    for number, gradients in enumerate(found):
        close(gradients, stacked(lambda *args, number=number: grad(loss, argnums)(*args)[number], inputs))


def test_batch_norm_with_running_statistics_says_what_to_do() -> None:
    """Statistics that all examples share cannot take what differs between them."""
    with pytest.raises(RuntimeError, match="vmap: .*in-place.*|.*_\\(self, \\*extra_args\\) is not possible"):
        vmap(nn.BatchNorm1d(3))(reals(4, 3).float())
