"""Argument checks: what they accept, what they return, and the words of their errors."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch import argument_checks

X = sg.ones(2)
GENERATOR = sg.Generator()

ACCEPTED = [
    ("scalar", 1, 1),
    ("scalar", True, True),
    ("scalar", 1.5, 1.5),
    ("scalar", 2j, 2j),
    ("scalar", np.float32(1.5), 1.5),
    ("scalar", np.bool_(True), True),
    ("scalar", ml_dtypes.bfloat16(1.5), 1.5),
    ("scalar", np.array(3), 3),
    ("scalar", sg.tensor(2.5), 2.5),
    ("integer", 3, 3),
    ("integer", np.int8(3), 3),
    ("integer", sg.tensor(3), 3),
    ("integer", sg.tensor([[3]]), 3),
    ("integer_list", [sg.tensor([1]), 2], (1, 2)),
    ("integer_list", [1, np.int64(2), sg.tensor(3)], (1, 2, 3)),
    ("integer_list", sg.Size([2, 3]), (2, 3)),
    ("integer_list", (), ()),
    ("floating", 1, 1.0),
    ("floating", np.float32(0.5), 0.5),
    ("floating", sg.tensor(2), 2.0),
    ("boolean", True, True),
    ("boolean", np.bool_(False), False),
    ("string", "mean", "mean"),
    ("dtype", sg.float16, sg.float16),
    ("dtype", float, sg.float64),
    ("dtype", int, sg.int64),
    ("dtype", bool, sg.bool),
    ("dtype", complex, sg.complex128),
    ("device", "cpu", sg.device("cpu")),
    ("device", sg.device("cpu"), sg.device("cpu")),
    ("operand", 2.5, 2.5),
    ("operand", np.float32(2.5), 2.5),
    ("tensor", X, X),
    ("tensor_list", [X, X], (X, X)),
    ("tensor_list_optional", [X, None], (X, None)),
    ("generator", GENERATOR, GENERATOR),
]


@pytest.mark.parametrize(("name", "value", "expected"), ACCEPTED)
def test_accepted(name: str, value: Any, expected: Any) -> None:
    """The value comes back as a plain Python value of one type; tensors come back themselves."""
    result = getattr(argument_checks, name)("op", "x", value)
    if name.startswith("tensor"):
        pairs = zip(result, expected, strict=True) if isinstance(result, tuple) else [(result, expected)]
        assert all(a is b for a, b in pairs)
    else:
        assert result == expected
        assert type(result) is type(expected)


REFUSED = [
    ("tensor", None, r"mul\(\): argument 'x' must be Tensor, not NoneType"),
    ("tensor", 2, "must be Tensor, not int"),
    ("operand", None, "must be Tensor or Number, not NoneType"),
    ("operand", "a", "must be Tensor or Number, not str"),
    ("tensor", np.ones(2), "must be Tensor, not numpy.ndarray"),
    ("tensor_list", 1, "must be tuple of Tensors, not int"),
    ("tensor_list", X, "must be tuple of Tensors, not Tensor"),
    ("tensor_list", [X, None], r"mul\(\): expected Tensor as element 1 in argument 'x', but got NoneType"),
    ("tensor_list_optional", [None, 3], "expected Tensor as element 1 in argument 'x', but got int"),
    ("scalar", "s", "must be Number, not str"),
    ("scalar", None, "must be Number, not NoneType"),
    ("scalar", X, "must be Number, not Tensor"),
    ("scalar", sg.tensor(1.0, requires_grad=True), "must be Number, not Tensor"),
    ("scalar", np.ones(2), "must be Number, not numpy.ndarray"),
    ("integer", True, "must be int, not bool"),
    ("integer", 1.5, "must be int, not float"),
    ("integer", sg.tensor(1.0), "must be int, not Tensor"),
    ("integer", None, "must be int, not NoneType"),
    ("integer_list", 3, "must be tuple of ints, not int"),
    ("integer_list", "ab", "must be tuple of ints, not str"),
    ("integer_list", [1, 2.5], "must be tuple of ints, but found element of type float at pos 1"),
    ("integer_list", [True], "must be tuple of ints, but found element of type bool at pos 0"),
    ("floating", "a", "must be float, not str"),
    ("floating", 1j, "must be float, not complex"),
    ("boolean", 1, "must be bool, not int"),
    ("boolean", None, "must be bool, not NoneType"),
    ("string", 3, "must be str, not int"),
    ("dtype", "float32", "must be specgrad.dtype, not str"),
    ("dtype", np.float32, "must be specgrad.dtype, not type"),
    ("device", 1.5, "must be specgrad.device, not float"),
    ("device", True, "must be specgrad.device, not bool"),
    ("generator", 3, "must be specgrad.Generator, not int"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_refused(name: str, value: Any, message: str) -> None:
    """Any other type is a TypeError in PyTorch's words that names op and argument."""
    with pytest.raises(TypeError, match=message):
        getattr(argument_checks, name)("mul", "x", value)


def test_one_integer_for_a_list_of_known_length() -> None:
    """int[2] takes one integer for both; a bool or float stays refused."""
    assert argument_checks.integer_list("conv2d", "stride", 3, 2) == (3, 3)
    assert argument_checks.integer_list("sum", "dim", np.int64(1), 1) == (1,)
    for wrong in (True, 1.5, None):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            argument_checks.integer_list("conv2d", "stride", wrong, 2)


@pytest.mark.parametrize("name", [name for name in vars(argument_checks) if name.startswith("optional_")])
def test_optional_checks(name: str) -> None:
    """The check of `T?` lets None through, which that of `T` refuses."""
    assert getattr(argument_checks, name)("op", "x", None) is None
    with pytest.raises(TypeError):
        getattr(argument_checks, name.removeprefix("optional_"))("op", "x", None)


def test_optional_passes_values_on() -> None:
    """An optional check treats other values as its base check does, length included."""
    assert argument_checks.optional_integer_list("op", "x", 2, 3) == (2, 2, 2)
    with pytest.raises(TypeError, match="must be int, not str"):
        argument_checks.optional_integer("op", "x", "a")


@pytest.mark.parametrize(("dim", "ndim", "expected"), [(0, 2, 0), (-1, 2, 1), (-2, 2, 0), (0, 0, 0), (-1, 0, 0)])
def test_wrap_dim(dim: int, ndim: int, expected: int) -> None:
    """Negative dimensions count from the end; a 0-d tensor counts as having one."""
    assert argument_checks.wrap_dim("sum", dim, ndim) == expected


def test_wrap_dim_errors() -> None:
    """A dimension out of range is an IndexError that states the range."""
    with pytest.raises(IndexError, match=r"sum\(\): Dimension out of range .* of \[-2, 1\], but got 2\)"):
        argument_checks.wrap_dim("sum", 2, 2)
    with pytest.raises(IndexError, match=r"range of \[-1, 0\], but got 1"):
        argument_checks.wrap_dim("sum", 1, 0)
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        argument_checks.wrap_dim("size", 0, 0, wrap_scalar=False)
    with pytest.raises(TypeError, match="argument 'dim' must be int, not float"):
        argument_checks.wrap_dim("sum", 1.0, 2)
