"""In-place ops, `out=` and views: how writing to one tensor rewrites the history of all that share its memory.

Writing to a view is, for its base, a new base in which one region was replaced (`CopySlices`). Every live view of the
base is then a view of the new base, and gets a node that says so (`Region`); or, where PyTorch's rules forbid it, an
edge that refuses to be used."""

from typing import Any, Literal

from ..errors import DtypeError, ShapeError, warn_user
from ..namespace import op
from ..tensor.captured import check_captured
from ..tensor.dtypes import can_cast
from ..tensor.grad_mode import check_written, mode
from ..tensor.history import copy_history, set_history
from ..tensor.memory import copied, copy_cast
from ..tensor.memory_overlap import check_disjoint, check_single, overlaps, write_changes
from ..tensor.observers import watch
from ..tensor.replace_memory import resize
from ..tensor.tensor import TensorBase, alias, from_flat, note_layout_change
from .copy_slices import Overwritten, Replaced, keep_in_graph, take_history
from .dtype_regions import follow_base, slices
from .forward_mode import write_tangents
from .node import node_at
from .saved_tensors import edge_of, meta_of, version_of
from .version_counter import Awaited, end_write, note_write
from .view_history import check_origin, live_views, outdate

Share = Literal["overlap", "full", "none"]  # how operands may share the memory that is written to
BY_VALUE = ("fill_", "masked_fill_")  # whose 0-d operand is read before anything is written


def write(name: str, into: Any, result: Any) -> Any:
    """Copy a freshly computed result into `into`, cast to its dtype, and count the write."""
    check_written(into)
    check_shape(name, into, result)
    check_cast(name, into, result)
    if into._strides is not None and overlaps(into):
        write_changes(into.array, result.array)
    else:
        copy_cast(into.array, result.array)
    note_write(into, name)
    return into


def check_cast(name: str, into: Any, result: Any) -> None:
    if not can_cast(result._dtype, into._dtype):
        raise DtypeError(
            f"{name}(): result type {result._dtype!r} can't be cast to the desired output type {into._dtype!r}"
        )


def check_shape(name: str, into: Any, result: Any) -> None:
    if into._shape != result._shape:
        raise ShapeError(
            f"{name}(): output with shape {list(into._shape)} doesn't match the broadcast shape {list(result._shape)}"
        )


def before_write(
    name: str,
    tensor: Any,
    operands: tuple[Any, ...],
    keep: tuple[Any, ...],
    share: Share,
    replaces: bool = False,
    by_result: bool = False,
) -> Any:
    """Check that an in-place op may write here; return the tensor as it was, for the op to read and to record.

    `operands`: the op's tensors, `tensor` the first; `keep`: those whose formula reads the old value, which is a copy
    then, if not for gradients that are computed `by_result` after the write. `share`: the other operands may "overlap"
    with it in any way, in "full" (the same elements), or "none" may.
    `replaces`: each element keeps its value or gets one that does not depend on it, so that several may share a place.
    """
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"{name}(): argument 'self' must be Tensor, not {type(tensor).__name__}")
    check_written(tensor)
    check_captured(name, tensor)
    if is_recording(operands):  # what could not be recorded once it is done is refused before the write
        check_history(name, tensor)
        for other in operands[1:]:
            if getattr(other, "_requires_grad", False):
                edge_of(other)
    if tensor._strides is not None and not replaces:
        check_single(name, tensor)
    if name not in BY_VALUE:
        check_shared(name, tensor, operands[1:], share)
    followed = watch.active and any(getattr(operand, "_tangent", None) is not None for operand in operands)
    if keep and (followed or (not by_result and is_recording(keep))):
        saved_copy = as_recorded(from_flat(copied(tensor.array).ravel(), tensor._shape, tensor._dtype), tensor)
        if saved_copy._tangent is not None:  # the write changes tangents in place, too
            saved_copy._tangent = {level: op.clone(tangent) for level, tangent in saved_copy._tangent.items()}
        return saved_copy
    return unchanged(tensor)


def unchanged(tensor: Any) -> Any:
    """The tensor as it is now, in the same memory and at the same place in the graph."""
    return as_recorded(alias(tensor, tensor._shape, tensor._strides, tensor._offset), tensor)


def check_shared(name: str, tensor: Any, others: tuple[Any, ...], share: Share) -> None:
    if share == "overlap":
        return
    for other in others:
        if getattr(other, "_storage", None) is tensor._storage:
            check_disjoint(name, tensor, other, share == "full")


def is_recording(operands: tuple[Any, ...]) -> bool:
    if mode.grad:
        for operand in operands:  # in plain words, for a generator costs as much as the rest
            if getattr(operand, "_requires_grad", False):
                return True
    return False


def as_recorded(other: Any, tensor: Any) -> Any:
    copy_history(other, tensor)
    other._tangent = tensor._tangent
    return other


def check_history(name: str, tensor: Any) -> None:
    """A leaf that requires grad has no history to extend: what is written to it, or to a view of it, would be lost."""
    base = tensor._base
    if base is not None:
        check_origin(name, tensor)
        if tensor._requires_grad and base._grad_fn is None:
            raise RuntimeError(
                f"{name}(): a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
    if tensor._requires_grad and tensor._grad_fn is None:
        raise RuntimeError(f"{name}(): a leaf Variable that requires grad is being used in an in-place operation.")


def check_out(name: str, out: Any, result: Any) -> None:
    """Refuse to hide from autograd, or from forward mode, what is copied into `out`."""
    is_followed = out._tangent is not None or result._tangent is not None
    if is_followed or (mode.grad and (out._requires_grad or result._requires_grad)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad"
        )


def write_out(name: str, out: Any, result: Any, operands: tuple[Any, ...] = (), share: Share = "overlap") -> Any:
    """The `out=` form: the result copied into `out`, which nothing may be differentiating; see `before_write`."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    check_written(out)
    check_out(name, out, result)
    if out._shape != result._shape:
        check_cast(name, out, result)  # before anything is changed
        if out.numel():
            warn_user(
                f"{name}(): An output with one or more elements was resized since it had shape {list(out._shape)}, "
                f"which does not match the required output shape {list(result._shape)}. This behavior is deprecated, "
                "and in a future PyTorch release outputs will not be resized unless they have zero elements. You can "
                "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
            )
        resize(out, result._shape)
    check_single(name, out)
    check_shared(name, out, operands, share)
    write(name, out, result)
    end_write(out)
    return out


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
    if type(count) is Awaited:  # views wait for this write, and are updated by the history that was just recorded
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
    check_captured(name, into)
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
    check_captured(name, tensor)
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
