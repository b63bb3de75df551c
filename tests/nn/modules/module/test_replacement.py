"""How conversions and loading change parameters: what `__future__` chooses, as PyTorch does it."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def choices(lib: Any) -> Iterator[None]:
    """What a test chooses holds for that test."""
    yield
    lib.__future__.set_overwrite_module_params_on_conversion(False)
    lib.__future__.set_swap_module_params_on_conversion(False)


def _module(lib: Any) -> Any:
    module = lib.nn.BatchNorm1d(2)
    module.weight.grad = lib.ones(2)
    return module


def test_parameters_stay_by_default(lib: Any) -> None:
    """Without a choice the parameter is the same object with other data."""
    module = _module(lib)
    before = module.weight
    module.double()
    assert module.weight is before and before.dtype == lib.float64 == before.grad.dtype


def test_new_parameters(lib: Any) -> None:
    """With `overwrite` a module gets new parameters and gradients; the old ones stay what they were."""
    lib.__future__.set_overwrite_module_params_on_conversion(True)
    assert lib.__future__.get_overwrite_module_params_on_conversion()
    module = _module(lib)
    before = module.weight
    module.double()
    assert module.weight is not before and before.dtype == lib.float32 == before.grad.dtype
    assert module.weight.dtype == lib.float64 == module.weight.grad.dtype
    assert isinstance(module.weight, lib.nn.Parameter) and module.weight.requires_grad


def test_exchanged_parameters(lib: Any) -> None:
    """With `swap` the parameter that others hold is the new one."""
    lib.__future__.set_swap_module_params_on_conversion(True)
    assert lib.__future__.get_swap_module_params_on_conversion()
    module = _module(lib)
    before = module.weight
    module.double()
    assert module.weight is before and before.dtype == lib.float64 == before.grad.dtype


@pytest.mark.parametrize("assign", [False, True])
def test_loading_exchanges(lib: Any, assign: bool) -> None:
    """Parameters and buffers that are loaded stay the same objects; their dtype is the loaded one's where assigned."""
    lib.__future__.set_swap_module_params_on_conversion(True)
    module = lib.nn.BatchNorm1d(2)
    weight, mean = module.weight, module.running_mean
    state = {name: value.double() + 1 for name, value in module.state_dict().items()}
    module.load_state_dict(state, assign=assign)
    assert module.weight is weight and isinstance(weight, lib.nn.Parameter) and weight.requires_grad
    assert module.running_mean is mean and weight.dtype == (lib.float64 if assign else lib.float32)
    assert weight.tolist() == [2.0, 2.0] and mean.tolist() == [1.0, 1.0]
