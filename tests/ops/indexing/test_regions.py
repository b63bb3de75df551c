"""Copies with other elements in the place of a view: any layouts and dtypes, and gradients.

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
# The op with its arguments behind the source, and NumPy's view of the same elements.
REGIONS: list[tuple[str, tuple[Any, ...], Callable[[Any], Any]]] = [
    ("select_scatter", (0, 1), lambda x: x[1]),
    ("select_scatter", (-1, -2), lambda x: x[..., -2]),
    ("slice_scatter", (0, 1, 3), lambda x: x[1:3]),
    ("slice_scatter", (1, None, None, 2), lambda x: x[:, ::2]),
    ("slice_scatter", (1, -2, 100), lambda x: x[:, -2:]),
    ("slice_scatter", (0, 2, 2), lambda x: x[2:2]),
    ("diagonal_scatter", (), lambda x: np.einsum("ii...->...i", x[:4, :4])),
    ("diagonal_scatter", (1, -1, 0), lambda x: np.moveaxis(x, (-1, 0), (0, 1)).diagonal(1)),
]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x,
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2] if x.ndim else x,
    "one number": lambda x: x.reshape(-1)[:1].reshape((1,) * x.ndim).expand(x.shape) if x.numel() else x,
}


def expected(x: Any, src: Any, view: Callable[[Any], Any]) -> Any:
    """The places of the view are found in an array of numbers."""
    result = x.copy()
    result.reshape(-1)[view(np.arange(x.size).reshape(x.shape))] = src
    return result


def as_numpy(x: Any) -> Any:
    return x.to(sg.complex128 if x.dtype.is_complex else sg.float64).numpy()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("number", range(len(REGIONS)))
def test_values(number: int, how: str, dtype: Any) -> None:
    name, arguments, view = REGIONS[number]
    for shape in ((4, 6), (4, 5, 3)):
        x = sg.tensor(rng.integers(0, 9, shape)).to(dtype)
        part = view(np.empty(shape)).shape
        for given in (dtype, sg.int32):
            src = VIEWS[how](sg.tensor(rng.integers(0, 9, part)).to(given))
            requested = expected(as_numpy(x), as_numpy(src.to(dtype)), view)
            for _ in range(2):
                found = getattr(VIEWS["transposed" if how == "transposed" else "contiguous"](x), name)(src, *arguments)
                assert found.dtype is dtype
                np.testing.assert_array_equal(as_numpy(found), requested)


@pytest.mark.parametrize("number", range(len(REGIONS)))
def test_gradients(number: int) -> None:
    """Those of the tensor are 0 in the region, those of the source are read there; each in the dtype of its own."""
    name, arguments, view = REGIONS[number]
    x = sg.tensor(rng.standard_normal((4, 5, 3)), requires_grad=True)
    part = view(np.empty((4, 5, 3))).shape
    src = sg.tensor(rng.standard_normal(part), dtype=sg.float32, requires_grad=True)
    grad = rng.integers(1, 9, (4, 5, 3)).astype(np.float64)
    for _ in range(2):
        x.grad = src.grad = None
        getattr(x, name)(src, *arguments).backward(sg.tensor(grad))
        np.testing.assert_array_equal(x.grad.numpy(), expected(grad, 0, view))
        np.testing.assert_array_equal(src.grad.numpy(), view(grad))
        assert src.grad.dtype is sg.float32


@pytest.mark.parametrize("number", range(len(REGIONS)))
@pytest.mark.parametrize("batched", [(0, 0), (None, 0), (0, None)])
def test_batches(batched: tuple[Any, Any], number: int) -> None:
    name, arguments, view = REGIONS[number]
    sizes = (4, 6), view(np.empty((4, 6))).shape
    x, src = (rng.standard_normal(size if d is None else (3, *size)) for size, d in zip(sizes, batched, strict=True))
    found = sg.vmap(lambda x, src: getattr(x, name)(src, *arguments), in_dims=batched)(sg.tensor(x), sg.tensor(src))
    each = [expected(x if batched[0] is None else x[i], src if batched[1] is None else src[i], view) for i in range(3)]
    np.testing.assert_array_equal(found.numpy(), np.stack(each))
