"""Watchers around every op and every node of backward: the profiler's, and ranges for other tools (`emit_nvtx`)."""

import functools
import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.engine import BackwardPass
from ...autograd.node import Node, recording_node
from ...dispatch.errors import op_node
from ...tensor.observers import NOT_HANDLED, OpCall, Watcher, watch
from ...tensor.tensor import TensorBase
from ..distributed.groups.observers import observed
from .communication import Calls
from .device_events import is_view
from .named_ranges import ENGINE, current, function_call
from .session import NODE, OP, Record, Session, describe

_ENGINE = "autograd::engine::evaluate_function: "
_LEAF = "torch::autograd::AccumulateGrad"  # what scripts look for
_NAME = "profiler"
_OWN = __name__.partition(".")[0]


def turn_on(session: Session) -> None:
    current.session = session
    observed.listener = Calls(session)
    watch.turn(_NAME, WATCHER)


def turn_off() -> None:
    watch.turn(_NAME, None)
    observed.listener = None
    session, current.session = current.session, None
    if session is not None:
        session.finish()


def _forked() -> None:
    """A process that was forked from a profiled one (a DataLoader's worker) is not profiled."""
    if current.owner is not None:
        current.owner = current.session = observed.listener = None
        watch.turn(_NAME, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@functools.cache
def shown_name(name: str, function: Callable[..., Any]) -> tuple[str, str]:
    package = function.__module__.partition(".")[0]
    base, _, overload = name.partition(".")
    if function.__name__.endswith("_") and not base.endswith("_"):
        base += "_"
    return f"{'aten' if package == _OWN else package}::{base}", overload


def around_op(call: OpCall) -> Any:
    session = current.session
    if session is None:
        return NOT_HANDLED
    name, overload = shown_name(call.name, call.function)
    args, kwargs = call.args, call.kwargs
    record = session.begin(name, OP, args, kwargs)
    record.overload = overload
    record.described = call.function.__module__, call.name
    try:
        result = call.proceed()
    finally:
        session.end(record)
    if record.span is not None and session.devices is not None and is_view(result, args):
        session.devices.drop(record)
    if session.shapes and isinstance(result, TensorBase):
        record.output = result.shape
    if session.tally is not None:
        session.tally.count(result, args, kwargs, record)
    return result


def note_node(result: Any) -> None:
    session = current.session
    record = None if session is None else session.innermost()
    if record is None or record.kind != OP or record.sequence >= 0:
        return
    node = recording_node(result)
    if node is not None:
        record.sequence = node.sequence


class ProfiledPass(BackwardPass):
    """A backward pass with events: one for the engine's work on a node, one in it for the node, one for each leaf."""

    profiled: tuple[Session, Record] | None = None  # the node that runs

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        session = current.session
        if session is None:
            return super().step(node, grad)
        engine = _begin_node(session, _ENGINE + node.name(), ENGINE, node)
        grads = grad if isinstance(grad, list) else (grad,)
        self.profiled = session, _begin_node(session, node.name(), NODE, node, grads)
        try:
            return super().step(node, grad)
        finally:
            self.profiled = None
            session.end(engine)

    def follow(self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any = None) -> tuple[Any, Any]:
        """End the event of the node, which has run; handing on its gradients counts as the engine's time."""
        if self.profiled is not None:
            session, record = self.profiled
            self.profiled = None
            session.end(record)
        return super().follow(edges, grads, owned, incoming)

    def deliver_to_leaf(self, leaf: Any, grad: Any, owned: bool) -> None:
        session = current.session
        if session is None or (self.capture is not None and not self.capture.accumulate):
            return super().deliver_to_leaf(leaf, grad, owned)
        engine = session.begin(_ENGINE + _LEAF, ENGINE)
        session.begin(_LEAF, NODE, (grad,))
        try:
            super().deliver_to_leaf(leaf, grad, owned)
        finally:
            session.end(engine)


def _begin_node(session: Session, name: str, kind: str, node: Any, grads: Sequence[Any] = ()) -> Record:
    record = session.begin(name, kind, grads)
    own = op_node(node)
    record.sequence = own.sequence
    record.described = type(own).__module__, own.op_name
    return record


WATCHER = Watcher(note=note_node, backward_pass=ProfiledPass, intercept=around_op, order=0, span=function_call)


class _Emit:
    """Enters a range of the other tool around each op."""

    package = ""  # whose function `function` makes a context manager of a name
    function = ""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.range: Callable[[str], Any]

    def __enter__(self) -> "_Emit":
        if self.enabled:
            self.range = self._find()
            passing = type("EmittingPass", (_EmittingPass,), {"range": staticmethod(self.range)})
            watch.turn(type(self).__name__, Watcher(backward_pass=passing, intercept=self._around))
        return self

    def __exit__(self, *_: Any) -> None:
        if self.enabled:
            watch.turn(type(self).__name__, None)

    def _find(self) -> Callable[[str], Any]:
        try:
            return getattr(importlib.import_module(self.package), self.function)
        except ImportError as error:
            name = type(self).__name__
            raise RuntimeError(
                f"{name}: expected the Python package {self.package!r}, but it is not installed"
            ) from error

    def _around(self, call: OpCall) -> Any:
        name = shown_name(call.name, call.function)[0]
        if self.record_shapes:
            name += f", sizes = {[argument.dims for argument in describe(call.args, call.kwargs)]}"
        with self.range(name):
            return call.proceed()


class _EmittingPass(BackwardPass):
    __slots__ = ()
    range: Callable[[str], Any]

    def step(self, node: Any, grad: Any) -> tuple[Any, Any]:
        with self.range(f"{node.name()}, seq = {node.sequence}"):
            return super().step(node, grad)


class emit_nvtx(_Emit):
    """Ranges of NVIDIA's NVTX around each op and backward node, as Nsight Systems shows them.

    Args:
        enabled: False does nothing.
        record_shapes: whether a range's name has the shapes of the arguments.

    Raises:
        RuntimeError: the Python package nvtx is not installed.
    """

    package, function = "nvtx", "annotate"


class emit_itt(_Emit):
    """Ranges of Intel's ITT around each op and backward node, as VTune shows them.

    Args:
        enabled: False does nothing.
        record_shapes: whether a range's name has the shapes of the arguments.

    Raises:
        RuntimeError: the Python package ittapi is not installed.
    """

    package, function = "ittapi", "task"
