"""Indices of int32 take the plans of those of int64: contiguous ones are widened by a call before the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch.kernel_ops.kernel_op import kernel_ops
from specgrad.runtime.native.check_mode import native_alone

rng = np.random.default_rng(0)
X, ROWS = rng.standard_normal((5, 4)), rng.standard_normal((3, 4))
AT, ALL = np.array([3, 0, 4]), np.array([[1, 0, 3, 4]] * 3)
DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.int64, sg.int16]
# An op's name, its call with a tensor, an index and rows, and which of the two indices it takes.
CALLS: list[tuple[str, Callable[..., Any], np.ndarray]] = [
    ("index_select", lambda x, i, rows: x.index_select(0, i), AT),
    ("index_select", lambda x, i, rows: x.index_select(-1, i % 4), AT),
    ("gather", lambda x, i, rows: x.gather(0, i), ALL),
    ("index_add", lambda x, i, rows: x.index_add(0, i, rows), AT),
    ("index_add", lambda x, i, rows: x.index_add_(0, i, rows), AT),
    ("scatter", lambda x, i, rows: x.scatter(0, i, rows), ALL),
    ("scatter", lambda x, i, rows: x.scatter_(0, i, rows), ALL),
    ("scatter_add", lambda x, i, rows: x.scatter_add(0, i, rows), ALL),
    ("scatter_reduce", lambda x, i, rows: x.scatter_reduce(0, i, rows, "amin"), ALL),
    ("index", lambda x, i, rows: sg.runtime.namespace.op.index(x, [None, i - 1]), AT),
    ("index_put", lambda x, i, rows: x.index_put([i], rows), AT),
    ("index_put", lambda x, i, rows: x.index_put_([i - 5], rows, True), AT),
    ("embedding", lambda x, i, rows: sg.nn.functional.embedding(i, x) if x.is_floating_point() else x, ALL),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_values(number: int, dtype: Any) -> None:
    """The same as for int64, also of an index whose elements lie apart."""
    _, call, at = CALLS[number]
    x, rows = sg.tensor(X * 9).to(dtype), sg.tensor(ROWS * 9).to(dtype)
    requested = call(x.clone(), sg.tensor(at), rows)
    separate = sg.tensor(np.repeat(at, 2, -1), dtype=sg.int32)[..., ::2]
    for index in (sg.tensor(at, dtype=sg.int32), separate, sg.tensor(at, dtype=sg.int32), sg.tensor(at)):
        found = call(x.clone(), index, rows)
        assert found.dtype is requested.dtype
        np.testing.assert_array_equal(found.double().numpy(), requested.double().numpy())


@pytest.mark.parametrize("name", ["index_select", "gather", "index_add", "scatter", "scatter_add", "index"])
def test_native_code_answers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, call, at = next(each for each in CALLS if each[0] == name)
    op, answers = kernel_ops[name], list[Any]()
    launch = op.launch
    monkeypatch.setattr(op, "launch", lambda *arguments: answers.append(launch(*arguments)) or answers[-1])
    with native_alone():
        for _ in range(2):
            answers.clear()
            call(sg.tensor(X), sg.tensor(at, dtype=sg.int32), sg.tensor(ROWS))
    assert answers[0] is not None


def test_outside() -> None:
    x, rows = sg.zeros(5, 4), sg.ones(3, 4)
    for at in (AT, AT + 1, AT + 1):
        index, outside = sg.tensor(at, dtype=sg.int32), bool(at.max() > 4)
        for call in (lambda i: x.index_select(0, i), lambda i: x.index_add_(0, i, rows)):
            if outside:
                with pytest.raises((IndexError, RuntimeError), match="index 5 is out of bounds"):
                    call(index)
            else:
                call(index)
    assert x.sum().item() == 12


def test_gradients() -> None:
    for _ in range(2):
        x = sg.tensor(X, requires_grad=True)
        (x.index_select(0, sg.tensor(AT, dtype=sg.int32)) * sg.tensor(ROWS)).sum().backward()
        requested = np.zeros((5, 4))
        requested[AT] = ROWS
        np.testing.assert_array_equal(x.grad.numpy(), requested)
