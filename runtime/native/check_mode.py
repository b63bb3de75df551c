"""SPECGRAD_NATIVE=check: whatever native code answers is computed once more by the general path, and compared.

Compared are bits, dtype, shape, strides and memory of results, their place in the graph with what the node saved, and
the reference counts of the arguments. Of a backward pass Python and native code each run a copy that releases nothing,
where no other thread of Python may use the same leaves; `.grad` is put back after it. See docs/wrong-result.md."""

from __future__ import annotations

import copy
import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd.captured_inputs import reachable
from ..autograd.engine import BackwardPass, Walk
from ..autograd.node import Node, Output
from ..compiler.language.expressions import CHECKING, interrupt
from ..compiler.passes.loading import left_alone
from ..dispatch.errors import entry_of
from ..dispatch.kernel_ops.kernel_op import CalledKernelOp
from ..extension_points import extension
from ..fast_path import no_native
from ..tensor.tensor import TensorBase, host_array
from ..thread_state import PerThread

Launch = Callable[..., Any]


class NativeDifference(AssertionError):
    """A bug of ours, which should be reported."""


class _State(PerThread):
    def __init__(self) -> None:
        self.general = False
        self.compares = True
        self.compared: Callable[[], Any] = lambda: None  # a weak reference to the backward pass compared last


state = _State()


@contextmanager
def general_path() -> Iterator[None]:
    """Inside, native functions of this thread answer None."""
    before, state.general = state.general, True
    try:
        yield
    finally:
        state.general = before


@contextmanager
def native_alone() -> Iterator[None]:
    """Inside, native answers of this thread are not compared: for tests in which allocations fail."""
    state.compares = False
    try:
        yield
    finally:
        state.compares = True


def is_alone() -> bool:
    """Also where a test changes arguments in the middle of a call."""
    return interrupt.hook is not None or not state.compares


def compared(native: Launch, name: str, again: Launch | None, written: int | None = None) -> Launch:
    """In check mode each answer of `native` that is not None is compared with what `again` gives.

    `written`: the position of the argument that is written to. `again` is None where there is nothing to compare
    with."""
    if not CHECKING or again is None:
        return native

    @functools.wraps(native)
    def both(*arguments: Any) -> Any:
        if state.general:
            return None
        if is_alone():
            return native(*arguments)
        return _both(native, name, again, written, arguments)

    return both


def _both(native: Launch, name: str, again: Launch, written: int | None, arguments: tuple[Any, ...]) -> Any:
    with general_path():
        value = arguments if written is None else _copied(arguments, written)
    tensors = [argument for argument in arguments if isinstance(argument, TensorBase)]
    with left_alone():  # which frees what held the arguments before
        counts = [[sys.getrefcount(t) for t in tensors]]
        result = native(*arguments)
        if result is None:
            return None
        counts.append([sys.getrefcount(t) for t in tensors])
        with general_path():
            expected = again(*value)
        counts.append([sys.getrefcount(t) for t in tensors])
    changes = np.diff(counts, axis=0).tolist()
    problems = list((differences if written is None else value_differences)(result, expected))
    # Others change them too: threads of Python, and views that nobody has any longer.
    counted = written is None and threading.active_count() == 1 and all(change >= 0 for change in changes[1])
    if counted and changes[0] != changes[1]:
        problems.append(f"references to the tensors: {changes[0]} more by native code, {changes[1]} more by Python")
    if problems:
        shown = ", ".join(map(_shown, arguments))
        raise NativeDifference(f"{name}({shown}): native code differs from the general path: {'; '.join(problems)}")
    return result


def _copied(arguments: tuple[Any, ...], position: int) -> tuple[Any, ...]:
    written = arguments[position]
    if not isinstance(written, TensorBase):
        return arguments
    copy = written.detach().clone()  # type: ignore[attr-defined]
    return tuple(copy if argument is written else argument for argument in arguments)


def differences(result: Any, expected: Any) -> Iterator[str]:
    if isinstance(expected, (tuple, list)) and isinstance(result, (tuple, list)) and len(result) == len(expected):
        for i, (one, other) in enumerate(zip(result, expected, strict=True)):
            yield from (f"result {i}: {problem}" for problem in differences(one, other))
    elif isinstance(expected, TensorBase) and isinstance(result, TensorBase):
        if expected.lazy_conj:  # Python marks the views of native code too, once it has them
            extension("lazy_conj")(expected, expected.conjugated, expected.negated)
        yield from tensor_differences(result, expected)
    elif not (result is expected or (type(result) is type(expected) and result == expected)):
        yield f"{_shown(result)} instead of {_shown(expected)}"


def tensor_differences(result: Any, expected: Any) -> Iterator[str]:
    if result is expected:
        return
    for name in ("_strides", "_offset", "_requires_grad", "_device"):
        one, other = getattr(result, name), getattr(expected, name)
        if one != other:
            yield f"{name[1:]} {one!r} instead of {other!r}"
    if result._base is not expected._base:
        yield "a view of another tensor"
    yield from value_differences(result, expected)
    yield from edge_differences(result._grad_fn, expected._grad_fn)


def value_differences(result: Any, expected: Any) -> Iterator[str]:
    if result._dtype is not expected._dtype or tuple(result._shape) != tuple(expected._shape):
        yield f"{_shown(result)} instead of {_shown(expected)}"
    elif not np.array_equal(_bytes(result), _bytes(expected)):
        yield f"values {host_array(result).tolist()} instead of {host_array(expected).tolist()}"


def _bytes(tensor: Any) -> np.ndarray:
    return np.ascontiguousarray(host_array(tensor)).reshape(-1).view(np.uint8)


def edge_differences(result: Any, expected: Any) -> Iterator[str]:
    if isinstance(result, Output) and isinstance(expected, Output):
        if result.index != expected.index:
            yield f"output {result.index} of its node instead of {expected.index}"
        result, expected = result.node, expected.node
    if result is expected:
        return
    if isinstance(result, Node) and type(result) is type(expected):
        yield from node_differences(result, expected)
    else:
        yield f"{type(result).__name__} instead of {type(expected).__name__}"


def node_differences(result: Any, expected: Any) -> Iterator[str]:
    for i, (one, other) in enumerate(zip(result.edges, expected.edges, strict=True)):
        if one is not other:  # a call of several views makes new nodes between
            yield from (f"edge {i}: {problem}" for problem in edge_differences(one, other))
    for name in (*result.saved_slots, *getattr(result, "values", ())):
        one, other = getattr(result, name), getattr(expected, name)
        yield from (f"saved {name}: {problem}" for problem in _saved_differences(one, other))


def _saved_differences(one: Any, other: Any) -> Iterator[str]:
    """The differences between two saved values; a result is saved as an alias, whose own place in the graph is none."""
    if isinstance(one, TensorBase) and isinstance(other, TensorBase):
        if one is not other and not np.array_equal(_bytes(one), _bytes(other)):
            yield f"values {host_array(one).tolist()} instead of {host_array(other).tolist()}"
    else:
        yield from differences(one, other)


def _shown(value: Any) -> str:
    if isinstance(value, TensorBase):
        strides = "" if value._strides is None else f", strides {value._strides}"
        return f"tensor({value._dtype!r}, {tuple(value._shape)}{strides})"
    return repr(value)


def public_function(op: Any, operands: Sequence[str], in_place: bool = False) -> Launch | None:
    """None for an op that no entry of its name stands for. The registry is large: it is loaded in check mode alone."""
    if not CHECKING or op.node is None:
        return None
    name = op.name if isinstance(op, CalledKernelOp) else op.node.op_name
    entry = entry_of(op.node.__module__, name)
    function = None if entry is None else entry.inplace if in_place else entry.function
    if function is None:
        return None
    names = ["input" if operand == "self" else operand for operand in operands]
    return lambda *arguments: function(**dict(zip(names, arguments, strict=False)))


def compared_native_backward(walk: Walk) -> Walk:
    """Python and native code rehearse each pass before native code first runs nodes of it."""
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
    saved = [getattr(node, slot, None) for slot in node.saved_slots]
    return node.runs_without or not all(value is None or isinstance(value, TensorBase | list) for value in saved)


def rehearsed(backward_pass: Any, node: Any, gradient: Any, walk: Walk, leaves: Iterable[Any]) -> list[Any]:
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
