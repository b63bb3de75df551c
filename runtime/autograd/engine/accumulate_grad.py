"""`AccumulateGrad`: the node that stands for a leaf where somebody looks at the graph.

The engine itself adds to a leaf's `.grad` and needs no node for it. One is made when `next_functions` or a gradient
edge is asked for; it is the same one as long as somebody has it, or a node that was asked for its `next_functions`
lives.
"""

from __future__ import annotations

import weakref
from typing import Any

from ...locks import new_lock
from ...modes.grad_mode import mode
from ..hooks.hooks import RemovableHandle, leaf_hooks
from ..inplace.relaid import shown
from ..inplace.view_history import NOWHERE
from ..node import LEAF, OUTPUT, Node, inspection
from .accumulation import accumulate

LAST = 2**64 - 1  # the sequence number that PyTorch gives to these nodes

_alive: weakref.WeakValueDictionary[int, AccumulateGrad] = weakref.WeakValueDictionary()  # by the id of the leaf
_making = new_lock()


class AccumulateGrad(Node):
    """Adds to `variable.grad`. Its hooks run as those of other nodes, and are gone when it is."""

    __slots__ = ("variable",)
    op_name = "AccumulateGrad"

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.edges = ()
        self.hooks = None
        self.metas = None
        self.sequence = LAST

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """Add a gradient to that of the leaf."""
        accumulate(self.variable, grad, False, bool(mode.grad))
        return ()

    def register_hook(self, hook: Any) -> RemovableHandle:
        """Call `hook((), grad_outputs)` after a gradient was added."""
        leaf_hooks(self.variable).accumulator = weakref.ref(self)
        return super().register_hook(hook)

    def register_prehook(self, hook: Any) -> RemovableHandle:
        """Call `hook(grad_outputs)` before a gradient is added; it may return another."""
        leaf_hooks(self.variable).accumulator = weakref.ref(self)
        return super().register_prehook(hook)


def accumulator_of(leaf: Any) -> AccumulateGrad:
    """The AccumulateGrad node of a leaf."""
    with _making:
        node = _alive.get(id(leaf))
        if node is None:
            node = _alive[id(leaf)] = AccumulateGrad(leaf)
        return node


class Seen(tuple[Any, ...]):
    """The edges of a node whose next functions somebody has looked at: it keeps those that stand for leaves."""

    ends: list[AccumulateGrad]


def next_functions(node: Node) -> tuple[tuple[Any, int], ...]:
    """The nodes that the gradients go to, each with the number of its output."""
    found = tuple([next_function(edge) for edge in node.edges])
    ends = [end for end, _ in found if type(end) is AccumulateGrad]
    if ends:
        seen = Seen(node.edges)
        seen.ends = ends
        node.edges = seen
    return found


inspection.next_functions = next_functions


def next_function(edge: Any) -> tuple[Any, int]:
    """An edge as (node, number of its output)."""
    edge = shown(edge)
    if edge is None or edge is NOWHERE:
        return (None, 0)
    if edge.edge_kind == LEAF:
        return (accumulator_of(edge), 0)
    return (edge.node, edge.index) if edge.edge_kind == OUTPUT else (edge, 0)
