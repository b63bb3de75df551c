"""out= of ops with several outputs: a tuple of tensors, one for each, which come back under the outputs' names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg


def blank(dtype: Any = None) -> sg.Tensor:
    """A tensor to be resized."""
    return sg.empty(0, dtype=dtype)


def test_the_tensors_themselves_come_back() -> None:
    """Filled, counted as written and resized, in the named tuple that the op returns; a list stands for a tuple."""
    x, values, indices = sg.tensor([3.0, 1.0, 2.0]), blank(), blank(sg.int64)
    found = sg.sort(x, out=(values, indices))
    assert found.values is values and found.indices is indices
    assert values.tolist() == [1.0, 2.0, 3.0] and indices.tolist() == [1, 2, 0]
    assert values._version == indices._version == 1
    assert sg.sort(x, out=[values, indices]).values is values


def test_overloads_with_one_output_and_with_two() -> None:
    """`max` takes a tensor, or with `dim` two."""
    x, out = sg.tensor([[1.0, 5.0], [4.0, 2.0]]), blank()
    assert sg.max(x, out=out) is out and out.item() == 5.0
    values, indices = sg.max(x, dim=1, out=(blank(), blank(sg.int64)))
    assert values.tolist() == [5.0, 4.0] and indices.tolist() == [1, 0]


def test_linear_algebra() -> None:
    """The ops of `linalg`, `special` and `fft` take out= too, whatever dtypes their outputs have."""
    a = sg.tensor([[2.0, 1.0], [1.0, 3.0]])
    packed, pivots = sg.linalg.lu_factor(a, out=(blank(), blank(sg.int32)))
    assert sg.allclose(sg.linalg.lu_solve(packed, pivots, a), sg.eye(2), atol=1e-6)
    q, r = sg.linalg.qr(a, out=(blank(), blank()))
    assert sg.allclose(q @ r, a)
    assert sg.linalg.inv(a, out=q) is q and sg.allclose(q @ a, sg.eye(2), atol=1e-6)
    assert sg.special.erf(a, out=r) is r and sg.equal(r, a.erf())
    assert sg.fft.fft(a, out=blank(sg.complex64)).shape == (2, 2)


def test_others_than_empty_ones_are_resized_with_a_warning() -> None:
    """Each of them."""
    values, indices = sg.empty(1), sg.empty(0, dtype=sg.int64)
    with pytest.warns(UserWarning, match=r"topk\(\): An output .* was resized since it had shape \[1\].* \[2\]"):
        sg.topk(sg.arange(3.0), 2, out=(values, indices))
    assert values.tolist() == [2.0, 1.0] and indices.tolist() == [2, 1]


BAD: list[tuple[type[Exception], str, Callable[[sg.Tensor], Any]]] = [
    (TypeError, "argument 'out' must be tuple of Tensors, not Tensor", lambda x: sg.sort(x, out=x)),
    (TypeError, "expected tuple of 2 elements but got 1", lambda x: sg.sort(x, out=(x,))),
    (TypeError, "expected Tensor as element 1, but got NoneType", lambda x: sg.sort(x, out=(x, None))),
    (RuntimeError, "out tensor 1 to have dtype .*int64, but got .*float32", lambda x: sg.sort(x, out=(x, blank()))),
    (RuntimeError, "out tensor 0 to have dtype .*float32", lambda x: sg.frexp(x, out=(blank(sg.float64), blank()))),
    (
        RuntimeError,
        "out=... arguments don't support automatic differentiation",
        lambda x: sg.sort(x * sg.ones(3, requires_grad=True), out=(x, blank(sg.int64))),
    ),
]


@pytest.mark.parametrize("error, message, call", BAD, ids=[case[1] for case in BAD])
def test_errors(error: type[Exception], message: str, call: Callable[[sg.Tensor], Any]) -> None:
    """What cannot take the results is refused by name, before anything is written."""
    x = sg.tensor([3.0, 1.0, 2.0])
    with pytest.raises(error, match=rf"\w+\(\): .*{message}"):
        call(x)
    assert x.tolist() == [3.0, 1.0, 2.0]
