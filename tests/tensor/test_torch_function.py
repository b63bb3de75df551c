"""`__torch_function__` of objects that are no tensors: which calls they take the place of, and with what."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from inspect import signature
from types import FunctionType, ModuleType
from typing import Any

import pytest

import specgrad as sg


class Asked:
    """Gives what it was asked, by the name of the function."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__, len(args), dict(kwargs or {})


D = Asked()

CALLS: list[tuple[str, Callable[[Any, Any, Any], Any]]] = [
    ("add", lambda lib, x, d: lib.add(d, 1)),
    ("add", lambda lib, x, d: x + d),
    ("add_", lambda lib, x, d: x.add_(d)),
    ("sum", lambda lib, x, d: lib.sum(d)),
    ("sum", lambda lib, x, d: x.sum(dim=d)),
    ("max", lambda lib, x, d: lib.max(d, 1)),
    ("cat", lambda lib, x, d: lib.cat([x, d])),
    ("stack", lambda lib, x, d: lib.stack((d, x), 1)),
    ("where", lambda lib, x, d: lib.where(x > 0, x, d)),
    ("matmul", lambda lib, x, d: lib.matmul(x, d)),
    ("matmul", lambda lib, x, d: x @ d),
    ("linalg_inv", lambda lib, x, d: lib.linalg.inv(d)),
    ("fft_fft", lambda lib, x, d: lib.fft.fft(d)),
    ("einsum", lambda lib, x, d: lib.einsum("ij->i", d)),
    ("reshape", lambda lib, x, d: lib.reshape(x, (d, 2))),
    ("view", lambda lib, x, d: x.view(d, -1)),
    ("zeros", lambda lib, x, d: lib.zeros(d)),
    ("arange", lambda lib, x, d: lib.arange(d)),
    ("zeros_like", lambda lib, x, d: lib.zeros_like(d)),
    ("bernoulli", lambda lib, x, d: lib.bernoulli(d)),
    ("equal", lambda lib, x, d: lib.equal(x, d)),
    ("is_floating_point", lambda lib, x, d: lib.is_floating_point(d)),
    ("__getitem__", lambda lib, x, d: x[d]),
    ("relu", lambda lib, x, d: lib.nn.functional.relu(d)),
    ("linear", lambda lib, x, d: lib.nn.functional.linear(d, x)),
    ("dropout", lambda lib, x, d: lib.nn.functional.dropout(d)),
    ("conv2d", lambda lib, x, d: lib.nn.functional.conv2d(x, d)),
    ("batch_norm", lambda lib, x, d: lib.nn.functional.batch_norm(d, None, None)),
    ("cross_entropy", lambda lib, x, d: lib.nn.functional.cross_entropy(d, x)),
    ("scaled_dot_product_attention", lambda lib, x, d: lib.nn.functional.scaled_dot_product_attention(d, d, d)),
    ("softmax", lambda lib, x, d: lib.nn.functional.softmax(d, -1)),
    ("pow", lambda lib, x, d: lib.pow(x, d)),
    ("clamp", lambda lib, x, d: lib.clamp(d, 0, 1)),
]


@pytest.mark.parametrize("name, call", CALLS, ids=[f"{name}-{index}" for index, (name, _) in enumerate(CALLS)])
def test_argument_takes_the_place_of_the_call(lib: ModuleType, name: str, call: Callable[..., Any]) -> None:
    """An argument is asked wherever it stands: the function, its arguments by place, and those by name."""
    found = call(lib, lib.ones(2, 2), D)
    assert isinstance(found, tuple) and found[0] == name


def test_arguments_are_those_of_the_call(lib: ModuleType) -> None:
    """What was given by place comes by place, what was given by name by name, and nothing else."""
    assert lib.sum(D) == ("sum", 1, {})
    assert lib.sum(D, 1) == ("sum", 2, {})
    assert lib.sum(D, dim=1) == ("sum", 1, {"dim": 1})
    assert lib.flatten(D, start_dim=0) == ("flatten", 1, {"start_dim": 0})
    assert lib.add(D, 2, alpha=3) == ("add", 2, {"alpha": 3})
    assert lib.cat([D], dim=1) == ("cat", 1, {"dim": 1})


def test_subclasses_are_asked_first(lib: ModuleType) -> None:
    """Of several classes a subclass comes before its base, others from left to right; each class once."""
    order: list[str] = []

    class First:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            order.append(cls.__name__)
            return NotImplemented

    class Second(First):
        pass

    class Third:
        __torch_function__ = classmethod(First.__torch_function__.__func__)  # type: ignore[attr-defined]

    with pytest.raises(TypeError, match="add"):
        lib.add(First(), Second())
    assert order == ["Second", "First"]
    order.clear()
    with pytest.raises(TypeError):
        lib.stack([Third(), First(), Third(), Second()])
    assert order == ["Third", "Second", "First"]


def test_not_implemented_by_all_is_an_error(lib: ModuleType) -> None:
    """Where nobody gives an answer, the error names the function and the classes."""

    class Silent:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return NotImplemented

    message = rf"(?s)Multiple dispatch failed for '{lib.__name__}.mul'; all __torch_function__ .*Silent"
    with pytest.raises(TypeError, match=message):
        lib.mul(Silent(), lib.ones(1))


def test_plain_methods_are_asked_with_a_warning(lib: ModuleType) -> None:
    """`__torch_function__` that is no class method is called on the object, and warned of."""

    class Plain:
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return self

    plain = Plain()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert lib.exp(plain) is plain
    assert lib.__name__ == "torch" or "classmethod" in str(seen[0].message)  # PyTorch warns once a process


def test_without_subclasses_nothing_is_asked(lib: ModuleType) -> None:
    """In a block of DisableTorchFunctionSubclass such an object is as wrong as any other."""
    with lib._C.DisableTorchFunctionSubclass(), pytest.raises(TypeError):
        lib.neg(D)
    assert lib.neg(D)[0] == "neg"


def test_switched_off(lib: ModuleType) -> None:
    """A class may say that it has no `__torch_function__` by the function of that name."""

    class Off:
        __torch_function__ = lib._C._disabled_torch_function_impl

    with pytest.raises(TypeError):
        lib.add(Off(), 1)
    assert not lib.overrides.has_torch_function((Off(),))


def test_wrong_arguments_are_still_errors(lib: ModuleType) -> None:
    """An object without `__torch_function__` is refused as before."""
    with pytest.raises(TypeError, match="must be Tensor|unsupported"):
        lib.exp(object())


def test_writes_by_key(lib: ModuleType) -> None:
    """`x[key] = value` asks the value, and the parts of the key."""
    seen: list[str] = []

    class Value:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)

    x = lib.zeros(2)
    x[0] = Value()
    x[Value()] = 1.0
    assert seen == ["__setitem__", "__setitem__"] and x.tolist() == [0.0, 0.0]


class Answering:
    """No tensor, and answers each call with its function's name."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> str:
        return str(func.__name__)


F = sg.nn.functional
ANOTHER_NAME = {"conv_tbc", "native_channel_shuffle"} | {name for name in F.__all__ if name.endswith("_with_indices")}


BY_HAND = [name for name in F.__all__ if isinstance(getattr(F, name), FunctionType) and name not in ANOTHER_NAME]


@pytest.mark.parametrize("name", BY_HAND)
def test_functions_ask_by_their_own_names(name: str) -> None:
    """What is written by hand asks once, for itself: whoever overrides it, or traces it, sees no inner call."""
    parameters = signature(getattr(F, name)).parameters.values()
    required = [
        p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    assert getattr(F, name)(*[Answering() for _ in required]) == name
