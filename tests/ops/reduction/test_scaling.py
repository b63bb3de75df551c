"""Totals whose terms leave the range of the dtype on the way, although the result does not: norms, deviations, sums and
means, and their gradients, against 50 decimal digits."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import specgrad as sg

INF = float("inf")
SCALES = {
    sg.float32: (1.0, 1e20, 3e37, 1e-20, 1e-30),
    sg.float64: (1.0, 1e160, 3e307, 1e-160, 1e-200),
    sg.bfloat16: (1.0, 1e20, 1e-30),
    sg.float16: (1.0, 1e4, 1e-3),
}
TOLERANCE = {sg.float32: 2e-6, sg.float64: 1e-14, sg.bfloat16: 2e-2, sg.float16: 3e-3}
CASES = [(dtype, scale) for dtype, scales in SCALES.items() for scale in scales]
LARGEST = {sg.float32: 3.4e38, sg.float64: 1.79e308, sg.bfloat16: 3.38e38, sg.float16: 65504.0}
ROW = [1.0, -2.0, 0.5, 0.25, 1.5]


@pytest.fixture(autouse=True)
def digits() -> Any:
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 50, 10**6, -(10**6)
        yield


def tensor(values: Sequence[float], dtype: Any, scale: float) -> Any:
    return sg.tensor([value * scale for value in values], dtype=dtype, requires_grad=True)


def exact(x: Any) -> list[Decimal]:
    return [Decimal(value) for value in x.detach().double().reshape(-1).tolist()]


def exact_norm(x: Sequence[Decimal], p: float) -> Decimal:
    sizes = [abs(value) for value in x]
    if abs(p) == INF:
        return max(sizes) if p > 0 else min(sizes)
    return sum((size ** Decimal(p) for size in sizes), Decimal(0)) ** (1 / Decimal(p))


def close(found: Any, right: Sequence[Decimal], dtype: Any, factor: float = 1) -> None:
    expected = [float(value) for value in right]
    tolerance = factor * TOLERANCE[dtype]
    np.testing.assert_allclose(found.detach().double().reshape(-1).tolist(), expected, tolerance, 0)


@pytest.mark.parametrize("p", [2, 1, 3, 1.5, 0.5, -1, -2.5, INF, -INF])
@pytest.mark.parametrize(("dtype", "scale"), CASES, ids=str)
def test_norms_of_any_order(dtype: Any, scale: float, p: float) -> None:
    """The norm and its gradient sgn(x) (|x| / norm)^(p - 1): of a row, a column, and all of a matrix."""
    for shape, dim in (((5,), None), ((1, 5), 1), ((5, 1), 0), ((5, 1), None)):
        x = tensor(ROW, dtype, scale).detach().reshape(shape).requires_grad_()
        values = exact(x)
        norm = exact_norm(values, p)
        if norm > LARGEST[dtype]:
            continue
        result = sg.linalg.vector_norm(x, p, dim)
        close(result, [norm], dtype)
        (grad,) = sg.autograd.grad(result.sum(), x)
        if abs(p) == INF:
            right = [Decimal(int(abs(v) == norm)).copy_sign(v) for v in values]
        else:
            right = [((abs(v) / norm) ** (Decimal(p) - 1)).copy_sign(v) for v in values]
        close(grad, right, dtype, 1 + abs(p) if abs(p) < INF else 1)


@pytest.mark.parametrize(("dtype", "scale"), CASES, ids=str)
def test_many_rows_and_columns_beside_ordinary_ones(dtype: Any, scale: float) -> None:
    """Rows of different scales do not see each other; the same along columns, for several dimensions, and in a view."""
    rows = sg.tensor([[3.0, 4.0], [3.0 * scale, 4.0 * scale], [0.0, 0.0], [5.0, 12.0]], dtype=dtype)
    right = [exact_norm(exact(row), 2) for row in rows]
    for x, dim in ((rows, 1), (rows.T.contiguous(), 0), (rows.T, 0), (rows.reshape(4, 1, 2), (1, 2))):
        leaf = x.detach().requires_grad_()
        result = leaf.norm(dim=dim)
        close(result, right, dtype)
        (grad,) = sg.autograd.grad(result.sum(), leaf)
        units = grad.T if x.shape[0] == 2 else grad.reshape(4, 2)
        close(units[0], [Decimal("0.6"), Decimal("0.8")], dtype)
        close(units[1], [v / right[1] for v in exact(rows[1])], dtype)
        assert units[2].tolist() == [0, 0]


@pytest.mark.parametrize("count", [7, 700, 5000, 200_000])
@pytest.mark.parametrize(("dtype", "scale"), [(sg.float32, 1e20), (sg.float32, 1e-30), (sg.float64, 1e200)], ids=str)
def test_long_rows(dtype: Any, scale: float, count: int) -> None:
    """Rows that are added in blocks, and in chunks: n equal numbers have sqrt(n) times their size."""
    x = sg.full((count,), scale, dtype=dtype, requires_grad=True)
    result = x.norm()
    np.testing.assert_allclose(result.item(), scale * count**0.5, 1e-5)
    (grad,) = sg.autograd.grad(result, x)
    np.testing.assert_allclose(grad[:3].tolist(), [count**-0.5] * 3, 1e-5)


@pytest.mark.parametrize(("dtype", "scale"), CASES, ids=str)
def test_deviations(dtype: Any, scale: float) -> None:
    """std, and var where it is a number of the dtype, with gradients (x - mean) / std / (n - 1)."""
    for shape, dim in (((5,), None), ((1, 5), 1), ((5, 1), 0)):
        x = tensor(ROW, dtype, scale).detach().reshape(shape).requires_grad_()
        values = exact(x)
        mean = sum(values, Decimal(0)) / 5
        variance = sum(((v - mean) ** 2 for v in values), Decimal(0)) / 4
        for result in (sg.std(x, dim), sg.std_mean(x, dim)[0]):
            close(result, [variance.sqrt()], dtype, 2)
            (grad,) = sg.autograd.grad(result.sum(), x)
            np.testing.assert_allclose(
                grad.double().reshape(-1).tolist(),
                [float((v - mean) / variance.sqrt() / 4) for v in values],
                0,
                4 * TOLERANCE[dtype],
            )
        if 1e-4 < variance < LARGEST[dtype]:
            close(sg.var(x, dim), [variance], dtype, 2)


def test_a_variance_whose_squares_add_up_to_more_than_it() -> None:
    """100 numbers of 1.5e19 and -1.5e19 have the variance 2.25e38, a float32, although two squares are none."""
    x = sg.tensor([1.5e19, -1.5e19] * 50)
    np.testing.assert_allclose(x.var(correction=0).item(), 2.25e38, 1e-6)
    np.testing.assert_allclose(x.reshape(50, 2).var(1, correction=0).tolist(), [2.25e38] * 50, 1e-6)


@pytest.mark.parametrize("count", [2, 3, 64, 1000, 5000, 200_000])
@pytest.mark.parametrize("dtype", SCALES, ids=str)
def test_sums_and_means_near_the_end_of_the_range(dtype: Any, count: int) -> None:
    """The mean of equal numbers is that number, and the sum of as many of either sign 0, in rows and in columns."""
    top = sg.tensor(0.9 * LARGEST[dtype], dtype=dtype).item()
    same = sg.full((count,), top, dtype=dtype)
    rows = same.expand(3, count).contiguous()
    for result in (same.mean(), rows.mean(), rows.mean(1), rows.T.contiguous().mean(0), rows.T.mean(0)):
        np.testing.assert_allclose(result.double().tolist(), np.full(result.shape, top), TOLERANCE[dtype])
    if count % 2 == 0:
        rows[:, : count // 2] *= -1
        for result in (rows[0].sum(), rows.sum(), rows.sum(1), rows.T.contiguous().sum(0)):
            assert not result.double().numpy().any()


def test_sixteen_bits_are_added_in_more() -> None:
    """Totals of float16 and bfloat16 are rounded once."""
    assert sg.full((5000,), 1.0, dtype=sg.bfloat16).sum().item() == 4992  # the bfloat16 next to 5000
    assert sg.full((4096,), 100.0, dtype=sg.float16).norm().item() == 6400
    assert sg.full((70_000,), 1.0, dtype=sg.float16).mean().item() == 1
    assert sg.full((70_000,), 1.0, dtype=sg.float16).nanmean().item() == 1
    assert sg.full((1000,), 300.0, dtype=sg.float16).std().item() == 0


@pytest.mark.parametrize(("dtype", "scale"), [(sg.complex64, 1e20), (sg.complex64, 1e-30), (sg.complex128, 1e-200)])
def test_complex_norms_and_deviations(dtype: Any, scale: float) -> None:
    """|3 + 4i| is 5 at any scale, and the deviation of z and -z is sqrt(2) |z|."""
    x = sg.tensor([3 * scale + 4j * scale, 0], dtype=dtype, requires_grad=True)
    (grad,) = sg.autograd.grad(x.norm(), x)
    np.testing.assert_allclose(x.norm().item(), 5 * scale, 1e-6)
    np.testing.assert_allclose(grad.tolist(), [0.6 + 0.8j, 0], 1e-6)
    pair = sg.tensor([3 * scale + 4j * scale, -3 * scale - 4j * scale], dtype=dtype)
    np.testing.assert_allclose(pair.std().item(), 5 * scale * 2**0.5, 1e-6)


@pytest.mark.parametrize("p", [-1, -2, -0.5, -3.0])
def test_norms_of_negative_order_at_zero(p: float) -> None:
    """A norm of negative order is 0 where one number is, with gradients 0, of which the gradient is finite."""
    for values in ([0.0, 3.0], [0.0, 0.0], [0.0, 0.0, 2.0]):
        x = sg.tensor(values, dtype=sg.float64, requires_grad=True)
        (grad,) = sg.autograd.grad(sg.linalg.vector_norm(x, p), x, create_graph=True)
        assert grad.tolist() == [0] * len(values)
        assert sg.autograd.grad(grad.sum(), x)[0].isfinite().all()


@pytest.mark.parametrize("p", [2, 3, 1.5, 0.5, -2])
@pytest.mark.parametrize("scale", [3e20, 1e-30])
def test_the_norm_of_one_number(p: float, scale: float) -> None:
    """It is the absolute value, for every order but 0, with slope 1."""
    x = sg.tensor([[scale], [-scale]], requires_grad=True)
    result = sg.linalg.vector_norm(x, p, dim=1)
    assert result.tolist() == x.detach().abs().reshape(-1).tolist()
    assert sg.autograd.grad(result.sum(), x)[0].tolist() == [[1], [-1]]


def test_a_share_that_underflows_has_no_gradient() -> None:
    """(|x| / norm)^(p - 1) is 0 where |x| / norm is; not 1, as of numbers that are 0 themselves."""
    x = sg.tensor([1e-30, 1e30], requires_grad=True)
    assert sg.autograd.grad(x.norm(3), x)[0].tolist() == [0, 1]


@pytest.mark.parametrize("offset", [0.0, 40.0, 1e4, 1e8, -1e8])
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_logsumexp_far_from_zero_has_the_softmax_as_gradient(offset: float, layout: str) -> None:
    """Although the rounding of the result is larger than the differences of the numbers."""
    rows = sg.tensor([[0.0, 0.0, 16.0], [8.0, 8.0, 8.0]]) + offset
    x = (rows if layout == "rows" else rows.T.contiguous()).requires_grad_()
    (grad,) = sg.autograd.grad(x.logsumexp(int(layout == "rows")).sum(), x)
    values = rows.detach().double().numpy()
    powers = np.exp(values - values.max(1, keepdims=True))
    found = grad if layout == "rows" else grad.T
    np.testing.assert_allclose(found.numpy(), powers / powers.sum(1, keepdims=True), 2e-5, 1e-8)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_pooled_norms_and_correlations_at_any_scale(scale: float) -> None:
    """Squares that float32 does not have are not seen in roots of their sums, nor in quotients."""
    x = sg.tensor([3.0, 4.0, 1.0]) * scale
    x.requires_grad_()
    pooled = sg.nn.functional.lp_pool1d(x[None, :2], 2, 2)
    (slope,) = sg.autograd.grad(pooled.sum(), x)
    assert pooled.item() == pytest.approx(5 * scale, rel=1e-6)
    np.testing.assert_allclose(slope.numpy(), [0.6, 0.8, 0], rtol=1e-6)
    rows = np.array([[3.0, 4.0, 1.0], [1.0, 5.0, 2.0]])
    correlations = sg.corrcoef(sg.stack([x, sg.tensor(rows[1])])).detach().numpy()
    np.testing.assert_allclose(correlations, np.corrcoef(rows), rtol=1e-6)
