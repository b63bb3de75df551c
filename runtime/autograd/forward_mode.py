"""Tangents: what forward mode keeps with tensors, and how an op's outputs get theirs.

A tensor's `_tangent` is None or a dictionary from forward-mode level to tangent, outermost level first. It stands for a
number x + t1 e1 + t2 e2 + ... in which the tangent of a level may itself carry tangents of the levels around it."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

from ..namespace import op
from ..tensor.history import copy_history
from ..tensor.layouts import are_alike, is_dense
from ..tensor.memory import zeros
from ..tensor.memory_overlap import overlaps
from ..tensor.observers import watch
from ..tensor.tensor import TensorBase, alias, from_flat
from ..thread_state import NOWHERE, mode
from .dtype_regions import are_related, placed_like, region_of
from .node import fit, output_at
from .saved_tensors import Packed

open_levels: set[int] = set()


def tangent_at(value: Any, level: int) -> Any:
    if isinstance(value, (list, tuple)):
        tangents = [tangent_at(v, level) for v in value]
        return None if all(t is None for t in tangents) else tangents
    return None if value is None or value._tangent is None else value._tangent.get(level)


def levels_of(values: Sequence[Any]) -> list[int]:
    matches: set[int] = set()
    for value in values:
        if isinstance(value, (list, tuple)):
            matches.update(levels_of(value))
        elif value is not None and value._tangent is not None:
            matches.update(value._tangent)
    return sorted(matches & open_levels)


def propagate(node_class: Any, result: Any, arguments: Sequence[Any], inputs: Sequence[Any], into: Any = None) -> None:
    """Give an op's outputs their tangents, from those of its differentiable inputs; `into` was written to."""
    if watch.notes:
        watch.note(result)
    levels = levels_of(inputs) if node_class.tangent else []
    before = None if into is None else into._tangent
    if not levels and before is None:
        return
    results = result if isinstance(result, tuple) else (result,)
    for output in results:
        output._tangent = None
    depth, mode.autocast = mode.autocast, NOWHERE  # formulas get the dtypes that the op has had
    try:
        set_tangents(node_class, result, results, arguments, inputs, levels)
    finally:
        mode.autocast = depth
    if into is not None:
        write_tangents(into, before)
    for output in results:
        hand_to_saved(output)


def set_tangents(
    node_class: Any, result: Any, results: Sequence[Any], arguments: Sequence[Any], inputs: Any, levels: list[int]
) -> None:
    for level in levels:
        along = [tangent_at(value, level) for value in inputs]
        match = node_class.tangent(below(result, level), *[below(a, level) for a in arguments], *along)
        for output, tangent in zip(results, match, strict=True):
            if tangent is not None and output._dtype.kind in "fc":
                set_tangent(output, level, fit_tangent(tangent, output))


def set_tangent(tensor: Any, level: int, tangent: Any) -> None:
    """Let a tensor have a tangent; the levels stay in order, for they come outermost first."""
    tensor._tangent = {**(tensor._tangent or {}), level: tangent}


def write_tangents(tensor: Any, before: Any) -> None:
    """After a write: tangents change in place, so that those of views of the same memory change with them."""
    result, before = tensor._tangent or {}, before or {}
    for level in sorted(open_levels.intersection({**result, **before})):
        along, held = result.get(level), before.get(level)
        if held is None or not fits_tangent(held, along):
            held = shared_tangent(tensor, level, held, along)
        if held is None or overlaps(held) or (held._requires_grad and held._grad_fn is None):
            continue
        set_tangent(tensor, level, held)
        if along is None:
            held.zero_()
        else:
            held.copy_(along)


def fits_tangent(held: Any, tangent: Any) -> bool:
    """Whether a tangent may take the values of another: whether these differ between no other examples of a vmap."""
    return tangent is None or vmaps_of(tangent) <= vmaps_of(held)


def vmaps_of(tangent: Any) -> set[int]:
    matches = set()
    while tangent._vmap_level is not None:
        matches.add(tangent._vmap_level)
        tangent = tangent.value
    return matches


def shared_tangent(tensor: Any, level: int, own: Any, like: Any) -> Any:
    """The tangent of a view as a view of its base's, which gets zeros if it has none; None for what shares no memory.

    The tensor itself had `own`; the new one takes the values of `like`."""
    base = tensor if tensor._base is None else tensor._base
    has_gaps = not is_dense(base._shape, base.stride())
    if (base is tensor and not base._views) or has_gaps or not are_related(base, tensor):
        return None
    full = own if base is tensor else tangent_at(base, level)
    anew = full is None or not fits_tangent(full, like)
    if anew:
        zeros = like.new_zeros(base._shape, dtype=base._dtype)
        full = with_layout_of(placed_like(zeros if full is None else zeros + full, base), base)
        set_tangent(base, level, full)
    for reference in base._views or ():
        view = reference()
        if view is None or not are_related(base, view):
            continue
        if anew or view is tensor or tangent_at(view, level) is None:
            region = region_of(full, base, view)
            if region is not None:
                set_tangent(view, level, region)
    return tangent_at(tensor, level)


def hand_to_saved(output: Any) -> None:
    """Give the tangents also to the alias of the output that its node has saved: backward may run in this level too."""
    if output._grad_fn is None:
        return
    node, index = output_at(output._grad_fn)
    for slot in () if node is None else node.saved_slots:  # a view whose use is an error has no node
        if node.saved_outputs.get(slot) != index:
            continue
        saved = getattr(node, slot)
        if isinstance(saved, TensorBase) and saved is not output:
            saved._tangent = output._tangent
        elif type(saved) is Packed:
            saved.tangent = output._tangent


def below(value: Any, level: int) -> Any:
    """An alias of a tensor at its place in the graph, with the tangents of outer levels only."""
    if type(value) in (list, tuple):
        return [below(v, level) for v in value]
    if not isinstance(value, TensorBase) or value._tangent is None:
        return value
    plain = alias(value, value._shape, value._strides, value._offset)
    copy_history(plain, value)
    plain._tangent = {outer: t for outer, t in value._tangent.items() if outer < level} or None
    return plain


def fit_tangent(tangent: Any, output: Any) -> Any:
    if tangent._shape != output._shape:
        tangent = tangent.expand(output._shape)
    result = with_layout_of(fit(tangent, (output._shape, output._dtype)), output)
    return placed_like(result, output) if output._base is None else result


def with_layout_of(tangent: Any, tensor: Any) -> Any:
    """The tangent, copied where it lies otherwise than its tensor: a view of the one must be one of the other."""
    if are_alike(tensor._shape, tangent.stride(), tensor.stride()):
        return tangent
    strides = tensor.stride()
    order = sorted(range(len(strides)), key=lambda d: -strides[d])
    back = sorted(range(len(strides)), key=lambda d: order[d])
    return tangent.permute(order).contiguous().permute(back)


def zeros_if_missing(tangent: Any, primal: Any) -> Any:
    if isinstance(primal, (list, tuple)):
        value: Sequence[Any] = tangent or [None] * len(primal)
        return [zeros_if_missing(t, p) for t, p in zip(value, primal, strict=True)]
    if tangent is not None or primal is None:
        return tangent
    return from_flat(zeros(primal.numel(), primal._dtype.np, primal._device), primal._shape, primal._dtype)


def total(*parts: Any) -> Any:
    return functools.reduce(operator.add, [part for part in parts if part is not None])


def select_tangent(tangent: Any, dim: Any, keepdim: bool, indices: Any) -> Any:
    """The tangent at the indices that forward chose: gather along `dim`, or from the flattened tensor."""
    if dim is None:
        return tangent.reshape(-1).gather(0, indices.reshape(-1)).reshape(indices.shape)
    if tangent.ndim == 0:
        return tangent
    if keepdim:
        return tangent.gather(dim, indices)
    return op.squeeze(tangent.gather(dim, indices.unsqueeze(dim)), dim)
