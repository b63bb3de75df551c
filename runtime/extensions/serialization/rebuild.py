"""PickleMethods: pickling and copying tensors, by taking them apart and putting them together again."""

import copy
from math import prod
from typing import Any

import numpy as np

from ...device.device import device, resolve
from ...shapes import is_contiguous, numel
from ...tensor.dtype_views import origin_of, storage_as
from ...tensor.dtypes import dtype
from ...tensor.history import set_requires_grad
from ...tensor.memory import copied_once, placed
from ...tensor.overrides import DisableTorchFunctionSubclass
from ...tensor.tensor import TensorBase, alias, from_flat, tensor_class

storage_of = TensorBase._storage.__get__  # also of what hides it
_MAX_DIMS = 1024  # more are a mistake
_TOO_LARGE = 2**63  # for a size, a stride, or a number of elements


def rebuild(
    cls: type,
    storage: Any,
    layout: tuple[tuple[int, ...], tuple[int, ...], int],
    requires_grad: bool,
    target_device: device,
    attributes: dict[str, Any],
    kind: dtype,
) -> Any:
    shape, strides, offset = layout
    if isinstance(storage, np.ndarray):
        storage = placed(storage, resolve(target_device))
    storage = storage_as(storage, kind)
    t = alias(from_flat(storage, storage.shape, kind), tuple(shape), strides, offset)
    t.__class__ = cls
    set_requires_grad(t, requires_grad)
    t.__dict__.update(attributes)
    return t


def check_sizes(*sizes: tuple[int, ...]) -> None:
    for numbers in sizes:
        if len(numbers) > _MAX_DIMS or not all(type(n) is int and 0 <= n < _TOO_LARGE for n in numbers):
            raise ValueError("a tensor or an array has no valid sizes")


def check_layout(shape: tuple[int, ...], strides: tuple[int, ...], offset: int, size: int) -> None:
    check_sizes(shape, strides, (offset,))
    if len(shape) != len(strides) or prod(max(n, 1) for n in shape) >= _TOO_LARGE:
        raise ValueError("a tensor has no valid layout")
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if numel(shape) else -1
    if last >= size or (is_contiguous(shape, strides) and offset > size):
        raise ValueError("a tensor reaches beyond its storage")


def parts(tensor: Any) -> tuple[Any, ...]:
    layout = (tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())
    storage = origin_of(storage_of(tensor))
    cls = tensor_class() if tensor.lazy_conj else type(tensor)
    return cls, storage, layout, tensor.requires_grad, tensor.device, tensor.__dict__, tensor.dtype


def reduce(tensor: Any) -> tuple[Any, tuple[Any, ...]]:
    """`Tensor.__reduce_ex__`: pickling keeps values, sharing and requires_grad, but no graph.

    `copy.copy` comes here too, and gives a leaf that shares the memory.
    """
    return rebuild, parts(tensor)


def deepcopy(tensor: Any, memo: dict[int, Any]) -> Any:
    """`Tensor.__deepcopy__`: storage copied once for all tensors that share it, `grad` copied as well. RuntimeError:
    when the tensor is no leaf: its history cannot be copied.
    """
    if id(tensor) in memo:
        return memo[id(tensor)]
    if not tensor.is_leaf:
        raise RuntimeError(
            "deepcopy(): only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol; use tensor.detach() or tensor.clone()"
        )
    result = memo[id(tensor)] = tensor._without_attributes(memo)
    result.__dict__.update(copy.deepcopy(tensor.__dict__, memo))
    result.grad = copy.deepcopy(tensor.grad, memo)
    return result


class PickleMethods(TensorBase):
    """Protocols of `pickle` and `copy`."""

    __slots__ = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        with DisableTorchFunctionSubclass():
            return deepcopy(self, memo)

    def _without_attributes(self, memo: dict[int, Any]) -> Any:
        cls, storage, layout, requires_grad, target_device, _, kind = parts(self)
        return rebuild(cls, copied_once(storage, memo), layout, requires_grad, target_device, {}, kind)

    def __reduce_ex__(self, protocol: Any) -> Any:
        with DisableTorchFunctionSubclass():
            return reduce(self)
