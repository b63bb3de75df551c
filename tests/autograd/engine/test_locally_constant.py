"""Gradients that depend on inputs in steps: their derivatives are zeros, as a network of ReLUs is piecewise linear."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.nn import functional as F

TARGET = 0.25
CALLS: dict[str, Callable[[Any], Any]] = {
    "relu": sg.relu,
    "relu_": lambda x: (x * 1).relu_(),
    "leaky_relu": F.leaky_relu,
    "relu6": F.relu6,
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 0.5),
    "prelu": lambda x: F.prelu(x, sg.tensor(0.1)),
    "rrelu": F.rrelu,
    "rrelu in training": lambda x: F.rrelu(x, training=True),
    "rrelu_ in training": lambda x: F.rrelu(x * 1, training=True, inplace=True),
    "softshrink": F.softshrink,
    "hardshrink": F.hardshrink,
    "hardsigmoid": F.hardsigmoid,
    "threshold": lambda x: F.threshold(x, 0.1, 20.0),
    "abs": sg.abs,
    "sgn": sg.sgn,
    "sign": sg.sign,
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "clamp by tensors": lambda x: x.clamp(sg.zeros(4), sg.ones(4)),
    "copysign": lambda x: sg.copysign(x, -sg.ones(2, 4, 4)),
    "floor": sg.floor,
    "round": sg.round,
    "frac": sg.frac,
    "fmod": lambda x: sg.fmod(x, 0.3),
    "remainder": lambda x: x % 0.3,
    "power 0": lambda x: x**0,
    "max": sg.max,
    "amax": lambda x: x.amax(1),
    "median": sg.median,
    "kthvalue": lambda x: x.kthvalue(2).values,
    "sort": lambda x: x.sort().values,
    "cummax": lambda x: x.cummax(0).values,
    "quantile": lambda x: x.quantile(0.3),
    "maximum": lambda x: sg.maximum(x, sg.tensor(TARGET)),
    "norm 0": lambda x: sg.linalg.vector_norm(x, 0),
    "norm 1": lambda x: x.norm(1),
    "norm inf": lambda x: x.norm(float("inf")),
    "cdist": lambda x: sg.cdist(x, sg.zeros(2, 4, 4), 1.0),
    "scatter_reduce": lambda x: sg.scatter_reduce(x, 0, sg.zeros(2, 4, 4, dtype=sg.int64), x, "amax"),
    "max_pool1d": lambda x: F.max_pool1d(x, 2),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "max_pool3d": lambda x: F.max_pool3d(x[None], 2),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2),
    "fractional_max_pool2d": lambda x: F.fractional_max_pool2d(x, 2, 2, _random_samples=sg.full((1, 2, 2), 0.5)),
    "l1_loss": lambda x: F.l1_loss(x, sg.full((2, 4, 4), TARGET)),
    "hinge_embedding_loss": lambda x: F.hinge_embedding_loss(x, -sg.ones(2, 4, 4)),
    "multi_margin_loss": lambda x: F.multi_margin_loss(x[0], sg.arange(4)),
    "margin_ranking_loss": lambda x: F.margin_ranking_loss(x, sg.zeros(2, 4, 4), sg.ones(2, 4, 4)),
}


@pytest.fixture
def x() -> Any:
    """Numbers of both signs, none at a kink of the functions above."""
    return ((sg.arange(32) * 7 % 32).reshape(2, 4, 4) / 16 - 1.03).requires_grad_()


@pytest.mark.parametrize("name", CALLS)
def test_second_and_third_derivatives_are_zeros(x: Any, name: str) -> None:
    """Of a piecewise linear function, by reverse mode twice and three times."""
    value = CALLS[name](x).sum()
    for _ in range(2):
        (value,) = sg.autograd.grad(value.sum(), x, create_graph=True)
        assert value.requires_grad
    (third,) = sg.autograd.grad(value.sum(), x)
    assert (value == 0).all() and (third == 0).all()


@pytest.mark.parametrize("name", ["relu", "max_pool2d", "round", "clamp"])
def test_hessians_are_zeros(x: Any, name: str) -> None:
    """Those of autograd.functional and of func, and products with a batch of vectors."""
    point = x.detach()[:, :2, :2]

    def function(at: Any) -> Any:
        return CALLS[name](at).sum()

    for hessian in (
        sg.autograd.functional.hessian(function, point),
        sg.autograd.functional.hessian(function, point, strict=True),
        sg.func.hessian(function)(point),
        sg.func.jacrev(sg.func.grad(function))(point),
    ):
        assert hessian.shape == (2, 2, 2) * 2 and (hessian == 0).all()
    point.requires_grad_()
    (first,) = sg.autograd.grad(function(point), point, create_graph=True)
    (products,) = sg.autograd.grad(first, point, sg.ones(3, 2, 2, 2), is_grads_batched=True)
    assert products.shape == (3, 2, 2, 2) and (products == 0).all()


@pytest.mark.parametrize("name", ["relu", "clamp", "max_pool2d", "abs"])
def test_gradgradcheck(name: str, x: Any) -> None:
    """Differences of gradients agree."""
    assert sg.autograd.gradgradcheck(CALLS[name], (x.detach().double()[:, :2, :2].requires_grad_(),))


def network() -> tuple[Any, Any, Any]:
    """A network of ReLUs, an input, and u_x."""
    net = sg.nn.Sequential(sg.nn.Linear(1, 8), sg.nn.ReLU(), sg.nn.Linear(8, 1))
    x = sg.tensor([[0.3], [0.8]], requires_grad=True)
    (u_x,) = sg.autograd.grad(net(x).sum(), x, create_graph=True)
    return net, x, u_x


def test_backward_gives_zeros_to_leaves() -> None:
    """Leaves that a loss of u_xx depends on in steps alone get zeros, as on PyTorch; others get their gradients."""
    net, x, u_x = network()
    (u_xx,) = sg.autograd.grad(u_x.sum(), x, create_graph=True)
    (u_xx**2).sum().backward()
    assert all((net[0].get_parameter(name).grad == 0).all() for name in ("weight", "bias"))
    assert (x.grad == 0).all()
    assert net[2].bias.grad is None  # of which u_x is no function
    net, x, u_x = network()
    u_x.sum().backward()
    summed = net[2].weight.detach() * (net[0](x) > 0)
    assert sg.allclose(net[0].weight.grad, summed.sum(0, keepdim=True).T)
    assert (net[0].bias.grad == 0).all() and (x.grad == 0).all()


def test_backward_with_inputs() -> None:
    """Only the leaves that were asked for get zeros."""
    net, x, u_x = network()
    u_x.sum().backward(inputs=[x])
    assert (x.grad == 0).all() and net[0].bias.grad is None


def test_hidden_layers() -> None:
    """A tensor that is no leaf has a gradient of zeros too."""
    net, x, _ = network()
    hidden = net[0](x)
    (gradient,) = sg.autograd.grad(net[2](hidden.relu()).sum(), hidden, create_graph=True)
    (second,) = sg.autograd.grad(gradient.sum(), hidden)
    assert second.shape == (2, 8) and (second == 0).all()


def test_hooks_see_zeros(x: Any) -> None:
    """The hook of a leaf is called for a gradient of zeros."""
    seen: list[Any] = []
    x.register_hook(lambda gradient: seen.append(gradient) or gradient + 1)
    (first,) = sg.autograd.grad(x.relu().sum(), x, create_graph=True)
    seen.clear()
    first.sum().backward()
    assert len(seen) == 1 and (seen[0] == 0).all() and (x.grad == 1).all()


def test_create_graph_in_backward(x: Any) -> None:
    """Zeros in `.grad` can be differentiated again."""
    (first,) = sg.autograd.grad(x.relu().sum(), x, create_graph=True)
    with pytest.warns(UserWarning, match="reference cycle"):
        first.sum().backward(create_graph=True)
    (third,) = sg.autograd.grad(x.grad.sum(), x)
    assert (third == 0).all()
    x.grad = None


def test_infinite_derivatives_on_the_way() -> None:
    """0 stays 0 where a function between the input and the kink has an infinite derivative."""
    x = sg.zeros(2, requires_grad=True)
    y = x.sqrt()
    (first,) = sg.autograd.grad((y + 1).relu().sum(), y, create_graph=True)
    (second,) = sg.autograd.grad(first.sum(), x)
    assert second.tolist() == [0.0, 0.0]


def test_linear_functions_are_as_on_pytorch() -> None:
    """The gradient of a linear function is no function of the input: that input is unused."""
    x, a = sg.tensor(0.5, requires_grad=True), sg.tensor(1.0, requires_grad=True)
    (constant,) = sg.autograd.grad(3 * x, x, create_graph=True)
    assert not constant.requires_grad
    (first,) = sg.autograd.grad(x * a, x, create_graph=True)
    assert sg.autograd.grad(first, x, allow_unused=True, retain_graph=True) == (None,)
    with pytest.raises(RuntimeError, match="not have been used"):
        sg.autograd.grad(first, x, retain_graph=True)
    (second,) = sg.autograd.grad(first, x, materialize_grads=True)
    assert second.item() == 0


def test_without_create_graph_nothing_is_recorded(x: Any) -> None:
    """The gradient is no part of a graph."""
    (gradient,) = sg.autograd.grad(x.relu().sum(), x)
    assert not gradient.requires_grad
