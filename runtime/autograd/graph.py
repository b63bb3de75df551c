"""Places in the graph as users name them: `GradientEdge`, and the counts of writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import ArgumentError, GraphError, type_name
from ..modes.inference import is_inference
from ..tensor.base import TensorBase
from ..tensor.devices import CPU
from .engine.accumulate_grad import next_function
from .node import Node
from .saved.saved import edge_of, meta_of


class _Fields(NamedTuple):
    node: Node
    output_nr: int
    ownership_token: Any = None


class GradientEdge(_Fields):
    """Where the gradient of a tensor goes: a node and the number of one of its outputs.

    `autograd.grad` and `autograd.backward` take it in the place of the tensor, which need not be kept then.

    Args:
        node: the `grad_fn` of the tensor, or the AccumulateGrad of a leaf.
        output_nr: the tensor's number among the outputs of the node.
        ownership_token: not used; in PyTorch it keeps the graph alive.
    """

    meta: Any = None  # shape and dtype of the tensor, where it was known
    device: Any = CPU  # and its device

    def __init__(self, node: Node, output_nr: int, ownership_token: Any = None) -> None:
        pass


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge that the gradient of a tensor takes: `grad(loss, edge)` is `grad(loss, tensor)`.

    Args:
        tensor: a tensor that requires grad.

    Raises:
        RuntimeError: it does not require grad.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor(3.0, requires_grad=True)
        >>> y = x * x
        >>> edge = sg.autograd.graph.get_gradient_edge(x)
        >>> sg.autograd.grad(y, edge)
        (tensor(6.),)
    """
    if not isinstance(tensor, TensorBase):
        raise ArgumentError(f"get_gradient_edge(): expected a Tensor, but got {type_name(tensor)}")
    if not tensor._requires_grad:
        raise GraphError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients: "
            "get_gradient_edge()"
        )
    edge = GradientEdge(*next_function(edge_of(tensor)))
    edge.meta, edge.device = meta_of(tensor), tensor._device
    return edge


def increment_version(tensor: Any) -> None:
    """Say that the memory of a tensor was written to by means that autograd does not see.

    Saved tensors over the same memory then give an error in backward.

    Args:
        tensor: a tensor, or an iterable of them.

    Example:
        >>> import specgrad as sg
        >>> x = sg.zeros(2)
        >>> x.numpy()[0] = 1
        >>> sg.autograd.graph.increment_version(x)
        >>> x._version
        1
    """
    tensors = (tensor,) if isinstance(tensor, TensorBase) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, but got {type_name(tensor)}")
    for written in tensors:
        if not isinstance(written, TensorBase):
            raise RuntimeError(f"increment_version expect a Iterable[Tensor] as input, but got a {type_name(written)}")
        if not is_inference(written):
            written._bump_version("increment_version")
