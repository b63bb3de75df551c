"""Gradients that depend on inputs in steps, as that of relu: under create_graph they are part of the graph too.

Their derivative by these inputs is 0 wherever it exists. Zeros are not sent through the graph: a backward pass runs all
other nodes first, then `Inputs` gives zeros to the leaves that nothing has come to. `grad` looks for a way itself."""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..tensor.dtypes import float32
from ..tensor.grad_mode import mode
from ..tensor.history import set_history
from ..tensor.tensor import from_flat
from .captured_inputs import reachable
from .hooks import run_tensor_hooks
from .node import LEAF, Node, node_at, output_at
from .saved_tensors import edge_of, meta_of, zeros_of


@functools.cache
def something() -> Any:
    return from_flat(np.zeros(1, np.float32), (), float32)


class LocallyConstant(Node):
    """Passes on the gradient of such a gradient, and wakes its `Inputs`."""

    __slots__ = ()
    op_name = "locally constant gradient"

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return grad, something()


class Inputs(Node):
    """The edges from which there is a way with derivative 0. It is older than all nodes, so that it runs last."""

    __slots__ = ("inputs",)
    op_name = "inputs of a locally constant gradient"
    inputs: tuple[Any, ...]

    def __init__(self, inputs: tuple[Any, ...]) -> None:
        super().__init__()
        self.inputs = inputs
        self.sequence = -self.sequence

    def apply(self, _: Any) -> tuple[Any, ...]:
        leaves = [edge for edge in edges_behind([self]).values() if edge.edge_kind == LEAF]
        for leaf in leaves:
            consumed = leaf._hooks is not None and leaf._hooks.accumulated  # such a hook may have taken the gradient
            if leaf._requires_grad and leaf._grad is None and leaf._grad_fn is None and not consumed:
                put_zeros(leaf, self.inputs if mode.grad else ())
        return ()


def put_zeros(tensor: Any, inputs: Sequence[Any]) -> None:
    zeros = zeros_of(meta_of(tensor), tensor._device)
    zeros = connected(zeros, inputs) if inputs else zeros
    tensor._grad = zeros if tensor._hooks is None else run_tensor_hooks(tensor._hooks, zeros)


def locally_constant(node: Node, grad: Any, result: Any) -> Any:
    """Put a gradient that a formula of `node` has computed of `grad` into the graph as depending on all inputs."""
    if not mode.grad:
        return result
    incoming = [g for g in (grad if isinstance(grad, list) else [grad]) if g is not None]
    is_leaf = result._requires_grad and result._grad_fn is None
    if is_leaf or result._base is not None or any(result is g for g in incoming):
        result = result.clone()  # which others hold
    return connected(result, (*node.edges, *map(edge_of, incoming)))


def step_function_of(result: Any, *inputs: Any) -> Any:
    """Put a new tensor, made by comparing inputs, into the graph as depending on them; for helpers of formulas."""
    edges = [edge_of(tensor) for tensor in inputs] if mode.grad else []
    return connected(result, edges) if any(edge is not None for edge in edges) else result


def connected(result: Any, inputs: Iterable[Any]) -> Any:
    set_history(result, LocallyConstant((edge_of(result), Inputs(tuple(inputs)))))
    return result


def edges_behind(ends: Iterable[Any]) -> dict[Any, Any]:
    """By leaf or by node and number of its output, all edges from which there is a way to one of the `Inputs`."""
    result: dict[Any, Any] = {}
    seen: set[Node] = set()
    stack = [edge for end in ends for edge in end.inputs]
    while stack:
        edge = stack.pop()
        if edge is None:
            continue
        if edge.edge_kind == LEAF:
            result[id(edge)] = edge
            continue
        result[output_at(edge)] = edge
        node = node_at(edge)
        if node not in seen:
            seen.add(node)
            stack.extend(node.inputs if type(node) is Inputs else node.edges)
    return result


def are_constant(roots: Sequence[Any], targets: Sequence[Any]) -> list[bool]:
    """Whether what is at the roots depends on a target in steps."""
    behind = edges_behind(node for node in reachable(roots) if type(node) is Inputs)
    return [(id(edge) if edge.edge_kind == LEAF else output_at(edge)) in behind for edge in targets]
