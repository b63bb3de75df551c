"""The backward engine: an explicit loop over nodes, newest first, without recursion.

Every node has a sequence number larger than those of the nodes that made its inputs, so taking the waiting node with
the largest number means that all contributions to its gradient have arrived. A straight chain needs no heap."""

import contextvars
import functools
import heapq
import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import ArgumentError, type_name
from ..fast_path import native_backward, no_native
from ..tensor.grad_mode import mode
from ..tensor.observers import watch
from ..tensor.overrides import state as overriding
from ..thread_state import mode as thread_mode
from ..thread_state import set_states_here, states_here
from .accumulate_grad import accumulate, all_different
from .captured_inputs import Capture
from .hooks import (
    accumulator,
    registered,
    run_accumulated_hooks,
    run_output_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from .leaf_hooks import propagate_with_hooks
from .node import LEAF, NODE, Node

Walk = Callable[[Any, Any, Any], tuple[Any, Any]]  # of a pass, a node and its gradient: those with which Python goes on


class Missing(list[Any]):
    """The waiting gradients of a node to which only None has come so far: a None for each of its outputs."""

    def __add__(self, grad: Any) -> Any:
        return grad


class BackwardPass:
    __slots__ = ("__weakref__", "buffers", "capture", "create", "heap", "hooked", "retain")

    def __init__(self, retain: bool, create: bool, capture: Capture | None) -> None:
        self.retain = retain
        self.create = create
        self.capture = capture
        self.buffers: dict[Node, Any] = {}
        self.heap: list[tuple[int, Node]] = []
        self.hooked: Any = None

    def propagate(self, edges: Sequence[Any], grads: Sequence[Any]) -> None:
        if self.capture is not None:
            edges = self.capture.passing(edges)
        node, grad = self.follow(edges, grads, owned=False)
        self.resume(node, grad)

    def resume(self, node: Any, grad: Any) -> None:
        self.run_from(node, grad, no_native if watch.active else native_backward())

    def run_from(self, node: Any, grad: Any, run_natively: Walk) -> None:
        """Run a node, if there is one, and all that wait; `run_natively` goes as far as it can at a time."""
        heap, buffers, step = self.heap, self.buffers, self.step
        while node is not None or heap:
            if node is None:
                node = heapq.heappop(heap)[1]
                grad = buffers.pop(node)
                if grad.__class__ is Missing:
                    runs = node.runs_without or any(g is not None for g in grad)
                    grad = None if node.output_count == 1 else list(grad)
                    node, grad = step(node, grad) if runs else self.step_with_hooks(node, grad)
                    continue
            node, grad = run_natively(self, node, grad)
            if node is not None:
                node, grad = step(node, grad)

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """Run one node; return the next node and its gradient when that one may run at once."""
        capture = self.capture
        if node.hooks is not None or (capture is not None and node in capture.special):
            return self.step_with_hooks(node, grad)
        grads: Sequence[Any] = node.apply(grad)
        edges: Sequence[Any] = node.edges
        if not self.retain and node.saved_slots:
            node.release()
        if self.hooked is not None:
            owned = node.returns_owned and (len(grads) < 2 or all_different(grads))
            grads = self.hold_back(edges, grads, owned, grad, node.hook_order)
        return self.follow(edges, grads, node.returns_owned, grad)

    def step_with_hooks(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """A gradient that is asked for is seen before the node's hooks, if it runs."""
        capture, hooks = self.capture, node.hooks
        if capture is not None:
            if node not in capture.leading:
                capture.take(node, grad if hooks is None else run_output_hooks(node, grad))
                return None, None
            capture.take(node, grad)
        if hooks is not None:
            grad = run_pre_hooks(node, grad)
        capture_node = node if hooks is not None or capture is None else capture.asking(node)
        is_defined = grad is not None if node.output_count == 1 else any(g is not None for g in grad)
        # None gives None, except in custom Functions, which make zeros of it.
        runs = is_defined or capture_node.runs_without
        grads = capture_node.apply(grad) if runs else (None,) * len(capture_node.edges)
        if hooks is not None:
            if hooks.post:
                grads = run_post_hooks(node, tuple(grads), grad)
            mode.grad = self.create or None  # which a hook may have changed
        return self.finish(node, grads)

    def finish(self, node: Node, grads: Sequence[Any]) -> tuple[Any, Any]:
        """The gradients of a node that has run with care may be held by somebody else."""
        edges: Sequence[Any] = node.edges
        if not self.retain and node.saved_slots:
            node.release()
        if self.capture is not None and node in self.capture.forks:
            edges = self.capture.passing(edges)
        if self.hooked is not None:
            grads = self.hold_back(edges, grads, order=node.hook_order)
        return self.follow(edges, grads, owned=False)

    def hold_back(self, edges: Any, grads: Any, owned: bool = False, incoming: Any = None, order: Any = ()) -> Any:
        """Keep the gradients of leaves with hooks until they are complete; the rest goes on."""
        if self.hooked is None:
            return grads
        passed, complete = self.hooked.take(edges, grads, owned, incoming, order)
        for leaf in complete:
            self.deliver_to_leaf(leaf, self.hooked.sums.pop(leaf, None), owned=leaf in self.hooked.own)
        return passed

    def follow(self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any = None) -> tuple[Any, Any]:
        """One gradient may skip the heap: that of the newest single-output node that waits for no other.

        `owned`: the gradients were just made, so that a leaf may keep one that is not `incoming` passed on."""
        heap = self.heap
        if owned and len(grads) > 1:
            owned = all_different(grads)
        held, held_grad = None, None
        for edge, grad in zip(edges, grads):  # noqa: B905  (strict= costs a keyword call per node)
            if edge is None:
                continue
            kind = edge.edge_kind
            if grad is None:
                if kind != LEAF and edge is not held:
                    self.deliver_none(edge)
            elif kind == LEAF:
                self.deliver_to_leaf(edge, grad, owned and grad is not incoming)
            elif kind != NODE:
                self.deliver(edge, grad)
            elif edge is held:
                held_grad = held_grad + grad
            elif held is None and edge not in self.buffers:
                held, held_grad = edge, grad
            else:
                self.deliver(edge, grad)
        if held is not None and heap and -heap[0][0] > held.sequence:
            self.deliver(held, held_grad)
            return None, None
        return held, held_grad

    def deliver(self, edge: Any, grad: Any) -> None:
        if edge.edge_kind != NODE:
            self.deliver_output(edge.node, edge.index, grad)
            return
        waiting = self.buffers.get(edge)
        if waiting is None:
            self.buffers[edge] = grad
            heapq.heappush(self.heap, (-edge.sequence, edge))
        else:
            self.buffers[edge] = waiting + grad

    def deliver_output(self, node: Node, index: int, grad: Any) -> None:
        waiting = self.buffers.get(node)
        if waiting is None:
            waiting = self.buffers[node] = [None] * node.output_count
            heapq.heappush(self.heap, (-node.sequence, node))
        waiting[index] = grad if waiting[index] is None else waiting[index] + grad

    def deliver_all(self, node: Node, grads: Sequence[Any]) -> None:
        for index, grad in enumerate(grads):
            if grad is not None:
                self.deliver_output(node, index, grad)

    def deliver_none(self, edge: Any) -> None:
        """Let a node know that it got None, if nothing else has come yet."""
        node = edge if edge.edge_kind == NODE else edge.node
        if node not in self.buffers:
            self.buffers[node] = Missing([None] * node.output_count)
            heapq.heappush(self.heap, (-node.sequence, node))

    def deliver_to_leaf(self, leaf: Any, grad: Any, owned: bool) -> None:
        """A gradient has arrived at a leaf; None only where it has hooks."""
        hooks = leaf._hooks
        if hooks is not None:
            grad = run_tensor_hooks(hooks, grad)
            if hooks.tensor or hooks.retained or hooks.accumulator is not None:
                owned = False  # a hook that got more than the leaf can hold the gradient before it is in `.grad`
        capture = self.capture
        if capture is not None and not capture.accumulate:
            capture.add(leaf, grad)
            return
        if hooks is not None and (node := accumulator(hooks)) is not None:
            grad = run_pre_hooks(node, grad)
        if grad is not None:
            accumulate(leaf, grad, owned, self.create)
        if hooks is not None:
            run_accumulated_hooks(leaf, hooks, grad)
            mode.grad = self.create or None  # which a hook may have changed


def run(edges: list[Any], grads: list[Any], retain: bool, create: bool, capture: Capture | None = None) -> None:
    """Propagate `grads` from `edges` to the leaves, or to what `capture` asks for."""
    state = mode.__dict__  # of this thread
    before, depth = state["grad"], state["depth"]
    if depth == DEEPEST:
        return in_new_thread(run, edges, grads, retain, create, capture)
    create = create and not state["inference"]
    state["grad"], state["depth"] = create or None, depth + 1
    asking = overriding.__dict__
    needs_arguments, outside = asking["arguments"], asking["outside"]
    asking["arguments"], asking["outside"] = False, needs_arguments  # formulas are no calls of the user's
    if capture is not None:
        state["captures"] += 1
    try:
        pass_class = watched_pass(watch.passes) if watch.passes else BackwardPass
        backward_pass = pass_class(retain, create, capture)
        if registered.leaf_hooks:
            propagate_with_hooks(backward_pass, edges, grads)
        else:
            backward_pass.propagate(edges, grads)
    finally:
        state["grad"], state["depth"] = before, depth
        asking["arguments"], asking["outside"] = needs_arguments, outside
        if capture is not None:
            state["captures"] -= 1


@functools.cache
def watched_pass(watching: tuple[type, ...]) -> Any:
    """One class of backward passes out of those of all watchers; it may have attributes of its own."""
    return type("WatchedPass", watching, {})


DEEPEST = 24  # so many nested passes share a stack, which leaves each 40 frames of Python's limit of 1,000


def in_new_thread(function: Callable[..., Any], *args: Any) -> Any:
    """The thread sees the states of this one. At the interpreter's end, in a finaliser, no thread can start."""
    if sys.is_finalizing():
        return function(*args)
    matches: list[Any] = []
    raised: list[BaseException] = []
    states, context = states_here(), contextvars.copy_context()

    def work() -> None:
        set_states_here(states)
        mode.depth = 0
        try:
            matches.append(context.run(function, *args))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, name="nested backward")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return matches[0]


def is_multithreading_enabled() -> bool:
    """Whether programs allow several threads in a backward pass; specgrad's runs in the thread that called it."""
    return bool(thread_mode.__dict__.get("multithreading", True))


class set_multithreading_enabled:
    """Allow or forbid a backward pass threads of its own: a function, and a context manager that ends it.

    Nothing depends on it: kernels share work between threads as `set_num_threads` says.

    Args:
        mode: whether they are allowed.

    Example:
        >>> import specgrad as sg
        >>> with sg.autograd.set_multithreading_enabled(False):
        ...     is_multithreading_enabled()
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, (bool, np.bool_)):
            raise ArgumentError(f"set_multithreading_enabled(): argument 'mode' must be bool, not {type_name(mode)}")
        self.mode = bool(mode)
        self._before = is_multithreading_enabled()
        _set(self.mode)

    def __enter__(self) -> None:
        _set(self.mode)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _set(self._before)

    def clone(self) -> "set_multithreading_enabled":
        """Another one of the same setting."""
        return type(self)(self.mode)


def _set(value: bool) -> None:
    thread_mode.__dict__["multithreading"] = value
