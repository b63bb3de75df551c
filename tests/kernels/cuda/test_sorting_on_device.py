"""Sorts, ranks, runs and bins on a simulated device, by its own kernels, against NumPy, in three orders of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import driver
from specgrad.runtime.extensions.simulator import ORDERS, SimulatedCuda, launches
from specgrad.runtime.kernels.cuda import counting
from specgrad.runtime.kernels.cuda_launch import sort_and_scan
from specgrad.runtime.ops.sorting import cuda
from tests.ops.sorting import references
from tests.places import simulated_device

DTYPES = [sg.float16, sg.bfloat16, sg.float32, sg.float64, sg.uint8, sg.int8, sg.int16, sg.int32, sg.int64, sg.bool]
FLOATS = [dtype for dtype in DTYPES if dtype.kind == "f"]
NAN, INF = float("nan"), float("inf")
rng = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def on_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A device that may not use the host."""
    with simulated_device():
        monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "error")
        yield


@pytest.fixture(params=ORDERS)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches, "THREADS", SimulatedCuda(request.param, seed=5))


@pytest.fixture(params=["in blocks", "by radix"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines in shared memory, or by radix in parts of 256 elements."""
    if request.param == "by radix":
        monkeypatch.setattr(sort_and_scan, "SHORT", 0)
        monkeypatch.setattr(sort_and_scan, "ITEMS", 1)


def sampled(dtype: Any, *shape: int) -> sg.Tensor:
    """Numbers with ties; of floats also nan of both signs, infinities and zeros of both signs."""
    values = np.round(rng.standard_normal(shape) * 4, 1)
    if dtype.kind == "f":
        flat = values.reshape(-1)
        for special in (NAN, -NAN, INF, -INF, 0.0, -0.0, 0.0, -0.0):
            flat[rng.integers(flat.size, size=1 + flat.size // 40)] = special
    return sg.tensor(values > 0 if dtype is sg.bool else values).to(dtype)


def wide(tensor: sg.Tensor) -> np.ndarray:
    """The numbers on the host, in a dtype that NumPy sorts."""
    found = tensor.detach().cpu()
    return np.asarray((found.float() if found.dtype is sg.bfloat16 else found).numpy())


def agree(found: Any, requested: Any, dtype: Any) -> None:
    """Values of a dtype, signs of zeros among them, and places."""
    values, positions = found
    assert values.is_cuda and positions.is_cuda and values.dtype is dtype and positions.dtype is sg.int64
    np.testing.assert_array_equal(wide(positions), requested[1])
    np.testing.assert_array_equal(wide(values), requested[0])
    if dtype.kind == "f":
        known = ~np.isnan(requested[0])
        np.testing.assert_array_equal(np.signbit(wide(values))[known], np.signbit(requested[0])[known])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sorts_are_stable(threads: None, way: None, dtype: Any, descending: bool) -> None:
    x = sampled(dtype, 1, 41)
    agree(x.cuda().sort(1, descending), references.sort(wide(x), 1, descending), dtype)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_layouts(threads: None, dim: int) -> None:
    """Lines that lie apart, of arrays with steps, of which not all elements are wanted."""
    x = sampled(sg.float32, 5, 4, 12)
    for there, here in ((x.cuda(), x), (x.cuda().permute(2, 0, 1)[::2], x.permute(2, 0, 1)[::2])):
        agree(there.sort(dim), references.sort(wide(here), dim), sg.float32)
        np.testing.assert_array_equal(wide(there.argsort(dim, True)), references.order(wide(here), dim, True))
        agree(there.topk(3, dim), references.topk(wide(here), 3, dim), sg.float32)
        agree(there.topk(2, dim, largest=False), references.topk(wide(here), 2, dim, False), sg.float32)
        agree(there.kthvalue(3, dim), references.kthvalue(wide(here), 3, dim), sg.float32)
        agree(there.kthvalue(1, dim, True), references.kthvalue(wide(here), 1, dim, True), sg.float32)


def test_long_lines_of_several_parts(threads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in parts of 256 elements; some lie apart, and few elements are wanted."""
    monkeypatch.setattr(sort_and_scan, "SHORT", 0)
    monkeypatch.setattr(sort_and_scan, "ITEMS", 1)
    x = sampled(sg.bfloat16, 600, 2)
    agree(x.cuda().sort(0), references.sort(wide(x), 0), sg.bfloat16)
    agree(x.cuda().topk(3, 0), references.topk(wide(x), 3, 0), sg.bfloat16)
    agree(x.T.cuda().kthvalue(300), references.kthvalue(wide(x.T), 300), sg.bfloat16)


@pytest.mark.parametrize("length", [1, 2, 3, 32, 33, 1024, 1025, 4000])
def test_lengths(length: int) -> None:
    x = sampled(sg.float32, 1, length) if length > 1000 else sampled(sg.float32, 3, length)
    agree(x.cuda().sort(1, True), references.sort(wide(x), 1, True), sg.float32)


def test_more_elements_than_the_host_leaves_a_simulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver.driver(), "_max_elements", None, raising=False)
    x = sampled(sg.bfloat16, 5000)
    agree(x.cuda().sort(0), references.sort(wide(x), 0), sg.bfloat16)
    agree(x.cuda().topk(7), references.topk(wide(x), 7), sg.bfloat16)


def median(x: np.ndarray, dim: int, skips: bool) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each line, or its first nan unless nan is skipped."""
    order = np.argsort(x, dim, kind="stable")
    known = np.sum(~np.isnan(x), dim, keepdims=True)
    entire = known == x.shape[dim]
    rank = np.where(entire | skips, np.maximum(known - 1, 0) // 2, known)
    positions = np.take_along_axis(order, rank, dim)
    return np.take_along_axis(x, positions, dim).squeeze(dim), positions.squeeze(dim)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_medians(threads: None, dtype: Any) -> None:
    x = sampled(dtype, 3, 9, 4)
    x[0] = x[0].nan_to_num(1)
    x[1, :, 2] = NAN
    for dim in (0, 1, 2):
        agree(x.cuda().median(dim), median(wide(x), dim, False), dtype)
        agree(x.cuda().nanmedian(dim), median(wide(x), dim, True), dtype)
    for part in (x[0].T, x[1], x[1, :, 2]):
        there = part.cuda()
        np.testing.assert_array_equal(wide(there.median()), median(wide(part).reshape(-1), 0, False)[0])
        np.testing.assert_array_equal(wide(there.nanmedian()), median(wide(part).reshape(-1), 0, True)[0])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_modes(threads: None, dtype: Any) -> None:
    """The least of the most frequent elements, and where it is last; nan equals nothing."""
    x = sampled(dtype, 2, 30)
    values, positions = x.cuda().mode(1)
    for line, value, target_device in zip(wide(x), wide(values), wide(positions), strict=True):
        counts = {number: np.sum(line == number) for number in line.tolist() if number == number}
        requested = min(number for number, count in counts.items() if count == max(counts.values()))
        assert value == requested and target_device == np.flatnonzero(line == requested)[-1]


def test_modes_without_runs() -> None:
    """Where nothing occurs twice the least element is taken, of nan the first."""
    assert [float(part) for part in sg.tensor([2.0, NAN, 1.0, NAN], device="cuda").mode()] == [1.0, 2.0]
    found = sg.full((3,), NAN, device="cuda").mode()
    assert found.values.isnan() and int(found.indices) == 0


def test_no_elements_and_no_dimensions() -> None:
    none, one = sg.zeros(0, 3, device="cuda"), sg.tensor(2.0, device="cuda")
    assert none.sort(0)[1].shape == none.sort(1)[0].shape == none.mode(1, True)[0].shape[:1] + (3,) == (0, 3)
    assert none.median(1).values.shape == none.kthvalue(2, 1).indices.shape == none.nanmedian(1)[0].shape == (0,)
    assert none.topk(2, 1).values.shape == (0, 2) and none.T.topk(0, 1).values.shape == (3, 0)
    assert none.median().isnan() and int(none.long().median()) == np.iinfo(np.int64).min
    for found in (one.sort(0), one.topk(1), one.kthvalue(1), one.median(0), one.nanmedian(0), one.mode(0)):
        assert (float(found[0]), int(found[1]), found[0].shape) == (2.0, 0, ())
    assert [float(part) for part in one.topk(0)] == [float(part) for part in one.cpu().topk(0)] == [2.0, 0.0]
    assert float(one.median()) == 2 and one.argsort(0).shape == ()
    for found in (sg.unique(none, return_inverse=True), sg.unique_consecutive(none[:, 0], return_inverse=True)):
        assert found[0].numel() == found[1].numel() == 0
    assert sg.unique(none, dim=0).shape == (0, 3) and sg.unique(one).tolist() == [2.0]
    assert sg.histc(none, 4, 0, 1).tolist() == [0.0] * 4 and sg.bincount(none[:, 0].long(), minlength=2).tolist() == [
        0,
        0,
    ]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_distinct_elements(threads: None, dtype: Any) -> None:
    x = sampled(dtype, 4, 30)
    given = wide(x)
    values, inverse, counts = sg.unique(x.cuda(), return_inverse=True, return_counts=True)
    requested = np.unique(given, return_counts=True, equal_nan=False)
    assert values.dtype is dtype and inverse.shape == x.shape
    np.testing.assert_array_equal(wide(values), requested[0])
    np.testing.assert_array_equal(wide(counts), requested[1])
    np.testing.assert_array_equal(wide(values)[wide(inverse)], given)
    np.testing.assert_array_equal(wide(sg.unique(x.cuda())), requested[0])


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_distinct_slices(way: None, dim: int) -> None:
    x = rng.integers(0, 2, (2, 3, 20)).astype(np.float32) if dim else rng.integers(0, 2, (20, 2, 2)).astype(np.float32)
    x.reshape(-1)[[3, 17]] = NAN, -0.0
    found = sg.unique(sg.tensor(x, device="cuda"), dim=dim, return_inverse=True, return_counts=True)
    requested = np.unique(x, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    for one, other in zip(found, requested, strict=True):
        np.testing.assert_array_equal(wide(one), other.reshape(one.shape))


def test_runs(threads: None) -> None:
    x = np.repeat(rng.integers(0, 3, 60), rng.integers(1, 4, 60)).astype(np.float64)
    x[5] = x[6] = NAN
    begins = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    values, inverse, counts = sg.unique_consecutive(sg.tensor(x, device="cuda"), True, True)
    np.testing.assert_array_equal(wide(values), x[begins])
    np.testing.assert_array_equal(wide(counts), np.diff(np.r_[begins, len(x)]))
    np.testing.assert_array_equal(wide(values)[wide(inverse)], x)
    table = np.repeat(rng.integers(0, 2, (10, 3)), 3, 0)
    rows = sg.unique_consecutive(sg.tensor(table, device="cuda"), dim=0, return_counts=True)
    retained = np.flatnonzero(np.r_[True, (table[1:] != table[:-1]).any(1)])
    np.testing.assert_array_equal(wide(rows[0]), table[retained])
    np.testing.assert_array_equal(wide(rows[1]), np.diff(np.r_[retained, 30]))


@pytest.mark.parametrize("capacity", [counting.BINS, 3])
def test_bins(threads: None, monkeypatch: pytest.MonkeyPatch, capacity: int) -> None:
    """Counted by blocks, and one by one where there are more bins than they have room for."""
    monkeypatch.setattr(counting, "BINS", capacity)
    monkeypatch.setattr(cuda, "BLOCKS", 2)
    entire = rng.integers(0, 11, 700)
    for dtype in (sg.uint8, sg.int64):
        found = sg.bincount(sg.tensor(entire, device="cuda").to(dtype), minlength=14)
        np.testing.assert_array_equal(wide(found), np.bincount(entire, minlength=14))
    for kind in (np.float32, np.float64):
        x = rng.standard_normal(700).astype(kind)
        x[:4] = NAN, INF, 1.5, -1
        there, edges = sg.tensor(x, device="cuda"), np.array([-1, -0.5, 0.25, 0.25, 1.5], kind)
        parts = np.histogram(x[~np.isnan(x)], 10, (-1, 1.5))[0]
        np.testing.assert_array_equal(wide(sg.histc(there, 10, -1, 1.5)), parts)
        between = sg.histogram(there, sg.tensor(edges, device="cuda"))[0]
        np.testing.assert_array_equal(wide(between), np.histogram(x[~np.isnan(x)], edges)[0])


def test_weights_of_bins_do_not_depend_on_the_order_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight = rng.standard_normal(900), rng.random(900)
    edges = np.array([-2, 0, 0.5, 3.0])
    found = []
    for order in ORDERS:
        monkeypatch.setattr(launches, "THREADS", SimulatedCuda(order, seed=2))
        given = [sg.tensor(array, device="cuda") for array in (x, edges, weight)]
        found.append(wide(sg.histogram(given[0], given[1], weight=given[2])[0]))
    np.testing.assert_allclose(found[0], np.histogram(x, edges, weights=weight)[0], rtol=1e-14)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("count", [0, 1, 2, 700])
def test_permutations_are_those_of_the_cpu(way: None, count: int) -> None:
    found, requested = (sg.randperm(count, generator=sg.Generator().manual_seed(3), device=d) for d in ("cuda", "cpu"))
    np.testing.assert_array_equal(wide(found), wide(requested))


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("shape", [(9,), (3, 40)])
def test_places_are_drawn_as_on_the_cpu(replacement: bool, shape: tuple[int, ...]) -> None:
    weights = sg.rand(shape)
    weights[..., 1::3] = 0
    weights[..., -1] = 0  # leaves five of nine
    sampled = []
    for target_device in ("cuda", "cpu"):
        sg.manual_seed(4)
        sampled.append(sg.multinomial(weights.to(target_device), 5, replacement))
    assert sampled[0].is_cuda
    np.testing.assert_array_equal(wide(sampled[0]), wide(sampled[1]))
    with pytest.raises(RuntimeError, match="finite weights that are not negative"):
        sg.multinomial(-weights.cuda(), 2)


def test_gradients_go_where_elements_were() -> None:
    x = sampled(sg.float64, 3, 8).nan_to_num(0)
    for call in (
        lambda t: t.sort(1)[0],
        lambda t: t.T.sort(0, True)[0],
        lambda t: t.topk(3, 0)[0],
        lambda t: t.kthvalue(2)[0],
        lambda t: t.median(1)[0],
    ):
        leaves = [x.clone().to(target_device).requires_grad_() for target_device in ("cuda", "cpu")]
        for leaf in leaves:
            result = call(leaf)
            (result * sg.arange(1.0, 1 + result.numel(), device=leaf.device).reshape(result.shape)).sum().backward()
        np.testing.assert_array_equal(wide(leaves[0].grad), wide(leaves[1].grad))
