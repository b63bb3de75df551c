"""Rules of ops that look at one element at a time and give zero for zero: they are computed on values alone."""

from __future__ import annotations

from typing import Any

from ..convert import in_layout
from ..dispatch import Call
from ..graph import coalesced, of, values_of


def each_value(call: Call) -> Any:
    """The op on the values, once equal places are added up."""
    sparse = coalesced(call.first)
    return of(sparse.pattern, call.on(values_of(sparse)))


def each_part(call: Call) -> Any:
    """The op on the values as they are: what it gives of a sum is the sum of what it gives."""
    return of(call.first.pattern, call.on(values_of(call.first)))


def power(call: Call) -> Any:
    """The power of the values, by a number above 0."""
    exponent = call["exponent"]
    if exponent == 0 or (isinstance(exponent, (int, float)) and exponent < 0):
        raise RuntimeError(f"pow(): expected an exponent above 0 for a sparse tensor, but got {exponent}")
    return each_value(call)


def moved_to_device(call: Call) -> Any:
    """Indices and values go there."""
    sparse = in_layout(coalesced(call.first), call.first.layout) if call.first.is_sparse else call.first
    pattern = sparse.pattern
    there = type(pattern)(
        pattern.layout,
        tuple(call.on(index) for index in pattern.index),
        pattern.shape,
        pattern.sparse_dims,
        pattern.is_coalesced,
    )
    return of(there, call.on(values_of(sparse)))


def without_elements(call: Call) -> Any:
    """A tensor that keeps no elements, with the dtype that is asked for."""
    from ..create import empty_like

    return empty_like(call.first, call.arguments.get("dtype"), call.arguments.get("requires_grad", False))


def emptied(call: Call) -> Any:
    """All elements are forgotten, which is zero everywhere."""
    from ..create import empty_like
    from ..writing import overwrite

    return overwrite(call.first, empty_like(call.first, None, False), "zero_")


def copied(call: Call) -> Any:
    """Pattern and values of the source take the place of the tensor's; a strided tensor gets all elements."""
    from ..dispatch import has_pattern
    from ..graph import dense
    from ..writing import overwrite

    tensor, source = call.first, call["src"]
    if not has_pattern(tensor):
        return call.on(tensor, src=dense(source))
    if not has_pattern(source):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented: use to_sparse() first")
    if tensor.requires_grad and tensor.is_leaf:
        raise RuntimeError("copy_(): a leaf Variable that requires grad is being used in an in-place operation.")
    return overwrite(tensor, in_layout(source, tensor.layout).to(tensor.dtype).clone(), "copy_")
