"""What records ops and nodes while a profiler is on, none of which runs otherwise than without one.

An op that its fast function computes is recorded around that function, any other as it enters its general path. A
backward pass goes from node to node in Python, and each node runs its kernel."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.engine import BackwardPass
from ...autograd.node import Node, recording_node
from ...dispatch.errors import op_node
from ...fast_path import no_native, not_handled, surround_launches
from ...tensor.observers import NOT_HANDLED, TIMES, OpCall, Watcher, watch
from ...tensor.tensor import TensorBase
from ..distributed.groups.observers import observed
from .communication import Calls
from .device_events import is_view
from .named_ranges import ENGINE, current, function_call
from .op_names import called_name, launched_name, shown_name
from .session import NODE, OP, Record, Session

_ENGINE = "autograd::engine::evaluate_function: "
_LEAF = "torch::autograd::AccumulateGrad"  # what scripts look for
_NAME = "profiler"


def turn_on(session: Session) -> None:
    current.session = session
    observed.listener = Calls(session)
    watch.turn(_NAME, WATCHER)
    surround_launches(recorded)


def turn_off() -> None:
    surround_launches(None)
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
        surround_launches(None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def around_op(call: OpCall) -> Any:
    session = current.session
    if session is None:
        return NOT_HANDLED
    name, overload, is_public = shown_name(call.name, call.function)
    if not is_public:
        name = called_name(name)
        if is_part_of(session.innermost(), name):
            return NOT_HANDLED
    args, kwargs = call.args, call.kwargs
    record = session.begin(name, OP, args, kwargs)
    record.launches_itself = not (call.following and any(getattr(a, "_vmap_level", None) is not None for a in args))
    record.overload = overload
    record.described = call.function.__module__, call.name
    try:
        result = call.proceed()
    finally:
        session.end(record)
    complete(session, record, args, kwargs, result)
    return result


def is_part_of(record: Record | None, name: str) -> bool:
    """Whether what is called now computes the op that is being recorded."""
    return record is not None and record.name == name and record.launches_itself


def complete(session: Session, record: Record, args: Any, kwargs: dict[str, Any], result: Any) -> None:
    """Note what is known of an op once it has run."""
    note_sequence(record, result)
    if session.only_times:
        return
    if record.span is not None and session.devices is not None and is_view(result, args):
        session.devices.drop(record)
    if session.shapes and isinstance(result, TensorBase):
        record.output = result.shape
    if session.tally is not None:
        session.tally.count(result, args, kwargs, record)


def note_sequence(record: Record, result: Any) -> None:
    """Of the node that this op, and none inside it, has recorded."""
    base = getattr(result, "_base", None)
    for output in (result,) if base is None else (base, result):  # a write to a view is recorded for its base
        if isinstance(output, (tuple, list)) or getattr(output, "_grad_fn", None) is not None:
            node = op_node(recording_node(output))
            if node is not None and node.sequence > record.track.latest:
                record.sequence = record.track.latest = node.sequence
                return


def recorded(op: Any, attribute: str, launch: Callable[..., Any]) -> Callable[..., Any]:
    """A fast function that is recorded where it computes the op."""
    if launch is not_handled:
        return launch

    def timed(*args: Any) -> Any:
        session = current.session
        if session is None:
            return launch(*args)
        name, overload, described, is_public = launched_name(op, attribute, args)
        if not is_public:
            name = called_name(name)
        if is_part_of(session.innermost(), name):
            return launch(*args)
        if session.only_times:
            start = time.perf_counter_ns()
            result = launch(*args)
            if result is None:
                return None
            record = session.add(name, OP, start)
        else:
            record = session.begin(name, OP, args)
            try:
                result = launch(*args)
            finally:
                session.end(record)
            if result is None:
                session.discard(record)
                return None
        record.overload, record.described = overload, described
        complete(session, record, args, {}, result if attribute == "launch" else args[0])
        return result

    return timed


def note_node(result: Any) -> None:
    """Custom Functions say what they have recorded."""
    session = current.session
    record = None if session is None else session.innermost()
    if record is not None and record.kind == OP:
        note_sequence(record, result)


class ProfiledPass(BackwardPass):
    """A backward pass with events: one for the engine's work on a node, one in it for the node, one for each leaf."""

    profiled: tuple[Session, Record] | None = None  # the node that runs

    def resume(self, node: Any, grad: Any) -> None:
        self.run_from(node, grad, no_native)

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
            if session.tally is not None:
                session.tally.count(tuple(grads), incoming if isinstance(incoming, list) else (incoming,), {}, record)
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
    if session.shapes and kind == NODE:
        factors = [edge for name, edge in zip(own.inputs, own.edges, strict=False) if name != "bias"][-2:]
        record.factors_with_gradients = sum(edge is not None for edge in factors)
    return record


WATCHER = Watcher(
    note=note_node, backward_pass=ProfiledPass, timer=around_op, order=0, span=function_call, concern=TIMES
)
