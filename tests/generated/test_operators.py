"""Operators with operands of every class: numbers first, unknown classes asked in their turn, as in PyTorch."""

from __future__ import annotations

import operator
from typing import Any

import pytest

import specgrad as sg

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
INPLACE_FUNCTION = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor")


class Reflected:
    """An operand that no library knows, with reflected operators of its own."""

    def _answer(self, other: Any) -> str:
        return f"reflected {tuple(other.shape)}"

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _answer
    __rmatmul__ = __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _answer


class Bare:
    """An operand without operators."""


@pytest.mark.parametrize("name", [*BINARY, *INPLACE_FUNCTION])
def test_an_unknown_operand_is_asked(name: str, lib: Any) -> None:
    """`tensor + other` gives what `other.__radd__` says, in place too."""
    x = lib.ones(2, 3, dtype=lib.int64)
    assert getattr(operator, name)(x, Reflected()) == "reflected (2, 3)"


@pytest.mark.parametrize("name", [*BINARY, *INPLACE_FUNCTION])
@pytest.mark.parametrize("other", [None, Bare()], ids=["None", "Bare"])
def test_no_operator_is_pythons_error(name: str, other: Any, lib: Any) -> None:
    """Where no operand has the operator, Python says so."""
    with pytest.raises(TypeError, match="unsupported operand type"):
        getattr(operator, name)(lib.ones(2, dtype=lib.int64), other)


def test_a_method_is_no_operator(lib: Any) -> None:
    """The method and the function raise at once; the operator's method says NotImplemented."""
    x = lib.ones(2)
    assert x.__add__(Reflected()) is NotImplemented
    assert x.__iadd__(Reflected()) is NotImplemented
    with pytest.raises(TypeError):
        x.add(Reflected())
    with pytest.raises(TypeError):
        lib.add(x, Reflected())


def test_other_errors_are_not_hidden(lib: Any) -> None:
    """What is wrong with operands of known classes is said as before."""
    with pytest.raises(RuntimeError):
        lib.ones(2) + lib.ones(3)
    with pytest.raises(RuntimeError):
        lib.ones(2, 3) @ lib.ones(2, 3)
    with pytest.raises(RuntimeError):
        lib.ones(2, dtype=lib.bool) - lib.ones(2, dtype=lib.bool)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "pow"])
@pytest.mark.parametrize("number", [7, 2.5])
def test_a_number_comes_first(name: str, number: float, lib: Any) -> None:
    """`torch.sub(1.0, x)`: a number in the place of the first tensor, with gradients and `out=`."""
    x = lib.tensor([2.0, -3.0, 0.5], requires_grad=True)
    full = lib.full((3,), float(number))
    function = getattr(lib, name)
    given, expected = function(number, x), function(full, x)
    assert given.dtype == expected.dtype and given.tolist() == pytest.approx(expected.tolist(), nan_ok=True)
    if name not in ("floor_divide", "remainder"):  # of which PyTorch has no derivative
        (derivative,) = lib.autograd.grad(given.sum(), x)
        (requested,) = lib.autograd.grad(expected.sum(), x)
        assert derivative.tolist() == pytest.approx(requested.tolist(), nan_ok=True)
    out = lib.empty(3)
    assert function(number, x.detach(), out=out) is out
    assert out.tolist() == pytest.approx(expected.tolist(), nan_ok=True)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_an_integer_comes_first(name: str, lib: Any) -> None:
    """The ops of bits too."""
    x = lib.tensor([1, 2, 7])
    assert getattr(lib, name)(3, x).tolist() == getattr(lib, name)(x, 3).tolist()


def test_numbers_of_the_wider_kind() -> None:
    """A number first takes part in promotion as one behind does."""
    assert sg.mul(2.0, sg.tensor([1, 2])).dtype is sg.float32
    assert sg.sub(1, sg.tensor([1.0], dtype=sg.float64)).dtype is sg.float64
    assert sg.add(1j, sg.tensor([1.0])).dtype is sg.complex64


@pytest.mark.parametrize("name", ["maximum", "atan2", "eq", "fmod", "hypot", "rsub"])
def test_other_functions_want_a_tensor_first(name: str, lib: Any) -> None:
    """PyTorch takes numbers first where an operator of Python does, and nowhere else."""
    with pytest.raises(TypeError):
        getattr(lib, name)(1.0, lib.ones(2))
