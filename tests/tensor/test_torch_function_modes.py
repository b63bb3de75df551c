"""TorchFunctionMode, and what specgrad.overrides answers."""

from __future__ import annotations

import inspect
import threading
from types import ModuleType
from typing import Any

import pytest

import specgrad
from specgrad.runtime.extensions.torch_compat import overrides_api


def log_of(lib: ModuleType) -> tuple[Any, list[str]]:
    """A mode that notes what is called."""
    overrides = lib.overrides
    seen: list[str] = []

    class Log(overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    return Log(), seen


def test_everything_is_asked_in_a_mode(lib: ModuleType) -> None:
    """Functions, creation functions, methods, operators and properties of plain tensors."""
    mode, seen = log_of(lib)
    with mode:
        x = lib.ones(2, 2)
        y = x + 1
        assert y.shape == (2, 2)
        lib.nn.functional.relu(y)
        y.sum()
        y[0]
        y.tolist()
    assert seen == ["ones", "add", "__get__", "relu", "sum", "__getitem__", "tolist"]
    seen.clear()
    _ = lib.ones(2) + 1
    assert seen == []


@pytest.mark.parametrize("name", ["zeros", "rand", "randn", "full", "arange", "tensor", "eye", "linspace", "randint"])
def test_creation_may_be_changed(lib: ModuleType, name: str) -> None:
    """A mode may give creation functions another dtype."""

    class Double(lib.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = dict(kwargs or {})
            if func is getattr(lib, name):
                kwargs.setdefault("dtype", lib.float64)
            return func(*args, **kwargs)

    args = {"full": ((2,), 1.0), "arange": (3,), "tensor": ([1.0],), "linspace": (0, 1, 3), "randint": (0, 5, (2,))}
    with Double():
        found = getattr(lib, name)(*args.get(name, (2,)))
    assert found.dtype is lib.float64


def test_modes_nest(lib: ModuleType) -> None:
    """The innermost is asked first; what it calls is asked of the one around it."""
    outer, seen = log_of(lib)
    inner, within = log_of(lib)
    with outer, inner:
        lib.exp(lib.ones(1))
    assert within == seen == ["ones", "exp"]


def test_modes_come_before_arguments(lib: ModuleType) -> None:
    """An argument is asked by what a mode calls; NotImplemented of a mode hands the call on."""
    mode, seen = log_of(lib)

    class Asked:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return "argument"

    with mode:
        assert lib.neg(Asked()) == "argument"
    assert seen == ["neg"]


def test_disabled(lib: ModuleType) -> None:
    """DisableTorchFunction ends modes too, DisableTorchFunctionSubclass does not."""
    mode, seen = log_of(lib)
    with mode:
        with lib._C.DisableTorchFunction():
            lib.ones(1)
        with lib._C.DisableTorchFunctionSubclass():
            lib.zeros(1)
    assert seen == ["zeros"]


def test_errors_leave_modes_as_they_were(lib: ModuleType) -> None:
    """An error inside a mode's call, or in its block, ends it properly."""
    mode, seen = log_of(lib)
    with pytest.raises(RuntimeError), mode:
        lib.ones(2) @ lib.ones(3)
    seen.clear()
    lib.ones(1).sum()
    assert seen == []


def test_modes_are_of_one_thread(lib: ModuleType) -> None:
    """Another thread computes as if there were no mode."""
    mode, seen = log_of(lib)
    with mode:
        thread = threading.Thread(target=lambda: lib.ones(2).sum())
        thread.start()
        thread.join()
    assert seen == []


def test_backward_in_a_mode(lib: ModuleType) -> None:
    """A backward pass is one call; gradients are right."""
    mode, seen = log_of(lib)
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with mode:
        (x * x).sum().backward()
    assert seen == ["mul", "sum", "backward"] and x.grad.tolist() == [2.0, 4.0]


def test_modules_train_in_a_mode(lib: ModuleType) -> None:
    """A step of training inside a mode gives what it gives outside."""

    def step() -> Any:
        lib.manual_seed(0)
        net = lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 1))
        opt = lib.optim.SGD(net.parameters(), lr=0.1)
        lib.nn.functional.mse_loss(net(lib.ones(2, 3)), lib.zeros(2, 1)).backward()
        opt.step()
        return net[0].weight.detach().clone()

    expected = step()
    mode, seen = log_of(lib)
    with mode:
        found = step()
    assert lib.equal(found, expected) and "linear" in seen and "mse_loss" in seen


def test_has_torch_function(lib: ModuleType) -> None:
    """It is about subclasses, other classes and modes, and not about plain tensors and parameters."""
    overrides = lib.overrides
    sub = lib.ones(1).as_subclass(type("Mine", (lib.Tensor,), {}))
    assert overrides.has_torch_function((sub,)) and overrides.has_torch_function((1, sub))
    assert not overrides.has_torch_function((lib.ones(1), lib.nn.Parameter(lib.ones(1)), 1.0, None))
    assert overrides.is_tensor_like(sub) and overrides.is_tensor_like(lib.ones(1)) and not overrides.is_tensor_like(1)


def test_wrap_and_handle(lib: ModuleType) -> None:
    """Functions of a user's own are overridden in the same way."""
    overrides = lib.overrides

    class Asked:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func, types, args, kwargs

    @overrides.wrap_torch_function(lambda a, b=None: (a, b))
    def mine(a: Any, b: Any = None) -> Any:
        return a

    requested = Asked()
    assert mine(3) == 3
    assert mine(1, b=requested) == (mine, (Asked,), (1,), {"b": requested})


def test_names(lib: ModuleType) -> None:
    """resolve_name gives names as users write them; what is no function of the package has none of its own."""
    overrides, name = lib.overrides, lib.__name__
    assert overrides.resolve_name(lib.nn.functional.dropout) == f"{name}.nn.functional.dropout"
    assert overrides.resolve_name(lib.Tensor.size) == f"{name}.Tensor.size"
    assert overrides.resolve_name(lib.Tensor.shape.__get__) == f"{name}.Tensor.shape.__get__"
    assert overrides.is_tensor_method_or_property(lib.Tensor.view)
    assert not overrides.is_tensor_method_or_property(lib.nn.functional.relu)


def test_names_of_what_a_mode_is_given(lib: ModuleType) -> None:
    """Members of Tensor have their names while a mode is asked for them too, where names are first asked for or not."""
    if lib is specgrad:
        overrides_api._names.cache_clear()
    found: list[str] = []

    class Noting(lib.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            found.append(lib.overrides.resolve_name(func))
            return func(*args, **kwargs or {})

    x = lib.ones(2)
    with Noting():
        _ = x.size(), x.shape
    name = lib.__name__
    assert found == [f"{name}.Tensor.size", f"{name}.Tensor.shape.__get__"]
    assert lib.overrides.resolve_name(lib.Tensor.size) == f"{name}.Tensor.size"


def test_lists_of_functions(lib: ModuleType) -> None:
    """What may be overridden is listed by namespace, with dummies of the same parameters; the rest is ignored."""
    overrides = lib.overrides
    listed = overrides.get_overridable_functions()
    assert lib.add in listed[lib] and lib.nn.functional.relu in listed[lib.nn.functional]
    assert lib.linalg.inv in listed[lib.linalg] and lib.Tensor.size in listed[lib.Tensor]
    assert lib.manual_seed in overrides.get_ignored_functions()
    dummy = overrides.get_testing_overrides()[lib.nn.functional.relu]
    assert list(inspect.signature(dummy).parameters) == ["input", "inplace"]
    assert dummy(1) == -1
