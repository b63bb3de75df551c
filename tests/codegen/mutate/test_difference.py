"""The search for a call that tells a mutant from its entry: it finds any difference, and none where all is equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import specgrad as sg
from specgrad.codegen.mutate.difference import difference
from specgrad.generated.registry import OPS

BY_NAME = {op.name: op for op in OPS}


def with_function(name: str, function: Callable[..., Any]) -> Any:
    """An op's record with another function."""
    return replace(BY_NAME[name], function=function)


def undecided(x: sg.Tensor) -> sg.Tensor:
    """|x| with a slope of 1 at 0."""
    return sg.where(x >= 0, x, -x)


EQUAL = {
    "logical_not": lambda input: sg.eq(input, 0),
    "square": lambda input: sg.mul(input, input),
    "t": lambda input: input.transpose(0, 1) if input.ndim > 1 else input,
    "mm": lambda input, mat2: sg.matmul(mat2.t(), input.t()).t(),
}
DIFFERENT = {
    "a sign at one number": ("sign", lambda input: sg.where(input == 0, 1, sg.sign(input))),
    "nan": ("relu", lambda input: sg.where(input > 0, input, 0)),
    "a slope at a tie": ("abs", undecided),
    "a slope of the slope": ("square", lambda input: input * input.detach() * 2 - (input * input).detach()),
    "a refusal": ("mm", lambda input, mat2: sg.matmul(input, mat2).clone() if input.shape[0] > 0 else input[5]),
    "a dtype": ("sum", lambda input, dtype=None: sg.sum(input, dtype=dtype).to(sg.float32)),
    "an argument that no sample gives": ("cumsum", lambda input, dim, dtype=None: sg.cumsum(input, abs(dim))),
}


@pytest.mark.parametrize("name", EQUAL)
def test_other_ways_to_the_same_are_not_told_apart(name: str) -> None:
    """Nor is an op from itself; and enough calls were compared to say so."""
    for other in (BY_NAME[name], with_function(name, EQUAL[name])):
        found = difference(BY_NAME[name], other)
        assert found.call == ""
        assert found.calls > 50


@pytest.mark.parametrize("about", DIFFERENT)
def test_differences_are_found(about: str) -> None:
    """Each with the call that shows it."""
    name, function = DIFFERENT[about]
    call, _ = difference(BY_NAME[name], with_function(name, function))
    assert call.startswith("(self=")
