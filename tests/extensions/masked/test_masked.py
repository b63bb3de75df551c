"""specgrad.masked: reductions and normalisations under a mask, compared with numpy.ma and loops over what is kept."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.special

import specgrad as sg
from specgrad import masked

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3, 4, 5))
MASK = RNG.random((3, 4, 5)) < 0.6
MASK[0], MASK[:, 0], MASK[..., 0] = True, True, True  # something is kept wherever one dimension is reduced

DIMS: list[int | tuple[int, ...] | None] = [None, 0, -2, (0, 2), (0, 1)]
MASKED = np.ma.masked_array(X, ~MASK)
NORMS = {3.0: lambda m, d: np.sum(np.abs(m) ** 3, d) ** (1 / 3), float("-inf"): lambda m, d: np.min(np.abs(m), d)}
REDUCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "sum": lambda m, d: m.sum(d),
    "prod": lambda m, d: m.prod(d),
    "mean": lambda m, d: m.mean(d),
    "amax": lambda m, d: m.max(d),
    "amin": lambda m, d: m.min(d),
    "var": lambda m, d: m.var(d, ddof=1),
    "std": lambda m, d: m.std(d, ddof=1),
    "norm": lambda m, d: np.sqrt((m * m).sum(d)),
    "logsumexp": lambda m, d: np.log(np.exp(m).sum(d)),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dim", DIMS)
def test_reductions(name: str, dim: int | tuple[int, ...] | None) -> None:
    """They are numpy.ma's, with and without the reduced dimensions."""
    x, mask = sg.tensor(X), sg.tensor(MASK)
    expected = np.ma.filled(REDUCTIONS[name](MASKED, dim), np.nan)
    np.testing.assert_allclose(getattr(masked, name)(x, dim=dim, mask=mask).numpy(), expected, rtol=1e-12)
    retained = getattr(masked, name)(x, dim=dim, mask=mask, keepdim=True)
    assert retained.ndim == 3
    np.testing.assert_allclose(retained.numpy().ravel(), np.ravel(expected), rtol=1e-12)


@pytest.mark.parametrize("name", [*REDUCTIONS, "softmax", "log_softmax", "softmin", "cumsum", "cumprod"])
def test_without_a_mask_all_elements_count(name: str) -> None:
    """A mask of nothing but True changes nothing."""
    function, x = getattr(masked, name), sg.tensor(X)
    np.testing.assert_array_equal(function(x, 1).numpy(), function(x, 1, mask=sg.ones(5, dtype=sg.bool)).numpy())


@pytest.mark.parametrize("order", NORMS)
def test_norms_of_other_orders(order: float) -> None:
    """Where -inf asks for the least modulus, what is left out counts as inf."""
    found = masked.norm(sg.tensor(X), order, (0, 2), mask=sg.tensor(MASK))
    np.testing.assert_allclose(found.numpy(), NORMS[order](MASKED, (0, 2)), rtol=1e-12)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places(name: str) -> None:
    """numpy.ma's places, in the dtype of the input unless another is asked for."""
    found = getattr(masked, name)(sg.tensor(X), 1, mask=sg.tensor(MASK), dtype=sg.int64)
    np.testing.assert_array_equal(found.numpy(), getattr(MASKED, name)(1))
    assert getattr(masked, name)(sg.tensor(X), mask=sg.tensor(MASK)).dtype is sg.float64


def test_median() -> None:
    """The lower one of the elements that are kept."""
    found = masked.median(sg.tensor(X), 1, mask=sg.tensor(MASK)).numpy()
    for i, k in np.ndindex(3, 5):
        retained = np.sort(X[i, MASK[i, :, k], k])
        assert len(retained) == 0 and np.isnan(found[i, k]) or found[i, k] == retained[(len(retained) - 1) // 2]


def test_softmax_and_running_sums() -> None:
    """What is left out has no share, and adds nothing."""
    x, mask = sg.tensor(X), sg.tensor(MASK)
    shares = scipy.special.softmax(np.where(MASK, X, -np.inf), -1)
    np.testing.assert_allclose(masked.softmax(x, -1, mask=mask).numpy(), shares, rtol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(masked.log_softmax(x, -1, mask=mask).numpy(), np.log(shares), rtol=1e-12)
    np.testing.assert_allclose(masked.softmin(-x, -1, mask=mask).numpy(), shares, rtol=1e-12)
    np.testing.assert_allclose(masked.cumsum(x, 1, mask=mask).numpy(), np.cumsum(X * MASK, 1), rtol=1e-12)
    np.testing.assert_allclose(masked.cumprod(x, 1, mask=mask).numpy(), np.cumprod(np.where(MASK, X, 1), 1), rtol=1e-12)
    lengths = np.maximum(np.sqrt(np.sum((X * MASK) ** 2, 0, keepdims=True)), 1e-12)
    np.testing.assert_allclose(masked.normalize(x, 2.0, 0, mask=mask).numpy(), X * MASK / lengths, rtol=1e-12)


def test_nothing_kept() -> None:
    """Each function has its own answer where no element counts."""
    x, none = sg.tensor([1.0, 2.0]), sg.tensor([False, False])
    answers = {"sum": 0, "prod": 1, "amax": -np.inf, "amin": np.inf, "logsumexp": -np.inf, "norm": 0, "mean": np.nan}
    for name, expected in {**answers, "var": np.nan, "median": np.nan}.items():
        np.testing.assert_equal(getattr(masked, name)(x, dim=0, mask=none).item(), expected, name)
    assert masked.amax(sg.tensor([1, 2]), mask=none).item() == np.iinfo(np.int64).min
    with pytest.raises(ValueError, match="fully masked"):
        masked.median(sg.tensor([1, 2]), mask=none)


def test_dtypes() -> None:
    """Sums of integers are int64, means need floats, variances of integers are float32."""
    x, mask = sg.tensor([1, 2, 4], dtype=sg.int16), sg.tensor([True, False, True])
    assert masked.sum(x, mask=mask).dtype is sg.int64 and masked.prod(x, mask=mask).item() == 4
    assert masked.cumsum(x, 0, mask=mask).dtype is sg.int16
    assert masked.amax(x, mask=mask, dtype=sg.float64).dtype is sg.float64
    assert masked.mean(x, mask=mask, dtype=sg.float64).item() == 2.5
    assert masked.var(x, mask=mask).dtype is sg.float32 and masked.var(x, mask=mask).item() == 4.5
    with pytest.raises(ValueError, match="Input dtype must be either a floating point"):
        masked.mean(x, mask=mask)
    with pytest.raises(NotImplementedError):
        masked.amax(mask, mask=mask)
    z = masked.sum(sg.tensor([1 + 2j, 3j]), mask=sg.tensor([True, False]))
    assert z.item() == 1 + 2j


def test_logaddexp() -> None:
    """Each operand has a mask of its own."""
    x, y = sg.tensor([0.0, 1.0, 2.0]), sg.tensor([1.0, 1.0, 1.0])
    found = masked.logaddexp(x, y, input_mask=sg.tensor([True, False, True]), other_mask=sg.tensor([True, True, False]))
    np.testing.assert_allclose(found.numpy(), [np.logaddexp(0, 1), 1, 2], rtol=1e-6)


def test_gradients_reach_what_is_kept() -> None:
    """The rest gets zeros, also where it is inf."""
    x = sg.tensor([1.0, np.inf, 3.0], requires_grad=True)
    mask = sg.tensor([True, False, True])
    for function, expected in ((masked.sum, [1, 0, 1]), (masked.mean, [0.5, 0, 0.5]), (masked.amax, [0, 0, 1])):
        (grad,) = sg.autograd.grad(function(x, mask=mask), x)
        np.testing.assert_array_equal(grad.numpy(), expected)
    samples = sg.tensor(X, requires_grad=True)
    assert sg.autograd.gradcheck(lambda t: masked.var(t, 1, correction=0, mask=sg.tensor(MASK)), (samples,))


def test_wrong_arguments() -> None:
    """Masks broadcast to the input, dimensions exist and are named once, and of two corrections one is given."""
    x = sg.ones(2, 3)
    with pytest.raises(IndexError):
        masked.sum(x, mask=sg.ones(1, 2, 3, dtype=sg.bool))
    with pytest.raises(RuntimeError):
        masked.sum(x, mask=sg.ones(2, dtype=sg.bool))
    with pytest.raises(IndexError):
        masked.softmax(x, 2)
    with pytest.raises(RuntimeError, match="multiple times"):
        masked.amax(x, (0, 0))
    with pytest.raises(AssertionError):
        masked.var(x, unbiased=True, correction=1)
    with pytest.raises(TypeError):
        masked.mean([1.0])
