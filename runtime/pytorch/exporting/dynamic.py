"""Which axes of which inputs are dynamic, in either of PyTorch's forms, and inputs of other sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...creation import tensor as make_tensor
from ...pytree import flatten
from ...tensor.base import TensorBase, host_array
from .errors import OnnxExporterError
from .sizes import Sizes

Axes = list[dict[int, str]]  # for each input: axis -> name of its size
_GROWTHS = ((0, 0), (3, 5), (7, 16))  # how much a size is larger in each recording: with its number, a second time so
_MIN_DYNAMIC_SIZE = 2  # a size of 1 is broadcast, and looks like one that is not there


def from_dynamic_axes(arguments: Mapping[str, Any], names: Sequence[str]) -> Axes:
    """The axes of `dynamic_axes`: by the names of inputs; those of outputs follow from them."""
    matches: Axes = []
    for name in names:
        axes = arguments.get(name, {})
        named = axes if isinstance(axes, Mapping) else {axis: f"{name}_dynamic_axes_{axis + 1}" for axis in axes}
        matches.append({int(axis): str(each) for axis, each in named.items()})
    return matches


def from_dynamic_shapes(arg: Any, args: Any, kwargs: Mapping[str, Any], parameters: Sequence[str]) -> Axes:
    """The axes of `dynamic_shapes`: a tree like that of the arguments, by place or by name."""
    if isinstance(arg, Mapping):
        trees = [arg.get(name) for name in parameters[: len(args)]] + [arg.get(name) for name in kwargs]
    else:
        trees = [*arg, *[None] * (len(args) + len(kwargs) - len(arg))]
    matches: Axes = []
    for tree, value in zip(trees, (*args, *kwargs.values()), strict=True):
        _collect(tree, value, matches)
    return matches


def _collect(tree: Any, value: Any, result: Axes) -> None:
    if isinstance(value, TensorBase):
        axes = tree if isinstance(tree, Mapping) else dict(enumerate(tree or ()))
        names = {int(axis): _dim_name(dim, len(result), axis) for axis, dim in axes.items() if _is_dynamic(dim)}
        result.append(names)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _collect(tree[key] if tree else None, item, result)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            _collect(tree[number] if tree else None, item, result)


def _is_dynamic(dim: Any) -> bool:
    return dim is not None and not isinstance(dim, int)


def _dim_name(dim: Any, number: int, axis: Any) -> str:
    name = dim if isinstance(dim, str) else getattr(dim, "__name__", "")
    return name or f"s{number}_{axis}"


def sizes_of(axes: Axes, tensors: Sequence[Any]) -> Sizes:
    named: dict[str, list[int]] = {}
    dim_sources: dict[str, tuple[int, int]] = {}
    for number, (each, tensor) in enumerate(zip(axes, tensors, strict=True)):
        for axis, name in each.items():
            if not -tensor.ndim <= axis < tensor.ndim:
                raise OnnxExporterError(
                    f"onnx.export(): input {number} has no axis {axis}: its shape is {tensor.shape}"
                )
            size = max(tensor.shape[axis], _MIN_DYNAMIC_SIZE)
            own = [size + first + second * len(named) for first, second in _GROWTHS]
            if named.setdefault(name, own)[0] != size:
                sizes = f"{named[name][0]} and {size}"
                raise OnnxExporterError(f"onnx.export(): the axes called '{name}' have the sizes {sizes}")
            dim_sources.setdefault(name, (number, axis % tensor.ndim))
    return Sizes(named, dim_sources)


def grown(tensors: Sequence[Any], axes: Axes, sizes: Sizes, recording: int) -> list[Any]:
    """The inputs of a recording: the last element again along dynamic axes, so that what is sorted remains so."""
    matches = []
    for each, tensor in zip(axes, tensors, strict=True):
        array = host_array(tensor)
        for axis, name in each.items():
            array = np.take(array, np.minimum(np.arange(sizes.named[name][recording]), array.shape[axis] - 1), axis)
        matches.append(make_tensor(np.array(array)))
    return matches


def named_shape(shape: Sequence[int], axes: Mapping[int, str]) -> tuple[Any, ...]:
    named = {axis % len(shape): name for axis, name in axes.items()}
    return tuple(named.get(axis, size) for axis, size in enumerate(shape))


def tensors_of(args: Any, kwargs: Any) -> list[Any]:
    return [leaf for leaf in flatten((args, kwargs))[0] if isinstance(leaf, TensorBase)]
