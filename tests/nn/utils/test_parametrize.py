"""Parametrizations: tensors of modules that are computed by other modules."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest


def _kinds(lib: Any) -> dict[str, Any]:
    """Parametrizations that the tests register, made with a library's Module."""
    module = lib.nn.Module

    class Doubled(module):
        def forward(self, x: Any) -> Any:
            return 2 * x

        def right_inverse(self, x: Any) -> Any:
            return x / 2

    class Symmetric(module):
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).transpose(-1, -2)

    class Sum(module):
        def forward(self, a: Any, b: Any) -> Any:
            return a + b

        def right_inverse(self, x: Any) -> Any:
            return x / 4, 3 * x / 4

    class Row(module):
        def forward(self, x: Any) -> Any:
            return x[:1]

    return {cls.__name__: cls for cls in (Doubled, Symmetric, Sum, Row)}


def _layer(lib: Any, *names: str) -> Any:
    layer = lib.nn.Linear(3, 3)
    for name in names:
        lib.nn.utils.parametrize.register_parametrization(layer, "weight", _kinds(lib)[name]())
    return layer


def test_computed_and_learned(lib: Any) -> None:
    """The tensor is computed from the original, which is what learns, under its own name."""
    layer = _layer(lib, "Symmetric")
    assert [name for name, _ in layer.named_parameters()] == ["bias", "parametrizations.weight.original"]
    assert (layer.weight == layer.weight.T).all()
    layer(lib.ones(2, 3)).sum().backward()
    grad = layer.parametrizations.weight.original.grad.numpy()
    np.testing.assert_allclose(grad, [[2.0, 4.0, 4.0], [0.0, 2.0, 4.0], [0.0, 0.0, 2.0]])
    assert type(layer).__name__ == "ParametrizedLinear" and isinstance(layer, lib.nn.Linear)
    assert lib.nn.utils.parametrize.type_before_parametrizations(layer) is lib.nn.Linear


def test_optimizers_keep_the_parameter(lib: Any) -> None:
    """The original is the same object as before, so an optimizer made earlier goes on changing it."""
    layer = lib.nn.Linear(3, 3)
    before, value = layer.weight, layer.weight.detach().clone()
    lib.nn.utils.parametrize.register_parametrization(layer, "weight", _kinds(lib)["Doubled"]())
    assert layer.parametrizations.weight.original is before
    assert lib.allclose(layer.weight, value) and lib.allclose(before, value / 2)
    lib.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    assert layer.weight is before and lib.allclose(before, value) and type(layer) is lib.nn.Linear


def test_assignment(lib: Any) -> None:
    """A tensor assigned goes back through the right inverses, in reverse; without them it is refused."""
    layer = _layer(lib, "Sum", "Doubled")
    layer.weight = lib.full((3, 3), 8.0)
    assert (layer.parametrizations.weight.original0 == 1).all()
    assert (layer.parametrizations.weight.original1 == 3).all()
    assert lib.allclose(layer.weight, lib.full((3, 3), 8.0))
    with pytest.raises(RuntimeError, match="parametrization Symmetric does not implement right_inverse"):
        _layer(lib, "Symmetric").weight = lib.ones(3, 3)


def test_buffers(lib: Any) -> None:
    """A buffer can be computed too, and its original is a buffer."""
    norm = lib.nn.BatchNorm1d(3)
    lib.nn.utils.parametrize.register_parametrization(norm, "running_mean", _kinds(lib)["Doubled"]())
    assert "parametrizations.running_mean.original" in dict(norm.named_buffers())
    lib.nn.utils.parametrize.remove_parametrizations(norm, "running_mean", leave_parametrized=False)
    assert "running_mean" in dict(norm.named_buffers())


def test_removal(lib: Any) -> None:
    """What stays is the value, or the original where there is one; another parametrized tensor stays so."""
    parametrize = lib.nn.utils.parametrize
    layer = _layer(lib, "Sum")
    parametrize.register_parametrization(layer, "bias", _kinds(lib)["Doubled"]())
    with pytest.raises(ValueError, match="parametrized in terms of a sequence of tensors"):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    value = layer.weight.detach().clone()
    parametrize.remove_parametrizations(layer, "weight")
    assert lib.allclose(layer.weight, value) and isinstance(layer.weight, lib.nn.Parameter)
    assert parametrize.is_parametrized(layer, "bias") and not parametrize.is_parametrized(layer, "weight")
    original = layer.parametrizations.bias.original
    parametrize.remove_parametrizations(layer, "bias", leave_parametrized=False)
    assert layer.bias is original and not parametrize.is_parametrized(layer)
    with pytest.raises(ValueError, match="does not have a parametrization on bias"):
        parametrize.remove_parametrizations(layer, "bias")


def test_cached(lib: Any) -> None:
    """Within `cached` the tensor is computed once, also when contexts are nested."""
    layer, cached = _layer(lib, "Doubled"), lib.nn.utils.parametrize.cached
    with cached():
        with cached():
            first = layer.weight
        assert layer.weight is first
    assert layer.weight is not first and layer.weight is not layer.weight


def test_state_and_copies(lib: Any) -> None:
    """Saved as state_dict, copied in memory, but not pickled, as the class exists for one module only."""
    layer, other = _layer(lib, "Sum"), _layer(lib, "Sum")
    other.load_state_dict(layer.state_dict())
    twin = copy.deepcopy(layer)
    assert (other.weight == layer.weight).all() and (twin.weight == layer.weight).all()
    twin.weight = lib.zeros(3, 3)
    assert not (layer.weight == 0).all()
    with pytest.raises(RuntimeError, match=r"only supported through state_dict\(\)"):
        pickle.dumps(layer)


def test_transfer(lib: Any) -> None:
    """Another module gets the parametrizations and the parameters that they are about; both then share them."""
    transfer = lib.nn.utils.parametrize.transfer_parametrizations_and_params
    for target in (lib.nn.Linear(3, 3), lib.nn.Module()):
        first = _layer(lib, "Sum", "Doubled")
        assert transfer(first, target) is target
        ours, theirs = first.parametrizations.weight, target.parametrizations.weight
        assert theirs.original0 is ours.original0 and theirs[1] is ours[1]
        assert (target.weight == first.weight).all()


def test_refused(lib: Any) -> None:
    """Unknown names, and results of another shape unless `unsafe` is set."""
    register = lib.nn.utils.parametrize.register_parametrization
    with pytest.raises(ValueError, match="or a parametrized element with name 'scale'"):
        register(lib.nn.Linear(3, 3), "scale", _kinds(lib)["Doubled"]())
    with pytest.raises(ValueError, match="may not change the shape of the tensor, unless `unsafe` flag is enabled"):
        register(lib.nn.Linear(3, 3), "weight", _kinds(lib)["Row"]())
    with pytest.raises(ValueError, match="may not change the shape of the tensor, unless the `unsafe` flag"):
        register(_layer(lib, "Doubled"), "weight", _kinds(lib)["Row"]())
    layer = register(lib.nn.Linear(3, 3), "weight", _kinds(lib)["Row"](), unsafe=True)
    assert tuple(layer.weight.shape) == (1, 3)
    with pytest.raises(KeyError, match="attribute 'weight' already exists"):
        layer.weight = lib.nn.Parameter(lib.ones(3, 3))
