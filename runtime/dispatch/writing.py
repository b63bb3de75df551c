"""Writing into tensors that exist already: in-place ops, `out=`, and what autograd must know of it."""

from __future__ import annotations

from math import prod
from typing import Any

from ..autograd.inplace.view_history import check_origin
from ..autograd.inplace.writers import end_write, note_write
from ..autograd.saved.saved import edge_of
from ..errors import DtypeError, ShapeError, warn_user
from ..modes.grad_mode import mode
from ..modes.inference import check_written
from ..modes.intercept import watch
from ..namespace import op
from ..tensor.base import TensorBase, alias, from_flat, note_layout_change
from ..tensor.casting import copy_cast
from ..tensor.dtypes import can_cast
from ..tensor.history import copy_history
from ..tensor.memory import copied, empty
from ..tensor.memory_overlap import check_disjoint, check_single, overlaps, write_changes

BY_VALUE = ("fill_", "masked_fill_")  # whose 0-d operand is read before anything is written


def write(name: str, into: Any, result: Any) -> Any:
    """Copy a freshly computed result into `into`, cast to its dtype, and count the write."""
    check_written(into)
    check_shape(name, into, result)
    if not can_cast(result._dtype, into._dtype):
        raise DtypeError(
            f"{name}(): result type {result._dtype!r} can't be cast to the desired output type {into._dtype!r}"
        )
    if into._strides is not None and overlaps(into):
        write_changes(into.array, result.array)
    else:
        copy_cast(into.array, result.array)
    note_write(into, name)
    return into


def check_shape(name: str, into: Any, result: Any) -> None:
    """Refuse a result of another shape than that of the tensor that it is to be written to."""
    if into._shape != result._shape:
        raise ShapeError(
            f"{name}(): output with shape {list(into._shape)} doesn't match the broadcast shape {list(result._shape)}"
        )


def before_write(
    name: str, tensor: Any, operands: tuple[Any, ...], keep: tuple[Any, ...], share: str, replaces: bool = False
) -> Any:
    """Check that an in-place op may write here; return the tensor as it was, for the op to read and to record.

    `operands` are all of the op's tensors, `tensor` the first; `keep` are those whose formula reads the old value:
    where it is going to, for the graph or for tangents, that is a copy. `share` says how the other operands may lie in
    the memory of `tensor`: "anyhow", in the "same" places, or "never". `replaces` says that each element keeps its
    value or gets one that does not depend on it, so that several may share a place.
    """
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"{name}(): argument 'self' must be Tensor, not {type(tensor).__name__}")
    check_written(tensor)
    if is_recording(operands):
        check_recordable(name, tensor, operands)
    if tensor._strides is not None and not replaces:
        check_single(name, tensor)
    if share != "anyhow":
        storage = tensor._storage
        for other in operands[1:]:
            if getattr(other, "_storage", None) is storage and name not in BY_VALUE:
                check_disjoint(name, tensor, other, share == "same")
    if keep and (is_recording(keep) or have_tangents(operands)):
        saved_copy = as_recorded(from_flat(copied(tensor.array).ravel(), tensor._shape, tensor._dtype), tensor)
        if saved_copy._tangent is not None:  # the write changes tangents in place, too
            saved_copy._tangent = {level: op.clone(tangent) for level, tangent in saved_copy._tangent.items()}
        return saved_copy
    return unchanged(tensor)


def unchanged(tensor: Any) -> Any:
    """The tensor as it is now, in the same memory and at the same place in the graph."""
    return as_recorded(alias(tensor, tensor._shape, tensor._strides, tensor._offset), tensor)


def is_recording(operands: tuple[Any, ...]) -> bool:
    """Whether an op on these tensors, numbers and Nones is to be recorded."""
    if mode.grad:
        for operand in operands:  # in plain words, for a generator costs as much as the rest
            if getattr(operand, "_requires_grad", False):
                return True
    return False


def have_tangents(operands: Any) -> bool:
    """Whether forward mode follows an op on these tensors, numbers and Nones."""
    return watch.active and any(getattr(operand, "_tangent", None) is not None for operand in operands)


def as_recorded(other: Any, tensor: Any) -> Any:
    copy_history(other, tensor)
    other._tangent = tensor._tangent
    return other


def check_recordable(name: str, tensor: Any, operands: tuple[Any, ...]) -> None:
    """Whether a write can be recorded: all that could not, once it is done, is refused now."""
    check_history(name, tensor)
    for other in operands[1:]:
        if getattr(other, "_requires_grad", False):
            edge_of(other)


def check_history(name: str, tensor: Any) -> None:
    """Whether the history of a tensor can be extended by a write.

    A leaf that requires grad has none to extend: what is written to it, or to a view of it, would be lost.
    """
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
    """Whether nothing is being differentiated that a copy into `out` would hide."""
    if mode.grad and (out._requires_grad or result._requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad"
        )


def write_out(name: str, out: Any, result: Any, operands: tuple[Any, ...] = (), share: str = "anyhow") -> Any:
    """The `out=` form: the result copied into `out`, which nothing may be differentiating; see `before_write`."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    check_written(out)
    check_out(name, out, result)
    if out._shape != result._shape and out._base is None:
        if out.numel():
            warn_user(
                f"{name}(): An output with one or more elements was resized since it had shape {list(out._shape)}, "
                f"which does not match the required output shape {list(result._shape)}. This behavior is deprecated, "
                "and in a future PyTorch release outputs will not be resized unless they have zero elements."
            )
        blank = from_flat(empty(prod(result._shape), out._dtype.np, out._device), result._shape, out._dtype)
        out._flat = out._storage = blank._flat
        out._shape, out._array, out._strides = blank._shape, None, None
        note_layout_change()
    check_single(name, out)
    if share != "anyhow":
        for other in operands:
            if getattr(other, "_storage", None) is out._storage:
                check_disjoint(name, out, other, share == "same")
    write(name, out, result)
    end_write(out)
    return out
