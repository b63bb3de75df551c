"""Decompositions of sizes on both sides of a block, and of many matrices, against NumPy in float64."""

import numpy as np
import pytest

import specgrad as sg

SHAPES = [(5, 5), (16, 16), (37, 9, 9), (17, 17), (3, 70, 70), (2, 4, 33, 33)]
DTYPES = [np.float32, np.float64]


def sampled(shape, dtype):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def positive(shape, dtype):
    a = sampled(shape, np.float64)
    return (a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def assert_near(found, expected, dtype, factor=1000):
    assert np.abs(found.numpy() - expected).max() <= factor * np.finfo(dtype).eps * np.abs(expected).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_systems(shape, dtype):
    a = positive(shape, dtype)
    a[..., 0, :], a[..., -1, :] = a[..., -1, :].copy(), a[..., 0, :].copy()  # so that rows are exchanged
    b, wide = sampled((*shape[:-1], 70), dtype), a.astype(np.float64)
    assert_near(sg.linalg.inv(sg.tensor(a)), np.linalg.inv(wide), dtype)
    assert_near(sg.linalg.solve(sg.tensor(a), sg.tensor(b)), np.linalg.solve(wide, b), dtype)
    sign, logarithm = sg.linalg.slogdet(sg.tensor(a))
    expected = np.linalg.slogdet(wide)
    assert np.array_equal(sign.numpy(), expected[0])
    assert_near(logarithm, expected[1], dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_cholesky(shape, dtype):
    a = positive(shape, dtype)
    above = np.triu(np.full(shape, np.nan, dtype), 1)  # is not read
    assert_near(sg.linalg.cholesky(sg.tensor(np.tril(a) + above)), np.linalg.cholesky(a.astype(np.float64)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (100, 33), (33, 100), (1, 4), (4, 1)])
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape, mode, dtype):
    a = sampled(shape, dtype)
    q, r = sg.linalg.qr(sg.tensor(a), mode)
    expected = np.linalg.qr(a.astype(np.float64), mode)
    assert q.shape == expected[0].shape
    assert_near(r, expected[1], dtype)
    assert_near(q @ r, a, dtype)
    assert_near(q.mT @ q, np.eye(q.shape[-1]), dtype)


def test_singular_matrices_of_a_batch():
    a = np.stack([np.eye(20), np.diag([1.0] * 17 + [0.0] * 3)])
    inverse, info = sg.linalg.inv_ex(sg.tensor(a))
    assert info.tolist() == [0, 18]
    assert np.isnan(inverse[1].numpy()).all()
    assert np.array_equal(inverse[0].numpy(), np.eye(20))
    assert sg.linalg.det(sg.tensor(a)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("shape", [(40, 50), (2, 64, 33)])
def test_single_precision_of_lapack(shape):
    a = sampled(shape, np.float32)
    u, s, vh = sg.linalg.svd(sg.tensor(a), full_matrices=False)
    assert_near(s, np.linalg.svd(a.astype(np.float64), compute_uv=False), np.float32)
    assert_near((u * s.unsqueeze(-2)) @ vh, a, np.float32)
    square = a @ a.swapaxes(-1, -2)
    values, vectors = sg.linalg.eigh(sg.tensor(square))
    assert_near(values, np.linalg.eigvalsh(square.astype(np.float64)), np.float32)
    assert_near(vectors * values.unsqueeze(-2), square @ vectors.numpy(), np.float32)


def symmetric(name, n):
    """Matrices whose three diagonals are hard to bring to one, or whose columns are zero but for rounding."""
    q, ones = np.linalg.qr(sampled((n, n), np.float64))[0], np.ones(n - 1)
    beside = np.diag(ones, 1) + np.diag(ones, -1)
    return {
        "zero": lambda: np.zeros((n, n)),
        "ones": lambda: np.ones((n, n)),
        "two values": lambda: (q * np.where(np.arange(n) < n // 2, 1, 2)) @ q.T,
        "graded": lambda: np.outer(2.0 ** -np.arange(n), 2.0 ** -np.arange(n)) + np.diag(4.0 ** -np.arange(n)),
        "graded upwards": lambda: symmetric("graded", n)[::-1, ::-1],
        "near pairs": lambda: np.diag(np.abs(np.arange(n) - n / 2)) + beside,
        "path": lambda: beside,
        "pairs": lambda: np.kron(np.eye(n // 2), [[0, 1], [1, 0]]),
        "large": lambda: 1e36 * (q + q.T),
        "small": lambda: 1e-36 * (q + q.T),
    }[name]()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [2, 6, 16, 34, 64, 300])
@pytest.mark.parametrize(
    "name",
    ["zero", "ones", "two values", "graded", "graded upwards", "near pairs", "path", "pairs", "large", "small"],
)
def test_hard_symmetric_matrices(name, n, dtype):
    a = symmetric(name, n).astype(dtype)
    wide, eye = a.astype(np.float64), np.eye(n)
    limit = 100 * np.finfo(dtype).eps * np.linalg.norm(wide, 2)
    garbage = np.triu(np.full((n, n), np.nan, dtype), 1)  # is not read
    values, vectors = sg.linalg.eigh(sg.tensor(np.tril(a) + garbage))
    u, s, vh = sg.linalg.svd(sg.tensor(a), full_matrices=False)
    for found in (values, sg.linalg.eigvalsh(sg.tensor(np.tril(a) + garbage))):
        assert np.abs(found.numpy() - np.linalg.eigvalsh(wide)).max() <= limit
    assert np.abs(s.numpy() - np.linalg.svd(wide, compute_uv=False)).max() <= limit
    values, vectors, u, s, vh = (x.numpy().astype(np.float64) for x in (values, vectors, u, s, vh))
    assert np.abs(vectors * values @ vectors.T - wide).max() <= limit
    assert np.abs(u * s @ vh - wide).max() <= limit
    for each in (vectors, u, vh):
        assert np.abs(each.T @ each - eye).max() <= 1000 * np.finfo(dtype).eps


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("solve", [sg.linalg.eigh, sg.linalg.svd])
def test_numbers_that_are_not_finite(solve, bad):
    a = np.eye(40, dtype=np.float32)
    a[3, 1] = a[1, 3] = bad
    with pytest.raises(sg.linalg.LinAlgError, match="non-finite values"):
        solve(sg.tensor(a))
