"""The states of scans: of an element, of two states in a row, and what a state means as a result.

A state is a pair of numbers, so that one kernel has all: a sum and what rounding took from it; a running product and
what a recurrence comes to; an extreme and its place; the greatest exponent and a sum of exponentials.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..scalar import exp, log
from .kernel import Target
from .storage import getter, putter
from .vocabulary import T, cuda, int64, uint32

# Texts name these; a kernel has its own in their place.
A: Any = None
B: Any = None
get: Any = None
get_other: Any = None
put: Any = None
put_other: Any = None
lost: Any = None


def no_state() -> Any:
    return A(0), B(0)


def read_one(sources: Any, at: Any, i: Any) -> Any:
    return A(get(sources[0], at)), B(0)


def read_exponent(sources: Any, at: Any, i: Any) -> Any:
    return A(get(sources[0], at)), B(1)


def read_placed(sources: Any, at: Any, i: Any) -> Any:
    return get(sources[0], at), B(i)


def read_both(sources: Any, at: Any, i: Any) -> Any:
    """A summand and a factor."""
    return A(get(sources[0], at)), B(get_other(sources[1], at))


def read_state(sources: Any, at: Any, i: Any) -> Any:
    return sources[0][at], sources[1][at]


def write_state(results: Any, at: Any, a: Any, b: Any) -> None:
    results[0][at] = a
    results[1][at] = b


def write_one(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, T(a))


def write_count(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a)


def write_truth(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a != 0)


def write_sum(results: Any, at: Any, a: Any, b: Any) -> None:
    """A sum with what was lost, unless it is not finite."""
    put(results[0], at, T(a + b if b - b == 0 and b != 0 else a))


def write_placed(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a)
    put_other(results[1], at, int64(b))


def write_logarithm(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, T(a + log(b)))


def add(a: Any, b: Any, c: Any, d: Any) -> Any:
    return A(a + c), b


def add_in_two(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The rounding errors of sums are added up beside them."""
    total = a + c
    return total, b + d + lost(a, c, total)


def two_sum(a: Any, b: Any, total: Any) -> Any:
    """The rounding error of total = a + b; 0 where that is not finite."""
    part = total - a
    error = (a - (total - part)) + (b - part)
    return error if error == error else type(total)(0)


def multiply(a: Any, b: Any, c: Any, d: Any) -> Any:
    return A(a * c), b


def recur(a: Any, b: Any, c: Any, d: Any) -> Any:
    """c + d a: what comes before is multiplied by all factors since."""
    return A(c + A(a * d)), B(b * d)


def maximum(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The last of the greatest; nan is greater than all."""
    if c != c or (c >= a and a == a):
        return c, d
    return a, b


def minimum(a: Any, b: Any, c: Any, d: Any) -> Any:
    if c != c or (c <= a and a == a):
        return c, d
    return a, b


def exponentials(a: Any, b: Any, c: Any, d: Any) -> Any:
    if a == c:
        return a, b + d
    if a > c:
        return a, b + d * exp(c - a)
    return c, d + b * exp(a - c)


class State(NamedTuple):
    """How elements become states, states one state, and a state results."""

    read: Any
    join: Any
    write: Any


STATES = {
    "sum": State(read_one, add, write_one),
    "sum_in_two": State(read_one, add_in_two, write_sum),
    "count": State(read_one, add, write_count),  # of what is not zero
    "product": State(read_one, multiply, write_one),
    "recurrence": State(read_both, recur, write_one),
    "maximum": State(read_placed, maximum, write_placed),
    "minimum": State(read_placed, minimum, write_placed),
    "logarithm": State(read_exponent, exponentials, write_logarithm),
}
OF_INTEGERS = ("sum", "product", "recurrence")


def types_of(name: str, computed: np.dtype) -> tuple[Any, Any]:
    """The types of the two numbers of a state."""
    if name in ("maximum", "minimum"):
        return computed.type, np.int32
    wide = {"f": np.float64, "c": np.complex128}.get(computed.kind, np.int64)
    return wide, wide if name in ("sum_in_two", "recurrence", "logarithm") else np.int32


def names_of_state(
    target: Target, name: str, computed: np.dtype, phase: str, sources: Any, results: Any
) -> dict[str, Any]:
    """What a kernel calls of a state, by name.

    Args:
        phase: "whole"; "between", of states instead of elements; "after", where lines go on after `totals`.
    """
    first, second = types_of(name, computed)
    types = {"A": first, "B": second, "T": computed.type}
    state = STATES[name]
    reads = {
        "get": getter(target, sources[0].dtype, computed),
        "get_other": getter(target, sources[-1].dtype, computed),
    }
    puts = {"put": putter(target, results[0].dtype), "put_other": putter(target, results[-1].dtype)}
    written = write_truth if results[0].dtype.kind == "b" and state.write is write_one else state.write
    if phase == "between":
        state, written = State(read_state, state.join, write_state), write_state
    helpers = {"lost": target.device(two_sum)} if name == "sum_in_two" else {}
    return {
        "A": first,
        "B": second,
        "nothing": target.device(no_state, **types),
        "read": target.device(state.read, **types, **reads),
        "join": target.device(state.join, **types, **helpers, **target.scalars(state.join, False)),
        "write": target.device(written, **types, **puts, **target.scalars(written, False)),
        "carry_in": target.device(from_totals if phase == "after" else from_nothing, **types),
    }


def from_nothing(totals: Any, part: Any) -> Any:
    """Whether something comes before a part, and the state that it leaves."""
    return False, A(0), B(0)


def from_totals(totals: Any, part: Any) -> Any:
    if part > uint32(0):
        before = uint32(uint32(cuda.blockIdx.x) - uint32(1))
        return True, totals[0][before], totals[1][before]
    return False, A(0), B(0)
