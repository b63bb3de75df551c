"""SPECGRAD_NATIVE=check for backward passes: Python and native code rehearse each, and the gradients are compared.

A rehearsal runs a copy of the pass that releases nothing; the `.grad` of leaves is put back after it. Python asks every
node for its gradients by itself, so these are compared as well. Then native code runs the pass. Where other threads of
Python run, which may use the same leaves, there is no rehearsal.
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections.abc import Iterable
from typing import Any

from ..autograd.engine.engine import BackwardPass, Walk
from ..autograd.engine.inputs import reachable
from ..dispatch.fast_path import no_native
from ..kernels.llvm.native_code.check_mode import CHECKING
from ..tensor.base import TensorBase, host_array
from .comparison import NativeDifference, is_alone, state


def compared_native_backward(walk: Walk) -> Walk:
    """In check mode `walk` with each pass rehearsed before native code first runs nodes of it; else `walk`."""
    if not CHECKING:
        return walk

    def both(backward_pass: Any, node: Any, gradient: Any) -> tuple[Any, Any]:
        if not is_alone() and threading.active_count() == 1 and state.compared() is not backward_pass:
            state.compared = weakref.ref(backward_pass)
            compare(backward_pass, node, gradient, walk)
        return walk(backward_pass, node, gradient)

    return both


def compare(backward_pass: Any, node: Any, gradient: Any, walk: Walk) -> None:
    """Refuse a native pass that differs; one that calls functions of users, or is recorded, is not rehearsed."""
    nodes = reachable([node, *backward_pass.buffers])
    leaves = {id(edge): edge for n in nodes for edge in n.edges if isinstance(edge, TensorBase)}.values()
    hooks = [*(n.hooks for n in nodes), *(leaf._hooks for leaf in leaves), backward_pass.hooked]
    if backward_pass.create or any(hook is not None for hook in hooks) or any(map(calls_users, nodes)):
        return
    for _ in range(2):  # the first time makes what later passes find
        expected = rehearsed(backward_pass, node, gradient, no_native, leaves)
    result = rehearsed(backward_pass, node, gradient, walk, leaves)
    for number, (one, other) in enumerate(zip(result, expected, strict=True)):
        if one != other:
            problem = f"gradient {number} is {one and one[:-1]} instead of {other and other[:-1]}"
            raise NativeDifference(f"backward from {node.name()}: native code differs from the engine: {problem}")


def calls_users(node: Any) -> bool:
    """Whether a node is of a custom Function, or has saved what hooks of users are to unpack."""
    saved = [getattr(node, slot, None) for slot in node.saved_slots]
    return node.runs_without or not all(value is None or isinstance(value, TensorBase | list) for value in saved)


def rehearsed(backward_pass: Any, node: Any, gradient: Any, walk: Walk, leaves: Iterable[Any]) -> list[Any]:
    """The gradients of leaves, and those that are asked for, after a copy of a pass."""
    again = BackwardPass(True, False, copied(backward_pass.capture))
    again.buffers = {
        n: copy.copy(waiting) if isinstance(waiting, list) else waiting for n, waiting in backward_pass.buffers.items()
    }
    again.heap = [*backward_pass.heap]
    saved_count = [leaf._grad for leaf in leaves]
    for leaf, grad in zip(leaves, saved_count, strict=True):
        leaf._grad = None if grad is None else grad.clone()
    try:
        again.run_from(node, gradient, walk)
        captured = [] if again.capture is None else [*again.capture.leaves.values(), *again.capture.outputs.values()]
        return [described(grad) for grad in (*(leaf._grad for leaf in leaves), *captured)]
    finally:
        for leaf, grad in zip(leaves, saved_count, strict=True):
            leaf._grad = grad


def copied(capture: Any) -> Any:
    if capture is None:
        return None
    again = copy.copy(capture)
    again.leaves, again.outputs = dict(capture.leaves), dict(capture.outputs)
    return again


def described(grad: Any) -> Any:
    if grad is None:
        return None
    values = host_array(grad)
    return repr(grad._dtype), tuple(grad._shape), grad._strides, grad._requires_grad, str(values), values.tobytes()
