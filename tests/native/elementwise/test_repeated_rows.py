"""Short rows, of which many are computed at once: one that every row meets, a number for each, rows that lie apart;
rows written in place; and one tensor that lies apart in memory, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops import arithmetic

rng = np.random.default_rng(0)
# Rows that a tile holds many of, few of, and none; more rows than it holds; rows of several outer ones.
SHAPES = [
    ((100, 10), (10,)), ((3, 90, 33), (33,)), ((4, 70, 9), (4, 1, 9)), ((500, 127), (127,)), ((70, 700), (700,)),
    ((2000, 8), (1, 8)), ((2, 3, 80, 12), (3, 1, 12)), ((63, 10), (10,)), ((300, 3), (300, 1)), ((80, 64), (80, 1)),
    ((3, 90, 17), (3, 90, 1)), ((90, 600), (90, 1)), ((4, 70, 5), (70, 1)), ((1, 90, 16), (5, 1, 16)),
]  # fmt: skip
WIDTHS = (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 130)
DTYPES = (sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64)


def sampled(shape: tuple[int, ...], dtype: Any) -> Any:
    return sg.tensor(rng.integers(-10, 11, shape)).to(dtype)  # of which any dtype has the sums


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "short"), SHAPES)
def test_values(shape: tuple[int, ...], short: tuple[int, ...], dtype: Any) -> None:
    """In either order of the operands; the second call is native code's."""
    x, row = sampled(shape, dtype), sampled(short, dtype)
    a, b = x.to(sg.float64).numpy(), row.to(sg.float64).numpy()
    for _ in range(2):
        np.testing.assert_array_equal((x - row).to(sg.float64).numpy(), a - b)
        np.testing.assert_array_equal((row - x).to(sg.float64).numpy(), b - a)
        np.testing.assert_array_equal((x > row).numpy(), a > b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "short"), SHAPES[:-1])
def test_in_place(shape: tuple[int, ...], short: tuple[int, ...], dtype: Any) -> None:
    x, row = sampled(shape, dtype), sampled(short, dtype)
    expected, given = x.to(sg.float64).numpy().copy(), row.to(sg.float64).numpy()
    for k in range(3):
        version = x._version
        assert x.sub_(row, alpha=k + 1) is x
        expected -= (k + 1) * given
        np.testing.assert_array_equal(x.to(sg.float64).numpy(), expected)
        assert x._version == version + 1


def test_native_code_writes_rows_that_it_knows() -> None:
    """From the second time on."""
    op, row = arithmetic.kernels.MUL_TENSOR, sg.full((11,), 2.0)
    x = sg.ones(150, 11)
    x.mul_(row)
    assert op.launch_in_place(x, row) is x
    np.testing.assert_array_equal(x.numpy(), 4)


def test_what_native_code_leaves_alone() -> None:
    """Operands of one memory, results of another shape, and what has to be recorded go the general way."""
    op, row, x = arithmetic.kernels.MUL_TENSOR, sg.full((11,), 2.0), sg.ones(150, 11)
    x.mul_(row)
    assert op.launch_in_place(x, x[3]) is None
    with pytest.raises(RuntimeError, match="single memory location"):
        x.mul_(x[3])
    with pytest.raises(RuntimeError, match="mul_"):
        row.mul_(sg.ones(150, 11))
    with pytest.raises(RuntimeError, match="leaf"):
        sg.ones(150, 11).requires_grad_().mul_(row)
    y = (sg.ones(150, 11).requires_grad_() * 1.0).mul_(row)
    assert y.grad_fn is not None and y.requires_grad


def test_gradients_after_a_write() -> None:
    """A write to what is kept for backward is noticed, native or not."""
    row, w = sg.full((11,), 2.0), sg.ones(150, 11).requires_grad_()
    for _ in range(3):
        x = sg.ones(150, 11)
        loss = (w * x).sum()
        x.add_(row)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_rows_that_threads_share() -> None:
    """Each of them has a tile of its own."""
    before = sg.get_num_threads()
    x, row = sampled((40_000, 10), sg.float64), sampled((10,), sg.float64)
    try:
        sg.set_num_threads(2)
        for _ in range(3):
            np.testing.assert_array_equal((x + row).numpy(), x.numpy() + row.numpy())
    finally:
        sg.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_rows_that_lie_apart(width: int, dtype: Any) -> None:
    """Both of them, and beside one that does not, one that is repeated, and numbers; to the last row of the memory."""
    x, y, row, column = sampled((70, width + 1), dtype), *(sampled(s, dtype) for s in ((70, width), (width,), (70, 1)))
    a, b, c, d = (t.to(sg.float64).numpy() for t in (x, y, row, column))
    for _ in range(2):
        np.testing.assert_array_equal((x[:, 1:] - x[:, :-1]).to(sg.float64).numpy(), a[:, 1:] - a[:, :-1])
        np.testing.assert_array_equal((x[:, 1:] - y).to(sg.float64).numpy(), a[:, 1:] - b)
        np.testing.assert_array_equal((row - x[:, 1:]).to(sg.float64).numpy(), c - a[:, 1:])
        np.testing.assert_array_equal((x[:, 1:] * column).to(sg.float64).numpy(), a[:, 1:] * d)
        np.testing.assert_array_equal((column < row).numpy(), d < c)


SINGLE = {
    "number added": (lambda x: x + 3, lambda a: a + 3), "product": (lambda x: x * 2, lambda a: a * 2),
    "added twice": (lambda x: sg.add(x, 2, alpha=3), lambda a: a + 6), "compared": (lambda x: x > 1, lambda a: a > 1),
    "negative": (lambda x: -x, lambda a: -a), "clamped": (lambda x: x.clamp(-2, 3), lambda a: a.clip(-2, 3)),
    "size": (lambda x: x.abs(), np.abs), "remainder": (lambda x: x % 4, lambda a: a % 4),
    "equal": (lambda x: x == 0, lambda a: a == 0), "square": (lambda x: x.square(), np.square),
}  # fmt: skip
VIEWS = {
    "columns": lambda x: x[:, 3:40], "part of three dimensions": lambda x: x.view(30, 10, 50)[:, 2:7],
    "every second row": lambda x: x[::2], "transposed": lambda x: x.t()[:, 1:], "every second": lambda x: x[:, ::2],
    "one row": lambda x: x[:1].expand(200, 50), "one column": lambda x: x[:, :1].expand(300, 60),
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", SINGLE)
def test_one_tensor_that_lies_apart(name: str, view: str, dtype: Any) -> None:
    """With a number beside it or none: from the second call on native code runs it row by row."""
    run, numpys = SINGLE[name]
    x = VIEWS[view](sampled((300, 50), dtype))
    expected = numpys(x.to(sg.float64).numpy())
    for _ in range(3):
        result = run(x)
        assert result.dtype is (sg.bool if expected.dtype == bool else dtype)
        np.testing.assert_array_equal(result.to(sg.float64).numpy(), expected.astype(float))


def test_gradients_of_one_tensor_that_lies_apart() -> None:
    """Of products with numbers, powers, and views of what was computed so."""
    w = sg.ones(300, 50, requires_grad=True)
    for k in range(1, 4):
        part = w[:, 5:30]
        loss = (part * 2).sum() + (part.square() + 1).sum() + ((part * 3)[::2, 4:] ** 2).sum() + (part / 4).sum()
        loss.backward()
        expected = np.zeros((300, 50))
        expected[:, 5:30] = 4.25
        expected[::2, 9:30] += 18
        np.testing.assert_array_equal(w.grad.numpy(), k * expected)


def test_native_code_runs_one_tensor_whose_rows_it_knows() -> None:
    x, op = sg.ones(300, 50)[:, 3:40], arithmetic.kernels.NEG
    assert (-x).sum() == -300 * 37
    assert op.launch(x) is not None
    assert op.launch(sg.ones(8192, 600)[:, 3:520]) is None  # too many to be brought together
