"""Kinds of dtype that an element-wise entry leaves out are refused on every path: native code, rows, out=, in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.dispatch.elementwise.general import Elementwise, elementwise_ops
from specgrad.runtime.errors import UnsupportedDtypeError

DTYPES = {
    "bool": [sg.bool],
    "int": [sg.uint8, sg.int32, sg.int64],
    "float": [sg.float16, sg.bfloat16, sg.float32, sg.float64],
    "complex": [sg.complex64, sg.complex128],
}


def refused(op: Elementwise) -> list[sg.dtype]:
    """The dtypes that an op does not compute in; whole numbers become floats first where its rule says so."""
    converted = ("bool", "int") if op.rule == "float" else ()
    kinds = [kind for kind in DTYPES if op.allowed and kind not in (*op.allowed, *converted)]
    return [dtype for kind in kinds for dtype in DTYPES[kind]]


def pairs(dtype: sg.dtype) -> Iterator[tuple[sg.Tensor, sg.Tensor]]:
    """Two tensors of layouts that go different ways: alike, turned, broadcast, with steps, 0-d, empty."""
    x = sg.ones(4, 6).to(dtype)
    for other in (x.clone(), sg.ones(6, 4).to(dtype).t(), x[0], sg.ones(4, 12).to(dtype)[:, ::2], x[0, 0]):
        yield x, other
    yield x[:0], x[:0]


def forms(op: Elementwise, operands: list[sg.Tensor]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The calls of an op: the function, with a place for the result, in place."""
    function, in_place = getattr(sg, op.name), getattr(sg.Tensor, f"{op.name}_", None)
    yield "function", lambda: function(*operands)
    yield "out=", lambda: function(*operands, out=sg.empty(4, 6, dtype=operands[0].dtype))
    if in_place is not None:
        yield "in place", lambda: in_place(operands[0].clone(), *operands[1:])


ONE_OR_TWO = [
    name
    for name, op in sorted(elementwise_ops.items())
    if refused(op) and not op.numbers and len(op.operands) in (1, 2) and callable(getattr(sg, op.name, None))
]


def test_there_are_many() -> None:
    """That the entries of bits and of floats are among them."""
    assert {"bitwise_and", "gcd", "lcm", "erf", "atan2", "bitwise_not"} <= {elementwise_ops[k].name for k in ONE_OR_TWO}


@pytest.mark.parametrize("name", ONE_OR_TWO)
def test_refused(name: str) -> None:
    """Every form of the call, for every layout, says the kind that was expected and what came."""
    op = elementwise_ops[name]
    for dtype in refused(op):
        for pair in pairs(dtype):
            for form, call in forms(op, list(pair[: len(op.operands)])):
                if form == "out=" and op.overwrites:
                    continue
                with pytest.raises(UnsupportedDtypeError, match="expected a dtype of kind") as caught:
                    call()
                assert str(dtype) in str(caught.value), (form, pair)
