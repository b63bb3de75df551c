"""Results of ops that have no gradient: they are in the graph all the same, and asking for the gradient is an error."""

from typing import Any

from ..errors import NotDifferentiableError
from ..tensor.grad_mode import mode
from ..tensor.history import set_history
from ..tensor.observers import watch
from .forward_mode import levels_of
from .node import Node
from .saved_tensors import edge_of


class NotImplemented(Node):
    """The node of such a result, under PyTorch's name for it."""

    __slots__ = ("why",)
    why: str

    def apply(self, grad: Any) -> tuple[Any, ...]:
        raise NotDifferentiableError(self.why)


def record_undefined(name: str, results: tuple[Any, ...], inputs: tuple[Any, ...], why: str) -> None:
    """Put the results that could have a gradient into the graph; forward mode, which comes at once, is refused here."""
    why = f"{name}(): the derivative is not implemented: {why}"
    if watch.active and levels_of(inputs):
        raise NotDifferentiableError(why)
    tensors = [t for value in inputs for t in (value if isinstance(value, (list, tuple)) else [value])]
    edges = tuple([edge_of(t) for t in tensors if t is not None])
    if mode.grad and any(edge is not None for edge in edges):
        for result in results:
            if result._dtype.kind in "fc":
                node = NotImplemented(edges)
                node.why = why
                set_history(result, node)
