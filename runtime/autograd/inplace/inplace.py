"""In-place ops and views: how writing to one tensor rewrites the history of all that share its memory.

Writing to a view is, for its base, a new base in which one region was replaced (`CopySlices`). Every live view of the
base is then a view of the new base, and gets a node that says so (`Region`); or, where PyTorch's rules forbid it, an
edge that refuses to be used.
"""

from __future__ import annotations

from typing import Any

from ...dispatch.writing import check_history, is_recording, unchanged, write
from ...modes.grad_mode import mode
from ...modes.inference import check_written
from ...tensor.base import TensorBase, note_layout_change
from ...tensor.history import set_history
from ..forward.tangents import write_tangents
from ..node import node_at
from ..saved.saved import meta_of, version_of
from .copy_slices import Overwritten, Replaced, keep_in_graph, take_history
from .dtype_regions import follow_base, slices
from .view_history import live_views, outdate
from .writers import Awaited, end_write, note_write

LAYOUT = ("_flat", "_array", "_shape", "_strides", "_offset")  # the slots of a tensor that say where its elements lie


def after_write(tensor: Any, before: Any) -> Any:
    """Bring the histories of base and views up to date when an in-place op was recorded: it changed the edge."""
    if mode.grad and tensor._grad_fn is not before:
        date_operands(tensor)
        base = tensor._base
        root = tensor if base is None else base
        take_history(root, tensor._grad_fn if base is None else slices(base, tensor, tensor._grad_fn))
        if root._views is not None:
            refresh_views(root)
    count, _ = tensor._version_counter
    if type(count) is Awaited:
        end_write(tensor)
    return tensor


def overwrite(tensor: Any, before: Any) -> None:
    """Cut a tensor off from its history: an in-place op without gradients has replaced all of its values."""
    if mode.grad and tensor._requires_grad:
        set_history(tensor, Overwritten(before, tensor._version_counter[1]))


def date_operands(tensor: Any) -> None:
    """Note for saved operands that lie in the written memory that they were saved at the version before the write."""
    node = node_at(tensor._grad_fn)
    for slot in node.saved_slots:
        saved = getattr(node, slot)
        if (
            isinstance(saved, TensorBase)
            and saved._version_counter is tensor._version_counter
            and slot not in node.saved_outputs
        ):
            setattr(node, f"{slot}_version", version_of(tensor) - 1)


def refresh_views(base: Any) -> None:
    for view in live_views(base):
        if view._views is None:
            follow_base(view, base)
        else:
            outdate(view)


def adopt_result(name: str, into: Any, result: Any) -> Any:
    """The in-place form of a composite: `into` takes the values of the result, its tangents and place in the graph."""
    write(name, into, result)
    before, into._tangent = into._tangent, result._tangent
    if before is not None or into._tangent is not None:
        write_tangents(into, before)
    if result._grad_fn is not None:  # what made the result may be several nodes: for a base, a region was replaced
        set_history(into, result._grad_fn if into._base is None else Replaced(result._grad_fn))
    return into


def view_in_place(name: str, tensor: Any, view: Any, *args: Any) -> Any:
    """The in-place form of a view op: the tensor itself gets the view's layout and place in the graph."""
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"{name}(): argument 'self' must be Tensor, not {type(tensor).__name__}")
    check_written(tensor)
    recording = is_recording((tensor,))
    if recording:
        check_history(name, tensor)
    result, before = view(unchanged(tensor), *args), meta_of(tensor)
    for slot in LAYOUT:
        setattr(tensor, slot, getattr(result, slot))
    note_layout_change()
    tensor._tangent = result._tangent
    note_write(tensor, name)
    end_write(tensor)
    if recording:
        take_history(tensor, result._grad_fn)
    elif tensor._requires_grad:
        relayout(tensor, before)
    if tensor._requires_grad and tensor._base is None:
        refresh_views(tensor)
    return tensor


def relayout(tensor: Any, before: Any) -> None:
    """Keep a tensor in the graph that got a layout outside it: a view is read from its base; a leaf stays one."""
    base, edge = tensor._base, tensor._grad_fn
    if base is None:
        if edge is not None:
            keep_in_graph(tensor, before)
    elif tensor._views is None and (base._requires_grad or edge is not None):
        follow_base(tensor, base)
