"""The arguments of `backward` and `grad`: tensors or edges to start from, their gradients, and inputs asked for."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...errors import ArgumentError, GraphError, type_name
from ...namespace import op
from ...tensor.base import TensorBase, from_flat
from ...tensor.devices import CPU
from ...tensor.memory import full, zeros
from ...tensor.shapes import Size
from ...tensor.unmarked import unmarked
from ..inplace.view_history import NOWHERE
from ..node import Output
from ..saved.saved import edge_of, meta_of
from .accumulate_grad import AccumulateGrad


def as_tuple(name: str, argument: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, TensorBase) or is_edge(value):
        return (value,)
    if not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise ArgumentError(
            f"{name}(): argument '{argument}' must be Tensor or tuple of Tensors, not {type_name(value)}"
        )
    return tuple(value)


def is_edge(value: Any) -> bool:
    """Whether this is a GradientEdge: a node and the number of one of its outputs."""
    return isinstance(value, tuple) and hasattr(value, "node") and hasattr(value, "output_nr")


def edge_from_user(name: str, edge: Any) -> Any:
    node, index = edge.node, edge.output_nr
    if isinstance(node, AccumulateGrad):
        return node.variable
    if not 0 <= index < node.output_count:
        raise GraphError(f"{name}(): {node.name()} has {node.output_count} outputs, but the edge is to output {index}")
    return node if node.output_count == 1 else Output(node, index)


def root_edge(name: str, root: Any, index: int) -> Any:
    if not isinstance(root, TensorBase):
        if is_edge(root):
            return edge_from_user(name, root)
        raise ArgumentError(f"{name}(): expected Tensor as element {index} of the outputs, but got {type_name(root)}")
    if root._vmap_level is not None:
        raise GraphError(
            f"{name}() called inside a functorch transform, on one example of a vmap. This is not supported, please "
            f"use func.grad or func.vjp instead or call {name}() outside of functorch transforms."
        )
    if not root._requires_grad or root._grad_fn is NOWHERE:
        raise GraphError(f"{name}(): element {index} of tensors does not require grad and does not have a grad_fn")
    return edge_of(root)


def input_edge(name: str, requested: Any) -> Any:
    if not isinstance(requested, TensorBase):
        if is_edge(requested):
            return edge_from_user(name, requested)
        raise GraphError(f"{name}(): all inputs have to be Tensors or GradientEdges, but got {type_name(requested)}")
    if not requested._requires_grad:
        raise GraphError(f"{name}(): One of the differentiated Tensors does not require grad")
    return requested if requested._grad_fn is NOWHERE else edge_of(requested)


def initial_gradients(
    name: str, roots: Sequence[Any], value: Any, batched: bool = False, argument: str = "grad_outputs"
) -> list[Any]:
    """The gradients to start from: those given, or 1 for outputs of one element."""
    if value is None or isinstance(value, TensorBase):
        value = (None,) * len(roots) if value is None else (value,)
    value = as_tuple(name, argument, value)
    if len(value) != len(roots):
        raise GraphError(f"{name}(): got {len(roots)} tensors and {len(value)} gradients")
    return [initial(name, root, g, i, batched) for i, (root, g) in enumerate(zip(roots, value, strict=True))]


def initial(name: str, root: Any, value: Any, index: int = 0, batched: bool = False) -> Any:
    is_tensor = isinstance(root, TensorBase)
    shape, dtype = (root._shape, root._dtype) if is_tensor else _meta_of_edge(root)
    if value is None:
        return _one(name, shape, dtype, root._device if is_tensor else _device_of_edge(root))
    if not isinstance(value, TensorBase):
        raise ArgumentError(f"{name}(): gradients can be either Tensors or None, but got {type_name(value)}")
    if shape is None:
        return unmarked(value)
    if value._shape != shape or batched:
        _check_shape(name, Size(value._shape), Size(shape), index, batched)
    if (value._dtype.kind == "c") != (dtype.kind == "c"):
        raise GraphError(
            f"{name}(): For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{index}] has a dtype of {value._dtype!r} and output[{index}] has a dtype "
            f"of {dtype!r}."
        )
    return unmarked(value if value._dtype is dtype else op._to_copy(value, dtype))


def _check_shape(name: str, value: Any, shape: Any, index: int, batched: bool) -> None:
    if not batched:
        raise GraphError(
            f"{name}(): Mismatch in shape: grad_output[{index}] has a shape of {value} and output[{index}] has a shape "
            f"of {shape}."
        )
    if not value or value[0] == 0:
        raise IndexError(
            f"{name}(): with is_grads_batched=True, expected a first dimension of at least 1 in grad_output[{index}], "
            f"but got shape {value}"
        )
    if value[1:] != shape:
        raise GraphError(
            f"{name}(): If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
            "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding output, "
            f"but a mismatch was detected: grad_output[{index}] has a shape of {value} and output[{index}] has a shape "
            f"of {shape}. If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
        )


def _one(name: str, shape: Any, dtype: Any, device: Any) -> Any:
    if shape is None or (shape and prod(shape) != 1):
        result = "" if shape is None else f", but got an output of shape {list(shape)}"
        raise GraphError(f"{name}(): grad can be implicitly created only for scalar outputs{result}")
    if dtype.kind == "c":
        raise GraphError(f"{name}(): grad can be implicitly created only for real scalar outputs but got {dtype!r}")
    return from_flat(one_in(dtype).copy() if device is CPU else full(1, 1, dtype.np, device), shape, dtype)


@functools.cache
def one_in(dtype: Any) -> np.ndarray:
    """[1] in a dtype, to be copied: that takes less time than making it."""
    return np.ones(1, dtype.np)


def _meta_of_edge(edge: Any) -> Any:
    """Shape and dtype of what a GradientEdge leads to; Nones where it does not know them."""
    if isinstance(edge.node, AccumulateGrad):
        return meta_of(edge.node.variable)
    metas = getattr(edge.node, "output_metas", None)
    return (edge.meta or (None, None)) if metas is None else metas[edge.output_nr]


def _device_of_edge(edge: Any) -> Any:
    """The device of what a GradientEdge leads to, as far as it is known."""
    if isinstance(edge.node, AccumulateGrad):
        return edge.node.variable._device
    out_devices = getattr(edge.node, "output_devices", None)
    return edge.device if out_devices is None else out_devices[edge.output_nr]


def zeros_like(tensor: Any) -> Any:
    return from_flat(zeros(tensor.numel(), tensor._dtype.np, tensor._device), tensor._shape, tensor._dtype)
