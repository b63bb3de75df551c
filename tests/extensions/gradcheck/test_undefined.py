"""Missing gradients and tangents: gradcheck finds Functions that do not take them for zeros."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.gradcheck import GradcheckError

gradcheck = sg.autograd.gradcheck
both_modes = pytest.mark.parametrize("fast_mode", [False, True])
calls: list[Any] = []


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """Each test counts its own calls."""
    calls.clear()


def values(t: Any) -> Any:
    """A tensor as a list; None stays None."""
    return None if t is None else t.tolist()


def point() -> Any:
    """An input that requires grad."""
    return sg.tensor([0.5, -1.0], dtype=sg.float64, requires_grad=True)


def single(when_missing: Any) -> Any:
    """x * 2, whose backward calls `when_missing` when it gets no gradient."""

    class Single(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return when_missing() if grad is None else grad * 2

    return Single.apply


def fail() -> Any:
    """A backward that refuses."""
    raise RuntimeError("no gradient")


@both_modes
def test_nothing_or_zeros_are_right(fast_mode: bool) -> None:
    """What backward gives without any gradient."""
    assert gradcheck(single(lambda: None), point(), fast_mode=fast_mode)
    assert gradcheck(single(lambda: sg.zeros(2, dtype=sg.float64)), point(), fast_mode=fast_mode)


@both_modes
@pytest.mark.parametrize("around", [lambda f: f, lambda f: lambda x: f(x.sin()) * 3], ids=["alone", "inside"])
def test_anything_else_is_found(around: Any, fast_mode: bool) -> None:
    """In the Function that makes the output and in those before it; check_undefined_grad=False does not look."""
    ones = around(single(lambda: sg.ones(2, dtype=sg.float64)))
    with pytest.raises(GradcheckError, match="Expected all input grads to be undefined or zero when all output grads"):
        gradcheck(ones, point(), fast_mode=fast_mode)
    refusing = around(single(fail))
    with pytest.raises(
        GradcheckError, match="Expected backward function to handle undefined output grads.*no gradient"
    ):
        gradcheck(refusing, point(), fast_mode=fast_mode)
    assert gradcheck(ones, point(), check_undefined_grad=False, fast_mode=fast_mode)
    assert gradcheck(refusing, point(), check_undefined_grad=False, fast_mode=fast_mode)


def test_errors_of_other_classes_come_through() -> None:
    """As in PyTorch: arithmetic with None is a TypeError."""
    with pytest.raises(TypeError):
        gradcheck(single(lambda: None * sg.ones(2)), point())


class Pair(sg.autograd.Function):
    """x * 2 and x * 3, noting which gradients come."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, a: Any, b: Any) -> Any:
        calls.append((values(a), values(b)))
        parts = [part for part in (a if a is None else a * 2, b if b is None else b * 3) if part is not None]
        return sum(parts[1:], parts[0]) if parts else None


def test_all_combinations_are_tried() -> None:
    """Each output alone, twice for each row; then zeros, nothing, and each one missing among zeros."""
    assert gradcheck(Pair.apply, point())
    rows: list[Any] = [[1.0, 0.0], [0.0, 1.0]] * 2
    zeros = [0.0, 0.0]
    expected = [(row, None) for row in rows] + [(None, row) for row in rows]
    assert calls == [*expected, (zeros, zeros), (None, None), (None, zeros), (zeros, None)]


def test_fast_mode_needs_two_passes_for_each_output() -> None:
    """With the same vector both times."""
    assert gradcheck(Pair.apply, point(), fast_mode=True)
    assert len(calls) == 4 + 4 and calls[0] == calls[1] and calls[2] == calls[3]
    assert calls[0][1] is None and calls[2][0] is None


@both_modes
def test_one_missing_among_several_is_found(fast_mode: bool) -> None:
    """A backward that needs both gradients."""

    class NeedsBoth(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            return None if b is None else (b * 3 if a is None else a * 2 + b * 3)

    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(NeedsBoth.apply, point(), fast_mode=fast_mode)


def tangents(when_missing: Any) -> Any:
    """x * y, whose jvp adds `when_missing()` when x has no tangent."""

    class Product(sg.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.x, ctx.y = inputs
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return (None, None) if grad is None else (grad * ctx.y, grad * ctx.x)

        @staticmethod
        def jvp(ctx: Any, x_t: Any, y_t: Any) -> Any:
            calls.append((values(x_t), values(y_t)))
            parts = [when_missing() if x_t is None else x_t * ctx.y, None if y_t is None else y_t * ctx.x]
            return sum((part for part in parts if part is not None), sg.zeros(2, dtype=sg.float64))

    return Product.apply


@both_modes
def test_missing_tangents_count_as_zeros(fast_mode: bool) -> None:
    """For each input the tangent is left out and made zero, with a random one of the other input."""
    assert gradcheck(tangents(lambda: 0), (point(), point()), check_forward_ad=True, fast_mode=fast_mode)
    assert len(calls) == (2 if fast_mode else 4) + 4
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = calls[-4:]
    assert (x0, x1, y2, y3) == ([0.0, 0.0], None, [0.0, 0.0], None)
    assert y0 == y1 != [0.0, 0.0] and x2 == x3 != [0.0, 0.0]


@both_modes
def test_wrong_treatment_of_missing_tangents_is_found(fast_mode: bool) -> None:
    """The message says for which output and input, and shows both results."""
    func = tangents(lambda: 1)
    with pytest.raises(
        GradcheckError,
        match=r"(?s)Mismatch in tangent values for output with index: 0 when input: tensor.* Got: .* but expected: ",
    ):
        gradcheck(func, (point(), point()), check_forward_ad=True, fast_mode=fast_mode)
    inputs = (point(), point())
    assert gradcheck(func, inputs, check_forward_ad=True, check_undefined_grad=False, fast_mode=fast_mode)
    with pytest.raises(RuntimeError, match="no gradient"):
        gradcheck(tangents(fail), inputs, check_forward_ad=True, fast_mode=fast_mode)
