"""Classes of sparse tensors of older programs: `sparse.FloatTensor(indices, values, size)`."""

from __future__ import annotations

from typing import Any

from ...creation.legacy import TYPES
from ...errors import ArgumentError, type_name
from ...tensor.base import TensorBase
from ...tensor.dtypes import dtype as Dtype
from ...tensor.memory_format import sparse_coo
from ...tensor.package_name import known
from ...tensor.shapes import Size
from .like import constructed


class SparseTensorType(type):
    """One makes tensors by coordinates of a dtype on a kind of device, and tells them apart by isinstance.

    Example:
        >>> import specgrad as sg
        >>> sg.sparse.FloatTensor(sg.tensor([[0, 1], [1, 0]]), sg.tensor([1.0, 2.0]), (2, 3)).to_dense()
        tensor([[0., 1., 0.],
                [2., 0., 0.]])
    """

    dtype: Dtype
    device_type: str
    is_sparse = True
    layout = sparse_coo

    def __new__(cls, name: str, dtype: Dtype, device_type: str = "cpu") -> SparseTensorType:
        module = f"{known.name}.{'cuda.' * (device_type == 'cuda')}sparse"
        doc = f"Sparse tensors of {dtype.name} on {'the CPU' if device_type == 'cpu' else 'a CUDA device'}."
        return super().__new__(
            cls, name, (), {"dtype": dtype, "device_type": device_type, "__module__": module, "__doc__": doc}
        )

    def __init__(cls, name: str, dtype: Dtype, device_type: str = "cpu") -> None:
        super().__init__(name, (), {})

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        device_type = cls.device_type if device is None else device
        is_sized = all(type(size) is int for size in data) or (len(data) == 1 and isinstance(data[0], Size))
        if not is_sized and (len(data) not in (2, 3) or not all(isinstance(part, TensorBase) for part in data[:2])):
            value = ", ".join(map(type_name, data))
            message = f"{cls.__name__}() takes sizes, or indices, values and perhaps a size, but got ({value})"
            raise ArgumentError(message)
        return constructed(cls.__name__, cls.dtype, data, device_type)

    def __instancecheck__(cls, instance: Any) -> bool:
        is_tensor = isinstance(instance, TensorBase) and instance.dtype is cls.dtype
        return is_tensor and instance.layout is sparse_coo and instance.device.type == cls.device_type


_NAMES = [name for name in TYPES if not name.startswith(("Bool", "Complex"))]
SPARSE_TYPES = {name: SparseTensorType(name, TYPES[name].dtype) for name in _NAMES}
CUDA_SPARSE_TYPES = {name: SparseTensorType(name, TYPES[name].dtype, "cuda") for name in _NAMES}


def named(name: str) -> Any:
    if name not in SPARSE_TYPES:
        raise AttributeError(f"module '{known.name}.sparse' has no attribute '{name}'")
    return SPARSE_TYPES[name]


def cuda_named(name: str) -> Any:
    """The class of a name on CUDA devices, for a module's `__getattr__`."""
    if name not in CUDA_SPARSE_TYPES:
        raise AttributeError(f"module '{known.name}.cuda.sparse' has no attribute '{name}'")
    return CUDA_SPARSE_TYPES[name]
