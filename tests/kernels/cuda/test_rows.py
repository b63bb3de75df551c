"""Reductions, softmax, norms and losses on a simulated device: the CPU's values and gradients, not its help."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.kernels.cuda_launch import cpu_fallback
from tests.places import simulated_device

F = sg.nn.functional
Function = Callable[..., Any]
INF = float("inf")


@pytest.fixture(autouse=True)
def on_device() -> Iterator[None]:
    with simulated_device():
        cpu_fallback.counts.clear()
        yield


def array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().double().numpy())


def same(found: Any, requested: Any, tolerance: float = 2e-5) -> None:
    found, requested = (value if isinstance(value, tuple) else (value,) for value in (found, requested))
    for got, right in zip(found, requested, strict=True):
        assert got.dtype == right.dtype and got.shape == right.shape
        np.testing.assert_allclose(array(got), array(right), rtol=tolerance, atol=tolerance)


def test_norms_and_deviations_of_any_scale() -> None:
    """Squares and powers that are no numbers of the dtype do not stand between a row and its norm."""
    for dtype, scale in ((sg.float32, 1e20), (sg.float32, 1e-30), (sg.float64, 1e200), (sg.float64, 1e-200)):
        x = sg.tensor([[3 * scale, -4 * scale], [0.0, 0.0]], dtype=dtype, device="cuda", requires_grad=True)
        for p in (2, 3, 1.5, 0.5, -1):
            norm = (3.0**p + 4.0**p) ** (1 / p)
            result = sg.linalg.vector_norm(x, p, 1)
            np.testing.assert_allclose(array(result), [norm * scale, 0], 1e-5)
            (grad,) = sg.autograd.grad(result.sum(), x)
            np.testing.assert_allclose(array(grad), [[(3 / norm) ** (p - 1), -((4 / norm) ** (p - 1))], [0, 0]], 1e-5)
        y = sg.tensor([scale, -scale], dtype=dtype, device="cuda", requires_grad=True)
        np.testing.assert_allclose(array(y.std()), scale * 2**0.5, 1e-5)
        np.testing.assert_allclose(array(sg.autograd.grad(y.std(), y)[0]), [0.5**0.5, -(0.5**0.5)], 1e-5)
    assert sg.linalg.vector_norm(sg.tensor([0.0, 3.0], device="cuda"), -1).item() == 0


def test_weights_and_targets_of_0_take_no_part_of_an_infinite_loss() -> None:
    """Of classes, and of logits."""
    rows, classes = sg.tensor([[-INF, 0.0, 0.0], [0.0, 0.0, -INF]], device="cuda"), sg.tensor([0, 1], device="cuda")
    weight = sg.tensor([0.0, 1.0, 1.0], device="cuda")
    np.testing.assert_allclose(array(F.cross_entropy(rows, classes, weight)), np.log(2), 1e-6)
    assert F.nll_loss(rows, classes, weight).item() == 0
    x = sg.tensor([INF, -INF], device="cuda", requires_grad=True)
    for target, right in (([1.0, 0.0], [0, 0]), ([0.0, 1.0], [INF, INF])):
        loss = F.binary_cross_entropy_with_logits(x, sg.tensor(target, device="cuda"), reduction="none")
        assert loss.tolist() == right
        assert sg.autograd.grad(loss.sum(), x)[0].tolist() == [1 - target[0], -target[1]]


VALUES: dict[str, tuple[Function, Any]] = {
    "sum": (lambda x: x.sum(), (33, 17)),
    "sum of dims apart": (lambda x: x.sum((0, 2)), (3, 5, 7)),
    "mean": (lambda x: x.mean(1, True), (3, 257)),
    "prod": (lambda x: x.prod(0), (7, 40)),
    "var": (lambda x: x.var((0, 1)), (3, 5, 7)),
    "std": (lambda x: x.std(), (257,)),
    "max": (lambda x: tuple(x.max(1)), (3, 40)),
    "min": (lambda x: tuple(x.min(0)), (40, 3)),
    "argmax": (lambda x: x.argmax(), (3, 40)),
    "amax": (lambda x: x.amax((0, 2)), (3, 4, 5)),
    "any": (lambda x: (x > 2).any(1), (3, 40)),
    "all": (lambda x: (x > -2).all(), (3, 40)),
    "logsumexp": (lambda x: x.logsumexp((0, 1)), (3, 40)),
    "steps": (lambda x: x[:, ::2].mean(1), (3, 40)),
    "transposed": (lambda x: x.T.sum(0), (30, 40)),
    "one element": (lambda x: x.sum(), (1, 1)),
    "no elements": (lambda x: x.sum(1), (3, 0)),
    "no rows": (lambda x: x.softmax(1), (0, 3)),
    "no dimensions": (lambda x: x.sum(), ()),
    **{f"norm {p}": (lambda x, p=p: x.norm(p, 1), (3, 40)) for p in (0, 1, 2, 3, INF, -INF)},
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    """They are the CPU's, in float32 and float64."""
    function, shape = VALUES[name]
    for dtype in (sg.float32, sg.float64):
        x = sg.randn(shape, dtype=dtype)
        same(function(x.to("cuda")), function(x))
    assert not {kernel for kernel in cpu_fallback.counts if not kernel.endswith("_tensor")}


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16])
def test_numbers_of_16_bits(dtype: Any) -> None:
    """They are converted where they are read, and computed in float32."""
    x = sg.randn(3, 70).to(dtype)
    for function in (lambda x: x.sum(1), lambda x: x.softmax(1), lambda x: x.max(1).values):
        same(function(x.to("cuda")), function(x), 1e-2)


def test_integers_and_bools() -> None:
    """Sums are int64; extrema keep their dtype, the least integer too."""
    x = sg.tensor([[-128, 5, 127], [3, 3, 1]], dtype=sg.int8)
    for function in (lambda x: x.sum(), lambda x: tuple(x.max(1)), lambda x: x.amin(0), lambda x: (x > 3).sum(1)):
        same(function(x.to("cuda")), function(x))


def test_nan_is_an_extreme_and_ties_are_the_first() -> None:
    """As for the CPU, whatever lanes have them."""
    for values in ([1.0, np.nan, 3.0, np.nan], [2.0, 5.0, 5.0, 1.0], [-INF] * 4, [INF, -INF, INF, 0.0]):
        x = sg.tensor(values * 20)
        for function in (lambda x: tuple(x.max(0)), lambda x: tuple(x.min(0)), lambda x: x.logsumexp(0)):
            same(function(x.to("cuda")), function(x))


def test_few_long_rows_are_split() -> None:
    """Several blocks have a row, along it and across columns."""
    x = sg.randn(2, 40_000)
    same(x.to("cuda").sum(1), x.sum(1), 1e-4)
    y = sg.randn(3000, 2)
    same(y.to("cuda").amax(0), y.amax(0))


GRADIENTS: dict[str, tuple[Function, list[tuple[int, ...]]]] = {
    "softmax": (lambda x: sg.softmax(x, 1), [(3, 40)]),
    "softmax of columns": (lambda x: sg.softmax(x, 0), [(5, 40)]),
    "log_softmax": (lambda x: sg.log_softmax(x, 0), [(3, 40)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4, 17), w, b), [(5, 4, 17), (4, 17), (4, 17)]),
    "layer_norm alone": (lambda x: F.layer_norm(x, (17,)), [(5, 17)]),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [(4, 3, 5), (3,), (3,)]),
    "batch_norm of columns": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [(40, 6), (6,), (6,)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), [(3, 4, 5), (4,), (4,)]),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, None, None, w, b), [(3, 4, 5), (4,), (4,)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, (17,), w), [(5, 17), (17,)]),
    "sum": (lambda x: x.sum(1), [(3, 7)]),
    "mean": (lambda x: x.mean((0, 2)), [(3, 4, 5)]),
    "var": (lambda x: x.var(1), [(3, 7)]),
    "std": (lambda x: x.std((0, 1)), [(3, 7, 2)]),
    "amax": (lambda x: x.amax(1), [(3, 40)]),
    "max": (lambda x: x.max(1).values, [(3, 40)]),
    "logsumexp": (lambda x: x.logsumexp(0), [(3, 40)]),
    "logsumexp of -inf": (lambda x: (x - INF).logsumexp(1), [(3, 40)]),
    **{f"norm {p}": (lambda x, p=p: x.norm(p, 1), [(3, 40)]) for p in (1, 2, 3, INF)},
    **{
        f"mse {reduction}": (lambda x, y, r=reduction: F.mse_loss(x, y, reduction=r), [(3, 40), (3, 40)])
        for reduction in ("none", "mean", "sum")
    },
}


def gradients(function: Function, values: list[Any], device: str) -> tuple[Any, ...]:
    """The result on a device, and the gradients for a gradient that differs between elements."""
    inputs = [value.detach().to(device).requires_grad_() for value in values]
    result = function(*inputs)
    weights = sg.arange(1, result.numel() + 1).reshape(result.shape).to(result.dtype) / result.numel()
    result.backward(weights.to(device))
    return (result.detach().cpu(), *(each.grad.cpu() for each in inputs))


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name: str) -> None:
    """They are the CPU's, and nothing is computed on the host."""
    function, shapes = GRADIENTS[name]
    values = [sg.randn(*shape) for shape in shapes]
    same(gradients(function, values, "cuda"), gradients(function, values, "cpu"), 1e-4)
    assert not cpu_fallback.counts


@pytest.mark.parametrize(("grad", "right"), [(2.0, 0.0), (INF, np.nan), (np.nan, np.nan)])
def test_gradient_of_logsumexp_where_all_is_minus_infinity(grad: float, right: float) -> None:
    """It is grad times 0, for a grad that is not finite too."""
    for device in ("cuda", "cpu"):
        x = sg.full((2, 40), -INF, device=device, requires_grad=True)
        x.logsumexp(1).backward(sg.full((2,), grad, device=device))
        np.testing.assert_array_equal(array(x.grad), np.full((2, 40), right))


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(("shape", "of_targets"), [((5, 7), (5,)), ((2, 7, 3), (2, 3)), ((7,), ())])
def test_losses_of_classes(reduction: str, shape: tuple[int, ...], of_targets: tuple[int, ...]) -> None:
    """With weights and ignored targets."""
    target, weight = sg.randint(0, 7, of_targets), sg.rand(7) + 0.5
    if of_targets == (5,):
        target[2] = -100
    for loss in (F.cross_entropy, F.nll_loss):

        def function(x: Any, loss: Any = loss) -> Any:
            return loss(x, target.to(x.device), weight.to(x.device), reduction=reduction)

        values = [sg.randn(*shape)]
        same(gradients(function, values, "cuda"), gradients(function, values, "cpu"), 1e-4)


def test_a_target_that_is_no_class_is_refused() -> None:
    """As on the CPU, but when the program waits: no memory is touched."""
    for loss in (F.cross_entropy, F.nll_loss):
        found = loss(sg.randn(3, 4).to("cuda"), sg.tensor([1, 4, 2]).to("cuda"))
        with pytest.raises(IndexError, match=r"Target 4 is out of bounds: expected a class in \[0, 3\]"):
            found.item()
        sg.cuda.synchronize()
