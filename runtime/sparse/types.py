"""The classes of tensors with coordinates of older programs, each of a dtype: `sparse.FloatTensor`."""

from __future__ import annotations

from typing import Any

from ..creation.legacy import TYPES
from ..tensor.base import TensorBase
from ..tensor.dtypes import dtype as Dtype
from ..tensor.memory_format import sparse_coo
from .like import constructed


class SparseType(type):
    """A class that makes tensors with coordinates of a dtype, and tells them apart by isinstance.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse.FloatTensor(sg.tensor([[0, 1], [2, 0]]), sg.tensor([3.0, 4.0]), sg.Size([2, 3]))
        >>> isinstance(x, sg.sparse.FloatTensor), x.type()
        (True, 'specgrad.sparse.FloatTensor')
    """

    dtype: Dtype
    is_sparse = True
    layout = sparse_coo

    def __new__(cls, name: str, dtype: Dtype) -> SparseType:
        words = {"dtype": dtype, "__doc__": f"Tensors of {dtype.name} with coordinates."}
        return super().__new__(cls, name, (), words)

    def __init__(cls, name: str, dtype: Dtype) -> None:
        super().__init__(name, (), {})

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        return constructed(cls.__name__, cls.dtype, data, device)

    def __instancecheck__(cls, instance: Any) -> bool:
        kind: Any = instance
        return isinstance(instance, TensorBase) and kind.layout is sparse_coo and kind.dtype is cls.dtype


SPARSE_TYPES = {name: SparseType(name, kind.dtype) for name, kind in TYPES.items()}
