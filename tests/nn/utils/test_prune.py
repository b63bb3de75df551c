"""`nn.utils.prune`: masks of parameters, one after the other, and their removal."""

import importlib
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def prune(lib: Any) -> Any:
    """The module of each library."""
    return importlib.import_module(f"{lib.__name__}.nn.utils.prune")


def linear(lib: Any, values: Any) -> Any:
    """A layer with these weights."""
    values = np.asarray(values, np.float32)
    layer = lib.nn.Linear(values.shape[1], values.shape[0])
    layer.weight.data = lib.tensor(values)
    return layer


def array(tensor: Any) -> np.ndarray:
    """The elements."""
    return tensor.detach().cpu().numpy()


def test_least_magnitudes(lib: Any, prune: Any) -> None:
    """The elements of least magnitude become zero, and stay so in training; gradients come to the others."""
    layer = linear(lib, [[3.0, -1.0, 0.5], [-2.0, 4.0, 0.1]])
    assert prune.l1_unstructured(layer, "weight", amount=0.5) is layer
    mask = [[1, 0, 0], [1, 1, 0]]
    np.testing.assert_array_equal(array(layer.weight_mask), mask)
    assert [name for name, _ in layer.named_parameters()] == ["bias", "weight_orig"]
    layer(lib.ones(1, 3)).sum().backward()
    np.testing.assert_array_equal(array(layer.weight_orig.grad), mask)
    with lib.no_grad():
        layer.weight_orig += 1
    np.testing.assert_allclose(array(layer(lib.zeros(1, 3))), array(layer.bias)[None])
    np.testing.assert_allclose(array(layer.weight), np.array([[4.0, 0, 0], [-1.0, 5.0, 0]]))


def test_one_after_the_other(lib: Any, prune: Any) -> None:
    """The second pruning chooses among what the first has left; one hook does both."""
    layer = linear(lib, np.arange(1.0, 13.0).reshape(3, 4))
    prune.ln_structured(layer, "weight", amount=1, n=2, dim=0)
    prune.l1_unstructured(layer, "weight", amount=0.25)
    np.testing.assert_array_equal(array(layer.weight_mask), [[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]])
    prune.ln_structured(layer, "weight", amount=1, n=1, dim=1)
    np.testing.assert_array_equal(array(layer.weight_mask), [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1]])
    (hook,) = layer._forward_pre_hooks.values()
    assert isinstance(hook, prune.PruningContainer) and len(hook) == 3


def test_removal(lib: Any, prune: Any) -> None:
    """The pruned values become a plain parameter, the same object as before."""
    layer = linear(lib, [[1.0, 2.0]])
    parameter = layer.weight
    prune.custom_from_mask(layer, "weight", lib.tensor([[0, 1]]))
    assert prune.is_pruned(layer) and prune.is_pruned(lib.nn.Sequential(layer))
    assert prune.remove(layer, "weight") is layer and layer.weight is parameter
    assert array(layer.weight).tolist() == [[0.0, 2.0]] and not prune.is_pruned(layer)
    assert sorted(layer.state_dict()) == ["bias", "weight"] and not layer._forward_pre_hooks
    with pytest.raises(ValueError, match="has to be pruned"):
        prune.remove(layer, "weight")


def test_of_several_parameters(lib: Any, prune: Any) -> None:
    """Magnitudes of all are compared; importances may be others than magnitudes."""
    net = lib.nn.Sequential(linear(lib, [[1.0, 2.0]]), linear(lib, [[3.0], [0.5]]))
    chosen = [(net[0], "weight"), (net[1], "weight")]
    prune.global_unstructured(chosen, prune.L1Unstructured, amount=2)
    assert [array(layer.weight_mask).ravel().tolist() for layer in net] == [[0, 1], [1, 0]]
    importance = {(net[0], "weight"): lib.tensor([[0.0, 1.0]]), (net[1], "weight"): lib.tensor([[2.0], [3.0]])}
    prune.global_unstructured(chosen, prune.L1Unstructured, importance, amount=1)
    assert [array(layer.weight_mask).ravel().tolist() for layer in net] == [[0, 0], [1, 0]]
    with pytest.raises(TypeError):
        prune.global_unstructured(chosen, prune.LnStructured, amount=1, n=2)


@pytest.mark.parametrize(("name", "amount", "dim"), [("random_unstructured", 5, None), ("random_structured", 2, 1)])
def test_random_choices(lib: Any, prune: Any, name: str, amount: int, dim: int | None) -> None:
    """As many are pruned as was said."""
    layer = linear(lib, np.ones((3, 4)))
    getattr(prune, name)(layer, "weight", amount, **({} if dim is None else {"dim": dim}))
    mask = array(layer.weight_mask)
    assert (mask == 0).sum() == amount if dim is None else (mask.sum(0) == 0).sum() == amount
    retained = array(prune.RandomUnstructured(0.5).prune(lib.ones(10)))
    assert retained.sum() == 5


def test_nothing(lib: Any, prune: Any) -> None:
    """`identity` makes a mask of ones."""
    assert array(prune.identity(linear(lib, [[1.0]]), "weight").weight_mask) == 1


@pytest.mark.parametrize(
    ("amount", "error"), [(1.5, ValueError), (-1, ValueError), (100, ValueError), ("a", TypeError)], ids=str
)
def test_wrong_amounts(lib: Any, prune: Any, amount: Any, error: type) -> None:
    """Amounts that there cannot be are errors, and the layer stays as it was."""
    layer = linear(lib, [[1.0, 2.0]])
    with pytest.raises(error):
        prune.l1_unstructured(layer, "weight", amount)
    assert sorted(layer.state_dict()) == ["bias", "weight"]


def test_wrong_dimensions(lib: Any, prune: Any) -> None:
    """Vectors have no channels, and a dimension has to be there."""
    layer = linear(lib, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="multidimensional"):
        prune.ln_structured(layer, "bias", 1, 2, 0)
    with pytest.raises(IndexError):
        prune.ln_structured(layer, "weight", 1, 2, 5)


def test_memory_formats_of_weights(lib: Any) -> None:
    """The weights of convolutions keep their values."""
    net = lib.nn.Sequential(lib.nn.Conv2d(2, 3, 2), lib.nn.Linear(2, 2), lib.nn.ConvTranspose2d(2, 2, 1))
    before = [array(p).copy() for p in net.parameters()]
    assert lib.nn.utils.convert_conv2d_weight_memory_format(net, lib.channels_last) is net
    assert all((array(p) == old).all() for p, old in zip(net.parameters(), before, strict=True))
