"""Argument rules of element-wise ops refuse what cannot be computed, in PyTorch's exception classes."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_integers_are_not_divided_by_zero(name: str) -> None:
    """A zero divisor is an error for integers, whether number or tensor, and gives inf or nan for floats."""
    function, full = getattr(sg, name), sg.tensor([1, 2])
    for divisor in (0, sg.tensor([1, 0])):
        with pytest.raises(RuntimeError, match=f"{name}.*ZeroDivisionError"):
            function(full, divisor)
    assert not function(sg.tensor([1.0]), 0).isfinite().any()


def test_integers_are_not_raised_to_a_negative_number() -> None:
    """A negative exponent is an error for integers; an exponent that is a tensor rounds towards zero."""
    full = sg.tensor([2, 1, -1])
    with pytest.raises(RuntimeError, match="pow.*negative integer powers.*-1"):
        full**-1
    assert (full ** sg.tensor([-1, -1, -1])).tolist() == [0, 1, -1]
    assert (full**-1.0).tolist() == [0.5, 1.0, -1.0]


@pytest.mark.parametrize("other", [True, sg.tensor([True, False]), sg.tensor([1, 2]), sg.tensor([1.0, 2.0])])
def test_bools_are_not_subtracted(other: Any) -> None:
    """Neither from numbers nor from each other; the error says what to use."""
    mask = sg.tensor([True, True])
    for call in (lambda: mask - other, lambda: other - mask, lambda: sg.rsub(mask, other)):
        with pytest.raises(RuntimeError, match="sub.*bool.*logical_xor"):
            call()


def test_condition_is_boolean() -> None:
    """where takes no numbers for truth values."""
    with pytest.raises(RuntimeError, match="where.*boolean.*int64"):
        sg.where(sg.tensor([1, 0]), 1.0, sg.tensor([2.0, 3.0]))


@pytest.mark.parametrize("divisor", [-100, 7, 3])
def test_quotients_of_large_integers_are_exact(divisor: int) -> None:
    """Both roundings, of integers that no float64 has."""
    numbers = [2**63 - 1, -(2**63) + 1, 10**17 + 1, -(10**17) - 1]
    x = sg.tensor(numbers)
    assert sg.div(x, divisor, rounding_mode="floor").tolist() == [n // divisor for n in numbers]
    truncated = [abs(n) // abs(divisor) * (1 if (n < 0) == (divisor < 0) else -1) for n in numbers]
    assert sg.div(x, divisor, rounding_mode="trunc").tolist() == truncated


def test_division_knows_its_modes() -> None:
    """A rounding mode that does not exist is an error that lists those that do."""
    x = sg.tensor([5.5, -5.5])
    assert sg.div(x, 2, rounding_mode="floor").tolist() == [2.0, -3.0]
    assert sg.div(x, 2, rounding_mode="trunc").tolist() == [2.0, -2.0]
    with pytest.raises(RuntimeError, match="div.*'trunc', or 'floor', but got 'round'"):
        sg.div(x, 2, rounding_mode="round")


def test_gelu_knows_its_forms() -> None:
    """An approximation that does not exist is an error that lists those that do."""
    with pytest.raises(RuntimeError, match="gelu.*'none' or 'tanh', but got 'erf'"):
        sg.nn.functional.gelu(sg.tensor([1.0]), approximate="erf")


def test_clamp_needs_a_bound() -> None:
    """Without any bound there is nothing to do."""
    for function in (sg.tensor([1.0]).clamp, sg.tensor([1.0]).clamp_):
        with pytest.raises(RuntimeError, match="clamp.*must not be None"):
            function()
