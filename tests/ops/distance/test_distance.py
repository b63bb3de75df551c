"""Quantiles, differences, covariances and distances: which values count, and what is refused."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import specgrad as sg

X = sg.tensor([[1.0, 2.0, 4.0], [3.0, 1.0, 0.0]], dtype=sg.float64)
INTEGRAL, REAL = sg.tensor([1, 2, 3]), sg.tensor([0.1, 0.2, 0.3], dtype=sg.float64)


def test_quantiles_of_nan() -> None:
    """A nan is the quantile, and gets the gradient; nanquantile does not see it."""
    x = sg.tensor([1.0, nan, 3.0], requires_grad=True)
    sg.quantile(x, 0.2).backward()
    assert x.grad.tolist() == [0, 1, 0] and sg.quantile(x, 0.2).isnan()
    assert sg.nanquantile(x, sg.tensor([0.0, 0.5])).tolist() == [1, 2]
    assert sg.nanquantile(sg.tensor([[nan, nan]]), 0.5, dim=1).isnan().all()


@pytest.mark.parametrize("dim", [None, 0, -1])
@pytest.mark.parametrize("keepdim", [False, True])
def test_shapes_of_quantiles(dim: int | None, keepdim: bool) -> None:
    """Several q make a new first dimension; one alone makes none."""
    x = np.arange(24.0).reshape(2, 3, 4)
    for q in (0.3, np.array(0.3), np.array([0.1, 0.5, 1.0])):
        given = q if isinstance(q, float) else sg.tensor(q)
        found = sg.quantile(sg.tensor(x), given, dim, keepdim)
        assert np.allclose(found.numpy(), np.quantile(x, q, dim, keepdims=keepdim))
        assert found.shape == np.quantile(x, q, dim, keepdims=keepdim).shape


def test_quantiles_of_halves() -> None:
    """The ranks of 16-bit numbers are not rounded to 16 bits."""
    x = sg.arange(2000, dtype=sg.float32)
    assert sg.quantile(x.bfloat16(), 0.999).item() == x.quantile(0.999).bfloat16().item()


@pytest.mark.parametrize("correction", [0, 1])
def test_weighted_covariance(correction: int) -> None:
    """Counts and weights of observations are those of NumPy, and differentiable."""
    for weights in ({"fweights": INTEGRAL}, {"aweights": REAL}, {"fweights": INTEGRAL, "aweights": REAL}):
        right = np.cov(X.numpy(), ddof=correction, **{name: value.numpy() for name, value in weights.items()})
        assert np.allclose(sg.cov(X, correction=correction, **weights).numpy(), right)
    x, w = X.clone().requires_grad_(), REAL.clone().requires_grad_()
    assert sg.autograd.gradcheck(lambda x, w: sg.cov(x, correction=correction, fweights=INTEGRAL, aweights=w), (x, w))


def test_covariance_without_freedom() -> None:
    """Too few observations give a warning, and nan."""
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert sg.cov(sg.tensor(1.0)).isnan()


def test_differences_of_bools() -> None:
    """Neighbouring bools differ or do not; what is added counts, in the common dtype."""
    assert sg.diff(sg.tensor([True, False, False])).tolist() == [True, False]
    assert sg.diff(sg.tensor([1, 4]), prepend=sg.tensor([0.5])).tolist() == [0.5, 3]


def test_areas_of_few_samples() -> None:
    """One sample or none have no area."""
    assert sg.trapezoid(sg.ones(2, 1)).tolist() == [0, 0] and sg.trapezoid(sg.ones(0, 2), dim=0).tolist() == [0, 0]
    assert sg.cumulative_trapezoid(sg.ones(2, 0)).shape == (2, 0)
    assert sg.trapezoid(sg.ones(2, 3, 4), sg.ones(3, 1).cumsum(0), dim=1).tolist() == [[2] * 4] * 2


def test_many_distances() -> None:
    """Between many rows distances come from a product, and equal rows have distance and gradient zero."""
    x = sg.arange(60, dtype=sg.float64).reshape(30, 2).requires_grad_()
    found = sg.cdist(x, x)
    assert np.allclose(found.detach().numpy(), sg.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist").detach())
    found.sum().backward()
    assert x.grad.isfinite().all()


def test_distances_of_nothing() -> None:
    """Rows without elements have distance 0, rows that are not there none."""
    assert sg.cdist(sg.ones(1, 0), sg.ones(2, 0), inf).tolist() == [[0, 0]]
    assert sg.equal(sg.cdist(sg.ones(300, 0), sg.ones(400, 0)), sg.zeros(300, 400))
    assert sg.cdist(sg.ones(0, 3), sg.ones(4, 3)).shape == (0, 4)
    assert sg.pdist(sg.ones(1, 2)).shape == (0,) and sg.cdist(sg.ones(2, 1, 3, 4), sg.ones(3, 5, 4)).shape == (
        2,
        3,
        3,
        5,
    )


def test_renorm_in_place() -> None:
    """What is written in place can be differentiated."""
    x = sg.tensor([[3.0, 4.0], [0.3, 0.4]], requires_grad=True)
    y = (x * 1).renorm_(2, 0, 1)
    y.sum().backward()
    assert np.allclose(x.grad.numpy(), [[0.032, -0.024], [1, 1]], atol=1e-6)


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: sg.quantile(sg.tensor([1]), 0.5), RuntimeError, r"quantile\(\): expected a floating point dtype"),
    (lambda: sg.quantile(X, 1.5), RuntimeError, r"expected q in \[0, 1\], but got 1.5"),
    (lambda: sg.quantile(X, sg.tensor([0.5])), RuntimeError, "expected q to be specgrad.float64 as the tensor"),
    (lambda: sg.quantile(X, X), RuntimeError, "expected q to be a number or 1-D"),
    (lambda: sg.quantile(X, 0.5, interpolation="cubic"), RuntimeError, "expected interpolation to be one of"),
    (lambda: sg.nanquantile(sg.empty(0), 0.5), RuntimeError, r"nanquantile\(\): expected a tensor with elements"),
    (lambda: sg.diff(sg.tensor(1)), RuntimeError, r"diff\(\): expected a tensor of at least one dimension"),
    (lambda: sg.diff(X, -1), RuntimeError, "expected n >= 0, but got n=-1"),
    (lambda: sg.diff(X, prepend=sg.ones(3, 1)), RuntimeError, "expected shape"),
    (lambda: sg.trapezoid(sg.tensor(1.0)), IndexError, r"trapezoid\(\)"),
    (lambda: sg.trapezoid(X > 0), RuntimeError, "expected numbers"),
    (lambda: sg.trapezoid(X, sg.ones(2)), RuntimeError, "expected one x for each of 3 samples"),
    (lambda: sg.trapezoid(X, sg.ones(1, 2, 3)), RuntimeError, "expected x of at most 2 dimensions"),
    (lambda: sg.trapz(X, X, dx=2.0), TypeError, "trapezoid"),
    (lambda: sg.cov(sg.ones(2, 2, 2)), RuntimeError, "expected at most two dimensions"),
    (lambda: sg.cov(X > 0), RuntimeError, "expected numbers"),
    (lambda: sg.cov(X, fweights=REAL), RuntimeError, "expected fweights to have an integral dtype"),
    (lambda: sg.cov(X, aweights=INTEGRAL), RuntimeError, "expected aweights to have a floating point dtype"),
    (lambda: sg.cov(X, fweights=-INTEGRAL), RuntimeError, "expected fweights that are not negative"),
    (lambda: sg.cov(X, fweights=INTEGRAL[:2]), RuntimeError, "expected fweights for 3 observations"),
    (lambda: sg.cov(X, fweights=0 * INTEGRAL), RuntimeError, "weights that do not sum to zero"),
    (lambda: sg.corrcoef(sg.ones(1, 1, 1)), RuntimeError, r"corrcoef\(\): expected at most two"),
    (lambda: sg.dist(INTEGRAL, INTEGRAL), RuntimeError, r"dist\(\): expected a floating point or complex dtype"),
    (lambda: sg.cdist(X, X[:, :2]), RuntimeError, r"cdist\(\): expected equally many columns, but got 3 and 2"),
    (lambda: sg.cdist(X, X[0]), RuntimeError, "expected at least 2-D tensors"),
    (lambda: sg.cdist(X, X.float()), RuntimeError, "expected tensors of one dtype"),
    (lambda: sg.cdist(INTEGRAL, INTEGRAL), RuntimeError, "expected a floating point dtype"),
    (lambda: sg.cdist(X, X, -1.0), RuntimeError, "expected p >= 0, but got p=-1.0"),
    (lambda: sg.cdist(X, X, compute_mode="a"), ValueError, "expected compute_mode to be one of"),
    (lambda: sg.pdist(X[0]), RuntimeError, r"pdist\(\): expected a 2-D tensor"),
    (lambda: sg.renorm(X, 0, 0, 1), RuntimeError, "expected p > 0 and maxnorm >= 0"),
    (lambda: sg.renorm(X[0], 2, 0, 1), RuntimeError, "expected at least 2 dimensions"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    """Bad input is refused in PyTorch's class of error, which names the op."""
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(1, 30, 40, 65), (3, 37, 41, 300), (2, 7, 3, 130), (2, 1, 1, 1)])
def test_many_euclidean_distances(sizes: tuple[int, ...], dtype: Any) -> None:
    """Distances and gradients of whole tiles and of what is left of them; equal rows, and rows far away, give none."""
    (batch, rows, others, width), random = sizes, np.random.default_rng(0)
    x = random.standard_normal((batch, rows, width)).astype(dtype)
    y = random.standard_normal((batch, others, width)).astype(dtype)
    grad = random.standard_normal((batch, rows, others)).astype(dtype)
    y[0, 0] = x[0, 0]
    x[-1, -1] = inf if rows > 1 else x[-1, -1]
    first, second = (sg.tensor(a, requires_grad=True) for a in (x, y))
    found = sg.cdist(first, second)
    found.backward(sg.tensor(grad))
    separate = x.astype(np.longdouble)[:, :, None] - y[:, None]
    expected = np.sqrt((separate * separate).sum(-1))
    weights = np.divide(grad, expected, out=np.zeros(expected.shape), where=expected > 0)
    terms = np.where(weights[..., None] != 0, np.where(np.isfinite(separate), separate, 0) * weights[..., None], 0)
    limit = 100 * np.finfo(dtype).eps
    assert np.allclose(found.numpy(force=True), expected.astype(dtype), rtol=limit, atol=0)
    assert np.allclose(first.grad.numpy(), terms.sum(2).astype(float), rtol=limit, atol=10 * limit)
    assert np.allclose(second.grad.numpy(), -terms.sum(1).astype(float), rtol=limit, atol=10 * limit)


ORDERS = [0.0, 0.5, 1.0, 2.0, 3.0, inf]
SIZES = [
    ((3, 4), (5, 4)),
    ((2, 3, 4), (2, 1, 4)),
    ((3, 1), (4, 1)),
    ((1, 300), (2, 300)),
    ((0, 3), (2, 3)),
    ((2, 0), (3, 0)),
]


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize(("first", "second"), SIZES)
def test_distances_of_every_order(first: tuple[int, ...], second: tuple[int, ...], p: float) -> None:
    """By plans, for matrices as they lie or transposed, beside NumPy; a nan is one in each distance of its row."""
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((sg.float32, 2e-5), (sg.float64, 1e-12)):
        x, y = (sg.tensor(rng.integers(-3, 4, shape) / 4).to(dtype) for shape in (first, second))
        if x.numel() > 8:
            x.reshape(-1)[-1] = nan if p else 1
        a, b = x.double().numpy(), y.double().numpy()
        expected = np.linalg.norm(a[..., :, None, :] - b[..., None, :, :], p, axis=-1) if a.shape[-1] else 0
        expected = np.broadcast_to(expected, (*a.shape[:-1], b.shape[-2]))
        for given in ((x, y), (x.mT.contiguous().mT, y), (x, y.mT.contiguous().mT)):
            for _ in range(2):
                np.testing.assert_allclose(sg.cdist(*given, p).numpy(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("shape", [(5, 4), (2, 3), (1, 3), (0, 2), (3, 0), (120, 3)])
def test_pairs_of_rows(shape: tuple[int, int], p: float) -> None:
    """Those above the diagonal of all distances, and gradients that both rows of a pair get; examples of a batch."""
    x = np.random.default_rng(1).standard_normal(shape)
    above = np.triu_indices(shape[0], 1)
    expected = np.linalg.norm(x[above[0]] - x[above[1]], p, axis=-1) if shape[1] else np.zeros(len(above[0]))
    for _ in range(2):
        for given in (sg.tensor(x), sg.tensor(x.T.copy()).T):
            np.testing.assert_allclose(sg.pdist(given, p).numpy(), expected, rtol=1e-12, atol=1e-12)
    batch = sg.vmap(lambda rows: sg.pdist(rows, p), in_dims=0)(sg.tensor(np.stack([x, x])))
    np.testing.assert_allclose(batch.numpy(), np.stack([expected] * 2), rtol=1e-12, atol=1e-12)
    if shape[0] < 10:
        require_gradients_of_pairs(x, above, p)


def require_gradients_of_pairs(x: Any, above: Any, p: float) -> None:
    """Those of the two matrices of cdist that pairs are part of, with and without a graph of them."""
    weights = sg.arange(1.0, len(above[0]) + 1).double()
    leaf, first, second = (sg.tensor(x, requires_grad=True) for _ in range(3))
    both = sg.autograd.grad((sg.cdist(first, second, p)[above] * weights).sum(), (first, second))
    for create in (False, True):
        (found,) = sg.autograd.grad((sg.pdist(leaf, p) * weights).sum(), leaf, create_graph=create)
        np.testing.assert_allclose(found.detach().numpy(), (both[0] + both[1]).numpy(), rtol=1e-10, atol=1e-12)
