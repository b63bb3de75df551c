"""Tensors that got another layout outside the graph: by a view op in place under `no_grad`, or by `data`.

Their node knows the shape and dtype of what it gave. What comes back is in those of today, and is made to look like
that before the node gets it, as PyTorch does: summed where it broadcasts, cast, and else refused.
"""

from __future__ import annotations

from typing import Any

from ...errors import ShapeError
from ...tensor.history import set_history
from ..engine.match_input import fit
from ..node import Node, node_at
from ..saved.saved import meta_of


class Relaid(Node):
    """The edge of such a tensor; for users, who look at the graph, it is the one behind it."""

    __slots__ = ("meta",)
    gives_fresh = False

    def __init__(self, edge: Any, meta: tuple[Any, Any]) -> None:
        super().__init__((edge,))
        self.meta = meta

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradient in the shape and dtype that the tensor had in the graph."""
        shape = self.meta[0]
        if not is_broadcast(shape, grad._shape):
            made_by = node_of(self).name()
            raise ShapeError(
                f"backward(): invalid gradient for {made_by}: got {list(grad._shape)} but expected shape compatible "
                f"with {list(shape)}, which its result had until its layout was changed outside the graph"
            )
        return (fit(grad, self.meta),)

    def name(self) -> str:
        """The name of the node behind it."""
        return node_of(self).name()


def is_broadcast(shape: Any, to: Any) -> bool:
    """Whether a shape broadcasts to another."""
    pairs = zip(shape[::-1], to[::-1], strict=False)
    return len(shape) <= len(to) and all(size in (1, wide) for size, wide in pairs)


def shown(edge: Any) -> Any:
    """The edge that users see."""
    return edge.edges[0] if type(edge) is Relaid else edge


def node_of(edge: Any) -> Any:
    """The node that users see at an edge."""
    return node_at(shown(edge))


def keep_in_graph(tensor: Any, before: tuple[Any, Any]) -> None:
    """A tensor that an op has made got another layout outside the graph: its node still gets what it expects."""
    edge = tensor._fn
    if type(edge) is Relaid:
        edge, before = edge.edges[0], edge.meta
    set_history(tensor, edge if meta_of(tensor) == before else Relaid(edge, before))
