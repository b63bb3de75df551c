"""Calls that a simulated device computes by itself for all arguments: the CPU's values and gradients, not its help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.norm import standardize
from specgrad.generated.ops.reduction import prod_others
from tests.places import simulated_device

F = sg.nn.functional
D, Z = sg.float64, sg.complex128
INF, NAN = float("inf"), float("nan")


@pytest.fixture(autouse=True)
def on_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with simulated_device():
        monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "error")
        yield


def outcome(function: Callable[..., Any], values: list[Any], target_device: str) -> list[np.ndarray]:
    """The result on a device, and the gradients for a gradient that differs between elements."""
    inputs = [value.detach().to(target_device).requires_grad_() for value in values]
    result = function(*inputs)
    result = result[0] if isinstance(result, tuple) else result
    if result.requires_grad:
        weights = sg.linspace(1, 2, result.numel(), dtype=D).reshape(result.shape).to(result.dtype)
        result.backward(weights.to(target_device))
    found = [result.detach(), *(each.grad for each in inputs if each.grad is not None)]
    return [np.asarray(each.cpu().numpy()) for each in found]


def agree(function: Callable[..., Any], *values: Any, tolerance: float = 1e-11) -> None:
    for found, requested in zip(outcome(function, [*values], "cuda"), outcome(function, [*values], "cpu"), strict=True):
        assert found.dtype == requested.dtype and found.shape == requested.shape
        np.testing.assert_allclose(found, requested, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_chances(reduction: str) -> None:
    """With weights that broadcast, and without; of operands that are transposed."""
    x, logits, target, weight = (
        sg.rand(3, 40, dtype=D),
        sg.randn(3, 40, dtype=D),
        sg.rand(40, 3, dtype=D),
        sg.rand(40, dtype=D),
    )
    for given in ({}, {"weight": weight}):
        for loss, values, more in (
            (F.binary_cross_entropy, x, {}),
            (F.binary_cross_entropy_with_logits, 20 * logits, {}),
            (F.binary_cross_entropy_with_logits, logits, {"pos_weight": weight * 2}),
        ):

            def function(x: Any, loss: Any = loss, named: Any = given | more) -> Any:
                named = {name: value.to(x.device) for name, value in named.items()}
                return loss(x, target.T.to(x.device), reduction=reduction, **named)

            agree(function, values)


def test_chances_outside_are_noted() -> None:
    """They are raised when the program waits for the device, once."""
    x = sg.tensor([0.5, 1.5], device="cuda")
    for given, name in (((x, x - x), "input"), ((x - x, x), "target"), ((x * NAN, x - x), "input")):
        loss = F.binary_cross_entropy(*given)
        with pytest.raises(RuntimeError, match=f"all elements of {name} should be between 0 and 1"):
            loss.item()
        sg.cuda.synchronize()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(3, 40), (2, 5, 7)])
def test_smoothed_labels(reduction: str, shape: tuple[int, ...]) -> None:
    target, weight = sg.randint(0, shape[1], (shape[0], *shape[2:])), sg.rand(shape[1], dtype=D) + 0.5
    target.reshape(-1)[1] = -100
    for own in (None, weight):

        def function(x: Any, own: Any = own) -> Any:
            named = {"weight": None if own is None else own.to(x.device), "reduction": reduction}
            return F.cross_entropy(x, target.to(x.device), label_smoothing=0.2, **named)

        agree(function, sg.randn(*shape, dtype=D))


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16, sg.float32, sg.float64])
def test_mantissas_and_exponents(dtype: Any) -> None:
    """NumPy's, of zeros, subnormal numbers, infinities and nan too."""
    tiny = sg.finfo(dtype).tiny
    given = [0.0, -0.0, 1.0, -8.0, 3.0, 0.75, tiny, tiny / 2, -tiny / 64, INF, -INF, NAN, sg.finfo(dtype).max]
    x = sg.tensor(given, dtype=dtype)
    found, values = sg.frexp(x.to("cuda")), np.asarray(x.double().numpy())
    mantissa, exponent = np.frexp(values)
    np.testing.assert_array_equal(found.mantissa.cpu().double().numpy(), mantissa)
    np.testing.assert_array_equal(found.exponent.cpu().numpy(), exponent)
    assert np.array_equal(np.signbit(found.mantissa.cpu().double().numpy()), np.signbit(mantissa))


def test_complex_numbers_of_parts() -> None:
    """They broadcast, and lie in any order."""
    real, imag = sg.randn(3, 4, dtype=D), sg.randn(3, dtype=D)
    agree(lambda x, y: sg.complex(x.T, y), real, imag)
    assert sg.complex(real.float().to("cuda"), imag.float()[:, None].to("cuda")).dtype is sg.complex64


PRODUCTS = (
    [2.0, 3.0, 4.0],
    [2.0, 0.0, 3.0],
    [0.0, 0.0, 3.0],
    [INF, 2.0, 3.0],
    [1e-200, 1e200, 1e200, 1e-250],
    [5.0],
    [],
)


@pytest.mark.parametrize("values", PRODUCTS, ids=str)
def test_products_and_their_slopes(values: list[float]) -> None:
    """Exact where elements are zero, and where a product of all is beyond what a number holds."""
    x = sg.tensor(values, dtype=D)
    agree(lambda x: x.prod(), x)
    agree(lambda x: prod_others(x, 0), x)
    agree(lambda x: x.prod(1), sg.randn(3, 40, 5, dtype=D))
    single = sg.tensor([1e30, 1e30, 1e-30, 1e-30])
    agree(lambda x: x.prod(), single, tolerance=1e-6)


COMPLEX: dict[str, Callable[..., Any]] = {
    "sum": lambda z, dim: z.sum(dim),
    "mean": lambda z, dim: z.mean(dim, True),
    "var": lambda z, dim: z.var(dim),
    "std": lambda z, dim: z.std(dim),
    "logsumexp": lambda z, dim: z.logsumexp(dim),
    "prod": lambda z, dim: z.prod(dim[-1]),
    "any": lambda z, dim: z.any(dim[0]),
    "all": lambda z, dim: z.all(dim[0]),
    "transposed": lambda z, dim: z.movedim(0, -1).sum(dim),
    **{f"norm {p}": (lambda z, dim, p=p: sg.linalg.vector_norm(z, p, dim)) for p in (0, 1, 2, 3, INF, -INF)},
}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize(
    ("shape", "dim"), [((3, 7), (1,)), ((2, 3, 4), (0, 2)), ((5,), (0,)), ((40, 3), (0,)), ((2, 0), (0,))]
)
def test_reductions_of_complex_numbers(name: str, shape: tuple[int, ...], dim: tuple[int, ...]) -> None:
    agree(lambda z: COMPLEX[name](z, dim), sg.randn(*shape, dtype=Z))


def test_a_norm_that_counts_has_no_slope() -> None:
    agree(lambda x: x.norm(0, 1), sg.tensor([[0.0, 2.0, -3.0], [1.0, 0.0, 0.0]], dtype=D))


@pytest.mark.parametrize("dim", [(0, 2), (1, 3), (1,), (0, 3), (3,)])
@pytest.mark.parametrize("affine", [(3, 1, 5), (1,), (2, 1, 4, 1), (2, 3, 4, 5)])
def test_norms_over_any_dimensions(dim: tuple[int, ...], affine: tuple[int, ...]) -> None:
    """With weights of any shape that broadcasts; gradients of all, and of the shift alone."""
    x, weight, bias = (sg.randn(*shape, dtype=D) for shape in ((2, 3, 4, 5), (np.prod(affine),), (np.prod(affine),)))
    agree(lambda x, w, b: standardize(x, w, b, dim, affine, 1e-3), x, weight, bias)
    agree(lambda b: standardize(x.to(b.device), None, b, dim, affine, 1e-3), bias)


def test_sums_over_dimensions_without_elements() -> None:
    """Each result is 0, also where dimensions lie apart."""
    for shape, dims in (((3, 0, 4, 5), (1, 3)), ((0, 3, 4), (0, 2)), ((3, 0), (1,))):
        agree(lambda x, dims=dims: x.sum(dims), sg.zeros(*shape, dtype=D))
