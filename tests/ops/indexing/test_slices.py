"""Slices along a dimension and elements of the flattened tensor written over by index: any layouts and dtypes, in place
and into copies, and gradients.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.complex64, sg.int64, sg.int32, sg.uint8, sg.bool]
SHAPES = [(), (5,), (4, 3), (2, 5, 3), (40, 64), (3, 0)]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x,
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2] if x.ndim else x,
}


def as_numpy(x: Any) -> Any:
    return x.to(sg.complex128 if x.dtype.is_complex else sg.float64).numpy()


def numbers(shape: tuple[int, ...], dtype: Any) -> Any:
    return sg.tensor(rng.integers(0, 2 if dtype is sg.bool else 9, shape)).to(dtype)


def agree(name: str, x: Any, requested: Any, *arguments: Any) -> None:
    """The op named gives a copy, the one with an underscore the tensor itself."""
    for _ in range(2):
        given = x.clone()
        found = getattr(given, name)(*arguments)
        assert found.dtype is x.dtype and found.shape == x.shape
        np.testing.assert_array_equal(as_numpy(found), requested)
        np.testing.assert_array_equal(as_numpy(given), as_numpy(x))
        assert getattr(given, f"{name}_")(*arguments) is given
        np.testing.assert_array_equal(as_numpy(given), requested)


def along(dim: int, index: Any) -> tuple[Any, ...]:
    return *[slice(None)] * dim, index


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_slices(shape: tuple[int, ...], how: str, dtype: Any) -> None:
    x = VIEWS[how](numbers(shape, dtype))
    for dim in range(max(len(shape), 1)):
        size = x.shape[dim] if shape else 1
        index = rng.permutation(size)[: min(size, 3)]
        requested = as_numpy(x).reshape(shape or 1).copy()
        source = VIEWS[how](numbers((*shape[:dim], len(index), *shape[dim:][1:]) if shape else (1,), dtype))
        requested[along(dim, index)] = as_numpy(source)
        agree("index_copy", x, requested.reshape(shape), dim, sg.tensor(index), source)
        # Of equal indices, and of those that count from the end, the value is the same; a tensor may be of any dtype.
        multiple = np.array([*index, *(index - size)], np.int64)
        for value in (1, True, sg.tensor(1).to(dtype), sg.tensor(1.0), sg.tensor(1)):
            requested[along(dim, index)] = 1
            agree("index_fill", x, requested.reshape(shape), dim, sg.tensor(multiple), value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("shape", [(), (5,), (4, 3), (2, 5, 3), (40, 64)])
def test_elements(shape: tuple[int, ...], how: str, dtype: Any) -> None:
    x, size = VIEWS[how](numbers(shape, dtype)), int(np.prod(shape))
    index = rng.permutation(size)[: min(size, 4)].reshape(-1, min(size, 2))
    positions = np.where(rng.random(index.shape) < 0.5, index, index - size)
    source = VIEWS[how](numbers(index.shape, dtype))
    for add in (False, True) if dtype is not sg.bool else (False,):
        requested = as_numpy(x).copy()
        requested.reshape(-1)[index] = as_numpy(source) + add * as_numpy(x).reshape(-1)[index]
        agree("put", x, requested, sg.tensor(positions), source, add)


def test_no_slices() -> None:
    x, nothing = numbers((4, 3), sg.float32), sg.tensor([], dtype=sg.int64)
    agree("index_copy", x, as_numpy(x), 1, nothing, sg.zeros(4, 0))
    agree("index_fill", x, as_numpy(x), 0, nothing, 5)
    agree("put", x, as_numpy(x), nothing, sg.zeros(0))


@pytest.mark.parametrize("index", [[4], [0, -5]])
def test_outside_nothing_is_written(index: list[int]) -> None:
    """Also where the same call with other indices has been made before."""
    x, at, rows = sg.zeros(4, 3), sg.tensor(index), sg.ones(len(index), 3)
    calls: dict[str, tuple[Any, ...]] = {"index_copy": (0, at, rows), "index_fill": (0, at, 2.0)}
    calls["put"] = at * 3, rows[:, 0].contiguous()
    for name, arguments in calls.items():
        inside = [a * 0 if isinstance(a, sg.Tensor) else a for a in arguments]
        for written in (name, f"{name}_"):
            for _ in range(2):
                getattr(x.clone(), written)(*inside)
            with pytest.raises(IndexError, match=rf"{name}.*out of bounds"):
                getattr(x, written)(*arguments)
            assert not x.any()


def test_gradients() -> None:
    """Those of the tensor are 0 where it was written over; a value has the sum of those where it stands."""
    index, grad = np.array([3, 1]), rng.integers(1, 9, (4, 3)).astype(np.float64)
    for _ in range(2):
        x = sg.tensor(rng.standard_normal((4, 3)), requires_grad=True)
        source = sg.tensor(rng.standard_normal((2, 3)), requires_grad=True)
        value = sg.tensor(1.5, dtype=sg.float64, requires_grad=True)
        retained = grad.copy()
        retained[index] = 0
        x.index_copy(0, sg.tensor(index), source).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), retained)
        np.testing.assert_array_equal(source.grad.numpy(), grad[index])
        x.grad = source.grad = None
        x.index_fill(0, sg.tensor([3, 1, 3, -1]), value).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), retained)
        assert value.grad.item() == grad[index].sum()
        x.grad = None
        x.index_fill(0, sg.tensor(index), 2).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), retained)
        for add in (False, True):
            x.grad = source.grad = None
            x.put(sg.tensor([[0, 5, -1], [2, 3, 4]]), source, add).backward(sg.tensor(grad))
            retained = grad.copy()
            retained.reshape(-1)[[0, 5, -1, 2, 3, 4]] *= add
            np.testing.assert_array_equal(x.grad.numpy(), retained)
            np.testing.assert_array_equal(source.grad.numpy(), grad.reshape(-1)[[[0, 5, -1], [2, 3, 4]]])


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("batched", [(0, 0, 0), (0, None, 0), (0, 0, None), (0, None, None)])
def test_batches(batched: tuple[Any, ...], writes: bool) -> None:
    """What vmap gives is what a loop gives."""
    sizes = (2, 4), (3,), (3, 4)
    given = [rng.standard_normal((3, *sizes[0])), rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1)[:, :2]]
    given += [rng.standard_normal((3, 2, 2)), rng.standard_normal(3)]
    x, index, source, value = (
        sg.tensor(a if d is not None else a[0]) for a, d in zip(given, (*batched, batched[-1]), strict=True)
    )
    end = "_" if writes else ""
    calls: list[tuple[Callable[..., Any], Any]] = [
        (lambda x, i, s: getattr(x, f"index_copy{end}")(1, i, s), source),
        (lambda x, i, s: getattr(x, f"put{end}")(i, s[0]), source),
        (lambda x, i, s: getattr(x, f"index_fill{end}")(-1, i, s), value),
        (lambda x, i, s: getattr(x, f"index_fill{end}")(-1, i, 2.5), value),
    ]
    for call, last_one in calls:
        tensors = x, index, last_one
        each = [
            [a.clone() if d is None else a[k].clone() for a, d in zip(tensors, batched, strict=True)] for k in range(3)
        ]
        requested = [call(*arguments).numpy() for arguments in each]
        found = sg.vmap(call, in_dims=batched)(x.clone(), index, last_one)
        np.testing.assert_array_equal(found.numpy(), np.stack(requested))


@pytest.mark.parametrize("reduce", ["amax", "amin"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("shape", [(300, 129), (7, 1), (3, 40, 130)])
def test_greatest_slices_beside_nothing(shape: tuple[int, ...], dtype: Any, reduce: str) -> None:
    """Slices joined where what is there does not count, by any number of threads; places that none goes to stay."""
    rng, dim, before = np.random.default_rng(0), len(shape) - 2, sg.get_num_threads()
    values, index = (rng.normal(size=shape) * 9).astype(dtype), rng.integers(0, 40, shape[dim])
    start = (rng.normal(size=(*shape[:dim], 50, shape[-1])) * 9).astype(dtype)
    expected, join = start.copy(), {"amax": np.max, "amin": np.min}[reduce]
    for row in np.unique(index):
        expected[..., row, :] = join(values[..., index == row, :], axis=dim)
    positions = sg.tensor(index).reshape(-1, 1).expand(shape)
    try:
        for threads in (1, 2, 3):
            sg.set_num_threads(threads)
            for _ in range(2):
                found = sg.tensor(start).scatter_reduce(dim, positions, sg.tensor(values), reduce, include_self=False)
                assert np.array_equal(found.numpy(), expected)
    finally:
        sg.set_num_threads(before)
