"""Graph nodes: what backward runs. Generated nodes subclass `Node`; an edge is a Node, an Output or a leaf tensor.

A node's edges name where each input's gradient goes: the node that made the input, `Output(node, i)` when that node
has several outputs, the leaf tensor itself, or None when the input needs no gradient."""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import GraphError
from ..namespace import op
from ..shapes import Shape
from ..spec_lines import entry_location

# `edge_kind` of what an edge leads to
NODE: int = 0
OUTPUT: int = 1
LEAF: int = 2


def node_at(edge: Any) -> Any:
    return edge if edge.edge_kind == NODE else edge.node


def output_at(edge: Any) -> tuple[Any, int]:
    """The node that an edge leads to, and the number of its output; the edge is no leaf."""
    return (edge, 0) if edge.edge_kind == NODE else (edge.node, edge.index)


def fit(grad: Any, meta: tuple[Any, Any]) -> Any:
    """A gradient made to look like its input: summed over broadcast dimensions, projected to real, cast."""
    shape, dtype = meta
    if grad._shape != shape:
        grad = op.sum_to_size(grad, shape) if was_broadcast(shape, grad._shape) else grad.expand(shape)
    if grad._dtype is not dtype:
        if grad._dtype.kind == "c" and dtype.kind != "c":
            grad = op.real_copy(grad)
        if grad._dtype is not dtype:
            grad = grad.to(dtype)
    return grad


def in_rows(grad: Any) -> Any:
    """For an expanded number."""
    return grad.contiguous()


def broadcasts(shape: Shape, to: Shape) -> bool:
    pairs = zip(shape[::-1], to[::-1], strict=False)
    return len(shape) <= len(to) and all(size in (1, wide) for size, wide in pairs)


@functools.lru_cache(maxsize=4096)
def was_broadcast(shape: Shape, to: Shape) -> bool:
    """Whether `to` is larger than `shape` by broadcasting; with empty tensors their element counts cannot tell."""
    return len(to) > len(shape) or any(size == 1 != wide for size, wide in zip(shape[::-1], to[::-1], strict=False))


next_sequence = itertools.count().__next__


class Freed:
    """The value of a slot whose saved tensor was freed; reading it raises the error that says so."""

    __slots__ = ()

    @property
    def _version_counter(self) -> Any:
        return next(iter(self))

    def __iter__(self) -> Iterator[Any]:
        raise GraphError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
            "or if you need to access saved tensors after calling backward."
        )


FREED = Freed()


class Inspection:
    """Functions of modules that know nodes, which put them here when imported."""

    next_functions: "Callable[[Node], tuple[tuple[Any, int], ...]]"  # autograd/accumulate_grad.py
    show_saved: "Callable[[type[Node]], None]"  # autograd/saved_tensors.py


inspection = Inspection()


class Node:
    """One recorded operation: what `grad_fn` gives.

    `edges` are aligned with the gradients that `apply` returns; `metas` are the (shape, dtype) of the inputs, or None
    when all inputs have the result's own; `hooks` is None until someone registers one.

    Args:
        edges: where the gradient of each input goes: a node, an Output of one, a leaf, or None.
        metas: the (shape, dtype) that each of these gradients must have; None where all are those of the result.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "metas", "metadata_", "outer", "sequence")
    edge_kind = NODE
    output_count = 1
    returns_owned = True  # gradients from `apply` are new tensors, its argument, or views: nobody else holds them
    op_name = ""  # the op's name, for messages
    requires_grad = True
    may_be_copied = False  # whether a copy with other edges, which share what is saved, computes the same gradients
    runs_without = False  # whether it runs also when all that comes is None: custom Functions get zeros then
    saved_slots: tuple[str, ...] = ()  # names of the slots that hold saved tensors: kept_NAME, seen as _saved_NAME
    saved_outputs: dict[Any, int] = {}  # slot -> which output it holds; never written to
    by_result: "type[Node] | None" = None  # what stands for it where its operand has been written to since
    hook_order: tuple[int, ...] = ()  # of edges to leaves with hooks, where it is not that of the inputs
    elementwise: Any = None  # what is known of an element-wise op; this and the next seven are for native code
    fused: dict[int, Any] = {}  # its kernels for gradients
    inputs: tuple[str, ...] = ()  # the arguments that have gradients
    keeps: dict[str, tuple[str, tuple[str, ...]]] = {}  # slot -> the tensor it holds, and whose gradients read it
    values: dict[str, tuple[str, str]] = {}  # slot -> the argument that it holds, or of which it holds an attribute
    differentiable: tuple[int, ...] = (0,)  # the outputs that are
    refuses: tuple[str, ...] = ()  # the arguments that may not require grad
    hands_on: Any = False  # True: every gradient is that of the result; a slot: it is where that number is 1

    edges: tuple[Any, ...]
    hooks: Any
    metas: Any
    outer: Any  # of a node whose output was written into a view: a weak reference to the CopySlices around it
    sequence: int

    def __init__(self, edges: tuple[Any, ...] = (), metas: Any = None) -> None:
        self.sequence = next_sequence()
        self.hooks = None
        self.metas = metas
        self.edges = edges

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if isinstance(cls.__dict__.get("saved_slots"), tuple):
            inspection.show_saved(cls)
        if cls.elementwise is not None and cls.inputs:
            cls.elementwise.node = cls

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradients of the inputs, given `grad`, that of the output (a list where there are several outputs)."""
        raise NotImplementedError

    def with_edges(self, edges: tuple[Any, ...]) -> "Node":
        """A copy that computes the gradients for these edges; threads share the node itself, so it stays as it is."""
        copy = object.__new__(type(self))
        copy.sequence, copy.hooks, copy.metas = self.sequence, None, self.metas
        copy.edges = edges
        for name in type(self).__slots__:
            if hasattr(self, name):  # what no gradient reads was not saved
                setattr(copy, name, getattr(self, name))
        return copy

    def fitted(self, grads: list[Any]) -> tuple[Any, ...]:
        """The gradients `grads` made to look like their inputs: un-broadcast, real where those are, of their dtype."""
        metas = self.metas
        if metas is None:
            return tuple(grads)
        return tuple([None if g is None else fit(g, meta) for g, meta in zip(grads, metas, strict=True)])

    def release(self) -> None:
        """Forget the saved tensors; a second use of them is an error that says so."""
        for name in self.saved_slots:
            if getattr(self, name) is not None:
                setattr(self, name, FREED)

    @property
    def spec_location(self) -> str:
        """Where the entry of the op stands, `derivatives.yaml:92`; empty for nodes that no spec describes."""
        return entry_location(type(self).__module__, self.op_name)

    def name(self) -> str:
        """The node's class name, as PyTorch numbers it: MulBackward0."""
        return type(self).__name__

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes on this node."""
        try:
            return self.metadata_
        except AttributeError:
            self.metadata_: dict[Any, Any] = {}
            return self.metadata_

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that the gradients go to, each with the number of its output."""
        return inspection.next_functions(self)

    def register_hook(self, hook: Any) -> Any:
        """Call `hook(grad_inputs, grad_outputs)` after this node has run; it may return new grad_inputs."""
        from .hooks import add_hook, hooks_of

        return add_hook(hooks_of(self).post, hook)

    def register_prehook(self, hook: Any) -> Any:
        """Call `hook(grad_outputs)` before this node runs; it may return new grad_outputs."""
        from .hooks import add_hook, hooks_of

        return add_hook(hooks_of(self).pre, hook)

    def _sequence_nr(self) -> int:
        return self.sequence

    def __call__(self, *grads: Any) -> Any:
        result = self.apply(grads[0] if self.output_count == 1 else list(grads))
        return result[0] if len(result) == 1 else result

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class Output:
    __slots__ = ("index", "node")
    edge_kind = OUTPUT

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index


def recording_node(result: Any) -> Any:
    """None where the op was not recorded."""
    for output in result if isinstance(result, (tuple, list)) else (result,):
        edge = getattr(output, "_grad_fn", None)
        if edge is not None and edge.edge_kind != LEAF:
            return node_at(edge)
    return None
