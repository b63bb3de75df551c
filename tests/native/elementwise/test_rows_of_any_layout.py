"""Element-wise ops on tensors of random layouts, which native code goes through row by row, beside NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

DTYPES = (sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int8)
EXTENTS = (2, 3, 5, 8, 17)
MIN_VALUE = 100  # elements, so that rows are looked for at all


def drawn_layout(rng: np.random.Generator) -> tuple[tuple[int, ...], list[tuple[Any, ...]]]:
    """A shape of two to seven dimensions, and of two operands: which are 1, an order in memory, gaps, and steps."""
    while True:
        shape = tuple(map(int, rng.choice(EXTENTS, rng.integers(2, 8))))
        if MIN_VALUE < np.prod(shape) < 60_000:
            break
    operands = []
    for _ in range(2):
        order = [*map(int, rng.permutation(len(shape)))] if rng.random() < 0.5 else [*range(len(shape))]
        steps = np.where(rng.random(len(shape)) < 0.15, 2, 1)
        operands.append((rng.random(len(shape)) < 0.2, order, rng.random(len(shape)) < 0.3, steps))
    return shape, operands


def sampled(rng: np.random.Generator, shape: tuple[int, ...], layout: tuple[Any, ...], dtype: Any) -> Any:
    """A tensor of small whole numbers with a layout: of which any dtype has sums and products."""
    ones, order, gaps, steps = layout
    requested = [1 if one else extent for one, extent in zip(ones, shape, strict=True)]
    stored = [(requested[dim] + 3 * int(gaps[dim])) * steps[dim] for dim in order]
    full = sg.tensor(rng.integers(-10, 11, stored)).to(dtype)
    transposed = full.permute([order.index(dim) for dim in range(len(shape))])
    parts = zip(gaps, requested, steps, strict=True)
    return transposed[tuple([slice(int(gap) * step, (int(gap) + extent) * step, step) for gap, extent, step in parts])]


def exact(x: Any) -> np.ndarray:
    return x.to(sg.float64).numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(60))
def test_values(seed: int, dtype: Any) -> None:
    """The first call finds the rows, the second is native code's; so is one whose result is written in place."""
    rng = np.random.default_rng(seed)
    shape, layouts = drawn_layout(rng)
    x, y = (sampled(rng, shape, layout, dtype) for layout in layouts)
    a, b = exact(x), exact(y)
    into = sg.zeros(np.broadcast_shapes(a.shape, b.shape), dtype=dtype)
    for _ in range(2):
        np.testing.assert_array_equal(exact(x.sub(y, alpha=3)), a - 3 * b)
        np.testing.assert_array_equal(exact(x * y), a * b)
        np.testing.assert_array_equal((x >= y).numpy(), a >= b)
        np.testing.assert_array_equal(exact(x.abs()), abs(a))
        np.testing.assert_array_equal(exact(x + 2), a + 2)
        into.copy_(x)
        np.testing.assert_array_equal(exact(into.sub_(y)), np.broadcast_to(a, into.shape) - b)


@pytest.mark.parametrize("seed", range(20))
def test_functions_that_compute_much(seed: int) -> None:
    """Of these short rows are brought together: the same bits as of contiguous operands."""
    rng = np.random.default_rng(seed)
    shape, layouts = drawn_layout(rng)
    x, y = (sampled(rng, shape, layout, sg.float32) for layout in layouts)
    one, other = (each.clone(memory_format=sg.contiguous_format) for each in sg.broadcast_tensors(x, y))
    for _ in range(2):
        assert sg.equal(sg.atan2(x, y), sg.atan2(one, other))
        assert sg.equal(x.sin().expand_as(one), one.sin())


def test_gradients_of_rows() -> None:
    """What is recorded of a result that native code has computed row by row."""
    x, y = sg.randn(6, 4, 50).permute(1, 0, 2).requires_grad_(), sg.randn(6, 1, 50, requires_grad=True)
    for _ in range(2):
        x.grad = y.grad = None
        (x * y[:, 0]).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), np.broadcast_to(y.detach().numpy()[:, 0], x.shape))
        np.testing.assert_allclose(y.grad.numpy(), x.detach().numpy().sum(0)[:, None], rtol=1e-5, atol=1e-5)


@pytest.mark.cpu("several threads of the CPU")
def test_threads_share_rows() -> None:
    """The same bits with one thread and with two, of many loops."""
    rng, before = np.random.default_rng(0), sg.get_num_threads()
    x = sg.tensor(rng.standard_normal((7, 40, 3, 90), dtype=np.float32)).permute(2, 0, 1, 3)
    y = sg.tensor(rng.standard_normal((7, 3, 40, 90), dtype=np.float32)).permute(1, 0, 2, 3)
    try:
        sg.set_num_threads(1)
        expected = [x + y for _ in range(2)][1]
        sg.set_num_threads(2)
        assert all(sg.equal(x + y, expected) for _ in range(5))
    finally:
        sg.set_num_threads(before)
    np.testing.assert_array_equal(expected.numpy(), x.numpy() + y.numpy())


def test_order_of_results() -> None:
    """A result lies in the order of its operands, also where native code knows rows of contiguous ones of these
    shapes."""
    x = sg.randn(50, 64).t()
    for _ in range(2):
        assert (x.contiguous() + x.contiguous()[:1]).stride() == (50, 1)
        assert (x + x[:1]).stride() == (1, 64)
        assert (x[::2] + x[:1, :]).stride() == (1, 32)
        assert (x.t()[:, ::2] * x.t()[:, :1]).stride() == (32, 1)


def test_views_whose_history_is_lost() -> None:
    """A view that was made in inference mode, and whose base has been written to since, is refused by ops that would
    pack it: its copy has no history that says so."""
    weights = sg.ones(2, dtype=sg.float64)
    for _ in range(3):
        base = sg.ones(2, 3, dtype=sg.float64, requires_grad=True)
        with sg.inference_mode():
            view = base.select(1, 0)
        assert (view * weights).requires_grad
        with sg.inference_mode():
            base.t_()
        with pytest.raises(RuntimeError, match="inference mode"):
            view * weights
