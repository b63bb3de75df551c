"""Copies of views lie in rows, as PyTorch's do, whatever the tensor's layout is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

CALLS: dict[str, tuple[Any, ...]] = {
    "alias": (),
    "as_strided": ((2, 2), (1, 2)),
    "detach": (),
    "diagonal": (1,),
    "expand": ((5, 2, 4, 3),),
    "narrow": (0, 0, 2),
    "permute": ((1, 0, 2),),
    "select": (1, 1),
    "slice": (1, 0, 3),
    "split": (1,),
    "squeeze": (),
    "transpose": (0, 1),
    "unbind": (),
    "unfold": (1, 2, 1),
    "unsqueeze": (0,),
}


@pytest.mark.parametrize("name", CALLS)
def test_in_rows(name: str) -> None:
    x = sg.tensor(np.random.default_rng(0).standard_normal((4, 3, 2))).permute(2, 0, 1)
    views = {"alias": x.view_as, "slice": lambda dim, start, end: x.narrow(dim, start, end - start)}
    view = views.get(name) or getattr(x, name)
    requested = view(x) if name == "alias" else view(*CALLS[name])
    for _ in range(2):
        found = getattr(sg, f"{name}_copy")(x, *CALLS[name])
        pairs = zip(found, requested, strict=True) if isinstance(found, tuple) else [(found, requested)]
        for copy, piece in pairs:
            assert copy.is_contiguous() and copy._storage is not x._storage
            np.testing.assert_array_equal(copy.numpy(), piece.numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "bool", "complex64"])
@pytest.mark.parametrize("shape", [(100, 64), (1000, 64), (100, 1000), (3, 9000), (70, 1, 40), (40, 30, 100)])
def test_one_column_for_all(shape: tuple[int, ...], dtype: str) -> None:
    """Numbers that are repeated along rows, which no step leads through: few in all, and many."""
    column = sg.tensor(np.random.default_rng(0).integers(0, 100, (*shape[:-1], 1))).to(getattr(sg, dtype))
    requested = np.broadcast_to(column.to(sg.complex128).numpy(), shape)
    for _ in range(2):
        found = column.expand(shape).contiguous()
        assert found.dtype is column.dtype
        np.testing.assert_array_equal(found.to(sg.complex128).numpy(), requested)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "bool", "complex64"])
@pytest.mark.parametrize("offset, dims", [(0, (-2, -1)), (3, (0, 2)), (-2, (1, 0))])
@pytest.mark.parametrize("transposed", [False, True])
def test_zeros_beside_large_diagonals(threads: Any, transposed: bool, offset: int, dims: Any, dtype: str) -> None:
    """A diagonal of more elements than have a place of their own in a table, in one thread and in three."""
    x = sg.tensor(np.random.default_rng(1).integers(0, 100, (50, 60))).to(getattr(sg, dtype))
    x = x.T if transposed else x
    size = x.shape[1] + abs(offset)
    requested = np.zeros((x.shape[0], size, size), np.complex128)
    i = np.arange(x.shape[1])
    requested[:, i + max(-offset, 0), i + max(offset, 0)] = x.to(sg.complex128).numpy()
    requested = np.moveaxis(requested, (-2, -1), dims)
    for number in (1, 3):
        threads(number)
        for _ in range(2):
            found = sg.diag_embed(x, offset, *dims)
            assert found.dtype is x.dtype and found.is_contiguous()
            np.testing.assert_array_equal(found.to(sg.complex128).numpy(), requested)
