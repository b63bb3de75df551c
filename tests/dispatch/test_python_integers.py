"""Integers beside tensors that cannot hold them: comparisons are NumPy 2's, arithmetic wraps, values have to fit."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "bool"]
SMALL = ["uint8", "int8", "int16", "int32"]
NUMBERS = [-(2**63) - 1, -(2**63), -(2**40), -300, -100, -1, 0, 100, 127, 200, 256, 300, 2**40, 2**63 - 1, 2**63, 2**64]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


def array(dtype: str) -> np.ndarray:
    """The least, the greatest and other numbers of a dtype."""
    if dtype == "bool":
        return np.array([False, True])
    limits = np.iinfo(dtype)
    return np.array([limits.min, limits.max, 1, 100], dtype)


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_comparisons_are_exact(dtype: str, name: str) -> None:
    """As operators, functions and methods, with the number on either side, in place and with out=."""
    values = array(dtype)
    for number in NUMBERS:
        compare = getattr(operator, name)
        x, expected = sg.tensor(values), compare(values.astype(object), number).astype(bool)
        out = sg.empty(values.size, dtype=sg.bool)
        results = [compare(x, number), getattr(sg, name)(x, number), getattr(x, name)(number)]
        results += [getattr(sg, name)(x, number, out=out), out, getattr(x.clone(), f"{name}_")(number).bool()]
        assert all(result.tolist() == expected.tolist() for result in results), number
        assert compare(number, x).tolist() == compare(number, values.astype(object)).tolist()


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("number", [-(2**40), -300, 300, 70000, 2**40])
def test_comparisons_with_numbers_in_tensors(dtype: str, number: int) -> None:
    """A 0-d tensor of a larger dtype is not rounded to the smaller one."""
    values = array(dtype)
    assert (sg.tensor(values) < sg.tensor(number)).tolist() == (values.astype(object) < number).tolist()
    assert (sg.tensor(number) == sg.tensor(values)).tolist() == (values.astype(object) == number).tolist()


def test_labels_that_are_ignored() -> None:
    """Masks of labels, as losses make them."""
    labels = sg.tensor([3, 255], dtype=sg.uint8)
    assert (labels != -100).all() and not (labels == -1).any()
    assert sg.isin(labels, 300).tolist() == [False, False]
    assert sg.where(labels < 300, 1, 0).tolist() == [1, 1]


@pytest.mark.parametrize("number", [0.5, -0.5, float("inf"), -float("inf"), float("nan"), 2.0**63])
def test_comparisons_with_floats(number: float) -> None:
    """Integers become floats."""
    values = np.array([-3, 0, 5], np.int8)
    assert (sg.tensor(values) < number).tolist() == (values < number).tolist()
    assert (sg.tensor(values) != number).tolist() == (values != number).tolist()


ARITHMETIC = ["add", "sub", "mul", "and_", "or_", "xor"]


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("dtype", SMALL)
def test_arithmetic_wraps(dtype: str, name: str) -> None:
    """Every operator takes the number modulo 2^bits, in place and reflected too."""
    values, compute = array(dtype), getattr(operator, name)
    in_place = getattr(operator, f"i{name.removesuffix('_')}")
    for number in [-300, -1, 300, 70000, 2**40 + 3, 2**63 + 5]:
        x = sg.tensor(values)
        wrapped = [(compute(int(v), number) + 2**80) % 2**64 for v in values]
        expected = np.array(wrapped, np.uint64).astype(dtype).tolist()
        assert compute(x, number).tolist() == expected, number
        assert compute(x, number).dtype is x.dtype
        assert in_place(x.clone(), number).tolist() == expected, number
        if name != "sub":
            assert compute(number, x).tolist() == expected, number


def test_divisors_wrap() -> None:
    """A divisor that becomes 0 is one."""
    x = sg.tensor([100, 250], dtype=sg.uint8)
    assert (x // 300).tolist() == [100 // 44, 250 // 44]
    assert (x % -3).tolist() == [100 % 253, 250 % 253]
    for divide in (lambda: x // 256, lambda: x % 512, lambda: x // sg.tensor(256)):
        with pytest.raises(RuntimeError, match="divisors other than 0"):
            divide()


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_more_than_64_bits(name: str, number: int) -> None:
    """PyTorch's error."""
    with pytest.raises(OverflowError, match="does not fit into 64 bits"):
        getattr(operator, name)(sg.tensor([1], dtype=sg.int16), number)


VALUES: dict[str, Callable[[Any, int], Any]] = {
    "fill_": lambda x, n: x.clone().fill_(n),
    "full": lambda x, n: sg.full((2,), n, dtype=x.dtype),
    "full_like": sg.full_like,
    "masked_fill": lambda x, n: x.masked_fill(sg.tensor([True, False]), n),
    "where": lambda x, n: sg.where(sg.tensor([True, False]), n, x),
    "index_fill": lambda x, n: x.index_fill(0, sg.tensor([0]), n),
    "scatter": lambda x, n: x.scatter(0, sg.tensor([0]), n),
    "pad": lambda x, n: sg.nn.functional.pad(x, (1, 0), value=n),
}
SCALARS: dict[str, Callable[[Any, int], Any]] = {
    "clamp": lambda x, n: x.clamp(max=n),
    "clamp_": lambda x, n: x.clone().clamp_(min=n),
    "alpha": lambda x, n: sg.add(x, x, alpha=n),
    "alpha of a number": lambda x, n: sg.sub(x, 1, alpha=n),
    "value": lambda x, n: sg.addcmul(x, x, x, value=n),
    "power": lambda x, n: x**n,
}


@pytest.mark.parametrize("name", [*VALUES, *SCALARS])
def test_values_have_to_fit(name: str) -> None:
    """The error that PyTorch raises; what a larger dtype was called with before changes nothing."""
    call = (VALUES | SCALARS)[name]
    call(sg.tensor([1, 2]), 300)
    for dtype in (sg.uint8, sg.int8):
        with pytest.raises(RuntimeError, match="300 cannot be converted to .* without overflow"):
            call(sg.tensor([1, 2], dtype=dtype), 300)


@pytest.mark.parametrize("name", VALUES)
def test_negative_values_wrap(name: str) -> None:
    """Without a sign -1 is the greatest number, as in C; for other dtypes it stays what it is."""
    for dtype, number in ((sg.uint8, 255), (sg.int16, -1), (sg.int64, -1), (sg.uint8, 255)):
        assert VALUES[name](sg.tensor([1, 2], dtype=dtype), -1)[0].item() == number
