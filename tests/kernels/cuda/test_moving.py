"""Copies, indexing and scans on a simulated device, by its own kernels, against NumPy, in three orders of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.simulator import ORDERS, SimulatedCuda, launches
from specgrad.runtime.kernels.cuda_launch import cpu_fallback, gather_scatter, sort_and_scan
from tests.generated.calls import BY_NAME, Style, call_sources, gradients, run
from tests.places import simulated_device

OWN = ("shape", "indexing", "embedding", "scan", "sorting.cpu_counting")
MODULES = ("shape", "indexing", "embedding", "scan")
ENTRIES = [n for n, op in BY_NAME.items() if op.function.__module__.rpartition(".")[2] in MODULES]
ENTRIES.remove("to_device")
ENTRIES += ["searchsorted_indices", "isin.Tensor_Tensor", "bucketize.Tensor"]
rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def on_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A device whose families of this file may not use the host."""
    before = cpu_fallback.Fallback.__call__

    def refused(self: Any, *given: Any) -> Any:
        module = self.kernel.__module__.partition(".ops.")[2]
        assert not module.startswith(OWN), f"{self.name} is computed on the host"
        return before(self, *given)

    monkeypatch.setattr(cpu_fallback.Fallback, "__call__", refused)
    with simulated_device():
        yield


@pytest.fixture(params=ORDERS)
def order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches, "THREADS", SimulatedCuda(request.param, seed=3))


def there(array: Any) -> Any:
    return sg.tensor(array, device="cuda")


def here(tensor: Any) -> np.ndarray:
    return np.asarray((tensor.float() if tensor.dtype is sg.bfloat16 else tensor).numpy(force=True))


def same(found: Any, requested: Any, tolerance: float = 0) -> None:
    """Equal shapes and dtypes, and numbers within a tolerance."""
    assert found.is_cuda and here(found).shape == np.shape(requested)
    np.testing.assert_allclose(here(found), requested, rtol=tolerance, atol=tolerance)


A, B = rng.integers(-9, 10, (33, 17)).astype(np.float64), rng.integers(-9, 10, (5, 6, 9)).astype(np.float64)
INDICES, ROWS = rng.integers(0, 33, (40, 17)), rng.integers(0, 33, 50)
NEGATIVE = rng.integers(-6, 6, (4, 7))
IMAGE = rng.integers(-9, 10, (2, 3, 7, 8)).astype(np.float64)


def added(table: np.ndarray, positions: Any, values: np.ndarray) -> np.ndarray:
    result = table.copy()
    np.add.at(result, positions, values)
    return result


def windows(image: np.ndarray) -> np.ndarray:
    """The columns of windows of (2, 3), 2 down and 1 across apart, dilated by 2 down, padded by 1 across."""
    wide = np.pad(image, ((0, 0), (0, 0), (0, 0), (1, 1)))
    found = [
        [wide[:, :, y : y + 3 : 2, x : x + 3].reshape(2, -1) for x in range(wide.shape[3] - 2)]
        for y in range(0, image.shape[2] - 2, 2)
    ]
    return np.stack([each for line in found for each in line], -1)


MOVED: dict[str, tuple[Callable[[], Any], Any]] = {
    "flip": (lambda: there(B).flip(0, 2), np.flip(B, (0, 2))),
    "flip strided": (lambda: there(B).permute(2, 0, 1).flip(1), np.flip(B.transpose(2, 0, 1), 1)),
    "roll": (lambda: there(B).roll((2, -3), (0, 2)), np.roll(B, (2, -3), (0, 2))),
    "roll flat": (lambda: there(A).T.roll(20), np.roll(A.T, 20)),
    "triu": (lambda: there(B).triu(-1), np.triu(B, -1)),
    "tril": (lambda: there(A).T.tril(3), np.tril(A.T, 3)),
    "cat": (lambda: sg.cat([there(A), there(A)[:, ::2]], 1), np.concatenate([A, A[:, ::2]], 1)),
    "stack": (lambda: sg.stack([there(A), there(A).flip(0)], 1), np.stack([A, A[::-1]], 1)),
    "pad": (
        lambda: sg.nn.functional.pad(there(A), (2, -3, 1, 4), value=1.5),
        np.pad(A[:, :-3], ((1, 4), (2, 0)), constant_values=1.5),
    ),
    "unfold": (
        lambda: sg.nn.functional.unfold(there(IMAGE), (2, 3), dilation=(2, 1), padding=(0, 1), stride=(2, 1)),
        windows(IMAGE),
    ),
    "repeats": (
        lambda: there(A).repeat_interleave(there(np.arange(33) % 3), 0),
        np.repeat(A, np.arange(33) % 3, 0),
    ),
    "index_select": (lambda: there(B).index_select(1, there(ROWS % 6)), B[:, ROWS % 6]),
    "gather": (lambda: there(A).gather(0, there(INDICES)), np.take_along_axis(A, INDICES, 0)),
    "index": (lambda: there(B)[:, there(NEGATIVE)], B[:, NEGATIVE]),
    "index apart": (
        lambda: there(B)[there(NEGATIVE % 5), :, there(NEGATIVE)],
        B[NEGATIVE % 5, :, NEGATIVE],
    ),
    "index mask": (lambda: there(B)[there(B) > 2], B[B > 2]),
    "nonzero": (lambda: (there(B) > 2).nonzero(), np.argwhere(B > 2)),
    "index_add": (
        lambda: there(A).index_add(0, there(ROWS), there(A)[there(ROWS % 7)], alpha=2),
        added(A, ROWS, 2 * A[ROWS % 7]),
    ),
    "scatter_add": (
        lambda: there(A).scatter_add(0, there(INDICES), there(INDICES).double()),
        added(A, (INDICES, np.arange(17)), INDICES),
    ),
    "index_put": (
        lambda: there(A).index_put((there(ROWS), there(ROWS % 17)), there(ROWS).double(), accumulate=True),
        added(A, (ROWS, ROWS % 17), ROWS),
    ),
    "searchsorted": (
        lambda: sg.searchsorted(there(np.sort(A)), there(A), right=True),
        (np.sort(A)[:, None] <= A[:, :, None]).sum(-1),
    ),
    "isin": (lambda: sg.isin(there(A), there(B[0, 0])), np.isin(A, B[0, 0])),
    "embedding": (lambda: sg.nn.functional.embedding(there(ROWS.reshape(5, 10)), there(A)), A[ROWS.reshape(5, 10)]),
    "cumsum": (lambda: there(A).cumsum(0), A.cumsum(0)),
    "cummax": (lambda: there(A).cummax(1)[0], np.maximum.accumulate(A, 1)),
    "logcumsumexp": (lambda: there(A).logcumsumexp(0), np.logaddexp.accumulate(A, 0)),
}


@pytest.mark.parametrize("name", MOVED)
def test_values(order: None, name: str) -> None:
    """Sizes that leave threads without an element, blocks with few and places that are met several times."""
    function, requested = MOVED[name]
    same(function(), requested, 1e-13 if name == "logcumsumexp" else 0)


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("included", [True, False])
def test_what_is_reduced_into_places(order: None, reduce: str, included: bool) -> None:
    function = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    rows, values = ROWS[:20], rng.integers(1, 3, 20).astype(np.float64)
    requested = np.arange(33.0)
    for row in set(rows.tolist()):
        requested[row] = function([*[requested[row]] * included, *values[rows == row]])
    found = there(np.arange(33.0)).scatter_reduce(0, there(rows), there(values), reduce, include_self=included)
    same(found, requested, 1e-15)


def test_indices_that_are_sorted(order: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where many indices meet many places, in several digits, each in its order: the last of equal indices wins."""
    monkeypatch.setattr(gather_scatter, "LOOKING", 0)
    rows = rng.integers(0, 300, 1100)
    values = rng.standard_normal((1100, 2))
    table = np.zeros((300, 2))
    same(there(table).index_add(0, there(rows), there(values)), added(table, rows, values))
    requested = table.copy()
    requested[rows] = values
    same(there(table).index_put((there(rows),), there(values)), requested)
    positions = rng.integers(0, 20, (60, 2))
    expected = added(table, (positions, np.arange(2)), values[:60])
    same(there(table).scatter_add(0, there(positions), there(values[:60])), expected)


@pytest.mark.parametrize("dim", [0, 1])
def test_long_lines(order: None, monkeypatch: pytest.MonkeyPatch, dim: int) -> None:
    """Several tiles of a block, and several blocks of a line."""
    x = rng.standard_normal((1100, 2)) if dim == 0 else rng.standard_normal((1, 1100))
    one = there(x).cumsum(dim)
    same(one, x.cumsum(dim), 1e-12)
    monkeypatch.setattr(sort_and_scan, "PART", 300)
    same(there(x).cumsum(dim), x.cumsum(dim), 1e-12)
    values, positions = there(x).cummin(dim)
    same(values, np.minimum.accumulate(x, dim))
    assert np.array_equal(np.take_along_axis(x, here(positions), dim), np.minimum.accumulate(x, dim))


DTYPES = [sg.float16, sg.bfloat16, sg.float32, sg.float64, sg.uint8, sg.int8, sg.int32, sg.int64, sg.bool]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_in_memory(dtype: Any) -> None:
    """Whole numbers that all dtypes hold are moved and added exactly; bools are joined by `or`."""
    full = rng.integers(0, 2, (9, 5))
    x, positions = there(full).to(dtype), there(rng.integers(0, 9, (9, 5)))
    at = here(positions)
    summed = added(np.zeros((9, 5)), (at, np.arange(5)), full)
    requested = summed > 0 if dtype is sg.bool else summed
    assert (x.gather(0, positions).dtype, x.flip(0).dtype) == (dtype, dtype)
    same(x.gather(0, positions), np.take_along_axis(full, at, 0))
    same(x.flip(0).roll(1, 1).tril(), np.tril(np.roll(full[::-1], 1, 1)))
    same(sg.zeros_like(x).scatter_add(0, positions, x), requested)
    same(sg.cat([x, x.T[:, :5]], 0), np.concatenate([full, full.T[:, :5]]))


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_entries_of_the_families(name: str, dtype: str) -> None:
    """What the CPU gives, and its gradients, from strided operands; by own kernels alone."""
    kind = getattr(sg, dtype)
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    for text in call_sources(BY_NAME[name], np.dtype(dtype).kind):
        style = {"dtype": kind, "strided": True, "grad": np.dtype(dtype).kind in "fc"}
        try:
            requested = run(name, text, Style(**style))
        except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError):
            continue  # not of this dtype
        found = run(name, text, Style(**style, device="cuda"))
        if style["grad"]:
            requested += tuple(gradients(name, text, Style(**style)))
            found += tuple(gradients(name, text, Style(**style, device="cuda")))
        for one, other in zip(found, requested, strict=True):
            if isinstance(other, sg.Tensor):
                assert one.dtype is other.dtype
                same(one, here(other), tolerance)


def test_empty_and_single_elements() -> None:
    """Nothing is launched for no elements; a 0-d array has one."""
    none, one = there(np.zeros((0, 3))), there(2.0)
    assert none.flip(0).shape == none.cumsum(0).shape == none.roll(1, 0).shape == (0, 3)
    assert none.nonzero().shape == (0, 2) and none.index_select(1, there([2, 0])).shape == (0, 2)
    assert none.index_select(0, there(np.zeros(0, np.int64))).shape == (0, 3)
    same(there(np.ones(3)).index_add(0, there(np.zeros(0, np.int64)), there(np.zeros(0))), np.ones(3))
    same(one.flip(()), 2.0)
    same(one.cumsum(0), 2.0)
    same(one.gather(0, there(0)), 2.0)
    same(one.nonzero(), np.zeros((1, 0)))
