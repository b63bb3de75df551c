"""Whether an in-place op may write where its results are to go while it still reads, or after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tensor.base import TensorBase
from ..tensor.devices import CPU
from ..tensor.shapes import Shape
from ..tensor.views import may_overlap


def takes_directly(into: Any, operands: Sequence[Any], shape: Shape, final: Any) -> bool:
    """Whether results may be written to a tensor one by one: no operand is read after it was written to.

    Those over its memory are the same elements in the same order, of which an element-wise op reads one and writes it.
    """
    if into._shape != shape or into._dtype is not final or may_meet(into):
        return False
    for v in operands:
        if isinstance(v, TensorBase) and not (
            covers_same_elements(v, into) if v._storage is into._storage else disjoint(v, into)
        ):
            return False
    return True


def is_writable(into: Any, tensor: Any, computed: Any, others: Sequence[Any]) -> bool:
    """Whether a kernel may write to the memory of a tensor, which has the values of `tensor`, while it reads others.

    On the CPU, in the dtype of the computation, where none of these has a place in common with it.
    """
    if into._device is not CPU or into._dtype is not computed or computed.compute is not computed:
        return False
    if into._shape != tensor._shape or may_meet(into):
        return False
    return all(t is None or (t._device is CPU and disjoint(t, into)) for t in others)


def may_meet(tensor: Any) -> bool:
    return tensor._strides is not None and may_overlap(tensor._shape, tensor._strides)


def covers_same_elements(tensor: Any, other: Any) -> bool:
    return layout_of(tensor) == layout_of(other) and tensor._offset == other._offset


def disjoint(tensor: Any, other: Any) -> bool:
    """Whether no place of a tensor lies between those of another, which has a memory of its own, or one that it is read
    in as another dtype."""
    one, two = tensor.array, other.array
    return not (one.__class__ is np.ndarray and two.__class__ is np.ndarray and np.may_share_memory(one, two))


def layout_of(value: Any) -> tuple[Any, Any, Any]:
    there = isinstance(value, TensorBase)
    return (value._dtype, value._shape, value._strides) if there else (None, None, None)
