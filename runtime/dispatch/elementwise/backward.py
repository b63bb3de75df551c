"""Kernels that compute all gradients of a node at once: the spec's key `backward`, and fused element-wise ones."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...autograd.node import fit
from ...autograd.saved_tensors import by_result, unpack
from ...device.device import CPU, META
from ...device.threads.job import STANDING
from ...errors import ShapeError
from ...tensor.dtypes import bool_, result_type
from ...tensor.layouts import relaid
from ...tensor.memory import cast, contiguous, empty
from ...tensor.memory_format import ordered_strides
from ...tensor.tensor import alias, from_flat, holding
from ..devices import SHAPELESS
from .general import Elementwise, as_number, in_order, order_of_result
from .strided import Values, launch


def dtype_of(grads: Sequence[Any]) -> Any:
    return next((grad._dtype for grad in grads if grad is not None), None)


def all_floats(metas: Sequence[Any], dtype: Any) -> bool:
    if dtype is None or not dtype.is_floating_point:
        return False
    for meta in metas:  # noqa: SIM110  (a generator costs more than the loop)
        if meta is not None and meta[1] is not dtype:
            return False
    return True


def as_gradient(array: Any, shape: Any, dtype: Any) -> Any:
    """The array of a kernel as a tensor of the input's shape; 16-bit floats are rounded. ShapeError: other sizes."""
    if array is SHAPELESS:
        return from_flat(empty(prod(shape), dtype.np, META), shape, dtype)
    if array.__class__ is np.ndarray and array.size > 1 and not any(array.strides):
        one = array.flat[:1]
        known = one if one.dtype == dtype.np else cast(one, dtype.np)
        return alias(from_flat(known, (1,), dtype), shape, (0,) * len(shape), 0)
    if array.dtype is not dtype.np and array.dtype != dtype.np:
        array = cast(array, dtype.np)
    if array.shape == shape:
        return holding(array, shape, dtype)
    if array.size != prod(shape):
        raise ShapeError(f"the gradient of a backward kernel has shape {array.shape}, but its input {tuple(shape)}")
    return from_flat(contiguous(array).reshape(-1), shape, dtype)


def raise_unsaved(node: Any, error: Exception) -> None:
    """Name the tensors that a kernel for backward got None for, where it seems to have read one.

    Raises:
        RuntimeError: from `error`.
    """
    names = [slot.removeprefix("kept_") for slot in node.saved_slots if getattr(node, slot) is None]
    of_none = isinstance(error, (TypeError, AttributeError)) or type(error).__module__.startswith("numba.")
    if names and of_none:
        mask = tuple([edge is not None for edge in node.edges])
        raise RuntimeError(
            f"{node.op_name}(): its kernel for backward got None for {', '.join(names)}: what only the formula of an "
            f"unneeded gradient reads is not saved (output_mask={mask}); the kernel raised {type(error).__name__}"
        ) from error


def as_gradients(arrays: Sequence[Any], metas: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    if arrays is SHAPELESS:
        return tuple([None if meta is None else as_gradient(arrays, meta[0], dtype) for meta in metas])
    pairs = zip(arrays, metas, strict=True)
    return tuple([None if array is None else as_gradient(array, meta[0], dtype) for array, meta in pairs])


def run_fused(node: Any, grad: Any) -> tuple[Any, ...]:
    if node.by_result is not None and (other := by_result(node)) is not None:
        return other.apply(grad)
    output_mask = [edge is not None for edge in node.edges]
    mask = sum(1 << index for index, yes in enumerate(output_mask) if yes)
    saved_slots, number_slots = node.fused[mask]
    saved = tuple([unpack(node, slot) for slot in saved_slots])
    masks = [is_mask(node, slot, tensor) for slot, tensor in zip(saved_slots, saved, strict=True)]
    numbers = tuple([getattr(node, slot) for slot in number_slots])
    result = backward(node.elementwise, mask, grad, saved, masks, numbers, sum(output_mask))
    if node.metas is None:  # all inputs are like the result, so nothing else rounds 16-bit floats
        result = [fit(gradient, (grad._shape, grad._dtype)) for gradient in result]
    each = iter(result)
    return node.fitted([next(each) if yes else None for yes in output_mask])


def backward(
    op: Elementwise, mask: int, grad: Any, saved: Values, masks: Sequence[bool], scalars: Values, count: int
) -> list[Any]:
    """Saved tensors that are `masks` stay bools, all others are cast to the dtype of the computation."""
    final = result_type(grad, *(t for t, own in zip(saved, masks, strict=True) if not own))
    computed, shape, device = final.compute, grad._shape, grad._device
    output_mask = [computed.np, *(None if own else computed.np for own in masks)]
    numbers = [as_number(op.name, s, computed) for s in scalars]
    attribute = f"backward_{mask}_complex" if computed.kind == "c" else f"backward_{mask}"
    if device is not CPU:
        from .device_launch import gradients_on_device  # loaded with the first device

        return gradients_on_device(op, mask, attribute, (grad, *saved), output_mask, numbers, final, count)
    outs = [empty(prod(shape), computed.np, device) for _ in range(count)]
    # Of few elements native code makes rows: what follows computes the same bits from those.
    order = order_of_result((grad, *saved), shape) if prod(shape) >= STANDING else None
    if order is None:
        launch(op.kernels, attribute, (grad, *saved), output_mask, shape, numbers, outs)
        return [from_flat(out, shape, computed) for out in outs]
    launch(op.kernels, attribute, *in_order((grad, *saved), output_mask, shape, order), numbers, outs)
    return [relaid(from_flat(out, shape, computed), ordered_strides(shape, order)) for out in outs]


def is_mask(node: Any, slot: str, tensor: Any) -> bool:
    """Bools that are chosen by, not numbers that an op computes with."""
    return tensor._dtype is bool_ and slot.removeprefix("kept_") not in node.inputs
