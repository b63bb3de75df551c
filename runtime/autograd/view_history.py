"""Views that a write cannot be followed through, because of how they were made, and what PyTorch's rules say of them.

Such are views made while nothing is recorded, several at a time (`unbind`, `split`), or by a custom Function, and views
of these. While graphs are recorded they may not be written to; once their memory has been written to, using them where
a graph is recorded is an error. A view keeps its origin in the slot `_views`, where a base lists its views."""

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..tensor.grad_mode import is_inference, mode
from ..tensor.history import clear_history, set_history, set_requires_grad
from .dtype_regions import are_related, follow_base
from .node import LEAF, Node, output_at
from .version_counter import Awaited

_FORBIDDEN = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)


class Origin(NamedTuple):
    """The mode or function that made a view, and PyTorch's words on why it may not be written to."""

    made_in: str
    written_in: str
    advice: str


NO_GRAD = Origin("no_grad mode", "modified inplace with grad mode enabled.", _FORBIDDEN.format("no_grad"))
INFERENCE = Origin("inference mode", "modified inplace in normal mode.", _FORBIDDEN.format("inference_mode"))
MULTI_VIEW = NO_GRAD._replace(
    advice=" This view is the output of a function that returns multiple views. Such functions do not allow the output "
    "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = NO_GRAD._replace(
    advice=" This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
    "logic to handle view+inplace would override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)


class Nowhere(Node):
    """The edge of a view outside the graph of its base; for the engine a leaf that does not require grad."""

    __slots__ = ()
    edge_kind = LEAF
    edges = ()
    index = 0
    _requires_grad = False
    hooks = metas = node = _hooks = None


NOWHERE = Nowhere.__new__(Nowhere)


class Outdated(Nowhere):
    """The edge of a view whose memory was written to: asking whether there is an edge is the error that says why."""

    __slots__ = ("before", "origin")

    def __init__(self, before: Any, origin: Origin) -> None:
        self.before = before
        self.origin = origin

    def __bool__(self) -> bool:
        raise RuntimeError(complaint(self.origin, self.before, "its base or another view of its base has been"))


def complaint(origin: Origin, edge: Any, what: str) -> str:
    if edge is None or edge is NOWHERE:
        return f"A view was created in {origin.made_in} and {what} {origin.written_in}{origin.advice}"
    node, number = output_at(edge)
    subject = f"Output {number} of {node.name()} is a view"
    if origin is NO_GRAD or origin is INFERENCE:
        return (
            f"{subject} of a view which was created in {origin.made_in} and {what} {origin.written_in}{origin.advice}"
        )
    return f"{subject} and {what} modified inplace.{origin.advice}"


def check_origin(name: str, tensor: Any) -> None:
    """Refuse to record a write to a view that it could not be followed through."""
    origin = tensor._views
    if origin is not None:
        edge = tensor._grad_fn
        before = edge.before if type(edge) is Outdated else edge
        raise RuntimeError(f"{name}(): {complaint(origin, before, 'is being')}")


def not_recorded(*views: Any) -> None:
    if mode.grad is None or not views:
        return
    base = views[0]._base
    for view in views:
        view._views = INFERENCE if mode.inference else NO_GRAD
    if base._requires_grad and not is_inference(base):
        put_nowhere(base, views)


def multiple_views(views: Sequence[Any]) -> None:
    for view in views:
        view._views = MULTI_VIEW
    if views and views[0]._requires_grad:
        await_write(views[0]._base)


def put_nowhere(base: Any, views: Sequence[Any]) -> None:
    """Let views of a base that requires grad require it too, outside the graph."""
    for view in views:
        set_history(view, NOWHERE)
    await_write(base)


def await_write(base: Any) -> None:
    """The views of `base` are updated at the next write to their memory."""
    writes = base._shared_version()
    if is_inference(base):
        return  # no write is ever recorded
    if type(writes[0]) is not Awaited:
        writes[0] = Awaited.after(writes[0], [])
    if not any(reference() is base for reference, _ in writes[0].waiting):
        writes[0].waiting.append((weakref.ref(base), written))


def live_views(base: Any) -> Iterator[Any]:
    """The views of a base that still exist and whose elements are the base's, or parts of them, or made of them."""
    for reference in base._views or ():
        view = reference()
        if view is not None and are_related(base, view):
            yield view


def written(base: Any) -> bool:
    """Those that cannot follow are outdated. Whether there are leaves among them, which the next write must reach."""
    leaves = False
    for view in live_views(base):
        inside = view._grad_fn is not None and view._grad_fn is not NOWHERE
        if view._views is not None and (base._requires_grad or inside):
            outdate(view)
        elif base._requires_grad:
            follow_base(view, base)
        leaves = leaves or (view._requires_grad and not base._requires_grad)
    return leaves


def outdate(view: Any) -> None:
    if type(view._grad_fn) is not Outdated:
        set_history(view, Outdated(view._grad_fn, view._views))


def require_grad(tensor: Any, required: bool) -> None:
    """Set what a leaf itself says on requiring grad; a view requires it also where its base does."""
    base = tensor._base
    if base is None:
        set_requires_grad(tensor, required)
        views_require_grad(tensor)
    elif required:
        set_history(tensor, None if tensor._grad_fn is NOWHERE else tensor._grad_fn)
        await_write(base)
    elif base._requires_grad:
        put_nowhere(base, [tensor])
    else:
        set_requires_grad(tensor, False)


def views_require_grad(base: Any) -> None:
    """After a change of whether `base` requires grad: its views outside the graph do as it does."""
    for view in live_views(base):
        edge = view._grad_fn
        if base._requires_grad and not view._requires_grad:
            put_nowhere(base, [view])
        elif not base._requires_grad and (
            edge is NOWHERE or (type(edge) is Outdated and edge.before in (None, NOWHERE))
        ):
            clear_history(view)
