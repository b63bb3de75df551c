"""What rules have made of calls: later calls of the same kind go straight to an op."""

from __future__ import annotations

from typing import Any

import numpy as np

import specgrad as sg
from specgrad.runtime.dispatch.overloads import overloads_of
from specgrad.runtime.extensions.vmap.rule_cache import ArgumentValue, BatchedValue, Constant, Translation, translated
from tests.examples import array, close, reals


def function(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """What is called."""


def forwarding(x: Any, *args: Any, **kwargs: Any) -> Any:
    """What is called with any arguments."""


def test_arguments_have_places_as_far_as_none_is_left_out() -> None:
    """Those behind one that is left out go by name, and defaults not at all."""
    small = {"dim": Constant(1), "x": BatchedValue(0), "dtype": Constant(None)}
    assert translated(function, small) == Translation(function, (BatchedValue(0), Constant(1)), {})
    separate = {"x": BatchedValue(0), "keepdim": ArgumentValue(1), "dtype": ArgumentValue(2)}
    assert translated(function, separate) == Translation(
        function, (BatchedValue(0),), {"keepdim": ArgumentValue(1), "dtype": ArgumentValue(2)}
    )


def test_names_that_a_function_does_not_list_are_kept() -> None:
    """A function of any arguments gets all of them."""
    made = translated(forwarding, {"x": BatchedValue(0), "dim": Constant(None)})
    assert made == Translation(forwarding, (BatchedValue(0),), {"dim": Constant(None)})


def test_public_functions_know_their_overloads() -> None:
    """Those that choose between schemas, and no others."""
    found = overloads_of(sg.sum)
    assert found is not None and overloads_of(found) is found
    assert overloads_of(sg.mul) is None and overloads_of(np.sum) is None


def test_second_calls_give_what_first_ones_did() -> None:
    """Of calls that differ in an argument that is no tensor, each has its own translation."""
    x = reals(sg, 5, 3, 4)
    for _ in range(2):
        close(sg.vmap(lambda e: e.sum())(x), array(x).sum((1, 2)))
        close(sg.vmap(lambda e: e.sum(0))(x), array(x).sum(1))
        close(sg.vmap(lambda e: e.sum(0, keepdim=True))(x), array(x).sum(1, keepdims=True))
        close(sg.vmap(lambda e: e.var(1, correction=0))(x), array(x).var(2))
        assert sg.vmap(lambda e: e.sum(dtype=sg.float64))(x).dtype is sg.float64
