"""Changing the dtype of a tensor (natively, or by one loop outside of graphs), or how it lies in memory."""

from typing import Any

from ..device.device import CPU
from ..dispatch import argument_checks
from ..dispatch.kernel_ops.general import conversions
from ..namespace import op
from ..tensor.dtypes import dtype
from ..tensor.layouts import format_strides, preserved_strides, suggested_format, with_layout
from ..tensor.memory import cast
from ..tensor.memory_format import has_format, preserve_format
from ..tensor.observers import watch
from ..tensor.overrides import plain
from ..tensor.tensor import TensorBase, from_flat


def converted(tensor: Any, to: Any) -> Any:
    """A copy as another dtype; `_to_copy`, which casts before or after it copies, has the same bits."""
    if not watch.every and (result := conversions["_to_copy"].launch(tensor, to)) is not None:
        return result
    watched = watch.active or tensor.__class__ not in plain
    if watched or tensor._requires_grad or tensor._device is not CPU or not goes_directly(tensor, to):
        return op._to_copy(tensor, to)
    strides = preserved_strides(tensor._shape, tensor._strides)
    copy = from_flat(cast(tensor.array, to.np).reshape(-1), tensor._shape, to)
    return copy if strides is None else with_layout(copy, strides)


def goes_directly(tensor: TensorBase, to: Any) -> bool:
    """Whether one cast does: what becomes a 16-bit float is a float32 before, and so rounded twice where it is more."""
    return isinstance(to, dtype) and (to.compute is to or tensor._dtype.compute is to.compute)


def contiguous_as(tensor: Any, requested: Any) -> Any:
    argument_checks.memory_format("contiguous", "memory_format", requested)
    if requested is preserve_format:
        if tensor._flat is None:
            raise RuntimeError("contiguous(): preserve memory format is unsupported by the contiguous operator")
        return tensor
    format_strides("contiguous", tensor._shape, requested)
    return (
        tensor if has_format(tensor._shape, tensor._strides, requested) else op.clone(tensor, memory_format=requested)
    )


def to_format(tensor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the other arguments ask for, then a copy unless it lies so."""
    requested = argument_checks.memory_format("to", "memory_format", kwargs["memory_format"])
    others = {name: value for name, value in kwargs.items() if name != "memory_format"}
    result = tensor.to(*args, **others) if args or others else tensor
    if requested is preserve_format:
        return result
    format_strides("to", tensor._shape, requested)
    suggested = suggested_format(result._shape, result._strides)  # strides decide, whatever gaps there are
    return result if suggested is requested else op.clone(result, memory_format=requested)
