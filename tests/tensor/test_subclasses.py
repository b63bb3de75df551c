"""Subclasses of Tensor: kept by ops, methods and views, asked for properties, copied and pickled."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def logged(lib: ModuleType) -> tuple[Any, list[str]]:
    """A subclass, and the list of what it is asked for."""
    seen: list[str] = []

    class Logged(lib.Tensor):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    return Logged, seen


class Named(sg.Tensor):
    """A subclass with an attribute, at the top of a module so that it pickles."""

    name = "none"


def plain_subclass(lib: ModuleType) -> Any:
    """A subclass that changes nothing."""
    return type("Mine", (lib.Tensor,), {})


CACHED_BLOCKS = {
    "x + 1": lambda lib, x, p: x + 1,
    "1 - x": lambda lib, x, p: 1 - x,
    "1 / x": lambda lib, x, p: 1 / x,
    "p * x": lambda lib, x, p: p * x,
    "p @ x": lambda lib, x, p: p @ x,
    "x[0]": lambda lib, x, p: x[0],
    "x.view": lambda lib, x, p: x.view(4),
    "x.T": lambda lib, x, p: x.T,
    "x.sum": lambda lib, x, p: x.sum(),
    "x.detach": lambda lib, x, p: x.detach(),
    "x.clone": lambda lib, x, p: x.clone(),
    "x.double": lambda lib, x, p: x.double(),
    "x.data": lambda lib, x, p: x.data,
    "relu": lambda lib, x, p: lib.nn.functional.relu(x),
    "dropout": lambda lib, x, p: lib.nn.functional.dropout(x),
    "stack": lambda lib, x, p: lib.stack([p, x]),
    "zeros_like": lambda lib, x, p: lib.zeros_like(x),
    "new_zeros": lambda lib, x, p: x.new_zeros(2),
    "einsum": lambda lib, x, p: lib.einsum("ij->i", x),
    "unbind": lambda lib, x, p: x.unbind(0)[1],
    "max": lambda lib, x, p: lib.max(x, 1)[0],
    "comparison": lambda lib, x, p: p < x,
    "in place": lambda lib, x, p: x.mul_(2),
    "mask": lambda lib, x, p: p[x > 0],
}


@pytest.mark.parametrize("name", CACHED_BLOCKS)
def test_results_are_of_the_subclass(lib: ModuleType, name: str) -> None:
    """Ops, methods, properties and views of a subclass give tensors of it, with the values that they give anyhow."""
    cls = plain_subclass(lib)
    values = [[1.0, 2.0], [3.0, 4.0]]
    p = lib.ones(2, 2)
    lib.manual_seed(3)
    found = CACHED_BLOCKS[name](lib, lib.tensor(values).as_subclass(cls), p)
    lib.manual_seed(3)
    plain = CACHED_BLOCKS[name](lib, lib.tensor(values), p)
    assert type(found) is cls and type(plain) is lib.Tensor
    np.testing.assert_array_equal(found.as_subclass(lib.Tensor).numpy(), plain.numpy())


def test_what_is_asked(lib: ModuleType) -> None:
    """Operators, methods, properties and functions are told apart by name."""
    cls, seen = logged(lib)
    x = lib.ones(2, 3).as_subclass(cls)
    assert x.shape == (2, 3) and len(x) == 2 and x.size(1) == 3 and x.dtype is lib.float32
    assert seen == ["__get__", "__len__", "size", "__get__"]
    seen.clear()
    _ = (x + 1, lib.ones(2, 3) + x, x.sum(dim=1), lib.nn.functional.relu(x), x[0], repr(x), x.tolist())
    assert seen == ["add", "add", "sum", "relu", "__getitem__", "__repr__", "tolist"]


def test_properties_are_known_by_their_functions(lib: ModuleType) -> None:
    """A handler compares with `Tensor.shape.__get__`, as PyTorch's documentation does."""
    handled = {lib.Tensor.shape.__get__: "shape", lib.Tensor.requires_grad.__get__: "requires_grad"}

    class Other(lib.Tensor):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return handled.get(func) or super().__torch_function__(func, types, args, kwargs)

    x = lib.ones(2).as_subclass(Other)
    assert x.shape == "shape" and x.requires_grad == "requires_grad" and x.ndim == 1


def test_methods_of_the_subclass_are_its_own(lib: ModuleType) -> None:
    """What a subclass, or a class beside Tensor, defines is called as it is."""

    class Beside:
        def numel(self) -> int:
            return -1

    class Own(Beside, lib.Tensor):  # type: ignore[misc, name-defined]
        def size(self, dim: Any = None) -> Any:
            return "mine"

    x = lib.ones(3).as_subclass(Own)
    assert x.size() == "mine" and x.numel() == -1 and x.dim() == 1
    assert lib.Tensor.size(x) == (3,) and type(x + 1) is Own


def test_gradients_go_through(lib: ModuleType) -> None:
    """Results of a subclass are part of the graph; gradients of its leaves are plain tensors."""
    cls = plain_subclass(lib)
    x = lib.tensor([1.0, 2.0]).as_subclass(cls).requires_grad_()
    y = (x * x).sum()
    assert type(y) is cls and y.requires_grad
    y.backward()
    assert type(x.grad) is lib.Tensor and x.grad.tolist() == [2.0, 4.0]


def test_as_subclass_keeps_the_graph(lib: ModuleType) -> None:
    """`as_subclass` of a tensor with a graph is a step of it, over the same memory."""
    cls = plain_subclass(lib)
    leaf = lib.ones(2, requires_grad=True)
    x = (leaf * 2).as_subclass(cls)
    assert type(x) is cls and not x.is_leaf
    assert lib.autograd.grad(x.sum().as_subclass(lib.Tensor), leaf)[0].tolist() == [2.0, 2.0]
    plain = lib.ones(2)
    plain.as_subclass(cls).add_(1)
    assert plain.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError):
        plain.as_subclass(int)


def test_two_unrelated_subclasses(lib: ModuleType) -> None:
    """The usual answer of a subclass is for itself and its bases: two that have nothing in common give an error."""
    a, b = plain_subclass(lib), plain_subclass(lib)
    with pytest.raises(TypeError):
        lib.ones(1).as_subclass(a) + lib.ones(1).as_subclass(b)
    derived = type("Derived", (a,), {})
    assert type(lib.ones(1).as_subclass(a) + lib.ones(1).as_subclass(derived)) is derived


def test_parameters_are_not_asked(lib: ModuleType) -> None:
    """Parameters and their subclasses are as plain tensors are, unless one defines `__torch_function__` anew."""
    own = type("OwnParameter", (lib.nn.Parameter,), {})
    p = own(lib.ones(2))
    assert type(p + 1) is lib.Tensor and not lib.overrides.has_torch_function((p,))
    seen: list[str] = []

    class Asked(lib.nn.Parameter):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            with lib._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

    module = lib.nn.Linear(2, 2)
    module.weight = Asked(lib.ones(2, 2))
    assert type(module(lib.ones(1, 2))) is lib.Tensor
    assert "linear" in seen


def test_make_subclass(lib: ModuleType) -> None:
    """`Tensor._make_subclass` gives a leaf of a class over the same memory."""
    cls = plain_subclass(lib)
    data = lib.ones(2)
    made = lib.Tensor._make_subclass(cls, data, True)
    assert type(made) is cls and made.requires_grad and made.is_leaf
    assert made.data_ptr() == data.data_ptr()


def test_constructors_with_arguments_of_their_own(lib: ModuleType) -> None:
    """`__new__` may make the tensor and keep what it is given."""

    class Scaled(lib.Tensor):  # type: ignore[misc, name-defined]
        @staticmethod
        def __new__(cls: Any, data: Any, scale: float) -> Any:
            return lib.as_tensor(data).as_subclass(cls)

        def __init__(self, data: Any, scale: float) -> None:
            self.scale = scale

    x = Scaled([1.0, 2.0], 3.0)
    assert x.scale == 3.0 and type(x * 2) is Scaled and not hasattr(x * 2, "scale")


def test_copies() -> None:
    """deepcopy keeps class, values and attributes."""
    cls = plain_subclass(sg)
    x = sg.ones(2).as_subclass(cls)
    x.note = ["a"]
    copied = copy.deepcopy(x)
    assert type(copied) is cls and copied.note == ["a"] and copied.note is not x.note
    assert copied.data_ptr() != x.data_ptr()


def test_pickles() -> None:
    """So does pickling."""
    x = sg.ones(2).as_subclass(Named)
    x.name = "mine"
    found = pickle.loads(pickle.dumps(x))
    assert type(found) is Named and found.name == "mine" and found.tolist() == [1.0, 1.0]


def test_slots_of_its_own() -> None:
    """A class with slots gives tensors over the same memory all the same, and writes to views are seen."""

    class Slotted(sg.Tensor):
        __slots__ = ("note",)

    base = sg.ones(2)
    x = base.as_subclass(Slotted)
    x.note = 1  # type: ignore[attr-defined]
    base.add_(1)
    assert type(x) is Slotted and x.tolist() == [2.0, 2.0] and type(x + 1) is Slotted


def test_custom_functions_in_backward(lib: ModuleType) -> None:
    """The backward of a user's Function is the user's code: arguments are asked there."""
    seen: list[str] = []

    class Asked:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return lib.ones(2)

    class Twice(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return lib.mul(grad, Asked())

    x = lib.ones(2, requires_grad=True)
    Twice.apply(x).sum().backward()
    assert seen == ["mul"] and x.grad.tolist() == [1.0, 1.0]


def test_parameters_of_subclasses(lib: ModuleType) -> None:
    """A parameter made of a subclass keeps the class, is found by modules, and is trained."""
    cls, seen = logged(lib)
    module = lib.nn.Linear(2, 2)
    module.weight = lib.nn.Parameter(lib.ones(2, 2).as_subclass(cls))
    assert type(module.weight) is cls and isinstance(module.weight, lib.nn.Parameter)
    assert [name for name, _ in module.named_parameters()] == ["weight", "bias"]
    opt = lib.optim.SGD(module.parameters(), lr=0.5)
    module(lib.ones(1, 2)).sum().backward()
    opt.step()
    assert module.weight.as_subclass(lib.Tensor).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert type(module.weight) is cls and "linear" in seen
    assert not isinstance(lib.ones(1).as_subclass(cls), lib.nn.Parameter)


def test_repr_names_the_class(lib: ModuleType) -> None:
    """The text of a tensor of a subclass begins with its name."""
    assert repr(lib.ones(2).as_subclass(plain_subclass(lib))) == "Mine([1., 1.])"


def test_arguments_of_their_own(lib: ModuleType) -> None:
    """A `__new__` of a subclass may take more than the values, of parameters and of tensors."""

    class Marked(lib.nn.Parameter):  # type: ignore[misc, name-defined]
        def __new__(cls, data: Any, mark: str = "", requires_grad: bool = True) -> Any:
            made = super().__new__(cls, data, requires_grad)
            made.mark = mark
            return made

    class Named(lib.Tensor):  # type: ignore[misc, name-defined]
        def __new__(cls, data: Any, word: str = "") -> Any:
            made = lib.as_tensor(data).as_subclass(cls)
            made.word = word
            return made

    assert Marked(lib.ones(2), mark="a").mark == "a" and not Marked(lib.ones(2), "b", requires_grad=False).requires_grad
    assert Named([1.0], word="c").word == "c" and type(Named([1.0]) + 1) is Named
    assert isinstance(Marked(lib.ones(2)), lib.nn.Parameter)
