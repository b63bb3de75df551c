"""Where results are written: whether an in-place op may write while it still reads, and `out=` of several outputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.inplace import Share, check_out, write_out
from ..device.device import CPU
from ..errors import DtypeError
from ..shapes import Shape
from ..tensor.tensor import TensorBase
from ..tensor.view_shapes import may_overlap


def takes_directly(into: Any, operands: Sequence[Any], shape: Shape, final: Any) -> bool:
    """No operand may be read after it was written to: those over `into`'s memory have its elements in its order."""
    if into._shape != shape or into._dtype is not final or may_meet(into):
        return False
    layout = (*layout_of(into), into._offset)
    return all(
        (*layout_of(v), v._offset) == layout if v._storage is into._storage else disjoint(v, into)
        for v in operands
        if isinstance(v, TensorBase)
    )


def is_writable(into: Any, tensor: Any, computed: Any, others: Sequence[Any]) -> bool:
    """Whether `into`, which has the values of `tensor`, is on the CPU and shares no memory with `others`."""
    if into._device is not CPU or into._dtype is not computed or computed.compute is not computed:
        return False
    if into._shape != tensor._shape or may_meet(into):
        return False
    return all(t is None or (t._device is CPU and disjoint(t, into)) for t in others)


def may_meet(tensor: Any) -> bool:
    return tensor._strides is not None and may_overlap(tensor._shape, tensor._strides)


def disjoint(tensor: Any, other: Any) -> bool:
    """`other` may be read in another dtype: then it has another array."""
    one, two = tensor.array, other.array
    return not (one.__class__ is np.ndarray and two.__class__ is np.ndarray and np.may_share_memory(one, two))


def layout_of(value: Any) -> tuple[Any, Any, Any]:
    there = isinstance(value, TensorBase)
    return (value._dtype, value._shape, value._strides) if there else (None, None, None)


def write_outs(name: str, outs: Any, results: Any, operands: tuple[Any, ...] = (), share: Share = "overlap") -> Any:
    """Results copied into tensors of just their dtypes, all of which are checked before one is written to."""
    if not isinstance(outs, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(outs).__name__}")
    if len(outs) != len(results):
        raise TypeError(f"{name}(): argument 'out': expected tuple of {len(results)} elements but got {len(outs)}")
    for index, (out, result) in enumerate(zip(outs, results, strict=True)):
        if not isinstance(out, TensorBase):
            value = type(out).__name__
            raise TypeError(f"{name}(): argument 'out': expected Tensor as element {index}, but got {value}")
        if out._dtype is not result._dtype:
            raise DtypeError(
                f"{name}(): Expected out tensor {index} to have dtype {result._dtype!r}, but got {out._dtype!r} instead"
            )
        check_out(name, out, result)
    written = [write_out(name, out, result, operands, share) for out, result in zip(outs, results, strict=True)]
    return getattr(results, "_make", tuple)(written)
