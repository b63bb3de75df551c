"""What programs ask of a tensor: comparisons with one answer, and facts that here are the same for all tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..creation import legacy
from ..dispatch import checks
from ..namespace import op
from ..tensor import memory_format as layouts
from ..tensor.base import TensorBase
from . import queries, resizing


class TensorAttributes(TensorBase):
    """Questions, and what NumPy and older programs call by other names."""

    __slots__ = ()

    equal = queries.equal
    allclose = queries.allclose
    isclose = queries.isclose
    is_nonzero = queries.is_nonzero
    is_conj = queries.is_conj
    is_neg = queries.is_neg
    ndimension = TensorBase.dim
    resize_ = resizing.resize_
    resize_as_ = resizing.resize_as_
    apply_ = resizing.apply_
    map_ = resizing.map_
    map2_ = resizing.map2_

    layout = layouts.strided
    is_sparse = False
    is_quantized = False
    is_meta = False
    is_mps = False

    def get_device(self) -> int:
        """The index of the CUDA device; -1 on the CPU."""
        return self._device.index or 0 if self._device.type == "cuda" else -1

    def is_pinned(self) -> bool:
        """Whether the memory is page-locked: no memory here is."""
        return False

    def is_shared(self) -> bool:
        """Whether other processes see the memory: none do."""
        return False

    def is_set_to(self, tensor: Any) -> bool:
        """Whether another tensor is the same view of the same memory.

        Args:
            tensor: the other tensor.
        """
        checks.tensor("is_set_to", "tensor", tensor)
        same = self._storage is tensor._storage and self._offset == tensor._offset
        return same and self._shape == tensor._shape and self.stride() == tensor.stride()

    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from the outermost in memory to the innermost."""
        strides = self.stride()
        return tuple(sorted(range(len(strides)), key=lambda dim: -strides[dim]))

    def _is_view(self) -> bool:
        return self._base is not None

    def new(self, *args: Any, device: Any = None) -> Any:
        """`Tensor(...)` with this tensor's dtype.

        Args:
            *args: sizes, or data.
            device: where the tensor is made; where this one is when not given.
        """
        return legacy.TYPES[legacy.type_of(self).rpartition(".")[2]](*args, device=device or self._device)

    def type_as(self, other: Any) -> Any:
        """The elements in the dtype of `other`, on its device.

        Args:
            other: the tensor to be like.
        """
        return self.to(other)  # type: ignore[attr-defined]

    def __pos__(self) -> Any:
        """`+x`: the tensor itself; a RuntimeError for bool."""
        if self._dtype.kind == "b":
            raise RuntimeError("positive(): expected a dtype that is not bool, but got specgrad.bool")
        return self

    positive = __pos__

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        """What a NumPy function of a tensor returns: `np.sin(x)` is a tensor."""
        return op.from_numpy(np.asarray(array))
