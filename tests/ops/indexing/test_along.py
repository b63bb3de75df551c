"""Elements written, added and reduced at one index along a dimension each: any layouts, part of a tensor, bad indices.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.ops.indexing.references import scatter_reduce

rng = np.random.default_rng(0)
REDUCTIONS = ["sum", "prod", "mean", "amax", "amin"]
DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.int64, sg.int32, sg.uint8]
# The shapes of the tensor, of the index and of the source, and the dimension.
SHAPES = [
    ((5,), (9,), (9,), 0),
    ((5,), (3,), (8,), 0),
    ((4, 5), (4, 9), (4, 9), 1),
    ((4, 5), (9, 5), (9, 5), 0),
    ((4, 5), (7, 3), (8, 4), 0),
    ((4, 5), (2, 7), (3, 8), 1),
    ((3, 4, 5), (3, 6, 5), (3, 6, 5), 1),
    ((3, 4, 5), (2, 6, 3), (3, 7, 5), 1),
    ((3, 4, 5), (2, 3, 6), (2, 4, 7), 2),
    ((3, 4, 40), (9, 4, 40), (9, 4, 40), 0),
    ((1, 1, 1), (1, 2, 1), (1, 2, 1), 1),
]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x,
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
}


def numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    """Small whole numbers, so that sums and products are exact in any dtype and order."""
    low = 1 if dtype is sg.uint8 else -2
    return sg.tensor(rng.integers(low, 3, shape)).to(dtype)


def as_float(x: Any) -> Any:
    return x.to(sg.float64).numpy()


def means_as(dtype: Any, found: Any) -> Any:
    """What a mean in float64 is in a dtype: integers are rounded downwards."""
    return np.floor(found) if not dtype.is_floating_point else as_float(sg.tensor(found).to(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_reductions(reduce: str, how: str, dtype: Any) -> None:
    for shape, at, given, dim in SHAPES:
        x, src = numbers(shape, dtype), numbers(given, dtype)
        index = VIEWS[how](sg.tensor(rng.integers(0, shape[dim], at)))
        for include_self in (True, False):
            expected = scatter_reduce(as_float(x), dim, index.numpy(), as_float(src), reduce, include_self)
            expected = means_as(dtype, expected) if reduce == "mean" else expected
            for _ in range(2):
                found = VIEWS[how](x).scatter_reduce(dim, index, VIEWS[how](src), reduce, include_self=include_self)
                assert found.dtype is dtype
                np.testing.assert_array_equal(as_float(found), expected)


@pytest.mark.parametrize("dtype", [*DTYPES, sg.bool])
@pytest.mark.parametrize("how", VIEWS)
def test_writes(how: str, dtype: Any) -> None:
    """The last of several elements for a place stays; one number; both in place, whatever lies around."""
    for shape, at, given, dim in SHAPES:
        x, src = numbers(shape, dtype), numbers(given, dtype)
        positions = rng.integers(0, shape[dim], at)
        index, expected, filled = VIEWS[how](sg.tensor(positions)), as_float(x).copy(), as_float(x).copy()
        for position in np.ndindex(at):
            target = (*position[:dim], positions[position], *position[dim + 1 :])
            expected[target], filled[target] = as_float(src)[position], 1
        for _ in range(2):
            np.testing.assert_array_equal(as_float(VIEWS[how](x).scatter(dim, index, VIEWS[how](src))), expected)
            np.testing.assert_array_equal(as_float(VIEWS[how](x).scatter(dim, index, 1)), filled)
            full = sg.zeros(2, *shape, dtype=dtype)
            for target, end in (((src,), expected), ((1,), filled)):
                full.zero_()[0] = x
                part = VIEWS[how](full)[0] if how == "transposed" else full[0]
                part.scatter_(dim, index, *target)
                np.testing.assert_array_equal(as_float(part), end)
                assert not full[1].any()


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.int64])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_slices_of_an_index_that_was_expanded(reduce: str, dtype: Any) -> None:
    """Along the first, a middle and the last dimension; another index lies behind in memory."""
    every = sg.tensor(rng.integers(0, 4, 24))
    for shape, dim in (((4, 33), 0), ((3, 4, 17), 1), ((5, 4), 1), ((2, 3, 4), 2)):
        x, given = numbers(shape, dtype), (*shape[:dim], 9, *shape[dim + 1 :])
        src, line = numbers(given, dtype), [1] * len(shape)
        line[dim] = 9
        index = every[6:15].reshape(line).expand(given)
        for include_self in (True, False):
            expected = scatter_reduce(as_float(x), dim, index.numpy(), as_float(src), reduce, include_self)
            expected = means_as(dtype, expected) if reduce == "mean" else expected
            for _ in range(2):
                found = x.scatter_reduce(dim, index, src, reduce, include_self=include_self)
                np.testing.assert_array_equal(as_float(found), expected)
                if reduce != "sum":
                    rows = x.index_reduce(dim, every[6:15], src, reduce, include_self=include_self)
                    np.testing.assert_array_equal(as_float(rows), expected)


@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_special_values(reduce: str) -> None:
    """nan spreads, infinities are numbers, and the sign of the first zero stays."""
    nan, inf = np.nan, np.inf
    x, index = sg.tensor([0.0, nan, 1.0, 2.0, 5.0]), sg.tensor([0, 0, 1, 2, 3, 3])
    src = sg.tensor([nan, 3.0, 1.0, nan, inf, -inf])
    for _ in range(2):
        found = x.scatter_reduce(0, index, src, reduce).numpy()
        np.testing.assert_array_equal(found, [nan, nan, nan, inf if reduce == "amax" else -inf, 5.0])
        found = x.scatter_reduce(0, index, src, reduce, include_self=False).numpy()
        np.testing.assert_array_equal(found, [nan, 1.0, nan, inf if reduce == "amax" else -inf, 5.0])
        zeros = sg.ones(1).scatter_reduce(0, sg.tensor([0, 0]), sg.tensor([-0.0, 0.0]), reduce, include_self=False)
        assert np.signbit(zeros.numpy()[0])


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_bad_indices(reduce: str, include_self: bool) -> None:
    """They are named, by the first call and by native code, at any place and in slices."""
    for bad in (4, -1, 2**62, -(2**63)):
        positions = sg.tensor([0, 3, 1, bad, 2])
        for index, src in ((positions, sg.ones(5)), (positions[:, None].expand(5, 20), sg.ones(5, 20))):
            x = sg.zeros(4, *src.shape[1:])
            good = index.clamp(0, 3)
            x.scatter_reduce(0, good, src, reduce, include_self=include_self)
            for _ in range(2):
                with pytest.raises(RuntimeError, match=f"scatter_reduce\\(\\): index {bad} is out of bounds"):
                    x.scatter_reduce(0, index, src, reduce, include_self=include_self)


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean"])
def test_complex_numbers(reduce: str) -> None:
    x, src = sg.tensor([1 + 1j, 2.0, 3j]), sg.tensor([1j, 2 - 1j, 3.0, 1 + 1j])
    positions = [0, 0, 2, 2]
    expected = scatter_reduce(x.numpy(), 0, np.array(positions), src.numpy(), reduce, False)
    found = x.scatter_reduce(0, sg.tensor(positions), src, reduce, include_self=False)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("reduce", REDUCTIONS)
@pytest.mark.parametrize("expanded", [True, False])
def test_no_bit_depends_on_threads(reduce: str, expanded: bool) -> None:
    before = sg.get_num_threads()
    src = sg.tensor(rng.standard_normal((5000, 96)), dtype=sg.float32)
    positions = sg.tensor(rng.integers(0, 50, (5000, 1 if expanded else 96))).expand(5000, 96)
    found = []
    try:
        for threads in (1, 4):
            sg.set_num_threads(threads)
            found.append([sg.ones(50, 96).scatter_reduce(0, positions, src, reduce).numpy() for _ in range(2)])
    finally:
        sg.set_num_threads(before)
    for other in (found[0][1], *found[1]):
        np.testing.assert_array_equal(found[0][0], other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [0, 1])
def test_slices_are_scaled_before_they_are_added(dim: int, dtype: Any) -> None:
    alphas = [3] if not dtype.is_floating_point else [3, -0.5]
    for shape in ((4, 6), (6, 4)):
        x, index = numbers(shape, dtype), rng.integers(0, shape[dim], 5)
        key: Any = (index,) if dim == 0 else (slice(None), index)
        src = numbers((5, shape[1]) if dim == 0 else (shape[0], 5), dtype)
        for alpha in alphas:
            expected = as_float(x).copy()
            np.add.at(expected, key, alpha * as_float(src))
            for given in (src, VIEWS["steps"](src), VIEWS["transposed"](src)):
                for _ in range(2):
                    found = x.index_add(dim, sg.tensor(index), given, alpha=alpha)
                    np.testing.assert_array_equal(as_float(found), expected)
                    np.testing.assert_array_equal(
                        as_float(x.clone().index_add_(dim, sg.tensor(index), given, alpha=alpha)), expected
                    )


@pytest.mark.parametrize("dtype", [*DTYPES, sg.bool])
def test_the_only_element_of_a_number(dtype: Any) -> None:
    x = numbers((), dtype)
    for index in (sg.tensor([0]), sg.tensor(0)):
        for _ in range(2):
            found = x.index_select(0, index)
            assert found.shape == () and found.dtype is dtype and sg.equal(found, x)
            with pytest.raises(IndexError, match="index 1 is out of bounds"):
                x.index_select(0, index + 1)


@pytest.mark.parametrize("kind", [sg.int64, sg.int32])
def test_indices_from_the_end(kind: Any) -> None:
    """Of elements that are put, or slices that are filled; those of slices that are copied must not be negative."""
    x, positions = numbers((3, 4), sg.float32), [0, -1, 5, -12]
    expected = x.numpy().copy().reshape(-1)
    expected[positions] = [1, 2, 3, 4]
    source = sg.tensor([1.0, 2.0, 3.0, 4.0])
    for _ in range(2):
        if kind is sg.int64:
            found = x.put(sg.tensor(positions, dtype=kind), source)
            np.testing.assert_array_equal(found.numpy().reshape(-1), np.where(np.arange(12) == 0, 4, expected))
            for bad in (12, -13):
                with pytest.raises(IndexError, match=f"index {bad} is out of bounds"):
                    x.put(sg.tensor([0, bad]), source[:2])
            with pytest.raises(IndexError, match="index -1 is out of bounds"):
                x.index_copy(0, sg.tensor([0, -1]), x[:2])
        rows = x.index_reduce(0, sg.tensor([1, 1], dtype=kind), x[:2], "prod")
        np.testing.assert_array_equal(rows.numpy()[1], x.numpy()[1] ** 2 * x.numpy()[0])


def test_elements_in_the_places_of_a_mask() -> None:
    """As many as are true; fewer are refused, by native code too."""
    for shape in ((7,), (3, 5), (2, 3, 40)):
        for how in ("contiguous", "transposed"):
            x, mask = numbers(shape, sg.float32), VIEWS[how](sg.tensor(rng.random(shape) > 0.5))
            source = sg.arange(1.0, 1 + int(mask.sum()))
            expected = x.numpy().copy()
            expected[mask.numpy()] = source.numpy()
            for _ in range(2):
                np.testing.assert_array_equal(x.masked_scatter(mask, source).numpy(), expected)
                with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
                    x.masked_scatter(mask, source[1:])
