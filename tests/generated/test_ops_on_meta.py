"""Every entry of the spec gives on the device meta what it gives on the CPU, but for the numbers: all samples."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.errors import NoDataError

from .calls import BY_NAME, NAMES, Style, attempted, call_sources, gradients, run

DTYPES = (sg.float16, sg.int64, sg.complex128)  # `verify` does the same in float64
NEEDS_NUMBERS = {  # besides those whose entry says so: for some of their calls
    "embedding_bag": "the rows of a largest bag",
    "index.Tensor": "masks as indices",
    "index_put": "the gradient of values at a mask",
    "repeat_interleave.Tensor": "without an output size",
    "repeat_interleave.self_Tensor": "without an output size",
    "to_device": "on the CPU there would have to be some",
}


def layouts(found: Any) -> list[Any]:
    """Shape, strides, dtype and requires_grad of tensors; other values as they are.

    A stride along a dimension of one element or none says nothing.
    """
    return [
        (*shapes([t])[0], [step for size, step in zip(t.shape, t.stride(), strict=True) if min(t.shape) and size > 1])
        if isinstance(t, sg.Tensor)
        else t
        for t in found
    ]


def shapes(found: Any) -> list[Any]:
    """Shape, dtype and requires_grad of tensors; other values as they are."""
    return [(tuple(t.shape), t.dtype, t.requires_grad) if isinstance(t, sg.Tensor) else t for t in found]


def needs_numbers(name: str) -> bool:
    """Whether an entry says that shapes depend on the elements."""
    return BY_NAME[name].shape == "by_values"


@pytest.mark.parametrize("part", range(8))
def test_shapes_strides_and_dtypes(part: int) -> None:
    """Outputs on meta have the layout of those on the CPU, in several dtypes; what cannot say it is refused."""
    for name in NAMES[part::8]:
        for dtype in DTYPES:
            floating = dtype.kind in "fc"
            for text in call_sources(BY_NAME[name], dtype.kind):
                expected = attempted(run, name, text, Style(dtype, grad=floating))
                if isinstance(expected, Exception):
                    continue
                found = attempted(run, name, text, Style(dtype, grad=floating, device="meta"))
                if isinstance(found, NoDataError):
                    assert needs_numbers(name) or name in NEEDS_NUMBERS, f"{name}({text}): {found}"
                    continue
                assert not isinstance(found, Exception), f"{name}({text}) in {dtype}: {found!r}"
                assert layouts(found) == layouts(expected), f"{name}({text}) in {dtype}"
                assert all(t.is_meta for t in found if isinstance(t, sg.Tensor))
                assert not needs_numbers(name) or name in NEEDS_NUMBERS, f"{name}({text}) does not need numbers"


@pytest.mark.parametrize("part", range(4))
def test_gradients(part: int) -> None:
    """Gradients have those of the CPU, but for strides, which are the leaf's where one takes a gradient."""
    for name in NAMES[part::4]:
        for text in call_sources(BY_NAME[name]):
            expected = attempted(gradients, name, text, Style(sg.float64, grad=True))
            if isinstance(expected, Exception):
                continue
            found = attempted(gradients, name, text, Style(sg.float64, grad=True, device="meta"))
            if isinstance(found, NoDataError):
                assert needs_numbers(name) or name in NEEDS_NUMBERS, f"{name}({text}): {found}"
                continue
            assert not isinstance(found, Exception), f"gradients of {name}({text}): {found!r}"
            assert shapes(found) == shapes(expected), f"gradients of {name}({text})"
