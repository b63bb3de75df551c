"""Every layer and every function of nn.functional under vmap: what a loop over the examples gives, without a warning.

The gradients of the parameters are those of each sample alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.func import functional_call, grad, vmap
from tests.nn.vmap.cases import EXAMPLES, reals
from tests.nn.vmap.function_cases import FUNCTIONS
from tests.nn.vmap.layer_cases import BASES, CONTAINERS, LAYERS

RANDOM = {"gumbel_softmax"}  # draws, whatever its arguments are
BY_VALUE = {"AdaptiveLogSoftmaxWithLoss"}  # which rows a cluster has depends on the targets


def close(found: Any, expected: Any) -> None:
    """Equal up to rounding, of the same shape and dtype."""
    assert found.shape == expected.shape and found.dtype == expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-10, atol=1e-12)


def stacked(call: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """The results of a loop over the examples."""
    return sg.stack([call(*[x[i] for x in inputs]) for i in range(EXAMPLES)])


def test_no_layer_is_left_out() -> None:
    """A new layer or function has a case here, too."""
    layers = {name for name in dir(nn) if name[0] != "_" and inspect.isclass(getattr(nn, name))}
    layers -= CONTAINERS | BASES | BY_VALUE
    assert layers == {name.partition(" ")[0] for name in LAYERS}
    names = {*vars(nn.functional), *nn.functional.__all__}  # some are loaded when they are first named
    functions = {name for name in names if name[0] != "_" and callable(getattr(nn.functional, name))}
    assert functions - RANDOM == set(FUNCTIONS)


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
