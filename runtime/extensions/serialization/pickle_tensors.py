"""Tensors in pickles, dense and sparse, and NumPy's arrays and numbers: the functions that PyTorch's files name to make
them, over storages that are read apart. A storage is a tensor of one dimension over all of its memory; what a file says
of shapes is checked against it.
"""

import sys
from collections.abc import Callable
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from ...device.device import META
from ...errors import SerializationError
from ...shapes import numel
from ...tensor import memory_format
from ...tensor.dtype_views import unmarked
from ...tensor.dtypes import dtype, uint8
from ...tensor.memory import empty
from ...tensor.memory_format import layout, sparse_coo, sparse_csc, sparse_csr
from ...tensor.tensor import TensorBase, from_flat
from ..storage.contents import OF_NAMES
from .json_format import tensor_classes
from .pickle_reader import Named
from .rebuild import check_layout, check_sizes, parts, rebuild
from .zip_archive import Damage

_UNREAD = {
    "_rebuild_qtensor": "quantized tensors",
    "_rebuild_nested_tensor": "nested tensors",
    "_rebuild_wrapper_subclass": "tensors of classes without memory",
}


class StorageType:
    """What a file calls a class of storages: the dtype of its elements, None where bytes are meant."""

    def __init__(self, kind: dtype | None) -> None:
        self.kind = kind


def _tensor(
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Any:
    return _typed(storage, offset, size, stride, requires_grad, hooks, getattr(storage, "dtype", uint8), metadata)


def _legacy_storage(storage: Any, offset: Any, size: Any, stride: Any) -> Any:
    return _tensor(storage, offset, size, stride)


def _typed(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, kind: Any, metadata: Any = None
) -> Any:
    if not isinstance(storage, TensorBase) or not isinstance(kind, dtype) or type(requires_grad) is not bool:
        raise Damage("a tensor has no storage or no dtype")
    if requires_grad and not (kind.is_floating_point or kind.is_complex):
        raise Damage(f"a tensor of {kind} requires no gradient")
    shape, strides = (tuple(n) if isinstance(n, tuple | list) else () for n in (size, stride))
    source = storage._storage
    check_layout(shape, strides, offset, source.size * source.dtype.itemsize // kind.itemsize)
    result = rebuild(_class("tensor"), source, (shape, strides, offset), False, storage.device, {}, kind)
    return _with_flags(result, metadata)._requiring_grad(requires_grad)


def _without_memory(kind: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    if not isinstance(kind, dtype) or type(requires_grad) is not bool:
        raise Damage("a tensor has no dtype")
    shape, strides = (tuple(n) if isinstance(n, tuple | list) else () for n in (size, stride))
    check_sizes(shape, strides)
    if len(shape) != len(strides) or (requires_grad and not (kind.is_floating_point or kind.is_complex)):
        raise Damage(f"a tensor of {kind} has no valid layout")
    span = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if numel(shape) else 0
    return rebuild(_class("tensor"), empty(span, kind.np, META), (shape, strides, 0), requires_grad, META, {}, kind)


def _with_flags(tensor: Any, metadata: Any) -> Any:
    marks = metadata if isinstance(metadata, dict) else {}
    if marks.get("conj"):
        tensor = tensor.conj().detach()
    return tensor._neg_view().detach() if marks.get("neg") else tensor


def _class(name: str) -> type:
    return tensor_classes()[name]


def _as(tensor: Any, cls: type, requires_grad: bool, attributes: dict[str, Any]) -> Any:
    if not isinstance(tensor, TensorBase):
        raise Damage("a parameter has no tensor")
    _, storage, layout, _, target_device, _, kind = parts(unmarked(tensor))
    return rebuild(cls, storage, layout, requires_grad, target_device, attributes, kind)


def _parameter(data: Any, requires_grad: Any = True, hooks: Any = None) -> Any:
    return _as(data, _class("Parameter"), bool(requires_grad), {})


def _parameter_with_state(data: Any, requires_grad: Any, hooks: Any, state: Any) -> Any:
    return _as(data, _class("Parameter"), bool(requires_grad), _attributes(state))


def _attributes(state: Any) -> dict[str, Any]:
    result = state[0] if isinstance(state, tuple) and len(state) == 2 else state
    if result is None:
        return {}
    if type(result) is not dict:
        raise Damage("a tensor has attributes that are no dict")
    for name in result:
        if type(name) is not str or hasattr(_class("tensor"), name):
            raise Damage(f"a tensor has an attribute {name!r}, which stands for something else")
    return result


def _of_type(function: Any, cls: Any, arguments: Any, state: Any) -> Any:
    make = _CALLS.get(getattr(function, "__name__", ""))
    if make is None or type(arguments) is not tuple or not (isinstance(cls, type) and issubclass(cls, TensorBase)):
        raise Damage("a tensor of a class is made in an unknown way")
    made = make(*arguments)
    return _as(made, cls, made.requires_grad, _attributes(state))


_CALLS = {
    function.__name__: function for function in (_tensor, _legacy_storage, _typed, _parameter, _parameter_with_state)
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _legacy_storage,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _typed,
    "torch._utils._rebuild_meta_tensor_no_storage": _without_memory,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": _of_type,
}
_CLASSES = {
    "torch.Tensor": "tensor",
    "torch._tensor.Tensor": "tensor",
    "torch.nn.parameter.Parameter": "Parameter",
    "torch.nn.Parameter": "Parameter",
    "torch.nn.parameter.Buffer": "tensor",
}


def find(full: str) -> Named | None:
    """What one of PyTorch's names stands for; None for others. SerializationError: it makes tensors that specgrad does
    not read.
    """
    if full in _FUNCTIONS:
        return Named(_FUNCTIONS[full], _FUNCTIONS[full])
    if full in _CLASSES:
        return Named(_class(_CLASSES[full]))
    module_name, _, name = full.rpartition(".")
    if module_name == "torch._utils" and name in _UNREAD:
        raise SerializationError(f"the file holds {_UNREAD[name]}, which load does not read")
    if module_name in ("torch", "torch.cuda") and name in OF_NAMES:
        return Named(StorageType(OF_NAMES[name]))
    if full in ("torch.storage.UntypedStorage", "torch.UntypedStorage"):
        return Named(StorageType(None))
    return None


def storage_tensor(memory: Any, kind: dtype | None) -> Any:
    return from_flat(memory, memory.shape, uint8 if kind is None else kind)


_KINDS = "biufcSU"
_LENDERS = ("numpy._core.", "numpy.core.")


def _dtype(text: Any, align: Any = False, copy: Any = True) -> np.dtype[Any]:
    """A dtype of plain elements, in the machine's byte order."""
    if text is not ml_dtypes.bfloat16 and type(text) is not str:
        raise Damage("the pickle has a dtype that is no name")
    kind = np.dtype(text)
    if kind.kind not in _KINDS and text is not ml_dtypes.bfloat16:
        raise Damage(f"the pickle has an array of {kind}")
    return kind


def _check_order(kind: Any, state: Any) -> None:
    """The state of a dtype, which holds nothing new: version, byte order, and what arrays of records would have."""
    if type(state) is not tuple or len(state) < 5 or state[2:5] != (None, None, None):
        raise Damage("the pickle has a dtype that is none of plain elements")
    if state[1] not in ("|", "=", "<" if sys.byteorder == "little" else ">"):
        raise Damage("the pickle has an array whose bytes are in the other order")


def _empty(cls: Any, shape: Any, kind: Any) -> np.ndarray[Any, Any]:
    if cls is not np.ndarray:
        raise Damage("the pickle has an array of a class of its own")
    return np.ndarray((0,), np.int8)


def _fill(array: Any, state: Any) -> None:
    """The state of an array: version, shape, dtype, order and bytes."""
    if type(state) is not tuple or len(state) != 5:
        raise Damage("the pickle has an array without shape and elements")
    _, shape, kind, fortran, content = state
    _check(shape, kind, content)
    array.__setstate__((1, shape, kind, bool(fortran), content))


def _check(shape: Any, kind: Any, content: Any) -> None:
    if type(shape) is not tuple or not isinstance(kind, np.dtype) or type(content) not in (bytes, bytearray):
        raise Damage("the pickle has an array of which parts are missing")
    check_sizes(shape)
    if prod(shape) * kind.itemsize != len(content):
        raise Damage("the pickle has an array of another size than its elements")


def _scalar(kind: Any, content: Any) -> Any:
    _check((), kind, content)
    return np.frombuffer(content, kind)[0]


def _from_buffer(content: Any, kind: Any, shape: Any, order: Any) -> np.ndarray[Any, Any]:
    _check(shape, kind, content)
    return np.frombuffer(bytearray(content), kind).reshape(shape, order="F" if order == "F" else "C")


_NAMES = {
    "multiarray._reconstruct": Named(_empty, _empty),
    "multiarray.scalar": Named(_scalar, _scalar),
    "numeric._frombuffer": Named(_from_buffer, _from_buffer),
}
_NUMPY_CLASSES = {
    "numpy.ndarray": Named(np.ndarray, build=_fill),
    "numpy.dtype": Named(np.dtype, _dtype, build=_check_order),
    "ml_dtypes.bfloat16": Named(ml_dtypes.bfloat16),
}


def find_numpy_name(full: str) -> Named | None:
    for module_name in _LENDERS:
        if full.startswith(module_name):
            return _NAMES.get(full.removeprefix(module_name))
    return _NUMPY_CLASSES.get(full)


REBUILD, LAYOUT = ("torch._utils", "_rebuild_sparse_tensor"), ("torch.serialization", "_get_layout")
_READ = (sparse_coo, sparse_csr, sparse_csc)


def described(tensor: Any) -> tuple[str, tuple[Any, ...]]:
    pattern, values = tensor.pattern, tensor._values()
    rest = (pattern.is_coalesced,) if pattern.layout is sparse_coo else ()
    return f"torch.{pattern.layout.name}", (*pattern.index, values, tensor.shape, *rest)


def _layout(name: Any) -> layout:
    result = getattr(memory_format, name.removeprefix("torch."), None) if isinstance(name, str) else None
    if not isinstance(result, layout):
        raise Damage("a sparse tensor has no layout")
    return result


def _sparse(kind: Any, content: Any) -> Any:
    from ..sparse.create import sparse_compressed_tensor, sparse_coo_tensor

    count = 2 if kind is sparse_coo else 3
    if kind not in _READ or type(content) is not tuple or not count < len(content) <= 4:
        raise Damage("a sparse tensor is not made of indices, values and a size")
    tensors = content[:count]
    if not all(isinstance(t, TensorBase) and t.layout is memory_format.strided for t in tensors):  # type: ignore[attr-defined]
        raise Damage("a sparse tensor has indices or values that are no tensors")
    size: Any = content[count]
    try:
        if kind is sparse_coo:
            is_coalesced = bool(content[3]) if len(content) == 4 else None
            return sparse_coo_tensor(tensors[0], tensors[1], size, is_coalesced=is_coalesced)
        return sparse_compressed_tensor(tensors[0], tensors[1], tensors[2], size, layout=kind)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise Damage(f"a sparse tensor has parts that do not go together: {error}") from None


_SPARSE_FUNCTIONS = {".".join(REBUILD): Named(_sparse, _sparse), ".".join(LAYOUT): Named(_layout, _layout)}


def find_sparse_name(full: str) -> Named | None:
    return _SPARSE_FUNCTIONS.get(full)
