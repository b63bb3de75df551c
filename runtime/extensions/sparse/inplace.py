"""Writes to sparse tensors: another pattern and other values take the place of those that a tensor has."""

from typing import Any

from ...tensor.history import copy_history


def replace(tensor: Any, source: Any) -> None:
    """Give a sparse tensor the pattern and the values of another one; its place in the graph stays."""
    tensor.pattern, tensor.elements = source.pattern, source.elements
    tensor._shape, tensor._dtype, tensor._device = source._shape, source._dtype, source._device


def overwrite(tensor: Any, result: Any, name: str) -> Any:
    """The end of an op in place: the result in the place of what the tensor was, in the graph too. RuntimeError: the
    result has another layout, shape or dtype.
    """
    if result.layout is not tensor.layout or result._shape != tensor._shape:
        raise RuntimeError(
            f"{name}(): expected a result of shape {list(tensor._shape)} and layout {tensor.layout}, but got "
            f"{list(result._shape)} and {result.layout}"
        )
    if result._dtype is not tensor._dtype:
        raise RuntimeError(
            f"{name}(): result type {result._dtype} can't be cast to the desired output type {tensor._dtype}"
        )
    replace(tensor, result)
    if result._requires_grad:
        copy_history(tensor, result)
    tensor._bump_version(name)
    return tensor
