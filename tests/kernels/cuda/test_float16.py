"""Tensors of 16-bit floats on a device: kernels compute in float32, and round once, where they store results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.namespace import op
from specgrad.runtime.tensor.tensor import host_array
from tests.device.cuda.comparison import wide
from tests.device.cuda.simulator import simulated

F = sg.nn.functional
HALVES = [sg.float16, sg.bfloat16]
Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def driver() -> Iterator[SimulatedDriver]:
    with simulated() as found:
        yield found
        sg.cuda.synchronize()


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The functions that are launched, by Python or by native code."""
    launched: list[int] = []
    launch = SimulatedDriver.launch

    def noted(self: SimulatedDriver, function: int, *others: Any) -> None:
        launched.append(function)
        launch(self, function, *others)

    monkeypatch.setattr(SimulatedDriver, "launch", noted)
    return launched


def numbers(dtype: Any, *shape: int, start: int = 1) -> Any:
    """Numbers of which a 16-bit float holds each, on the host."""
    count = int(np.prod(shape))
    return sg.tensor(np.cos(np.arange(start, start + count)).reshape(shape)).to(dtype)


def bits(tensor: Any) -> Any:
    return wide(tensor.detach().cpu().float().numpy()).tolist()


def indices() -> Any:
    return sg.tensor([2, 0, 3, 2], device="cuda")


# Each is one launch, of a kernel that reads and writes 16-bit floats.
ONE_LAUNCH: dict[str, tuple[Function, list[tuple[int, ...]]]] = {
    "sum": (lambda x: x.sum(1), [(4, 6)]),
    "mean": (lambda x: x.mean(), [(4, 6)]),
    "var": (lambda x: x.var(0), [(4, 6)]),
    "norm": (lambda x: x.norm(3.0, 1), [(4, 6)]),
    "amax": (lambda x: x.amax(1), [(4, 6)]),
    "max": (lambda x: x.max(1), [(4, 6)]),
    "prod": (lambda x: x.prod(0), [(4, 6)]),
    "logsumexp": (lambda x: x.logsumexp((0, 1)), [(4, 6)]),
    "softmax": (lambda x: x.softmax(1), [(4, 6)]),
    "log_softmax": (lambda x: x.log_softmax(0), [(4, 6)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (6,), w, b), [(4, 6), (6,), (6,)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, (6,), w), [(4, 6), (6,)]),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [(4, 6), (6,), (6,)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), [(4, 6), (6,), (6,)]),
    "mse_loss": (F.mse_loss, [(4, 6), (4, 6)]),
    "cumsum": (lambda x: x.cumsum(1), [(4, 6)]),
    "cummax": (lambda x: x.cummax(0), [(4, 6)]),
    "sort": (lambda x: x.sort(1), [(4, 6)]),
    "flip": (lambda x: x.flip(0), [(4, 6)]),
    "tril": (lambda x: x.tril(), [(4, 6)]),
    "transposed copy": (lambda x: x.t().clone(), [(4, 6)]),
    "gather rows": (lambda x: x[indices_here[0]], [(4, 6)]),
    "embedding": (lambda x: F.embedding(indices_here[0], x), [(4, 6)]),
    "max_pool": (lambda x: F.max_pool1d(x, 2), [(4, 6)]),
    "avg_pool": (lambda x: F.avg_pool1d(x, 2), [(4, 6)]),
    "cdist": (sg.cdist, [(4, 6), (3, 6)]),
    "resampled": (lambda x: F.interpolate(x, size=9, mode="linear"), [(1, 4, 6)]),
}
indices_here: list[Any] = []  # of the device in use


@pytest.fixture(autouse=True)
def _indices(driver: SimulatedDriver) -> Iterator[None]:
    indices_here[:] = [indices()]
    yield
    indices_here.clear()


@pytest.mark.parametrize("name", ONE_LAUNCH)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_one_kernel_computes_in_float32_and_rounds_once(name: str, dtype: Any, launches: list[int]) -> None:
    """The bits are those of the op in float32, rounded; and the values are the CPU's."""
    function, shapes = ONE_LAUNCH[name]
    given = [numbers(dtype, *shape, start=3 * i + 1) for i, shape in enumerate(shapes)]
    there = [x.cuda() for x in given]
    exact = function(*[x.float() for x in there])
    function(*there)
    launches.clear()
    found = function(*there)
    assert len(launches) == 1
    for one, other in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, exact)], strict=True):
        assert one.dtype is (dtype if other.dtype is sg.float32 else other.dtype)
        assert bits(one) == bits(other.to(one.dtype))
    indices_here[:] = [i.cpu() for i in indices_here]
    expected = function(*given)
    tolerance = {"float16": 2**-10, "bfloat16": 2**-7}[dtype.name]  # sums in another order may round to a neighbour
    for one, other in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, expected)], strict=True):
        np.testing.assert_allclose(bits(one), bits(other), rtol=tolerance, atol=tolerance)


def derivatives(function: Function, given: list[Any], weights: Any) -> list[Any]:
    """The gradients of a weighted sum of a function's result."""
    leaves = [x.detach().requires_grad_() for x in given]
    result = function(*leaves)
    result = result[0] if isinstance(result, tuple) else result
    result.backward(weights.to(result.dtype).reshape(-1)[: result.numel()].reshape(result.shape).to(result.device))
    return [x.grad for x in leaves]


# Whose gradients are computed of what the op was given, and not of its rounded result.
OF_INPUTS = ("sum", "mean", "var", "prod", "amax", "mse_loss", "cumsum", "flip", "tril", "gather rows", "embedding")
OF_INPUTS += ("max_pool", "avg_pool", "resampled", "sort", "max")


@pytest.mark.parametrize("name", OF_INPUTS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_gradients_are_rounded_once(name: str, dtype: Any) -> None:
    """The bits are those of the gradients in float32, rounded, on the device and on the host."""
    function, shapes = ONE_LAUNCH[name]
    given = [numbers(dtype, *shape, start=3 * i + 1) for i, shape in enumerate(shapes)]
    weights = numbers(dtype, 64, start=5)
    exact = derivatives(function, [x.float().cuda() for x in given], weights)
    for _ in range(2):
        found = derivatives(function, [x.cuda() for x in given], weights)
        assert [g.dtype for g in found] == [dtype] * len(found)
        assert [bits(g) for g in found] == [bits(g.to(dtype)) for g in exact]
    indices_here[:] = [i.cpu() for i in indices_here]
    for one, other in zip(
        derivatives(function, given, weights), derivatives(function, [x.float() for x in given], weights), strict=True
    ):
        assert one.dtype is dtype and bits(one) == bits(other.to(dtype))


@pytest.mark.parametrize(
    "name", ["softmax", "log_softmax", "logsumexp", "norm", "layer_norm", "rms_norm", "batch_norm"]
)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_gradients_take_as_many_launches_as_in_float32(name: str, dtype: Any, launches: list[int]) -> None:
    """No kernel only converts; and the values are the CPU's."""
    function, shapes = ONE_LAUNCH[name]
    given = [numbers(dtype, *shape, start=3 * i + 1) for i, shape in enumerate(shapes)]
    weights, counts = numbers(dtype, 64, start=5), []
    for kind in (sg.float32, dtype):
        leaves = [x.cuda().to(kind).requires_grad_() for x in given]
        for _ in range(2):
            result = function(*leaves)
            scaled = weights[: result.numel()].reshape(result.shape).to(kind).cuda()
            launches.clear()
            sg.autograd.grad(result, leaves, scaled)
            count = len(launches)
        counts.append(count)
    assert counts[0] == counts[1]
    found, expected = derivatives(function, [x.cuda() for x in given], weights), derivatives(function, given, weights)
    tolerance = {"float16": 2**-9, "bfloat16": 2**-6}[dtype.name]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(bits(one), bits(other), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_what_comes_between_is_not_rounded(dtype: Any) -> None:
    """Norms of any layout, losses and their gradients take several launches, whose numbers on the way are float32."""
    x, w, y = (numbers(dtype, *shape).cuda() for shape in ((3, 4, 5), (3, 1, 5), (3, 4, 5)))
    target = sg.tensor([[1, 0, 3, 2, 1], [0, 0, 2, 3, 3], [2, 1, 0, -100, 1]], device="cuda")
    chances = (y + 1) / 2

    def any_norm(x: Any, w: Any) -> Any:
        return op.standardize(x, w, w, [1], [3, 1, 5], 1e-5)[0]

    functions: list[tuple[Function, list[Any]]] = [
        (any_norm, [x, w]),
        (lambda x: F.cross_entropy(x, target), [x]),
        (lambda x: F.cross_entropy(x, target, reduction="none"), [x]),
        (lambda x: F.nll_loss(x, target), [x]),
        (lambda x: F.binary_cross_entropy_with_logits(x, chances.to(x.dtype)), [x]),
        (lambda x: x.median(1), [x]),
        (lambda x: F.pad(x, (2, 1), mode="reflect"), [x]),
    ]
    for function, given in functions:
        for _ in range(2):
            found, exact = function(*given), function(*[a.float() for a in given])
            one, other = (r[0] if isinstance(r, tuple) else r for r in (found, exact))
            assert one.dtype is dtype and bits(one) == bits(other.to(dtype))


def test_a_wider_result_is_asked_for() -> None:
    """Nothing is rounded where the op computes in another dtype than its tensors have."""
    x = numbers(sg.float16, 4, 6).cuda()
    for function in (lambda x, **k: x.softmax(1, **k), lambda x, **k: x.sum(0, **k), lambda x, **k: x.cumsum(1, **k)):
        for _ in range(2):
            found = function(x, dtype=sg.float32)
            assert found.dtype is sg.float32 and bits(found) == bits(function(x.float()))
    both = sg.cat([x, x.float() / 3])
    assert both.dtype is sg.float32 and bits(both) == bits(sg.cat([x.float(), x.float() / 3]))
    copied = x.t().to(sg.float32)
    assert copied.dtype is sg.float32 and bits(copied) == bits(x.float().t())


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_what_is_computed_is_kept_for_gradients(dtype: Any) -> None:
    """The sums of an attention's rows keep the digits of float32, from the first call on and when it is known."""
    query, key, value = (numbers(dtype, 2, 3, 5, 4).cuda().requires_grad_() for _ in range(3))
    for _ in range(3):
        result = F.scaled_dot_product_attention(query, key, value)
        assert result.dtype is dtype and result.grad_fn.kept_logsumexp.dtype is sg.float32


def test_pairs_of_halves() -> None:
    """complex32 is read as complex64, and stored, as on the CPU: also what is too large, subnormal or no number."""
    given = sg.tensor([1 + 2j, -3.5 + 1e-6j, 7e4 - 1j, complex("nan"), 6e-8 - 65504j, 0.1 - 0.2j])
    here, there = given.to(sg.complex32), given.cuda().to(sg.complex32)
    assert there.dtype is sg.complex32
    for one, other in [(there, here), (there.abs(), here.abs()), (there * there, here * here)]:
        assert host_array(one).tobytes() == host_array(other).tobytes()
    for dtype in (sg.complex64, sg.complex128, sg.float32, sg.bool):
        assert host_array(there.to(dtype)).tobytes() == host_array(here.to(dtype)).tobytes()
    assert sg.full((2,), 1 + 2j, dtype=sg.complex32, device="cuda").tolist() == [1 + 2j] * 2
    assert sg.tensor([3.0]).cuda().to(sg.complex32).tolist() == [3]
