"""ShapeProp: runs a graph and notes of each result its shape and dtype."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...runtime.tensor.base import TensorBase
from ...runtime.tensor.dtypes import dtype
from ...runtime.tensor.memory_format import contiguous_format, memory_format
from ...runtime.tensor.shapes import Size
from .aggregates import map_aggregate
from .interpreter import Interpreter
from .node import Node


class TensorMetadata(NamedTuple):
    """What a result is, without its values."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


class ShapeProp(Interpreter):
    """Runs a GraphModule and notes in each node's `meta` what its result is: `tensor_meta` and `type`.

    Args:
        gm: the GraphModule.
        fake_mode: refused: there are no tensors without values here but those of the device `meta`.

    Example:
        >>> import specgrad as sg
        >>> traced = sg.fx.symbolic_trace(lambda x: x.sum(0))
        >>> out = sg.fx.passes.shape_prop.ShapeProp(traced).propagate(sg.ones(2, 3))
        >>> [node.meta["tensor_meta"].shape for node in traced.graph.nodes if node.op == "call_method"]
        [specgrad.Size([3])]
    """

    def __init__(self, gm: Any, fake_mode: Any = None) -> None:
        if fake_mode is not None:
            raise NotImplementedError("ShapeProp(): there is no fake_mode; give arguments of the device meta")
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """The result of a node, noted in its `meta`.

        Args:
            n: the node.
        """
        result = super().run_node(n)
        matches: list[Any] = []
        meta = map_aggregate(result, lambda item: _note(item, matches))
        if matches:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph; its result.

        Args:
            *args: those of the module.
        """
        return super().run(*args)


def _note(item: Any, result: list[Any]) -> Any:
    if not isinstance(item, TensorBase):
        return item
    result.append(item)
    layout = contiguous_format if item.is_contiguous() else None
    return TensorMetadata(item.shape, item.dtype, item._requires_grad, item.stride(), layout, False, {})


__all__ = ["ShapeProp", "TensorMetadata"]
