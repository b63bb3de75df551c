"""zero_grad of modules and optimizers: forgetting gradients, and zeros in the tensors that they are."""

from collections.abc import Callable
from typing import Any

import pytest

WHO: dict[str, Callable[[Any, Any], Any]] = {
    "module": lambda lib, layer: layer,
    "optimizer": lambda lib, layer: lib.optim.SGD(layer.parameters(), lr=0.1),
}


@pytest.fixture(params=WHO)
def layer_and_who(lib: Any, request: pytest.FixtureRequest) -> tuple[Any, Any, Any]:
    """The library, a layer with a bias that has no gradient, and who forgets its gradients."""
    layer = lib.nn.Linear(2, 3)
    layer.bias.requires_grad_(False)
    return lib, layer, WHO[request.param](lib, layer)


def test_none(layer_and_who: Any) -> None:
    """Without an argument the gradients are gone, and the tensors that they were stay as they are."""
    lib, layer, who = layer_and_who
    layer(lib.ones(2)).sum().backward()
    held = layer.weight.grad
    who.zero_grad()
    assert layer.weight.grad is None and layer.bias.grad is None and held.tolist() == [[1, 1]] * 3


def test_zeros_in_place(layer_and_who: Any) -> None:
    """The tensor that `.grad` is holds zeros, counts as written, and the next backward pass adds to it."""
    lib, layer, who = layer_and_who
    layer(lib.ones(2)).sum().backward()
    held, view, version = layer.weight.grad, layer.weight.grad[0], layer.weight.grad._version
    who.zero_grad(set_to_none=False)
    assert layer.weight.grad is held and held.tolist() == [[0, 0]] * 3 and view.tolist() == [0, 0]
    assert held._version == version + 1 and layer.bias.grad is None
    layer(2 * lib.ones(2)).sum().backward()
    assert layer.weight.grad is held and view.tolist() == [2, 2]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_zeros_leave_the_graph(layer_and_who: Any) -> None:
    """A gradient with a graph of its own, or one that requires gradients, becomes a leaf that does not."""
    lib, layer, who = layer_and_who
    lib.autograd.backward(layer(lib.ones(2)).pow(3).sum(), create_graph=True)
    computed = layer.weight.grad
    given = lib.ones(3, 2, requires_grad=True)
    assert computed.grad_fn is not None
    for held in (computed, given):
        layer.weight.grad = held
        who.zero_grad(set_to_none=False)
        assert layer.weight.grad is held and held.is_leaf and not held.requires_grad and not held.any()


def test_views(layer_and_who: Any) -> None:
    """Zeros go through a view to its base; a view with a place in the graph cannot leave it, and stays as it is."""
    lib, layer, who = layer_and_who
    base = lib.ones(8)
    layer.weight.grad = held = base[:6].view(3, 2)
    who.zero_grad(set_to_none=False)
    assert layer.weight.grad is held and base.tolist() == [0] * 6 + [1, 1]
    layer.weight.grad = held = (lib.ones(8, requires_grad=True) * 1)[:6].view(3, 2)
    with pytest.raises(RuntimeError, match=r"(?i)can't detach views in-place"):
        who.zero_grad(set_to_none=False)
    assert layer.weight.grad is held and held.requires_grad and held.all()
