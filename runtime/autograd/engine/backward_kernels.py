"""Kernels that compute all gradients of a node at once: the key `backward` of the spec, and fused element-wise ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.elementwise import backward
from ...tensor.base import fresh, holding
from ...tensor.casting import cast
from ...tensor.dtypes import bool_
from ..saved.saved import unpack


def dtype_of(grads: Sequence[Any]) -> Any:
    """The dtype of the gradients of several outputs; None where none is given."""
    return next((grad._dtype for grad in grads if grad is not None), None)


def all_native(metas: Sequence[Any], dtype: Any) -> bool:
    """Whether gradients and inputs have one dtype, and it is one that kernels take as it is."""
    if dtype is None or not dtype.native:
        return False
    for meta in metas:  # noqa: SIM110  (a generator costs more than the loop)
        if meta is not None and meta[1] is not dtype:
            return False
    return True


def all_floats(metas: Sequence[Any], dtype: Any) -> bool:
    """Whether gradients and inputs have one dtype of real floats, 16-bit ones too."""
    return dtype is not None and dtype.kind == "f" and all(meta is None or meta[1] is dtype for meta in metas)


def as_gradient(array: Any, shape: Any, dtype: Any) -> Any:
    """The array that a kernel returned, as a tensor of the shape of the input."""
    return holding(array, shape, dtype) if array.shape == shape else fresh(array.reshape(-1), shape, dtype)


def as_gradients(arrays: Sequence[Any], metas: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """The arrays that a kernel returned for several inputs, as tensors of their shapes; None stays."""
    return tuple(
        [
            None if array is None else as_gradient(array, meta[0], dtype)
            for array, meta in zip(arrays, metas, strict=True)
        ]
    )


def rounded_gradients(arrays: Sequence[Any], metas: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """The same of arrays in the dtype of the computation, rounded to that of the inputs."""
    return as_gradients([None if a is None else rounded(a, dtype.np) for a in arrays], metas, dtype)


def rounded(array: Any, to: Any) -> Any:
    return array if array.dtype == to else cast(array, to)


def run_fused(node: Any, grad: Any) -> tuple[Any, ...]:
    """The wanted gradients of an element-wise node from one kernel, fitted to the inputs."""
    wanted = [edge is not None for edge in node.edges]
    mask = sum(1 << index for index, yes in enumerate(wanted) if yes)
    saved_slots, number_slots = node.fused[mask]
    saved = tuple([unpack(node, slot) for slot in saved_slots])
    masks = [is_mask(node, slot, tensor) for slot, tensor in zip(saved_slots, saved, strict=True)]
    numbers = tuple([getattr(node, slot) for slot in number_slots])
    found = iter(backward(node.elementwise, mask, grad, saved, masks, numbers, sum(wanted)))
    return node.fitted([next(found) if yes else None for yes in wanted])


def is_mask(node: Any, slot: str, tensor: Any) -> bool:
    """Whether a saved tensor is one of bools that are chosen by, not one of the numbers that an op computes with."""
    return tensor._dtype is bool_ and slot.removeprefix("kept_") not in node.inputs
