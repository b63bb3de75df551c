"""The place of a tensor in the graph: set here, by the tensor's own module, generated code and native code.

`_grad_fn` is the edge that its gradient takes: the node that made it, an `Output` of one with several outputs, or None
for a leaf and for what is outside the graph. Others read `requires_grad`, `is_leaf` and `grad_fn`."""

from typing import Any

from .tensor import TensorBase


def set_history(tensor: TensorBase, edge: Any) -> None:
    """Put a tensor in the graph as the result at an edge; at None as a leaf that requires grad."""
    tensor._grad_fn, tensor._requires_grad = edge, True


def clear_history(tensor: TensorBase) -> None:
    """Take a tensor out of the graph: from now on it is a leaf that does not require grad."""
    tensor._grad_fn, tensor._requires_grad = None, False


def copy_history(tensor: TensorBase, source: TensorBase) -> None:
    tensor._grad_fn, tensor._requires_grad = source._grad_fn, source._requires_grad


def set_requires_grad(leaf: TensorBase, required: bool) -> None:
    leaf._requires_grad = required
