"""Tensors whose elements share places in memory: with each other, or with those of another tensor."""

from typing import Any

import numpy as np

from .layouts import is_dense
from .memory import copy_cast

_ADVICE = "refer to a single memory location. Please clone() the tensor before performing the operation."


def overlaps(tensor: Any) -> bool:
    """Whether several elements lie in one place, as after `expand`."""
    pairs = zip(tensor._shape, tensor.stride(), strict=True)
    return 0 not in tensor._shape and any(size > 1 and not step for size, step in pairs)


def check_single(name: str, tensor: Any) -> None:
    if overlaps(tensor):
        raise RuntimeError(
            f"{name}(): unsupported operation: more than one element of the written-to tensor "
            + _ADVICE.replace("refer", "refers", 1)
        )


def write_changes(into: Any, result: Any) -> None:
    """Write the elements that have changed: what shares a place with them has not, or has changed alike."""
    if not isinstance(into, np.ndarray):
        from ..kernels.cuda_launch.arrays import write_changes_on_host  # loaded with the first device

        write_changes_on_host(into, result, write_changes)
        return
    new = np.empty(into.shape, into.dtype)
    copy_cast(new, result)
    changed = (as_bytes(new) != as_bytes(into)).any(-1)
    into[changed] = new[changed]


def as_bytes(array: np.ndarray) -> np.ndarray:
    plain = np.ascontiguousarray(array)
    return plain.view(np.uint8).reshape(*array.shape, array.itemsize)


def check_disjoint(name: str, tensor: Any, other: Any, same_allowed: bool) -> None:
    """Refuse an operand in the written memory, but for all of it where allowed; as in PyTorch, not with gaps."""
    count, others = tensor.numel(), other.numel()
    meets = tensor._offset < other._offset + others and other._offset < tensor._offset + count
    if not (meets and count and others and all(is_dense(t._shape, t.stride()) for t in (tensor, other))):
        return
    layout, other_layout = ((t._offset, t.numel(), t.stride()) for t in (tensor, other))
    if not (same_allowed and (other is tensor or layout == other_layout)):
        raise RuntimeError(
            f"{name}(): unsupported operation: some elements of the input tensor and the written-to tensor {_ADVICE}"
        )
