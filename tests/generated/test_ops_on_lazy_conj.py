"""Every entry of the spec gives for conjugates and negatives, which are views, what it gives for what they show."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.generated.calls import (
    BY_NAME,
    NAMES,
    Style,
    arguments,
    attempted,
    call,
    call_sources,
    tensors_of,
    weighted_sum,
)

DTYPES = (sg.complex128, sg.float64, sg.int64)
REFUSES = ("view_as_real", "view.dtype")  # conjugates, as PyTorch does


def lazy_conj(tensor: Any) -> Any:
    """A conjugate, a negative or a negative of a conjugate that shows the numbers of a tensor; bools as they are."""
    if tensor.dtype is sg.bool:
        return tensor
    if not tensor.is_complex():
        return sg.neg(tensor)._neg_view()
    found = sg.conj_physical(tensor).conj()
    return found if tensor.ndim % 2 else sg.neg(sg.conj_physical(tensor)).conj()._neg_view()


def of_marked(value: Any) -> Any:
    """An argument of which tensors are marked."""
    if isinstance(value, list):
        return [of_marked(item) for item in value]
    return lazy_conj(value) if isinstance(value, sg.Tensor) else value


def assert_same(found: Any, expected: Any, what: str) -> None:
    """Both are the same numbers in the same dtypes; or what the one refuses, the other does."""
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), f"{what}: {found} for {expected!r}"
        return
    assert not isinstance(found, Exception), f"{what}: {found!r}"
    for one, other in zip(found, expected, strict=True):
        if not isinstance(other, sg.Tensor):
            assert one == other, what
            continue
        assert one.dtype is other.dtype, f"{what}: {one.dtype} for {other.dtype}"
        np.testing.assert_array_equal(array(one), array(other), err_msg=what)


def array(tensor: Any) -> Any:
    """The numbers of a tensor."""
    return np.asarray(tensor.detach().tolist()).reshape(tuple(tensor.shape))


def calls(part: int, parts: int, dtypes: tuple[Any, ...] = DTYPES) -> Any:
    """All samples of a part of the entries in each dtype."""
    for name in NAMES[part::parts]:
        for dtype in dtypes:
            for text in call_sources(BY_NAME[name], dtype.kind):
                yield name, text, Style(dtype)


def is_refused(name: str, given: dict[str, Any]) -> bool:
    """Whether an op refuses such views: what reads conjugates as pairs, or as another dtype."""
    return name.startswith(REFUSES) or "empty" in name or "resize" in name


@pytest.mark.parametrize("part", range(4))
def test_results(part: int) -> None:
    """The same bits, and the same errors."""
    for name, text, style in calls(part, 4):
        op, given = BY_NAME[name], arguments(name, text, style)
        if is_refused(name, given):
            continue
        expected = attempted(call, op, given)
        found = attempted(call, op, {key: of_marked(value) for key, value in arguments(name, text, style).items()})
        assert_same(found, expected, f"{name}({text}) in {style.dtype}")


@pytest.mark.parametrize("part", range(2))
def test_gradients(part: int) -> None:
    """Gradients pass through the marks, to the tensors behind them."""
    for name, text, style in calls(part, 2, (sg.complex128, sg.float64)):
        if is_refused(name, {}):
            continue
        found, expected = [
            attempted(gradients, name, text, style, change) for change in (of_marked, lambda value: value)
        ]
        assert_same(found, expected, f"gradients of {name}({text}) in {style.dtype}")


def gradients(name: str, text: str, style: Style, change: Callable[[Any], Any]) -> list[Any]:
    """The gradients of the differentiable tensors of a call, of which the op gets what a function makes."""
    leaves = arguments(name, text, Style(style.dtype, grad=True))
    requested = [t for t in tensors_of(leaves) if t.requires_grad]
    total = weighted_sum(call(BY_NAME[name], {key: change(value) for key, value in leaves.items()}))
    found = [] if total is None or not requested else sg.autograd.grad(total, requested, allow_unused=True)
    return [sg.zeros(()) if g is None else g for g in found]


@pytest.mark.parametrize("part", range(2))
def test_in_place(part: int) -> None:
    """What is written to a marked tensor is what it shows afterwards, and lies in memory turned back."""
    for name, text, style in calls(part, 2):
        op, plain = BY_NAME[name], arguments(name, text, style)
        first = next(iter(plain.values()), None)
        writer = op.inplace or (op.function if op.function.__name__[-1] == "_" else None)
        if writer is None or not isinstance(first, sg.Tensor) or is_refused(name, plain):
            continue
        expected = attempted(written, writer, plain)
        given = {key: of_marked(value) for key, value in arguments(name, text, style).items()}
        target = next(iter(given.values()))
        found = attempted(written, writer, given)
        assert_same(found, expected, f"{writer.__name__}({text}) in {style.dtype}")
        assert isinstance(found, Exception) or (found[0] is target)


def written(writer: Any, given: dict[str, Any]) -> tuple[Any]:
    """What an op in place gives for arguments by name."""
    known = inspect.signature(writer).parameters
    named = {("input" if key == "self" else key): value for key, value in given.items()}
    return (writer(**{key: value for key, value in named.items() if key in known}),)


@pytest.mark.parametrize("part", range(2))
def test_out(part: int) -> None:
    """Results that are written to a marked tensor are what it shows."""
    for name, text, style in calls(part, 2, (sg.complex128, sg.float64)):
        op, given = BY_NAME[name], arguments(name, text, style)
        if "out" not in inspect.signature(op.function).parameters:
            continue
        expected = attempted(call, op, given)
        if isinstance(expected, Exception) or any(t.dtype is sg.bool for t in expected):
            continue
        outs = tuple(lazy_conj(sg.zeros_like(t)) for t in expected)
        given["out"] = outs if len(outs) > 1 else outs[0]
        assert_same(attempted(call, op, given), expected, f"{name}({text}, out=) in {style.dtype}")
        assert_same(outs, expected, f"out of {name}({text}) in {style.dtype}")
