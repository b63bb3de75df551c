"""Decompositions that native code runs by plans, against NumPy in float64: the second call is by what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

SHAPES = [(1, 1), (5, 5), (16, 16), (17, 17), (64, 8, 8), (2, 3, 20, 20), (1, 3, 3)]
DTYPES = [np.float32, np.float64]


def sampled(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> np.ndarray:
    """Matrices that are far from singular, with rows that must be exchanged."""
    a = np.random.default_rng(seed).standard_normal(shape)
    square = shape[-1] == shape[-2]
    return (a + 3 * np.eye(shape[-1])[::-1] if square else a).astype(dtype)


def positive(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    a = sampled(shape, np.float64)
    return (a @ a.swapaxes(-1, -2) + np.eye(shape[-1])).astype(dtype)


def assert_near(found: Any, expected: np.ndarray, dtype: Any) -> None:
    assert found.numpy().dtype == dtype
    assert found.shape == expected.shape
    assert np.abs(found.numpy() - expected).max() <= 1000 * np.finfo(dtype).eps * max(np.abs(expected).max(), 1)


def with_layout(a: np.ndarray, how: str) -> Any:
    """A tensor with these elements, which lie one after the other, as columns, or apart."""
    if how == "columns":
        return sg.tensor(np.ascontiguousarray(a.swapaxes(-1, -2))).mT
    if how == "apart":
        return sg.tensor(np.repeat(a, 2, -1))[..., ::2]
    return sg.tensor(a)


@pytest.mark.parametrize("how", ["rows", "columns", "apart"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_values(shape: tuple[int, ...], dtype: Any, how: str) -> None:
    given = sampled(shape, dtype)
    a, wide, b = with_layout(given, how), given.astype(np.float64), sampled((*shape[:-1], 3), dtype, 1)
    right, eye = with_layout(b, how), np.eye(shape[-1])
    for _ in range(2):  # the second call is by what the first has found
        assert_near(sg.linalg.inv(a), np.linalg.inv(wide), dtype)
        inverse, info = sg.linalg.inv_ex(a)
        assert_near(inverse, np.linalg.inv(wide), dtype)
        assert info.numpy().dtype == np.int32
        assert info.shape == shape[:-2]
        assert not info.numpy().any()
        assert_near(a @ sg.linalg.solve(a, right), b, dtype)
        assert_near(sg.linalg.det(a), np.linalg.det(wide), dtype)
        assert_near(sg.linalg.slogdet(a).logabsdet, np.linalg.slogdet(wide)[1], dtype)
        assert np.array_equal(sg.linalg.slogdet(a).sign.numpy(), np.linalg.slogdet(wide)[0])
        p, q, r = sg.linalg.lu(a), *sg.linalg.qr(a)
        assert_near(p.P @ p.L @ p.U, given, dtype)
        assert_near(q @ r, given, dtype)
        assert_near(q.mT @ q, eye + 0 * wide, dtype)
        lower = np.tril(given, -1) / shape[-1] + eye.astype(dtype)
        x = sg.linalg.solve_triangular(with_layout(lower, how), right, upper=False)
        assert_near(sg.tensor(lower) @ x, b, dtype)
        y = sg.linalg.solve_triangular(with_layout(lower.swapaxes(-1, -2) * 2, how), right, upper=True)
        assert_near(sg.tensor(lower).mT @ y * 2, b, dtype)
        unread = lower + np.triu(np.full(shape, np.nan, dtype))  # neither the diagonal
        z = sg.linalg.solve_triangular(with_layout(unread, how), right, upper=False, unitriangular=True)
        assert np.array_equal(z.numpy(), x.numpy())
        s = positive(shape, dtype)
        garbage = np.triu(np.full(shape, np.nan, dtype), 1)
        assert_near(sg.linalg.cholesky(with_layout(s, how)), np.linalg.cholesky(s.astype(np.float64)), dtype)
        expected = np.linalg.cholesky(s.astype(np.float64))
        assert_near(sg.linalg.cholesky(with_layout(np.tril(s) + garbage, how)), expected, dtype)


@pytest.mark.parametrize("how", ["rows", "columns", "apart"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(shape: tuple[int, ...], dtype: Any, how: str) -> None:
    given = sampled(shape, dtype)
    symmetric = given + given.swapaxes(-1, -2)
    garbage, expected = np.triu(np.full(shape, np.nan, dtype), 1), np.linalg.eigvalsh(symmetric.astype(np.float64))
    a = with_layout(np.tril(symmetric) + garbage, how)
    for _ in range(2):
        values, vectors = sg.linalg.eigh(a)
        assert_near(values, expected, dtype)
        assert_near(sg.linalg.eigvalsh(a), expected, dtype)
        assert_near((vectors * values.unsqueeze(-2)) @ vectors.mT, symmetric, dtype)
        assert_near(vectors.mT @ vectors, np.eye(shape[-1]) + np.zeros(shape), dtype)


@pytest.mark.parametrize("call", [sg.linalg.eigh, sg.linalg.eigvalsh])
def test_eigenvalues_of_nan_are_an_error(call: Callable[[Any], Any]) -> None:
    call(sg.eye(3))
    for value in (np.nan, np.inf):
        with pytest.raises(sg.linalg.LinAlgError, match="failed to converge .* non-finite"):
            call(sg.full((3, 3), value))


def lu_rows(pivots: np.ndarray) -> list[int]:
    """In which order rows stand after exchanges that are counted from 1."""
    order = list(range(len(pivots)))
    for i, other in enumerate(pivots):
        order[i], order[other - 1] = order[other - 1], order[i]
    return order


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 5), (30, 30), (7, 4), (4, 7), (40, 20), (20, 40)])
def test_packed_factors(shape: tuple[int, int], dtype: Any) -> None:
    given = sampled(shape, dtype)
    for _ in range(2):
        packed, pivots, info = sg.linalg.lu_factor_ex(sg.tensor(given))
        assert pivots.numpy().dtype == np.int32 == info.numpy().dtype
        assert info.item() == 0
        min_value = min(shape)
        lower = np.tril(packed.numpy()[:, :min_value], -1) + np.eye(shape[0], min_value)
        order = lu_rows(np.append(pivots.numpy(), np.arange(min_value, shape[0]) + 1))
        assert np.abs(lower).max() <= 1
        assert_near(sg.tensor((lower @ np.triu(packed.numpy()[:min_value])).astype(dtype)), given[order], dtype)


CALLS: list[tuple[str, Callable[[Any], Any]]] = [
    ("inv", lambda a: sg.linalg.inv(a)),
    ("solve", lambda a: sg.linalg.solve(a, a)),
    ("lu_factor", lambda a: sg.linalg.lu_factor(a)),
    ("cholesky", lambda a: sg.linalg.cholesky(a)),
]


@pytest.mark.parametrize("n", [3, 20])
@pytest.mark.parametrize("name, call", CALLS, ids=[name for name, _ in CALLS])
def test_failures_after_successes(name: str, call: Callable[[Any], Any], n: int) -> None:
    """What a plan has been found for still says which matrix of the batch is singular."""
    good, bad = sg.stack([sg.eye(n)] * 20), sg.stack([sg.eye(n)] * 17 + [sg.zeros(n, n)] * 3)
    call(good)
    for _ in range(2):
        with pytest.raises(sg.linalg.LinAlgError, match=r"Batch element 17"):
            call(bad)
    call(good)


@pytest.mark.parametrize("n", [3, 20])
def test_nan_where_there_is_no_result(n: int) -> None:
    a = np.stack([np.eye(n)] * 18)
    a[17, 1, 1] = 0
    for _ in range(2):
        for result, info in (
            sg.linalg.inv_ex(sg.tensor(a)),
            sg.linalg.solve_ex(sg.tensor(a), sg.ones(18, n, 2).double()),
            sg.linalg.cholesky_ex(sg.tensor(a)),
        ):
            assert info.tolist() == [0] * 17 + [2]
            assert np.isnan(result[17].numpy()).all()
            assert not np.isnan(result[:17].numpy()).any()


def test_first_bad_minors() -> None:
    a = np.stack([np.diag([1.0, 2.0, 3.0]), np.diag([1.0, -1.0, -1.0]), np.full((3, 3), np.nan), np.zeros((3, 3))])
    assert sg.linalg.cholesky_ex(sg.tensor(a)).info.tolist() == [0, 2, 1, 1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_empty_ones(shape: tuple[int, ...]) -> None:
    a = sg.zeros(shape)
    for _ in range(2):
        assert sg.linalg.inv(a).shape == shape
        assert sg.linalg.cholesky_ex(a).info.shape == shape[:-2]
        assert sg.linalg.det(a).tolist() == np.linalg.det(np.zeros(shape)).tolist()
        assert sg.linalg.solve(a, sg.zeros(*shape[:-1], 2)).shape == (*shape[:-1], 2)
    assert sg.linalg.solve(sg.eye(3), sg.zeros(3, 0)).shape == (3, 0)
    assert sg.linalg.solve_triangular(sg.eye(3), sg.zeros(3, 0), upper=True).shape == (3, 0)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_modes_of_qr(mode: str) -> None:
    for shape in [(5, 3), (3, 5), (2, 40, 20)]:
        given = sampled(shape, np.float64)
        for _ in range(2):
            q, r = sg.linalg.qr(sg.tensor(given), mode)
            expected = np.linalg.qr(given, mode)
            if mode == "r":
                assert q.shape == (0,)
                assert_near(r.abs(), np.abs(expected), np.float64)
            else:
                assert_near(q.abs(), np.abs(expected[0]), np.float64)
                assert_near(q @ r, given, np.float64)


def test_a_graph_is_recorded() -> None:
    """Gradients of planned calls, against differences."""
    given = sampled((2, 4, 4), np.float64)
    for _ in range(2):
        a = sg.tensor(given, requires_grad=True)
        (sg.linalg.inv(a).sum() + sg.linalg.slogdet(a).logabsdet.sum() + sg.linalg.lu_factor(a).LU.sum()).backward()
        assert sg.autograd.gradcheck(
            lambda x: sg.linalg.inv(x).sum() + sg.linalg.slogdet(x).logabsdet.sum() + sg.linalg.lu_factor(x).LU.sum(),
            (a,),
        )


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(5, 5), (3, 8, 8), (30, 30)])
def test_solutions_by_packed_factors(shape: tuple[int, ...], dtype: Any) -> None:
    given, b = sampled(shape, np.float64), sampled((*shape[:-1], 2), np.float64, 1)
    packed, pivots = sg.linalg.lu_factor(sg.tensor(given))
    pivots = sg.tensor(pivots.numpy().astype(dtype))
    for _ in range(2):
        for adjoint in (False, True):
            a = given.swapaxes(-1, -2) if adjoint else given
            x = sg.linalg.lu_solve(packed, pivots, sg.tensor(b), adjoint=adjoint)
            assert_near(sg.tensor(a) @ x, b, np.float64)
        p, lower, upper = sg.linalg.lu(sg.tensor(given))
        assert np.array_equal(p.numpy().sum(-1), np.ones(shape[:-1]))
        assert_near(p @ lower @ upper, given, np.float64)


def test_rows_that_there_are_not() -> None:
    """Exchanges with them are errors, also where a plan has been found."""
    packed, good, b = sg.eye(3), sg.tensor([3, 3, 3], dtype=sg.int32), sg.ones(3, 1)
    for _ in range(2):
        assert sg.linalg.lu_solve(packed, good, b).tolist() == [[1.0], [1.0], [1.0]]
        with pytest.raises(RuntimeError, match="index 8 is out of bounds"):
            sg.linalg.lu_solve(packed, sg.tensor([1, 9, 3], dtype=sg.int32), b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 5), (10, 4), (3, 4, 10), (64, 10, 4), (100, 70)])
def test_least_squares(shape: tuple[int, ...], dtype: Any) -> None:
    """Of full rank, and of rank 2, for which the shortest solution is taken."""
    given, b = np.random.default_rng(0).standard_normal(shape).astype(dtype), sampled((*shape[:-1], 3), dtype, 1)
    low = given.astype(np.float64)[..., :2] @ np.random.default_rng(1).standard_normal((2, shape[-1]))
    for a, rank in ((given, min(shape[-2:])), (low.astype(dtype), 2)):
        expected = np.linalg.pinv(a.astype(np.float64), rcond=1e-5) @ b
        for _ in range(2):
            found = sg.linalg.lstsq(sg.tensor(a), sg.tensor(b), rcond=1e-5)
            scale = max(np.abs(expected).max(), 1) * 100 * np.finfo(dtype).eps
            assert np.abs(found.solution.numpy() - expected).max() <= scale * np.linalg.cond(given).max() ** 2
            assert np.array_equal(found.rank.numpy(), np.full(shape[:-2], rank))
            assert found.residuals.shape == found.singular_values.shape == (0,)
            assert found.residuals.dtype == found.solution.dtype


def test_least_squares_of_nan_are_an_error() -> None:
    sg.linalg.lstsq(sg.eye(3), sg.ones(3, 1))
    with pytest.raises(sg.linalg.LinAlgError, match="failed to converge because the input matrix contained non-finite"):
        sg.linalg.lstsq(sg.full((3, 3), np.nan), sg.ones(3, 1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, count", [((5, 5), 5), ((6, 4), 2), ((40, 36), 36), ((40, 36), 20), ((3, 8, 8), 8)])
def test_products_of_reflections(shape: tuple[int, ...], count: int, dtype: Any) -> None:
    vectors, factors = sampled(shape, dtype) / 4, sampled((*shape[:-2], 1, count), dtype, 2)[..., 0, :] / 2
    expected = np.broadcast_to(np.eye(*shape[-2:]), shape).copy()
    for i in reversed(range(count)):
        v = np.tril(vectors.astype(np.float64), -1)[..., i : i + 1]
        v[..., i, 0] = 1
        expected -= factors[..., i, None, None] * (v @ (v.swapaxes(-1, -2) @ expected))
    for how in ("rows", "columns"):
        for _ in range(2):
            found = sg.linalg.householder_product(with_layout(vectors, how), sg.tensor(factors))
            assert_near(found, expected, dtype)
